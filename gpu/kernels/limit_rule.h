/* SPDX-License-Identifier: Apache-2.0 */
/* limit_rule.h: limit points and limit normals of Catmull-Clark, and normals from corners, for vertices that all touch
 * quads. Tangents are gathered face by face (sdd_tangents_add), counter-clockwise; on a boundary from the leading edge.
 * Source: Halstead et al. 1993; OpenSubdiv sdc/catmarkScheme.h */
#ifndef SDD_LIMIT_RULE_H
#define SDD_LIMIT_RULE_H
#include "gpu/kernels/crease_rule.h"

/* Normals are made in double: products of accepted coordinates, from 1e-30 to 1e30, would leave the range of float. */
struct sdd_dvec3 {
    double x, y, z;
};

SDD_FN struct sdd_dvec3 sdd_cross(struct sdd_vec3 a, struct sdd_vec3 b)
{
    struct sdd_dvec3 r;
    r.x = (double)a.y * (double)b.z - (double)a.z * (double)b.y;
    r.y = (double)a.z * (double)b.x - (double)a.x * (double)b.z;
    r.z = (double)a.x * (double)b.y - (double)a.y * (double)b.x;
    return r;
}

SDD_FN void sdd_dvec3_add(struct sdd_dvec3 *to, struct sdd_dvec3 v)
{
    to->x += v.x;
    to->y += v.y;
    to->z += v.z;
}

/* n, or its opposite where sign is -1, of length 1; zero where it has none. */
SDD_FN struct sdd_vec3 sdd_unit(struct sdd_dvec3 n, double sign)
{
    double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(length > 0.0))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    sign /= length;
    return sdd_vec3_of((float)(n.x * sign), (float)(n.y * sign), (float)(n.z * sign));
}

/* edges, diagonals: sums over the n quads; ends: of the two sharp edges. */
SDD_FN struct sdd_vec3 sdd_limit_point(struct sdd_vec3 at, int32_t rule, int32_t n, struct sdd_vec3 edges,
                                       struct sdd_vec3 diagonals, struct sdd_vec3 ends)
{
    if (rule == SDD_RULE_CORNER || (rule == SDD_RULE_SMOOTH && n == 2))
        return at;
    if (rule == SDD_RULE_CREASE)
        return sdd_fma((float)(1.0 / 6.0), ends, sdd_scale((float)(2.0 / 3.0), at));
    float wv = (float)(4.0 / 9.0), we = (float)(4.0 / 36.0), wd = (float)(1.0 / 36.0);
    if (n != 4) {
        double count = (double)n, d = count * (count + 5.0);
        wv = (float)(count / (count + 5.0));
        we = (float)(4.0 / d);
        wd = (float)(1.0 / d);
    }
    return sdd_fma(wv, at, sdd_fma(we, edges, sdd_scale(wd, diagonals)));
}

/* The masks sum to zero: taken of what leads away from the vertex, they do so whatever has been rounded, however many
 * faces there are and however far from the origin. */
struct sdd_tangents {
    struct sdd_vec3 at, t1, t2, first, last;
    float co, si, ct, st, kd; /* cos and sin of the present edge's angle, and of one step; the weight of diagonals */
    int32_t boundary, n;
};

/* Of a vertex at `at` with k faces; angle[m] = cos and sin of 2 pi / m, for m up to 2k. */
SDD_FN struct sdd_tangents sdd_tangents_of(struct sdd_vec3 at, int32_t k, int32_t boundary,
                                           const struct sdd_float2 *angle)
{
    struct sdd_tangents t;
    struct sdd_float2 step = angle[boundary ? 2 * k : k];
    t.at = at;
    t.t1 = t.t2 = t.first = t.last = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    t.co = 1.0f;
    t.si = 0.0f;
    t.ct = step.s[0];
    t.st = step.s[1];
    t.kd = 0.0f;
    t.boundary = boundary;
    t.n = 0;
    if (!boundary) {
        float half = angle[2 * k].s[0];
        float lambda = 0.3125f + 0.0625f * (t.ct + half * sqrtf(2.0f * (9.0f + t.ct)));
        t.kd = 1.0f / (4.0f * lambda - 1.0f);
    }
    return t;
}

/* The next face: e along its on-edge, d across it, off along its off-edge. */
SDD_FN void sdd_tangents_add(struct sdd_tangents *t, struct sdd_vec3 e, struct sdd_vec3 d, struct sdd_vec3 off)
{
    float nc = t->co * t->ct - t->si * t->st, ns = t->si * t->ct + t->co * t->st; /* of the off-edge */
    e = sdd_sub(e, t->at);
    d = sdd_sub(d, t->at);
    if (t->boundary) {
        if (t->n == 0)
            t->first = e;
        else
            t->t2 = sdd_fma(4.0f * t->si, e, t->t2);
        t->t2 = sdd_fma(t->si + ns, d, t->t2);
        t->last = sdd_sub(off, t->at);
    } else {
        t->t1 = sdd_fma(4.0f * t->co, e, sdd_fma(t->kd * (t->co + nc), d, t->t1));
        t->t2 = sdd_fma(4.0f * t->si, e, sdd_fma(t->kd * (t->si + ns), d, t->t2));
    }
    t->co = nc;
    t->si = ns;
    t->n++;
}

SDD_FN struct sdd_dvec3 sdd_tangents_normal(struct sdd_tangents *t)
{
    if (t->boundary) {
        struct sdd_vec3 ends = sdd_add(t->first, t->last);
        t->t1 = sdd_sub(t->first, t->last);
        if (t->n == 1)
            t->t2 = ends;
        else
            t->t2 = sdd_fma(-(1.0f + t->ct) / t->st * (1.0f + 2.0f * t->ct), ends, t->t2);
    }
    return sdd_cross(t->t1, t->t2);
}
#endif
