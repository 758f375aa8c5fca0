/* SPDX-License-Identifier: Apache-2.0 */
/* loop_ring.dev.h: the rings of points of loop_finish whose limits are followed on (rules/limit_ring.h), for
 * loop_follow and matrix_triangles. */
#ifndef SDD_LOOP_RING_H
#define SDD_LOOP_RING_H
#include "gpu/levels/loop_finish.k.h"
#include "gpu/rules/limit_ring.h"

SDD_FN void sdd_tri_limit_fan(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from, uint32_t v,
                              struct sdd_vec3 at, struct sdd_limit_ring *r)
{
    int32_t fan = sdd_is_fan(m, v);
    uint32_t c = sdd_first_corner(m, v), n = m->end[v] - m->begin[v];
    for (uint32_t k = 0; k < n && fan; k++) {
        uint32_t last = sdd_prev(&m->faces, c);
        sdd_limit_ring_meet(r, m, c, 0, g->level, at, sdd_tri_load(g, from, c, 1, 0), at);
        if (m->twin[last] >= m->n_corners)
            sdd_limit_ring_meet(r, m, last, 1, g->level, at, sdd_tri_load(g, from, c, 0, 1), at);
        c = m->twin[last];
    }
    for (uint32_t k = m->begin[v]; k < m->end[v] && !fan; k++) {
        for (int32_t off = 0; off < 2; off++) {
            uint32_t q = m->corner[k], own = off ? sdd_prev(&m->faces, q) : q;
            if (sdd_meets_edge(m, own, off))
                sdd_limit_ring_meet(r, m, own, off, g->level, at, sdd_tri_load(g, from, q, !off, off), at);
        }
    }
    r->faces = fan ? (int32_t)n : 0;
}

/* The ring of a point whose limit is followed on; elsewhere its n is 0. */
SDD_FN struct sdd_limit_ring sdd_tri_limit_ring(const struct sdd_control *m, const struct sdd_grid *g,
                                                struct sdd_points from, const struct sdd_tri_location *s,
                                                struct sdd_vec3 at, struct sdd_spoke *spoke)
{
    float vs = s->kind == SDD_AT_VERTEX && m->vert_sharp ? sdd_decayed(m->vert_sharp[s->id], g->level) : 0.0f;
    struct sdd_limit_ring r = sdd_limit_ring_of(spoke, vs, m->chaikin.row != NULL);
    if (s->kind == SDD_AT_VERTEX && m->begin[s->id] < m->end[s->id] && sdd_control_is_followed(m, s->id, g->level, vs))
        sdd_tri_limit_fan(m, g, from, s->id, at, &r);
    if (s->kind != SDD_AT_EDGE || m->twin[m->edge_corner[s->id]] >= m->n_corners)
        return r;
    int32_t high = sdd_is_downward(m, m->edge_corner[s->id]);
    uint32_t x = (uint32_t)s->x;
    struct sdd_sharpness after = sdd_part_at(m, s->id, g->level, x, high, 0), none = sdd_uniform(0.0f);
    struct sdd_sharpness before = sdd_part_at(m, s->id, g->level, x - 1, high, 1);
    float after_far = sdd_part_at(m, s->id, g->level, x, high, 1).child;
    float before_far = sdd_part_at(m, s->id, g->level, x - 1, high, 0).child;
    for (int32_t j = 0; j < 6 && (sdd_is_semisharp(after.now) || sdd_is_semisharp(before.now)); j++)
        sdd_limit_ring_add(&r, at, sdd_tri_corner_at(m, g, from, s, j).on, at,
                           j == 0   ? after
                           : j == 3 ? before
                                    : none,
                           j == 0   ? after_far
                           : j == 3 ? before_far
                                    : 0.0f);
    r.faces = r.n;
    return r;
}

/* The tangents of a ring that has been followed on to a rule. */
SDD_FN struct sdd_loop_tangents sdd_tri_limit_ring_tangents(const struct sdd_limit_ring *r, int32_t rule,
                                                            const struct sdd_float2 *angle)
{
    struct sdd_loop_tangents t = sdd_loop_tangents_start(r->faces, r->faces < r->n, angle);
    for (int32_t j = 0; j < r->faces; j++)
        sdd_loop_tangents_add(&t, sdd_limit_ring_end(r, j));
    sdd_loop_tangents_end(&t, sdd_limit_ring_end(r, r->faces), rule, r->faces < r->n);
    return t;
}
#endif
