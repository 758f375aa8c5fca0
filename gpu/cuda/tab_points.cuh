/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points.cuh: kernels/tab_points.h for a block an item. The bits are those of the portable form.
 * A bicubic piece is a warp's: a lane has some columns of points, one component of each; a slab of rows is made in
 * shared memory and leaves it in whole lines of 128 bytes, as the rows inside a piece follow each other.
 * Of other pieces a thread has one point and makes it of all pieces of a run, so that the table is read once a run. */
#ifndef SDD_TAB_POINTS_CUH
#define SDD_TAB_POINTS_CUH
#include "gpu/kernels/tab_points.h"

#define TAB_WARPS SDD_TAB_GROUP /* of a block */
enum { tab_points_threads = 32 * TAB_WARPS };

#define TAB_SLAB 704                    /* floats, a multiple of 32 */
#define TAB_HALF (SDD_TAB_TOGETHER / 2) /* pieces at a time: as many sums as registers hold */

struct tab_warp {
    float points[3 * SDD_TAB_REGULAR], slab[TAB_SLAB], line[3 * SDD_TAB_SIDE], nowhere[32];
};

struct tab_run {
    float points[2][SDD_TAB_COLUMNS][3 * TAB_HALF];
    sdd_frame frames[SDD_TAB_TOGETHER];
    uint32_t owns[SDD_TAB_TOGETHER];
};

union tab_shared {
    tab_warp warps[TAB_WARPS];
    tab_run run;
};

/* At most MOST floats, rows of N, to where they belong: whole lines where there is nothing between rows. */
template <int N, int MOST>
static __device__ __forceinline__ void tab_rows_put(const tab_points_args &a, uint32_t row, const float *from, int n,
                                                    int lane)
{
    if (a.width.stride == N) {
        float *to = a.to + (size_t)N * row;
        const int i = lane - (int)((uintptr_t)to / sizeof *to % 32); /* in the first line, some before the run */
        to += i;
        from += i;
        if (i >= 0 && i < n)
            *to = *from;
#pragma unroll
        for (int line = 32; line < MOST + 32; line += 32)
            if (i + line < n)
                to[line] = from[line];
        return;
    }
    for (int i = lane; i < n; i += 32)
        a.to[(size_t)a.width.stride * (row + i / N) + i % N] = from[i];
}

/* What a warp reads of a piece: its corner, what it makes, and a lane a column and the point there. */
struct tab_head {
    uint32_t corner, owns, row;
};

template <int N> struct tab_point {
    float s[N];
};

static __device__ __forceinline__ tab_head tab_head_of(const tab_points_args &a, int64_t i, int64_t end)
{
    const int lane = threadIdx.x & 31;
    tab_head h = {0, 0, 0};
    if (i >= end)
        return h;
    h.corner = a.regular[i];
    h.owns = a.regular_owns[i];
    if (lane < SDD_TAB_REGULAR)
        h.row = a.regular_column[SDD_TAB_REGULAR * i + lane];
    return h;
}

template <int N>
static __device__ __forceinline__ tab_point<N> tab_point_of(const tab_points_args &a, const tab_head &h)
{
    tab_point<N> p;
#pragma unroll
    for (int k = 0; k < N; k++)
        p.s[k] = (threadIdx.x & 31) < SDD_TAB_REGULAR ? a.from[(size_t)a.width.stride * h.row + k] : 0.0f;
    return p;
}

