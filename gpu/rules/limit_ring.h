/* SPDX-License-Identifier: Apache-2.0 */
/* limit_ring.h: limits of vertices where sharpness is left. The masks of limits hold once the rules no longer change.
 * Until then a vertex is followed over further levels. The points around it on the next level, its ring, are made of
 * those around it now, and so is their sharpness; nothing further away counts.
 *
 * All is in double and taken from where the vertex is, because far on the differences are small. Each step goes over
 * the ring in place. A ring is as long as the vertex has edges, so callers bring the memory; where they have several,
 * a thread takes one after the other.
 * Source  OpenSubdiv sdc/crease.cpp, sdc/catmarkScheme.h, sdc/loopScheme.h: the rules of a step */
#ifndef SDD_LIMIT_RING_H
#define SDD_LIMIT_RING_H
#include "gpu/rules/chaikin_rule.h"
#include "gpu/rules/loop_rule.h"
#include "gpu/rules/tangents.h"

/* An infinitely sharp edge that ends in a smooth vertex keeps its rule for ever. After this many steps what it still
 * does is less than rounding. */
enum { SDD_DART_STEPS = 16 };

/* An edge of the vertex, and the face after it, counter-clockwise. */
struct sdd_spoke {
    double e[3], d[3]; /* The far end of the edge; the corner across the face, of quads. */
    float now;         /* The sharpness of the edge, and of its halves on the next level: at the vertex and beyond. */
    float near, far;
};

/* Memory for `n` rings of `stride` spokes, one for each item of a launch. */
struct sdd_limit_rings {
    struct sdd_spoke *spoke;
    uint32_t n, stride;
};

struct sdd_limit_ring {
    struct sdd_spoke *spoke; /* Shape [n]. */
    double at[3];            /* How far the vertex has come. */
    double scale;            /* 2 to the number of steps taken; tangents are times this. */
    float vertex;            /* The sharpness of the vertex. */
    int32_t n, faces;        /* Edges, and the faces of one fan; 0 where they form none, and then no d has a weight. */
    int32_t first;           /* The edge at which the faces begin that tangents are taken of. */
    int32_t chaikin;
};

SDD_FN struct sdd_limit_ring sdd_limit_ring_of(struct sdd_spoke *spoke, float vertex, int32_t chaikin)
{
    struct sdd_limit_ring r;
    r.spoke = spoke;
    r.at[0] = r.at[1] = r.at[2] = 0.0;
    r.scale = 1.0;
    r.vertex = vertex;
    r.n = r.faces = r.first = 0;
    r.chaikin = chaikin;
    return r;
}

/* Adds the next edge. Without a face after it, d is `at`. */
SDD_FN void sdd_limit_ring_add(struct sdd_limit_ring *r, struct sdd_vec3 at, struct sdd_vec3 e, struct sdd_vec3 d,
                               struct sdd_sharpness sharp, float far)
{
    struct sdd_spoke *s = r->spoke + r->n++;
    s->e[0] = (double)e.x - (double)at.x;
    s->e[1] = (double)e.y - (double)at.y;
    s->e[2] = (double)e.z - (double)at.z;
    s->d[0] = (double)d.x - (double)at.x;
    s->d[1] = (double)d.y - (double)at.y;
    s->d[2] = (double)d.z - (double)at.z;
    s->now = sharp.now;
    s->near = sharp.child;
    s->far = far;
}

/* Adds the edge of a control vertex that sdd_meets_edge names by `own` and `before`. Under chaikin m must have the
 * halves of its level. */
SDD_FN void sdd_limit_ring_meet(struct sdd_limit_ring *r, const struct sdd_control *m, uint32_t own, int32_t before,
                                int32_t level, struct sdd_vec3 at, struct sdd_vec3 e, struct sdd_vec3 d)
{
    int32_t high = sdd_meets_high(m, own, before);
    sdd_limit_ring_add(r, at, e, d, sdd_part_at(m, m->edge[own], level, 0, high, 0),
                       sdd_part_at(m, m->edge[own], level, 0, high, 1).child);
}

/* Whether limits of a vertex with so many edges of each kind follow them on. */
SDD_FN int32_t sdd_is_followed(float vertex, int32_t n_semisharp, int32_t n_infinite)
{
    return vertex < 10.0f && (vertex > 0.0f || n_semisharp > 0 || n_infinite == 1);
}

