/* SPDX-License-Identifier: Apache-2.0 */
/* patch_limits: limit positions of some of the listed points of a level.
 * Shapes  control mesh, key[n_from] u64, from[n_from][3] f32 of a level, to_key[n] u64 -> to[n][3] f32
 * Launch  item, n points
 * Cost    about 100 B read (cached) and 9 binary searches a point
 * Result  Bit for bit what mm_finish makes there. All points around must be listed, except across infinitely sharp
 *         edges.
 * Threads any queue
 * Source  that of mm_finish */
#ifndef SDD_K_PATCH_LIMITS_H
#define SDD_K_PATCH_LIMITS_H
#include "gpu/levels/mm_finish.k.h"

struct patch_limits_args {
    struct sdd_control mesh;
    const uint64_t *key;
    const float *from;
    const uint64_t *to_key;
    float *to;
    uint32_t n_from;
    int32_t level, limit; /* `limit` is a value of enum sdd_limit_of. */
};

SDD_FN void k_patch_limits(int64_t i, const struct patch_limits_args *a)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_quad_location s = sdd_quad_location_of_key(m, a->level, a->to_key[i]);
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_points from = sdd_points_listed(a->from, a->key, a->n_from);
    struct sdd_vec3 at = sdd_points_load(from, a->to_key[i]);
    struct sdd_finish_ring r = sdd_finish_around(m, &g, from, &s, at);
    int32_t rule = sdd_finish_rule(m, &g, &s, &r);
    sdd_put_vec3(a->to, (uint32_t)i, sdd_limit_point(at, rule, r.n, r.edges, r.diagonals, r.sharp.ends, a->limit));
}
#endif