/* N components, 2^LOG cells along the piece. */
template <int N, int LOG>
static __device__ __forceinline__ void tab_piece(const tab_points_args &a, const tab_head &h, const tab_point<N> &point,
                                                 const sdd_tab_basis *basis, tab_warp *s)
{
    constexpr int m = 1 << LOG, columns = N * (m + 1), R = (columns + 31) / 32, width = N * (m - 1);
    constexpr int slab = m == 1 ? 1 : TAB_SLAB / width < m - 1 ? TAB_SLAB / width : m - 1; /* rows */
    const int lane = threadIdx.x & 31, stride = a.width.stride;
    uint32_t column[SDD_TAB_REGULAR];
    sdd_grid g = a.grid;
    g.level = LOG + 1;
    __syncwarp(); /* the piece before has been read */
    if (lane < SDD_TAB_REGULAR)
#pragma unroll
        for (int k = 0; k < N; k++)
            s->points[N * lane + k] = point.s[k];
    column[5] = __shfl_sync(~0u, h.row, 5);
    column[6] = __shfl_sync(~0u, h.row, 6);
    column[7] = __shfl_sync(~0u, h.row, 7);
    column[10] = __shfl_sync(~0u, h.row, 10);
    __syncwarp();
    float q[R][4], *to[R];
    int step[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
        const int f = lane + 32 * r, x = f / N < m ? f / N : m, k = f - N * (f / N);
        const float *p = s->points + k;
#pragma unroll
        for (int b = 0; b < 4; b++)
            q[r][b] =
                sdd_tab_sum(basis[x].s, p[4 * N * b], p[4 * N * b + N], p[4 * N * b + 2 * N], p[4 * N * b + 3 * N]);
        const sdd_tab_column at = sdd_tab_column_at(&g, h.corner, h.owns, column, x);
        if (at.first != SDD_NONE && f < columns)
            a.to[(size_t)stride * at.first + k] = sdd_tab_sum(basis[0].s, q[r][0], q[r][1], q[r][2], q[r][3]);
        if (at.last != SDD_NONE && f < columns)
            a.to[(size_t)stride * at.last + k] = sdd_tab_sum(basis[m].s, q[r][0], q[r][1], q[r][2], q[r][3]);
        const int inside = f >= N && f < N * m, right = f >= N * m && f < columns;
        to[r] = inside ? s->slab + f - N : right ? s->line + N * (m > 2 ? m - 2 : 0) + k : s->nowhere + lane;
        step[r] = inside ? width : right ? -N : 0;
    }
    for (int first = 1; first < m; first += slab) {
        const int n = slab == m - 1 || first + slab <= m ? slab : m - first;
#pragma unroll 8
        for (int y = 0; y < n; y++) {
            const sdd_tab_basis w = basis[first + y];
#pragma unroll
            for (int r = 0; r < R; r++) {
                *to[r] = sdd_tab_sum(w.s, q[r][0], q[r][1], q[r][2], q[r][3]);
                to[r] += step[r];
            }
        }
        __syncwarp();
        tab_rows_put<N, slab * width>(a, sdd_grid_inside(&g, h.corner, 1, first), s->slab, n * width, lane);
        __syncwarp();
#pragma unroll
        for (int r = 0; r < R; r++)
            to[r] = step[r] == width ? to[r] - n * width : to[r];
    }
    if (m > 1)
        tab_rows_put<N, width>(a, sdd_tab_column_at(&g, h.corner, h.owns, column, m).at - (uint32_t)(m - 1), s->line,
                               width, lane);
}

/* The pieces of a warp: while one is made, the points of the next and the head of the one after are on their way. */
template <int N, int LOG>
static __device__ __forceinline__ void tab_some(const tab_points_args &a, int64_t group, const sdd_tab_basis *basis,
                                                tab_warp *warps)
{
    const int warp = threadIdx.x / 32;
    const int64_t first = (group * TAB_WARPS + warp) * a.each;
    const int64_t end = first + a.each < a.n_regular ? first + a.each : a.n_regular;
    if (first >= end)
        return;
    tab_head h = tab_head_of(a, first, end), next = tab_head_of(a, first + 1, end);
    tab_point<N> point = tab_point_of<N>(a, h);
    for (int64_t i = first; i < end; i++) {
        const tab_point<N> next_point = tab_point_of<N>(a, next);
        const tab_head later = tab_head_of(a, i + 2, end);
        tab_piece<N, LOG>(a, h, point, basis, warps + warp);
        h = next;
        next = later;
        point = next_point;
    }
}

template <int N>
static __device__ __forceinline__ void tab_pieces(const tab_points_args &a, int64_t group, tab_warp *warps)
{
    __shared__ sdd_tab_basis basis[SDD_TAB_SIDE + 1];
    if ((int)threadIdx.x <= 1 << (a.grid.level - 1))
        basis[threadIdx.x] = a.basis[threadIdx.x];
    __syncthreads();
    switch (a.grid.level) {
    case 1: tab_some<N, 0>(a, group, basis, warps); break;
    case 2: tab_some<N, 1>(a, group, basis, warps); break;
    case 3: tab_some<N, 2>(a, group, basis, warps); break;
    case 4: tab_some<N, 3>(a, group, basis, warps); break;
    case 5: tab_some<N, 4>(a, group, basis, warps); break;
    default: tab_some<N, 5>(a, group, basis, warps); break;
    }
}

