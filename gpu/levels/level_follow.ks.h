/* SPDX-License-Identifier: Apache-2.0 */
/* level_follow: limits, normals and tangents of the points of mm_finish and loop_finish where sharpness is left, in
 * place of what those kernels made there.
 * Shapes  as the kernel with tangents, or rows of one to three floats without normals; rings (limit_ring.h)
 * Launch  item, n rings: item i takes points i, i + n and so on of those that a crease or corner can be at
 * Cost    a point: up to 26 steps of its ring, 64 B an edge
 * Result  that of plain subdivision until the masks hold, which are then those of the other kernel. A point that has no
 *         masks of tangents in the end keeps its normal and tangents.
 * Threads any queue
 * Source  limit_ring.h */
#ifndef SDD_K_LEVEL_FOLLOW_H
#define SDD_K_LEVEL_FOLLOW_H
#include "gpu/levels/loop_ring.dev.h"
#include "gpu/levels/mm_finish.k.h"

/* Where the points lie: control vertices come first in grid order, those of control edges begin at first_edge. */
struct sdd_follow {
    struct sdd_limit_rings rings;
    float *tangents;
    struct sdd_width width;
    uint32_t n_points, first_edge;
};

SDD_FN uint32_t sdd_follow_row(const struct sdd_follow *f, uint32_t n_vertices, uint32_t k)
{
    return k < n_vertices ? k : f->first_edge + (k - n_vertices);
}

SDD_FN void sdd_follow_put(const struct sdd_follow *f, float *normal, uint32_t row, struct sdd_vec3 t1,
                           struct sdd_vec3 t2, struct sdd_dvec3 n)
{
    if (normal)
        sdd_put_vec3(normal, row, sdd_unit(n, 1.0));
    if (f->tangents)
        sdd_put_tangents(f->tangents + 6 * (size_t)row, t1, t2, n);
}

/* Whether a ring that has been followed on to a rule has masks of tangents there, if they are wanted. */
SDD_FN int32_t sdd_follow_tangents(const struct sdd_follow *f, const float *normal, const struct sdd_limit_ring *r,
                                   int32_t rule)
{
    return (normal || f->tangents) && r->faces > 0 && sdd_has_tangents(rule, r->faces, r->faces < r->n, 1);
}

/* Each row is ROW(kernel, the kernel whose points it follows, the function that makes a row). */
#define SDD_LEVEL_FOLLOWS(ROW)                                                                                         \
    ROW(mm_follow, mm_finish, sdd_mm_follow)                                                                           \
    ROW(loop_follow, loop_finish, sdd_loop_follow)

SDD_FN void sdd_mm_follow(uint32_t row, const struct mm_finish_args *a, const struct sdd_follow *f,
                          struct sdd_spoke *spoke)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_quad_location s = sdd_quad_location_of(m, a->level, row);
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_vec3 at = sdd_row_load(a->from, row, f->width);
    struct sdd_limit_ring r = sdd_quad_limit_ring(m, &g, sdd_points_wide(a->from, f->width), &s, at, spoke);
    if (r.n == 0)
        return;
    int32_t rule = sdd_limit_ring_follow(&r, NULL);
    if (a->out)
        sdd_row_put(a->out, row, f->width, sdd_limit_ring_point(&r, at, rule, NULL));
    if (!sdd_follow_tangents(f, a->normal, &r, rule))
        return;
    struct sdd_tangents t = sdd_limit_ring_tangents(&r, a->angle);
    struct sdd_dvec3 n = sdd_tangents_normal(&t, rule == SDD_RULE_CORNER, sdd_cross(t.first, t.last));
    sdd_follow_put(f, a->normal, row, t.t1, t.t2, n);
}

SDD_FN void sdd_loop_follow(uint32_t row, const struct loop_finish_args *a, const struct sdd_follow *f,
                            struct sdd_spoke *spoke)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_tri_location s = sdd_tri_location_of(&g, m->edge_corner, row);
    struct sdd_vec3 at = sdd_row_load(a->from, row, f->width);
    struct sdd_limit_ring r = sdd_tri_limit_ring(m, &g, sdd_points_wide(a->from, f->width), &s, at, spoke);
    if (r.n == 0)
        return;
    int32_t rule = sdd_limit_ring_follow(&r, a->weights);
    if (a->out)
        sdd_row_put(a->out, row, f->width, sdd_limit_ring_point(&r, at, rule, a->weights));
    if (!sdd_follow_tangents(f, a->normal, &r, rule))
        return;
    struct sdd_loop_tangents t = sdd_tri_limit_ring_tangents(&r, rule, a->angle);
    sdd_follow_put(f, a->normal, row, t.t1, t.t2, sdd_cross(t.t1, t.t2));
}

#define SDD_LEVEL_FOLLOW(name, of, follow_row)                                                                         \
    struct name##_args {                                                                                               \
        struct of##_args finish; /* Without `rows`. */                                                                 \
        struct sdd_follow follow;                                                                                      \
    };                                                                                                                 \
    SDD_FN void k_##name(int64_t i, const struct name##_args *a)                                                       \
    {                                                                                                                  \
        const struct sdd_follow *f = &a->follow;                                                                       \
        for (int64_t k = i; k < (int64_t)f->n_points; k += (int64_t)f->rings.n)                                        \
            follow_row(sdd_follow_row(f, a->finish.mesh.n_vertices, (uint32_t)k), &a->finish, f,                       \
                       f->rings.spoke + (size_t)i * f->rings.stride);                                                  \
    }
SDD_LEVEL_FOLLOWS(SDD_LEVEL_FOLLOW)
#endif
