/* SPDX-License-Identifier: Apache-2.0 */
/* mm_finish: limit positions and normals of a level of quads, in grid order.
 * Shapes  control mesh, from[n][3] f32 of level L -> out, normal [n][3] f32, n grid points of level L; either may be
 *         NULL
 * Launch  item, n grid points, or those that `rows` names
 * Cost    about 40 B read (cached neighbours) and 24 B written a vertex
 * Result  as ef_finish. OpenSubdiv defines no normal at a non-manifold vertex or edge. Here such a vertex gets the sum
 *         over all its faces, and a point of such an edge that of its first face.
 * Threads any queue
 * Source  Halstead et al. 1993; OpenSubdiv sdc/catmarkScheme.h */
#ifndef SDD_K_MM_FINISH_H
#define SDD_K_MM_FINISH_H
#include "gpu/rules/limit_ring.h"
#include "gpu/rules/tangents.h"

struct mm_finish_args {
    struct sdd_control mesh;
    /* Shape [2 max valence + 1]: cosine and sine of 2 pi / n in row n; NULL where no limit normals are wanted. */
    const struct sdd_float2 *angle;
    const float *from;
    float *out, *normal;
    int32_t level, limit; /* `limit` is a value of enum sdd_limit_of, or 0 for refined points. */
    const uint32_t *rows; /* The grid points to finish; NULL for all. */
};

struct sdd_finish_ring {
    struct sdd_vec3 edges, diagonals;
    struct sdd_dvec3 cross;
    struct sdd_ring sharp;
    int32_t n;        /* The number of faces. */
    int32_t boundary; /* Whether the point lies on a boundary. */
    int32_t fan;      /* Whether the faces form one fan. */
};

SDD_FN void sdd_finish_cell(struct sdd_finish_ring *r, struct sdd_vec3 at, struct sdd_cell_points p)
{
    r->diagonals = sdd_add(r->diagonals, p.diagonal);
    sdd_dvec3_add(&r->cross, sdd_cross(sdd_sub(p.on, at), sdd_sub(p.off, at)));
    r->n++;
}

SDD_FN void sdd_finish_edge(struct sdd_finish_ring *r, float sharp, struct sdd_vec3 end)
{
    r->edges = sdd_add(r->edges, end);
    sdd_ring_edge(&r->sharp, sdd_sharpness_of(sharp, 0.0f), end);
}

SDD_FN struct sdd_finish_ring sdd_finish_vertex(const struct sdd_control *m, const struct sdd_grid *g,
                                                struct sdd_points points, uint32_t v, struct sdd_vec3 at,
                                                struct sdd_finish_ring r)
{
    uint32_t n = m->end[v] - m->begin[v];
    r.boundary = n && m->twin[sdd_first_corner(m, v)] >= m->n_corners;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        uint32_t q = m->corner[k];
        sdd_finish_cell(&r, at, sdd_cell_load(g, points, sdd_cell_at(q, 0, 0, 0)));
        for (int32_t off = 0; off < 2; off++) {
            uint32_t own = off ? sdd_prev(&m->faces, q) : q;
            if (sdd_meets_edge(m, own, off))
                sdd_finish_edge(&r, sdd_part_met_now(m, own, off, g->level), sdd_grid_load(g, points, q, !off, off));
        }
    }
    r.fan = n && sdd_is_fan(m, v);
    return r;
}