/* Whether those of control vertex v of sharpness `vertex` do on a level. */
SDD_FN int32_t sdd_control_is_followed(const struct sdd_control *m, uint32_t v, int32_t level, float vertex)
{
    int32_t n_semisharp = 0, n_infinite = 0;
    if (!m->edge_sharp)
        return sdd_is_followed(vertex, 0, 0);
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        for (int32_t before = 0; before < 2; before++) {
            uint32_t own = before ? sdd_prev(&m->faces, m->corner[k]) : m->corner[k];
            float s = sdd_meets_edge(m, own, before) ? sdd_part_met_now(m, own, before, level) : 0.0f;
            n_semisharp += sdd_is_semisharp(s);
            n_infinite += s >= 10.0f;
        }
    }
    return sdd_is_followed(vertex, n_semisharp, n_infinite);
}

/* How many edges are sharp; *semisharp counts those that will not stay so. */
SDD_FN int32_t sdd_limit_ring_sharp(const struct sdd_limit_ring *r, int32_t *semisharp)
{
    int32_t n = 0;
    *semisharp = 0;
    for (int32_t j = 0; j < r->n; j++) {
        n += r->spoke[j].now > 0.0f;
        *semisharp += sdd_is_semisharp(r->spoke[j].now);
    }
    return n;
}

/* Where a rule moves the vertex to, in one coordinate, from sums over its ring. */
SDD_FN double sdd_limit_ring_move(const struct sdd_limit_ring *r, int32_t rule, double edges, double diagonals,
                                  double ends, const struct sdd_float2 *loop)
{
    double n = (double)r->n;
    if (rule == SDD_RULE_CORNER)
        return 0.0;
    if (rule == SDD_RULE_CREASE)
        return 0.125 * ends;
    return loop ? (double)(r->n == 6 ? 0.0625f : loop[r->n].s[0]) * edges : (1.5 * edges + 0.25 * diagonals) / (n * n);
}

/* The share of the crease rule in the new point of an edge (sdd_edge_point). */
SDD_FN double sdd_spoke_share(const struct sdd_spoke *s)
{
    float child = s->far < s->near ? s->far : s->near;
    return !(s->now > 0.0f) ? 0.0 : child > 0.0f ? 1.0 : (double)s->now;
}

/* Moves coordinate k of the ring on, and then the vertex by `shift`. */
SDD_FN void sdd_limit_ring_points(struct sdd_limit_ring *r, int32_t k, double shift, const struct sdd_float2 *loop)
{
    struct sdd_spoke *s = r->spoke;
    int32_t n = r->n;
    double first = s[0].e[k], before = loop ? s[n - 1].e[k] : 0.0;
    for (int32_t j = 0; j < n && !loop; j++)
        s[j].d[k] = 0.25 * (s[j].e[k] + s[j + 1 < n ? j + 1 : 0].e[k] + s[j].d[k]);
    for (int32_t j = 0; j < n; j++) {
        double e = s[j].e[k], share = sdd_spoke_share(s + j), smooth;
        if (loop)
            smooth = 0.375 * e + 0.125 * (before + (j + 1 < n ? s[j + 1].e[k] : first));
        else
            smooth = 0.25 * (e + (s[j].d[k] + s[j > 0 ? j - 1 : n - 1].d[k]));
        before = e;
        s[j].e[k] = share * (0.5 * e) + (1.0 - share) * smooth;
    }
    for (int32_t j = 0; j < n; j++) {
        s[j].e[k] -= shift;
        s[j].d[k] -= shift;
    }
    r->at[k] += shift;
}

/* Moves the sharpness of the ring on. The new point of a semi-sharp edge has two edges that are sharp, the halves. */
SDD_FN void sdd_limit_ring_decay(struct sdd_limit_ring *r)
{
    struct sdd_semisharp_sum all = sdd_semisharp_none();
    for (int32_t j = 0; j < r->n; j++)
        sdd_semisharp_add(&all, r->spoke[j].near);
    for (int32_t j = 0; j < r->n; j++) {
        struct sdd_spoke *s = r->spoke + j;
        struct sdd_semisharp_sum two = sdd_semisharp_none();
        float half = s->near;
        sdd_semisharp_add(&two, half);
        sdd_semisharp_add(&two, s->far);
        s->now = half;
        s->near = r->chaikin ? sdd_semisharp_half(half, &all) : sdd_decay(half);
        s->far = r->chaikin ? sdd_semisharp_half(half, &two) : sdd_decay(half);
    }
    r->vertex = sdd_decay(r->vertex);
}

