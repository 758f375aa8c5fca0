/* SPDX-License-Identifier: Apache-2.0 */
/* table_points: makes all points of a level from the rows of level 1, or of the control mesh, around them
 * (table_pieces.dev.h). On a GPU it makes rows of three floats only, and table_points_n makes others.
 * Shapes  pieces, columns, tables, control[V] rows, from[..] rows of level 1 -> all rows of `to` but those of
 *         isolated vertices
 * Launch  item, n = sdd_table_items. On a GPU, points of the runs come first (table_other.dev.h), as they take
 *         longest, then groups of bicubic pieces; sdd_table_first_items more items may go before them, which make
 *         the rows of a fused first pass. On a CPU each item has the pieces of as many corners as any other
 *         (table_in_order.dev.h).
 * Cost    A bicubic piece reads 80 B of columns (a GPU reads 32 B of a regular quad's) and 12 B a point around it,
 *         with 5 multiply-adds a float. Another piece takes a multiply-add a column and float, and reads its table,
 *         which a GPU does once for 2^log_each pieces of a run. Both write their points.
 * Result  The sums of table_bicubic.dev.h and table_other.dev.h.
 * Threads any queue */
#ifndef SDD_K_TABLE_POINTS_H
#define SDD_K_TABLE_POINTS_H
#include "gpu/engines/tabulated/kernels/table_in_order.dev.h"

/* The number of items for pieces that are not bicubic. log_each is a->log_each, and may be passed as a constant. */
SDD_FN int64_t sdd_table_other_items(const struct table_points_args *a, int32_t log_each)
{
    return (a->n_runs * sdd_table_run_threads(a->grid.level, log_each) + SDD_TABLE_THREADS - 1) / SDD_TABLE_THREADS;
}

/* The number of items of the first pass of n meshes. */
SDD_FN int64_t sdd_table_first_items(const struct table_points_args *a, int64_t n)
{
    return n * sdd_table_step_items(&a->first);
}

/* The number of items of a mesh, without those of the first pass. */
SDD_FN int64_t sdd_table_items(const struct table_points_args *a)
{
    const int64_t half = SDD_TABLE_GROUP * SDD_TABLE_ONCE(a->grid.level);
    return sdd_table_other_items(a, a->log_each) + sdd_table_regular_quad_items(a) +
           (a->n_regular - a->n_regular_quads + half - 1) / half;
}

/* Makes item i point by point, as the reference does. */
SDD_FN void sdd_table_row_by_row(int64_t i, const struct table_points_args *a, struct sdd_width w)
{
    sdd_table_reference_points(i, sdd_table_items(a), a, w);
}

SDD_FN void r_table_points(int64_t tile, const struct table_points_args *a)
{
    sdd_table_row_by_row(tile, a, sdd_xyz());
}

#ifndef __CUDACC__
/* The arguments of a kernel, and the width of its rows, which is a constant for rows of three floats. */
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
    struct sdd_table_along quads, rest;
    const struct sdd_table_rows_made rows = {a, w};
    const struct sdd_table_maker m = {&rows, a, w, &quads, &rest, sdd_table_made_bicubic, sdd_table_made_other};
    if (first == end)
        return;
    sdd_table_along_of(a, w, 0, &quads);
    sdd_table_along_of(a, w, a->n_regular_quads, &rest);
    sdd_table_in_order(&m, first, end);
}

SDD_FN void k_table_points(int64_t i, const struct table_points_args *a)
{
    sdd_table_item(i, a, sdd_xyz());
}
#endif
#endif