SDD_FN struct sdd_finish_ring sdd_finish_around(const struct sdd_control *m, const struct sdd_grid *g,
                                                struct sdd_points points, const struct sdd_quad_location *s,
                                                struct sdd_vec3 at)
{
    int32_t side = 1 << (g->level - 1), n;
    struct sdd_finish_ring r;
    r.edges = r.diagonals = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    r.cross.x = r.cross.y = r.cross.z = 0.0;
    r.sharp = sdd_ring_empty();
    r.n = r.boundary = r.fan = 0;
    if (s->kind == SDD_AT_VERTEX)
        return sdd_finish_vertex(m, g, points, s->id, at, r);
    float after = 0.0f, before = 0.0f; /* The sharpness of the control edge's parts on both sides. */
    if (s->kind == SDD_AT_EDGE || s->kind == SDD_AT_HALF) {
        int32_t at_edge = s->kind == SDD_AT_EDGE, high = at_edge ? !sdd_is_downward(m, m->edge_corner[s->id]) : s->y;
        uint32_t x = (uint32_t)(at_edge ? side : s->x);
        after = sdd_part(m, s->id, g->level, x, high);
        before = sdd_part(m, s->id, g->level, x - 1, high);
    }
    n = sdd_quad_location_cells(m, s);
    r.boundary = (s->kind == SDD_AT_EDGE || s->kind == SDD_AT_HALF) && n == 2;
    r.fan = 1;
    for (int32_t j = 0; j < n; j++) {
        struct sdd_cell_points p = sdd_cell_load(g, points, sdd_quad_location_cell(m, s, side, j));
        sdd_finish_cell(&r, at, p);
        /* On a half the control edge runs along the on-edges of cells 0 and 2. In the middle of a control edge it
         * runs along those of cells 1 and 3; there the on-edge of cell 1 leads to the corner that stands for the
         * edge. On a boundary it runs along the on-edge of cell 0, which leads away from that corner, and the
         * off-edge of cell 1. */
        int along = s->kind == SDD_AT_EDGE ? (r.boundary ? j == 0 : j & 1) : s->kind == SDD_AT_HALF && !(j & 1);
        sdd_finish_edge(&r, !along ? 0.0f : j < 2 ? after : before, p.on);
        if (r.boundary && j == 1)
            sdd_finish_edge(&r, before, p.off);
    }
    return r;
}

SDD_FN void sdd_quad_limit_fan(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points points,
                               uint32_t v, struct sdd_vec3 at, struct sdd_limit_ring *r)
{
    int32_t fan = sdd_is_fan(m, v);
    uint32_t c = sdd_first_corner(m, v), n = m->end[v] - m->begin[v];
    for (uint32_t k = 0; k < n && fan; k++) {
        uint32_t last = sdd_prev(&m->faces, c);
        struct sdd_cell_points p = sdd_cell_load(g, points, sdd_cell_at(c, 0, 0, 0));
        sdd_limit_ring_meet(r, m, c, 0, g->level, at, p.on, p.diagonal);
        if (m->twin[last] >= m->n_corners)
            sdd_limit_ring_meet(r, m, last, 1, g->level, at, p.off, at);
        c = m->twin[last];
    }
    for (uint32_t k = m->begin[v]; k < m->end[v] && !fan; k++) {
        for (int32_t off = 0; off < 2; off++) {
            uint32_t q = m->corner[k], own = off ? sdd_prev(&m->faces, q) : q;
            if (sdd_meets_edge(m, own, off))
                sdd_limit_ring_meet(r, m, own, off, g->level, at, sdd_grid_load(g, points, q, !off, off), at);
        }
    }
    r->faces = fan ? (int32_t)n : 0;
}

/* The ring of a point whose limit is followed on; elsewhere its n is 0. */
SDD_FN struct sdd_limit_ring sdd_quad_limit_ring(const struct sdd_control *m, const struct sdd_grid *g,
                                                 struct sdd_points points, const struct sdd_quad_location *s,
                                                 struct sdd_vec3 at, struct sdd_spoke *spoke)
{
    float vs = s->kind == SDD_AT_VERTEX && m->vert_sharp ? sdd_decayed(m->vert_sharp[s->id], g->level) : 0.0f;
    struct sdd_limit_ring r = sdd_limit_ring_of(spoke, vs, m->chaikin.row != NULL);
    int32_t side = 1 << (g->level - 1), at_edge = s->kind == SDD_AT_EDGE;
    if (s->kind == SDD_AT_VERTEX && m->begin[s->id] < m->end[s->id] && sdd_control_is_followed(m, s->id, g->level, vs))
        sdd_quad_limit_fan(m, g, points, s->id, at, &r);
    if ((!at_edge && s->kind != SDD_AT_HALF) || sdd_quad_location_cells(m, s) != 4)
        return r;
    int32_t high = at_edge ? !sdd_is_downward(m, m->edge_corner[s->id]) : s->y;
    uint32_t x = (uint32_t)(at_edge ? side : s->x);
    struct sdd_sharpness after = sdd_part_at(m, s->id, g->level, x, high, 0), none = sdd_uniform(0.0f);
    struct sdd_sharpness before = sdd_part_at(m, s->id, g->level, x - 1, high, 1);
    float after_far = sdd_part_at(m, s->id, g->level, x, high, 1).child;
    float before_far = sdd_part_at(m, s->id, g->level, x - 1, high, 0).child;
    for (int32_t j = 0; j < 4 && (sdd_is_semisharp(after.now) || sdd_is_semisharp(before.now)); j++) {
        struct sdd_cell_points p = sdd_cell_load(g, points, sdd_quad_location_cell(m, s, side, j));
        int32_t along = at_edge ? j & 1 : !(j & 1); /* As in sdd_finish_around. */
        sdd_limit_ring_add(&r, at, p.on, p.diagonal,
                           !along  ? none
                           : j < 2 ? after
                                   : before,
                           !along  ? 0.0f
                           : j < 2 ? after_far
                                   : before_far);
    }
    r.faces = r.n;
    return r;
}

