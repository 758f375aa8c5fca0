/* SPDX-License-Identifier: Apache-2.0 */
/* fair_dirac: the matrix X + shift M of quaternions, X = D^T A D of the Dirac operator D - rho.
 * Shapes  mesh (fair.dev.h), points[..][4], rho[..], mass[..] f64 -> dirac[entries][4] f64
 * Launch  item, n entries from entry `first` on
 * Cost    the triangles at each edge read, 32 B written an entry
 * Result  X_ij = sum of -e_i e_j / (4 A) + (rho_i e_j - rho_j e_i) / 6 + rho_i rho_j A / 9 over the triangles at ij.
 *         X_ji is the conjugate of X_ij to the bit, and the diagonal is real.
 * Threads any queue
 * Source  Crane, Pinkall, Schroeder 2011 */
#ifndef SDD_K_FAIR_DIRAC_H
#define SDD_K_FAIR_DIRAC_H
#include "gpu/fair/fair.dev.h"

struct fair_dirac_args {
    struct fair_mesh mesh;
    const double *points, *rho, *mass;
    double *dirac;
    double shift;
    uint32_t first;
};

SDD_FN void k_fair_dirac(int64_t item, const struct fair_dirac_args *a)
{
    const struct fair_mesh *m = &a->mesh;
    const uint32_t entry = a->first + (uint32_t)item;
    struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    uint32_t i = 0, j = 0;
    for (uint32_t k = m->begin[entry]; k < m->begin[entry + 1]; k++) {
        const uint32_t *v = m->triangle + m->term[k] / 9 * 3;
        const uint32_t ci = m->term[k] % 9 / 3, cj = m->term[k] % 3;
        const struct fair_quat n = fair_normal(v, a->points), ei = fair_edge(v, a->points, ci),
                               ej = fair_edge(v, a->points, cj);
        const double area = sqrt(fair_dot(n, n)) / 2.0;
        i = v[ci];
        j = v[cj];
        sum = fair_add(sum, -0.25 / area, fair_product(ei, ej));
        sum = fair_add(sum, 1.0 / 6.0, fair_add(fair_scale(a->rho[i], ej), -a->rho[j], ei));
        sum.w += a->rho[i] * a->rho[j] * area / 9.0;
    }
    if (i == j)
        sum = fair_quat_of(sum.w + a->shift * a->mass[i], 0.0, 0.0, 0.0);
    fair_put(a->dirac, entry, sum);
}
#endif
