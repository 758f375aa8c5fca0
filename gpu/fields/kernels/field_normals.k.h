/* SPDX-License-Identifier: Apache-2.0 */
/* field_normals: vertex normals.
 * Shapes  neighbors, points[V][3] f32 -> value[V][3] f32
 * Launch  item, n = V
 * Cost    about 40 B (cached) read a corner of the vertex, 12 B written
 * Result  each corner's cross product over the squared lengths of its two edges, added in the order of corners, of
 *         length 1; 0 where that is nothing
 * Threads any queue
 * Source  Max 1999, weights for computing vertex normals from facet normals */
#ifndef SDD_K_FIELD_NORMALS_H
#define SDD_K_FIELD_NORMALS_H
#include "gpu/fields/kernels/field_ring.dev.h"

struct field_normals_args {
    struct sdd_neighbors neighbors;
    const float *points;
    float *value;
};

SDD_FN void k_field_normals(int64_t v, const struct field_normals_args *a)
{
    const struct sdd_real3 n = sdd_normal_of(&a->neighbors, a->points, (uint32_t)v);
    sdd_put_vec3(a->value, (uint32_t)v, sdd_vec3_of((float)n.x, (float)n.y, (float)n.z));
}
#endif
