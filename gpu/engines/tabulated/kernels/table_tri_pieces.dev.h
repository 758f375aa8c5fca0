/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_pieces.dev.h: how the triangles of level 1 of a mesh, which are the pieces under Loop, are stored and
 * evaluated. A table has a row for each point of a piece, as seen from the first corner of the control triangle: in
 * the order of j, and among equal j in that of i (tri_grid.h). Then come the points of the three sides of the piece
 * once more, counterclockwise, for the control edges. */
#ifndef SDD_TABLE_TRI_PIECES_H
#define SDD_TABLE_TRI_PIECES_H
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"
#include "gpu/engines/tabulated/kernels/table_ring_tri.dev.h"
#include "gpu/grid/tri_location.h"

struct sdd_tri_piece {
    uint32_t class_of, column; /* The class of the piece, and where its columns begin. */
};

/* The pieces and tables of a mesh. */
struct sdd_tri_pieces {
    struct sdd_control mesh;
    const struct sdd_tri_piece *piece;     /* Shape [4 F]. */
    const struct sdd_table_table *classes; /* Its `table` counts columns of sdd_tri_table_rows floats each. */
    /* The tables of all classes, and then finite numbers for SDD_TRI_REGULAR more columns, which may be read. */
    const float *table;
    const uint32_t *column;
    const uint32_t *location; /* Shape [sdd_tri_locations]; only a GPU uses it. */
    int32_t level;            /* The level of the points. */
};

/* From these levels on a GPU makes all points or normals of a level triangle by triangle. On lower levels a warp would
 * have only few points of one, and is slower than one thread for each row (make bench T=kernel). Normals on level 3 are
 * as fast either way on large meshes, and on small ones take 0.7 of the time. */
#define SDD_TRI_LEAST_OF_ROWS 5
#define SDD_TRI_LEAST_OF_NORMALS 3
/* The first items make so many control vertices each. Then come items for triangles, each of which has the warps of a
 * block of so many threads. */
#define SDD_TRI_ITEM 256
/* The number of warps that make one triangle. */
#define SDD_TRI_WARPS(level) ((level) < 5 ? 1 : (level) == 5 ? 2 : 8)

SDD_FN int64_t sdd_tri_vertex_items(const struct sdd_tri_pieces *a)
{
    return ((int64_t)a->mesh.n_vertices + SDD_TRI_ITEM - 1) / SDD_TRI_ITEM;
}

SDD_FN int64_t sdd_tri_items(const struct sdd_tri_pieces *a)
{
    const int64_t warps = SDD_TRI_ITEM / 32;
    return sdd_tri_vertex_items(a) + ((int64_t)a->mesh.n_faces * SDD_TRI_WARPS(a->level) + warps - 1) / warps;
}

/* Where a row is: which point of the table of which piece. piece is SDD_NONE for a control vertex without faces. */
struct sdd_tri_at {
    uint32_t piece;
    int32_t row;
};

/* The number of points of a piece with h cells along a side. */
SDD_FN int32_t sdd_tri_points(int32_t h)
{
    return (h + 1) * (h + 2) / 2;
}

SDD_FN int32_t sdd_tri_table_rows(int32_t h)
{
    return sdd_tri_points(h) + 3 * (h + 1);
}

/* The row in the table of a piece at a corner of the point that is (i, j) away from where the piece begins. */
SDD_FN int32_t sdd_tri_upright(int32_t h, int32_t i, int32_t j)
{
    return j * (h + 1) - j * (j - 1) / 2 + i;
}

/* The row in the table of the middle piece of its first point at j. */
SDD_FN int32_t sdd_tri_rotated(int32_t j)
{
    return j * (j + 1) / 2;
}

/* Finds point (i, j) of triangle f, as seen from its first corner. On a line between pieces it takes one of them. */
SDD_FN struct sdd_tri_at sdd_tri_at_point(uint32_t f, int32_t h, int32_t i, int32_t j)
{
    int32_t corner = i + j <= h ? 0 : i >= h ? 1 : j >= h ? 2 : SDD_TRI_MIDDLE;
    struct sdd_tri_at at;
    at.piece = 4 * f + (uint32_t)corner;
    at.row = corner == SDD_TRI_MIDDLE ? sdd_tri_rotated(j) + i + j - h
                                      : sdd_tri_upright(h, corner == 1 ? i - h : i, corner == 2 ? j - h : j);
    return at;
}

