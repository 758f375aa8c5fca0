/* SPDX-License-Identifier: Apache-2.0 */
/* mm_faces: face points of the first step: the transposed mesh matrix times the points, with every entry of column f
 * mapped to 1 / (size of face f).
 * Shapes  face_end[F] i32, vert[C] u32, p[V][3] f32 -> rows V + f of out[.][3] f32
 * Launch  item, n = F
 * Cost    16 B read a corner, 12 B written a face
 * Result  Sums run in double, in corner order, and are rounded once.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.27 */
#ifndef SDD_K_MM_FACES_H
#define SDD_K_MM_FACES_H
#include "gpu/grid/quad_location.h"

struct mm_faces_args {
    struct sdd_control mesh;
    const float *p;
    float *out;
};

SDD_FN struct sdd_vec3 sdd_face_mean(const struct sdd_control *m, struct sdd_points from, int64_t f)
{
    int64_t size = m->faces.size, first = f * size, end = first + size;
    if (size == 0) {
        first = f ? m->face_end[f - 1] : 0;
        end = m->face_end[f];
    }
    double x = 0.0, y = 0.0, z = 0.0, n = (double)(end - first);
    SDD_UNROLL(4)
    for (int64_t c = first; c < end; c++) {
        struct sdd_vec3 p = sdd_points_load(from, m->vert[c]);
        x += (double)p.x;
        y += (double)p.y;
        z += (double)p.z;
    }
    return sdd_vec3_of((float)(x / n), (float)(y / n), (float)(z / n));
}

SDD_FN void sdd_mean_of_face(int64_t f, const struct mm_faces_args *a, struct sdd_width width)
{
    sdd_row_put(a->out, a->mesh.n_vertices + (uint32_t)f, width,
                sdd_face_mean(&a->mesh, sdd_points_wide(a->p, width), f));
}

SDD_FN void k_mm_faces(int64_t f, const struct mm_faces_args *a)
{
    sdd_mean_of_face(f, a, sdd_xyz());
}
#endif
