/* SPDX-License-Identifier: Apache-2.0 */
/* field_flat: finds faces with a triangle that has no area, where cotangents have no value.
 * Shapes  neighbors, points[V][3] f32 -> error[1] u64
 * Launch  item, n = F
 * Cost    about 20 B read a corner
 * Result  error = min(error, face)
 * Threads any queue */
#ifndef SDD_K_FIELD_FLAT_H
#define SDD_K_FIELD_FLAT_H
#include "gpu/fields/kernels/field_math.dev.h"

struct field_flat_args {
    struct sdd_neighbors neighbors;
    const float *points;
    uint64_t *error;
};

SDD_FN void k_field_flat(int64_t f, const struct field_flat_args *a)
{
    const struct sdd_control *m = &a->neighbors.mesh;
    const uint32_t first = f > 0 ? (uint32_t)m->face_end[f - 1] : 0, end = (uint32_t)m->face_end[f];
    const struct sdd_real3 p = sdd_point_of(a->points, m->vert[first]);
    for (uint32_t c = first + 1; c + 1 < end; c++) {
        const struct sdd_real3 u = sdd_minus(sdd_point_of(a->points, m->vert[c]), p);
        const struct sdd_real3 w = sdd_minus(sdd_point_of(a->points, m->vert[c + 1]), p);
        if (!(sdd_length(sdd_cross(u, w)) > 0.0))
            sdd_atomic_min(a->error, (uint64_t)f);
    }
}
#endif
