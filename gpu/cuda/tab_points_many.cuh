/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_many.cuh: tab_points.cuh, mesh after mesh. */
#ifndef SDD_TAB_POINTS_MANY_CUH
#define SDD_TAB_POINTS_MANY_CUH
#include "gpu/cuda/tab_points.cuh"
#include "gpu/kernels/tab_points_many.h"

enum { tab_points_many_threads = tab_points_threads };

static __global__ void __launch_bounds__(tab_points_many_threads, 4)
    g_tab_points_many(const int64_t n, const __grid_constant__ tab_points_many_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    const unsigned blocks = gridDim.x / (unsigned)a.rows.n, k = blockIdx.x / blocks;
    const tab_points_args one = sdd_tab_points_of(&a, k);
    (void)n;
    tab_block<3, tab_dense_many>(one, bases, &s, k * blocks, blocks);
}
#endif
