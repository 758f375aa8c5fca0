/* SPDX-License-Identifier: Apache-2.0 */
/* fair_scalars: the numbers of conjugate gradients between two iterations.
 * Shapes  part[3][n_tiles] f64 -> solver[1], changed
 * Launch  tile, one
 * Cost    8 B read a part
 * Result  FAIR_BEGIN, of b . b, r . r and r . z: all of the solver; the goal is relative to b, or to r where components
 *         are held. FAIR_NEXT, of p . q, r . r and r . z: the next direction, and whether the solve is done: 1 at its
 *         goal, 2 where a sum is no number or the matrix not positive; then nothing has moved.
 * Threads any queue */
#ifndef SDD_K_FAIR_SCALARS_H
#define SDD_K_FAIR_SCALARS_H
#include "gpu/fair/fair.dev.h"

enum { FAIR_BEGIN, FAIR_NEXT };

struct fair_scalars_args {
    const double *part;
    struct fair_solver *solver;
    int64_t n_tiles;
    double tolerance;
    int32_t what, held;
};

enum { fair_scalars_threads = FAIR_LANES };

SDD_FN void fair_scalars_of(const struct fair_scalars_args *a, const double *sum)
{
    struct fair_solver *s = a->solver;
    if (a->what == FAIR_NEXT && !(sum[0] > 0.0)) {
        s->done = 2;
        return;
    }
    s->rr = sum[1];
    if (a->what == FAIR_BEGIN) {
        s->goal = a->tolerance * a->tolerance * (a->held ? sum[1] : sum[0]);
        s->beta = 0.0;
        s->n = 0;
    } else {
        s->beta = sum[2] / s->rz;
        s->n++;
    }
    s->rz = sum[2];
    s->done = s->rr <= s->goal ? 1 : s->rr < 1e300 ? 0 : 2;
}

SDD_FN void k_fair_scalars(int64_t tile, const struct fair_scalars_args *a)
{
    SDD_SHARED(double, sum, FAIR_LANES);
    SDD_SHARED(double, sums, 3);
    if (a->what != FAIR_BEGIN && a->solver->done)
        return;
    for (int32_t k = 0; k < 3; k++) {
        const double total = fair_total_of(a->part + k * a->n_tiles, a->n_tiles, sum);
        SDD_EACH (lane, 1)
            sums[k] = total;
        SDD_SYNC;
    }
    SDD_EACH (lane, 1)
        fair_scalars_of(a, sums + lane);
    (void)tile;
}
#endif