/* Moves the ring to the next level. `loop` has the weights of scheme loop; it is NULL for quads. */
SDD_FN void sdd_limit_ring_step(struct sdd_limit_ring *r, const struct sdd_float2 *loop)
{
    struct sdd_ring sharp = sdd_ring_empty();
    for (int32_t j = 0; j < r->n; j++)
        sdd_ring_edge(&sharp, sdd_sharpness_of(r->spoke[j].now, r->spoke[j].near), sdd_vec3_of(0.0f, 0.0f, 0.0f));
    struct sdd_vertex_blend b = sdd_vertex_blend_of(r->vertex, &sharp);
    for (int32_t k = 0; k < 3; k++) {
        double edges = 0.0, diagonals = 0.0, ends = 0.0, child_ends = 0.0;
        for (int32_t j = 0; j < r->n; j++) {
            const struct sdd_spoke *s = r->spoke + j;
            edges += s->e[k];
            diagonals += s->d[k];
            ends += s->now > 0.0f ? s->e[k] : 0.0;
            child_ends += s->near > 0.0f ? s->e[k] : 0.0;
        }
        double w = (double)b.share, parent = sdd_limit_ring_move(r, b.parent, edges, diagonals, ends, loop);
        double child = sdd_limit_ring_move(r, b.child, edges, diagonals, child_ends, loop);
        sdd_limit_ring_points(r, k, w * parent + (1.0 - w) * child, loop);
    }
    sdd_limit_ring_decay(r);
    r->scale *= 2.0;
}

/* Moves the ring on until the masks of limits hold, and returns the rule that the vertex has then. */
SDD_FN int32_t sdd_limit_ring_follow(struct sdd_limit_ring *r, const struct sdd_float2 *loop)
{
    int32_t semisharp, n_sharp = sdd_limit_ring_sharp(r, &semisharp), rest = SDD_DART_STEPS;
    for (int32_t i = 0; i < SDD_SEMISHARP_LEVELS && (semisharp || r->vertex > 0.0f); i++) {
        sdd_limit_ring_step(r, loop);
        n_sharp = sdd_limit_ring_sharp(r, &semisharp);
    }
    while (n_sharp == 1 && rest-- > 0)
        sdd_limit_ring_step(r, loop);
    return sdd_rule_of(r->vertex, n_sharp);
}

SDD_FN struct sdd_vec3 sdd_double3(const double *p, double scale)
{
    return sdd_vec3_of((float)(scale * p[0]), (float)(scale * p[1]), (float)(scale * p[2]));
}

/* The far end of edge j from the first one on, which wraps around, and the corner across face j, as tangents take
 * them. */
SDD_FN struct sdd_vec3 sdd_limit_ring_end(const struct sdd_limit_ring *r, int32_t j)
{
    j += r->first;
    return sdd_double3(r->spoke[j < r->n ? j : j - r->n].e, r->scale);
}

SDD_FN struct sdd_vec3 sdd_limit_ring_across(const struct sdd_limit_ring *r, int32_t j)
{
    j += r->first;
    return sdd_double3(r->spoke[j < r->n ? j : j - r->n].d, r->scale);
}

/* The limit of a vertex that was at `at`, by the rule that sdd_limit_ring_follow found. */
SDD_FN struct sdd_vec3 sdd_limit_ring_point(const struct sdd_limit_ring *r, struct sdd_vec3 at, int32_t rule,
                                            const struct sdd_float2 *loop)
{
    double edges[3], diagonals[3], ends[3];
    for (int32_t k = 0; k < 3; k++) {
        edges[k] = diagonals[k] = ends[k] = 0.0;
        for (int32_t j = 0; j < r->n; j++) {
            edges[k] += r->spoke[j].e[k];
            diagonals[k] += r->spoke[j].d[k];
            ends[k] += r->spoke[j].now > 0.0f ? r->spoke[j].e[k] : 0.0;
        }
    }
    struct sdd_vec3 zero = sdd_vec3_of(0.0f, 0.0f, 0.0f), e = sdd_double3(edges, 1.0), p;
    if (loop)
        p = sdd_loop_limit(zero, rule, r->n, e, sdd_double3(ends, 1.0), loop);
    else
        p = sdd_limit_point(zero, rule, r->n, e, sdd_double3(diagonals, 1.0), sdd_double3(ends, 1.0), SDD_LIMIT);
    return sdd_vec3_of((float)((double)at.x + (r->at[0] + (double)p.x)),
                       (float)((double)at.y + (r->at[1] + (double)p.y)),
                       (float)((double)at.z + (r->at[2] + (double)p.z)));
}
/* The tangents of quads around a ring that has been followed on; sdd_tangents_normal completes them. */
SDD_FN struct sdd_tangents sdd_limit_ring_tangents(const struct sdd_limit_ring *r, const struct sdd_float2 *angle)
{
    struct sdd_tangents t = sdd_tangents_of(sdd_vec3_of(0.0f, 0.0f, 0.0f), r->faces, r->faces < r->n, angle);
    for (int32_t j = 0; j < r->faces; j++)
        sdd_tangents_add(&t, sdd_limit_ring_end(r, j), sdd_limit_ring_across(r, j), sdd_limit_ring_end(r, j + 1));
    return t;
}
#endif
