/* SPDX-License-Identifier: Apache-2.0 */
/* fair_exact: how far the edges that the quaternions make are from being the edges of the new points.
 * Shapes  mesh (fair.dev.h), laplacian[entries], points, next, lambda[..][4] f64 -> out[n][2] f64
 * Launch  item, n rows from row `first` on
 * Cost    108 B an entry
 * Result  The sums of |L_ij| |off|^2 and |L_ij| |edge|^2 around a row.
 * Threads any queue */
#ifndef SDD_K_FAIR_EXACT_H
#define SDD_K_FAIR_EXACT_H
#include "gpu/fair/fair_spin.dev.h"

struct fair_exact_args {
    struct fair_mesh mesh;
    const double *laplacian, *points, *next, *lambda;
    double *out;
    uint32_t first;
};

SDD_FN void k_fair_exact(int64_t i, const struct fair_exact_args *a)
{
    const uint32_t v = a->first + (uint32_t)i;
    const struct fair_quat p = fair_get(a->points, v), l = fair_get(a->lambda, v), f = fair_get(a->next, v);
    double off = 0.0, size = 0.0;
    for (uint32_t e = a->mesh.row[v]; e < a->mesh.row[v + 1]; e++) {
        const uint32_t j = a->mesh.column[e];
        if (e == a->mesh.diagonal[v])
            continue;
        const struct fair_quat edge = fair_spin(fair_add(fair_get(a->points, j), -1.0, p), l, fair_get(a->lambda, j));
        const struct fair_quat d = fair_add(fair_add(fair_get(a->next, j), -1.0, f), -1.0, edge);
        const double w = fabs(a->laplacian[e]);
        off += w * fair_dot(d, d);
        size += w * fair_dot(edge, edge);
    }
    a->out[2 * i] = off;
    a->out[2 * i + 1] = size;
}
#endif
