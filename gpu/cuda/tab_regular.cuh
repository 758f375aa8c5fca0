/* SPDX-License-Identifier: Apache-2.0 */
/* tab_regular.cuh: kernels/tab_regular.h for a warp a piece: a lane has a component of a column of points and writes
 * the rows of it one after the other, next to its neighbours'. The bits are those of the portable form. */
#ifndef SDD_TAB_REGULAR_CUH
#define SDD_TAB_REGULAR_CUH
#include "gpu/kernels/tab_regular.h"

enum { tab_regular_threads = 256 };

template <int N>
static __device__ __forceinline__ void tab_regular_piece(const struct tab_regular_args &a, int64_t i, float *p)
{
    const struct sdd_tab_target &t = a.target;
    const int lane = threadIdx.x & 31, m = 1 << (t.grid.level - 1);
    const uint32_t c = a.piece[i], owns = a.owns[i];
    uint32_t row = lane < SDD_TAB_REGULAR ? a.column[SDD_TAB_REGULAR * i + lane] : 0, column[SDD_TAB_REGULAR];
    if (lane < SDD_TAB_REGULAR)
#pragma unroll
        for (int k = 0; k < N; k++)
            p[N * lane + k] = t.from[(size_t)t.width.stride * row + k];
    column[5] = __shfl_sync(~0u, row, 5);
    column[6] = __shfl_sync(~0u, row, 6);
    column[7] = __shfl_sync(~0u, row, 7);
    column[10] = __shfl_sync(~0u, row, 10);
    __syncwarp();
    for (int f = lane; f < N * (m + 1); f += 32) {
        const int x = f / N, k = f - N * x;
        const struct sdd_tab_column to = sdd_tab_column_at(&t.grid, c, owns, column, x);
        const struct sdd_tab_basis s = a.basis[x];
        float q[4];
#pragma unroll
        for (int b = 0; b < 4; b++)
            q[b] = sdd_tab_sum(s.s, p[4 * N * b + k], p[4 * N * b + N + k], p[4 * N * b + 2 * N + k],
                               p[4 * N * b + 3 * N + k]);
        if (to.first != SDD_NONE)
            t.to[(size_t)t.width.stride * to.first + k] = sdd_tab_sum(a.basis[0].s, q[0], q[1], q[2], q[3]);
        if (to.last != SDD_NONE)
            t.to[(size_t)t.width.stride * to.last + k] = sdd_tab_sum(a.basis[m].s, q[0], q[1], q[2], q[3]);
        if (to.at == SDD_NONE)
            continue;
        const ptrdiff_t step = (ptrdiff_t)t.width.stride * to.step;
        float *at = t.to + (size_t)t.width.stride * to.at + k;
#pragma unroll 4
        for (int y = 1; y < m; y++) {
            const struct sdd_tab_basis w = a.basis[y];
            at += step;
            *at = sdd_tab_sum(w.s, q[0], q[1], q[2], q[3]);
        }
    }
    __syncwarp();
}

static __global__ void __launch_bounds__(tab_regular_threads)
    g_tab_regular(const int64_t n, const __grid_constant__ tab_regular_args a)
{
    __shared__ float points[tab_regular_threads / 32][3 * SDD_TAB_REGULAR];
    const int warp = threadIdx.x / 32;
    (void)n;
    for (int k = warp; k < SDD_TAB_GROUP; k += tab_regular_threads / 32) {
        const int64_t i = (int64_t)blockIdx.x * SDD_TAB_GROUP + k;
        if (i >= a.n)
            return;
        if (a.target.width.n == 3)
            tab_regular_piece<3>(a, i, points[warp]);
        else if (a.target.width.n == 2)
            tab_regular_piece<2>(a, i, points[warp]);
        else
            tab_regular_piece<1>(a, i, points[warp]);
    }
}
#endif
