/* SPDX-License-Identifier: Apache-2.0 */
/* update_lowest: the lowest corner that stays of some edges of a face-varying channel, any number of whose corners may
 * have the same edge.
 * Shapes  edge[C] u32, wanted[n_wanted] u32 and gone[n_gone] u32, which ascend -> low[n_wanted] u32
 * Launch  item, n = C
 * Cost    4 B read a corner, and a search where its edge lies between the first and the last of those wanted
 * Result  low = min(low, corner) over the corners with the edge that are not in `gone`.
 * Threads any queue */
#ifndef SDD_K_UPDATE_LOWEST_H
#define SDD_K_UPDATE_LOWEST_H
#include "gpu/kernel/kernel.h"

struct update_lowest_args {
    const uint32_t *edge, *wanted, *gone;
    uint32_t *low;
    int64_t n_wanted, n_gone;
};

/* The number of rows below v. */
SDD_FN int64_t sdd_rows_below(const uint32_t *row, int64_t n, uint32_t v)
{
    int64_t low = 0;
    while (low < n) {
        const int64_t middle = (low + n) / 2;
        if (row[middle] < v)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

SDD_FN void k_update_lowest(int64_t c, const struct update_lowest_args *a)
{
    const uint32_t e = a->edge[c];
    if (e < a->wanted[0] || e > a->wanted[a->n_wanted - 1])
        return;
    const int64_t i = sdd_rows_below(a->wanted, a->n_wanted, e), g = sdd_rows_below(a->gone, a->n_gone, (uint32_t)c);
    if (a->wanted[i] == e && (g == a->n_gone || a->gone[g] != (uint32_t)c))
        sdd_atomic_min32(a->low + i, (uint32_t)c);
}
#endif
