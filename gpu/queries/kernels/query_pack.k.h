/* SPDX-License-Identifier: Apache-2.0 */
/* query_pack: moves rows that have room to spare next to each other.
 * Shapes  from[n] u32, to[n] u32, count[n] i32, wide [room] u32 -> ids [sum of count] u32
 * Launch  item, n rows
 * Cost    12 B read a row, 4 B read and written an id
 * Result  Row i is copied from from[i] of wide to to[i] of ids.
 * Threads any queue */
#ifndef SDD_K_QUERY_PACK_H
#define SDD_K_QUERY_PACK_H
#include "gpu/kernel/kernel.h"

struct query_pack_args {
    const uint32_t *from, *to;
    const int32_t *count;
    const uint32_t *wide;
    uint32_t *ids;
};

SDD_FN void k_query_pack(int64_t i, const struct query_pack_args *a)
{
    const uint32_t *from = a->wide + a->from[i];
    uint32_t *to = a->ids + a->to[i];
    for (int32_t k = 0; k < a->count[i]; k++)
        to[k] = from[k];
}
#endif
