/* SPDX-License-Identifier: Apache-2.0 */
/* update.dev.h: renumbered rows, for the kernels of topology updates. Rows that stay keep their order, so the new
 * number of a row is the old one plus a shift that is the same for a whole run of rows. */
#ifndef SDD_UPDATE_H
#define SDD_UPDATE_H
#include "gpu/kernel/kernel.h"

/* The runs of a numbering. Run k begins at start[k]; start[0] is 0. */
struct sdd_runs {
    const uint32_t *start, *shift; /* Shape [n]; shifts are added modulo 2^32. */
    int32_t n;
};

/* The run of row v, which is one of [low, high]. */
SDD_FN int32_t sdd_run_of(const struct sdd_runs *r, int32_t low, int32_t high, uint32_t v)
{
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (r->start[middle] <= v)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
#endif
