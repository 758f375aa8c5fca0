/* SPDX-License-Identifier: Apache-2.0 */
/* tab_others.cuh: the pieces of tab_points.cuh that are not bicubic. A warp makes 32 points of some of a run's pieces, or,
 * where tables are smaller, all points of more of them; a lane makes one of 2^LOG_EACH pieces at once, so that a weight is
 * read once for them. What they are made of waits in shared memory. */
#ifndef SDD_TAB_OTHERS_CUH
#define SDD_TAB_OTHERS_CUH
#include "gpu/engines/tabulated/cuda/tab_bicubic.cuh"

#define TAB_COLUMNS 4                           /* that a lane looks up at a time         */
#define TAB_BESIDE (SDD_TAB_FEW + 1)            /* points from a piece to the next, which are in different banks */
#define TAB_PARTS (SDD_TAB_FEW / SDD_TAB_TERMS) /* of a sum of few columns */
static_assert(TAB_PARTS * SDD_TAB_TERMS == SDD_TAB_FEW && 32 % TAB_PARTS == 0, "lanes share sums evenly");
static_assert(SDD_TAB_TOGETHER == 8, "of a run, groups of two or four");
static_assert(SDD_TAB_FEW % (SDD_TAB_TERMS / 2) == 0, "zeros fit");
static_assert(SDD_TAB_TOGETHER * TAB_BESIDE >= SDD_TAB_COLUMNS, "a piece alone fits");

/* Where points of a table go that follow each other in memory: of the first the row, less its place in the table. */
enum tab_kind { TAB_INSIDE, TAB_SPOKE, TAB_BOTTOM, TAB_EDGE, TAB_VERTEX, TAB_FACE, TAB_LEFT, TAB_KINDS };
struct tab_goes {
    uint32_t row, is_made;
};

/* What a warp needs of a run. */
struct tab_run {
    alignas(16) float points[4 * SDD_TAB_TOGETHER * TAB_BESIDE];
    tab_goes to[SDD_TAB_TOGETHER][TAB_KINDS];
};

/* A warp's part of a run, no pieces where there is none; slot: the lane's first point of the table, which it makes of
 * 2^LOG_EACH of these pieces, from `piece` on, then each 32nd, `blocks` in all. The warp that has the first points also
 * makes what is beyond m * m. */
struct tab_part {
    sdd_tab_run run;
    int slots, slot, piece, blocks;
};

/* Of the warps of item i. */
template <int LOG_EACH> static __device__ __forceinline__ tab_part tab_part_of(const tab_points_args &a, int64_t i)
{
    constexpr int log_groups = 3 - LOG_EACH, groups = 1 << log_groups;
    const int lane = tab_lane(), log = 2 * (a.grid.level - 1), log_blocks = sdd_tab_log_blocks(a.grid.level),
              log_warps = max(log + log_groups - 5 - log_blocks, 0);
    const uint32_t at = (uint32_t)i * TAB_WARPS + threadIdx.x / 32, r = at >> log_warps;
    const int part = (int)(at - (r << log_warps)), beside = log < 5 ? 32 >> log : 1; /* beside: groups of a warp */
    const int skipped = (log < 5 ? part * beside : part % groups) << LOG_EACH;
    tab_part p = {};
    p.slots = sdd_tab_slots(1 << (a.grid.level - 1));
    p.blocks = 1 << log_blocks;
    if (r >= a.n_runs)
        return p;
    p.run = a.runs[r];
    p.slot = log < 5 ? lane & ((1 << log) - 1) : (32 << log_blocks) * (part >> log_groups) + lane;
    p.piece = log < 5 ? lane >> log << LOG_EACH : 0;
    p.run.first += skipped;
    p.run.column += skipped * p.run.n_columns;
    p.run.n = max(min(p.run.n - skipped, beside << LOG_EACH), 0);
    return p;
}

