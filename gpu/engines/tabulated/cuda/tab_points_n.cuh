/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_n.cuh: tab_points.cuh for rows of other widths: a kernel of its own, as together they would take more
 * registers than there are. */
#ifndef SDD_TAB_POINTS_N_CUH
#define SDD_TAB_POINTS_N_CUH
#include "gpu/engines/tabulated/cuda/tab_points.cuh"
#include "gpu/engines/tabulated/kernels/tab_points_n.k.h"

enum { tab_points_n_threads = tab_points_threads };

static __global__ void __launch_bounds__(tab_points_n_threads, 4)
    g_tab_points_n(const int64_t n, const __grid_constant__ tab_points_n_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    (void)n;
    if (tab_ahead(a.base, a.base.width))
        return;
    if (a.base.width.n == 3)
        tab_block<3, tab_strided>(a.base, bases, &s);
    else if (a.base.width.n == 2)
        tab_block<2, tab_strided>(a.base, bases, &s);
    else
        tab_block<1, tab_strided>(a.base, bases, &s);
}
#endif
