/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_finish: limit positions and normals of the vertices of a level of scheme sqrt3.
 * Shapes  level (sqrt3_grid.h), from[V][3] f32, weights[n] (s[1] = beta_n / n), angle[n] (cosine and sine of 2 pi / n,
 *         or NULL for no limit normals) -> out, normal [n][3] f32; either may be NULL
 * Launch  item, n <= V, or those that `rows` names
 * Cost    about 24 B a face of the vertex, in a dependent walk
 * Result  A smooth vertex goes to (1 - beta_n) p + beta_n mean of the ring, with beta_n = 3 alpha_n / (1 + 3 alpha_n).
 *         A step takes (p, mean) to ((1 - alpha_n) p + alpha_n mean, (p + 2 mean) / 3), which keeps that sum. On a
 *         crease the limit is (1 4 1) / 6, that of the cubic B-spline; other vertices stay. Limits are exact on even
 *         levels, except at darts and where sharpness is left. A normal is the sum of the cross products of the edges
 *         of each face; that of a smooth limit point is the cross product of sum cos(2 pi j / n) r_j and sum sin(2 pi
 *         j / n) r_j.
 * Threads any queue
 * Source  Kobbelt 2000, sections 4 and 5 */
#ifndef SDD_K_SQRT3_FINISH_H
#define SDD_K_SQRT3_FINISH_H
#include "gpu/rules/sqrt3_grid.h"
#include "gpu/rules/tangents.h"

struct sqrt3_finish_args {
    struct sdd_sqrt3 mesh;
    const struct sdd_float2 *weights, *angle;
    const float *from;
    float *out, *normal;
    const uint32_t *rows; /* The vertices to finish; NULL for all. */
    int32_t limit;
};

/* The sum of the faces' cross products and, with `masks`, both tangents; without, these are zero. */
struct sdd_sqrt3_plane {
    struct sdd_dvec3 sum;
    struct sdd_vec3 t1, t2;
};

SDD_FN struct sdd_sqrt3_plane sdd_sqrt3_plane_of(const struct sdd_sqrt3 *m, struct sdd_points p, uint32_t v,
                                                 struct sdd_vec3 at, const struct sdd_sqrt3_ring *r, int masks,
                                                 const struct sdd_float2 *angle)
{
    struct sdd_sqrt3_plane out;
    uint32_t h = m->first[v];
    float co = 1.0f, si = 0.0f;
    out.t1 = out.t2 = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    out.sum.x = out.sum.y = out.sum.z = 0.0;
    while (r->n) {
        uint32_t last = sdd_sqrt3_prev(h);
        struct sdd_vec3 on = sdd_sub(sdd_points_load(p, m->vert[sdd_sqrt3_next(h)]), at);
        struct sdd_vec3 off = sdd_sub(sdd_points_load(p, m->vert[last]), at);
        sdd_dvec3_add(&out.sum, sdd_cross(on, off));
        if (masks) {
            struct sdd_float2 step = angle[r->n];
            float next_co = co * step.s[0] - si * step.s[1];
            out.t1 = sdd_fma(co, on, out.t1);
            out.t2 = sdd_fma(si, on, out.t2);
            si = si * step.s[0] + co * step.s[1];
            co = next_co;
        }
        if (last == r->last)
            break;
        h = m->twin[last];
    }
    return out;
}

SDD_FN int sdd_sqrt3_has_masks(int32_t rule, const struct sdd_sqrt3_ring *r)
{
    return rule == SDD_RULE_SMOOTH && r->n > 2;
}

SDD_FN struct sdd_vec3 sdd_sqrt3_limit(struct sdd_vec3 at, int32_t rule, const struct sdd_sqrt3_ring *r,
                                       const struct sdd_float2 *weights)
{
    if (rule == SDD_RULE_SMOOTH)
        return sdd_sqrt3_smooth(at, r, weights[r->n].s[1]);
    return rule == SDD_RULE_CREASE ? sdd_fma((float)(1.0 / 6.0), r->ends, sdd_scale((float)(2.0 / 3.0), at)) : at;
}

/* Finishes vertex i. `tangents` has the rows of sqrt3_tangents, or is NULL; where that is a constant it costs
 * nothing. */
SDD_FN void sdd_sqrt3_finish(int64_t i, const struct sqrt3_finish_args *a, float *tangents)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    uint32_t v = a->rows ? a->rows[i] : (uint32_t)i;
    struct sdd_vec3 at = sdd_load_point(a->from, v);
    struct sdd_sqrt3_ring r = sdd_sqrt3_ring_of(m, sdd_points_all(a->from), v);
    int32_t rule = sdd_sqrt3_rule(m, v, &r);
    if (a->out)
        sdd_put_vec3(a->out, v, a->limit ? sdd_sqrt3_limit(at, rule, &r, a->weights) : at);
    if (!a->normal && !tangents)
        return;
    int masks = a->angle && sdd_sqrt3_has_masks(rule, &r);
    struct sdd_sqrt3_plane p = sdd_sqrt3_plane_of(m, sdd_points_all(a->from), v, at, &r, masks, a->angle);
    struct sdd_dvec3 n = masks ? sdd_cross(p.t1, p.t2) : p.sum;
    if (tangents && masks)
        sdd_put_tangents(tangents + 6 * (size_t)v, p.t1, p.t2, n);
    else if (tangents)
        sdd_put_basis(tangents + 6 * (size_t)v, n, 1.0);
    if (a->normal)
        sdd_put_vec3(a->normal, v, sdd_unit(n, 1.0));
}

SDD_FN void k_sqrt3_finish(int64_t i, const struct sqrt3_finish_args *a)
{
    sdd_sqrt3_finish(i, a, NULL);
}
#endif
