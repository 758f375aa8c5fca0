/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points.cuh: kernels/tab_points.h for a block an item. The bits are those of the portable form.
 * A warp makes as many bicubic pieces at once as give each lane a column of points; what is inside a piece meets in
 * shared memory and leaves it in whole lines of 128 bytes, as its rows follow each other.
 * Of other pieces a thread has one point and makes it of half the pieces of a run, so that the table is read twice a
 * run. */
#ifndef SDD_TAB_POINTS_CUH
#define SDD_TAB_POINTS_CUH
#include "gpu/kernels/tab_points.h"

#define TAB_WARPS SDD_TAB_GROUP /* of a block */
enum { tab_points_threads = 32 * TAB_WARPS };

#define TAB_SLAB 768                    /* floats, a multiple of 32 */
#define TAB_ROWS 8                      /* of 2 x 15 or of 31 points, which fit */
#define TAB_HALF (SDD_TAB_TOGETHER / 2) /* pieces at a time: as many sums as registers hold */
#define TAB_PIECES 8                    /* of a warp at once, at most */

/* The pieces of a warp: the rows of level 1 that they read, the points there, points inside, towards the next corner. */
struct tab_warp {
    float points[3 * SDD_TAB_REGULAR * TAB_PIECES], slab[TAB_SLAB], line[3 * 32];
    uint32_t rows[SDD_TAB_REGULAR * TAB_PIECES];
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

/* N components, 2^LOG cells along a piece. Points inside are made some rows at a time: all, or a power of two of them
 * and in the end one that is not put. `apart`: floats from a piece to the next, so that their columns are in different
 * banks of shared memory. */
template <int N, int LOG> struct tab_shape {
    static constexpr int m = 1 << LOG, pieces = LOG < 2 ? TAB_PIECES : 32 >> LOG; /* a column of points a lane */
    static constexpr int loads = (pieces + 1) / 2;                                /* columns that a lane reads */
    static constexpr int width = N * (m - 1), rows = pieces * width * (m - 1) <= TAB_SLAB ? m - 1 : TAB_ROWS,
                         apart = (rows * width + 31 - N * m) / 32 * 32 + N * m;
};

/* At most MOST floats, rows of N, to where they belong: whole lines where there is nothing between rows. */
template <int N, int MOST>
static __device__ __forceinline__ void tab_rows_put(const tab_points_args &a, uint32_t row, const float *from, int n)
{
    const int lane = threadIdx.x & 31;
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

/* What a lane reads of its warp's pieces: columns of all, and of its own its corner and what it makes. */
template <int N, int LOG> struct tab_head {
    uint32_t row[tab_shape<N, LOG>::loads], corner, owns;
};

/* Of pieces past the end those of the last one, which are made and not put. */
template <int N, int LOG>
static __device__ __forceinline__ tab_head<N, LOG> tab_head_of(const tab_points_args &a, int first)
{
    using T = tab_shape<N, LOG>;
    const int lane = threadIdx.x & 31, last = (int)a.n_regular - 1;
    const int own = min(first + (lane >> LOG) % T::pieces, last);
    tab_head<N, LOG> h;
#pragma unroll
    for (int j = 0; j < T::loads; j++)
        h.row[j] = a.regular_column[SDD_TAB_REGULAR * (size_t)min(first + 2 * j + lane / SDD_TAB_REGULAR, last) +
                                    lane % SDD_TAB_REGULAR];
    h.corner = a.regular[own];
    h.owns = a.regular_owns[own];
    return h;
}

/* The sums along x of the four rows of points of a piece. */
template <int N> struct tab_sums {
    float s[4][N];

    __device__ __forceinline__ tab_sums(const float *points, const sdd_tab_basis &x)
    {
#pragma unroll
        for (int b = 0; b < 4; b++) {
            float p[4 * N];
#pragma unroll
            for (int k = 0; k < N; k++)
                *(float4 *)(p + 4 * k) = *(const float4 *)(points + 4 * (N * b + k));
#pragma unroll
            for (int k = 0; k < N; k++)
                s[b][k] = sdd_tab_sum(x.s, p[k], p[N + k], p[2 * N + k], p[3 * N + k]);
        }
    }

    __device__ __forceinline__ void put(const sdd_tab_basis &y, float *to) const
    {
#pragma unroll
        for (int k = 0; k < N; k++)
            to[k] = sdd_tab_sum(y.s, s[0][k], s[1][k], s[2][k], s[3][k]);
    }

    __device__ __forceinline__ void put_row(const tab_points_args &a, const sdd_tab_basis &y, uint32_t row) const
    {
        if (row != SDD_NONE)
            put(y, a.to + (size_t)a.width.stride * row);
    }
};

/* The points inside the pieces, and those towards the next corner, a lane a column of them. */
template <int N, int LOG>
static __device__ __forceinline__ void tab_inside(const tab_points_args &a, const sdd_grid &g, uint32_t corner,
                                                  int n_pieces, const tab_sums<N> &q, const sdd_tab_basis *basis,
                                                  tab_warp *s)
{
    using T = tab_shape<N, LOG>;
    const int lane = threadIdx.x & 31, p = (lane >> LOG) % T::pieces, x = lane % T::m + 1;
#pragma unroll 1
    for (int first = 1; first < T::m; first += T::rows) {
        const int n = first + T::rows <= T::m ? T::rows : T::m - first, step = x < T::m ? T::width : -N;
        float *to = x < T::m ? s->slab + p * T::apart + N * (x - 1) : s->line + N * (p * T::m + T::m - first);
#pragma unroll
        for (int y = 0; y < T::rows; y++, to += step)
            q.put(basis[first + y], to);
        __syncwarp();
        for (int i = 0; i < n_pieces; i++)
            tab_rows_put<N, T::rows * T::width>(a, sdd_grid_inside(&g, __shfl_sync(~0u, corner, i << LOG), 1, first),
                                                s->slab + i * T::apart, n * T::width);
        __syncwarp();
    }
}

/* n_pieces of them, from the first; h becomes what is read of those from `next`, on its way in the meantime. */
template <int N, int LOG>
static __device__ __forceinline__ void tab_some(const tab_points_args &a, tab_head<N, LOG> *h, int n_pieces, int next,
                                                const sdd_tab_basis *basis, tab_warp *s)
{
    using T = tab_shape<N, LOG>;
    const int lane = threadIdx.x & 31, stride = a.width.stride, own = lane >> LOG;
    const int p = own % T::pieces, x = lane % T::m + 1;
    const uint32_t corner = h->corner, owns = h->owns;
    sdd_grid g = a.grid;
    g.level = LOG + 1;
    __syncwarp(); /* the pieces before have been read */
#pragma unroll
    for (int j = 0; j < T::loads; j++) {
        s->rows[32 * j + lane] = h->row[j];
        const sdd_vec3 at = sdd_tab_load(a.from, h->row[j], N);
        const float p[3] = {at.x, at.y, at.z};
#pragma unroll
        for (int k = 0; k < N; k++)
            s->points[N * (32 * j + lane) + k] = p[k];
    }
    *h = tab_head_of<N, LOG>(a, next);
    __syncwarp();
    const tab_sums<N> q(s->points + N * SDD_TAB_REGULAR * p, basis[x]);
    const sdd_tab_column at = sdd_tab_column_at(&g, corner, owns, s->rows + SDD_TAB_REGULAR * p, x);
    if (own < n_pieces) {
        q.put_row(a, basis[0], at.first);
        q.put_row(a, basis[T::m], at.last);
    }
    if (T::m > 1)
        tab_inside<N, LOG>(a, g, corner, n_pieces, q, basis, s);
    if (own < n_pieces && x < T::m) { /* those towards the next corner follow each other */
        const uint32_t row =
            g.n_vertices + g.n_faces + g.n_edges + (2 * g.n_edges + corner) * (uint32_t)(T::m - 1) + (uint32_t)(x - 1);
#pragma unroll
        for (int k = 0; k < N; k++)
            a.to[(size_t)stride * row + k] = s->line[N * (p * T::m + x) + k];
    }
    if ((__shfl_sync(~0u, owns, (lane << LOG) & 31) & SDD_TAB_VERTEX) && lane < n_pieces) {
        const tab_sums<N> vertex(s->points + N * SDD_TAB_REGULAR * lane, basis[0]);
        vertex.put_row(a, basis[0], s->rows[SDD_TAB_REGULAR * lane + 5]);
    }
}

/* The pieces of a warp. */
template <int N, int LOG>
static __device__ __forceinline__ void tab_all(const tab_points_args &a, int64_t group, const sdd_tab_basis *basis,
                                               tab_warp *warps)
{
    using T = tab_shape<N, LOG>;
    const int first = ((int)group * TAB_WARPS + (int)threadIdx.x / 32) * a.each;
    const int end = min(first + a.each, (int)a.n_regular);
    tab_head<N, LOG> h = tab_head_of<N, LOG>(a, first);
    __syncthreads(); /* the basis is there */
    for (int i = first; i < end; i += T::pieces)
        tab_some<N, LOG>(a, &h, min(end - i, T::pieces), min(i + T::pieces, end - 1), basis, warps + threadIdx.x / 32);
}

template <int N>
static __device__ __forceinline__ void tab_pieces(const tab_points_args &a, int64_t group, tab_warp *warps)
{
    __shared__ sdd_tab_basis basis[SDD_TAB_SIDE + 1];
    if ((int)threadIdx.x <= 1 << (a.grid.level - 1))
        basis[threadIdx.x] = a.basis[threadIdx.x];
    switch (a.grid.level) {
    case 1: tab_all<N, 0>(a, group, basis, warps); break;
    case 2: tab_all<N, 1>(a, group, basis, warps); break;
    case 3: tab_all<N, 2>(a, group, basis, warps); break;
    case 4: tab_all<N, 3>(a, group, basis, warps); break;
    case 5: tab_all<N, 4>(a, group, basis, warps); break;
    default: tab_all<N, 5>(a, group, basis, warps); break;
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
            p = sdd_tab_load(a.from, column[i], a.width.n);
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
    const int pieces = (int)(run.class_n & 15), half = (int)threadIdx.x / SDD_TAB_CHUNK;
    const int r = chunk.first + (int)threadIdx.x % SDD_TAB_CHUNK;
    tab_run_load(a, run, k, s);
    if (r >= side * side || TAB_HALF * half >= pieces)
        return;
    const int y = r / side, x = r - y * side;
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

/* Block i: a chunk of the others or a group of pieces. */
template <int N> static __device__ __forceinline__ void tab_block(const tab_points_args &a, tab_shared *s)
{
    const int64_t others = sdd_tab_other_items(&a), i = blockIdx.x;
    if (i < others)
        tab_others(a, i, &s->run);
    else
        tab_pieces<N>(a, i - others, s->warps);
}

static __global__ void __launch_bounds__(tab_points_threads, 4)
    g_tab_points(const int64_t n, const __grid_constant__ tab_points_args a)
{
    __shared__ tab_shared s;
    (void)n;
    tab_block<3>(a, &s);
}
#endif
