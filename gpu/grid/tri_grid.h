/* SPDX-License-Identifier: Apache-2.0 */
/* tri_grid.h: grid order over triangles (scheme loop), the numbering of refined vertices and faces.
 *
 * Level L, with m = 2^L, has [control vertices | m-1 points along each control edge | (m-1)(m-2)/2 points inside each
 * triangle]. Points along an edge run from its lower-numbered end. Seen from corner c of a triangle, point (i, j) has i
 * along the edge after c and j along the edge before it, i + j <= m. Inside, seen from the triangle's first corner,
 * rows of ascending j hold ascending i. Face y m + x of a triangle is the upright one at (x, y), (x+1, y), (x, y+1)
 * where x + y < m. Else it is the inverted one at (x'+1, y'), (x'+1, y'+1), (x', y'+1) with x' = m-1-x, y' = m-1-y. */
#ifndef SDD_TRI_GRID_H
#define SDD_TRI_GRID_H
#include "gpu/grid/grid.h"

/* The row of inner point (i, j), seen from the first corner of triangle f. */
SDD_FN uint32_t sdd_tri_inside(const struct sdd_grid *g, uint32_t f, int32_t i, int32_t j)
{
    uint32_t along = ((uint32_t)1 << g->level) - 1, y = (uint32_t)(j - 1);
    uint32_t first = g->n_vertices + g->n_edges * along + f * (along * (along - 1) / 2);
    /* The rows before hold m - 2, m - 3 and so on points. */
    return first + y * (along - 1) - y * (y - 1) / 2 + (uint32_t)i - 1;
}

/* The row of the point at distance t from corner c along the edge after it, 0 < t < m. */
SDD_FN uint32_t sdd_tri_line(const struct sdd_grid *g, uint32_t c, int32_t t)
{
    int32_t m = 1 << g->level;
    if (g->vert[c] > g->vert[sdd_next(&g->faces, c)])
        t = m - t;
    return g->n_vertices + g->edge[c] * (uint32_t)(m - 1) + (uint32_t)t - 1;
}

/* The row of point (i, j) seen from corner c of its triangle. */
SDD_FN uint32_t sdd_tri_point(const struct sdd_grid *g, uint32_t c, int32_t i, int32_t j)
{
    int32_t m = 1 << g->level, k = m - i - j;
    if (i > 0 && j > 0 && k > 0) {
        uint32_t f = c / 3, rotation = c - 3 * f;
        return sdd_tri_inside(g, f,
                              rotation == 0   ? i
                              : rotation == 1 ? k
                                              : j,
                              rotation == 0   ? j
                              : rotation == 1 ? i
                                              : k);
    }
    if (j == 0)
        return i == 0 ? g->vert[c] : k == 0 ? g->vert[sdd_next(&g->faces, c)] : sdd_tri_line(g, c, i);
    if (i == 0)
        return k == 0 ? g->vert[sdd_prev(&g->faces, c)] : sdd_tri_line(g, sdd_prev(&g->faces, c), k);
    return sdd_tri_line(g, sdd_next(&g->faces, c), j);
}
#endif
