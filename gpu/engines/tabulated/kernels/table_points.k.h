/* SPDX-License-Identifier: Apache-2.0 */
/* table_points: all points of a level from those of level 1, or of the control mesh, around them (table_pieces.h);
 * on a GPU rows of three floats alone, others by table_points_n.
 * Shapes  pieces, columns, tables, control[V] rows, from[..] rows of level 1 -> rows of `to` that pieces make: all but
 *         isolated ones
 * Launch  item, points of the other pieces' runs (table_other.h), which take longest, then groups of bicubic pieces; on
 *         a CPU all pieces of as many corners each (table_in_order.h); n: sdd_table_items. On a GPU rows of the
 *         first step may go before them: sdd_table_first_items more
 * Cost    of a bicubic piece 80 B of columns (a GPU: 32 B of a whole quad's) and 12 B of points read, its points
 *         written, 5 multiply-adds a float; of others a multiply-add a column and float, and the table, a GPU
 *         once for 2^log_each pieces of a run
 * Result  table_bicubic.h, table_other.h      Threads any queue */
#ifndef SDD_K_TABLE_POINTS_H
#define SDD_K_TABLE_POINTS_H
#include "gpu/engines/tabulated/kernels/table_in_order.dev.h"

/* log_each: that of a, which may be a constant. */
SDD_FN int64_t sdd_table_other_items(const struct table_points_args *a, int32_t log_each)
{
    return (a->n_runs * sdd_table_run_threads(a->grid.level, log_each) + SDD_TABLE_THREADS - 1) / SDD_TABLE_THREADS;
}

/* Those of the first step of n meshes. */
SDD_FN int64_t sdd_table_first_items(const struct table_points_args *a, int64_t n)
{
    return n * sdd_table_step_items(&a->first);
}

/* Of a mesh, without them. */
SDD_FN int64_t sdd_table_items(const struct table_points_args *a)
{
    const int64_t half = SDD_TABLE_GROUP * SDD_TABLE_ONCE(a->grid.level);
    return sdd_table_other_items(a, a->log_each) + sdd_table_regular_quad_items(a) +
           (a->n_regular - a->n_regular_quads + half - 1) / half;
}

/* Item i, row by row. */
SDD_FN void sdd_table_row_by_row(int64_t i, const struct table_points_args *a, struct sdd_width w)
{
    sdd_table_reference_points(i, sdd_table_items(a), a, w);
}

SDD_FN void r_table_points(int64_t tile, const struct table_points_args *a)
{
    sdd_table_row_by_row(tile, a, sdd_xyz());
}

#ifndef __CUDACC__
/* Pieces of rows of one width, which is a constant for those of three floats. */
struct sdd_table_rows_made {
    const struct table_points_args *pieces;
    struct sdd_width width;
};

SDD_FN void sdd_table_made_bicubic(const void *args, void *kind, int64_t i, struct sdd_table_streams *s)
{
    const struct sdd_table_rows_made *m = args;
    sdd_table_piece(m->pieces, m->width, kind, i, s);
}

SDD_FN void sdd_table_made_other(const void *args, const struct sdd_table_other *o, struct sdd_table_streams *s)
{
    const struct sdd_table_rows_made *m = args;
    sdd_table_other_points(m->pieces, m->width, o, s);
}

SDD_FN void sdd_table_item(int64_t i, const struct table_points_args *a, struct sdd_width w)
{
    int64_t n = sdd_table_items(a), first = sdd_table_first_corner(a, i, n), end = sdd_table_first_corner(a, i + 1, n);
    struct sdd_table_along whole, half;
    const struct sdd_table_rows_made rows = {a, w};
    const struct sdd_table_maker m = {&rows, a, w, &whole, &half, sdd_table_made_bicubic, sdd_table_made_other};
    if (first == end)
        return;
    sdd_table_along_of(a, w, 0, &whole);
    sdd_table_along_of(a, w, a->n_regular_quads, &half);
    sdd_table_in_order(&m, first, end);
}

SDD_FN void k_table_points(int64_t i, const struct table_points_args *a)
{
    sdd_table_item(i, a, sdd_xyz());
}
#endif
#endif
