/* SPDX-License-Identifier: Apache-2.0 */
/* split_normals: normals of a level in grid order over the cut mesh (topology.h, `cut`), from the points of the control
 * mesh's grid. Where the limit surface has a sharp edge each side has a row, whose normal is the limit from that side.
 * Shapes  control mesh and cut mesh, from[n][3] f32 of level L -> normal[n'][3] f32 over the cut mesh
 * Launch  mm_split, loop_split: item, n' points of the cut mesh's grid. The others: item, n rings, as level_follow
 * Cost    as mm_finish and loop_finish with normals, and their sectors once more at vertices that are cut
 * Result  Where nothing is cut, the normal of mm_finish or loop_finish. Elsewhere a side is a boundary: its tangent
 *         masks where the rule is that of a crease, else the sum of the cross products of its own faces. The rule is
 *         that of the whole vertex.
 * Threads any queue
 * Source  as mm_finish; OpenSubdiv sdc/catmarkScheme.h, sdc/loopScheme.h: tangents of creases */
#ifndef SDD_K_SPLIT_NORMALS_H
#define SDD_K_SPLIT_NORMALS_H
#include "gpu/levels/loop_ring.dev.h"
#include "gpu/levels/mm_finish.k.h"

/* Whether row `side` of the cut mesh is one of several that control vertex v has. */
SDD_FN int32_t sdd_is_side(const struct sdd_control *m, const struct sdd_control *cut, uint32_t v, uint32_t side)
{
    return cut->end[side] - cut->begin[side] < m->end[v] - m->begin[v];
}

/* Where in the ring of control vertex v the faces of row `side` begin. */
SDD_FN int32_t sdd_side_begin(const struct sdd_control *m, const struct sdd_control *cut, uint32_t v, uint32_t side)
{
    uint32_t c = sdd_first_corner(m, v), first = cut->corner[cut->begin[side]];
    int32_t j = 0;
    for (; c != first && j < (int32_t)(m->end[v] - m->begin[v]); j++)
        c = m->twin[sdd_prev(&m->faces, c)];
    return j;
}

/* A point of the cut mesh's grid as one of the control mesh's: the mesh on which its faces are looked for, its place
 * there, and its row. At a vertex with one sector, and off the vertices, that place has all its faces. */
struct sdd_split_quad {
    const struct sdd_control *mesh;
    struct sdd_quad_location s;
    uint32_t row;
    int32_t is_side; /* Whether it is one of several sectors of control vertex `row`. */
};

SDD_FN struct sdd_split_quad sdd_split_quad_of(const struct sdd_control *m, const struct sdd_grid *g,
                                               const struct sdd_control *cut, uint32_t i)
{
    int32_t side = 1 << (g->level - 1);
    struct sdd_split_quad p;
    p.mesh = cut;
    p.s = sdd_quad_location_of(cut, g->level, i);
    p.row = SDD_NONE;
    p.is_side = 0;
    if (p.s.kind == SDD_AT_VERTEX && cut->begin[i] < cut->end[i]) {
        p.row = m->vert[cut->corner[cut->begin[i]]];
        p.is_side = sdd_is_side(m, cut, p.row, i);
        p.mesh = p.is_side ? cut : m;
        p.s.id = p.is_side ? i : p.row;
    } else if (p.s.kind == SDD_AT_FACE) {
        p.row = m->n_vertices + p.s.id;
    } else if (p.s.kind == SDD_AT_EDGE) {
        p.row = m->n_vertices + m->n_faces + m->edge[cut->edge_corner[p.s.id]];
    } else if (p.s.kind == SDD_AT_HALF) {
        p.row = p.s.a != SDD_NONE ? sdd_grid_point(g, p.s.a, p.s.x, 0) : sdd_grid_point(g, p.s.b, 0, p.s.x);
    } else if (p.s.kind == SDD_AT_SPOKE) {
        p.row = sdd_grid_point(g, p.s.id, side, side - p.s.x);
    } else if (p.s.kind == SDD_INSIDE) {
        p.row = sdd_grid_inside(g, p.s.id, p.s.x, p.s.y);
    }
    return p; /* An isolated vertex has no row. */
}

