/* SPDX-License-Identifier: Apache-2.0 */
/* spla_quad_points: points of a level of quads from the algebra's order to grid order. Each grid row finds a quad at
 * its location, and the quad's column of the mesh matrix says which point that is.
 * Shapes  control mesh, rid[quads][4] u32 of level L, p[n][3] f32 -> to[n][3] f32
 * Launch  item, n grid points of level L
 * Cost    16 B read, 12 B written, L steps down
 * Result  A permutation. Control vertices have the same number in both orders.
 * Threads any queue */
#ifndef SDD_K_SPLA_QUAD_POINTS_H
#define SDD_K_SPLA_QUAD_POINTS_H
#include "gpu/grid/quad_location.h"

struct spla_quad_points_args {
    struct sdd_control mesh;
    const uint32_t *rid;
    const float *p;
    float *to;
    int32_t level;
};

/* The quad of level d at cell (x, y) of level-1 quad c, and its rotation in *rotation: the inverse of sdd_grid_cell_of.
 * Child i of a quad lies in quadrant i + (the quad's rotation), which is then the child's own rotation. */
SDD_FN uint32_t sdd_quad_beside(uint32_t c, int32_t x, int32_t y, int32_t d, int32_t *rotation)
{
    uint32_t q = c;
    *rotation = 0;
    for (int32_t bit = d - 2; bit >= 0; bit--) {
        int32_t high_x = x >> bit & 1, high_y = y >> bit & 1;
        int32_t quadrant = high_y ? 3 - high_x : high_x;
        q = 4 * q + (uint32_t)((quadrant - *rotation) & 3);
        *rotation = quadrant;
    }
    return q;
}

SDD_FN void k_spla_quad_points(int64_t i, const struct spla_quad_points_args *a)
{
    struct sdd_quad_location s = sdd_quad_location_of(&a->mesh, a->level, (uint32_t)i);
    uint32_t v = (uint32_t)i;
    if (s.kind != SDD_AT_VERTEX) {
        struct sdd_cell c = sdd_quad_location_cell(&a->mesh, &s, 1 << (a->level - 1), 0);
        int32_t rotation, left = c.rotation == 1 || c.rotation == 2, up = c.rotation >= 2;
        uint32_t q = sdd_quad_beside(c.q, c.x - left, c.y - up, a->level, &rotation);
        v = a->rid[4 * (size_t)q + (uint32_t)((c.rotation - rotation) & 3)];
    }
    sdd_put_vec3(a->to, (uint32_t)i, sdd_load_point(a->p, v));
}
#endif
