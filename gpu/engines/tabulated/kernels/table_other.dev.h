/* SPDX-License-Identifier: Apache-2.0 */
/* table_other.dev.h: the points of pieces that are not bicubic, as products with the table of their class. The
 * columns are summed eight at a time in their order, from 0 and rounded once a term, and then these sums are added. */
#ifndef SDD_TABLE_OTHER_H
#define SDD_TABLE_OTHER_H
#include "gpu/engines/tabulated/kernels/table_sides.dev.h"

/* The base-2 logarithm of how many points of a piece a GPU's thread makes, one by one. On level 4 there are two, so
 * that a warp makes all points of its pieces and looks up only once what they are made of. On higher levels this would
 * make the last warps late. */
SDD_FN int32_t sdd_table_log_blocks(int32_t level)
{
    return level == 4;
}

/* The threads of a GPU that a run takes, out of SDD_TABLE_THREADS of one item or of several. Each thread has 2^log_each
 * pieces, and no warp is shared between runs in parts. */
SDD_FN int32_t sdd_table_run_threads(int32_t level, int32_t log_each)
{
    const int32_t n = (SDD_TABLE_RUN_PIECES >> log_each) << (2 * (level - 1) - sdd_table_log_blocks(level));
    return n < 32 ? 32 : n;
}

#ifndef __CUDACC__
#define SDD_TABLE_SLOTS (SDD_TABLE_SIDE * SDD_TABLE_SIDE + SDD_TABLE_SIDE + 1) /* The most points of a table. */
#define SDD_TABLE_PITCH (SDD_TABLE_SLOTS + 2 * SDD_LANES) /* The distance from one component of points to the next. */

/* Points that follow each other: their weights, and where they go, component by component. Up to SDD_LANES - 1 more are
 * written. */
struct sdd_table_part {
    const float *w;
    float *to;
    int32_t n;
};

/* Makes the sums of one part or of two, each of at most SDD_LANES points. If `full` is set they have exactly that
 * many, so no load needs a mask. n_parts and full are constants. */
SDD_FN void sdd_table_some_sums(const struct sdd_table_part *of, int32_t n_parts, int full, int64_t points,
                                const struct sdd_vec3 *p, int32_t n_columns)
{
    sdd_wide sum[6], part[6];
    for (int32_t k = 0; k < 3 * n_parts; k++)
        sum[k] = sdd_wide_of(0.0f);
    for (int32_t first = 0; first < n_columns; first += SDD_TABLE_TERMS) {
        int32_t end = n_columns - first < SDD_TABLE_TERMS ? n_columns : first + SDD_TABLE_TERMS;
        for (int32_t k = 0; k < 3 * n_parts; k++)
            part[k] = sdd_wide_of(0.0f);
        for (int32_t i = first; i < end; i++) {
            const sdd_wide at[3] = {sdd_wide_of(p[i].x), sdd_wide_of(p[i].y), sdd_wide_of(p[i].z)};
            for (int32_t k = 0; k < n_parts; k++) {
                const float *from = of[k].w + i * points;
                const sdd_wide w = full ? sdd_wide_load(from) : sdd_wide_load_some(from, of[k].n);
                for (int32_t c = 0; c < 3; c++)
                    part[3 * k + c] = sdd_wide_fma(w, at[c], part[3 * k + c]);
            }
        }
        for (int32_t k = 0; k < 3 * n_parts; k++)
            sum[k] += part[k];
    }
    for (int32_t k = 0; k < 3 * n_parts; k++)
        sdd_wide_store(of[k / 3].to + k % 3 * SDD_TABLE_PITCH, sum[k]);
}

/* Makes the sums of two parts together, as they share what they are multiplied with. The second part may have fewer
 * points than the first, or none. */
static inline void sdd_table_sums(const struct sdd_table_part part[2], int64_t points, const struct sdd_vec3 *p,
                                  int32_t n_columns)
{
    for (int32_t k = 0; k < part[0].n; k += SDD_LANES) {
        struct sdd_table_part some[2];
        for (int32_t i = 0; i < 2; i++) {
            int32_t left = part[i].n > k ? part[i].n - k : 0;
            some[i].w = part[i].w + k;
            some[i].to = part[i].to + k;
            some[i].n = left < SDD_LANES ? left : SDD_LANES;
        }
        if (some[1].n == SDD_LANES)
            sdd_table_some_sums(some, 2, 1, points, p, n_columns);
        else if (some[1].n > 0)
            sdd_table_some_sums(some, 2, 0, points, p, n_columns);
        else
            sdd_table_some_sums(some, 1, 0, points, p, n_columns);
    }
}

/* Loads SDD_LANES points from an array that has them component by component. */
SDD_FN struct sdd_wide_vec3 sdd_table_soa_load(const float *soa)
{
    struct sdd_wide_vec3 p = {sdd_wide_load(soa), sdd_wide_load(soa + SDD_TABLE_PITCH),
                              sdd_wide_load(soa + 2 * SDD_TABLE_PITCH)};
    return p;
}

