/* SPDX-License-Identifier: Apache-2.0 */
/* fair_start: the first residual of conjugate gradients.
 * Shapes  b, q[n][4] f64, rim[n] u32 -> r[n][4] f64, rr[tiles], bb[tiles] f64
 * Launch  tile, FAIR_LANES rows each
 * Cost    100 B a row
 * Result  r = b - q, 0 in components that are held. The parts are those of r . r and b . b.
 * Threads any queue */
#ifndef SDD_K_FAIR_START_H
#define SDD_K_FAIR_START_H
#include "gpu/fair/fair.dev.h"

struct fair_start_args {
    const double *b, *q;
    const uint32_t *rim;
    double *r, *rr, *bb;
    int64_t n;
    uint32_t held;
};

enum { fair_start_threads = FAIR_LANES };

SDD_FN void k_fair_start(int64_t tile, const struct fair_start_args *a)
{
    SDD_SHARED(double, rr, FAIR_LANES);
    SDD_SHARED(double, bb, FAIR_LANES);
    SDD_EACH (lane, FAIR_LANES) {
        const int64_t at = tile * FAIR_LANES + lane;
        rr[lane] = bb[lane] = 0.0;
        if (at < a->n) {
            const uint32_t i = (uint32_t)at;
            const struct fair_quat b = fair_get(a->b, i);
            const struct fair_quat r = fair_release(fair_add(b, -1.0, fair_get(a->q, i)), a->rim[i], a->held);
            fair_put(a->r, i, r);
            rr[lane] = fair_dot(r, r);
            bb[lane] = fair_dot(b, b);
        }
    }
    SDD_SYNC;
    fair_tree(rr);
    fair_tree(bb);
    SDD_EACH (lane, 1) {
        a->rr[tile] = rr[lane];
        a->bb[tile] = bb[lane];
    }
}
#endif
