/* SPDX-License-Identifier: Apache-2.0 */
/* crease_rule.h: OpenSubdiv's vertex and edge rules for semi-sharp features (sdc/crease.cpp). The edges of a vertex are
 * met one by one (sdd_ring_edge), then the rule of the vertex and that of its child are blended (sdd_vertex_point).
 * Sharpness is in [0, 10]; 10 never decays. The sharpness of vertices decays uniformly; that of edges may not
 * (edge_sharpness.h). */
#ifndef SDD_CREASE_RULE_H
#define SDD_CREASE_RULE_H
#include "gpu/kernel/kernel.h"

SDD_FN float sdd_decay(float s)
{
    return s >= 10.0f ? 10.0f : s > 1.0f ? s - 1.0f : 0.0f;
}

SDD_FN int32_t sdd_is_semisharp(float s)
{
    return s > 0.0f && s < 10.0f;
}

/* The sharpness of an edge now, and of its half after this step: of the half at the vertex that asks or, for the edge's
 * own point, of the less sharp half. */
struct sdd_sharpness {
    float now, child;
};

SDD_FN struct sdd_sharpness sdd_sharpness_of(float now, float child)
{
    struct sdd_sharpness s;
    s.now = now;
    s.child = child;
    return s;
}

SDD_FN struct sdd_sharpness sdd_uniform(float now)
{
    return sdd_sharpness_of(now, sdd_decay(now));
}

struct sdd_ring {
    int32_t n_sharp, n_child_sharp, n_fading;
    float fading;                     /* The sum of what vanishes in this step. */
    struct sdd_vec3 ends, child_ends; /* The sums of the far ends of the sharp edges, now and after decay. */
};

SDD_FN struct sdd_ring sdd_ring_empty(void)
{
    struct sdd_ring r;
    r.n_sharp = r.n_child_sharp = r.n_fading = 0;
    r.fading = 0.0f;
    r.ends = r.child_ends = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    return r;
}

SDD_FN void sdd_ring_edge(struct sdd_ring *r, struct sdd_sharpness s, struct sdd_vec3 end)
{
    if (!(s.now > 0.0f))
        return;
    r->n_sharp++;
    r->ends = sdd_add(r->ends, end);
    if (s.child > 0.0f) {
        r->n_child_sharp++;
        r->child_ends = sdd_add(r->child_ends, end);
    } else {
        r->n_fading++;
        r->fading += s.now;
    }
}

enum sdd_rule { SDD_RULE_SMOOTH, SDD_RULE_CREASE, SDD_RULE_CORNER }; /* A dart has the masks of SDD_RULE_SMOOTH. */

SDD_FN int32_t sdd_rule_of(float vertex_sharpness, int32_t n_sharp)
{
    if (vertex_sharpness > 0.0f || n_sharp > 2)
        return SDD_RULE_CORNER;
    return n_sharp == 2 ? SDD_RULE_CREASE : SDD_RULE_SMOOTH;
}

SDD_FN struct sdd_vec3 sdd_rule_point(int32_t rule, struct sdd_vec3 v, struct sdd_vec3 smooth, struct sdd_vec3 ends)
{
    if (rule == SDD_RULE_CORNER)
        return v;
    if (rule == SDD_RULE_CREASE)
        return sdd_fma(0.125f, ends, sdd_scale(0.75f, v));
    return smooth;
}

/* How the rule of a vertex and that of its child make the new point: `share` is the parent's. */
struct sdd_vertex_blend {
    int32_t parent, child;
    float share;
};

SDD_FN struct sdd_vertex_blend sdd_vertex_blend_of(float vs, const struct sdd_ring *r)
{
    struct sdd_vertex_blend b;
    b.parent = sdd_rule_of(vs, r->n_sharp);
    b.child = sdd_rule_of(sdd_decay(vs), r->n_child_sharp);
    b.share = 1.0f;
    if (b.parent == SDD_RULE_SMOOTH || b.parent == b.child)
        return b;
    float sum = r->fading;
    int32_t n = r->n_fading;
    if (vs > 0.0f && vs <= 1.0f) {
        sum += vs;
        n++;
    }
    b.share = n ? sum / (float)n : 0.0f;
    if (b.share > 1.0f)
        b.share = 1.0f;
    return b;
}

/* sdd_vertex_point: the new position of a vertex at v of sharpness vs, given the smooth rule's point and the ring of
 * its sharp edges. */
SDD_FN struct sdd_vec3 sdd_vertex_point(struct sdd_vec3 v, float vs, struct sdd_vec3 smooth, const struct sdd_ring *r)
{
    struct sdd_vertex_blend b = sdd_vertex_blend_of(vs, r);
    struct sdd_vec3 p = sdd_rule_point(b.parent, v, smooth, r->ends), c;
    if (b.parent == SDD_RULE_SMOOTH || b.parent == b.child)
        return p;
    c = sdd_rule_point(b.child, v, smooth, r->child_ends);
    return sdd_fma(b.share, p, sdd_scale(1.0f - b.share, c));
}

/* sdd_edge_point: the edge's point, from the sum of its ends and the smooth rule's point. Under chaikin an edge that
 * vanishes in this step may be sharper than 1. Its point then goes past the middle, as OpenSubdiv's does. */
SDD_FN struct sdd_vec3 sdd_edge_point(struct sdd_vec3 ends, struct sdd_sharpness s, struct sdd_vec3 smooth)
{
    if (!(s.now > 0.0f))
        return smooth;
    struct sdd_vec3 middle = sdd_scale(0.5f, ends);
    return s.child > 0.0f ? middle : sdd_fma(s.now, middle, sdd_scale(1.0f - s.now, smooth));
}

/* OpenSubdiv's weight of a face point under triangleSubdivisionRule `smooth`. */
SDD_FN float sdd_face_weight(const int32_t *end, uint32_t f)
{
    return end[f] - (f ? end[f - 1] : 0) == 3 ? 0.470f : 0.25f;
}

/* sdd_smooth_point: the vertex rule of Catmull and Clark on quads, (1 - 7/4n) v + 3/2n^2 edges + 1/4n^2 diagonals, from
 * the sums of the n edge neighbours and of the n vertices across the quads. Weights are made in double and rounded
 * once. */
SDD_FN struct sdd_vec3 sdd_smooth_point(struct sdd_vec3 v, int32_t n, struct sdd_vec3 edges, struct sdd_vec3 diagonals)
{
    float wv = 0.5625f, we = 0.09375f, wd = 0.015625f; /* These are the weights of n = 4. */
    if (n != 4) {
        double count = (double)n;
        wv = (float)(1.0 - 7.0 / (4.0 * count));
        we = (float)(1.5 / (count * count));
        wd = (float)(0.25 / (count * count));
    }
    return sdd_fma(wv, v, sdd_fma(we, edges, sdd_scale(wd, diagonals)));
}
#endif
