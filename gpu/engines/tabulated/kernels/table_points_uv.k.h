/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_uv: table_points of rows of two floats that follow each other, or of their halves (rows_out.h). A kernel of
 * its own: those of other widths need the registers.
 * Shapes  as table_points, `to` rows of f32[2] or f16[2]      Shape  as table_points; n: sdd_table_items
 * Cost    as table_points, 8 or 4 B written a point      Result  table_points, component by component
 * Threads any queue */
#ifndef SDD_K_TABLE_POINTS_UV_H
#define SDD_K_TABLE_POINTS_UV_H
#include "gpu/engines/tabulated/kernels/table_points.k.h"

struct table_points_uv_args {
    struct table_points_args base;
};

#ifndef __CUDACC__
SDD_FN void k_table_points_uv(int64_t i, const struct table_points_uv_args *a)
{
    sdd_table_item(i, &a->base, sdd_uv());
}
#endif
#endif
