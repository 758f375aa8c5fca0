/* SPDX-License-Identifier: Apache-2.0 */
/* table_in_order.dev.h: a CPU makes pieces of all kinds in the order of their corners. Rows that are side by side in
 * memory are then written soon after each other, as whole cache lines. */
#ifndef SDD_TABLE_IN_ORDER_H
#define SDD_TABLE_IN_ORDER_H
#include "gpu/engines/tabulated/kernels/table_bicubic.dev.h"
#include "gpu/engines/tabulated/kernels/table_other.dev.h"
#include "gpu/engines/tabulated/kernels/table_point.dev.h"

#ifndef __CUDACC__
/* How many pieces ahead the points of a piece, and the rows they are made of, are prefetched. */
#define SDD_TABLE_SOON 4
/* How many pieces ahead columns are prefetched. What says where they are is prefetched twice as far ahead. */
#define SDD_TABLE_FAR 16

/* What a kernel does with a piece: with bicubic piece i, given what pieces of its kind share, and with a piece that is
 * not bicubic. Both get the kernel's arguments. */
typedef void sdd_table_bicubic_fn(const void *args, void *kind, int64_t i, struct sdd_table_streams *s);
typedef void sdd_table_other_fn(const void *args, const struct sdd_table_other *o, struct sdd_table_streams *s);
struct sdd_table_maker {
    const void *args;
    const struct table_points_args *pieces;
    struct sdd_width width;
    void *quads, *rest; /* What pieces of regular quads share, and what other bicubic pieces share. */
    sdd_table_bicubic_fn *bicubic;
    sdd_table_other_fn *other;
};

/* Prefetches the rows of level 1 that a piece is made of, and the cache lines of the points at its bottom. */
SDD_FN void sdd_table_prefetch_rows(const struct sdd_table_maker *m, uint32_t c, struct sdd_table_other *o)
{
    const struct table_points_args *a = m->pieces;
    uint32_t i = a->location[c], bottom;
    const uint32_t *column;
    int32_t n = 0;
    if (i & SDD_TABLE_OTHER) {
        *o = sdd_table_other_of(a, i & ~SDD_TABLE_OTHER);
        column = o->column;
        n = o->table->n_columns;
        bottom = o->to.bottom;
    } else {
        column = a->regular_column + SDD_TABLE_REGULAR * (size_t)i;
        n = i < a->n_regular_quads ? 0 : SDD_TABLE_REGULAR; /* Control rows are few, so they are in the cache. */
        bottom = sdd_table_bottom(&a->grid, a->regular + i);
    }
    for (int32_t k = 0; k < n; k++)
        __builtin_prefetch(a->from + (size_t)sdd_table_width(m->width.n).stride * column[k]);
    sdd_table_soon(a, m->width, bottom);
}

/* Prefetches the columns of a piece. */
SDD_FN void sdd_table_prefetch_columns(const struct table_points_args *a, uint32_t c)
{
    uint32_t i = a->location[c], other = i & ~SDD_TABLE_OTHER;
    if (i & SDD_TABLE_OTHER) {
        const uint32_t *column = sdd_table_columns_of(a, sdd_table_table_of(a, other), other);
        __builtin_prefetch(column);
        __builtin_prefetch(column + SDD_TABLE_REGULAR);
    } else {
        __builtin_prefetch(a->regular_column + SDD_TABLE_REGULAR * (size_t)i);
        __builtin_prefetch(a->regular + i);
    }
}

/* Prefetches what says where the columns of a piece are, if it is not bicubic. */
SDD_FN void sdd_table_prefetch_piece(const struct table_points_args *a, uint32_t c)
{
    if (a->location[c] & SDD_TABLE_OTHER)
        __builtin_prefetch(a->other + (a->location[c] & ~SDD_TABLE_OTHER));
}

/* Prefetches what the pieces of corners after c will need. */
SDD_FN void sdd_table_prefetch_ahead(const struct sdd_table_maker *m, int64_t c, int64_t end,
                                     struct sdd_table_other *soon)
{
    if (c + SDD_TABLE_SOON < end)
        sdd_table_prefetch_rows(m, (uint32_t)(c + SDD_TABLE_SOON), soon + (c + SDD_TABLE_SOON) % SDD_TABLE_SOON);
    if (c + SDD_TABLE_FAR < end)
        sdd_table_prefetch_columns(m->pieces, (uint32_t)(c + SDD_TABLE_FAR));
    if (c + 2 * SDD_TABLE_FAR < end)
        sdd_table_prefetch_piece(m->pieces, (uint32_t)(c + 2 * SDD_TABLE_FAR));
}

/* Makes the pieces of corners first to end - 1. */
SDD_FN void sdd_table_in_order(const struct sdd_table_maker *m, int64_t first, int64_t end)
{
    const struct table_points_args *a = m->pieces;
    struct sdd_table_other soon[SDD_TABLE_SOON];
    struct sdd_table_streams s;
    sdd_table_open_all(&s, a, m->width.n);
    for (int64_t c = first; c < end && c < first + SDD_TABLE_SOON; c++)
        sdd_table_prefetch_rows(m, (uint32_t)c, soon + c % SDD_TABLE_SOON);
    for (int64_t c = first; c < end;) {
        uint32_t at = a->location[c];
        if (at & SDD_TABLE_OTHER) {
            m->other(m->args, soon + c % SDD_TABLE_SOON, &s);
            sdd_table_prefetch_ahead(m, c++, end, soon);
            continue;
        }
        void *kind = at < a->n_regular_quads ? m->quads : m->rest;
        do {
            m->bicubic(m->args, kind, at, &s);
            sdd_table_prefetch_ahead(m, c++, end, soon);
        } while (c < end && a->location[c] == ++at && at != a->n_regular_quads);
    }
    sdd_table_close_all(&s);
}
#endif
#endif
