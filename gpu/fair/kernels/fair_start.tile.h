/* SPDX-License-Identifier: Apache-2.0 */
/* fair_start: begins conjugate gradients.
 * Shapes  b, q[n][4], diagonal[n] f64, rim[n] u32 -> r, z, p[n][4] f64, part[3][tiles] f64
 * Launch  tile, FAIR_LANES rows each
 * Cost    172 B a row
 * Result  r = b - q, 0 in components that are held; z = p = r divided by the diagonal. The parts are those of r . r,
 *         r . z and b . b.
 * Threads any queue */
#ifndef SDD_K_FAIR_START_H
#define SDD_K_FAIR_START_H
#include "gpu/fair/fair.dev.h"

struct fair_start_args {
    const double *b, *q, *diagonal;
    const uint32_t *rim;
    double *r, *z, *p, *part;
    int64_t n, n_tiles;
    uint32_t held;
};

enum { fair_start_threads = FAIR_LANES };

SDD_FN void k_fair_start(int64_t tile, const struct fair_start_args *a)
{
    SDD_SHARED(double, rr, FAIR_LANES);
    SDD_SHARED(double, rz, FAIR_LANES);
    SDD_SHARED(double, bb, FAIR_LANES);
    SDD_EACH (lane, FAIR_LANES) {
        const int64_t at = tile * FAIR_LANES + lane;
        rr[lane] = rz[lane] = bb[lane] = 0.0;
        if (at < a->n) {
            const uint32_t i = (uint32_t)at;
            const struct fair_quat b = fair_get(a->b, i);
            const struct fair_quat r = fair_release(fair_add(b, -1.0, fair_get(a->q, i)), a->rim[i], a->held);
            const struct fair_quat z = fair_scale(1.0 / a->diagonal[i], r);
            fair_put(a->r, i, r);
            fair_put(a->z, i, z);
            fair_put(a->p, i, z);
            rr[lane] = fair_dot(r, r);
            rz[lane] = fair_dot(r, z);
            bb[lane] = fair_dot(b, b);
        }
    }
    SDD_SYNC;
    fair_tree(rr);
    fair_tree(rz);
    fair_tree(bb);
    SDD_EACH (lane, 1) {
        a->part[tile] = rr[lane];
        a->part[tile + a->n_tiles] = rz[lane];
        a->part[tile + 2 * a->n_tiles] = bb[lane];
    }
}
#endif
