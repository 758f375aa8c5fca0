/* SPDX-License-Identifier: Apache-2.0 */
/* table_sides.h: where the points of a piece go, and how a CPU writes them: those inside and those towards the next
 * corner's edge point past the caches, as far as pieces lie beside each other; those at its bottom where another piece
 * writes the rest of the line. */
#ifndef SDD_TABLE_SIDES_H
#define SDD_TABLE_SIDES_H
#include "gpu/kernel/row_stream.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

/* The first row of a piece's points at its bottom: that at (1, 0); those up to x = m - 1 follow. */
SDD_FN uint32_t sdd_table_bottom(const struct sdd_grid *g, const struct sdd_table_quad *q)
{
    uint32_t edges = g->n_vertices + g->n_faces, along = (1u << (g->level - 1)) - 1;
    uint32_t half = 2 * (q->edge - edges) + ((q->owns & SDD_TABLE_TURNED) != 0);
    return edges + g->n_edges + half * along;
}

/* And of those along x = m: that at (m, m - 1); those down to y = 1 follow. */
SDD_FN uint32_t sdd_table_spoke(const struct sdd_grid *g, const struct sdd_table_quad *q)
{
    uint32_t along = (1u << (g->level - 1)) - 1;
    return g->n_vertices + g->n_faces + g->n_edges + (2 * g->n_edges + q->corner) * along;
}

/* The row of the point at (0, 0), were those along x = 0 to begin there: of a piece that makes them. */
SDD_FN uint32_t sdd_table_left(const struct sdd_grid *g, uint32_t corner)
{
    struct sdd_grid_frame f = sdd_grid_frame_inside(g, corner);
    sdd_grid_frame_sides(&f, g, corner);
    return f.left;
}

#ifndef __CUDACC__
#define SDD_TABLE_FLOATS (3 * SDD_TABLE_SIDE) /* of a row of points, that at x = 0 left out */
_Static_assert(2 * SDD_TABLE_FLOATS <= SDD_STREAM_ROOM, "a line of two pieces' points fits");

struct sdd_table_streams {
    struct sdd_row_stream inside, spokes;
};

/* Rows of the points on the sides of a piece: its corners, the first of those at the bottom and of those along x = m,
 * which run towards y = 0, of those inside; and how many are along each side, m - 1. */
struct sdd_table_sides {
    uint32_t vertex, edge, face, bottom, spoke, inside;
    int32_t along;
};

/* m: cells along a piece, which may be a constant; vertex: its row. */
SDD_FN struct sdd_table_sides sdd_table_sides_of(const struct sdd_grid *g, int32_t m, const struct sdd_table_quad *q,
                                                 uint32_t vertex)
{
    struct sdd_table_sides to = {
        vertex, q->edge, q->face, sdd_table_bottom(g, q), sdd_table_spoke(g, q), sdd_grid_inside(g, q->corner, 1, 1),
        m - 1};
    return to;
}

/* Points on the sides of a piece, rows of floats. */
struct sdd_table_made {
    const float *bottom; /* those at x = 1 .. m - 1 of y = 0                 */
    const float *right;  /* those at x = m, y = 0 .. m, `pitch` floats apart */
    int32_t pitch;
};

static inline void sdd_table_open_all(struct sdd_table_streams *s, const struct table_points_args *a, int32_t width)
{
    sdd_stream_open(&s->inside, a->to, a->as, width);
    sdd_stream_open(&s->spokes, a->to, a->as, width);
}

static inline void sdd_table_close_all(struct sdd_table_streams *s)
{
    sdd_stream_close(&s->inside);
    sdd_stream_close(&s->spokes);
}

/* Where the points at x = 1 .. m - 1 of n rows inside a piece, from y on, are to be made: on their way, or, where other
 * components are between them, anywhere. */
SDD_FN float *sdd_table_inside(struct sdd_width w, const struct sdd_table_sides *to, int32_t y, int32_t n,
                               struct sdd_table_streams *s)
{
    uint32_t first = to->inside + (uint32_t)((y - 1) * to->along);
    return w.n == w.stride ? sdd_stream_room(&s->inside, (size_t)w.n * first, w.n * to->along * n) : s->inside.at;
}

