/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_unorm16.cuh: tab_points.cuh in 16 bits a number. */
#ifndef SDD_TAB_POINTS_UNORM16_CUH
#define SDD_TAB_POINTS_UNORM16_CUH
#include "gpu/engines/tabulated/cuda/tab_points.cuh"
#include "gpu/engines/tabulated/kernels/tab_points_unorm16.k.h"

enum { tab_points_unorm16_threads = tab_points_threads };

static __global__ void __launch_bounds__(tab_points_unorm16_threads, 4)
    g_tab_points_unorm16(const int64_t n, const __grid_constant__ tab_points_unorm16_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    (void)n;
    if (!tab_ahead(a.base, sdd_xyz()))
        tab_block<3, tab_unorm16>(a.base, bases, &s);
}
#endif