/* The limit tangents, for a point where sdd_has_tangents holds; sdd_tangents_normal completes them. */
SDD_FN struct sdd_tangents sdd_finish_tangents(const struct sdd_control *m, const struct sdd_grid *g,
                                               struct sdd_points points, const struct sdd_quad_location *s,
                                               struct sdd_vec3 at, const struct sdd_finish_ring *r,
                                               const struct sdd_float2 *angle)
{
    struct sdd_tangents t = sdd_tangents_of(at, r->n, r->boundary, angle);
    uint32_t c = s->kind == SDD_AT_VERTEX ? sdd_first_corner(m, s->id) : 0;
    for (int32_t j = 0; j < r->n; j++) {
        struct sdd_cell cell =
            s->kind == SDD_AT_VERTEX ? sdd_cell_at(c, 0, 0, 0) : sdd_quad_location_cell(m, s, 1 << (g->level - 1), j);
        struct sdd_cell_points p = sdd_cell_load(g, points, cell);
        sdd_tangents_add(&t, p.on, p.diagonal, p.off);
        if (s->kind == SDD_AT_VERTEX && j + 1 < r->n)
            c = m->twin[sdd_prev(&m->faces, c)];
    }
    return t;
}

/* Returns the limit normal, and writes its tangents where they are wanted. */
SDD_FN struct sdd_dvec3 sdd_finish_normal(const struct mm_finish_args *a, const struct sdd_grid *g,
                                          const struct sdd_quad_location *s, struct sdd_vec3 at, int32_t rule,
                                          const struct sdd_finish_ring *r, float *tangents)
{
    struct sdd_tangents t = sdd_finish_tangents(&a->mesh, g, sdd_points_all(a->from), s, at, r, a->angle);
    struct sdd_dvec3 n = sdd_tangents_normal(&t, tangents && rule == SDD_RULE_CORNER, r->cross);
    if (tangents)
        sdd_put_tangents(tangents, t.t1, t.t2, n);
    return n;
}

/* The rule at location s, from its ring. */
SDD_FN int32_t sdd_finish_rule(const struct sdd_control *m, const struct sdd_grid *g, const struct sdd_quad_location *s,
                               const struct sdd_finish_ring *r)
{
    float vs = s->kind == SDD_AT_VERTEX && m->vert_sharp ? sdd_decayed(m->vert_sharp[s->id], g->level) : 0.0f;
    return r->n ? sdd_rule_of(vs, r->sharp.n_sharp) : SDD_RULE_CORNER;
}

/* Finishes row i. `tangents` is its row of mm_tangents, or NULL; where that is a constant it costs nothing. */
SDD_FN void sdd_mm_finish(int64_t i, const struct mm_finish_args *a, float *tangents)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_quad_location s = sdd_quad_location_of(m, a->level, (uint32_t)i);
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_vec3 at = sdd_load_point(a->from, (uint32_t)i);
    struct sdd_finish_ring r = sdd_finish_around(m, &g, sdd_points_all(a->from), &s, at);
    int32_t rule = sdd_finish_rule(m, &g, &s, &r);
    if (a->out)
        sdd_put_vec3(a->out, (uint32_t)i,
                     a->limit ? sdd_limit_point(at, rule, r.n, r.edges, r.diagonals, r.sharp.ends, a->limit) : at);
    if (!a->normal && !tangents)
        return;
    struct sdd_dvec3 n = r.cross;
    if (a->limit && r.fan && sdd_has_tangents(rule, r.n, r.boundary, tangents != NULL))
        n = sdd_finish_normal(a, &g, &s, at, rule, &r, tangents);
    else if (tangents)
        sdd_put_basis(tangents, n, 1.0);
    if (a->normal)
        sdd_put_vec3(a->normal, (uint32_t)i, sdd_unit(n, 1.0));
}

SDD_FN void k_mm_finish(int64_t i, const struct mm_finish_args *a)
{
    sdd_mm_finish(a->rows ? a->rows[i] : i, a, NULL);
}
#endif
