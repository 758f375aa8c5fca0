/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_uv: tab_points of rows of two floats that follow each other, or of their halves (rows_out.h). A kernel of
 * its own: those of other widths need the registers.
 * Shapes  as tab_points, `to` rows of f32[2] or f16[2]      Shape  as tab_points; n: sdd_tab_items
 * Cost    as tab_points, 8 or 4 B written a point      Result  tab_points, component by component
 * Threads any queue */
#ifndef SDD_K_TAB_POINTS_UV_H
#define SDD_K_TAB_POINTS_UV_H
#include "gpu/engines/tabulated/kernels/tab_points.k.h"

struct tab_points_uv_args {
    struct tab_points_args base;
};

#ifndef __CUDACC__
SDD_FN void k_tab_points_uv(int64_t i, const struct tab_points_uv_args *a)
{
    sdd_tab_item(i, &a->base, sdd_uv());
}
#endif
#endif
