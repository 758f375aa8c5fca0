/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_unorm16: tab_points of positions in 16 bits a number (rows_out.h). A kernel of its own: those of floats
 * need the registers.
 * Shapes  as tab_points, `to` rows of u16[4]      Shape  as tab_points; n: sdd_tab_items
 * Cost    as tab_points, 8 B written a point      Result  tab_points, quantised      Threads any queue */
#ifndef SDD_K_TAB_POINTS_UNORM16_H
#define SDD_K_TAB_POINTS_UNORM16_H
#include "gpu/engines/tabulated/kernels/tab_points.k.h"

struct tab_points_unorm16_args {
    struct tab_points_args base;
};

#ifndef __CUDACC__
SDD_FN void k_tab_points_unorm16(int64_t i, const struct tab_points_unorm16_args *a)
{
    sdd_tab_item(i, &a->base, sdd_xyz());
}
#endif
#endif
