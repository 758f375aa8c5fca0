/* SPDX-License-Identifier: Apache-2.0 */
/* table_locations: writes where the piece of each quad of level 1 is in the list of its kind.
 * Shapes  piece[n] u32, a list of corners -> location[.] u32 of each of these corners
 * Launch  item, n pieces, which are all of a list, or some of it, at the rows that `at` names
 * Cost    8 B, scattered
 * Result  A word is the index in the list, with the bits of `kind` set. Each word has one writer.
 * Threads any queue */
#ifndef SDD_K_TABLE_LOCATIONS_H
#define SDD_K_TABLE_LOCATIONS_H
#include "gpu/kernel/kernel.h"

struct table_locations_args {
    const uint32_t *piece;
    uint32_t *location;
    uint32_t kind;
    const uint32_t *at; /* Shape [n], or NULL for all of a list. */
};

SDD_FN void k_table_locations(int64_t i, const struct table_locations_args *a)
{
    a->location[a->piece[i]] = (a->at ? a->at[i] : (uint32_t)i) | a->kind;
}
#endif
