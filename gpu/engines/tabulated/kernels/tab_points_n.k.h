/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_n: tab_points of rows of other widths than those of positions and UVs, or of a part of them.
 * Shapes  as tab_points      Shape  as tab_points; n: sdd_tab_items      Cost  as tab_points, a float 4 B
 * Result  as tab_points, component by component      Threads any queue */
#ifndef SDD_K_TAB_POINTS_N_H
#define SDD_K_TAB_POINTS_N_H
#include "gpu/engines/tabulated/kernels/tab_points.k.h"

struct tab_points_n_args {
    struct tab_points_args base;
};

#ifndef __CUDACC__
SDD_FN void k_tab_points_n(int64_t i, const struct tab_points_n_args *a)
{
    sdd_tab_item(i, &a->base, a->base.width);
}
#endif
#endif
