/* SPDX-License-Identifier: Apache-2.0 */
/* loop_finish: limit positions and normals of a level of triangles, in grid order.
 * Shapes  control mesh, from[n][3] f32 of level L, tables of weights and angles -> out, normal [n][3] f32; either may
 *         be NULL
 * Launch  item, n grid points, or those that `rows` names
 * Cost    about 30 B read (cached neighbours) and 24 B written a vertex
 * Result  Limit positions and tangents follow OpenSubdiv's masks, with rules taken from the sharpness that is left.
 *         Normals follow mm_finish.
 * Threads any queue
 * Source  Loop 1987; OpenSubdiv sdc/loopScheme.h */
#ifndef SDD_K_LOOP_FINISH_H
#define SDD_K_LOOP_FINISH_H
#include "gpu/rules/edge_sharpness.h"
#include "gpu/levels/kernels/loop_inside.k.h"
#include "gpu/rules/tangents.h"
#include "gpu/grid/tri_location.h"

struct loop_finish_args {
    struct sdd_control mesh;
    const struct sdd_float2 *weights;
    /* Shape [2 max valence + 1]: cosine and sine of 2 pi / n in row n; NULL where no limit normals are wanted. */
    const struct sdd_float2 *angle;
    const float *from;
    float *out, *normal;
    int32_t level, limit;
    const uint32_t *rows; /* The grid points to finish; NULL for all. */
};

/* One triangle at a point: the far ends of its two edges there, counter-clockwise. */
struct sdd_tri_corner {
    struct sdd_vec3 on, off;
};

/* The neighbour in direction d of the six around an inner point, counter-clockwise from the grid's x. */
SDD_FN struct sdd_vec3 sdd_tri_around(const struct sdd_grid *g, struct sdd_points p, uint32_t c, int32_t x, int32_t y,
                                      int32_t d)
{
    int32_t dx = (d == 0 || d == 5) - (d == 2 || d == 3), dy = (d == 1 || d == 2) - (d == 4 || d == 5);
    return sdd_tri_load(g, p, c, x + dx, y + dy);
}

/* Triangle j at a location that is no control vertex. */
SDD_FN struct sdd_tri_corner sdd_tri_corner_at(const struct sdd_control *m, const struct sdd_grid *g,
                                               struct sdd_points from, const struct sdd_tri_location *s, int32_t j)
{
    uint32_t c = s->kind == SDD_INSIDE ? 3 * s->id : m->edge_corner[s->id];
    int32_t x = s->x, y = s->y;
    if (s->kind == SDD_AT_EDGE && j >= 3) { /* It is in the face across, whose edge runs the other way. */
        c = m->twin[c];
        x = (1 << g->level) - x;
        j -= 3;
    }
    struct sdd_tri_corner r;
    r.on = sdd_tri_around(g, from, c, x, y, j);
    r.off = sdd_tri_around(g, from, c, x, y, j == 5 ? 0 : j + 1);
    return r;
}

struct sdd_tri_ring {
    struct sdd_vec3 edges;
    struct sdd_dvec3 cross;
    struct sdd_ring sharp;
    int32_t n, boundary, fan;
};

SDD_FN void sdd_tri_edge(struct sdd_tri_ring *r, float sharp, struct sdd_vec3 end)
{
    r->edges = sdd_add(r->edges, end);
    sdd_ring_edge(&r->sharp, sdd_sharpness_of(sharp, 0.0f), end);
}

SDD_FN void sdd_tri_face(struct sdd_tri_ring *r, struct sdd_vec3 at, struct sdd_tri_corner p)
{
    sdd_dvec3_add(&r->cross, sdd_cross(sdd_sub(p.on, at), sdd_sub(p.off, at)));
    r->n++;
}

