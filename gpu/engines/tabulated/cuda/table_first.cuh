/* SPDX-License-Identifier: Apache-2.0 */
/* table_first.cuh: the tuned form of kernels/table_first.tile.h. It wins because the loads of all terms of most rows
 * are in flight at once; a warp votes on how many terms it loads, since most need few. */
#ifndef SDD_TABLE_FIRST_CUH
#define SDD_TABLE_FIRST_CUH
#include "gpu/device/cuda/overlap.cuh"
#include "gpu/engines/tabulated/kernels/table_first.tile.h"

#define TABLE_TERMS 12 /* The most terms of a vertex of up to five quads, and of its edges. */
#define TABLE_SOME 4   /* The terms loaded at a time, which suffice for the face point of a quad. */

/* Makes rows of one mesh. Floats beyond the third become 0. */
static __device__ __forceinline__ void table_first_rows(const sdd_first_step &a, uint32_t item, const float *from,
                                                        sdd_width width, float *to)
{
    const uint32_t i = SDD_TABLE_FIRST * item + threadIdx.x / 4;
    const int k = threadIdx.x % 4, wide = sdd_table_width(width.n).stride;
    if (i >= a.n_rows || k >= wide)
        return;
    const int end = k < width.n ? a.end[i] : 0;
    const uint32_t row = sdd_step_row(&a, i);
    double sum = 0.0;
    for (int at = sdd_row_first(a.end, i); at < end; at += TABLE_TERMS) {
        sdd_term t[TABLE_TERMS];
        float p[TABLE_TERMS];
        const unsigned now = __activemask();
#pragma unroll
        for (int some = 0; some < TABLE_TERMS && __any_sync(now, at + some < end); some += TABLE_SOME)
#pragma unroll
            for (int j = some; j < some + TABLE_SOME; j++)
                if (at + j < end)
                    t[j] = a.term[at + j];
#pragma unroll
        for (int some = 0; some < TABLE_TERMS && __any_sync(now, at + some < end); some += TABLE_SOME)
#pragma unroll
            for (int j = some; j < some + TABLE_SOME; j++)
                if (at + j < end)
                    p[j] = from[(size_t)width.stride * t[j].column + k];
#pragma unroll
        for (int some = 0; some < TABLE_TERMS && __any_sync(now, at + some < end); some += TABLE_SOME)
#pragma unroll
            for (int j = some; j < some + TABLE_SOME; j++)
                if (at + j < end)
                    sum = fma((double)t[j].weight, (double)p[j], sum);
    }
    to[(size_t)wide * row + k] = (float)sum;
}

static __global__ void __launch_bounds__(table_first_threads)
    g_table_first(const int64_t n, const __grid_constant__ table_first_args a)
{
    const uint32_t items = (uint32_t)sdd_table_step_items(&a.step);
    const int k = sdd_batch_mesh(&a.rows, blockIdx.x, items);
    (void)n;
    overlap_begin();
    table_first_rows(a.step, blockIdx.x - k * items, a.rows.from[k], a.width, a.rows.to[k]);
}
#endif
