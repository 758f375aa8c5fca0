/* SPDX-License-Identifier: Apache-2.0 */
/* patch_points: the listed points of a level from those of the level before, by the rules of mm_seams and mm_inside.
 * Shapes  control mesh, key[n_from] u64, from[n_from][3] f32 of level L, to_key[n] u64 -> to[n][3] f32 of level L + 1
 * Launch  item, n points
 * Cost    about 100 B read (cached) and 3 to 9 binary searches a point
 * Result  Bit for bit what mm_seams and mm_inside make there. All that a rule needs must be among the listed points of
 *         level L, except across infinitely sharp edges.
 * Threads any queue
 * Source  Mlakar 2018, section 4.3.3 */
#ifndef SDD_K_PATCH_POINTS_H
#define SDD_K_PATCH_POINTS_H
#include "gpu/levels/mm_inside.k.h"
#include "gpu/levels/mm_seams.k.h"
#include "gpu/patches/kernels/patch_cells.dev.h"

struct patch_points_args {
    struct sdd_control mesh;
    const uint64_t *key;
    const float *from;
    const uint64_t *to_key;
    float *to;
    uint32_t n_from;
    int32_t level; /* The level L. */
};

/* Point (x, y) of level L + 1 inside grid q. */
SDD_FN struct sdd_vec3 sdd_step_inside(const struct sdd_grid *g, struct sdd_points from, uint32_t q, int32_t x,
                                       int32_t y)
{
    struct sdd_vec3 p[3][3]; /* The 3 x 3 points of level L around (x / 2, y / 2), as far as they are needed. */
    for (int32_t j = y & 1; j < 3; j++) {
        uint32_t row = SDD_NONE; /* The next point along x is most often in the next row. */
        for (int32_t i = x & 1; i < 3; i++) {
            if (from.kind == SDD_POINTS_PROBED) {
                p[j][i] = sdd_grid_load(g, from, q, (x >> 1) - 1 + i, (y >> 1) - 1 + j);
                continue;
            }
            uint64_t key = sdd_grid_number(g, q, (x >> 1) - 1 + i, (y >> 1) - 1 + j, 1);
            if (++row >= from.n || from.key[row] != key)
                row = sdd_find_key(from.key, from.n, key);
            p[j][i] = row < from.n ? sdd_load_point(from.p, row) : sdd_vec3_of(0.0f, 0.0f, 0.0f);
        }
    }
    if (x & y & 1)
        return sdd_regular_face(sdd_add(p[1][1], p[1][2]), sdd_add(p[2][1], p[2][2]));
    if (x & 1)
        return sdd_regular_edge(sdd_add(p[1][1], p[1][2]), sdd_add(p[0][1], p[0][2]), sdd_add(p[2][1], p[2][2]));
    if (y & 1)
        return sdd_regular_edge(sdd_add(p[1][1], p[2][1]), sdd_add(p[1][0], p[2][0]), sdd_add(p[1][2], p[2][2]));
    struct sdd_vec3 edges = sdd_add(sdd_add(p[1][0], p[1][2]), sdd_add(p[0][1], p[2][1]));
    struct sdd_vec3 corners = sdd_add(sdd_add(p[0][0], p[0][2]), sdd_add(p[2][0], p[2][2]));
    return sdd_smooth_point(p[1][1], 4, edges, corners);
}

SDD_FN void k_patch_points(int64_t i, const struct patch_points_args *a)
{
    struct sdd_quad_location s = sdd_quad_location_of_key(&a->mesh, a->level + 1, a->to_key[i]);
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_points from = sdd_points_listed(a->from, a->key, a->n_from);
    struct sdd_vec3 p =
        s.kind == SDD_INSIDE ? sdd_step_inside(&g, from, s.id, s.x, s.y) : sdd_step_seam(&a->mesh, &g, from, s);
    sdd_put_vec3(a->to, (uint32_t)i, p);
}
#endif
