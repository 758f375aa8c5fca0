/* SPDX-License-Identifier: Apache-2.0 */
/* fair_vertices: the cotangent Laplacian L, masses, normals weighted by angle, and mean curvature.
 * Shapes  mesh (fair.dev.h), points[..][4] f64 -> laplacian[entries], diagonal[n], relax[n], mass[n], curvature[n],
 *         basis[4][stride] f64: 1 and the normal's x, y, z
 * Launch  item, n rows from row `first` on
 * Cost    the triangles around each row read, 8 B an entry and 72 B a row written
 * Result  L_ij = -(cot a + cot b) / 2, and rows sum to 0; `relax` is the damping divided by the diagonal. A mass is a
 *         third of the areas around. H = N . (L f) / (2 m), which is 0 on the rim and where the surface folds back, so
 *         that there is no normal.
 * Threads any queue
 * Source  Crane, Pinkall, Schroeder 2013 */
#ifndef SDD_K_FAIR_VERTICES_H
#define SDD_K_FAIR_VERTICES_H
#include "gpu/fair/fair_cycle.dev.h"

struct fair_vertices_args {
    struct fair_mesh mesh;
    const double *points;
    double *laplacian, *diagonal, *relax, *mass, *curvature, *basis;
    int64_t stride;
    uint32_t first;
};

/* The angle of (x, y), y > 0, from the x axis, in (0, pi). That of (|x|, y), halved three times, is so small that
 * fourteen terms of the series are exact to the last bits. Libraries' atan2 would not give the same bits everywhere. */
SDD_FN double fair_angle(double y, double x)
{
    double t = y / (sqrt(x * x + y * y) + fabs(x)), sum = 0.0;
    t = t / (1.0 + sqrt(1.0 + t * t));
    t = t / (1.0 + sqrt(1.0 + t * t));
    for (int32_t k = 27; k > 0; k -= 2)
        sum = 1.0 / (double)k - sum * (t * t);
    const double angle = 8.0 * t * sum;
    return x < 0.0 ? 3.14159265358979323846 - angle : angle;
}

/* The entry L_ij, by the triangles at the edge. */
SDD_FN double fair_weight_of(const struct fair_mesh *m, const double *points, uint32_t entry)
{
    double sum = 0.0;
    for (uint32_t k = m->begin[entry]; k < m->begin[entry + 1]; k++) {
        const uint32_t *v = m->triangle + m->term[k] / 9 * 3;
        const struct fair_quat n = fair_normal(v, points);
        sum += fair_dot(fair_edge(v, points, m->term[k] % 9 / 3), fair_edge(v, points, m->term[k] % 3)) /
               (2.0 * sqrt(fair_dot(n, n)));
    }
    return sum;
}

/* Mass in w, and the sum of the normals around, each times the angle there. */
SDD_FN struct fair_quat fair_around(const struct fair_mesh *m, const double *points, uint32_t entry)
{
    struct fair_quat sum = fair_quat_of(0.0, 0.0, 0.0, 0.0);
    for (uint32_t k = m->begin[entry]; k < m->begin[entry + 1]; k++) {
        const uint32_t *v = m->triangle + m->term[k] / 9 * 3, corner = m->term[k] % 3;
        const struct fair_quat n = fair_normal(v, points);
        const double size = sqrt(fair_dot(n, n));
        const double cosine = -fair_dot(fair_edge(v, points, (corner + 1) % 3), fair_edge(v, points, (corner + 2) % 3));
        sum = fair_add(sum, fair_angle(size, cosine) / size, n);
        sum.w += size / 6.0;
    }
    return sum;
}

SDD_FN void k_fair_vertices(int64_t i, const struct fair_vertices_args *a)
{
    const struct fair_mesh *m = &a->mesh;
    const uint32_t v = a->first + (uint32_t)i, diagonal = m->diagonal[v];
    const struct fair_quat p = fair_get(a->points, v);
    struct fair_quat lf = fair_quat_of(0.0, 0.0, 0.0, 0.0), n = fair_around(m, a->points, diagonal);
    double sum = 0.0;
    for (uint32_t e = m->row[v]; e < m->row[v + 1]; e++) {
        if (e == diagonal)
            continue;
        const double w = fair_weight_of(m, a->points, e);
        a->laplacian[e] = w;
        sum -= w;
        lf = fair_add(lf, w, fair_add(fair_get(a->points, m->column[e]), -1.0, p));
    }
    const double mass = n.w;
    n.w = 0.0;
    const double size = sqrt(fair_dot(n, n));
    n = size > 1e-9 ? fair_scale(1.0 / size, n) : fair_quat_of(0.0, 0.0, 0.0, 0.0);
    a->laplacian[diagonal] = a->diagonal[v] = sum;
    a->relax[v] = FAIR_DAMPING / sum;
    a->mass[v] = mass;
    a->curvature[v] = m->rim[v] ? 0.0 : fair_dot(n, lf) / (2.0 * mass);
    a->basis[v] = 1.0;
    a->basis[v + a->stride] = n.x;
    a->basis[v + 2 * a->stride] = n.y;
    a->basis[v + 3 * a->stride] = n.z;
}
#endif
