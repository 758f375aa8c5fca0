/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_wide.dev.h: makes what table_tri_pieces.dev.h makes, for as many points at a time as the registers of a
 * CPU hold. The bits are the same. */
#ifndef SDD_TABLE_TRI_WIDE_H
#define SDD_TABLE_TRI_WIDE_H
#include "gpu/engines/tabulated/kernels/table_other.dev.h"
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"

#define SDD_TRI_POINTS ((SDD_TABLE_SIDE + 1) * (SDD_TABLE_SIDE + 2) / 2) /* The most points of a piece. */
/* The most floats of the rows of these points, and of what is written beyond them. */
#define SDD_TRI_FLOATS (3 * (SDD_TRI_POINTS + SDD_LANES))

/* A piece whose points are being made: its class, its number of columns and their points. */
struct sdd_tri_seen {
    uint32_t class_of;
    int32_t n;
    int64_t at; /* Where its table begins. */
    struct sdd_vec3 p[SDD_TRI_COLUMNS];
};

static inline void sdd_tri_see(const struct sdd_tri_pieces *a, const float *from, struct sdd_width width,
                               uint32_t piece, struct sdd_tri_seen *s)
{
    struct sdd_tri_piece of = a->piece[piece];
    s->class_of = of.class_of;
    s->n = a->classes[of.class_of].n_columns;
    s->at = a->classes[of.class_of].table * sdd_tri_table_rows(1 << (a->level - 1));
    for (int32_t j = 0; j < s->n; j++)
        s->p[j] = sdd_table_load(from, a->column[of.column + (uint32_t)j], width.n);
}

/* Where rows go, in ascending order. */
struct sdd_tri_out {
    struct sdd_row_stream stream;
    struct sdd_width width;
};

/* Writes rows row to row + n - 1. It reads a few floats beyond the last. */
SDD_FN void sdd_tri_emit(struct sdd_tri_out *o, int64_t row, int32_t n, const float *from)
{
    const struct sdd_width w = o->width;
    if (w.n == w.stride) {
        sdd_wide_copy(sdd_stream_room(&o->stream, (size_t)(w.n * row), w.n * n), from, w.n * n);
        return;
    }
    for (int32_t k = 0; k < n; k++, from += w.n)
        sdd_row_out(o->stream.to, &o->stream.as, (uint32_t)(row + k), w,
                    sdd_vec3_of(from[0], w.n > 1 ? from[1] : 0.0f, w.n > 2 ? from[2] : 0.0f));
}

/* Consecutive rows of points inside a triangle that belong to one piece, from row `table` of its table on. */
struct sdd_tri_run {
    uint32_t piece;
    int32_t table, n;
};

/* The k-th of the three stretches of points of one piece on line j of triangle f, in the order of i. n may be 0. */
static inline struct sdd_tri_run sdd_tri_run_of(uint32_t f, int32_t h, int32_t j, int32_t k)
{
    struct sdd_tri_run r;
    int32_t corner = j >= h ? 2 : k == 0 ? 0 : k == 1 ? SDD_TRI_MIDDLE : 1;
    r.piece = 4 * f + (uint32_t)corner;
    r.table = corner == SDD_TRI_MIDDLE ? sdd_tri_rotated(j) + 1
              : corner == 2            ? sdd_tri_upright(h, 1, j - h)
                                       : sdd_tri_upright(h, corner == 0, j);
    r.n = j >= h ? (k ? 0 : 2 * h - 1 - j) : k == 1 ? j - 1 : h - j;
    return r;
}

/* How a kernel loads a piece, and how it makes n rows of it, at most all its points, from `first` on. Both are
 * constants where they are called. */
typedef void sdd_tri_see_fn(const void *args, uint32_t piece, struct sdd_tri_seen *s);
typedef void sdd_tri_make_fn(const void *args, const struct sdd_tri_seen *s, int64_t first, int32_t n, float *rows);

/* Makes n rows of a piece, from row `first` of its table on, and writes them as rows from `row` on. */
SDD_FN void sdd_tri_run_rows(const void *args, struct sdd_tri_out *out, const struct sdd_tri_seen *s, int64_t first,
                             int64_t row, int64_t n, sdd_tri_make_fn *make)
{
    float rows[SDD_TRI_FLOATS];
    if (n <= 0)
        return;
    make(args, s, first, (int32_t)n, rows);
    sdd_tri_emit(out, row, (int32_t)n, rows);
}

