/* SPDX-License-Identifier: Apache-2.0 */
/* mm_linear: scheme bilinear, any level at once: midpoints of edges and, inside each level-1 quad, bilinear
 * interpolation of its corners.
 * Shapes  control mesh, p[V][3] f32, out rows V + f (mm_faces) -> the other rows of out
 * Shape   item, n grid points      Cost  12 B written and about 50 B read (cached) a point
 * Result  a point on a shared edge is made once, for all its faces
 * Needs   mm_faces         Source  OpenSubdiv, scheme bilinear      Threads any queue */
#ifndef SDD_K_MM_LINEAR_H
#define SDD_K_MM_LINEAR_H
#include "gpu/kernels/quad_spot.h"

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

/* The middle of the edge that follows corner c; a + b is b + a, so both its faces get the same bits. */
SDD_FN struct sdd_vec3 sdd_middle(const struct mm_linear_args *a, uint32_t c)
{
    const struct sdd_control *m = &a->mesh;
    return sdd_scale(0.5f,
                     sdd_add(sdd_load_point(a->p, m->vert[c]), sdd_load_point(a->p, m->vert[sdd_next(&m->faces, c)])));
}

SDD_FN struct sdd_vec3 sdd_face_point(const struct mm_linear_args *a, uint32_t f)
{
    return sdd_load_point(a->out, a->mesh.n_vertices + f);
}

SDD_FN void k_mm_linear(int64_t i, const struct mm_linear_args *a)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_spot s = sdd_spot_of(m, a->level, (uint32_t)i);
    float unit = 1.0f / (float)((uint32_t)1 << (a->level - 1)), x = (float)s.x * unit, y = (float)s.y * unit;
    uint32_t c = s.id;
    struct sdd_vec3 p;
    if (s.kind == SDD_AT_FACE)
        return; /* mm_faces wrote it */
    if (s.kind == SDD_AT_VERTEX) {
        p = sdd_load_point(a->p, s.id);
    } else if (s.kind == SDD_AT_EDGE) {
        p = sdd_middle(a, m->edge_corner[s.id]);
    } else if (s.kind == SDD_AT_HALF) {
        uint32_t end = s.a != SDD_NONE ? s.a : s.b;
        p = sdd_mix3(sdd_load_point(a->p, m->vert[end]), sdd_middle(a, m->edge_corner[s.id]), x);
    } else if (s.kind == SDD_AT_SPOKE) {
        p = sdd_mix3(sdd_face_point(a, sdd_face(&m->faces, c)), sdd_middle(a, c), x);
    } else {
        struct sdd_vec3 low = sdd_mix3(sdd_load_point(a->p, m->vert[c]), sdd_middle(a, c), x);
        struct sdd_vec3 high =
            sdd_mix3(sdd_middle(a, sdd_prev(&m->faces, c)), sdd_face_point(a, sdd_face(&m->faces, c)), x);
        p = sdd_mix3(low, high, y);
    }
    sdd_put_vec3(a->out, (uint32_t)i, p);
}
#endif
