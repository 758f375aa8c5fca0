/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_vertices: new positions of the vertices of a level of scheme sqrt3.
 * Shapes  level (sqrt3_grid.h), p[V][3] f32, weights[n] (s[0] = alpha_n / n, for a ring of n) -> rows [0, V) of to
 * Launch  item, n = V
 * Cost    about 24 B a face of the vertex, in a dependent walk
 * Result  A smooth vertex goes to (1 - alpha_n) p + alpha_n mean of the ring, with alpha_n = (4 - 2 cos(2 pi / n)) / 9
 *         and n as it is on this level. On a crease it stays in the first step and goes to (4 19 4) / 27 in the second,
 *         the cubic B-spline of a line cut in three. Other vertices stay. The ring is summed in double,
 *         counter-clockwise.
 * Threads any queue
 * Source  Kobbelt 2000, sections 3 and 5 */
#ifndef SDD_K_SQRT3_VERTICES_H
#define SDD_K_SQRT3_VERTICES_H
#include "gpu/rules/sqrt3_grid.h"

struct sqrt3_vertices_args {
    struct sdd_sqrt3 mesh;
    const struct sdd_float2 *weights;
    const float *p;
    float *to;
};

SDD_FN struct sdd_vec3 sdd_sqrt3_vertex(const struct sdd_sqrt3 *m, const struct sdd_float2 *weights,
                                        struct sdd_points p, uint32_t v)
{
    struct sdd_vec3 at = sdd_points_load(p, v);
    struct sdd_sqrt3_ring r = sdd_sqrt3_ring_of(m, p, v);
    int32_t rule = sdd_sqrt3_rule(m, v, &r);
    if (rule == SDD_RULE_SMOOTH)
        return sdd_sqrt3_smooth(at, &r, weights[r.n].s[0]);
    if (rule == SDD_RULE_CREASE && sdd_sqrt3_is_second(m))
        return sdd_fma((float)(4.0 / 27.0), r.ends, sdd_scale((float)(19.0 / 27.0), at));
    return at;
}

SDD_FN void k_sqrt3_vertices(int64_t v, const struct sqrt3_vertices_args *a)
{
    sdd_put_vec3(a->to, (uint32_t)v, sdd_sqrt3_vertex(&a->mesh, a->weights, sdd_points_all(a->p), (uint32_t)v));
}
#endif