/* Finds the point at distance t from corner c along the edge after it. */
SDD_FN struct sdd_tri_at sdd_tri_at_edge(uint32_t c, int32_t h, int32_t t)
{
    uint32_t f = c / 3, corner = c - 3 * f, next = corner == 2 ? 0 : corner + 1;
    struct sdd_tri_at at;
    at.piece = 4 * f + (t <= h ? corner : next);
    at.row = sdd_tri_points(h) + (int32_t)corner * (h + 1) + (t <= h ? t : t - h);
    return at;
}

/* A point in the form in which a GPU looks it up: its piece, its row of the piece's table, and its number among the
 * points inside the triangle. */
SDD_FN uint32_t sdd_tri_location_of_row(struct sdd_tri_at at, int32_t inside)
{
    return at.piece | (uint32_t)at.row << 2 | (uint32_t)inside << 16;
}

/* The number of points inside a triangle, which are listed piece by piece, and along its edges, which follow
 * counterclockwise. */
SDD_FN int32_t sdd_tri_locations(int32_t level)
{
    int32_t along = (1 << level) - 1;
    return along * (along - 1) / 2 + 3 * along;
}

#ifndef __CUDACC__
static inline void sdd_tri_fill_locations(int32_t level, uint32_t *location)
{
    int32_t h = 1 << (level - 1), along = 2 * h - 1, n = 0;
    for (uint32_t piece = 0; piece < 4; piece++)
        for (int32_t j = 1; j < along; j++)
            for (int32_t i = 1; i + j <= along; i++) {
                struct sdd_tri_at at = sdd_tri_at_point(0, h, i, j);
                if (at.piece == piece)
                    location[n++] = sdd_tri_location_of_row(at, (j - 1) * (along - 1) - (j - 1) * (j - 2) / 2 + i - 1);
            }
    for (uint32_t c = 0; c < 3; c++)
        for (int32_t t = 1; t <= along; t++)
            location[n++] = sdd_tri_location_of_row(sdd_tri_at_edge(c, h, t), 0);
}
#endif

SDD_FN struct sdd_tri_at sdd_tri_at_row(const struct sdd_tri_pieces *a, uint32_t row)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_tri_location s = sdd_tri_location_of(&g, m->edge_corner, row);
    int32_t h = 1 << (a->level - 1);
    if (s.kind == SDD_INSIDE)
        return sdd_tri_at_point(s.id, h, s.x, s.y);
    if (s.kind == SDD_AT_EDGE)
        return sdd_tri_at_edge(m->edge_corner[s.id], h, s.x);
    if (m->begin[s.id] < m->end[s.id])
        return sdd_tri_at_edge(m->corner[m->begin[s.id]], h, 0);
    struct sdd_tri_at none;
    none.piece = SDD_NONE;
    none.row = 0;
    return none;
}

/* The point at `at`, from rows of `width` floats. The columns are summed eight at a time in their order, from 0 and
 * rounded once a term, and then these sums are added. */
SDD_FN struct sdd_vec3 sdd_tri_sum(const struct sdd_tri_pieces *a, const float *from, int32_t width,
                                   struct sdd_tri_at at)
{
    struct sdd_tri_piece piece = a->piece[at.piece];
    struct sdd_table_table k = a->classes[piece.class_of];
    int64_t rows = sdd_tri_table_rows(1 << (a->level - 1));
    const float *w = a->table + k.table * rows + at.row;
    const uint32_t *column = a->column + piece.column;
    struct sdd_vec3 sum = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t first = 0; first < k.n_columns; first += SDD_TABLE_TERMS) {
        struct sdd_vec3 part = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        int32_t end = first + SDD_TABLE_TERMS < k.n_columns ? first + SDD_TABLE_TERMS : k.n_columns;
        for (int32_t j = first; j < end; j++)
            part = sdd_fma(w[j * rows], sdd_table_load(from, column[j], width), part);
        sum = sdd_add(sum, part);
    }
    return sum;
}
#endif