/* A lane has a piece, and says where its points go. */
static __device__ __forceinline__ void tab_part_goes(const tab_points_args &a, const tab_part &p, tab_run *s)
{
    const int lane = tab_lane(), m = 1 << (a.grid.level - 1);
    if (lane >= p.run.n)
        return;
    const sdd_tab_quad q = a.other[p.run.first + lane];
    tab_goes *to = s->to[lane];
    to[TAB_INSIDE] = {sdd_grid_inside(&a.grid, q.corner, 1, 1), 1};
    to[TAB_SPOKE] = {sdd_tab_spoke(&a.grid, &q) - (m - 1) * (m - 1), 1};
    to[TAB_BOTTOM] = {sdd_tab_bottom(&a.grid, &q) - m * (m - 1), q.owns & SDD_TAB_BOTTOM};
    to[TAB_EDGE] = {q.edge - (m * m - 1), q.owns & SDD_TAB_EDGE};
    to[TAB_VERTEX] = {0, q.owns & SDD_TAB_VERTEX};
    to[TAB_FACE] = {q.face - (m * m + 1), q.owns & SDD_TAB_FACE};
    to[TAB_LEFT] = {0, q.owns & SDD_TAB_LEFT};
    if (q.owns & SDD_TAB_VERTEX)
        to[TAB_VERTEX].row = a.grid.vert[q.corner] - m * m;
    if (q.owns & SDD_TAB_LEFT)
        to[TAB_LEFT].row = sdd_tab_left(&a.grid, q.corner) - (m * m + 1);
}

/* Rows of level 1 for columns from `first` on of the run's pieces, which follow each other. */
static __device__ __forceinline__ void tab_part_rows(const tab_points_args &a, const tab_part &p, int first,
                                                     uint32_t (&row)[TAB_COLUMNS])
{
    const int all = p.run.n * p.run.n_columns;
    const uint32_t *column = a.column + p.run.column;
#pragma unroll
    for (int j = 0; j < TAB_COLUMNS; j++) {
        const int i = first + 32 * j + tab_lane();
        row[j] = i < all ? column[i] : 0;
    }
}

/* Their points, on their way to shared memory; row: those of the first columns. What is beyond a piece's columns, where
 * terms are read that are not there, becomes 0. */
template <int N>
static __device__ __forceinline__ void tab_part_points(const tab_points_args &a, const tab_part &p,
                                                       uint32_t (&row)[TAB_COLUMNS], tab_run *s)
{
    constexpr int wide = tab_point<N>::wide;
    const int n = p.run.n_columns, all = p.run.n * n;
    const float each = __fdividef(1.0f, (float)n);
    for (int first = 0; first < all; first += 32 * TAB_COLUMNS) {
        if (first > 0)
            tab_part_rows(a, p, first, row);
#pragma unroll
        for (int j = 0; j < TAB_COLUMNS; j++) {
            const int i = first + 32 * j + tab_lane(), piece = (int)(((float)i + 0.5f) * each);
            if (i < all)
                __pipeline_memcpy_async(s->points + wide * (piece * TAB_BESIDE + i - piece * n),
                                        a.from + (size_t)wide * row[j], 4 * wide);
        }
    }
    __pipeline_commit();
    const int piece = tab_lane() % SDD_TAB_TOGETHER, k = n + tab_lane() / SDD_TAB_TOGETHER;
    if (piece < p.run.n && k < SDD_TAB_FEW)
#pragma unroll
        for (int i = 0; i < wide; i++)
            s->points[wide * (piece * TAB_BESIDE + k) + i] = 0.0f;
}

static __device__ __forceinline__ void tab_part_wait()
{
    __pipeline_wait_prior(0);
    __syncwarp();
}

template <int N> static __device__ __forceinline__ void tab_load(const float *from, float (&p)[N])
{
    if constexpr (N == 3) {
        const float4 all = *(const float4 *)from;
        p[0] = all.x, p[1] = all.y, p[2] = all.z;
    } else {
#pragma unroll
        for (int k = 0; k < N; k++)
            p[k] = from[k];
    }
}

/* Weights of SDD_TAB_TERMS columns, `apart` from each other, of which some may be beyond the table: their points are
 * zeros. */
static __device__ __forceinline__ void tab_weights(const float *from, int apart, float (&w)[SDD_TAB_TERMS])
{
#pragma unroll
    for (int j = 0; j < SDD_TAB_TERMS; j++, from += apart)
        w[j] = __ldg(from);
}

/* Sums for the lane's point by a table that begins at w, of which `next` are the first weights, and then those of the
 * table that begins at `then`. The products of SDD_TAB_TERMS columns are added first with each other. */
