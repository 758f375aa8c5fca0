/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h: the door of grid order, the one numbering of refined vertices, faces and UV values that every engine returns.
 * control.h is the control mesh as kernels see it; quad_location.h and tri_location.h find where a row lies. No kernels
 * and no host code: kernels of all rooms stand on this one, and it on kernel/ alone.
 *
 * Level 1 has the vertices [V control | F face points | E edge points] and a quad c for each control corner c. Its
 * corners are the corner's vertex, the edge point after it, the face point and the edge point before it. The edges of
 * level 1 are 2e and 2e + 1, the halves of control edge e at its lower and its higher vertex, and the spokes 2E + c,
 * from the face point of quad c to the edge point after corner c.
 *
 * Level L, with m = 2^(L-1), has [level-1 vertices | m-1 points along each level-1 edge | (m-1)^2 points inside each
 * quad]. Points along an edge run from its lower-numbered end. Point (i, j) of quad c has i along (vertex -> next edge
 * point) and j along (vertex -> previous edge point); inside the quad it has row (j-1)(m-1) + i-1. Face (i, j) of quad
 * c is row c m^2 + j m + i and has the corners (i,j) (i+1,j) (i+1,j+1) (i,j+1). */
#ifndef SDD_GRID_H
#define SDD_GRID_H
#include "gpu/grid/faces.h"

struct sdd_grid {
    const uint32_t *vert, *edge; /* Shape [C]. */
    struct sdd_faces faces;
    uint32_t n_vertices, n_faces, n_edges, n_corners;
    int32_t level; /* At least 1. */
};

/* Where a quad of a later level lies: in level-1 quad `corner`, at its cell (x, y), rotated by `rotation` quarters. */
struct sdd_grid_cell {
    uint32_t corner;
    int32_t x, y, rotation;
};

/* Packs the even bits of v: bit 2 k goes to bit k. */
SDD_FN uint32_t sdd_even_bits(uint32_t v)
{
#ifdef __BMI2__
    return _pext_u32(v, 0x55555555u);
#else
    v &= 0x55555555u;
    v = (v | v >> 1) & 0x33333333u;
    v = (v | v >> 2) & 0x0f0f0f0fu;
    v = (v | v >> 4) & 0x00ff00ffu;
    return (v | v >> 8) & 0x0000ffffu;
#endif
}

/* Adds a and b in each field of two bits, modulo 4. */
SDD_FN uint32_t sdd_add_fields(uint32_t a, uint32_t b)
{
    return a ^ b ^ (a & b & 0x55555555u) << 1;
}

/* sdd_grid_cell_of: where quad q of level d lies. Child i of a quad begins at its corner i and follows the winding:
 * it lies in quadrant i + (its parent's rotation) and is rotated i more. So quadrants are the running sums, modulo 4,
 * of the base-4 digits of q from the top, and the last of them is also the rotation. */
SDD_FN struct sdd_grid_cell sdd_grid_cell_of(uint32_t q, int32_t d)
{
    struct sdd_grid_cell p;
    uint32_t t;
    p.corner = (uint32_t)((uint64_t)q >> (2 * (d - 1)));
    t = q - (uint32_t)((uint64_t)p.corner << (2 * (d - 1)));
    t = sdd_add_fields(t, t >> 2);
    t = sdd_add_fields(t, t >> 4);
    if (d > 5) { /* There are more than four digits; all items of a launch take the same way. */
        t = sdd_add_fields(t, t >> 8);
        t = sdd_add_fields(t, t >> 16);
    }
    p.x = (int32_t)sdd_even_bits(t ^ t >> 1); /* Quadrants 1 and 2 lie at the higher x. */
    p.y = (int32_t)sdd_even_bits(t >> 1);     /* Quadrants 2 and 3 lie at the higher y. */
    p.rotation = (int32_t)(t & 3);
    return p;
}

/* The row of point (x, y), 0 < x, y < m, inside level-1 quad c. */
SDD_FN uint32_t sdd_grid_inside(const struct sdd_grid *g, uint32_t c, int32_t x, int32_t y)
{
    uint32_t along = ((uint32_t)1 << (g->level - 1)) - 1;
    uint32_t first = g->n_vertices + g->n_faces + g->n_edges + (2 * g->n_edges + g->n_corners) * along;
    return first - 1 + (c * along + (uint32_t)(y - 1)) * along + (uint32_t)x;
}

/* sdd_grid_key: a number for point (x, y) of element `id` that sorts as its row does, and fits 64 bits where rows need
 * more than 32. Elements are the level-1 vertices, then the level-1 edges (y = 0, x along the edge), then the level-1
 * quads. */
SDD_FN uint64_t sdd_grid_key(const struct sdd_grid *g, uint64_t id, int32_t x, int32_t y)
{
    int32_t bits = g->level - 1;
    return (id << bits | (uint64_t)y) << bits | (uint64_t)x;
}

/* The row of a level-1 vertex, or its key where as_key is set. */
SDD_FN uint64_t sdd_grid_vertex(const struct sdd_grid *g, uint32_t id, int32_t as_key)
{
    return as_key ? sdd_grid_key(g, id, 0, 0) : id;
}

/* sdd_grid_number: the row of point (x, y), 0 <= x, y <= m, of level-1 quad c, or its key where as_key is set. */
SDD_FN uint64_t sdd_grid_number(const struct sdd_grid *g, uint32_t c, int32_t x, int32_t y, int32_t as_key)
{
    int32_t m = 1 << (g->level - 1);
    uint32_t along = (uint32_t)(m - 1), first_edge = g->n_vertices + g->n_faces + g->n_edges, line, t;
    if ((uint32_t)(x - 1) < along && (uint32_t)(y - 1) < along)
        return as_key ? sdd_grid_key(g, 2 * (uint64_t)g->n_edges + g->n_corners + first_edge + c, x, y)
                      : sdd_grid_inside(g, c, x, y);
    if (x == 0 && y == 0)
        return sdd_grid_vertex(g, g->vert[c], as_key);
    if (x == m && y == m)
        return sdd_grid_vertex(g, g->n_vertices + sdd_face(&g->faces, c), as_key);
    if (y == 0) { /* The point lies on the control edge after the corner. */
        if (x == m)
            return sdd_grid_vertex(g, g->n_vertices + g->n_faces + g->edge[c], as_key);
        line = 2 * g->edge[c] + (g->vert[c] > g->vert[sdd_next(&g->faces, c)]);
        t = (uint32_t)x;
    } else if (x == 0) { /* The point lies on the control edge before the corner. */
        uint32_t p = sdd_prev(&g->faces, c);
        if (y == m)
            return sdd_grid_vertex(g, g->n_vertices + g->n_faces + g->edge[p], as_key);
        line = 2 * g->edge[p] + (g->vert[c] >= g->vert[p]); /* They are equal at the second end of a collapsed edge. */
        t = (uint32_t)y;
    } else if (x == m) { /* The point lies on the spoke from the face point to the next edge point. */
        line = 2 * g->n_edges + c;
        t = (uint32_t)(m - y);
    } else { /* The point lies on the spoke from the face point to the previous edge point. */
        line = 2 * g->n_edges + sdd_prev(&g->faces, c);
        t = (uint32_t)(m - x);
    }
    return as_key ? sdd_grid_key(g, (uint64_t)first_edge + line, (int32_t)t, 0) : first_edge + line * along + t - 1;
}

SDD_FN uint32_t sdd_grid_point(const struct sdd_grid *g, uint32_t c, int32_t x, int32_t y)
{
    return (uint32_t)sdd_grid_number(g, c, x, y, 0);
}
#endif
