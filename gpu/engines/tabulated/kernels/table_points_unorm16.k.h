/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_unorm16: table_points of positions in 16 bits a number (rows_out.h). A kernel of its own: those of floats
 * need the registers.
 * Shapes  as table_points, `to` rows of u16[4]      Shape  as table_points; n: sdd_table_items
 * Cost    as table_points, 8 B written a point      Result  table_points, quantised      Threads any queue */
#ifndef SDD_K_TABLE_POINTS_UNORM16_H
#define SDD_K_TABLE_POINTS_UNORM16_H
#include "gpu/engines/tabulated/kernels/table_points.k.h"

struct table_points_unorm16_args {
    struct table_points_args base;
};

#ifndef __CUDACC__
SDD_FN void k_table_points_unorm16(int64_t i, const struct table_points_unorm16_args *a)
{
    sdd_table_item(i, &a->base, sdd_xyz());
}
#endif
#endif
