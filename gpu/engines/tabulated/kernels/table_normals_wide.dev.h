/* SPDX-License-Identifier: Apache-2.0 */
/* table_normals_wide.dev.h: what table_pairs.dev.h makes, for all rows, piece by piece as table_points does it, and
 * for as many points at once as the registers of a CPU hold. The bits are the same. */
#ifndef SDD_TABLE_NORMALS_WIDE_H
#define SDD_TABLE_NORMALS_WIDE_H
#include "gpu/engines/tabulated/kernels/table_pairs.dev.h"
#include "gpu/engines/tabulated/kernels/table_points.k.h"
#include "gpu/kernel/wide_sums.h"

#define SDD_TABLE_ACROSS (SDD_TABLE_SIDE / SDD_LANES) /* The most registers of a row of a piece. */
/* The most registers of the weights of a piece's rows, where one register holds several rows. */
#define SDD_TABLE_ABOVE 2
_Static_assert(SDD_LANES <= 8, "of four points a row at most they are two");

/* Writes the normals of SDD_LANES points to rows of three floats, from the vectors that lead away from the points. They
 * have length 1 if `unit` is set, otherwise any length. */
SDD_FN void sdd_wide_normals(struct sdd_wide_vec3 t1, struct sdd_wide_vec3 t2, int unit, float *to)
{
    sdd_wide_weave(sdd_wide_unit(sdd_wide_cross(t1, t2), unit), to);
}

/* Loads the columns of a piece that is not bicubic, relative to its vertex and scaled. */
static inline void sdd_table_see_columns(const struct table_points_args *a, const struct sdd_table_other *o,
                                         struct sdd_vec3 *p)
{
    const int32_t n = o->table->n_columns;
    const struct sdd_vec3 from = sdd_table_load(a->from, o->column[0], 3);
    for (int32_t j = 0; j < n; j++)
        p[j] = sdd_sub(sdd_table_load(a->from, o->column[j], 3), from);
    const float scale = sdd_table_scale(sdd_table_most_of(p, n));
    for (int32_t j = 0; j < n; j++)
        p[j] = sdd_scale(scale, p[j]);
}

/* Makes the normals of a piece that is not bicubic. Points to which several pieces contribute are made one by one. */
static inline void sdd_table_other_normals(const void *args, const struct sdd_table_other *o,
                                           struct sdd_table_streams *s)
{
    const struct table_normals_args *of = args;
    const struct table_points_args *a = &of->rows.pieces;
    struct sdd_table_other left = *o; /* This leaves out what is made by itself. */
    int32_t slots = sdd_table_slots(o->to.along + 1), n;
    uint32_t shared = of->shared[o->table - a->tables];
    struct sdd_vec3 p[SDD_TABLE_COLUMNS];
    float t1[3 * SDD_TABLE_PITCH], t2[3 * SDD_TABLE_PITCH], grid[3 * SDD_TABLE_PITCH];
    const int64_t at = o->table->table * slots;
    left.owns &= ~((shared & 1 ? SDD_TABLE_VERTEX : 0u) | (shared & 2 ? SDD_TABLE_FACE : 0u));
    n = sdd_table_slots_made(&left);
    const struct sdd_table_part part[2] = {{of->t1 + at, t1, n}, {of->t2 + at, t2, n}};
    sdd_table_see_columns(a, o, p);
    sdd_table_sums(part, slots, p, o->table->n_columns);
    for (int32_t k = 0; k < n; k += SDD_LANES)
        sdd_wide_normals(sdd_table_soa_load(t1 + k), sdd_table_soa_load(t2 + k), a->as.format == SDD_ROWS_F32,
                         grid + 3 * k);
    if ((shared & 1) && (o->owns & SDD_TABLE_VERTEX))
        sdd_table_put_row(of, o->to.vertex);
    if ((shared & 2) && (o->owns & SDD_TABLE_FACE))
        sdd_table_put_row(of, o->to.face);
    sdd_table_other_put(a, sdd_xyz(), &left, grid, s);
}

/* What bicubic pieces of one kind share: their tables, and the weights of the points x = 1 to m of a row, lane by lane.
 * Where a register has room for several rows it repeats these for all of them, and at_row and slope_row hold the
 * weights of the rows from y = 1 on. quad holds the points of the regular quad whose first piece is `seen`. */
struct sdd_table_lanes {
    struct sdd_table_bases of;
    int64_t seen;
    struct sdd_vec3 quad[SDD_TABLE_REGULAR];
    sdd_wide at[SDD_TABLE_ACROSS][4], slope[SDD_TABLE_ACROSS][4], at_row[SDD_TABLE_ABOVE][4],
        slope_row[SDD_TABLE_ABOVE][4];
};

SDD_FN int32_t sdd_table_rows_at_once(int32_t m)
{
    return m < SDD_LANES ? SDD_LANES / m : 1;
}