/* Asks for the lines at the bottom of a piece that comes soon: other pieces write to them too. */
SDD_FN void sdd_table_soon(const struct table_points_args *a, struct sdd_width w, uint32_t bottom)
{
    int32_t words = sdd_rows_words(&a->as, w.stride), n = words * ((1 << (a->grid.level - 1)) - 1);
    const float *to = a->to + (size_t)words * bottom;
    for (int32_t f = 0; f < n; f += 16)
        __builtin_prefetch(to + f, 1);
    if (n > 0)
        __builtin_prefetch(to + n - 1, 1);
}

/* n rows from `row` on, `step` apart. */
SDD_FN void sdd_table_put(const struct table_points_args *a, struct sdd_width w, uint32_t row, int32_t step, int32_t n,
                          const float *p, int32_t pitch)
{
    for (int32_t i = 0; i < n; i++, p += pitch)
        sdd_row_out(a->to, &a->as, row + (uint32_t)(i * step), w,
                    sdd_vec3_of(p[0], w.n > 1 ? p[1] : 0.0f, w.n > 2 ? p[2] : 0.0f));
}

/* Dense rows are on their way by then; those with other components between are written here. */
SDD_FN void sdd_table_put_inside(const struct table_points_args *a, struct sdd_width w,
                                 const struct sdd_table_sides *to, int32_t y, int32_t n, const float *made)
{
    if (w.n != w.stride)
        sdd_table_put(a, w, to->inside + (uint32_t)((y - 1) * to->along), 1, to->along * n, made, w.n);
}

/* Dense rows at its bottom. */
SDD_FN void sdd_table_put_bottom(const struct table_points_args *a, struct sdd_width w,
                                 const struct sdd_table_sides *to, const float *made)
{
    if (a->as.format != SDD_ROWS_F32)
        sdd_rows_out(a->to, &a->as, to->bottom, to->along, made, 0);
    else
        memcpy(a->to + (size_t)w.n * to->bottom, made, sizeof(float) * (size_t)(w.n * to->along));
}

/* What of these points a piece makes, all but its vertex and what is on its left. */
SDD_FN void sdd_table_put_made(const struct table_points_args *a, struct sdd_width w, uint32_t owns,
                               const struct sdd_table_sides *to, const struct sdd_table_made *made,
                               struct sdd_table_streams *s)
{
    int32_t n = w.n, along = to->along;
    if (owns & SDD_TABLE_EDGE)
        sdd_table_put(a, w, to->edge, 0, 1, made->right, 0);
    if (owns & SDD_TABLE_FACE)
        sdd_table_put(a, w, to->face, 0, 1, made->right + made->pitch * (along + 1), 0);
    if (n == w.stride) {
        float *spoke = sdd_stream_room(&s->spokes, (size_t)n * to->spoke, n * along);
        for (int32_t y = along; y > 0; y--, spoke += n)
            memcpy(spoke, made->right + made->pitch * y, sizeof(float) * (size_t)n);
        if (owns & SDD_TABLE_BOTTOM)
            sdd_table_put_bottom(a, w, to, made->bottom);
    } else { /* rows with other components between */
        sdd_table_put(a, w, to->spoke + (uint32_t)along - 1, -1, along, made->right + made->pitch, made->pitch);
        if (owns & SDD_TABLE_BOTTOM)
            sdd_table_put(a, w, to->bottom, 1, along, made->bottom, n);
    }
}

/* The same of points at x = 1 .. m, rows of floats from y = 0 on, `pitch` floats apart, of which some more are read. */
SDD_FN void sdd_table_put_grid(const struct table_points_args *a, struct sdd_width w, uint32_t owns,
                               const struct sdd_table_sides *to, const float *grid, int32_t pitch,
                               struct sdd_table_streams *s)
{
    const struct sdd_table_made made = {grid, grid + w.n * to->along, pitch};
    for (int32_t y = 1; y <= to->along; y++) {
        float *inside = sdd_table_inside(w, to, y, 1, s);
        sdd_wide_copy(inside, grid + y * pitch, w.n * to->along);
        sdd_table_put_inside(a, w, to, y, 1, inside);
    }
    sdd_table_put_made(a, w, owns, to, &made, s);
}
#endif
#endif
