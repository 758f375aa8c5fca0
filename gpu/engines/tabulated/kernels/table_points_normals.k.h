/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_normals: does the work of table_points and of table_normals for one level in one launch. While some
 * warps wait for memory, others compute.
 * Shapes  as table_normals with by_pieces set; `to` takes the rows of points, in the format `as`
 * Launch  item, n = twice sdd_table_items; items of table_points and of table_normals alternate. On a GPU the items
 *         of a fused first pass may go before them, as in table_points.
 * Cost    that of both
 * Result  that of both
 * Threads any queue */
#ifndef SDD_K_TABLE_POINTS_NORMALS_H
#define SDD_K_TABLE_POINTS_NORMALS_H
#include "gpu/engines/tabulated/kernels/table_normals.k.h"

struct table_points_normals_args {
    struct table_normals_args normals;
    float *to;
    struct sdd_rows_as as;
};

SDD_FN struct table_points_args sdd_table_frame_points(const struct table_points_normals_args *a)
{
    struct table_points_args points = a->normals.rows.pieces;
    points.to = a->to;
    points.as = a->as;
    return points;
}

SDD_FN void r_table_points_normals(int64_t tile, const struct table_points_normals_args *a)
{
    if (tile % 2) {
        r_table_normals(tile / 2, &a->normals);
    } else {
        const struct table_points_args points = sdd_table_frame_points(a);
        r_table_points(tile / 2, &points);
    }
}

#ifndef __CUDACC__
SDD_FN void k_table_points_normals(int64_t i, const struct table_points_normals_args *a)
{
    if (i % 2) {
        sdd_table_normals_item(i / 2, &a->normals);
    } else {
        const struct table_points_args points = sdd_table_frame_points(a);
        sdd_table_item(i / 2, &points, sdd_xyz());
    }
}
#endif
#endif
