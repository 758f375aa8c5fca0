/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_faces: the new vertices of a step.
 * Shapes  level (sqrt3_grid.h), p[V][3] f32, rows [0, V) of to (sqrt3_vertices) -> the other rows of to
 * Shape   item, n = F      Cost  about 60 B read, 12 B written a face
 * Result  the face's centre. In the second step a line v w is cut at (5 v + 4 w + 3 v') / 12 with v' the new place of
 *         v: (1 16 10) / 27 of the neighbour along the line, v, w where v is on a curve, and (2 v + w) / 3 where v
 *         stays (as if the line went on straight). Both sides of a line get the same bits
 * Needs   sqrt3_vertices      Source  Kobbelt 2000, sections 3 and 5      Threads any queue */
#ifndef SDD_K_SQRT3_FACES_H
#define SDD_K_SQRT3_FACES_H
#include "gpu/kernels/sqrt3_grid.h"

struct sqrt3_faces_args {
    struct sdd_sqrt3 mesh;
    const float *p;
    float *to;
};

/* The point of line v w that is nearer to v. */
SDD_FN struct sdd_vec3 sdd_sqrt3_cut(const struct sqrt3_faces_args *a, uint32_t v, uint32_t w)
{
    struct sdd_vec3 near = sdd_load_point(a->p, v), far = sdd_load_point(a->p, w), moved = sdd_load_point(a->to, v);
    return sdd_fma((float)(5.0 / 12.0), near, sdd_fma((float)(1.0 / 3.0), far, sdd_scale(0.25f, moved)));
}

SDD_FN void k_sqrt3_faces(int64_t f, const struct sqrt3_faces_args *a)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    const uint32_t *v = m->vert + 3 * f;
    uint32_t h = 3 * (uint32_t)f, row = m->n_vertices + (uint32_t)f;
    if (!sdd_sqrt3_is_second(m) || !sdd_sqrt3_is_line(m, h)) {
        const float *p = a->p;
        size_t i = 3 * (size_t)v[0], j = 3 * (size_t)v[1], k = 3 * (size_t)v[2];
        for (int32_t x = 0; x < 3; x++)
            a->to[3 * (size_t)row + (size_t)x] =
                (float)(((double)p[i + (size_t)x] + (double)p[j + (size_t)x] + (double)p[k + (size_t)x]) / 3.0);
        return;
    }
    sdd_put_vec3(a->to, row, sdd_sqrt3_cut(a, v[0], v[1]));
    if (sdd_sqrt3_is_boundary(m, h))
        sdd_put_vec3(a->to, sdd_sqrt3_q(m, (uint32_t)f), sdd_sqrt3_cut(a, v[1], v[0]));
}
#endif
