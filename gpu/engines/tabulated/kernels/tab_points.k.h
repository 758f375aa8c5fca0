/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points: all points of a level from those of level 1, or of the control mesh, around them (tab_pieces.h); on a GPU
 * rows of three floats alone, others by tab_points_n.
 * Shapes  pieces, columns, tables, control[V] rows, from[..] rows of level 1 -> rows of `to` that pieces make: all but
 *         isolated ones
 * Shape   item, points of the other pieces' runs (tab_other.h), which take longest, then groups of bicubic pieces; on
 *         a CPU all pieces of as many corners each (tab_in_order.h); n: sdd_tab_items. On a GPU rows of the first step
 *         may go before them: sdd_tab_first_items more
 * Cost    of a bicubic piece 80 B of columns (a GPU: 32 B of a whole quad's) and 12 B of points read, its points
 *         written, 5 multiply-adds a float; of others a multiply-add a column and float, and the table, a GPU
 *         once for 2^log_each pieces of a run
 * Result  tab_bicubic.h, tab_other.h      Threads any queue */
#ifndef SDD_K_TAB_POINTS_H
#define SDD_K_TAB_POINTS_H
#include "gpu/engines/tabulated/kernels/tab_in_order.dev.h"

/* log_each: that of a, which may be a constant. */
SDD_FN int64_t sdd_tab_other_items(const struct tab_points_args *a, int32_t log_each)
{
    return (a->n_runs * sdd_tab_run_threads(a->grid.level, log_each) + SDD_TAB_THREADS - 1) / SDD_TAB_THREADS;
}

/* Those of the first step of n meshes. */
SDD_FN int64_t sdd_tab_first_items(const struct tab_points_args *a, int64_t n)
{
    return n * sdd_tab_step_items(&a->first);
}

/* Of a mesh, without them. */
SDD_FN int64_t sdd_tab_items(const struct tab_points_args *a)
{
    const int64_t half = SDD_TAB_GROUP * SDD_TAB_ONCE(a->grid.level);
    return sdd_tab_other_items(a, a->log_each) + sdd_tab_whole_items(a) + (a->n_regular - a->n_whole + half - 1) / half;
}

#ifndef __CUDACC__
/* Pieces of rows of one width, which is a constant for those of three floats. */
struct sdd_tab_rows_made {
    const struct tab_points_args *pieces;
    struct sdd_width width;
};

SDD_FN void sdd_tab_made_bicubic(const void *args, void *kind, int64_t i, struct sdd_tab_streams *s)
{
    const struct sdd_tab_rows_made *m = args;
    sdd_tab_piece(m->pieces, m->width, kind, i, s);
}

SDD_FN void sdd_tab_made_other(const void *args, const struct sdd_tab_other *o, struct sdd_tab_streams *s)
{
    const struct sdd_tab_rows_made *m = args;
    sdd_tab_other_points(m->pieces, m->width, o, s);
}

SDD_FN void sdd_tab_item(int64_t i, const struct tab_points_args *a, struct sdd_width w)
{
    int64_t n = sdd_tab_items(a), first = sdd_tab_first_corner(a, i, n), end = sdd_tab_first_corner(a, i + 1, n);
    struct sdd_tab_along whole, half;
    const struct sdd_tab_rows_made rows = {a, w};
    const struct sdd_tab_maker m = {&rows, a, w, &whole, &half, sdd_tab_made_bicubic, sdd_tab_made_other};
    if (first == end)
        return;
    sdd_tab_along_of(a, w, 0, &whole);
    sdd_tab_along_of(a, w, a->n_whole, &half);
    sdd_tab_in_order(&m, first, end);
}

SDD_FN void k_tab_points(int64_t i, const struct tab_points_args *a)
{
    sdd_tab_item(i, a, sdd_xyz());
}
#endif
#endif