SDD_FN struct sdd_tri_ring sdd_tri_ring_of(const struct sdd_control *m, const struct sdd_grid *g,
                                           struct sdd_points from, const struct sdd_tri_location *s, struct sdd_vec3 at)
{
    struct sdd_tri_ring r;
    r.edges = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    r.cross.x = r.cross.y = r.cross.z = 0.0;
    r.sharp = sdd_ring_empty();
    r.n = r.boundary = 0;
    r.fan = 1;
    if (s->kind != SDD_AT_VERTEX) {
        float after = 0.0f, before = 0.0f; /* The sharpness of the control edge's parts on both sides. */
        if (s->kind == SDD_AT_EDGE) {
            int32_t high = sdd_is_downward(m, m->edge_corner[s->id]);
            after = sdd_part(m, s->id, g->level, (uint32_t)s->x, high);
            before = sdd_part(m, s->id, g->level, (uint32_t)s->x - 1, high);
        }
        r.boundary = s->kind == SDD_AT_EDGE && m->twin[m->edge_corner[s->id]] >= m->n_corners;
        for (int32_t j = 0; j < (r.boundary ? 3 : 6); j++) {
            struct sdd_tri_corner p = sdd_tri_corner_at(m, g, from, s, j);
            sdd_tri_face(&r, at, p);
            sdd_tri_edge(&r, j == 0 ? after : j == 3 ? before : 0.0f, p.on);
            if (r.boundary && j == 2)
                sdd_tri_edge(&r, before, p.off);
        }
        return r;
    }
    for (uint32_t k = m->begin[s->id]; k < m->end[s->id]; k++) {
        uint32_t c = m->corner[k];
        struct sdd_tri_corner p;
        p.on = sdd_tri_load(g, from, c, 1, 0);
        p.off = sdd_tri_load(g, from, c, 0, 1);
        sdd_tri_face(&r, at, p);
        for (int32_t off = 0; off < 2; off++) {
            uint32_t own = off ? sdd_prev(&m->faces, c) : c;
            if (sdd_meets_edge(m, own, off))
                sdd_tri_edge(&r, sdd_part_met_now(m, own, off, g->level), off ? p.off : p.on);
        }
    }
    if (r.n == 0)
        return r;
    r.boundary = m->twin[sdd_first_corner(m, s->id)] >= m->n_corners;
    r.fan = sdd_is_fan(m, s->id);
    return r;
}

/* The tangent that leads in from the boundary of a vertex with n faces. `ends` is the sum of the two outer edges,
 * `inner` that of the inner edges, and `sines` that of all edges, each times the sine of its angle. `step` has the
 * cosine and sine of the angle between edges. */
SDD_FN struct sdd_vec3 sdd_loop_across(int32_t n, struct sdd_vec3 ends, struct sdd_vec3 inner, struct sdd_vec3 sines,
                                       struct sdd_float2 step)
{
    if (n == 1)
        return ends;
    if (n == 2)
        return inner;
    if (n == 3)
        return sdd_sub(sdd_scale(2.0f, inner), ends);
    /* The mask is divided by the sine, because 1 - cos would cancel where there are many faces. */
    return sdd_sub(sdd_scale(2.0f * step.s[1] / (1.0f + step.s[0]), sines), ends);
}

/* The limit tangents of a smooth vertex, a boundary crease or the corner of one face, gathered edge by edge. The masks
 * sum to zero and are applied to differences from the vertex, as in tangents.h. */
struct sdd_loop_tangents {
    struct sdd_vec3 t1, t2, first, inner;
    struct sdd_float2 step;
    float co, si;
    int32_t n;
};

SDD_FN struct sdd_loop_tangents sdd_loop_tangents_start(int32_t n, int32_t boundary, const struct sdd_float2 *angle)
{
    struct sdd_loop_tangents t;
    t.t1 = t.t2 = t.first = t.inner = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    t.step = angle[boundary ? 2 * n : n];
    t.co = 1.0f;
    t.si = 0.0f;
    t.n = 0;
    return t;
}

/* Adds the edge that the next face begins with. */
SDD_FN void sdd_loop_tangents_add(struct sdd_loop_tangents *t, struct sdd_vec3 on)
{
    if (t->n == 0)
        t->first = on;
    else
        t->inner = sdd_add(t->inner, on);
    t->t1 = sdd_fma(t->co, on, t->t1);
    t->t2 = sdd_fma(t->si, on, t->t2);
    float next_co = t->co * t->step.s[0] - t->si * t->step.s[1];
    t->si = t->si * t->step.s[0] + t->co * t->step.s[1];
    t->co = next_co;
    t->n++;
}

/* Completes t1 and t2; `last` is the edge that the last face ends with. */
SDD_FN void sdd_loop_tangents_end(struct sdd_loop_tangents *t, struct sdd_vec3 last, int32_t rule, int32_t boundary)
{
    if (rule == SDD_RULE_CORNER) {
        t->t1 = t->first;
        t->t2 = last;
    } else if (boundary) {
        t->t1 = sdd_sub(t->first, last);
        t->t2 = sdd_loop_across(t->n, sdd_add(t->first, last), t->inner, t->t2, t->step);
    }
}

