/* SPDX-License-Identifier: Apache-2.0 */
/* mm_linear: scheme bilinear, any level at once: midpoints of edges and, inside each level-1 quad, bilinear
 * interpolation of its corners.
 * Shapes  control mesh, p[V][3] f32, rows V + f of out with the face points (mm_faces) -> the other rows of out
 * Launch  item, n grid points
 * Cost    12 B written and about 50 B read (cached) a point
 * Result  A point on a shared edge is made once, for all its faces.
 * Threads any queue
 * Source  OpenSubdiv, scheme bilinear */
#ifndef SDD_K_MM_LINEAR_H
#define SDD_K_MM_LINEAR_H
#include "gpu/levels/mm_first.k.h"

struct mm_linear_args {
    struct sdd_control mesh;
    const float *p;
    float *out;
    int32_t level;
};

SDD_FN struct sdd_vec3 sdd_mix3(struct sdd_vec3 a, struct sdd_vec3 b, float t)
{
    return sdd_fma(t, sdd_sub(b, a), a);
}

/* The middle of the edge after corner c. Since a + b is b + a, both its faces get the same bits. */
SDD_FN struct sdd_vec3 sdd_middle(const struct sdd_control *m, struct sdd_points p, uint32_t c)
{
    return sdd_scale(0.5f,
                     sdd_add(sdd_points_load(p, m->vert[c]), sdd_points_load(p, m->vert[sdd_next(&m->faces, c)])));
}

SDD_FN struct sdd_vec3 sdd_linear_point(const struct sdd_control *m, struct sdd_first_points from, int32_t level,
                                        uint32_t row)
{
    struct sdd_quad_location s = sdd_quad_location_of(m, level, row);
    struct sdd_points p = from.control;
    float unit = 1.0f / (float)((uint32_t)1 << (level - 1)), x = (float)s.x * unit, y = (float)s.y * unit;
    uint32_t c = s.id;
    if (s.kind == SDD_AT_VERTEX)
        return sdd_points_load(p, s.id);
    if (s.kind == SDD_AT_FACE)
        return sdd_points_load(from.faces, row);
    if (s.kind == SDD_AT_EDGE)
        return sdd_middle(m, p, m->edge_corner[s.id]);
    if (s.kind == SDD_AT_HALF) {
        uint32_t end = s.a != SDD_NONE ? s.a : s.b;
        return sdd_mix3(sdd_points_load(p, m->vert[end]), sdd_middle(m, p, m->edge_corner[s.id]), x);
    }
    struct sdd_vec3 face = sdd_points_load(from.faces, m->n_vertices + sdd_face(&m->faces, c));
    if (s.kind == SDD_AT_SPOKE)
        return sdd_mix3(face, sdd_middle(m, p, c), x);
    struct sdd_vec3 low = sdd_mix3(sdd_points_load(p, m->vert[c]), sdd_middle(m, p, c), x);
    struct sdd_vec3 high = sdd_mix3(sdd_middle(m, p, sdd_prev(&m->faces, c)), face, x);
    return sdd_mix3(low, high, y);
}

SDD_FN void k_mm_linear(int64_t i, const struct mm_linear_args *a)
{
    uint32_t row = (uint32_t)i, faces = a->mesh.n_vertices;
    struct sdd_first_points from = sdd_first_points_of(sdd_points_all(a->p), sdd_points_all(a->out));
    if (row < faces || row >= faces + a->mesh.n_faces) /* The rows left out are those that mm_faces wrote. */
        sdd_put_vec3(a->out, row, sdd_linear_point(&a->mesh, from, a->level, row));
}
#endif
