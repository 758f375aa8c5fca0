/* SPDX-License-Identifier: Apache-2.0 */
/* table_sides.dev.h: where the points of a piece go, and how a CPU writes them. Points inside a piece, and those
 * towards the edge point after its vertex, bypass the caches as long as pieces lie beside each other in memory.
 * Points at the bottom do not, as another piece writes the rest of their cache line. */
#ifndef SDD_TABLE_SIDES_H
#define SDD_TABLE_SIDES_H
#include "gpu/kernel/row_stream.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

/* The row of a piece's point (1, 0) at its bottom. Those up to x = m - 1 follow. */
SDD_FN uint32_t sdd_table_bottom(const struct sdd_grid *g, const struct sdd_table_quad *q)
{
    uint32_t edges = g->n_vertices + g->n_faces, along = (1u << (g->level - 1)) - 1;
    uint32_t half = 2 * (q->edge - edges) + ((q->owns & SDD_TABLE_TURNED) != 0);
    return edges + g->n_edges + half * along;
}

/* The row of a piece's point (m, m - 1). Those down to y = 1 follow. */
SDD_FN uint32_t sdd_table_spoke(const struct sdd_grid *g, const struct sdd_table_quad *q)
{
    uint32_t along = (1u << (g->level - 1)) - 1;
    return g->n_vertices + g->n_faces + g->n_edges + (2 * g->n_edges + q->corner) * along;
}

/* The row before that of point (0, 1), of a piece that makes the points at x = 0. Those up to y = m - 1 follow that
 * one. */
SDD_FN uint32_t sdd_table_left(const struct sdd_grid *g, uint32_t corner)
{
    struct sdd_grid_frame f = sdd_grid_frame_inside(g, corner);
    sdd_grid_frame_sides(&f, g, corner);
    return f.left;
}

#ifndef __CUDACC__
#define SDD_TABLE_FLOATS (3 * SDD_TABLE_SIDE) /* The most floats of a row of points, without the one at x = 0. */
_Static_assert(2 * SDD_TABLE_FLOATS <= SDD_STREAM_ROOM, "a line of two pieces' points fits");

struct sdd_table_streams {
    struct sdd_row_stream inside, spokes;
};

/* The rows of a piece's points: those of its corners, and the first of those at the bottom, of those at x = m, which
 * run towards y = 0, and of those inside. `along` is how many there are along each side, m - 1. */
struct sdd_table_sides {
    uint32_t vertex, edge, face, bottom, spoke, inside;
    int32_t along;
};

/* m is the number of cells along a piece, which may be a constant, and `vertex` is the row of its vertex. */
SDD_FN struct sdd_table_sides sdd_table_sides_of(const struct sdd_grid *g, int32_t m, const struct sdd_table_quad *q,
                                                 uint32_t vertex)
{
    struct sdd_table_sides to = {
        vertex, q->edge, q->face, sdd_table_bottom(g, q), sdd_table_spoke(g, q), sdd_grid_inside(g, q->corner, 1, 1),
        m - 1};
    return to;
}

/* The points on the sides of a piece, as rows of floats. */
struct sdd_table_made {
    const float *bottom; /* The points at x = 1 to m - 1 of y = 0. */
    const float *right;  /* The points at x = m, y = 0 to m, `pitch` floats apart. */
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

/* Where the points at x = 1 to m - 1 of n rows inside a piece, from y on, are to be written. Dense rows go straight
 * into the stream; where other components lie between them, any buffer does. */
SDD_FN float *sdd_table_inside(struct sdd_width w, const struct sdd_table_sides *to, int32_t y, int32_t n,
                               struct sdd_table_streams *s)
{
    uint32_t first = to->inside + (uint32_t)((y - 1) * to->along);
    return w.n == w.stride ? sdd_stream_room(&s->inside, (size_t)w.n * first, w.n * to->along * n) : s->inside.at;
}

/* Prefetches the cache lines at the bottom of a piece that comes soon, as other pieces write to them too. */
SDD_FN void sdd_table_soon(const struct table_points_args *a, struct sdd_width w, uint32_t bottom)
{
    int32_t words = sdd_rows_words(&a->as, w.stride), n = words * ((1 << (a->grid.level - 1)) - 1);
    const float *to = a->to + (size_t)words * bottom;
    for (int32_t f = 0; f < n; f += 16)
        __builtin_prefetch(to + f, 1);
    if (n > 0)
        __builtin_prefetch(to + n - 1, 1);
}

/* Writes n rows from `row` on, `step` apart. */
SDD_FN void sdd_table_put(const struct table_points_args *a, struct sdd_width w, uint32_t row, int32_t step, int32_t n,
                          const float *p, int32_t pitch)
{
    for (int32_t i = 0; i < n; i++, p += pitch)
        sdd_row_out(a->to, &a->as, row + (uint32_t)(i * step), w,
                    sdd_vec3_of(p[0], w.n > 1 ? p[1] : 0.0f, w.n > 2 ? p[2] : 0.0f));
}

/* Writes rows inside a piece that have other components between them. Dense rows are in the stream by then. */
SDD_FN void sdd_table_put_inside(const struct table_points_args *a, struct sdd_width w,
                                 const struct sdd_table_sides *to, int32_t y, int32_t n, const float *made)
{
    if (w.n != w.stride)
        sdd_table_put(a, w, to->inside + (uint32_t)((y - 1) * to->along), 1, to->along * n, made, w.n);
}

/* Writes the dense rows at the bottom of a piece. */
SDD_FN void sdd_table_put_bottom(const struct table_points_args *a, struct sdd_width w,
                                 const struct sdd_table_sides *to, const float *made)
{
    if (a->as.format != SDD_ROWS_F32)
        sdd_rows_out(a->to, &a->as, to->bottom, to->along, made, 0);
    else
        memcpy(a->to + (size_t)w.n * to->bottom, made, sizeof(float) * (size_t)(w.n * to->along));
}

/* Writes those of these points that the piece makes, except for its vertex and the points at x = 0. */
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
    } else { /* These rows have other components between them. */
        sdd_table_put(a, w, to->spoke + (uint32_t)along - 1, -1, along, made->right + made->pitch, made->pitch);
        if (owns & SDD_TABLE_BOTTOM)
            sdd_table_put(a, w, to->bottom, 1, along, made->bottom, n);
    }
}

/* Does the same for the points at x = 1 to m, given as rows of floats from y = 0 on, `pitch` floats apart, and writes
 * those inside too. It reads a few floats beyond the last. */
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
