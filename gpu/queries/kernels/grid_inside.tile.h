/* SPDX-License-Identifier: Apache-2.0 */
/* grid_inside: the neighbours of vertices inside the level-1 quads of a refined level, which are nearly all of its
 * vertices. Each has four, so that it is known where rows begin, and most follow from the vertex's own number. Rows go
 * to fast memory first and from there to where they stay as one run of words.
 * Shapes  neighbors, whose level has at least four cells along a level-1 quad -> ids[4 n] u32
 * Launch  tile, (n + INSIDE_ROWS - 1) / INSIDE_ROWS blocks
 * Cost    16 B written a row
 * Result  the rows of VV of vertices `first` to first + n - 1 of those inside, in the order of query_fill
 * Threads any queue */
#ifndef SDD_K_GRID_INSIDE_H
#define SDD_K_GRID_INSIDE_H
#include "gpu/kernel/tile.h"
#include "gpu/tiles/neighbors.h"

enum { grid_inside_threads = 256, INSIDE_ROWS = 1024 };

struct grid_inside_args {
    struct sdd_neighbors neighbors;
    uint32_t *ids;
    int64_t n;
    uint32_t first;
};

/* Writes the neighbours of vertex (x, y) inside level-1 quad c. Those on a line have the lower numbers. */
SDD_FN void sdd_inside_row(const struct sdd_grid *g, uint32_t c, int32_t x, int32_t y, uint32_t *row)
{
    const int32_t along = ((int32_t)1 << (g->level - 1)) - 1;
    const uint32_t own = sdd_grid_point(g, c, x, y);
    const int on_x = x == 1 || x == along, on_y = y == 1 || y == along;
    int32_t n = 0;
    if (on_y)
        row[n++] = sdd_grid_point(g, c, x, y == 1 ? 0 : along + 1);
    if (on_x) {
        const uint32_t other = sdd_grid_point(g, c, x == 1 ? 0 : along + 1, y);
        if (on_y && other < row[0]) {
            row[1] = row[0];
            row[0] = other;
        } else {
            row[n] = other;
        }
        n++;
    }
    if (y > 1)
        row[n++] = own - (uint32_t)along;
    if (x > 1)
        row[n++] = own - 1;
    if (x < along)
        row[n++] = own + 1;
    if (y < along)
        row[n] = own + (uint32_t)along;
}

SDD_FN void k_grid_inside(int64_t block, const struct grid_inside_args *a)
{
    SDD_SHARED(uint32_t, row, 4 * INSIDE_ROWS);
    const int64_t first = block * INSIDE_ROWS, left = a->n - first;
    const int32_t n = (int32_t)(left < INSIDE_ROWS ? left : INSIDE_ROWS);
    const struct sdd_grid g = sdd_grid_of(&a->neighbors.mesh, a->neighbors.level);
    const uint32_t along = ((uint32_t)1 << (g.level - 1)) - 1;
    SDD_EACH (i, n) {
        const uint32_t at = a->first + (uint32_t)first + (uint32_t)i, line = at / along, c = line / along;
        sdd_inside_row(&g, c, (int32_t)(at - line * along) + 1, (int32_t)(line - c * along) + 1, row + 4 * i);
    }
    SDD_SYNC;
    SDD_EACH (i, 4 * n)
        a->ids[4 * first + i] = row[i];
}
#endif
