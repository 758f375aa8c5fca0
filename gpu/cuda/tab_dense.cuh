/* SPDX-License-Identifier: Apache-2.0 */
/* tab_dense.cuh: kernels/tab_dense.h for a block a run: a thread has a point of the grid and makes it of all pieces of
 * the run, so that the table is read once a run. The bits are those of the portable form. */
#ifndef SDD_TAB_DENSE_CUH
#define SDD_TAB_DENSE_CUH
#include "gpu/kernels/tab_dense.h"

enum { tab_dense_threads = 128 };
#define TAB_DENSE_COLUMNS (4 * SDD_TAB_MAX + 1) /* 2 n + 2 k of closed fans, and one more of open ones */

static __global__ void __launch_bounds__(tab_dense_threads)
    g_tab_dense(const int64_t n, const __grid_constant__ tab_dense_args a)
{
    __shared__ float points[TAB_DENSE_COLUMNS][SDD_TAB_TOGETHER][3];
    __shared__ struct sdd_frame frames[SDD_TAB_TOGETHER];
    const struct sdd_tab_target &t = a.target;
    const struct sdd_tab_run run = a.run[blockIdx.x];
    const struct sdd_tab_table k = a.tables[run.class_n >> 4];
    const int pieces = (int)(run.class_n & 15), side = (1 << (t.grid.level - 1)) + 1;
    (void)n;
    const uint32_t *column = a.column + k.column + ((int64_t)run.first - k.first) * k.n_columns;
    for (int i = threadIdx.x; i < SDD_TAB_TOGETHER * k.n_columns; i += tab_dense_threads) {
        const int j = i / k.n_columns, at = i - j * k.n_columns;
        struct sdd_vec3 p = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        if (j < pieces)
            p = sdd_row_load(t.from, column[i], t.width);
        points[at][j][0] = p.x;
        points[at][j][1] = p.y;
        points[at][j][2] = p.z;
    }
    if ((int)threadIdx.x < pieces)
        frames[threadIdx.x] = sdd_tab_frame(&t, a.piece[run.first + threadIdx.x]);
    __syncthreads();
    for (int r = threadIdx.x; r < side * side; r += tab_dense_threads) {
        const int y = r / side, x = r - y * side;
        const float *w = a.table + k.table * side * side + r;
        float sum[SDD_TAB_TOGETHER][3];
#pragma unroll
        for (int j = 0; j < SDD_TAB_TOGETHER; j++)
            sum[j][0] = sum[j][1] = sum[j][2] = 0.0f;
        for (int i = 0; i < k.n_columns; i++) {
            const float weight = w[(int64_t)i * side * side];
#pragma unroll
            for (int j = 0; j < SDD_TAB_TOGETHER; j++) {
                sum[j][0] = fmaf(weight, points[i][j][0], sum[j][0]);
                sum[j][1] = fmaf(weight, points[i][j][1], sum[j][1]);
                sum[j][2] = fmaf(weight, points[i][j][2], sum[j][2]);
            }
        }
#pragma unroll
        for (int j = 0; j < SDD_TAB_TOGETHER; j++)
            if (j < pieces && sdd_tab_makes(a.owns[run.first + j], side - 1, x, y))
                sdd_row_put(t.to, sdd_frame_row(&frames[j], x, y), t.width,
                            sdd_vec3_of(sum[j][0], sum[j][1], sum[j][2]));
    }
}
#endif
