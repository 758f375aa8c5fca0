/* SPDX-License-Identifier: Apache-2.0 */
/* mm_inside: one level of quads to the next, inside the grids. There all faces are quads and all vertices regular, so
 * the maps of the mesh matrix are fixed weights over neighbouring rows.
 * Shapes  control mesh, from[n][3] f32 of level L -> the rows of `to` inside grids, level L + 1, both in grid order
 * Launch  item, n = C 4^(L - 1) cells
 * Cost    12 B read a cell (the rest is shared), and up to four points of 12 B written
 * Result  A cell makes its face point and, where they lie inside the grid, the points of its edges along y = 0 and
 *         x = 0 and of its first vertex.
 * Threads any queue
 * Source  Mlakar 2018, sections 4.3 and 5; Catmull and Clark 1978 */
#ifndef SDD_K_MM_INSIDE_H
#define SDD_K_MM_INSIDE_H
#include "gpu/rules/crease_rule.h"
#include "gpu/grid/grid_frame.h"
#include "gpu/grid/quad_location.h"

struct mm_inside_args {
    struct sdd_grid grid; /* The grid of level L. */
    const float *from;
    float *to;
};

/* The points around (x, y) of a grid. */
struct sdd_square {
    struct sdd_grid_frame frame;
    int32_t x, y;
    int32_t rim; /* Whether some of the points lie on the grid's sides. */
    struct sdd_width width;
};

SDD_FN struct sdd_vec3 sdd_square_load(const struct mm_inside_args *a, const struct sdd_square *s, int32_t dx,
                                       int32_t dy)
{
    int32_t x = s->x + dx, y = s->y + dy;
    if (s->rim)
        return sdd_row_load(a->from, sdd_grid_frame_row(&s->frame, x, y), s->width);
    return sdd_row_load(a->from, sdd_grid_frame_inner(&s->frame, x, y), s->width);
}

/* A face point, from the sums of the ends of two opposite edges. */
SDD_FN struct sdd_vec3 sdd_regular_face(struct sdd_vec3 low, struct sdd_vec3 high)
{
    return sdd_scale(0.25f, sdd_add(low, high));
}

/* An edge point: 3/8 of the sum of its ends and 1/16 of the sums of the points on both sides. */
SDD_FN struct sdd_vec3 sdd_regular_edge(struct sdd_vec3 ends, struct sdd_vec3 low, struct sdd_vec3 high)
{
    return sdd_fma(0.375f, ends, sdd_scale(0.0625f, sdd_add(low, high)));
}

SDD_FN void sdd_inside_cell(int64_t i, const struct mm_inside_args *a, struct sdd_width width)
{
    int32_t bits = a->grid.level - 1, side = 1 << bits;
    struct sdd_grid next = a->grid;
    struct sdd_square s;
    uint32_t q = (uint32_t)(i >> (2 * bits));
    s.x = (int32_t)i & (side - 1);
    s.y = (int32_t)(i >> bits) & (side - 1);
    s.width = width;
    s.frame = sdd_grid_frame_inside(&a->grid, q);
    s.rim = !(s.x > 1 && s.y > 1 && s.x < side - 1 && s.y < side - 1);
    if (s.rim)
        sdd_grid_frame_sides(&s.frame, &a->grid, q);
    next.level++;
    uint32_t row = sdd_grid_inside(&next, q, 2 * s.x + 1, 2 * s.y + 1), below = row - (uint32_t)(2 * side - 1);
    struct sdd_vec3 p = sdd_square_load(a, &s, 0, 0), px = sdd_square_load(a, &s, 1, 0);
    struct sdd_vec3 py = sdd_square_load(a, &s, 0, 1), pxy = sdd_square_load(a, &s, 1, 1);
    struct sdd_vec3 along_x = sdd_add(p, px), along_y = sdd_add(p, py), above = sdd_add(py, pxy);
    struct sdd_vec3 right = sdd_add(px, pxy), mx = p, my = p, cross = p, corners = p;
    sdd_row_put(a->to, row, width, sdd_regular_face(along_x, above));
    if (s.y > 0) {
        my = sdd_square_load(a, &s, 0, -1);
        corners = sdd_square_load(a, &s, 1, -1);
        sdd_row_put(a->to, below, width, sdd_regular_edge(along_x, sdd_add(my, corners), above));
    }
    if (s.x > 0) {
        mx = sdd_square_load(a, &s, -1, 0);
        cross = sdd_square_load(a, &s, -1, 1);
        sdd_row_put(a->to, row - 1, width, sdd_regular_edge(along_y, sdd_add(mx, cross), right));
    }
    if (s.x > 0 && s.y > 0) {
        struct sdd_vec3 edges = sdd_add(sdd_add(mx, px), sdd_add(my, py));
        corners = sdd_add(sdd_add(sdd_square_load(a, &s, -1, -1), corners), sdd_add(cross, pxy));
        sdd_row_put(a->to, below - 1, width, sdd_smooth_point(p, 4, edges, corners));
    }
}

SDD_FN void k_mm_inside(int64_t i, const struct mm_inside_args *a)
{
    sdd_inside_cell(i, a, sdd_xyz());
}
#endif