/* What all threads of a block need of a run. */
static __device__ __forceinline__ void tab_run_load(const tab_points_args &a, const sdd_tab_run &run,
                                                    const sdd_tab_table &k, tab_run *s)
{
    const int pieces = (int)(run.class_n & 15);
    const uint32_t *column = a.column + k.column + ((int64_t)run.first - k.first) * k.n_columns;
    for (int i = threadIdx.x; i < SDD_TAB_TOGETHER * k.n_columns; i += tab_points_threads) {
        const int j = i / k.n_columns, at = i - j * k.n_columns;
        float *to = s->points[j / TAB_HALF][at] + 3 * (j % TAB_HALF);
        sdd_vec3 p = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        if (j < pieces)
            p = sdd_row_load(a.from, column[i], a.width);
        to[0] = p.x;
        to[1] = p.y;
        to[2] = p.z;
    }
    if ((int)threadIdx.x < pieces) {
        s->frames[threadIdx.x] = sdd_tab_frame(&a, a.other[run.first + threadIdx.x]);
        s->owns[threadIdx.x] = a.owns[run.first + threadIdx.x];
    }
    __syncthreads();
}

static __device__ __forceinline__ void tab_others(const tab_points_args &a, int64_t i, tab_run *s)
{
    const int side = (1 << (a.grid.level - 1)) + 1;
    const sdd_tab_chunk chunk = sdd_tab_chunk_of(&a, i);
    const sdd_tab_run run = a.runs[chunk.run];
    const sdd_tab_table k = a.tables[run.class_n >> 4];
    const int pieces = (int)(run.class_n & 15), r = chunk.first + (int)threadIdx.x;
    tab_run_load(a, run, k, s);
    if (r >= side * side)
        return;
    const int y = r / side, x = r - y * side;
    for (int half = 0; TAB_HALF * half < pieces; half++) {
        const float *w = a.table + k.table * side * side + r;
        float sum[3 * TAB_HALF];
#pragma unroll
        for (int j = 0; j < 3 * TAB_HALF; j++)
            sum[j] = 0.0f;
        for (int first = 0; first < k.n_columns; first += SDD_TAB_TERMS) {
            float part[3 * TAB_HALF];
#pragma unroll
            for (int j = 0; j < 3 * TAB_HALF; j++)
                part[j] = 0.0f;
#pragma unroll 4
            for (int at = first; at < first + SDD_TAB_TERMS && at < k.n_columns; at++) {
                const float weight = __ldg(w + (int64_t)at * side * side);
#pragma unroll
                for (int j = 0; j < 3 * TAB_HALF; j++)
                    part[j] = fmaf(weight, s->points[half][at][j], part[j]);
            }
#pragma unroll
            for (int j = 0; j < 3 * TAB_HALF; j++)
                sum[j] += part[j];
        }
#pragma unroll
        for (int j = 0; j < TAB_HALF; j++) {
            const int piece = TAB_HALF * half + j;
            if (piece < pieces && sdd_tab_makes(s->owns[piece], side - 1, x, y))
                sdd_row_put(a.to, sdd_frame_row(&s->frames[piece], x, y), a.width,
                            sdd_vec3_of(sum[3 * j], sum[3 * j + 1], sum[3 * j + 2]));
        }
    }
}

static __global__ void __launch_bounds__(tab_points_threads, 4)
    g_tab_points(const int64_t n, const __grid_constant__ tab_points_args a)
{
    __shared__ tab_shared s;
    const int64_t others = sdd_tab_other_items(&a), i = blockIdx.x;
    (void)n;
    if (i < others)
        tab_others(a, i, &s.run);
    else if (a.width.n == 3)
        tab_pieces<3>(a, i - others, s.warps);
    else if (a.width.n == 2)
        tab_pieces<2>(a, i - others, s.warps);
    else
        tab_pieces<1>(a, i - others, s.warps);
}
#endif
