/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_finish: limit positions and normals of vertices of a level.
 * Shapes  level (sqrt3_grid.h), from[V][3] f32, weights[n] (s[1] = beta_n / n), angle[n] (cos and sin of 2 pi / n;
 *         NULL: no limit normals) -> out, normal [n][3] f32; either may be NULL
 * Shape   item, n <= V      Cost  about 24 B a face of the vertex, in a dependent walk
 * Result  smooth (1 - beta_n) p + beta_n mean of the ring, beta_n = 3 alpha_n / (1 + 3 alpha_n): (p, mean) go to
 *         ((1 - alpha_n) p + alpha_n mean, (p + 2 mean) / 3), and that pair of weights is kept; on a curve
 *         (1 4 1) / 6, the cubic B-spline's; else the place. Exact on even levels, but for darts and for what sharpness
 *         is left. Normals: the sum of the cross products of the edges of each face; of smooth limit points
 *         the cross product of sum cos(2 pi j / n) r_j and sum sin(2 pi j / n) r_j
 * Source  Kobbelt 2000, sections 4 and 5      Threads any queue */
#ifndef SDD_K_SQRT3_FINISH_H
#define SDD_K_SQRT3_FINISH_H
#include "gpu/kernels/sqrt3_grid.h"
#include "gpu/kernels/tangents.h"

struct sqrt3_finish_args {
    struct sdd_sqrt3 mesh;
    const struct sdd_float2 *weights, *angle;
    const float *from;
    float *out, *normal;
    int32_t limit;
};

/* One walk: both the cross products and the tangents, which are written where they are wanted. */
SDD_FN struct sdd_dvec3 sdd_sqrt3_normal(const struct sqrt3_finish_args *a, uint32_t v, struct sdd_vec3 at,
                                         const struct sdd_sqrt3_ring *r, int masks, float *tangents)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    struct sdd_vec3 t1 = sdd_vec3_of(0.0f, 0.0f, 0.0f), t2 = t1;
    struct sdd_dvec3 sum;
    uint32_t h = m->first[v];
    float co = 1.0f, si = 0.0f;
    sum.x = sum.y = sum.z = 0.0;
    while (r->n) {
        uint32_t last = sdd_sqrt3_prev(h);
        struct sdd_vec3 on = sdd_sub(sdd_load_point(a->from, m->vert[sdd_sqrt3_next(h)]), at);
        struct sdd_vec3 off = sdd_sub(sdd_load_point(a->from, m->vert[last]), at);
        sdd_dvec3_add(&sum, sdd_cross(on, off));
        if (masks) {
            struct sdd_float2 step = a->angle[r->n];
            float turned = co * step.s[0] - si * step.s[1];
            t1 = sdd_fma(co, on, t1);
            t2 = sdd_fma(si, on, t2);
            si = si * step.s[0] + co * step.s[1];
            co = turned;
        }
        if (last == r->last)
            break;
        h = m->twin[last];
    }
    if (masks)
        sum = sdd_cross(t1, t2);
    if (tangents && masks)
        sdd_put_tangents(tangents, t1, t2, sum);
    else if (tangents)
        sdd_put_basis(tangents, sum, 1.0);
    return sum;
}

SDD_FN struct sdd_vec3 sdd_sqrt3_limit(struct sdd_vec3 at, int32_t rule, const struct sdd_sqrt3_ring *r,
                                       const struct sdd_float2 *weights)
{
    if (rule == SDD_RULE_SMOOTH)
        return sdd_sqrt3_smooth(at, r, weights[r->n].s[1]);
    return rule == SDD_RULE_CREASE ? sdd_fma((float)(1.0 / 6.0), r->ends, sdd_scale((float)(2.0 / 3.0), at)) : at;
}

/* tangents: row i of sqrt3_tangents; NULL: none. Where that is a constant it costs nothing. */
SDD_FN void sdd_sqrt3_finish(int64_t i, const struct sqrt3_finish_args *a, float *tangents)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    uint32_t v = (uint32_t)i;
    struct sdd_vec3 at = sdd_load_point(a->from, v);
    struct sdd_sqrt3_ring r = sdd_sqrt3_ring_of(m, sdd_points_all(a->from), v);
    int32_t rule = sdd_sqrt3_rule(m, v, &r);
    if (a->out)
        sdd_put_vec3(a->out, v, a->limit ? sdd_sqrt3_limit(at, rule, &r, a->weights) : at);
    if (!a->normal && !tangents)
        return;
    int masks = a->angle && rule == SDD_RULE_SMOOTH && r.n > 2;
    struct sdd_dvec3 n = sdd_sqrt3_normal(a, v, at, &r, masks, tangents);
    if (a->normal)
        sdd_put_vec3(a->normal, v, sdd_unit(n, 1.0));
}

SDD_FN void k_sqrt3_finish(int64_t i, const struct sqrt3_finish_args *a)
{
    sdd_sqrt3_finish(i, a, NULL);
}
#endif
