/* SPDX-License-Identifier: Apache-2.0 */
/* tangents.h: the tangent plane of the limit surface in a point: its normal, and two vectors that span it. Where
 * tangent masks make the normal, the two vectors are theirs. Elsewhere only the normal is known, and any two vectors
 * will do.
 * Source  Halstead et al. 1993; OpenSubdiv sdc/catmarkScheme.h; Duff et al. 2017, a basis from a normal alone */
#ifndef SDD_TANGENTS_H
#define SDD_TANGENTS_H
#include "gpu/rules/limit_rule.h"

/* Whether there are tangent masks for a limit point with n faces in one fan. With `corners` this includes
 * the corner of a single face, whose tangents are its two edges; a caller that wants the normal alone takes the face's
 * instead. */
SDD_FN int32_t sdd_has_tangents(int32_t rule, int32_t n, int32_t boundary, int32_t corners)
{
    if (rule == SDD_RULE_SMOOTH)
        return n > 2;
    return boundary && (rule == SDD_RULE_CREASE || (corners && n == 1));
}

/* Catmull-Clark's tangent masks, gathered face by face (sdd_tangents_add), counter-clockwise; on a boundary from the
 * leading edge. The masks sum to zero, so they are applied to differences from the vertex. Then rounding cannot spoil
 * that sum, however many faces there are and however far they are from the origin. */
struct sdd_tangents {
    struct sdd_vec3 at, t1, t2, first, last;
    /* `co` and `si` are cosine and sine of the current edge's angle, `ct` and `st` those of one step; `kd` is the
     * weight of diagonals. */
    float co, si, ct, st, kd;
    int32_t boundary, n;
};

/* Starts the masks of a vertex at `at` with k faces. Row m of `angle` has the cosine and sine of 2 pi / m, for m up to
 * 2k. */
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

/* Adds the next face: e is the end of its on-edge, d the point across it, off the end of its off-edge. */
SDD_FN void sdd_tangents_add(struct sdd_tangents *t, struct sdd_vec3 e, struct sdd_vec3 d, struct sdd_vec3 off)
{
    float nc = t->co * t->ct - t->si * t->st, ns = t->si * t->ct + t->co * t->st; /* These belong to the off-edge. */
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

/* Completes t1 and t2 and returns their normal. The normal of a corner is `cross`, that of its face. */
SDD_FN struct sdd_dvec3 sdd_tangents_normal(struct sdd_tangents *t, int32_t corner, struct sdd_dvec3 cross)
{
    if (corner) {
        t->t1 = t->first;
        t->t2 = t->last;
        return cross;
    }
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

SDD_FN double sdd_length(struct sdd_dvec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

SDD_FN struct sdd_vec3 sdd_direction(struct sdd_vec3 v)
{
    struct sdd_dvec3 d;
    d.x = (double)v.x;
    d.y = (double)v.y;
    d.z = (double)v.z;
    return sdd_unit(d, 1.0);
}

/* Writes two rows of 3: both tangents with length 1, or zero where the normal is zero. */
SDD_FN void sdd_put_tangents(float *row, struct sdd_vec3 t1, struct sdd_vec3 t2, struct sdd_dvec3 normal)
{
    struct sdd_vec3 zero = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    int32_t plane = sdd_length(normal) > 0.0;
    sdd_put_vec3(row, 0, plane ? sdd_direction(t1) : zero);
    sdd_put_vec3(row, 1, plane ? sdd_direction(t2) : zero);
}

/* Writes tangents where there are no masks: two unit vectors at right angles, with t1 x t2 along sign n. */
SDD_FN void sdd_put_basis(float *row, struct sdd_dvec3 n, double sign)
{
    struct sdd_vec3 t1 = sdd_vec3_of(0.0f, 0.0f, 0.0f), t2 = t1;
    double length = sdd_length(n);
    if (length > 0.0) {
        double x = n.x * sign / length, y = n.y * sign / length, z = n.z * sign / length;
        double side = z < 0.0 ? -1.0 : 1.0, a = -1.0 / (side + z), b = x * y * a;
        t1 = sdd_vec3_of((float)(1.0 + side * x * x * a), (float)(side * b), (float)(-side * x));
        t2 = sdd_vec3_of((float)b, (float)(side + y * y * a), (float)-y);
    }
    sdd_put_vec3(row, 0, t1);
    sdd_put_vec3(row, 1, t2);
}
#endif
