/* SPDX-License-Identifier: Apache-2.0 */
/* fair_shrink: the system of an implicit step of mean curvature flow.
 * Shapes  mesh (fair.dev.h), points[..][4] f64, mass[n]
 *         -> laplacian[entries] f64, changed; relax[n], b[n][4], way[n][4]
 * Launch  item, n rows from row `first` on
 * Cost    44 B (cached) an entry read, 80 B a row written
 * Result  b = -L p. L becomes L + rate M, and `relax` the damping divided by its diagonal. The way is 0, but on the rim
 *         with `along` it is strength times that to the mean of the neighbours along edges of one triangle.
 * Threads any queue */
#ifndef SDD_K_FAIR_SHRINK_H
#define SDD_K_FAIR_SHRINK_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_shrink_args {
    struct fair_mesh mesh;
    const double *points, *mass;
    double *laplacian, *relax, *b, *way;
    double rate, strength;
    uint32_t first, along;
};

SDD_FN void k_fair_shrink(int64_t i, const struct fair_shrink_args *a)
{
    const struct fair_mesh *m = &a->mesh;
    const uint32_t v = a->first + (uint32_t)i, diagonal = m->diagonal[v];
    const struct fair_quat p = fair_get(a->points, v);
    struct fair_quat b = fair_quat_of(0.0, 0.0, 0.0, 0.0), way = b;
    double n = 0.0;
    for (uint32_t e = m->row[v]; e < m->row[v + 1]; e++) {
        if (e == diagonal)
            continue;
        const struct fair_quat edge = fair_add(fair_get(a->points, m->column[e]), -1.0, p);
        b = fair_add(b, -a->laplacian[e], edge);
        if (a->along && m->begin[e + 1] - m->begin[e] == 1) {
            way = fair_add(way, 1.0, edge);
            n += 1.0;
        }
    }
    const double sum = a->laplacian[diagonal] + a->rate * a->mass[v];
    a->laplacian[diagonal] = sum;
    a->relax[v] = FAIR_DAMPING / sum;
    fair_put(a->b, v, b);
    fair_put(a->way, v, n > 0.0 ? fair_scale(a->strength / n, way) : way);
}
#endif
