/* SPDX-License-Identifier: Apache-2.0 */
/* fair_advance: the step of conjugate gradients along p.
 * Shapes  q, p[n][4], pq[n_pq] f64 -> x, r[n][4] f64, changed; part[tiles] f64
 * Launch  tile, FAIR_LANES rows each
 * Cost    192 B a row, and in each tile 8 B a part of p . q: made again there, it saves a launch between
 * Result  x += alpha p, r -= alpha q, where alpha is r . z over p . q, or 0 where that is not positive. The parts are
 *         those of r . r.
 * Threads any queue */
#ifndef SDD_K_FAIR_ADVANCE_H
#define SDD_K_FAIR_ADVANCE_H
#include "gpu/fair/fair.dev.h"

struct fair_advance_args {
    const double *q, *p, *pq;
    double *x, *r, *part;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
    int64_t n, n_pq;
};

enum { fair_advance_threads = FAIR_LANES };

SDD_FN void k_fair_advance(int64_t tile, const struct fair_advance_args *a)
{
    SDD_SHARED(double, sum, FAIR_LANES);
    if (a->solver->done)
        return;
    const double pq = fair_total_of(a->pq, a->n_pq, sum);
    const double alpha = pq > 0.0 ? a->solver->rz / pq : 0.0;
    SDD_SYNC;
    SDD_EACH (lane, FAIR_LANES) {
        const int64_t at = tile * FAIR_LANES + lane;
        sum[lane] = 0.0;
        if (at < a->n) {
            const uint32_t i = (uint32_t)at;
            const struct fair_quat r = fair_add(fair_get(a->r, i), -alpha, fair_get(a->q, i));
            fair_put(a->x, i, fair_add(fair_get(a->x, i), alpha, fair_get(a->p, i)));
            fair_put(a->r, i, r);
            sum[lane] = fair_dot(r, r);
        }
    }
    SDD_SYNC;
    fair_tree(sum);
    SDD_EACH (lane, 1)
        a->part[tile] = sum[lane];
}
#endif
