/* SPDX-License-Identifier: Apache-2.0 */
/* fair_multiply: the product of L, or of X where there is one, with a vector of quaternions.
 * Shapes  mesh (fair.dev.h), laplacian[entries] f64 or dirac[entries][4] f64, in[..][4] f64
 *         -> out[n][4], part[tiles] f64
 * Launch  tile, FAIR_LANES rows each, from row `first` on
 * Cost    44 B an entry of X, 20 B an entry of L, and the vectors
 * Result  Components that are held give 0. The parts are those of the sum of in . out.
 * Threads any queue */
#ifndef SDD_K_FAIR_MULTIPLY_H
#define SDD_K_FAIR_MULTIPLY_H
#include "gpu/fair/fair.dev.h"

struct fair_multiply_args {
    struct fair_mesh mesh;
    const double *laplacian, *dirac, *in;
    double *out, *part;
    const struct fair_solver *solver; /* Nothing happens once it is done; may be NULL. */
    int64_t n;
    uint32_t first, held;
};

enum { fair_multiply_threads = FAIR_LANES };

SDD_FN struct fair_quat fair_row(const struct fair_multiply_args *a, uint32_t row)
{
    struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    SDD_UNROLL(4)
    for (uint32_t e = a->mesh.row[row]; e < a->mesh.row[row + 1]; e++) {
        const struct fair_quat x = fair_get(a->in, a->mesh.column[e]);
        sum = a->dirac ? fair_add(sum, 1.0, fair_product(fair_get(a->dirac, e), x)) : fair_add(sum, a->laplacian[e], x);
    }
    return fair_release(sum, a->mesh.rim[row], a->held);
}

SDD_FN void k_fair_multiply(int64_t tile, const struct fair_multiply_args *a)
{
    SDD_SHARED(double, sum, FAIR_LANES);
    if (a->solver && a->solver->done)
        return;
    SDD_EACH (lane, FAIR_LANES) {
        const int64_t i = tile * FAIR_LANES + lane;
        double value = 0.0;
        if (i < a->n) {
            const uint32_t row = a->first + (uint32_t)i;
            const struct fair_quat q = fair_row(a, row);
            fair_put(a->out, row, q);
            value = fair_dot(fair_get(a->in, row), q);
        }
        sum[lane] = value;
    }
    SDD_SYNC;
    fair_tree(sum);
    SDD_EACH (lane, 1)
        a->part[tile] = sum[lane];
}
#endif
