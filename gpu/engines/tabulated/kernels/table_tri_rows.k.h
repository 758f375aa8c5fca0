/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_rows: makes rows of a level of triangles under Loop from the rows of level 1 around them
 * (table_tri_pieces.dev.h).
 * Shapes  pieces, columns, tables, from[..] rows of level 1, as sdd_table_load reads them -> rows first to first + n
 *         - 1 in `to`, which have `width` floats, or 16 bits a number (as)
 * Launch  item, `each` rows; n / each items, rounded up, and the last may have fewer rows. With by_triangles set,
 *         which is for a GPU only, the items are those that sdd_tri_items counts, and make all rows of a level.
 * Cost    12 B written a row. A regular piece reads 56 B and 12 rows, with by_triangles once, otherwise for each
 *         row, cached. A float takes a multiply-add a column.
 * Result  The sums of table_tri_pieces.dev.h. Vertices without faces stay where they are.
 * Threads any queue
 * Source  Loop 1987 */
#ifndef SDD_K_TABLE_TRI_ROWS_H
#define SDD_K_TABLE_TRI_ROWS_H
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"
#ifndef __CUDACC__
#include "gpu/engines/tabulated/kernels/table_tri_wide.dev.h"
#endif

struct table_tri_rows_args {
    struct sdd_tri_pieces pieces;
    const float *from;
    float *to;
    struct sdd_width width;
    struct sdd_rows_as as;
    int64_t first, n;
    int32_t each, by_triangles;
};

/* Writes row first + i, whatever kind of row it is. */
SDD_FN void sdd_tri_put_row(const struct table_tri_rows_args *a, int64_t i)
{
    uint32_t row = (uint32_t)(a->first + i);
    struct sdd_tri_at at = sdd_tri_at_row(&a->pieces, row);
    const int32_t n = a->width.n; /* In most calls this is a constant. */
    sdd_row_out(a->to, &a->as, (uint32_t)i, a->width,
                at.piece == SDD_NONE ? sdd_table_load(a->from, row, n)
                : n == 3             ? sdd_tri_sum(&a->pieces, a->from, 3, at)
                                     : sdd_tri_sum(&a->pieces, a->from, n, at));
}

SDD_FN void r_table_tri_rows(int64_t tile, const struct table_tri_rows_args *a)
{
    const int64_t n = sdd_tri_items(&a->pieces); /* Used only if by_triangles is set. */
    const int64_t low = a->by_triangles ? a->n * tile / n : tile * a->each;
    const int64_t high = a->by_triangles ? a->n * (tile + 1) / n : low + a->each < a->n ? low + a->each : a->n;
    SDD_EACH (k, (int32_t)(high - low))
        sdd_tri_put_row(a, low + k);
}

#ifndef __CUDACC__
static inline void sdd_tri_see_rows(const void *args, uint32_t piece, struct sdd_tri_seen *s)
{
    const struct table_tri_rows_args *a = args;
    sdd_tri_see(&a->pieces, a->from, a->width, piece, s);
}

static inline void sdd_tri_see_points(const void *args, uint32_t piece, struct sdd_tri_seen *s)
{
    const struct table_tri_rows_args *a = args;
    sdd_tri_see(&a->pieces, a->from, sdd_xyz(), piece, s);
}

static inline void sdd_tri_make_rows(const void *args, const struct sdd_tri_seen *s, int64_t first, int32_t n,
                                     float *rows)
{
    const struct table_tri_rows_args *a = args;
    sdd_table_rows_of(a->pieces.table + s->at + first, sdd_tri_table_rows(1 << (a->pieces.level - 1)), n, s->p, s->n,
                      a->width.n, rows);
}

SDD_FN void k_table_tri_rows(int64_t i, const struct table_tri_rows_args *a)
{
    int64_t low = i * a->each, high = low + a->each < a->n ? low + a->each : a->n;
    for (; low < high && low < (int64_t)a->pieces.mesh.n_vertices - a->first; low++)
        sdd_tri_put_row(a, low);
    if (a->width.n == 3 && a->width.stride == 3) /* The width is a constant in this branch. */
        sdd_tri_walk(&a->pieces, a, a->first, low, high, a->to, a->as, sdd_xyz(), sdd_tri_see_points,
                     sdd_tri_make_rows);
    else
        sdd_tri_walk(&a->pieces, a, a->first, low, high, a->to, a->as, a->width, sdd_tri_see_rows, sdd_tri_make_rows);
}
#endif
#endif
