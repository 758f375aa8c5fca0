/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points.cuh: kernels/tab_points.h for a block an item. The bits are those of the portable form.
 * Of pieces that are not bicubic a thread has one point and makes it of half the pieces of a run, so that the table is
 * read twice a run. */
#ifndef SDD_TAB_POINTS_CUH
#define SDD_TAB_POINTS_CUH
#include "gpu/cuda/tab_bicubic.cuh"

#define TAB_HALF (SDD_TAB_TOGETHER / 2) /* pieces at a time: as many sums as registers hold */

struct tab_run {
    float points[2][SDD_TAB_COLUMNS][3 * TAB_HALF];
    sdd_frame frames[SDD_TAB_TOGETHER];
    uint32_t owns[SDD_TAB_TOGETHER];
};

union tab_shared {
    tab_warp warps[TAB_WARPS];
    tab_run run;
};

/* What all threads of a block need of a run: first what is not of the first step, for which it then waits. */
template <int N>
static __device__ __forceinline__ void tab_run_load(const tab_points_args &a, const sdd_tab_run &run,
                                                    const sdd_tab_table &k, tab_run *s)
{
    const int pieces = (int)(run.class_n & 15);
    const uint32_t *column = a.column + k.column + ((int64_t)run.first - k.first) * k.n_columns;
    const int n = pieces * k.n_columns;
    uint32_t row = (int)threadIdx.x < n ? column[threadIdx.x] : 0;
    if ((int)threadIdx.x < pieces) {
        s->frames[threadIdx.x] = sdd_tab_frame(&a, a.other[run.first + threadIdx.x]);
        s->owns[threadIdx.x] = a.owns[run.first + threadIdx.x];
    }
    tab_ahead_wait(a);
    for (int i = threadIdx.x; i < SDD_TAB_TOGETHER * k.n_columns; i += tab_points_threads) {
        const int j = i / k.n_columns, at = i - j * k.n_columns;
        float *to = s->points[j / TAB_HALF][at] + N * (j % TAB_HALF);
        sdd_vec3 p = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        if (i < n)
            p = sdd_tab_load(a.from, row, N);
        row = i + tab_points_threads < n ? column[i + tab_points_threads] : 0;
        to[0] = p.x;
        if constexpr (N > 1)
            to[1] = p.y;
        if constexpr (N > 2)
            to[2] = p.z;
    }
    __syncthreads();
}

template <int N, int FORM>
static __device__ __forceinline__ void tab_others(const tab_points_args &a, int64_t i, tab_run *s)
{
    const int side = (1 << (a.grid.level - 1)) + 1;
    const sdd_tab_chunk chunk = sdd_tab_chunk_of(&a, i);
    const sdd_tab_run run = a.runs[chunk.run];
    const sdd_tab_table k = a.tables[run.class_n >> 4];
    const int pieces = (int)(run.class_n & 15), half = (int)threadIdx.x / SDD_TAB_CHUNK;
    const int r = chunk.first + (int)threadIdx.x % SDD_TAB_CHUNK;
    tab_run_load<N>(a, run, k, s);
    const tab_row<N, FORM> as(a);
    if (r >= side * side || TAB_HALF * half >= pieces)
        return;
    const int y = r / side, x = r - y * side;
    const float *w = a.table + k.table * side * side + r;
    float sum[N * TAB_HALF];
#pragma unroll
    for (int j = 0; j < N * TAB_HALF; j++)
        sum[j] = 0.0f;
    for (int first = 0; first < k.n_columns; first += SDD_TAB_TERMS) {
        float part[N * TAB_HALF];
#pragma unroll
        for (int j = 0; j < N * TAB_HALF; j++)
            part[j] = 0.0f;
#pragma unroll 4
        for (int at = first; at < first + SDD_TAB_TERMS && at < k.n_columns; at++) {
            const float weight = __ldg(w + (int64_t)at * side * side);
#pragma unroll
            for (int j = 0; j < N * TAB_HALF; j++)
                part[j] = fmaf(weight, s->points[half][at][j], part[j]);
        }
#pragma unroll
        for (int j = 0; j < N * TAB_HALF; j++)
            sum[j] += part[j];
    }
#pragma unroll
    for (int j = 0; j < TAB_HALF; j++) {
        const int piece = TAB_HALF * half + j;
        if (piece < pieces && sdd_tab_makes(s->owns[piece], side - 1, x, y))
            as.put(sum + N * j, a.to + (size_t)(FORM != tab_strided ? as.words : a.width.stride) *
                                           sdd_frame_row(&s->frames[piece], x, y));
    }
}

