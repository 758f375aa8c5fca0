/* SPDX-License-Identifier: Apache-2.0 */
/* tab_normals_oct16.cuh: tab_normals.cuh in 16 bits a number. */
#ifndef SDD_TAB_NORMALS_OCT16_CUH
#define SDD_TAB_NORMALS_OCT16_CUH
#include "gpu/engines/tabulated/cuda/tab_normals.cuh"
#include "gpu/engines/tabulated/kernels/tab_normals_oct16.k.h"

enum { tab_normals_oct16_threads = tab_normals_threads };

static __global__ void __launch_bounds__(tab_normals_oct16_threads, 3)
    g_tab_normals_oct16(const int64_t n, const __grid_constant__ tab_normals_oct16_args a)
{
    __shared__ tab_shared s;
    (void)n;
    tab_normals_block<tab_oct16>(a.base, &s, blockIdx.x);
}
#endif
