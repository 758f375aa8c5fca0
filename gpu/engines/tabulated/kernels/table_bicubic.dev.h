/* SPDX-License-Identifier: Apache-2.0 */
/* table_bicubic.dev.h: the points of bicubic pieces. The weights of a point are a product of two tables of one
 * variable each: sums along x come first, from the lowest point on (sdd_table_sum_along), then sums across them,
 * along y (sdd_table_sum_across). */
#ifndef SDD_TABLE_BICUBIC_H
#define SDD_TABLE_BICUBIC_H
#include "gpu/bspline/row_bands.h"
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"
#include "gpu/engines/tabulated/kernels/table_sides.dev.h"

/* The bicubic pieces of one item: first to end - 1. */
struct sdd_table_some {
    int64_t first, end;
};

/* The number of items for pieces of regular quads. */
SDD_FN int64_t sdd_table_regular_quad_items(const struct table_points_args *a)
{
    const uint32_t n = (uint32_t)(SDD_TABLE_GROUP * a->each),
                   of_regular_quad = (uint32_t)a->n_regular_quads; /* A 32-bit division is faster. */
    return of_regular_quad / n + (of_regular_quad % n > 0);
}

/* The pieces of item i. Items for pieces of regular quads come first, and no item mixes them with others. */
SDD_FN struct sdd_table_some sdd_table_some_of(const struct table_points_args *a, int64_t i)
{
    const int64_t quads = sdd_table_regular_quad_items(a), end = i < quads ? a->n_regular_quads : a->n_regular;
    const int64_t n = SDD_TABLE_GROUP * (i < quads ? a->each : SDD_TABLE_ONCE(a->grid.level));
    struct sdd_table_some s;
    s.first = i < quads ? i * n : a->n_regular_quads + (i - quads) * n;
    s.end = s.first + n < end ? s.first + n : end;
    return s;
}

#ifndef __CUDACC__
/* The number of points that are made and then written. Memory takes them while the next ones are made. */
#define SDD_TABLE_BURST 64
_Static_assert(SDD_TABLE_BURST >= SDD_TABLE_SIDE && 3 * SDD_TABLE_BURST <= SDD_STREAM_ROOM, "whole rows, and they fit");

/* What pieces of one kind share: where their points are, their table, and the weights along x for each float of a row.
 * p holds the points of the last piece, or of the regular quad whose first piece is `seen`, each repeated over the
 * lanes of a register. */
struct sdd_table_along {
    const float *from;
    struct sdd_width width;
    const struct sdd_table_basis *basis;
    float w[4][SDD_TABLE_FLOATS] __attribute__((aligned(64)));
    int quads; /* The pieces are those of regular quads. */
    int64_t seen;
    sdd_wide p[SDD_TABLE_REGULAR][3];
};

/* How to read the 4 x 4 points of a regular quad as seen from each of its corners: the index of the first point, and
 * the steps along x and along y. */
static const int8_t sdd_table_rotated[4][3] = {{0, 1, 4}, {3, 4, -1}, {15, -1, -4}, {12, -4, 1}};

/* The 4 x 4 points of a piece, with the steps from one to the next along x and along y. */
struct sdd_table_view {
    const sdd_wide (*p)[3];
    int32_t x, y;
};

SDD_FN struct sdd_table_view sdd_table_view_of(const struct sdd_table_along *along, int64_t i)
{
    const int8_t *at = sdd_table_rotated[along->quads ? i % 4 : 0];
    struct sdd_table_view v = {along->p + at[0], at[1], at[2]};
    return v;
}

/* The sums along x of the four rows of a piece's points, for the points of a row of the last level. They are kept as
 * differences from the second row, as sdd_table_sum_across needs them. */
struct sdd_table_four {
    sdd_wide q[4][SDD_TABLE_FLOATS / SDD_LANES];
};

