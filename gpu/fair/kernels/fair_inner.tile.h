/* SPDX-License-Identifier: Apache-2.0 */
/* fair_inner: the last damped Jacobi step of the preconditioner, and the sum of its result with the residual.
 * Shapes  level (fair_cycle.dev.h), r, x[n][4] f64, rim[n] u32 -> z[n][4] f64; part[tiles] f64
 * Launch  tile, FAIR_LANES rows each
 * Cost    44 B an entry, 100 B a row
 * Result  z = x + d (r - A x), or what z holds where x is NULL. Held components of z become 0. The parts are those of
 *         r . z.
 * Threads any queue */
#ifndef SDD_K_FAIR_INNER_H
#define SDD_K_FAIR_INNER_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_inner_args {
    struct fair_level level;
    const double *r, *x;
    const uint32_t *rim;
    double *z, *part;
    const struct fair_solver *solver; /* Nothing happens once it is done. */
    int64_t n;
    uint32_t held;
};

enum { fair_inner_threads = FAIR_LANES };

SDD_FN void k_fair_inner(int64_t tile, const struct fair_inner_args *a)
{
    SDD_SHARED(double, sum, FAIR_LANES);
    if (a->solver->done)
        return;
    SDD_EACH (lane, FAIR_LANES) {
        const int64_t i = tile * FAIR_LANES + lane;
        sum[lane] = 0.0;
        if (i < a->n) {
            const uint32_t row = (uint32_t)i;
            struct fair_quat z = a->x ? fair_relaxed(&a->level, a->r, a->x, row) : fair_get(a->z, row);
            z = fair_release(z, a->rim[i], a->held);
            fair_put(a->z, row, z);
            sum[lane] = fair_dot(fair_get(a->r, row), z);
        }
    }
    SDD_SYNC;
    fair_tree(sum);
    SDD_EACH (lane, 1)
        a->part[tile] = sum[lane];
}
#endif
