/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_follow: limits, normals and tangents of the vertices of sqrt3_finish where sharpness is left, in place of what
 * that made there.
 * Shapes  those of sqrt3_tangents on an even level, rings (rules/limit_ring.h) -> its out, normal and tangents
 * Launch  item, n rings: item i takes vertices i, i + n and so on
 * Cost    a vertex: up to 13 pairs of steps of its ring, 64 B an edge
 * Result  That of plain subdivision until the masks hold, which are then those of sqrt3_finish. A vertex that has no
 *         masks of tangents in the end keeps its normal and tangents.
 * Threads any queue
 * Source  sqrt3_grid.h: the rules of a pair of steps */
#ifndef SDD_K_SQRT3_FOLLOW_H
#define SDD_K_SQRT3_FOLLOW_H
#include "gpu/levels/sqrt3_finish.k.h"
#include "gpu/levels/sqrt3_vertices.k.h"
#include "gpu/rules/limit_ring.h"

struct sqrt3_follow_args {
    struct sqrt3_finish_args finish; /* Without `rows`. */
    float *tangents;
    struct sdd_limit_rings rings;
    int64_t n_points;
};

/* Adds the edge to vertex w. The d of a line is where w goes in the first step of the pair: only the end of a line does
 * not stay, and only one that the level has, because lines are cut between it and the vertex. */
SDD_FN void sdd_sqrt3_ring_add(struct sdd_limit_ring *r, const struct sdd_sqrt3 *m, const struct sdd_float2 *weights,
                               struct sdd_points p, uint32_t w, struct sdd_vec3 at, float sharp)
{
    struct sdd_vec3 end = sdd_points_load(p, w);
    sdd_limit_ring_add(r, at, end, sharp > 0.0f ? sdd_sqrt3_vertex(m, weights, p, w) : end, sdd_uniform(sharp), 0.0f);
}

/* The ring of a vertex whose limit is followed on; elsewhere its n is 0. */
SDD_FN struct sdd_limit_ring sdd_sqrt3_limit_ring(const struct sdd_sqrt3 *m, const struct sdd_float2 *weights,
                                                  struct sdd_points p, uint32_t v, struct sdd_vec3 at,
                                                  struct sdd_spoke *spoke)
{
    float vs = v < m->n_control && m->vert_sharp ? sdd_decayed(m->vert_sharp[v], m->level) : 0.0f;
    struct sdd_limit_ring r = sdd_limit_ring_of(spoke, vs, 0);
    uint32_t first = m->first[v], h = first, last;
    int32_t n_semisharp = 0, n_infinite = 0;
    if (first == SDD_NONE)
        return r;
    do {
        float s = sdd_sqrt3_is_boundary(m, h) ? 10.0f : sdd_sqrt3_sharp(m, h);
        n_semisharp += sdd_is_semisharp(s);
        n_infinite += s >= 10.0f;
        sdd_sqrt3_ring_add(&r, m, weights, p, m->vert[sdd_sqrt3_next(h)], at, s);
        r.faces++;
        last = sdd_sqrt3_prev(h);
        h = m->twin[last];
    } while (h < 3 * m->n_faces && h != first);
    if (h != first) {
        sdd_sqrt3_ring_add(&r, m, weights, p, m->vert[last], at, 10.0f);
        n_infinite++;
    }
    if (!sdd_is_followed(vs, n_semisharp, n_infinite))
        r.n = 0;
    return r;
}

/* Moves coordinate k of the ring over a pair of steps by one rule. Meanwhile d has the centres of the faces, and e of a
 * line is where its end is after the first step. */
SDD_FN void sdd_sqrt3_pair(struct sdd_limit_ring *r, int32_t k, int32_t rule, int32_t n_lines,
                           const struct sdd_float2 *weights)
{
    struct sdd_spoke *s = r->spoke;
    double edges = 0.0, ends = 0.0, centres = 0.0, start = s[0].e[k], first, moved;
    int32_t n = r->n, n_around = n + n_lines;
    for (int32_t j = 0; j < n; j++) {
        double end = s[j].now > 0.0f ? s[j].d[k] : s[j].e[k];
        edges += s[j].e[k];
        ends += s[j].now > 0.0f ? end : 0.0;
        s[j].d[k] = (s[j].e[k] + (j + 1 < n ? s[j + 1].e[k] : start)) / 3.0;
        s[j].e[k] = end;
        centres += s[j].d[k];
    }
    first = rule == SDD_RULE_SMOOTH ? (double)weights[n].s[0] * edges : 0.0;
    moved = rule == SDD_RULE_CREASE ? 4.0 / 27.0 * ends : 0.0;
    if (rule == SDD_RULE_SMOOTH) {
        double w = (double)weights[n_around].s[0];
        moved = (1.0 - (double)n_around * w) * first + w * (centres + ends);
    }
    for (int32_t j = 0; j < n; j++) {
        if (s[j].now > 0.0f)
            s[j].e[k] = 5.0 / 12.0 * first + s[j].e[k] / 3.0 + 0.25 * moved;
        else
            s[j].e[k] = (first + (s[j].d[k] + s[j > 0 ? j - 1 : n - 1].d[k])) / 3.0;
        s[j].e[k] -= moved;
    }
    for (int32_t j = 0; j < n; j++)
        s[j].d[k] = s[j].e[k];
    r->at[k] += moved;
}

