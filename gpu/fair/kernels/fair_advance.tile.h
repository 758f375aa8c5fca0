/* SPDX-License-Identifier: Apache-2.0 */
/* fair_advance: the steps of conjugate gradients that need no neighbours: x and r go on along p, and z is r divided by
 * the diagonal.
 * Shapes  q, p[n][4], diagonal[n] f64 -> x, r, z[n][4] f64, part[2][tiles] f64
 * Launch  tile, FAIR_LANES rows each
 * Cost    296 B a row
 * Result  The parts are those of r . r and r . z.
 * Threads any queue */
#ifndef SDD_K_FAIR_ADVANCE_H
#define SDD_K_FAIR_ADVANCE_H
#include "gpu/fair/fair.dev.h"

struct fair_advance_args {
    const double *q, *p, *diagonal;
    double *x, *r, *z, *part;
    const struct fair_solver *solver;
    int64_t n, n_tiles;
};

enum { fair_advance_threads = FAIR_LANES };

SDD_FN void k_fair_advance(int64_t tile, const struct fair_advance_args *a)
{
    SDD_SHARED(double, rr, FAIR_LANES);
    SDD_SHARED(double, rz, FAIR_LANES);
    if (a->solver->done)
        return;
    SDD_EACH (lane, FAIR_LANES) {
        const int64_t at = tile * FAIR_LANES + lane;
        rr[lane] = rz[lane] = 0.0;
        if (at < a->n) {
            const uint32_t i = (uint32_t)at;
            const struct fair_quat r = fair_add(fair_get(a->r, i), -a->solver->alpha, fair_get(a->q, i));
            const struct fair_quat z = fair_scale(1.0 / a->diagonal[i], r);
            fair_put(a->x, i, fair_add(fair_get(a->x, i), a->solver->alpha, fair_get(a->p, i)));
            fair_put(a->r, i, r);
            fair_put(a->z, i, z);
            rr[lane] = fair_dot(r, r);
            rz[lane] = fair_dot(r, z);
        }
    }
    SDD_SYNC;
    fair_tree(rr);
    fair_tree(rz);
    SDD_EACH (lane, 1) {
        a->part[tile] = rr[lane];
        a->part[tile + a->n_tiles] = rz[lane];
    }
}
#endif