SDD_FN void sdd_table_sum_along(const struct sdd_table_along *along, struct sdd_table_view of, int32_t n_wide,
                                struct sdd_table_four *across)
{
    for (int32_t v = 0; v < n_wide; v++)
        for (int32_t b = 0; b < 4; b++) {
            const sdd_wide(*p)[3] = of.p + b * of.y;
            sdd_wide q = sdd_wide_load(along->w[0] + SDD_LANES * v) * p[0][v % 3];
            for (int32_t k = 1; k < 4; k++)
                q = sdd_wide_fma(sdd_wide_load(along->w[k] + SDD_LANES * v), p[k * of.x][v % 3], q);
            across->q[b][v] = q;
        }
    for (int32_t v = 0; v < n_wide; v++) {
        across->q[0][v] -= across->q[1][v];
        across->q[2][v] -= across->q[1][v];
        across->q[3][v] -= across->q[1][v];
    }
}

/* Writes registers first to last of the row with weights w to `to`, and the last of them also to `right`. */
SDD_FN void sdd_table_sum_across(const struct sdd_table_four *across, const struct sdd_table_basis *w, int32_t first,
                                 int32_t last, float *to, float *right)
{
    const sdd_wide before = sdd_wide_of(w->s[0]), after = sdd_wide_of(w->s[2]), end = sdd_wide_of(w->s[3]);
    sdd_wide sum = sdd_wide_of(0.0f);
    for (int32_t v = first; v <= last; v++) {
        sum = sdd_wide_fma(before, across->q[0][v], across->q[1][v]);
        sum = sdd_wide_fma(end, across->q[3][v], sdd_wide_fma(after, across->q[2][v], sum));
        sdd_wide_store(to + SDD_LANES * (v - first), sum);
    }
    sdd_wide_store(right, sum);
}

/* The point at (0, y). */
SDD_FN struct sdd_vec3 sdd_table_left_point(const struct sdd_table_basis *basis, int32_t y, uint32_t open,
                                            struct sdd_table_view of)
{
    const struct sdd_table_basis along = sdd_table_basis_at(basis, 0, open & 8),
                                 across = sdd_table_basis_at(basis, y, open & 1);
    struct sdd_vec3 q[4];
    for (int32_t b = 0; b < 4; b++) {
        struct sdd_vec3 at[4];
        for (int32_t k = 0; k < 4; k++) {
            const sdd_wide p = of.p[b * of.y + k * of.x][0];
            at[k] = sdd_vec3_of(p[0], p[1], p[2]);
        }
        q[b] = sdd_basis_sum(along.s, at[0], at[1], at[2], at[3]);
    }
    return sdd_basis_across(across.s, q);
}

/* Fills in the points that lie beyond the open sides of a regular quad, where the mesh has none. */
SDD_FN void sdd_table_see_boundary_points(const uint32_t *column, uint32_t open, int32_t n,
                                          struct sdd_table_along *along)
{
    struct sdd_sixteen s;
    int32_t dx, dy;
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++)
        s.p[k] = sdd_row_load(along->from, column[k], along->width);
    sdd_sixteen_extend(&s, open);
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++)
        if (sdd_is_boundary_point(open, k, 1, &dx, &dy))
            sdd_wide_repeat(&s.p[k].x, n, along->p[k]);
}

/* Loads the points of piece i, unless they are loaded already: the points of a regular quad serve its four pieces. */
SDD_FN void sdd_table_see(const struct table_points_args *a, int32_t n, int64_t i, struct sdd_table_along *along)
{
    const int64_t first = along->quads ? i - i % 4 : i;
    const uint32_t *column = a->regular_column + SDD_TABLE_REGULAR * first;
    if (first == along->seen)
        return;
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++)
        sdd_wide_repeat(along->from + (size_t)along->width.stride * column[k], n, along->p[k]);
    if (a->regular[first].owns >> SDD_TABLE_OPEN)
        sdd_table_see_boundary_points(column, a->regular[first].owns >> SDD_TABLE_OPEN, n, along);
    along->seen = first;
}

/* Makes the points of bicubic piece i, which has m cells along each side. Where m and the width are constants, so are
 * the bounds of all loops, and pieces of few points take a third less time. */
