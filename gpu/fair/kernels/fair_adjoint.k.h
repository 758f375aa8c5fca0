/* SPDX-License-Identifier: Apache-2.0 */
/* fair_adjoint: how a harmonic form sees the quaternions of a row, along one axis.
 * Shapes  mesh (fair.dev.h), laplacian[entries] f64, form[entries] i8, potential, points[..][4] f64 -> out[..][4] f64
 * Launch  item, n rows from row `first` on
 * Cost    45 B read an entry
 * Result  With w the harmonic form, which is the form less the differences of component `component` of the potential,
 *         g = sum of -L_ij w_ij (f_j - f_i), and out is row `axis` (1 to 3) of the matrix of p -> g p.
 * Threads any queue */
#ifndef SDD_K_FAIR_ADJOINT_H
#define SDD_K_FAIR_ADJOINT_H
#include "gpu/fair/fair.dev.h"

struct fair_adjoint_args {
    struct fair_mesh mesh;
    const double *laplacian;
    const int8_t *form;
    const double *potential, *points;
    double *out;
    int32_t component, axis;
    uint32_t first;
};

SDD_FN void k_fair_adjoint(int64_t i, const struct fair_adjoint_args *a)
{
    const uint32_t v = a->first + (uint32_t)i;
    const struct fair_quat p = fair_get(a->points, v);
    const double *potential = a->potential + a->component;
    struct fair_quat g = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    for (uint32_t e = a->mesh.row[v]; e < a->mesh.row[v + 1]; e++) {
        const uint32_t j = a->mesh.column[e];
        const double w = (double)a->form[e] - (potential[4 * (size_t)j] - potential[4 * (size_t)v]);
        g = fair_add(g, -a->laplacian[e] * w, fair_add(fair_get(a->points, j), -1.0, p));
    }
    fair_put(a->out, v,
             a->axis == 1   ? fair_quat_of(g.x, 0.0, -g.z, g.y)
             : a->axis == 2 ? fair_quat_of(g.y, g.z, 0.0, -g.x)
                            : fair_quat_of(g.z, -g.y, g.x, 0.0));
}
#endif
