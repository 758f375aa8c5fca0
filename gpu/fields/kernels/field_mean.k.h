/* SPDX-License-Identifier: Apache-2.0 */
/* field_mean: the mean curvature of each vertex by cotangents.
 * Shapes  neighbors, points[V][3] f32 -> value[V] f32
 * Launch  item, n = V
 * Cost    about 40 B (cached) read a triangle of the vertex, 4 B written
 * Result  -(sum of weight times (neighbour - point)) along the normal, over twice a third of the area around; 0 for a
 *         vertex without faces. field_flat has found no triangle without area.
 * Threads any queue
 * Source  Pinkall and Polthier 1993 */
#ifndef SDD_K_FIELD_MEAN_H
#define SDD_K_FIELD_MEAN_H
#include "gpu/fields/kernels/field_ring.dev.h"

struct field_mean_args {
    struct sdd_neighbors neighbors;
    const float *points;
    float *value;
};

SDD_FN void k_field_mean(int64_t v, const struct field_mean_args *a)
{
    const struct sdd_cotangents c = sdd_cotangents_of(&a->neighbors, a->points, (uint32_t)v);
    const struct sdd_real3 n = sdd_normal_of(&a->neighbors, a->points, (uint32_t)v);
    a->value[v] = c.area > 0.0 ? (float)(-sdd_dot(c.pull, n) / (2.0 * c.area)) : 0.0f;
}
#endif
