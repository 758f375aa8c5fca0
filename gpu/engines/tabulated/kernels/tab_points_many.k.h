/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_many: tab_points of several meshes of one topology: a kernel of its own, so that one mesh waits for
 * nothing that many need.
 * Shapes  as tab_points, control, from and to of each mesh
 * Shape   as tab_points; n: sdd_tab_items of each mesh. On a GPU sdd_tab_first_items of all may go before them
 * Cost    as tab_points      Result  as tab_points, mesh by mesh      Threads any queue */
#ifndef SDD_K_TAB_POINTS_MANY_H
#define SDD_K_TAB_POINTS_MANY_H
#include "gpu/engines/tabulated/kernels/tab_abreast.dev.h"
#include "gpu/engines/tabulated/kernels/tab_points.k.h"

struct tab_points_many_args {
    struct tab_points_args of; /* its own rows are not looked at */
    const float *control[SDD_TAB_ABREAST];
    struct sdd_abreast rows;
};

SDD_FN struct tab_points_args sdd_tab_points_of(const struct tab_points_many_args *a, int64_t k)
{
    struct tab_points_args one = a->of;
    one.control = a->control[k];
    one.from = a->rows.from[k];
    one.to = a->rows.to[k];
    return one;
}

#ifndef __CUDACC__
SDD_FN void k_tab_points_many(int64_t i, const struct tab_points_many_args *a)
{
    int64_t n = sdd_tab_items(&a->of), k = i / n;
    struct tab_points_args one = sdd_tab_points_of(a, k);
    sdd_tab_item(i - k * n, &one, sdd_xyz());
}
#endif
#endif
