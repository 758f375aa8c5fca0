/* SPDX-License-Identifier: Apache-2.0 */
/* fair_divergence: the divergence of the edges that the quaternions make.
 * Shapes  mesh (fair.dev.h), laplacian[entries], points, lambda[..][4] f64 -> out[..][4] f64
 * Launch  item, n rows from row `first` on
 * Cost    76 B an entry
 * Result  The sum of L_ij times the new edge from i to j.
 * Threads any queue
 * Source  Crane, Pinkall, Schroeder 2011 */
#ifndef SDD_K_FAIR_DIVERGENCE_H
#define SDD_K_FAIR_DIVERGENCE_H
#include "gpu/fair/fair_spin.dev.h"

struct fair_divergence_args {
    struct fair_mesh mesh;
    const double *laplacian, *points, *lambda;
    double *out;
    uint32_t first;
};

SDD_FN void k_fair_divergence(int64_t i, const struct fair_divergence_args *a)
{
    const uint32_t v = a->first + (uint32_t)i;
    const struct fair_quat p = fair_get(a->points, v), l = fair_get(a->lambda, v);
    struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    for (uint32_t e = a->mesh.row[v]; e < a->mesh.row[v + 1]; e++) {
        const uint32_t j = a->mesh.column[e];
        if (e != a->mesh.diagonal[v])
            sum = fair_add(sum, a->laplacian[e],
                           fair_spin(fair_add(fair_get(a->points, j), -1.0, p), l, fair_get(a->lambda, j)));
    }
    fair_put(a->out, v, sum);
}
#endif
