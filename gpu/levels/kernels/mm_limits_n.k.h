/* SPDX-License-Identifier: Apache-2.0 */
/* mm_limits_n: limit positions of mm_finish over rows of one to three floats, such as UVs.
 * Shapes  control mesh, from[n] rows of level L in grid order -> out[n] rows
 * Launch  item, n grid points
 * Cost    as mm_finish without normals, 4 B a float
 * Result  as mm_finish, component by component
 * Threads any queue
 * Source  Halstead et al. 1993; OpenSubdiv sdc/catmarkScheme.h */
#ifndef SDD_K_MM_LIMITS_N_H
#define SDD_K_MM_LIMITS_N_H
#include "gpu/levels/mm_finish.k.h"

struct mm_limits_n_args {
    struct sdd_control mesh;
    const float *from;
    float *out;
    struct sdd_width width;
    int32_t level, limit; /* `limit` is a value of enum sdd_limit_of. */
};

SDD_FN void sdd_limit_row(int64_t i, const struct mm_limits_n_args *a, struct sdd_width width)
{
    struct sdd_quad_location s = sdd_quad_location_of(&a->mesh, a->level, (uint32_t)i);
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_vec3 at = sdd_row_load(a->from, (uint32_t)i, width);
    struct sdd_finish_ring r = sdd_finish_around(&a->mesh, &g, sdd_points_wide(a->from, width), &s, at);
    int32_t rule = sdd_finish_rule(&a->mesh, &g, &s, &r);
    sdd_row_put(a->out, (uint32_t)i, width,
                sdd_limit_point(at, rule, r.n, r.edges, r.diagonals, r.sharp.ends, a->limit));
}

SDD_FN void k_mm_limits_n(int64_t i, const struct mm_limits_n_args *a)
{
    if (sdd_is_uv(a->width)) /* Here the width is a constant. */
        sdd_limit_row(i, a, sdd_uv());
    else
        sdd_limit_row(i, a, a->width);
}
#endif
