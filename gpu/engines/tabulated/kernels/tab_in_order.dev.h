/* SPDX-License-Identifier: Apache-2.0 */
/* tab_in_order.h: a CPU makes pieces as their corners follow each other, of whatever kind: what is side by side
 * in memory is written together, in whole lines. */
#ifndef SDD_TAB_IN_ORDER_H
#define SDD_TAB_IN_ORDER_H
#include "gpu/engines/tabulated/kernels/tab_bicubic.dev.h"
#include "gpu/engines/tabulated/kernels/tab_other.dev.h"

#ifndef __CUDACC__
#define SDD_TAB_SOON 4 /* pieces on, whose points, and the rows they are made of, are asked for, .. */
#define SDD_TAB_FAR 16 /* .. whose columns are, and, twice as far, what tells where those of others are */

/* What a kernel makes, with its arguments: of bicubic piece i, by what pieces of its kind share, and of another. */
typedef void sdd_tab_bicubic_fn(const void *args, void *kind, int64_t i, struct sdd_tab_streams *s);
typedef void sdd_tab_other_fn(const void *args, const struct sdd_tab_other *o, struct sdd_tab_streams *s);
struct sdd_tab_maker {
    const void *args;
    const struct tab_points_args *pieces;
    struct sdd_width width;
    void *whole, *half; /* the kinds: those of whole quads, and others */
    sdd_tab_bicubic_fn *bicubic;
    sdd_tab_other_fn *other;
};

/* Asks for the rows of level 1 that a piece is made of, and for the lines at its bottom. */
SDD_FN void sdd_tab_look(const struct sdd_tab_maker *m, uint32_t c, struct sdd_tab_other *o)
{
    const struct tab_points_args *a = m->pieces;
    uint32_t i = a->where[c], bottom;
    const uint32_t *column;
    int32_t n = 0;
    if (i & SDD_TAB_OTHER) {
        *o = sdd_tab_other_of(a, i & ~SDD_TAB_OTHER);
        column = o->column;
        n = o->table->n_columns;
        bottom = o->to.bottom;
    } else {
        column = a->regular_column + SDD_TAB_REGULAR * (size_t)i;
        n = i < a->n_whole ? 0 : SDD_TAB_REGULAR; /* control rows are few */
        bottom = sdd_tab_bottom(&a->grid, a->regular + i);
    }
    for (int32_t k = 0; k < n; k++)
        __builtin_prefetch(a->from + (size_t)sdd_tab_width(m->width.n).stride * column[k]);
    sdd_tab_soon(a, m->width, bottom);
}

/* Asks for the columns of a piece. */
SDD_FN void sdd_tab_ask(const struct tab_points_args *a, uint32_t c)
{
    uint32_t i = a->where[c], other = i & ~SDD_TAB_OTHER;
    if (i & SDD_TAB_OTHER) {
        const uint32_t *column = sdd_tab_columns_of(a, sdd_tab_table_of(a, other), other);
        __builtin_prefetch(column);
        __builtin_prefetch(column + SDD_TAB_REGULAR);
    } else {
        __builtin_prefetch(a->regular_column + SDD_TAB_REGULAR * (size_t)i);
        __builtin_prefetch(a->regular + i);
    }
}

/* And for what tells where those of one that is not bicubic are. */
SDD_FN void sdd_tab_ask_where(const struct tab_points_args *a, uint32_t c)
{
    if (a->where[c] & SDD_TAB_OTHER)
        __builtin_prefetch(a->other + (a->where[c] & ~SDD_TAB_OTHER));
}

/* What pieces of later corners need. */
SDD_FN void sdd_tab_ahead(const struct sdd_tab_maker *m, int64_t c, int64_t end, struct sdd_tab_other *soon)
{
    if (c + SDD_TAB_SOON < end)
        sdd_tab_look(m, (uint32_t)(c + SDD_TAB_SOON), soon + (c + SDD_TAB_SOON) % SDD_TAB_SOON);
    if (c + SDD_TAB_FAR < end)
        sdd_tab_ask(m->pieces, (uint32_t)(c + SDD_TAB_FAR));
    if (c + 2 * SDD_TAB_FAR < end)
        sdd_tab_ask_where(m->pieces, (uint32_t)(c + 2 * SDD_TAB_FAR));
}

/* Of item i of n, each of which has as many corners as others: the first; that of i + 1 is the end. */
SDD_FN int64_t sdd_tab_first_corner(const struct tab_points_args *a, int64_t i, int64_t n)
{
    return (int64_t)a->grid.n_corners * i / n;
}

/* The pieces of corners [first, end). */
SDD_FN void sdd_tab_in_order(const struct sdd_tab_maker *m, int64_t first, int64_t end)
{
    const struct tab_points_args *a = m->pieces;
    struct sdd_tab_other soon[SDD_TAB_SOON];
    struct sdd_tab_streams s;
    sdd_tab_open_all(&s, a, m->width.n);
    for (int64_t c = first; c < end && c < first + SDD_TAB_SOON; c++)
        sdd_tab_look(m, (uint32_t)c, soon + c % SDD_TAB_SOON);
    for (int64_t c = first; c < end;) {
        uint32_t at = a->where[c];
        if (at & SDD_TAB_OTHER) {
            m->other(m->args, soon + c % SDD_TAB_SOON, &s);
            sdd_tab_ahead(m, c++, end, soon);
            continue;
        }
        void *kind = at < a->n_whole ? m->whole : m->half;
        do {
            m->bicubic(m->args, kind, at, &s);
            sdd_tab_ahead(m, c++, end, soon);
        } while (c < end && a->where[c] == ++at && at != a->n_whole);
    }
    sdd_tab_close_all(&s);
}
#endif
#endif