static inline void sdd_table_lanes_of(const struct table_normals_args *a, int64_t piece, struct sdd_table_lanes *l)
{
    int32_t m = 1 << (a->rows.pieces.grid.level - 1), rows = sdd_table_rows_at_once(m);
    l->of = sdd_table_bases_of(a, (uint32_t)piece);
    l->seen = -1;
    for (int32_t i = 0; i < SDD_LANES; i++)
        for (int32_t k = 0; k < 4; k++) {
            for (int32_t v = 0; v == 0 || v * SDD_LANES < m; v++) {
                int32_t x = (v * SDD_LANES + i) % m + 1;
                l->at[v][k][i] = l->of.at[x].s[k];
                l->slope[v][k][i] = l->of.slope[x].s[k];
            }
            for (int32_t g = 0; g * rows < m && rows > 1; g++) {
                int32_t y = g * rows + i / m < m ? g * rows + i / m + 1 : m;
                l->at_row[g][k][i] = l->of.at[y].s[k];
                l->slope_row[g][k][i] = l->of.slope[y].s[k];
            }
        }
}

/* What the normals at SDD_LANES values of x are made of, for any y > 0; or those at one y, for the line y = 0. The sums
 * are in the form that sdd_wide_differ gives. */
struct sdd_table_column {
    struct sdd_wide_vec3 at[4], away[4];
};

SDD_FN void sdd_table_column_of(const struct sdd_table_lanes *l, const struct sdd_vec3 *p, int32_t v,
                                struct sdd_table_column *c)
{
    for (int32_t b = 0; b < 4; b++) {
        c->at[b] = sdd_wide_sum_of(l->at[v], p + 4 * b);
        c->away[b] = sdd_wide_sum_of(l->slope[v], p + 4 * b);
    }
    sdd_wide_differ(c->at);
    sdd_wide_differ(c->away);
}

SDD_FN void sdd_table_column_put(const struct sdd_table_column *c, const sdd_wide by[4], const sdd_wide dy[4], int unit,
                                 float *to)
{
    sdd_wide_normals(sdd_wide_across(by, c->away), sdd_wide_slope(dy, c->at), unit, to);
}

/* Writes the normals of row y. */
SDD_FN void sdd_table_row_put(const struct sdd_table_lanes *l, const struct sdd_table_column *c, int32_t y, int unit,
                              float *to)
{
    sdd_wide by[4], dy[4];
    for (int32_t k = 0; k < 4; k++) {
        by[k] = sdd_wide_of(l->of.at[y].s[k]);
        dy[k] = sdd_wide_of(l->of.slope[y].s[k]);
    }
    sdd_table_column_put(c, by, dy, unit, to);
}

/* Writes the normals of row y = 0. */
SDD_FN void sdd_table_bottom_normals(const struct sdd_table_lanes *l, const struct sdd_table_line *low, int32_t m,
                                     int unit, float *to)
{
    struct sdd_table_column c;
    for (int32_t k = 0; k < 4; k++) {
        c.at[k] = sdd_wide_spread(low->at[k]);
        c.away[k] = sdd_wide_spread(low->away[k]);
    }
    sdd_wide_differ(c.at);
    sdd_wide_differ(c.away);
    for (int32_t v = 0; v == 0 || v * SDD_LANES < m; v++)
        sdd_wide_normals(sdd_wide_slope(l->slope[v], c.at), sdd_wide_across(l->at[v], c.away), unit,
                         to + 3 * SDD_LANES * v);
}

/* Writes all normals of a piece but that of its vertex, where a register holds several rows. */
SDD_FN void sdd_table_short_normals(const struct table_points_args *a, const struct sdd_table_lanes *l,
                                    const struct sdd_vec3 *p, const struct sdd_table_line *low, int32_t m,
                                    uint32_t owns, const struct sdd_table_sides *to, struct sdd_table_streams *s)
{
    const int32_t rows = sdd_table_rows_at_once(m), unit = a->as.format == SDD_ROWS_F32;
    float grid[3 * (SDD_LANES * (SDD_LANES + 1) + SDD_LANES)];
    struct sdd_table_column c;
    sdd_table_bottom_normals(l, low, m, unit, grid);
    sdd_table_column_of(l, p, 0, &c);
    for (int32_t y = 1, g = 0; y <= m; y += rows, g++)
        sdd_table_column_put(&c, l->at_row[g], l->slope_row[g], unit, grid + 3 * m * y);
    sdd_table_put_grid(a, sdd_xyz(), owns, to, grid, 3 * m, s);
}

/* Does the same where a row fills whole registers, and makes the normals in the memory from which they are written. The
 * last registers of each row come first, as they reach into the next row. */
