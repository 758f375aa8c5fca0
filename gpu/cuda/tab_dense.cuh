/* SPDX-License-Identifier: Apache-2.0 */
/* tab_dense.cuh: kernels/tab_dense.h for a block an item: a thread has a point of the grid and makes it of all pieces of
 * the run, so that the table is read once a run. The bits are those of the portable form. */
#ifndef SDD_TAB_DENSE_CUH
#define SDD_TAB_DENSE_CUH
#include "gpu/kernels/tab_dense.h"

enum { tab_dense_threads = SDD_TAB_CHUNK };

#define TAB_DENSE_COLUMNS (4 * SDD_TAB_MAX + 1) /* 2 n + 2 k of closed fans, and one more of open ones */

static __global__ void __launch_bounds__(tab_dense_threads, 4)
    g_tab_dense(const int64_t n, const __grid_constant__ tab_dense_args a)
{
    __shared__ float points[TAB_DENSE_COLUMNS][3 * SDD_TAB_TOGETHER];
    __shared__ sdd_frame frames[SDD_TAB_TOGETHER];
    __shared__ uint32_t owns[SDD_TAB_TOGETHER];
    const sdd_tab_target &t = a.target;
    const int side = (1 << (t.grid.level - 1)) + 1;
    const sdd_tab_chunk chunk = sdd_tab_chunk_of(&a, blockIdx.x);
    const sdd_tab_run run = a.run[chunk.run];
    const sdd_tab_table k = a.tables[run.class_n >> 4];
    const int pieces = (int)(run.class_n & 15), r = chunk.first + (int)threadIdx.x;
    (void)n;
    const uint32_t *column = a.column + k.column + ((int64_t)run.first - k.first) * k.n_columns;
    for (int i = threadIdx.x; i < SDD_TAB_TOGETHER * k.n_columns; i += tab_dense_threads) {
        const int j = i / k.n_columns, at = i - j * k.n_columns;
        sdd_vec3 p = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        if (j < pieces)
            p = sdd_row_load(t.from, column[i], t.width);
        points[at][3 * j] = p.x;
        points[at][3 * j + 1] = p.y;
        points[at][3 * j + 2] = p.z;
    }
    if ((int)threadIdx.x < pieces) {
        frames[threadIdx.x] = sdd_tab_frame(&t, a.piece[run.first + threadIdx.x]);
        owns[threadIdx.x] = a.owns[run.first + threadIdx.x];
    }
    __syncthreads();
    if (r >= side * side)
        return;
    const int y = r / side, x = r - y * side;
    const float *w = a.table + k.table * side * side + r;
    float sum[3 * SDD_TAB_TOGETHER];
#pragma unroll
    for (int j = 0; j < 3 * SDD_TAB_TOGETHER; j++)
        sum[j] = 0.0f;
#pragma unroll 2
    for (int i = 0; i < k.n_columns; i++) {
        const float weight = __ldg(w + (int64_t)i * side * side);
#pragma unroll
        for (int j = 0; j < 3 * SDD_TAB_TOGETHER; j++)
            sum[j] = fmaf(weight, points[i][j], sum[j]);
    }
#pragma unroll
    for (int j = 0; j < SDD_TAB_TOGETHER; j++)
        if (j < pieces && sdd_tab_makes(owns[j], side - 1, x, y))
            sdd_row_put(t.to, sdd_frame_row(&frames[j], x, y), t.width,
                        sdd_vec3_of(sum[3 * j], sum[3 * j + 1], sum[3 * j + 2]));
}
#endif
