/* SPDX-License-Identifier: Apache-2.0 */
/* loop_limits_n: limit positions of loop_finish over rows of one to three floats, such as UVs.
 * Shapes  control mesh, from[n] rows of level L in grid order, weights -> out[n] rows
 * Launch  item, n grid points
 * Cost    as loop_finish without normals, 4 B a float
 * Result  as loop_finish, component by component
 * Threads any queue
 * Source  Loop 1987; OpenSubdiv sdc/loopScheme.h */
#ifndef SDD_K_LOOP_LIMITS_N_H
#define SDD_K_LOOP_LIMITS_N_H
#include "gpu/levels/loop_finish.k.h"

struct loop_limits_n_args {
    struct sdd_control mesh;
    const struct sdd_float2 *weights;
    const float *from;
    float *out;
    struct sdd_width width;
    int32_t level;
};

SDD_FN void sdd_loop_limit_row(int64_t i, const struct loop_limits_n_args *a, struct sdd_width width)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_tri_location s = sdd_tri_location_of(&g, a->mesh.edge_corner, (uint32_t)i);
    struct sdd_vec3 at = sdd_row_load(a->from, (uint32_t)i, width);
    struct sdd_tri_ring r = sdd_tri_ring_of(&a->mesh, &g, sdd_points_wide(a->from, width), &s, at);
    int32_t rule = sdd_tri_rule(&a->mesh, &g, &s, &r);
    sdd_row_put(a->out, (uint32_t)i, width, sdd_loop_limit(at, rule, r.n, r.edges, r.sharp.ends, a->weights));
}

SDD_FN void k_loop_limits_n(int64_t i, const struct loop_limits_n_args *a)
{
    if (sdd_is_uv(a->width)) /* Here the width is a constant. */
        sdd_loop_limit_row(i, a, sdd_uv());
    else
        sdd_loop_limit_row(i, a, a->width);
}
#endif