/* Does the same for the n rows of the table that end with `last`, backwards. */
SDD_FN void sdd_tri_run_back(const void *args, struct sdd_tri_out *out, const struct sdd_tri_seen *s, int64_t last,
                             int64_t row, int64_t n, sdd_tri_make_fn *make)
{
    float rows[SDD_TRI_FLOATS], back[SDD_TRI_FLOATS];
    const int32_t w = out->width.n;
    make(args, s, last - n + 1, (int32_t)n, rows);
    for (int64_t k = 0; k < n; k++)
        for (int32_t c = 0; c < w; c++)
            back[w * k + c] = rows[w * (n - 1 - k) + c];
    sdd_tri_emit(out, row, (int32_t)n, back);
}

/* Writes rows low to end - 1, which are on edge e, whose first row is `begin`. */
SDD_FN void sdd_tri_edge_rows(const struct sdd_tri_pieces *p, const void *args, struct sdd_tri_out *out, uint32_t e,
                              int64_t begin, int64_t low, int64_t end, sdd_tri_see_fn *see, sdd_tri_make_fn *make)
{
    int32_t h = 1 << (p->level - 1);
    uint32_t c = p->mesh.edge_corner[e];
    int32_t down = p->mesh.vert[c] > p->mesh.vert[sdd_next(&p->mesh.faces, c)];
    while (low < end) {
        int32_t t = (int32_t)(low - begin) + 1;
        t = down ? 2 * h - t : t;
        /* How many of the next rows are of one piece. */
        int64_t n = down ? (t <= h ? t : t - h) : (t <= h ? h + 1 : 2 * h) - t;
        struct sdd_tri_at at = sdd_tri_at_edge(c, h, t);
        struct sdd_tri_seen seen;
        n = n < end - low ? n : end - low;
        see(args, at.piece, &seen);
        if (down)
            sdd_tri_run_back(args, out, &seen, at.row, low, n, make);
        else
            sdd_tri_run_rows(args, out, &seen, at.row, low, n, make);
        low += n;
    }
}

/* Writes rows low to end - 1, which are inside triangle f, whose first row is `begin`. It does so line by line. If they
 * are all rows of the triangle, the points of its pieces are made at once before that. */
SDD_FN void sdd_tri_inner_rows(const struct sdd_tri_pieces *p, const void *args, struct sdd_tri_out *out, uint32_t f,
                               int64_t begin, int64_t low, int64_t end, sdd_tri_see_fn *see, sdd_tri_make_fn *make)
{
    int32_t h = 1 << (p->level - 1), along = 2 * h - 1, whole = end - low == along * (along - 1) / 2;
    struct sdd_tri_seen seen[4];
    float rows[4][SDD_TRI_FLOATS];
    for (uint32_t k = 0; k < 4; k++) {
        see(args, 4 * f + k, seen + k);
        if (whole)
            make(args, seen + k, 0, sdd_tri_points(h), rows[k]);
    }
    for (int32_t j = 1; begin < end; j++)
        for (int32_t k = 0; k < 3; k++) {
            struct sdd_tri_run r = sdd_tri_run_of(f, h, j, k);
            int64_t from = begin > low ? begin : low, to = begin + r.n < end ? begin + r.n : end;
            if (whole)
                sdd_tri_emit(out, begin, r.n, rows[r.piece % 4] + out->width.n * r.table);
            else
                sdd_tri_run_rows(args, out, seen + r.piece % 4, r.table + (from - begin), from, to - from, make);
            begin += r.n;
        }
}

/* Writes rows low to high - 1, which come after the control vertices. Row numbers count from row `first` of the
 * level. */
SDD_FN void sdd_tri_walk(const struct sdd_tri_pieces *p, const void *args, int64_t first, int64_t low, int64_t high,
                         float *to, struct sdd_rows_as as, struct sdd_width width, sdd_tri_see_fn *see,
                         sdd_tri_make_fn *make)
{
    int64_t along = ((int64_t)1 << p->level) - 1, each = along * (along - 1) / 2;
    int64_t lines = (int64_t)p->mesh.n_vertices - first, inside = lines + p->mesh.n_edges * along;
    struct sdd_tri_out out;
    sdd_stream_open(&out.stream, to, as, width.n);
    out.width = width;
    while (low < high) {
        int64_t begin = low < inside ? lines : inside, size = low < inside ? along : each, k = (low - begin) / size;
        begin += k * size;
        int64_t end = begin + size < high ? begin + size : high;
        if (low < inside)
            sdd_tri_edge_rows(p, args, &out, (uint32_t)k, begin, low, end, see, make);
        else
            sdd_tri_inner_rows(p, args, &out, (uint32_t)k, begin, low, end, see, make);
        low = end;
    }
    sdd_stream_close(&out.stream);
}
#endif
