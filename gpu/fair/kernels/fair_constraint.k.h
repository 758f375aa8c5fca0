/* SPDX-License-Identifier: Apache-2.0 */
/* fair_constraint: the function that the change of the half-density must be orthogonal to, for one harmonic form and
 * axis.
 * Shapes  mesh (fair.dev.h), points, x[..][4], mass[..] f64 -> out[..] f64
 * Launch  item, n rows from row `first` on
 * Cost    the triangles around each row read
 * Result  The sum of e_j . x_j / 6 over the corners j of the triangles around, divided by the mass. x solves X x = what
 *         fair_adjoint makes, at rho = 0.
 * Threads any queue */
#ifndef SDD_K_FAIR_CONSTRAINT_H
#define SDD_K_FAIR_CONSTRAINT_H
#include "gpu/fair/fair.dev.h"

struct fair_constraint_args {
    struct fair_mesh mesh;
    const double *points, *x, *mass;
    double *out;
    uint32_t first;
};

SDD_FN void k_fair_constraint(int64_t i, const struct fair_constraint_args *a)
{
    const struct fair_mesh *m = &a->mesh;
    const uint32_t row = a->first + (uint32_t)i, entry = m->diagonal[row];
    double sum = 0.0;
    for (uint32_t k = m->begin[entry]; k < m->begin[entry + 1]; k++) {
        const uint32_t *v = m->triangle + m->term[k] / 9 * 3;
        for (uint32_t j = 0; j < 3; j++) /* Edges have no real part, so this takes none of x either. */
            sum += fair_dot(fair_edge(v, a->points, j), fair_get(a->x, v[j])) / 6.0;
    }
    a->out[row] = sum / a->mass[row];
}
#endif