template <int N, int LOG_EACH>
static __device__ __forceinline__ void tab_part_sums(const tab_part &p, const float *w, const float *then,
                                                     const tab_run *s, float (&next)[SDD_TAB_TERMS],
                                                     float (&sum)[1 << LOG_EACH][N])
{
    constexpr int each = 1 << LOG_EACH;
    constexpr int half = SDD_TAB_TERMS / 2;
    constexpr int wide = tab_point<N>::wide;
    const int n = p.run.n_columns;
    const float *points = s->points + wide * TAB_BESIDE * p.piece;
#pragma unroll
    for (int j = 0; j < each; j++)
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[j][k] = 0.0f;
    for (int t = 0; t < n; t += SDD_TAB_TERMS, points += wide * SDD_TAB_TERMS) {
        float some[each][N] = {};
        w = t + SDD_TAB_TERMS < n ? w + SDD_TAB_TERMS * p.slots : then;
#pragma unroll
        for (int from = 0; from < SDD_TAB_TERMS; from += half) {
            if (from == 0 || t + from < n)
#pragma unroll
                for (int c = from; c < from + half; c++)
#pragma unroll
                    for (int j = 0; j < each; j++) {
                        float point[N];
                        tab_load<N>(points + wide * (TAB_BESIDE * j + c), point);
#pragma unroll
                        for (int k = 0; k < N; k++)
                            some[j][k] = fmaf(next[c], point[k], some[j][k]);
                    }
#pragma unroll
            for (int c = from; c < from + half; c++)
                next[c] = __ldg(w + c * p.slots);
        }
#pragma unroll
        for (int j = 0; j < each; j++)
#pragma unroll
            for (int k = 0; k < N; k++)
                sum[j][k] += some[j][k];
    }
}

