/* SPDX-License-Identifier: Apache-2.0 */
/* ef_faces: face points of the first step: the mean of each face's corners. A ghost face's point is a vertex of its
 * loop, because nothing that leaves the engine reads it.
 * Shapes  end[F] i32, vert[C + B] u32, ghost_first[H] u32, p[V][3] f32 -> slot rows V + f, and V + F + E + h
 * Launch  item, n = F + H
 * Cost    16 B read a corner, 16 B written a face
 * Result  Sums run in double, in corner order (a face may have 65,535 corners), and are rounded once.
 * Threads any queue
 * Source  Catmull and Clark 1978, face rule */
#ifndef SDD_K_EF_FACES_H
#define SDD_K_EF_FACES_H
#include "gpu/kernel/kernel.h"

struct ef_faces_args {
    const int32_t *end;
    const uint32_t *vert, *ghost_first;
    const float *p;
    struct sdd_slot *slot;
    uint32_t n_vertices, n_faces, n_edges;
};

SDD_FN void k_ef_faces(int64_t f, const struct ef_faces_args *a)
{
    if (f >= a->n_faces) {
        uint32_t c = a->ghost_first[f - a->n_faces];
        const float *p = a->p + 3 * (int64_t)a->vert[c];
        a->slot[a->n_vertices + a->n_edges + f] = sdd_slot_of(sdd_vec3_of(p[0], p[1], p[2]), 4 * c + 2);
        return;
    }
    int32_t first = f ? a->end[f - 1] : 0, end = a->end[f];
    double x = 0.0, y = 0.0, z = 0.0, n = (double)(end - first);
    for (int32_t c = first; c < end; c++) {
        const float *p = a->p + 3 * (int64_t)a->vert[c];
        x += (double)p[0];
        y += (double)p[1];
        z += (double)p[2];
    }
    struct sdd_vec3 mean = sdd_vec3_of((float)(x / n), (float)(y / n), (float)(z / n));
    a->slot[a->n_vertices + f] = sdd_slot_of(mean, 4 * (uint32_t)first + 2);
}
#endif
