/* SPDX-License-Identifier: Apache-2.0 */
/* loop_inside: one level of triangles to the next, inside the control triangles. There all vertices are regular, so the
 * maps of the mesh matrix are fixed weights over neighbouring rows.
 * Shapes  grid of level L, from[n][3] f32 -> the rows of `to` inside triangles, level L + 1, both in grid order
 * Launch  item, n = F 4^L cells of the square around each triangle; half of them lie outside
 * Cost    12 B read (the rest is shared) and up to four points of 12 B written a cell
 * Result  A cell makes, where they lie inside the triangle, the point of its first vertex and of its edges along x,
 *         along y and across.
 * Threads any queue
 * Source  Mlakar 2018, section 4.2; Loop 1987 */
#ifndef SDD_K_LOOP_INSIDE_H
#define SDD_K_LOOP_INSIDE_H
#include "gpu/rules/loop_rule.h"
#include "gpu/grid/quad_location.h"
#include "gpu/grid/tri_grid.h"

struct loop_inside_args {
    struct sdd_grid grid; /* The grid of level L. */
    const float *from;
    float *to;
};

SDD_FN struct sdd_vec3 sdd_tri_load(const struct sdd_grid *g, struct sdd_points p, uint32_t c, int32_t i, int32_t j)
{
    return sdd_points_load(p, sdd_tri_point(g, c, i, j));
}

/* The points that a cell makes. One that does not lie inside the triangle has some other value. */
struct sdd_tri_cell {
    struct sdd_vec3 vertex, along_x, along_y, across;
};

/* Makes the points of the cell at (x, y), seen from corner c of its triangle. */
SDD_FN struct sdd_tri_cell sdd_tri_cell_of(const struct sdd_grid *g, struct sdd_points from, uint32_t c, int32_t x,
                                           int32_t y)
{
    struct sdd_vec3 p = sdd_tri_load(g, from, c, x, y), px = sdd_tri_load(g, from, c, x + 1, y);
    struct sdd_vec3 py = sdd_tri_load(g, from, c, x, y + 1), low = p, left = p;
    struct sdd_tri_cell r;
    r.vertex = r.along_x = r.along_y = r.across = p;
    if (x + y + 1 < 1 << g->level) { /* The edge across is inside, so there is an inverted face beside the cell's. */
        struct sdd_vec3 pxy = sdd_tri_load(g, from, c, x + 1, y + 1);
        r.across = sdd_loop_edge(sdd_add(px, py), sdd_add(p, pxy));
    }
    if (y > 0) {
        low = sdd_tri_load(g, from, c, x + 1, y - 1);
        r.along_x = sdd_loop_edge(sdd_add(p, px), sdd_add(py, low));
    }
    if (x > 0) {
        left = sdd_tri_load(g, from, c, x - 1, y + 1);
        r.along_y = sdd_loop_edge(sdd_add(p, py), sdd_add(px, left));
    }
    if (x > 0 && y > 0) {
        struct sdd_vec3 back = sdd_add(sdd_tri_load(g, from, c, x - 1, y), sdd_tri_load(g, from, c, x, y - 1));
        r.vertex = sdd_loop_vertex(p, 6, sdd_add(sdd_add(px, py), sdd_add(sdd_add(low, left), back)), NULL);
    }
    return r;
}

SDD_FN void sdd_tri_cell(int64_t k, const struct loop_inside_args *a, struct sdd_width width)
{
    const struct sdd_grid *g = &a->grid;
    int32_t bits = g->level, m = 1 << bits, x = (int32_t)k & (m - 1), y = (int32_t)(k >> bits) & (m - 1);
    uint32_t f = (uint32_t)(k >> (2 * bits));
    struct sdd_grid next = *g;
    if (x + y >= m)
        return;
    next.level++;
    struct sdd_tri_cell r = sdd_tri_cell_of(g, sdd_points_wide(a->from, width), 3 * f, x, y);
    if (x + y + 1 < m)
        sdd_row_put(a->to, sdd_tri_inside(&next, f, 2 * x + 1, 2 * y + 1), width, r.across);
    if (y > 0)
        sdd_row_put(a->to, sdd_tri_inside(&next, f, 2 * x + 1, 2 * y), width, r.along_x);
    if (x > 0)
        sdd_row_put(a->to, sdd_tri_inside(&next, f, 2 * x, 2 * y + 1), width, r.along_y);
    if (x > 0 && y > 0)
        sdd_row_put(a->to, sdd_tri_inside(&next, f, 2 * x, 2 * y), width, r.vertex);
}

SDD_FN void k_loop_inside(int64_t k, const struct loop_inside_args *a)
{
    sdd_tri_cell(k, a, sdd_xyz());
}
#endif
