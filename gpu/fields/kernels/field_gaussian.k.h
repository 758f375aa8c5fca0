/* SPDX-License-Identifier: Apache-2.0 */
/* field_gaussian: the angle defect of each vertex.
 * Shapes  neighbors, points[V][3] f32 -> value[V] f32
 * Launch  item, n = V
 * Cost    about 40 B (cached) read a triangle of the vertex, 4 B written
 * Result  2 pi, or pi on a boundary, less the angles of the triangles around; 0 for a vertex without faces
 * Threads any queue */
#ifndef SDD_K_FIELD_GAUSSIAN_H
#define SDD_K_FIELD_GAUSSIAN_H
#include "gpu/fields/kernels/field_ring.dev.h"

struct field_gaussian_args {
    struct sdd_neighbors neighbors;
    const float *points;
    float *value;
};

SDD_FN void k_field_gaussian(int64_t v, const struct field_gaussian_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    const struct sdd_real3 p = sdd_point_of(a->points, (uint32_t)v);
    double left = sdd_on_rim(&a->neighbors, (uint32_t)v) ? SDD_PI : 2.0 * SDD_PI;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        struct sdd_fan_walk w = sdd_walk_begin(m, m->corner[k]);
        uint32_t b, c;
        while (sdd_walk_next(&w, &b, &c))
            left -= sdd_angle(sdd_minus(sdd_point_of(a->points, m->vert[b]), p),
                              sdd_minus(sdd_point_of(a->points, m->vert[c]), p));
    }
    a->value[v] = m->begin[v] < m->end[v] ? (float)left : 0.0f;
}
#endif
