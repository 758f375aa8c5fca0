/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_uv.cuh: tab_points.cuh for rows of two floats. */
#ifndef SDD_TAB_POINTS_UV_CUH
#define SDD_TAB_POINTS_UV_CUH
#include "gpu/engines/tabulated/cuda/tab_points.cuh"
#include "gpu/engines/tabulated/kernels/tab_points_uv.k.h"

enum { tab_points_uv_threads = tab_points_threads };

static __global__ void __launch_bounds__(tab_points_uv_threads, 4)
    g_tab_points_uv(const int64_t n, const __grid_constant__ tab_points_uv_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    (void)n;
    if (tab_ahead(a.base, sdd_uv()))
        return;
    if (a.base.as.format == SDD_ROWS_F16)
        tab_block<2, tab_f16>(a.base, bases, &s);
    else
        tab_block<2, tab_dense>(a.base, bases, &s);
}
#endif
