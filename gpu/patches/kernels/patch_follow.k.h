/* SPDX-License-Identifier: Apache-2.0 */
/* patch_follow: the limits of those points of patch_limits where sharpness is left, in place of what that made.
 * Shapes  those of patch_limits, rings (rules/limit_ring.h) -> to
 * Launch  item, n rings: item i takes points i, i + n and so on
 * Cost    as mm_follow, and 9 binary searches a point
 * Result  Bit for bit what mm_follow makes there.
 * Threads any queue
 * Source  that of mm_follow */
#ifndef SDD_K_PATCH_FOLLOW_H
#define SDD_K_PATCH_FOLLOW_H
#include "gpu/patches/kernels/patch_limits.k.h"

struct patch_follow_args {
    struct patch_limits_args limits;
    struct sdd_limit_rings rings;
    int64_t n_points;
};

SDD_FN void k_patch_follow(int64_t i, const struct patch_follow_args *a)
{
    const struct patch_limits_args *l = &a->limits;
    const struct sdd_control *m = &l->mesh;
    struct sdd_grid g = sdd_grid_of(m, l->level);
    struct sdd_points from = sdd_points_listed(l->from, l->key, l->n_from);
    for (int64_t k = i; k < a->n_points; k += (int64_t)a->rings.n) {
        struct sdd_quad_location s = sdd_quad_location_of_key(m, l->level, l->to_key[k]);
        struct sdd_vec3 at = sdd_points_load(from, l->to_key[k]);
        struct sdd_limit_ring r =
            sdd_quad_limit_ring(m, &g, from, &s, at, a->rings.spoke + (size_t)i * a->rings.stride);
        if (r.n == 0)
            continue;
        int32_t rule = sdd_limit_ring_follow(&r, NULL);
        sdd_put_vec3(l->to, (uint32_t)k, sdd_limit_ring_point(&r, at, rule, NULL));
    }
}
#endif
