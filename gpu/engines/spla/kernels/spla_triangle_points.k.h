/* SPDX-License-Identifier: Apache-2.0 */
/* spla_triangle_points: points of a level of triangles from the algebra's order to grid order, as spla_quad_points.
 * Shapes  control mesh, rid[triangles][3] u32 of level L, p[n][3] f32 -> to[n][3] f32
 * Launch  item, n grid points of level L
 * Cost    12 B read, 12 B written, L steps down
 * Result  A permutation. Control vertices have the same number in both orders.
 * Threads any queue */
#ifndef SDD_K_SPLA_TRIANGLE_POINTS_H
#define SDD_K_SPLA_TRIANGLE_POINTS_H
#include "gpu/grid/tri_location.h"

struct spla_triangle_points_args {
    struct sdd_control mesh;
    const uint32_t *rid;
    const float *p;
    float *to;
    int32_t level;
};

/* An entry of the reduced matrix of level d that stands for the point with barycentric coordinates w (which sum to 2^d)
 * in control triangle f. Each step goes to a child that holds the point: the one at the corner with at least half of
 * the sum, else the one in the middle. Seen from the child, the sum is half as large. */
SDD_FN size_t sdd_triangle_entry(uint32_t f, int32_t w0, int32_t w1, int32_t w2, int32_t d)
{
    size_t t = f;
    for (int32_t half = d ? 1 << (d - 1) : 0; half > 0; half >>= 1) {
        int32_t child = w0 >= half ? 0 : w1 >= half ? 1 : w2 >= half ? 2 : 3;
        int32_t a = w0, b = w1, c = w2;
        if (child == 3) { /* Its corners lie between corners 0 and 1, 1 and 2, 2 and 0. */
            w0 = half - c;
            w1 = half - a;
            w2 = half - b;
        } else {
            w0 = (child == 0 ? a : child == 1 ? b : c) - half;
            w1 = child == 0 ? b : child == 1 ? c : a;
            w2 = child == 0 ? c : child == 1 ? a : b;
        }
        t = 4 * t + (size_t)child;
    }
    return 3 * t + (size_t)(w0 ? 0 : w1 ? 1 : 2);
}

SDD_FN void k_spla_triangle_points(int64_t i, const struct spla_triangle_points_args *a)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_tri_location s = sdd_tri_location_of(&g, a->mesh.edge_corner, (uint32_t)i);
    int32_t m = 1 << a->level;
    uint32_t v = (uint32_t)i;
    if (s.kind == SDD_INSIDE) {
        v = a->rid[sdd_triangle_entry(s.id, m - s.x - s.y, s.x, s.y, a->level)];
    } else if (s.kind == SDD_AT_EDGE) {
        /* The edge runs from corner k to the next one. */
        uint32_t c = a->mesh.edge_corner[s.id], f = c / 3, k = c - 3 * f;
        int32_t here = m - s.x, there = s.x;
        v = a->rid[sdd_triangle_entry(f,
                                      k == 0   ? here
                                      : k == 2 ? there
                                               : 0,
                                      k == 1   ? here
                                      : k == 0 ? there
                                               : 0,
                                      k == 2   ? here
                                      : k == 1 ? there
                                               : 0,
                                      a->level)];
    }
    sdd_put_vec3(a->to, (uint32_t)i, sdd_load_point(a->p, v));
}
#endif
