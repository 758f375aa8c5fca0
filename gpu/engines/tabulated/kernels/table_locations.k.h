/* SPDX-License-Identifier: Apache-2.0 */
/* table_locations: where the piece of each level-1 quad stands in the list of its kind.
 * Shapes  piece[n] u32, a list of corners -> where[.] u32 of each of them: its place, with `kind` set in it
 * Launch  item      Cost  8 B, scattered      Result  each word has one writer      Threads any queue */
#ifndef SDD_K_TABLE_WHERE_H
#define SDD_K_TABLE_WHERE_H
#include "gpu/kernel/kernel.h"

struct table_locations_args {
    const uint32_t *piece;
    uint32_t *where;
    uint32_t kind;
};

SDD_FN void k_table_locations(int64_t i, const struct table_locations_args *a)
{
    a->where[a->piece[i]] = (uint32_t)i | a->kind;
}
#endif