/* Makes the n points whose weights begin at w, as rows of `width` floats. Up to SDD_LANES - 1 more rows are written. */
SDD_FN void sdd_table_rows_of(const float *w, int64_t points, int32_t n, const struct sdd_vec3 *p, int32_t n_columns,
                              int32_t width, float *to)
{
    int32_t half = (n + 2 * SDD_LANES - 1) / (2 * SDD_LANES) * SDD_LANES;
    float soa[3 * SDD_TABLE_PITCH];
    const struct sdd_table_part part[2] = {{w, soa, half < n ? half : n}, {w + half, soa + half, n - half}};
    sdd_table_sums(part, points, p, n_columns);
    for (int32_t i = 0; i < n && width == 3; i += SDD_LANES)
        sdd_wide_weave(sdd_table_soa_load(soa + i), to + 3 * i);
    for (int32_t i = 0; i < n && width == 2; i++) {
        to[2 * i] = soa[i];
        to[2 * i + 1] = soa[SDD_TABLE_PITCH + i];
    }
    for (int32_t i = 0; i < n && width == 1; i++)
        to[i] = soa[i];
}

/* A piece that is not bicubic, and where its points go. */
struct sdd_table_other {
    const struct sdd_table_table *table;
    struct sdd_table_sides to;
    const uint32_t *column;
    uint32_t owns, corner;
};

/* Piece i of the list. */
SDD_FN struct sdd_table_other sdd_table_other_of(const struct table_points_args *a, uint32_t i)
{
    const struct sdd_table_quad *q = a->other + i;
    struct sdd_table_other o;
    o.table = sdd_table_table_of(a, i);
    o.to = sdd_table_sides_of(&a->grid, 1 << (a->grid.level - 1), q, a->grid.vert[q->corner]);
    o.column = sdd_table_columns_of(a, o.table, i);
    o.owns = q->owns;
    o.corner = q->corner;
    return o;
}

/* How many points of its table, from the first on, include all that the piece makes. */
SDD_FN int32_t sdd_table_slots_made(const struct sdd_table_other *o)
{
    const int32_t m = o->to.along + 1;
    return o->owns & SDD_TABLE_LEFT                        ? sdd_table_slots(m)
           : o->owns & (SDD_TABLE_VERTEX | SDD_TABLE_FACE) ? m * m + 2
                                                           : m * m;
}

/* Writes the rows inside a piece, which follow each other, as many at a time as there is room for. */
SDD_FN void sdd_table_other_inside(struct sdd_width w, const struct sdd_table_sides *to, const float *made,
                                   struct sdd_table_streams *s)
{
    const int32_t most = to->along > 0 ? SDD_STREAM_ROOM / (3 * to->along) : 1;
    for (int32_t y = 0, n; y < to->along; y += n) {
        n = to->along - y < most ? to->along - y : most;
        sdd_wide_copy(sdd_table_inside(w, to, y + 1, n, s), made + w.n * y * to->along, w.n * n * to->along);
    }
}

/* Writes what a piece makes, given the points of its table as rows of floats. It reads a few floats beyond the last. */
SDD_FN void sdd_table_other_put(const struct table_points_args *a, struct sdd_width w, const struct sdd_table_other *o,
                                const float *made, struct sdd_table_streams *s)
{
    const struct sdd_table_sides *to = &o->to;
    const int32_t along = to->along, n = w.n * along;
    const float *spoke = made + n * along, *bottom = spoke + n, *edge = bottom + n, *vertex = edge + w.n;
    if (w.n == w.stride) {
        sdd_table_other_inside(w, to, made, s);
        sdd_wide_copy(sdd_stream_room(&s->spokes, (size_t)w.n * to->spoke, n), spoke, n);
        if (o->owns & SDD_TABLE_BOTTOM)
            sdd_table_put_bottom(a, w, to, bottom);
    } else { /* These rows have other components between them. */
        sdd_table_put(a, w, to->inside, 1, along * along, made, w.n);
        sdd_table_put(a, w, to->spoke, 1, along, spoke, w.n);
        if (o->owns & SDD_TABLE_BOTTOM)
            sdd_table_put(a, w, to->bottom, 1, along, bottom, w.n);
    }
    if (o->owns & SDD_TABLE_EDGE)
        sdd_table_put(a, w, to->edge, 0, 1, edge, 0);
    if (o->owns & SDD_TABLE_VERTEX)
        sdd_table_put(a, w, to->vertex, 0, 1, vertex, 0);
    if (o->owns & SDD_TABLE_FACE)
        sdd_table_put(a, w, to->face, 0, 1, vertex + w.n, 0);
    if (o->owns & SDD_TABLE_LEFT)
        sdd_table_put(a, w, sdd_table_left(&a->grid, o->corner) + 1, 1, along, vertex + 2 * w.n, w.n);
}

SDD_FN void sdd_table_other_points(const struct table_points_args *a, struct sdd_width w,
                                   const struct sdd_table_other *o, struct sdd_table_streams *s)
{
    const int32_t slots = sdd_table_slots(o->to.along + 1), n = o->table->n_columns;
    struct sdd_vec3 p[SDD_TABLE_COLUMNS];
    float made[3 * SDD_TABLE_PITCH];
    for (int32_t i = 0; i < n; i++)
        p[i] = sdd_table_load(a->from, o->column[i], w.n);
    sdd_table_rows_of(a->table + o->table->table * slots, slots, sdd_table_slots_made(o), p, n, w.n, made);
    sdd_table_other_put(a, w, o, made, s);
}
#endif
#endif
