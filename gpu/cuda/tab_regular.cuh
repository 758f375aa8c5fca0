/* SPDX-License-Identifier: Apache-2.0 */
/* tab_regular.cuh: kernels/tab_regular.h for a warp a piece. A lane has some columns of points, one component of each;
 * a slab of rows is made in shared memory and leaves it in whole lines of 128 bytes, as the rows inside a piece follow
 * each other. The bits are those of the portable form. */
#ifndef SDD_TAB_REGULAR_CUH
#define SDD_TAB_REGULAR_CUH
#include "gpu/kernels/tab_regular.h"

enum { tab_regular_threads = 32 * SDD_TAB_GROUP };

#define TAB_SLAB 512 /* floats, at least a row of 3 (SDD_TAB_SIDE - 1) */

struct tab_regular_warp {
    float points[3 * SDD_TAB_REGULAR], slab[TAB_SLAB], line[3 * SDD_TAB_SIDE];
};

/* A run of floats to where it belongs, line by line. */
static __device__ __forceinline__ void tab_run_put(float *to, const float *from, int n, int lane)
{
    const int before = (int)((uintptr_t)to / sizeof *to % 32);
    for (int i = lane - before; i < n; i += 32)
        if (i >= 0)
            to[i] = from[i];
}

/* N components, R columns a lane. */
template <int N, int R>
static __device__ __forceinline__ void tab_regular_piece(const tab_regular_args &a, int64_t i,
                                                         const sdd_tab_basis *basis, tab_regular_warp *s)
{
    const sdd_tab_target &t = a.target;
    const int lane = threadIdx.x & 31, m = 1 << (t.grid.level - 1), width = N * (m - 1);
    const int stride = t.width.stride, packed = stride == N;
    const uint32_t c = a.piece[i], owns = a.owns[i];
    const uint32_t row = lane < SDD_TAB_REGULAR ? a.column[SDD_TAB_REGULAR * i + lane] : 0;
    uint32_t column[SDD_TAB_REGULAR];
    if (lane < SDD_TAB_REGULAR)
#pragma unroll
        for (int k = 0; k < N; k++)
            s->points[N * lane + k] = t.from[(size_t)stride * row + k];
    column[5] = __shfl_sync(~0u, row, 5);
    column[6] = __shfl_sync(~0u, row, 6);
    column[7] = __shfl_sync(~0u, row, 7);
    column[10] = __shfl_sync(~0u, row, 10);
    __syncwarp();
    float q[R][4];
#pragma unroll
    for (int r = 0; r < R; r++) {
        const int f = lane + 32 * r, x = f / N, k = f - N * x;
        if (x > m)
            continue;
        const sdd_tab_column to = sdd_tab_column_at(&t.grid, c, owns, column, x);
        const float *p = s->points + k;
#pragma unroll
        for (int b = 0; b < 4; b++)
            q[r][b] =
                sdd_tab_sum(basis[x].s, p[4 * N * b], p[4 * N * b + N], p[4 * N * b + 2 * N], p[4 * N * b + 3 * N]);
        if (to.first != SDD_NONE)
            t.to[(size_t)stride * to.first + k] = sdd_tab_sum(basis[0].s, q[r][0], q[r][1], q[r][2], q[r][3]);
        if (to.last != SDD_NONE)
            t.to[(size_t)stride * to.last + k] = sdd_tab_sum(basis[m].s, q[r][0], q[r][1], q[r][2], q[r][3]);
    }
    const int rows = packed ? TAB_SLAB / (N * SDD_TAB_SIDE) * (SDD_TAB_SIDE / m) : 1;
    for (int first = 1; first < m; first += rows) {
        const int n = first + rows < m ? rows : m - first;
        for (int y = first; y < first + n; y++) {
            const sdd_tab_basis w = basis[y];
#pragma unroll
            for (int r = 0; r < R; r++) {
                const int f = lane + 32 * r;
                const float v = sdd_tab_sum(w.s, q[r][0], q[r][1], q[r][2], q[r][3]);
                if (f >= N && f < N * m)
                    s->slab[(y - first) * width + f - N] = v;
                else if (f >= N * m && f < N * (m + 1))
                    s->line[N * (m - 1 - y) + f - N * m] = v;
            }
        }
        __syncwarp();
        const uint32_t at = sdd_grid_inside(&t.grid, c, 1, first);
        if (packed)
            tab_run_put(t.to + (size_t)N * at, s->slab, n * width, lane);
        else
            for (int f = lane; f < width; f += 32)
                t.to[(size_t)stride * (at + f / N) + f % N] = s->slab[f];
        __syncwarp();
    }
    const uint32_t line = sdd_tab_column_at(&t.grid, c, owns, column, m).at - (uint32_t)(m - 1);
    if (packed)
        tab_run_put(t.to + (size_t)N * line, s->line, width, lane);
    else
        for (int f = lane; f < width; f += 32)
            t.to[(size_t)stride * (line + f / N) + f % N] = s->line[f];
}

template <int N>
static __device__ __forceinline__ void tab_regular_some(const tab_regular_args &a, int64_t i,
                                                        const sdd_tab_basis *basis, tab_regular_warp *s)
{
    const int columns = N * ((1 << (a.target.grid.level - 1)) + 1);
    if (columns <= 32)
        tab_regular_piece<N, 1>(a, i, basis, s);
    else if (columns <= 64)
        tab_regular_piece<N, 2>(a, i, basis, s);
    else
        tab_regular_piece<N, 4>(a, i, basis, s);
}

static __global__ void __launch_bounds__(tab_regular_threads)
    g_tab_regular(const int64_t n, const __grid_constant__ tab_regular_args a)
{
    __shared__ tab_regular_warp warps[SDD_TAB_GROUP];
    __shared__ sdd_tab_basis basis[SDD_TAB_SIDE + 1];
    const int warp = threadIdx.x / 32, m = 1 << (a.target.grid.level - 1);
    const int64_t i = (int64_t)blockIdx.x * SDD_TAB_GROUP + warp;
    (void)n;
    if ((int)threadIdx.x <= m)
        basis[threadIdx.x] = a.basis[threadIdx.x];
    __syncthreads();
    if (i >= a.n)
        return;
    if (a.target.width.n == 3)
        tab_regular_some<3>(a, i, basis, &warps[warp]);
    else if (a.target.width.n == 2)
        tab_regular_some<2>(a, i, basis, &warps[warp]);
    else
        tab_regular_some<1>(a, i, basis, &warps[warp]);
}
#endif