/* As tab_others, of pieces with so few points that a block takes several runs: a thread has one point of one piece, and
 * nothing is shared. */
template <int N, int FORM> static __device__ __forceinline__ void tab_few(const tab_points_args &a, int64_t i)
{
    const int side = (1 << (a.grid.level - 1)) + 1, points = side * side, of_run = SDD_TAB_TOGETHER * points;
    const int64_t t = i * SDD_TAB_THREADS + threadIdx.x, r = t / of_run;
    const int own = (int)(t - r * of_run), piece = own / points, at = own - piece * points, y = at / side, x = at - y * side;
    if (r >= a.n_runs)
        return;
    const sdd_tab_run run = a.runs[r];
    if (piece >= (int)(run.class_n & 15) || !sdd_tab_makes(a.owns[run.first + piece], side - 1, x, y))
        return;
    const sdd_tab_table k = a.tables[run.class_n >> 4];
    const uint32_t *column = a.column + k.column + ((int64_t)(run.first + piece) - k.first) * k.n_columns;
    const float *w = a.table + k.table * points + at;
    const sdd_frame frame = sdd_tab_frame(&a, a.other[run.first + piece]);
    overlap_wait();
    tab_ahead_look(a);
    const tab_row<N, FORM> as(a);
    float sum[3] = {0.0f, 0.0f, 0.0f};
    for (int first = 0; first < k.n_columns; first += SDD_TAB_TERMS) {
        const int end = min(first + SDD_TAB_TERMS, k.n_columns);
        float part[3] = {0.0f, 0.0f, 0.0f};
#pragma unroll 4
        for (int j = first; j < end; j++) {
            const sdd_vec3 p = sdd_tab_load(a.from, column[j], N);
            const float weight = __ldg(w + (int64_t)j * points);
            part[0] = fmaf(weight, p.x, part[0]);
            part[1] = fmaf(weight, p.y, part[1]);
            part[2] = fmaf(weight, p.z, part[2]);
        }
#pragma unroll
        for (int j = 0; j < N; j++)
            sum[j] += part[j];
    }
    as.put(sum, a.to + (size_t)(FORM != tab_strided ? as.words : a.width.stride) * sdd_frame_row(&frame, x, y));
}

/* A block after the first step: item i of the others or group i of pieces. The others, which wait more and write
 * less, stand among them, each 2^shift-th: first, they would be all that runs for a while. */
struct tab_turn {
    int64_t i;
    bool other;
};

/* Of `blocks` from `first` on: those of a mesh. */
static __device__ __forceinline__ tab_turn tab_turn_of(const tab_points_args &a, unsigned first, unsigned blocks)
{
    const unsigned others = (unsigned)sdd_tab_other_items(&a), i = blockIdx.x - first;
    tab_turn t = {i, false};
    if (others > 0) {
        int shift = __clz(others) - __clz(blocks);
        shift -= others << shift > blocks;
        const unsigned at = i >> shift;
        t.other = at < others && at << shift == i;
        t.i = t.other ? at : i - min(at + 1, others);
    }
    return t;
}

/* weights: a's, where they can be looked up by a number that the compiler does not know. */
template <int N, int FORM>
static __device__ __forceinline__ void tab_turns(const tab_points_args &a, const sdd_tab_weights &weights,
                                                 tab_bases &bases, tab_shared *s, unsigned first, unsigned blocks)
{
    const tab_turn turn = tab_turn_of(a, first, blocks);
    if (turn.other && a.few)
        tab_few<N, FORM>(a, turn.i);
    else if (turn.other)
        tab_others<N, FORM>(a, turn.i, &s->run);
    else
        tab_pieces<N, FORM>(a, weights, turn.i, bases, s->warps);
    overlap_wait(); /* the launch before must not outlast this one */
}

/* Of one mesh. */
template <int N, int FORM>
static __device__ __forceinline__ void tab_block(const tab_points_args &a, tab_bases &bases, tab_shared *s)
{
    const unsigned ahead = (unsigned)sdd_tab_first_items(&a, 1);
    tab_turns<N, FORM>(a, a.weights, bases, s, ahead, gridDim.x - ahead);
}

static __global__ void __launch_bounds__(tab_points_threads, 4)
    g_tab_points(const int64_t n, const __grid_constant__ tab_points_args a)
{
    __shared__ tab_shared s;
    __shared__ tab_bases bases;
    (void)n;
    if (!tab_ahead(a, sdd_xyz()))
        tab_block<3, tab_dense>(a, bases, &s);
}
#endif
