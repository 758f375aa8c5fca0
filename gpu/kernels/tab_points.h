/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points: all points of a level from those of level 1, or of the control mesh, around them (tab_pieces.h); on a GPU
 * rows of three floats alone, others by tab_points_n.
 * Shapes  pieces, columns, tables, control[V] rows, from[..] rows of level 1 -> rows of `to` that pieces make: all but
 *         isolated ones
 * Shape   item, points of the other pieces' runs (tab_other.h), which take longest, then groups of bicubic pieces;
 *         n: sdd_tab_items. On a GPU rows of the first step may go before them: sdd_tab_first_items more
 * Cost    of a bicubic piece 80 B of columns (a GPU: 32 B of a whole quad's) and 12 B of points read, its points
 *         written, 6 multiply-adds a float; of others a multiply-add a column and float, and the table once a run
 * Result  tab_bicubic.h, tab_other.h      Threads any queue */
#ifndef SDD_K_TAB_POINTS_H
#define SDD_K_TAB_POINTS_H
#include "gpu/kernels/tab_bicubic.h"
#include "gpu/kernels/tab_other.h"

SDD_FN int64_t sdd_tab_other_items(const struct tab_points_args *a)
{
    return (a->n_runs * sdd_tab_run_threads(a) + SDD_TAB_THREADS - 1) / SDD_TAB_THREADS;
}

/* Those of the first step of n meshes. */
SDD_FN int64_t sdd_tab_first_items(const struct tab_points_args *a, int64_t n)
{
    return (n * a->first.n_rows + SDD_TAB_THREADS - 1) / SDD_TAB_THREADS;
}

/* Of a mesh, without them. */
SDD_FN int64_t sdd_tab_items(const struct tab_points_args *a)
{
    int64_t n = SDD_TAB_GROUP * a->each;
    return sdd_tab_other_items(a) + (a->n_whole + n - 1) / n + (a->n_regular - a->n_whole + n - 1) / n;
}

#ifndef __CUDACC__
/* w: the width, which is a constant for rows of three floats. */
SDD_FN void sdd_tab_item(int64_t i, const struct tab_points_args *a, struct sdd_width w)
{
    int64_t others = sdd_tab_other_items(a);
    if (i < others)
        sdd_tab_other_item(a, a, w, i, sdd_tab_other_points);
    else
        sdd_tab_bicubic_group(a, w, i - others);
}

SDD_FN void k_tab_points(int64_t i, const struct tab_points_args *a)
{
    sdd_tab_item(i, a, sdd_xyz());
}
#endif
#endif
