/* SPDX-License-Identifier: Apache-2.0 */
/* fair_total: the second half of sums whose first half other kernels have made.
 * Shapes  part[sums][n_tiles] f64 -> out[sums] f64
 * Launch  tile, a tile for each sum
 * Cost    8 B read a part
 * Result  Each lane sums every FAIR_LANES-th part in order, and a tree the lanes.
 * Threads any queue */
#ifndef SDD_K_FAIR_TOTAL_H
#define SDD_K_FAIR_TOTAL_H
#include "gpu/fair/fair.dev.h"

struct fair_total_args {
    const double *part;
    double *out;
    int64_t n_tiles;
};

enum { fair_total_threads = FAIR_LANES };

SDD_FN void k_fair_total(int64_t tile, const struct fair_total_args *a)
{
    SDD_SHARED(double, sum, FAIR_LANES);
    const double total = fair_total_of(a->part + tile * a->n_tiles, a->n_tiles, sum);
    SDD_EACH (lane, 1)
        a->out[tile] = total;
}
#endif
