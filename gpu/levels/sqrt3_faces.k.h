/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_faces: the new vertices of a step of scheme sqrt3.
 * Shapes  level (sqrt3_grid.h), p[V][3] f32, rows [0, V) of to as sqrt3_vertices made them -> the other rows of to
 * Launch  item, n = F
 * Cost    about 60 B read, 12 B written a face
 * Result  A face gets its centre. In the second step a line v w is cut at (5 v + 4 w + 3 v') / 12, where v' is the new
 *         position of v: (1 16 10) / 27 of the neighbour along the line, v and w where v is on a crease, and (2
 *         v + w) / 3 where v stays (as if the line went on straight). Both sides of a line get the same bits.
 * Threads any queue
 * Source  Kobbelt 2000, sections 3 and 5 */
#ifndef SDD_K_SQRT3_FACES_H
#define SDD_K_SQRT3_FACES_H
#include "gpu/rules/sqrt3_grid.h"

struct sqrt3_faces_args {
    struct sdd_sqrt3 mesh;
    const float *p;
    float *to;
};

/* The point of line v w that is nearer to v, whose new position is `moved`. */
SDD_FN struct sdd_vec3 sdd_sqrt3_cut(struct sdd_vec3 v, struct sdd_vec3 w, struct sdd_vec3 moved)
{
    return sdd_fma((float)(5.0 / 12.0), v, sdd_fma((float)(1.0 / 3.0), w, sdd_scale(0.25f, moved)));
}

SDD_FN float sdd_sqrt3_third(float a, float b, float c)
{
    return (float)(((double)a + (double)b + (double)c) / 3.0);
}

SDD_FN struct sdd_vec3 sdd_sqrt3_centre(struct sdd_vec3 a, struct sdd_vec3 b, struct sdd_vec3 c)
{
    return sdd_vec3_of(sdd_sqrt3_third(a.x, b.x, c.x), sdd_sqrt3_third(a.y, b.y, c.y), sdd_sqrt3_third(a.z, b.z, c.z));
}

/* Whether the new vertex of face f is a point of the face's line. */
SDD_FN int sdd_sqrt3_cuts(const struct sdd_sqrt3 *m, uint32_t f)
{
    return sdd_sqrt3_is_second(m) && sdd_sqrt3_is_line(m, 3 * f);
}

SDD_FN void k_sqrt3_faces(int64_t f, const struct sqrt3_faces_args *a)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    const uint32_t *v = m->vert + 3 * f;
    uint32_t row = m->n_vertices + (uint32_t)f;
    struct sdd_vec3 p0 = sdd_load_point(a->p, v[0]), p1 = sdd_load_point(a->p, v[1]);
    if (!sdd_sqrt3_cuts(m, (uint32_t)f)) {
        sdd_put_vec3(a->to, row, sdd_sqrt3_centre(p0, p1, sdd_load_point(a->p, v[2])));
        return;
    }
    sdd_put_vec3(a->to, row, sdd_sqrt3_cut(p0, p1, sdd_load_point(a->to, v[0])));
    if (sdd_sqrt3_is_boundary(m, 3 * (uint32_t)f))
        sdd_put_vec3(a->to, sdd_sqrt3_q(m, (uint32_t)f), sdd_sqrt3_cut(p1, p0, sdd_load_point(a->to, v[1])));
}
#endif