SDD_FN void sdd_table_long_normals(const struct table_points_args *a, const struct sdd_table_lanes *l,
                                   const struct sdd_vec3 *p, const struct sdd_table_line *low, int32_t m, uint32_t owns,
                                   const struct sdd_table_sides *to, struct sdd_table_streams *s)
{
    const int32_t n_wide = m / SDD_LANES, row = 3 * (m - 1), burst = SDD_TABLE_BURST / m;
    const int32_t last = 3 * SDD_LANES * (n_wide - 1), unit = a->as.format == SDD_ROWS_F32;
    float bottom[3 * SDD_TABLE_SIDE], right[SDD_TABLE_SIDE + 1][SDD_LANES], top[3 * SDD_LANES];
    struct sdd_table_made made = {bottom, right[0] + SDD_LANES - 3, SDD_LANES};
    struct sdd_table_column c[SDD_TABLE_ACROSS];
    for (int32_t v = 0; v < n_wide; v++)
        sdd_table_column_of(l, p, v, c + v);
    sdd_table_bottom_normals(l, low, m, unit, bottom);
    sdd_wide_store(right[0], sdd_wide_load(bottom + last + 2 * SDD_LANES));
    for (int32_t y = 1; y < m; y += burst) {
        const int32_t rows = m - y < burst ? m - y : burst;
        float *inside = sdd_table_inside(sdd_xyz(), to, y, rows, s);
        for (int32_t v = n_wide; v-- > 0;)
            for (int32_t r = 0; r < rows; r++) {
                float *at = inside + r * row + 3 * SDD_LANES * v;
                sdd_table_row_put(l, c + v, y + r, unit, at);
                if (v == n_wide - 1)
                    sdd_wide_store(right[y + r], sdd_wide_load(at + 2 * SDD_LANES));
            }
    }
    sdd_table_row_put(l, c + n_wide - 1, m, unit, top);
    sdd_wide_store(right[m], sdd_wide_load(top + 2 * SDD_LANES));
    sdd_table_put_made(a, sdd_xyz(), owns, to, &made, s);
}

/* The points of piece i as sdd_table_see_piece gives them. Those of a regular quad are loaded once, and written to
 * `turned` as its other pieces see them. */
SDD_FN const struct sdd_vec3 *sdd_table_seen_of(const struct table_points_args *a, int64_t i, struct sdd_table_lanes *l,
                                                struct sdd_vec3 *turned)
{
    const int64_t rotation = i < a->n_regular_quads ? i % 4 : 0;
    const int8_t *at = sdd_table_rotated[rotation];
    if (l->seen != i - rotation)
        sdd_table_see_piece(a, (uint32_t)(i - rotation), l->quad);
    l->seen = i - rotation;
    if (rotation == 0)
        return l->quad;
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++)
        turned[k] = l->quad[at[0] + k % 4 * at[1] + k / 4 * at[2]];
    return turned;
}

/* Makes all normals of bicubic piece i, which has m cells along each side, a constant (sdd_table_piece_of). */
SDD_FN void sdd_table_normals_of(const struct table_normals_args *of, struct sdd_table_lanes *l, int32_t m, int64_t i,
                                 struct sdd_table_streams *streams)
{
    const struct table_points_args *a = &of->rows.pieces;
    struct sdd_vec3 turned[SDD_TABLE_REGULAR];
    const struct sdd_vec3 *p = sdd_table_seen_of(a, i, l, turned);
    struct sdd_table_line low = sdd_table_line_of(l->of, p, 0, 1);
    struct sdd_table_sides to =
        sdd_table_sides_of(&a->grid, m, a->regular + i, a->regular_column[SDD_TABLE_REGULAR * i + 5]);
    const uint32_t owns = a->regular[i].owns;
    if (owns & SDD_TABLE_VERTEX)
        sdd_table_put_pair(of, to.vertex, sdd_table_line_pair(l->of, &low, 0, 1));
    if (owns & SDD_TABLE_LEFT)
        for (int32_t y = 1; y < m; y++)
            sdd_table_put_row(of, sdd_table_left(&a->grid, a->regular[i].corner) + (uint32_t)y);
    if (m < SDD_LANES)
        sdd_table_short_normals(a, l, p, &low, m, owns, &to, streams);
    else
        sdd_table_long_normals(a, l, p, &low, m, owns, &to, streams);
}

static inline void sdd_table_bicubic_normals(const void *args, void *kind, int64_t i, struct sdd_table_streams *s)
{
    const struct table_normals_args *of = args;
    switch (of->rows.pieces.grid.level) {
    case 1: sdd_table_normals_of(of, kind, 1, i, s); break;
    case 2: sdd_table_normals_of(of, kind, 2, i, s); break;
    case 3: sdd_table_normals_of(of, kind, 4, i, s); break;
    case 4: sdd_table_normals_of(of, kind, 8, i, s); break;
    case 5: sdd_table_normals_of(of, kind, 16, i, s); break;
    default: sdd_table_normals_of(of, kind, 32, i, s); break;
    }
}

static inline void sdd_table_normals_item(int64_t i, const struct table_normals_args *a)
{
    const struct table_points_args *p = &a->rows.pieces;
    int64_t n = sdd_table_items(p), first = sdd_table_first_corner(p, i, n), end = sdd_table_first_corner(p, i + 1, n);
    struct sdd_table_lanes quads, rest;
    const struct sdd_table_maker m = {
        a, p, sdd_xyz(), &quads, &rest, sdd_table_bicubic_normals, sdd_table_other_normals};
    if (first == end)
        return;
    sdd_table_lanes_of(a, 0, &quads);
    sdd_table_lanes_of(a, p->n_regular_quads, &rest);
    sdd_table_in_order(&m, first, end);
}
#endif
