/* SPDX-License-Identifier: Apache-2.0 */
/* tab_tri_normals.cuh: kernels/tab_tri_normals.h for a block an item: a thread a row. The bits are those of the portable
 * form. */
#ifndef SDD_TAB_TRI_NORMALS_CUH
#define SDD_TAB_TRI_NORMALS_CUH
#include "gpu/cuda/overlap.cuh"
#include "gpu/kernels/tab_tri_normals.h"

enum { tab_tri_normals_threads = 128 };

static __global__ void __launch_bounds__(tab_tri_normals_threads)
    g_tab_tri_normals(const int64_t n, const __grid_constant__ tab_tri_normals_args a)
{
    const int64_t low = (int64_t)blockIdx.x * a.each, end = low + a.each < a.n ? low + a.each : a.n;
    (void)n;
    overlap_begin();
    for (int64_t i = low + threadIdx.x; i < end; i += tab_tri_normals_threads)
        sdd_tri_put_normal(&a, i);
}
#endif