SDD_FN struct sdd_dvec3 sdd_split_quad_normal(const struct mm_finish_args *a, const struct sdd_grid *g,
                                              const struct sdd_split_quad *p)
{
    struct sdd_points from = sdd_points_all(a->from);
    struct sdd_vec3 at = sdd_load_point(a->from, p->row);
    struct sdd_finish_ring r = sdd_finish_around(p->mesh, g, from, &p->s, at), whole;
    int32_t rule = sdd_finish_rule(p->mesh, g, &p->s, &r);
    if (p->is_side) {
        struct sdd_quad_location v = p->s;
        v.id = p->row;
        whole = sdd_finish_around(&a->mesh, g, from, &v, at);
        rule = sdd_finish_rule(&a->mesh, g, &v, &whole);
    }
    if (!a->limit || !r.fan || !sdd_has_tangents(rule, r.n, r.boundary, 0))
        return r.cross;
    struct sdd_tangents t = sdd_finish_tangents(p->mesh, g, from, &p->s, at, &r, a->angle);
    return sdd_tangents_normal(&t, 0, r.cross);
}

SDD_FN void sdd_mm_split(int64_t i, const struct mm_finish_args *a, const struct sdd_control *cut)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_split_quad p = sdd_split_quad_of(&a->mesh, &g, cut, (uint32_t)i);
    sdd_put_vec3(a->normal, (uint32_t)i,
                 p.row == SDD_NONE ? sdd_vec3_of(0.0f, 0.0f, 0.0f) : sdd_unit(sdd_split_quad_normal(a, &g, &p), 1.0));
}

/* The same for triangles. */
struct sdd_split_tri {
    const struct sdd_control *mesh;
    struct sdd_tri_location s;
    uint32_t row;
    int32_t is_side;
};

SDD_FN struct sdd_split_tri sdd_split_tri_of(const struct sdd_control *m, const struct sdd_grid *g,
                                             const struct sdd_control *cut, uint32_t i)
{
    struct sdd_grid cut_grid = sdd_grid_of(cut, g->level);
    struct sdd_split_tri p;
    p.mesh = cut;
    p.s = sdd_tri_location_of(&cut_grid, cut->edge_corner, i);
    p.row = SDD_NONE;
    p.is_side = 0;
    if (p.s.kind == SDD_AT_VERTEX && cut->begin[i] < cut->end[i]) {
        p.row = m->vert[cut->corner[cut->begin[i]]];
        p.is_side = sdd_is_side(m, cut, p.row, i);
        p.mesh = p.is_side ? cut : m;
        p.s.id = p.is_side ? i : p.row;
    } else if (p.s.kind != SDD_AT_VERTEX) {
        p.row = sdd_tri_point(g, p.s.kind == SDD_AT_EDGE ? cut->edge_corner[p.s.id] : 3 * p.s.id, p.s.x, p.s.y);
    }
    return p;
}

SDD_FN struct sdd_dvec3 sdd_split_tri_normal(const struct loop_finish_args *a, const struct sdd_grid *g,
                                             const struct sdd_split_tri *p)
{
    struct sdd_points from = sdd_points_all(a->from);
    struct sdd_vec3 at = sdd_load_point(a->from, p->row);
    struct sdd_tri_ring r = sdd_tri_ring_of(p->mesh, g, from, &p->s, at), whole;
    int32_t rule = sdd_tri_rule(p->mesh, g, &p->s, &r);
    if (p->is_side) {
        struct sdd_tri_location v = p->s;
        v.id = p->row;
        whole = sdd_tri_ring_of(&a->mesh, g, from, &v, at);
        rule = sdd_tri_rule(&a->mesh, g, &v, &whole);
    }
    if (!a->limit || !r.fan || !sdd_has_tangents(rule, r.n, r.boundary, 0))
        return r.cross;
    struct sdd_loop_tangents t = sdd_loop_tangents_of(p->mesh, g, from, &p->s, at, rule, &r, a->angle);
    return sdd_cross(t.t1, t.t2);
}

SDD_FN void sdd_loop_split(int64_t i, const struct loop_finish_args *a, const struct sdd_control *cut)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_split_tri p = sdd_split_tri_of(&a->mesh, &g, cut, (uint32_t)i);
    sdd_put_vec3(a->normal, (uint32_t)i,
                 p.row == SDD_NONE ? sdd_vec3_of(0.0f, 0.0f, 0.0f) : sdd_unit(sdd_split_tri_normal(a, &g, &p), 1.0));
}

/* ---- where sharpness is left ------------------------------------------------------------------------------------- */
/* Takes tangents of a ring that is followed on from its side i alone, where it has several. */
SDD_FN void sdd_limit_ring_side(struct sdd_limit_ring *r, const struct sdd_control *m, const struct sdd_control *cut,
                                uint32_t v, uint32_t i)
{
    if (r->faces == 0)
        return;
    r->first = sdd_side_begin(m, cut, v, i);
    r->faces = (int32_t)(cut->end[i] - cut->begin[i]);
}

