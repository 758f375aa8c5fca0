/* SPDX-License-Identifier: Apache-2.0 */
/* ef_follow: limits, normals and tangents of the points of ef_finish where sharpness is left, in place of what that
 * made there.
 * Shapes  those of ef_tangents, rings (rules/limit_ring.h) -> its out, normal and tangents
 * Launch  item, n rings: item i takes slots i, i + n and so on
 * Cost    a point: up to 26 steps of its ring, 64 B an edge
 * Result  that of plain subdivision until the masks hold, which are then those of ef_tangents. A point that has no
 *         masks of tangents in the end keeps its normal and tangents.
 * Threads any queue
 * Source  rules/limit_ring.h */
#ifndef SDD_K_EF_FOLLOW_H
#define SDD_K_EF_FOLLOW_H
#include "gpu/engines/edge_friend/kernels/ef_finish.k.h"
#include "gpu/rules/limit_ring.h"

struct ef_follow_args {
    struct ef_finish_args finish;
    float *tangents;
    struct sdd_limit_rings rings;
};

/* What a first walk around a slot finds: how many quads are real, where they begin (struct ef_ring), whether ghosts are
 * among them, how sharp the first edge is, and how many edges are sharp in either way. */
struct ef_fan {
    uint32_t first;
    int32_t n, n_real, n_semisharp, n_infinite;
    float sharp;
};

SDD_FN struct ef_fan sdd_ef_fan_of(const struct ef_level *l, struct sdd_slot s, uint32_t n_real_quads)
{
    struct ef_fan f;
    uint32_t c = s.loop;
    int was_ghost = 0;
    f.first = c;
    f.n = f.n_real = f.n_semisharp = f.n_infinite = 0;
    do {
        int ghost = c >> 2 >= n_real_quads;
        f.n++;
        f.n_real += !ghost;
        if (!ghost && was_ghost)
            f.first = c;
        was_ghost = ghost;
        c = sdd_next_around(l, c, &f.sharp);
        f.n_semisharp += sdd_is_semisharp(f.sharp);
        f.n_infinite += f.sharp >= 10.0f;
    } while (c != s.loop && (uint32_t)f.n < l->n_quads);
    if (f.n_real < f.n)
        f.sharp = 10.0f;
    return f;
}

/* The ring of a slot whose limit is followed on, in the order of the walk; elsewhere its n is 0. */
SDD_FN struct sdd_limit_ring sdd_ef_limit_ring(const struct ef_follow_args *a, uint32_t v, struct sdd_slot s,
                                               struct sdd_spoke *spoke)
{
    const struct ef_level *l = &a->finish.from;
    struct ef_fan f = sdd_ef_fan_of(l, s, a->finish.n_real_quads);
    struct sdd_limit_ring r = sdd_limit_ring_of(spoke, sdd_vertex_sharpness(l, v), 0);
    struct sdd_vec3 at = sdd_slot_point(s), off = at;
    uint32_t c = f.first;
    float sharp = f.sharp;
    if (!sdd_is_followed(r.vertex, f.n_semisharp, f.n_infinite))
        return r;
    for (int32_t j = 0; j < f.n_real; j++) {
        struct sdd_quad q = sdd_quad_at(l, c >> 2);
        off = sdd_point_at(l, sdd_vertex_of(l, q, c ^ 3));
        sdd_limit_ring_add(&r, at, sdd_point_at(l, sdd_vertex_of(l, q, c ^ 1)),
                           sdd_point_at(l, sdd_vertex_of(l, q, c ^ 2)), sdd_uniform(sharp), sdd_decay(sharp));
        c = sdd_next_around(l, c, &sharp);
    }
    if (f.n_real < f.n)
        sdd_limit_ring_add(&r, at, off, at, sdd_uniform(10.0f), 10.0f);
    r.faces = f.n_real;
    return r;
}

/* Whether a row of the grid is a control vertex or lies on a control edge; no other point is ever sharp. */
SDD_FN int32_t sdd_ef_may_be_sharp(const struct sdd_grid *g, uint32_t row)
{
    uint32_t along = ((uint32_t)1 << g->level) - 1, first = g->n_vertices + g->n_faces;
    return row < g->n_vertices || (row >= first && row - first < g->n_edges * along);
}

SDD_FN void sdd_ef_follow(uint32_t v, const struct ef_follow_args *a, struct sdd_spoke *spoke)
{
    const struct ef_finish_args *f = &a->finish;
    struct sdd_slot s = sdd_slot_at(&f->from, v);
    if (s.loop == SDD_NONE || s.loop >> 2 >= f->n_real_quads)
        return;
    uint32_t row = sdd_ef_row(f, s);
    if (!sdd_ef_may_be_sharp(&f->grid, row))
        return;
    struct sdd_limit_ring r = sdd_ef_limit_ring(a, v, s, spoke);
    if (r.n == 0)
        return;
    int32_t rule = sdd_limit_ring_follow(&r, NULL), clockwise = s.loop & 1;
    if (f->out)
        sdd_put_vec3(f->out, row, sdd_limit_ring_point(&r, sdd_slot_point(s), rule, NULL));
    if ((!f->normal && !a->tangents) || !sdd_has_tangents(rule, r.faces, r.faces < r.n, 1))
        return;
    struct sdd_tangents t = sdd_limit_ring_tangents(&r, f->angle);
    struct sdd_dvec3 n = sdd_tangents_normal(&t, rule == SDD_RULE_CORNER, sdd_cross(t.first, t.last));
    if (a->tangents)
        sdd_ef_put_tangents(a->tangents + 6 * (size_t)row, &t, rule, clockwise, n);
    if (f->normal)
        sdd_put_vec3(f->normal, row, sdd_unit(n, clockwise ? -1.0 : 1.0));
}

SDD_FN void k_ef_follow(int64_t i, const struct ef_follow_args *a)
{
    for (int64_t v = i; v < (int64_t)a->finish.from.n_slots; v += (int64_t)a->rings.n)
        sdd_ef_follow((uint32_t)v, a, a->rings.spoke + (size_t)i * a->rings.stride);
}
#endif
