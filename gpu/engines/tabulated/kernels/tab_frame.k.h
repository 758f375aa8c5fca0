/* SPDX-License-Identifier: Apache-2.0 */
/* tab_frame: tab_points and tab_normals of a level in one launch: while some warps wait for memory others compute.
 * Shapes  as tab_normals, by_pieces; to: rows of points, `as`
 * Shape   items of tab_points and of tab_normals in turn; n: twice sdd_tab_items. On a GPU rows of the first step may
 *         go before them, as in tab_points
 * Cost    as both      Result  as both      Threads any queue */
#ifndef SDD_K_TAB_FRAME_H
#define SDD_K_TAB_FRAME_H
#include "gpu/engines/tabulated/kernels/tab_normals.k.h"

struct tab_frame_args {
    struct tab_normals_args normals;
    float *to;
    struct sdd_rows_as as;
};

SDD_FN struct tab_points_args sdd_tab_frame_points(const struct tab_frame_args *a)
{
    struct tab_points_args points = a->normals.rows.pieces;
    points.to = a->to;
    points.as = a->as;
    return points;
}

#ifndef __CUDACC__
SDD_FN void k_tab_frame(int64_t i, const struct tab_frame_args *a)
{
    if (i % 2) {
        sdd_tab_normals_item(i / 2, &a->normals);
    } else {
        const struct tab_points_args points = sdd_tab_frame_points(a);
        sdd_tab_item(i / 2, &points, sdd_xyz());
    }
}
#endif
#endif