SDD_FN void sdd_table_piece_of(const struct table_points_args *a, struct sdd_width w, int32_t m,
                               struct sdd_table_along *along, int64_t i, struct sdd_table_streams *s)
{
    /* A burst is a number of whole rows. */
    int32_t n = w.n, row = n * (m - 1), last = (n * m - 1) / SDD_LANES, burst = SDD_TABLE_BURST / m;
    uint32_t owns = a->regular[i].owns, open = owns >> SDD_TABLE_OPEN;
    const struct sdd_table_basis first = sdd_table_basis_at(along->basis, 0, open & 1);
    const struct sdd_table_sides to =
        sdd_table_sides_of(&a->grid, m, a->regular + i, a->regular_column[SDD_TABLE_REGULAR * i + 5]);
    const struct sdd_table_view of = sdd_table_view_of(along, i);
    struct sdd_table_four across;
    float bottom[SDD_TABLE_FLOATS + SDD_LANES], right[SDD_TABLE_SIDE + 1][SDD_LANES] __attribute__((aligned(64)));
    struct sdd_table_made made = {bottom, right[0] + row % SDD_LANES, SDD_LANES};
    sdd_table_see(a, n, i, along);
    sdd_table_sum_along(along, of, last + 1, &across);
    sdd_table_sum_across(&across, &first, 0, last, bottom, right[0]);
    for (int32_t y = 1; y < m; y += burst) {
        int32_t rows = m - y < burst ? m - y : burst;
        float *inside = sdd_table_inside(w, &to, y, rows, s);
        /* The last register of a row reaches into the next row, which is written after it. */
        for (int32_t r = 0; r < rows; r++)
            sdd_table_sum_across(&across, along->basis + y + r, 0, last, inside + r * row, right[y + r]);
        sdd_table_put_inside(a, w, &to, y, rows, inside);
    }
    sdd_table_sum_across(&across, along->basis + m, last, last, right[m], right[m]);
    if (owns & SDD_TABLE_VERTEX)
        sdd_row_out(a->to, &a->as, to.vertex, w, sdd_table_left_point(along->basis, 0, open, of));
    if (owns & SDD_TABLE_LEFT) {
        uint32_t left = sdd_table_left(&a->grid, a->regular[i].corner);
        for (int32_t y = 1; y < m; y++)
            sdd_row_out(a->to, &a->as, left + (uint32_t)y, w, sdd_table_left_point(along->basis, y, open, of));
    }
    sdd_table_put_made(a, w, owns, &to, &made, s);
}

SDD_FN void sdd_table_piece(const struct table_points_args *a, struct sdd_width w, struct sdd_table_along *along,
                            int64_t i, struct sdd_table_streams *s)
{
    switch (__builtin_constant_p(w.n) ? a->grid.level : 0) {
    case 1: sdd_table_piece_of(a, w, 1, along, i, s); break;
    case 2: sdd_table_piece_of(a, w, 2, along, i, s); break;
    case 3: sdd_table_piece_of(a, w, 4, along, i, s); break;
    case 4: sdd_table_piece_of(a, w, 8, along, i, s); break;
    case 5: sdd_table_piece_of(a, w, 16, along, i, s); break;
    case 6: sdd_table_piece_of(a, w, 32, along, i, s); break;
    default: sdd_table_piece_of(a, w, 1 << (a->grid.level - 1), along, i, s);
    }
}

/* Fills in what the pieces of one kind share. Piece `first` says which kind: pieces of regular quads, or others. */
SDD_FN void sdd_table_along_of(const struct table_points_args *a, struct sdd_width w, int64_t first,
                               struct sdd_table_along *along)
{
    int32_t side = 1 << (a->grid.level - 1);
    along->quads = first < a->n_regular_quads;
    along->seen = -1;
    along->from = along->quads ? a->control : a->from;
    along->width = along->quads ? w : sdd_table_width(w.n);
    along->basis = sdd_table_basis_of(a, a->basis, first);
    for (int32_t k = 0; k < 4; k++) {
        for (int32_t x = 0; x < side; x++)
            for (int32_t c = 0; c < w.n; c++)
                along->w[k][w.n * x + c] = along->basis[x + 1].s[k];
        for (int32_t f = w.n * side; f % SDD_LANES; f++)
            along->w[k][f] = 0.0f;
    }
}
#endif
#endif
