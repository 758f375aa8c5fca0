/* SPDX-License-Identifier: Apache-2.0 */
/* tab_tri_rows: rows of a level of triangles under Loop from those of level 1 around them (tab_tri_pieces.h).
 * Shapes  pieces, columns, tables, from[..] rows of level 1 -> rows first .. first + n - 1 to `to`, rows of `width`
 * Shape   item: `each` rows, the last perhaps fewer; n items: n / each, rounded up
 * Cost    12 B written a row; of a regular piece 56 B and 12 rows read, cached; a multiply-add a column and float
 * Result  sums of tab_tri_pieces.h; vertices without faces stay where they are
 * Source  Loop 1987      Threads any queue */
#ifndef SDD_K_TAB_TRI_ROWS_H
#define SDD_K_TAB_TRI_ROWS_H
#include "gpu/kernels/tab_tri_pieces.h"
#ifndef __CUDACC__
#include "gpu/kernels/tab_tri_wide.h"
#endif

struct tab_tri_rows_args {
    struct sdd_tri_pieces pieces;
    const float *from;
    float *to;
    struct sdd_width width;
    int64_t first, n;
    int32_t each;
};

/* Row first + i, whatever it is. */
SDD_FN void sdd_tri_put_row(const struct tab_tri_rows_args *a, int64_t i)
{
    uint32_t row = (uint32_t)(a->first + i);
    struct sdd_tri_at at = sdd_tri_at_row(&a->pieces, row);
    sdd_row_put(a->to, (uint32_t)i, a->width,
                at.piece == SDD_NONE ? sdd_row_load(a->from, row, a->width)
                                     : sdd_tri_sum(&a->pieces, a->from, a->width, at));
}

#ifdef __FMA__
/* Rows [low, end) of edge e, whose first row, were it there, is `begin`. */
static inline void sdd_tri_edge_rows(const struct tab_tri_rows_args *a, struct sdd_tri_out *out, uint32_t e,
                                     int64_t begin, int64_t low, int64_t end)
{
    const struct sdd_tri_pieces *p = &a->pieces;
    int32_t h = 1 << (p->level - 1), down;
    int64_t points = sdd_tri_table_rows(h);
    uint32_t c = p->mesh.edge_corner[e];
    struct sdd_tri_seen seen;
    seen.piece = SDD_NONE;
    seen.n = 0;
    seen.at = 0;
    down = p->mesh.vert[c] > p->mesh.vert[sdd_next(&p->mesh.faces, c)];
    while (low < end) {
        int32_t t = (int32_t)(low - begin) + 1;
        struct sdd_tri_some s = sdd_tri_some_of(c, h, down ? 2 * h - t : t, down, end - low);
        if (s.piece != seen.piece)
            sdd_tri_see(p, a->from, a->width, s.piece, &seen);
        sdd_tri_emit(out, low, s.n,
                     sdd_tri_eight(&seen, p->table + seen.at, points, 1, _mm256_loadu_si256((const __m256i *)s.row)));
        low += s.n;
    }
}

/* Rows [low, end) inside triangle f, whose rows begin at `begin`. */
static inline void sdd_tri_inner_rows(const struct tab_tri_rows_args *a, struct sdd_tri_out *out, uint32_t f,
                                      int64_t begin, int64_t low, int64_t end)
{
    const struct sdd_tri_pieces *p = &a->pieces;
    int32_t h = 1 << (p->level - 1);
    int64_t points = sdd_tri_table_rows(h);
    struct sdd_tri_seen seen[4];
    for (uint32_t k = 0; k < 4; k++)
        sdd_tri_see(p, a->from, a->width, 4 * f + k, seen + k);
    for (int32_t j = 1; begin < end; j++)
        for (int32_t k = 0; k < 3; k++) {
            struct sdd_tri_run r = sdd_tri_run_of(f, h, j, k);
            int64_t from = begin > low ? begin : low, to = begin + r.n < end ? begin + r.n : end;
            const struct sdd_tri_seen *s = seen + r.piece % 4;
            const float *w = p->table + s->at + r.table;
            for (; from < to; from += 8)
                sdd_tri_emit(out, from, to - from < 8 ? (int32_t)(to - from) : 8,
                             sdd_tri_eight(s, w + (from - begin), points, 0, _mm256_setzero_si256()));
            begin += r.n;
        }
}
#endif

#ifndef __CUDACC__
SDD_FN void k_tab_tri_rows(int64_t i, const struct tab_tri_rows_args *a)
{
    int64_t low = i * a->each, high = low + a->each < a->n ? low + a->each : a->n;
#ifdef __FMA__
    const struct sdd_control *m = &a->pieces.mesh;
    int64_t along = ((int64_t)1 << a->pieces.level) - 1, each = along * (along - 1) / 2;
    int64_t lines = (int64_t)m->n_vertices - a->first, inside = lines + m->n_edges * along;
    struct sdd_tri_out out;
    out.tile.n = 0;
    out.to = a->to;
    out.width = a->width;
    for (; low < high && low < lines; low++)
        sdd_tri_put_row(a, low);
    while (low < high) {
        int64_t first = low < inside ? lines : inside, size = low < inside ? along : each, k = (low - first) / size;
        int64_t begin = first + k * size, end = begin + size < high ? begin + size : high;
        if (low < inside)
            sdd_tri_edge_rows(a, &out, (uint32_t)k, begin, low, end);
        else
            sdd_tri_inner_rows(a, &out, (uint32_t)k, begin, low, end);
        low = end;
    }
    sdd_tab_flush(&out.tile);
    _mm_sfence();
#endif
    for (; low < high; low++)
        sdd_tri_put_row(a, low);
}
#endif
#endif
