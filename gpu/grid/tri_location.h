/* SPDX-License-Identifier: Apache-2.0 */
/* tri_location.h: where a row of a level of triangles (tri_grid.h) lies on the control mesh. */
#ifndef SDD_TRI_LOCATION_H
#define SDD_TRI_LOCATION_H
#include "gpu/grid/quad_location.h"
#include "gpu/grid/tri_grid.h"

/* The location of a row: at control vertex id, on control edge id at distance x from its corner, or at (x, y) inside
 * triangle id. */
struct sdd_tri_location {
    /* `kind` is SDD_AT_VERTEX, SDD_AT_EDGE or SDD_INSIDE. */
    int32_t kind, x, y;
    uint32_t id;
};

SDD_FN struct sdd_tri_location sdd_tri_location_of(const struct sdd_grid *g, const uint32_t *edge_corner, uint32_t row)
{
    uint32_t along = ((uint32_t)1 << g->level) - 1, side = along + 1;
    struct sdd_tri_location s;
    s.kind = SDD_AT_VERTEX;
    s.x = s.y = 0;
    s.id = row;
    if (row < g->n_vertices)
        return s;
    row -= g->n_vertices;
    if (row < g->n_edges * along) {
        s.kind = SDD_AT_EDGE;
        s.id = row / along;
        s.x = (int32_t)(row - s.id * along) + 1;
        uint32_t c = edge_corner[s.id];
        if (g->vert[c] > g->vert[sdd_next(&g->faces, c)])
            s.x = (int32_t)side - s.x;
        return s;
    }
    row -= g->n_edges * along;
    s.kind = SDD_INSIDE;
    /* There are no such rows at level 1. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    s.id = row / (along * (along - 1) / 2);
    row -= s.id * (along * (along - 1) / 2);
    /* Rows hold along - 1, along - 2 and so on points. A square root finds how many rows come before; it can be wrong
     * by one, which the loops mend. */
    double b = (double)along - 0.5;
    uint32_t y = (uint32_t)(b - sqrt(b * b - 2.0 * (double)row));
    while (y > 0 && y * (along - 1) - y * (y - 1) / 2 > row)
        y--;
    while ((y + 1) * (along - 1) - (y + 1) * y / 2 <= row)
        y++;
    s.y = (int32_t)y + 1;
    s.x = (int32_t)(row - (y * (along - 1) - y * (y - 1) / 2)) + 1;
    return s;
}
#endif