/* Moves the ring on until the masks of limits hold, and returns the rule that the vertex has then. */
SDD_FN int32_t sdd_sqrt3_follow_ring(struct sdd_limit_ring *r, const struct sdd_float2 *weights)
{
    int32_t semisharp, n_lines = sdd_limit_ring_sharp(r, &semisharp), rest = SDD_DART_STEPS / 2;
    for (int32_t i = 0; i < SDD_SEMISHARP_LEVELS + SDD_DART_STEPS; i++) {
        if (!semisharp && !(r->vertex > 0.0f) && (n_lines != 1 || rest-- == 0))
            break;
        for (int32_t k = 0; k < 3; k++)
            sdd_sqrt3_pair(r, k, sdd_rule_of(r->vertex, n_lines), n_lines, weights);
        for (int32_t j = 0; j < r->n; j++)
            r->spoke[j].now = sdd_decayed(r->spoke[j].now, 2);
        r->vertex = sdd_decayed(r->vertex, 2);
        r->scale *= 3.0;
        n_lines = sdd_limit_ring_sharp(r, &semisharp);
    }
    return sdd_rule_of(r->vertex, n_lines);
}

/* The limit of a vertex that was at `at`, by the rule that sdd_sqrt3_follow_ring found. */
SDD_FN struct sdd_vec3 sdd_sqrt3_limit_ring_point(const struct sdd_limit_ring *r, struct sdd_vec3 at, int32_t rule,
                                                  const struct sdd_float2 *weights)
{
    double to[3];
    for (int32_t k = 0; k < 3; k++) {
        double edges = 0.0, ends = 0.0;
        for (int32_t j = 0; j < r->n; j++) {
            edges += r->spoke[j].e[k];
            ends += r->spoke[j].now > 0.0f ? r->spoke[j].e[k] : 0.0;
        }
        to[k] = r->at[k] + (rule == SDD_RULE_SMOOTH   ? (double)weights[r->n].s[1] * edges
                            : rule == SDD_RULE_CREASE ? ends / 6.0
                                                      : 0.0);
    }
    return sdd_vec3_of((float)((double)at.x + to[0]), (float)((double)at.y + to[1]), (float)((double)at.z + to[2]));
}

/* The two vectors that span the plane at a smooth vertex. */
SDD_FN struct sdd_sqrt3_plane sdd_sqrt3_limit_ring_plane(const struct sdd_limit_ring *r, const struct sdd_float2 *angle)
{
    struct sdd_sqrt3_plane out;
    struct sdd_float2 step = angle[r->n];
    float co = 1.0f, si = 0.0f;
    out.t1 = out.t2 = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t j = 0; j < r->n; j++) {
        struct sdd_vec3 on = sdd_limit_ring_end(r, j);
        float next_co = co * step.s[0] - si * step.s[1];
        out.t1 = sdd_fma(co, on, out.t1);
        out.t2 = sdd_fma(si, on, out.t2);
        si = si * step.s[0] + co * step.s[1];
        co = next_co;
    }
    out.sum = sdd_cross(out.t1, out.t2);
    return out;
}

SDD_FN void sdd_sqrt3_follow(uint32_t v, const struct sqrt3_follow_args *a, struct sdd_spoke *spoke)
{
    const struct sqrt3_finish_args *f = &a->finish;
    struct sdd_vec3 at = sdd_load_point(f->from, v);
    struct sdd_limit_ring r = sdd_sqrt3_limit_ring(&f->mesh, f->weights, sdd_points_all(f->from), v, at, spoke);
    if (r.n == 0)
        return;
    int32_t rule = sdd_sqrt3_follow_ring(&r, f->weights);
    if (f->out)
        sdd_put_vec3(f->out, v, sdd_sqrt3_limit_ring_point(&r, at, rule, f->weights));
    if ((!f->normal && !a->tangents) || rule != SDD_RULE_SMOOTH || r.n < 3)
        return;
    struct sdd_sqrt3_plane p = sdd_sqrt3_limit_ring_plane(&r, f->angle);
    if (a->tangents)
        sdd_put_tangents(a->tangents + 6 * (size_t)v, p.t1, p.t2, p.sum);
    if (f->normal)
        sdd_put_vec3(f->normal, v, sdd_unit(p.sum, 1.0));
}

SDD_FN void k_sqrt3_follow(int64_t i, const struct sqrt3_follow_args *a)
{
    for (int64_t v = i; v < a->n_points; v += (int64_t)a->rings.n)
        sdd_sqrt3_follow((uint32_t)v, a, a->rings.spoke + (size_t)i * a->rings.stride);
}
#endif
