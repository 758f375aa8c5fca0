/* SPDX-License-Identifier: Apache-2.0 */
/* compact: lists the indices of the flagged items, in order.
 * Shapes  flag[n] i32, rank[n] i32 (inclusive scan of flag) -> list[sum of flag] u32
 * Launch  item, n items
 * Cost    8 B read an item, 4 B written a flagged item
 * Result  The list keeps the order of the items.
 * Threads any queue */
#ifndef SDD_K_COMPACT_H
#define SDD_K_COMPACT_H
#include "gpu/kernel/kernel.h"

struct compact_args {
    const int32_t *flag, *rank;
    uint32_t *list;
};

SDD_FN void k_compact(int64_t i, const struct compact_args *a)
{
    if (a->flag[i])
        a->list[a->rank[i] - 1] = (uint32_t)i;
}
#endif
