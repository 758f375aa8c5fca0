/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive_rows.cuh: kernels/adaptive_rows.h for a block an item: a thread a row. The bits are those of the portable
 * form. */
#ifndef SDD_ADAPTIVE_ROWS_CUH
#define SDD_ADAPTIVE_ROWS_CUH
#include "gpu/cuda/overlap.cuh"
#include "gpu/kernels/adaptive_rows.h"

enum { adaptive_rows_threads = 128 };

static __global__ void __launch_bounds__(adaptive_rows_threads)
    g_adaptive_rows(const int64_t n, const __grid_constant__ adaptive_rows_args a)
{
    const int64_t low = (int64_t)blockIdx.x * a.each, end = low + a.each < a.n ? low + a.each : a.n;
    (void)n;
    overlap_begin();
    for (int64_t i = low + threadIdx.x; i < end; i += adaptive_rows_threads)
        sdd_put_vec3(a.to, (uint32_t)i, sdd_adaptive_point(&a.from, (uint32_t)(a.first + i)));
}
#endif