/* The sum for one point of one piece. */
template <int N>
static __device__ __forceinline__ void tab_lone_sum(const tab_part &p, const float *w, int piece, const tab_run *s,
                                                    float (&sum)[N])
{
    constexpr int half = SDD_TAB_TERMS / 2;
    const int n = p.run.n_columns;
    const float *points = s->points + tab_point<N>::wide * TAB_BESIDE * piece;
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] = 0.0f;
    for (int t = 0; t < n; t += SDD_TAB_TERMS) {
        float some[N] = {};
        for (int from = t; from < min(t + SDD_TAB_TERMS, n); from += half) {
            float weight[half];
#pragma unroll
            for (int c = 0; c < half; c++, w += p.slots)
                weight[c] = from + c < n ? __ldg(w) : 0.0f;
#pragma unroll
            for (int c = 0; c < half; c++) {
                float point[N];
                if (from + c >= n)
                    break;
                tab_load<N>(points + tab_point<N>::wide * (from + c), point);
#pragma unroll
                for (int k = 0; k < N; k++)
                    some[k] = fmaf(weight[c], point[k], some[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[k] += some[k];
    }
}

/* A point of a piece for four lanes, as tab_lone_sum makes it, of few columns: each makes eight columns' part, so that
 * all weights are on their way at once; the first one gets the sum. */
template <int N>
static __device__ __forceinline__ void tab_end_sums(const tab_part &p, const float *w, int piece, const tab_run *s,
                                                    float (&sum)[N])
{
    const int lane = tab_lane(), first = lane % TAB_PARTS * SDD_TAB_TERMS, n = p.run.n_columns - first;
    const float *points = s->points + tab_point<N>::wide * (TAB_BESIDE * piece + first);
    float some[N] = {}, weight[SDD_TAB_TERMS];
    w += first * p.slots;
#pragma unroll
    for (int c = 0; c < SDD_TAB_TERMS; c++, w += p.slots)
        weight[c] = c < n ? __ldg(w) : 0.0f;
#pragma unroll
    for (int c = 0; c < SDD_TAB_TERMS; c++) {
        float point[N];
        if (c >= n)
            break;
        tab_load<N>(points + tab_point<N>::wide * c, point);
#pragma unroll
        for (int k = 0; k < N; k++)
            some[k] = fmaf(weight[c], point[k], some[k]);
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        sum[k] = 0.0f + some[k];
#pragma unroll
        for (int part = 1; part < TAB_PARTS; part++)
            sum[k] += __shfl_down_sync(~0u, some[k], part, TAB_PARTS);
    }
}

/* Of D tables: put(kind, row, D sums) for all points of the part that its pieces make. table: of the class; next: the
 * first weights of the lane's point. */
template <int N, int D, int LOG_EACH, class PUT>
static __device__ __forceinline__ void tab_part_make(const tab_points_args &a, const tab_part &p,
                                                     const float *const (&table)[D], float (&next)[SDD_TAB_TERMS],
                                                     const tab_run *s, const PUT &put)
{
    constexpr int each = 1 << LOG_EACH;
    const int lane = tab_lane(), m = 1 << (a.grid.level - 1), inside = (m - 1) * (m - 1), most = m * m;
    const auto lone = [&](int piece, int of_kind, int slot) {
        const tab_goes to = s->to[piece][of_kind];
        float one[D][N];
        if (!to.is_made)
            return;
#pragma unroll
        for (int d = 0; d < D; d++)
            tab_lone_sum<N>(p, table[d] + slot, piece, s, one[d]);
        put(of_kind, to.row + slot, one);
    };
    const bool few = p.run.n_columns <= SDD_TAB_FEW;
#pragma unroll 1
    for (int block = 0; block < p.blocks && p.piece < p.run.n; block++) {
        const int slot = p.slot + 32 * block, after = slot + (block + 1 < p.blocks ? 32 : 0);
        const int kind = slot < inside           ? TAB_INSIDE
                         : slot < inside + m - 1 ? TAB_SPOKE
                         : slot < most - 1       ? TAB_BOTTOM
                                                 : TAB_EDGE;
        float sum[D][each][N];
        if (!few) {
            lone(0, kind, slot);
            continue;
        }
#pragma unroll
        for (int d = 0; d < D; d++)
            tab_part_sums<N, LOG_EACH>(p, table[d] + slot, d + 1 < D ? table[d + 1] + slot : table[0] + after, s, next,
                                       sum[d]);
#pragma unroll
        for (int j = 0; j < each; j++) {
            if (p.piece + j >= p.run.n)
                break;
            const tab_goes to = s->to[p.piece + j][kind];
            float one[D][N];
#pragma unroll
            for (int d = 0; d < D; d++)
#pragma unroll
                for (int k = 0; k < N; k++)
                    one[d][k] = sum[d][j][k];
            if (to.is_made)
                put(kind, to.row + slot, one);
        }
    }
    if (p.slot >= 32)
        return;
    for (int ends = 0; ends < 2 * p.run.n && few; ends += 32 / TAB_PARTS) {
        const int piece = (ends + lane / TAB_PARTS) / 2, end = lane / TAB_PARTS % 2;
        const tab_goes to = piece < p.run.n ? s->to[piece][TAB_VERTEX + end] : tab_goes{};
        float one[D][N];
        if (!__any_sync(~0u, to.is_made))
            continue;
#pragma unroll
        for (int d = 0; d < D; d++)
            tab_end_sums<N>(p, table[d] + most + end, piece, s, one[d]);
        if (to.is_made && lane % TAB_PARTS == 0)
            put(TAB_VERTEX + end, to.row + most + end, one);
    }
    if (!few && lane < 2)
        lone(0, TAB_VERTEX + lane, most + lane);
    unsigned left = __ballot_sync(~0u, lane < p.run.n && s->to[lane][TAB_LEFT].is_made);
    for (; left; left &= left - 1)
        for (int y = 1 + lane; y < m; y += 32)
            lone(__ffs(left) - 1, TAB_LEFT, most + 1 + y);
}

template <int N, int FORM, int LOG_EACH>
static __device__ __forceinline__ void tab_others(const tab_points_args &a, int64_t i, tab_run *runs)
{
    tab_run *s = runs + threadIdx.x / 32;
    const tab_part part = tab_part_of<LOG_EACH>(a, i);
    const float *const table[1] = {a.table + part.run.table * part.slots};
    uint32_t row[TAB_COLUMNS];
    float next[SDD_TAB_TERMS];
    tab_part_rows(a, part, 0, row);
    tab_part_goes(a, part, s);
    tab_ahead_wait(a);
    if (part.run.n == 0)
        return;
    tab_part_points<N>(a, part, row, s);
    tab_weights(table[0] + part.slot, part.slots, next);
    tab_part_wait();
    const tab_row<N, FORM> as(a);
    tab_part_make<N, 1, LOG_EACH>(a, part, table, next, s, [&](int, uint32_t to, const float(&p)[1][N]) {
        as.put(p[0], a.to + (size_t)(FORM != tab_strided ? as.words : a.width.stride) * to);
    });
}
#endif
