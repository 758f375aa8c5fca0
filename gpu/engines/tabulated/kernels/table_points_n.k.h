/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_n: table_points of rows of other widths than those of positions and UVs, or of a part of them.
 * Shapes  as table_points      Shape  as table_points; n: sdd_table_items      Cost  as table_points, a float 4 B
 * Result  as table_points, component by component      Threads any queue */
#ifndef SDD_K_TABLE_POINTS_N_H
#define SDD_K_TABLE_POINTS_N_H
#include "gpu/engines/tabulated/kernels/table_points.k.h"

struct table_points_n_args {
    struct table_points_args base;
};

#ifndef __CUDACC__
SDD_FN void k_table_points_n(int64_t i, const struct table_points_n_args *a)
{
    sdd_table_item(i, &a->base, a->base.width);
}
#endif
#endif
