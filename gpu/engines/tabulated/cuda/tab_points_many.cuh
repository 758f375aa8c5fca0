/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points_many.cuh: tab_points.cuh, mesh after mesh. */
#ifndef SDD_TAB_POINTS_MANY_CUH
#define SDD_TAB_POINTS_MANY_CUH
#include "gpu/engines/tabulated/cuda/tab_points.cuh"
#include "gpu/engines/tabulated/kernels/tab_points_many.k.h"

enum { tab_points_many_threads = tab_points_threads };

static __global__ void __launch_bounds__(tab_points_many_threads, 4)
    g_tab_points_many(const int64_t n, const __grid_constant__ tab_points_many_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    const unsigned ahead = (unsigned)sdd_tab_first_items(&a.of, a.rows.n);
    const unsigned blocks = (gridDim.x - ahead) / (unsigned)a.rows.n;
    (void)n;
    if (blockIdx.x < ahead) {
        const unsigned items = ahead / (unsigned)a.rows.n, k = blockIdx.x / items;
        tab_ahead_make(a.of, sdd_tab_points_of(&a, k), blockIdx.x - k * items, sdd_xyz());
    } else {
        const unsigned k = (blockIdx.x - ahead) / blocks;
        const tab_points_args one = sdd_tab_points_of(&a, k); /* in registers: of its weights only some are taken */
        tab_item<3, tab_dense_many>(one, a.of.weights, bases, &s, blockIdx.x - ahead - k * blocks);
    }
}
#endif
