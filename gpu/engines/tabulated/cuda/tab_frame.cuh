/* SPDX-License-Identifier: Apache-2.0 */
/* tab_frame.cuh: tab_points.cuh and tab_normals.cuh, block by block in turn. */
#ifndef SDD_TAB_FRAME_CUH
#define SDD_TAB_FRAME_CUH
#include "gpu/engines/tabulated/cuda/tab_normals.cuh"
#include "gpu/engines/tabulated/kernels/tab_frame.k.h"

enum { tab_frame_threads = tab_points_threads };

template <int POINTS, int NORMALS>
static __device__ __forceinline__ void tab_frame_block(const tab_frame_args &a, tab_bases &bases, tab_shared *s)
{
    const tab_points_args &of = a.normals.rows.pieces;
    if (tab_ahead(of, sdd_xyz()))
        return;
    const unsigned n = blockIdx.x - (unsigned)sdd_tab_first_items(&of, 1);
    if (n % 2) {
        tab_normals_block<NORMALS>(a.normals, s, n / 2);
    } else {
        const tab_points_args points = sdd_tab_frame_points(&a); /* in registers, as in tab_points_many.cuh */
        tab_item<3, POINTS, SDD_TAB_LOG_NORMALS>(points, of.weights, bases, s, n / 2);
    }
}

static __global__ void __launch_bounds__(tab_frame_threads, 3)
    g_tab_frame(const int64_t n, const __grid_constant__ tab_frame_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    (void)n;
    tab_frame_block<tab_dense, tab_dense>(a, bases, &s);
}
#endif
