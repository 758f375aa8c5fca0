/* SPDX-License-Identifier: Apache-2.0 */
/* tab_frame_16.cuh: tab_frame.cuh in 16 bits a number. */
#ifndef SDD_TAB_FRAME_16_CUH
#define SDD_TAB_FRAME_16_CUH
#include "gpu/engines/tabulated/cuda/tab_frame.cuh"
#include "gpu/engines/tabulated/kernels/tab_frame_16.k.h"

enum { tab_frame_16_threads = tab_frame_threads };

static __global__ void __launch_bounds__(tab_frame_16_threads, 3)
    g_tab_frame_16(const int64_t n, const __grid_constant__ tab_frame_16_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    (void)n;
    tab_frame_block<tab_unorm16, tab_oct16>(a.base, bases, &s);
}
#endif