SDD_FN void sdd_mm_split_follow(uint32_t i, const struct mm_finish_args *a, const struct sdd_control *cut,
                                struct sdd_spoke *spoke)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_split_quad p = sdd_split_quad_of(&a->mesh, &g, cut, i);
    struct sdd_quad_location s = p.s;
    if (p.row == SDD_NONE)
        return;
    s.id = p.is_side ? p.row : s.id;
    struct sdd_limit_ring r = sdd_quad_limit_ring(p.is_side ? &a->mesh : p.mesh, &g, sdd_points_all(a->from), &s,
                                                  sdd_load_point(a->from, p.row), spoke);
    if (r.n == 0)
        return;
    int32_t rule = sdd_limit_ring_follow(&r, NULL);
    if (p.is_side)
        sdd_limit_ring_side(&r, &a->mesh, cut, p.row, i);
    if (r.faces == 0 || !sdd_has_tangents(rule, r.faces, r.faces < r.n, 1))
        return;
    struct sdd_tangents t = sdd_limit_ring_tangents(&r, a->angle);
    sdd_put_vec3(a->normal, i,
                 sdd_unit(sdd_tangents_normal(&t, rule == SDD_RULE_CORNER, sdd_cross(t.first, t.last)), 1.0));
}

SDD_FN void sdd_loop_split_follow(uint32_t i, const struct loop_finish_args *a, const struct sdd_control *cut,
                                  struct sdd_spoke *spoke)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_split_tri p = sdd_split_tri_of(&a->mesh, &g, cut, i);
    struct sdd_tri_location s = p.s;
    if (p.row == SDD_NONE)
        return;
    s.id = p.is_side ? p.row : s.id;
    struct sdd_limit_ring r = sdd_tri_limit_ring(p.is_side ? &a->mesh : p.mesh, &g, sdd_points_all(a->from), &s,
                                                 sdd_load_point(a->from, p.row), spoke);
    if (r.n == 0)
        return;
    int32_t rule = sdd_limit_ring_follow(&r, a->weights);
    if (p.is_side)
        sdd_limit_ring_side(&r, &a->mesh, cut, p.row, i);
    if (r.faces == 0 || !sdd_has_tangents(rule, r.faces, r.faces < r.n, 1))
        return;
    struct sdd_loop_tangents t = sdd_tri_limit_ring_tangents(&r, rule, a->angle);
    sdd_put_vec3(a->normal, i, sdd_unit(sdd_cross(t.t1, t.t2), 1.0));
}

/* Each row is ROW(kernel, the kernel whose normals it splits, the function that makes a row). */
#define SDD_SPLIT_NORMALS(ROW)                                                                                         \
    ROW(mm_split, mm_finish, sdd_mm_split)                                                                             \
    ROW(loop_split, loop_finish, sdd_loop_split)

#define SDD_SPLIT_NORMAL(name, of, split_row)                                                                          \
    struct name##_args {                                                                                               \
        struct of##_args finish; /* Its `normal` is over the cut mesh; it has neither `out` nor `rows`. */             \
        struct sdd_control cut;                                                                                        \
    };                                                                                                                 \
    SDD_FN void k_##name(int64_t i, const struct name##_args *a)                                                       \
    {                                                                                                                  \
        split_row(i, &a->finish, &a->cut);                                                                             \
    }
SDD_SPLIT_NORMALS(SDD_SPLIT_NORMAL)

/* The rows that a crease or corner can be at: n_points rows, those of control edges from first_edge on. */
#define SDD_SPLIT_FOLLOWS(ROW)                                                                                         \
    ROW(mm_split_follow, mm_split, sdd_mm_split_follow)                                                                \
    ROW(loop_split_follow, loop_split, sdd_loop_split_follow)

#define SDD_SPLIT_FOLLOW(name, of, follow_row)                                                                         \
    struct name##_args {                                                                                               \
        struct of##_args split;                                                                                        \
        struct sdd_limit_rings rings;                                                                                  \
        uint32_t n_points, first_edge;                                                                                 \
    };                                                                                                                 \
    SDD_FN void k_##name(int64_t i, const struct name##_args *a)                                                       \
    {                                                                                                                  \
        const uint32_t n = a->split.cut.n_vertices;                                                                    \
        for (int64_t k = i; k < (int64_t)a->n_points; k += (int64_t)a->rings.n)                                        \
            follow_row(k < (int64_t)n ? (uint32_t)k : a->first_edge + ((uint32_t)k - n), &a->split.finish,             \
                       &a->split.cut, a->rings.spoke + (size_t)i * a->rings.stride);                                   \
    }
SDD_SPLIT_FOLLOWS(SDD_SPLIT_FOLLOW)
#endif
