/* SPDX-License-Identifier: Apache-2.0 */
/* grid_quads: the faces of the refined mesh, or of its UV mesh, in grid order.
 * Shapes  grid over C corners, visible[S] u32 -> quad[S m^2][4] u32
 * Launch  item, n = S m^2, m = 2^(L-1)
 * Cost    16 B written a face
 * Result  The rows are those of grid.h, without the corners of holes.
 * Threads any queue */
#ifndef SDD_K_GRID_QUADS_H
#define SDD_K_GRID_QUADS_H
#include "gpu/grid/grid.h"

struct grid_quads_args {
    struct sdd_grid grid;
    const uint32_t *visible; /* NULL where all corners are visible. */
    struct sdd_quad *quad;
};

SDD_FN void k_grid_quads(int64_t k, const struct grid_quads_args *a)
{
    int32_t bits = a->grid.level - 1, m = 1 << bits;
    uint32_t c = (uint32_t)(k >> (2 * bits));
    int32_t x = (int32_t)k & (m - 1), y = (int32_t)(k >> bits) & (m - 1);
    struct sdd_quad q;
    if (a->visible)
        c = a->visible[c];
    if (x > 0 && x < m - 1 && y > 0 && y < m - 1) { /* Away from the border the rows are neighbours. */
        q.v[0] = sdd_grid_inside(&a->grid, c, x, y);
        q.v[1] = q.v[0] + 1;
        q.v[3] = q.v[0] + (uint32_t)(m - 1);
        q.v[2] = q.v[3] + 1;
    } else {
        q.v[0] = sdd_grid_point(&a->grid, c, x, y);
        q.v[1] = sdd_grid_point(&a->grid, c, x + 1, y);
        q.v[2] = sdd_grid_point(&a->grid, c, x + 1, y + 1);
        q.v[3] = sdd_grid_point(&a->grid, c, x, y + 1);
    }
    a->quad[k] = q;
}
#endif
