/* SPDX-License-Identifier: Apache-2.0 */
/* fair_scalars: the numbers of conjugate gradients between two of its kernels.
 * Shapes  part[3][n_tiles] f64 -> solver[1], changed
 * Launch  tile, one
 * Cost    8 B read a part
 * Result  FAIR_BEGIN, of r . r, r . z and b . b: all of the solver; the goal is relative to b, or to r where components
 *         are held. FAIR_ALPHA, of p . q: the step. FAIR_BETA, of r . r and r . z: the next direction, and whether the
 *         solve is done: 1 at its goal, 2 where a sum is no number or the matrix not positive.
 * Threads any queue */
#ifndef SDD_K_FAIR_SCALARS_H
#define SDD_K_FAIR_SCALARS_H
#include "gpu/fair/fair.dev.h"

enum { FAIR_BEGIN, FAIR_ALPHA, FAIR_BETA };

struct fair_scalars_args {
    const double *part;
    struct fair_solver *solver;
    int64_t n_tiles;
    double tolerance;
    int32_t what, held;
};

enum { fair_scalars_threads = FAIR_LANES };

SDD_FN void fair_say_done(struct fair_solver *s)
{
    s->done = s->rr <= s->goal ? 1 : s->rr < 1e300 ? 0 : 2;
}

SDD_FN void fair_scalars_of(const struct fair_scalars_args *a, const double *sum)
{
    struct fair_solver *s = a->solver;
    if (a->what == FAIR_ALPHA) {
        s->alpha = s->rz / sum[0];
        if (!(sum[0] > 0.0)) {
            s->alpha = 0.0;
            s->done = 2;
        }
        return;
    }
    s->rr = sum[0];
    if (a->what == FAIR_BEGIN) {
        s->goal = a->tolerance * a->tolerance * (a->held ? sum[0] : sum[2]);
        s->alpha = s->beta = 0.0;
        s->n = 0;
    } else {
        s->beta = sum[1] / s->rz;
        s->n++;
    }
    s->rz = sum[1];
    fair_say_done(s);
}

SDD_FN void k_fair_scalars(int64_t tile, const struct fair_scalars_args *a)
{
    SDD_SHARED(double, sum, FAIR_LANES);
    SDD_SHARED(double, sums, 3);
    const int32_t n_sums = a->what == FAIR_BEGIN ? 3 : a->what == FAIR_ALPHA ? 1 : 2;
    if (a->what != FAIR_BEGIN && a->solver->done)
        return;
    for (int32_t k = 0; k < n_sums; k++) {
        SDD_EACH (lane, FAIR_LANES) {
            double value = 0.0;
            for (int64_t i = lane; i < a->n_tiles; i += FAIR_LANES)
                value += a->part[k * a->n_tiles + i];
            sum[lane] = value;
        }
        SDD_SYNC;
        fair_tree(sum);
        SDD_EACH (lane, 1)
            sums[k] = sum[lane];
        SDD_SYNC;
    }
    SDD_EACH (lane, 1)
        fair_scalars_of(a, sums + lane);
    (void)tile;
}
#endif