SDD_FN struct sdd_loop_tangents sdd_loop_tangents_of(const struct sdd_control *m, const struct sdd_grid *g,
                                                     struct sdd_points from, const struct sdd_tri_location *s,
                                                     struct sdd_vec3 at, int32_t rule, const struct sdd_tri_ring *r,
                                                     const struct sdd_float2 *angle)
{
    struct sdd_loop_tangents t = sdd_loop_tangents_start(r->n, r->boundary, angle);
    struct sdd_vec3 last = t.first;
    uint32_t c = s->kind == SDD_AT_VERTEX ? sdd_first_corner(m, s->id) : 0;
    for (int32_t j = 0; j < r->n; j++) {
        struct sdd_tri_corner p;
        if (s->kind == SDD_AT_VERTEX) {
            p.on = sdd_tri_load(g, from, c, 1, 0);
            p.off = sdd_tri_load(g, from, c, 0, 1);
            if (j + 1 < r->n)
                c = m->twin[sdd_prev(&m->faces, c)];
        } else {
            p = sdd_tri_corner_at(m, g, from, s, j);
        }
        sdd_loop_tangents_add(&t, sdd_sub(p.on, at));
        last = sdd_sub(p.off, at);
    }
    sdd_loop_tangents_end(&t, last, rule, r->boundary);
    return t;
}

/* Returns the limit normal, and writes its tangents where they are wanted. */
SDD_FN struct sdd_dvec3 sdd_loop_normal(const struct loop_finish_args *a, const struct sdd_grid *g,
                                        const struct sdd_tri_location *s, struct sdd_vec3 at, int32_t rule,
                                        const struct sdd_tri_ring *r, float *tangents)
{
    struct sdd_loop_tangents t = sdd_loop_tangents_of(&a->mesh, g, sdd_points_all(a->from), s, at, rule, r, a->angle);
    struct sdd_dvec3 n = rule == SDD_RULE_CORNER ? r->cross : sdd_cross(t.t1, t.t2);
    if (tangents)
        sdd_put_tangents(tangents, t.t1, t.t2, n);
    return n;
}

SDD_FN int32_t sdd_tri_rule(const struct sdd_control *m, const struct sdd_grid *g, const struct sdd_tri_location *s,
                            const struct sdd_tri_ring *r)
{
    float vs = s->kind == SDD_AT_VERTEX && m->vert_sharp ? sdd_decayed(m->vert_sharp[s->id], g->level) : 0.0f;
    return r->n ? sdd_rule_of(vs, r->sharp.n_sharp) : SDD_RULE_CORNER;
}

/* Finishes row i. `tangents` is its row of loop_tangents, or NULL; where that is a constant it costs nothing. */
SDD_FN void sdd_loop_finish(int64_t i, const struct loop_finish_args *a, float *tangents)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_tri_location s = sdd_tri_location_of(&g, m->edge_corner, (uint32_t)i);
    struct sdd_vec3 at = sdd_load_point(a->from, (uint32_t)i);
    struct sdd_tri_ring r = sdd_tri_ring_of(m, &g, sdd_points_all(a->from), &s, at);
    int32_t rule = sdd_tri_rule(m, &g, &s, &r);
    if (a->out)
        sdd_put_vec3(a->out, (uint32_t)i,
                     a->limit ? sdd_loop_limit(at, rule, r.n, r.edges, r.sharp.ends, a->weights) : at);
    if (!a->normal && !tangents)
        return;
    struct sdd_dvec3 n = r.cross;
    if (a->limit && r.fan && sdd_has_tangents(rule, r.n, r.boundary, tangents != NULL))
        n = sdd_loop_normal(a, &g, &s, at, rule, &r, tangents);
    else if (tangents)
        sdd_put_basis(tangents, n, 1.0);
    if (a->normal)
        sdd_put_vec3(a->normal, (uint32_t)i, sdd_unit(n, 1.0));
}

SDD_FN void k_loop_finish(int64_t i, const struct loop_finish_args *a)
{
    sdd_loop_finish(a->rows ? a->rows[i] : i, a, NULL);
}
#endif
