/* SPDX-License-Identifier: Apache-2.0 */
/* table_others.cuh: the pieces of table_points.cuh that are not bicubic. A warp makes 32 points of some pieces of a
 * run, or all points of more pieces where tables are smaller. It wins over the plain body because a lane makes the same
 * point of 2^LOG_EACH pieces at once, so that it reads each weight once for them, and because the columns of the pieces
 * are in shared memory. */
#ifndef SDD_TABLE_OTHERS_CUH
#define SDD_TABLE_OTHERS_CUH
#include "gpu/engines/tabulated/cuda/table_bicubic.cuh"

#define TABLE_COLUMNS 4                  /* The columns that a lane looks up at a time. */
#define TABLE_BESIDE (SDD_TABLE_FEW + 1) /* The points from a piece to the next, which puts them into other banks. */
#define TABLE_PARTS (SDD_TABLE_FEW / SDD_TABLE_TERMS) /* The parts of a sum of few columns. */
static_assert(TABLE_PARTS * SDD_TABLE_TERMS == SDD_TABLE_FEW && 32 % TABLE_PARTS == 0, "lanes share sums evenly");
static_assert(SDD_TABLE_RUN_PIECES == 8, "of a run, groups of two or four");
static_assert(SDD_TABLE_FEW % (SDD_TABLE_TERMS / 2) == 0, "zeros fit");
static_assert(SDD_TABLE_RUN_PIECES * TABLE_BESIDE >= SDD_TABLE_COLUMNS, "a piece alone fits");

/* The kinds of points of a table. The rows of each kind follow each other, so the row of the first, less its place in
 * the table, says where all of them go. */
enum table_kind {
    TABLE_INSIDE,
    TABLE_SPOKE,
    TABLE_BOTTOM,
    TABLE_EDGE,
    TABLE_VERTEX,
    TABLE_FACE,
    TABLE_LEFT,
    TABLE_KINDS
};
struct table_goes {
    uint32_t row, is_made;
};

/* The shared memory of a warp for a run. */
struct table_run {
    alignas(16) float points[4 * SDD_TABLE_RUN_PIECES * TABLE_BESIDE];
    table_goes to[SDD_TABLE_RUN_PIECES][TABLE_KINDS];
};

/* The part of a run that a warp makes; it may have no pieces. A lane makes point `slot` of the table and each 32nd
 * after it, `blocks` in all, for 2^LOG_EACH pieces from `piece` on. The warp with the first points also makes those
 * beyond the first m * m. */
struct table_part {
    sdd_table_run run;
    int slots, slot, piece, blocks;
};

/* Returns the part of this warp in item i. */
template <int LOG_EACH>
static __device__ __forceinline__ table_part table_part_of(const table_points_args &a, int64_t i)
{
    constexpr int log_groups = 3 - LOG_EACH, groups = 1 << log_groups;
    const int lane = table_lane(), log = 2 * (a.grid.level - 1), log_blocks = sdd_table_log_blocks(a.grid.level),
              log_warps = max(log + log_groups - 5 - log_blocks, 0);
    const uint32_t at = (uint32_t)i * TABLE_WARPS + threadIdx.x / 32, r = at >> log_warps;
    const int part = (int)(at - (r << log_warps)), beside = log < 5 ? 32 >> log : 1; /* Groups in a warp. */
    const int skipped = (log < 5 ? part * beside : part % groups) << LOG_EACH;
    table_part p = {};
    p.slots = sdd_table_slots(1 << (a.grid.level - 1));
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

/* Notes where the points of the pieces go, with a piece for each lane. */
static __device__ __forceinline__ void table_part_goes(const table_points_args &a, const table_part &p, table_run *s)
{
    const int lane = table_lane(), m = 1 << (a.grid.level - 1);
    if (lane >= p.run.n)
        return;
    const sdd_table_quad q = a.other[p.run.first + lane];
    table_goes *to = s->to[lane];
    to[TABLE_INSIDE] = {sdd_grid_inside(&a.grid, q.corner, 1, 1), 1};
    to[TABLE_SPOKE] = {sdd_table_spoke(&a.grid, &q) - (m - 1) * (m - 1), 1};
    to[TABLE_BOTTOM] = {sdd_table_bottom(&a.grid, &q) - m * (m - 1), q.owns & SDD_TABLE_BOTTOM};
    to[TABLE_EDGE] = {q.edge - (m * m - 1), q.owns & SDD_TABLE_EDGE};
    to[TABLE_VERTEX] = {0, q.owns & SDD_TABLE_VERTEX};
    to[TABLE_FACE] = {q.face - (m * m + 1), q.owns & SDD_TABLE_FACE};
    to[TABLE_LEFT] = {0, q.owns & SDD_TABLE_LEFT};
    if (q.owns & SDD_TABLE_VERTEX)
        to[TABLE_VERTEX].row = a.grid.vert[q.corner] - m * m;
    if (q.owns & SDD_TABLE_LEFT)
        to[TABLE_LEFT].row = sdd_table_left(&a.grid, q.corner) - (m * m + 1);
}

/* Loads the rows of level 1 for the columns of the run's pieces from `first` on. The columns follow each other. */
static __device__ __forceinline__ void table_part_rows(const table_points_args &a, const table_part &p, int first,
                                                       uint32_t (&row)[TABLE_COLUMNS])
{
    const int all = p.run.n * p.run.n_columns;
    const uint32_t *column = a.column + p.run.column;
#pragma unroll
    for (int j = 0; j < TABLE_COLUMNS; j++) {
        const int i = first + 32 * j + table_lane();
        row[j] = i < all ? column[i] : 0;
    }
}

/* Starts to copy the points of the columns to shared memory. `row` has the rows of the first columns. The space after
 * the columns of a piece becomes 0, because sums read whole groups of terms. */
template <int N>
static __device__ __forceinline__ void table_part_points(const table_points_args &a, const table_part &p,
                                                         uint32_t (&row)[TABLE_COLUMNS], table_run *s)
{
    constexpr int wide = table_point<N>::wide;
    const int n = p.run.n_columns, all = p.run.n * n;
    const float each = __fdividef(1.0f, (float)n);
    for (int first = 0; first < all; first += 32 * TABLE_COLUMNS) {
        if (first > 0)
            table_part_rows(a, p, first, row);
#pragma unroll
        for (int j = 0; j < TABLE_COLUMNS; j++) {
            const int i = first + 32 * j + table_lane(), piece = (int)(((float)i + 0.5f) * each);
            if (i < all)
                __pipeline_memcpy_async(s->points + wide * (piece * TABLE_BESIDE + i - piece * n),
                                        a.from + (size_t)wide * row[j], 4 * wide);
        }
    }
    __pipeline_commit();
    const int piece = table_lane() % SDD_TABLE_RUN_PIECES, k = n + table_lane() / SDD_TABLE_RUN_PIECES;
    if (piece < p.run.n && k < SDD_TABLE_FEW)
#pragma unroll
        for (int i = 0; i < wide; i++)
            s->points[wide * (piece * TABLE_BESIDE + k) + i] = 0.0f;
}

static __device__ __forceinline__ void table_part_wait()
{
    __pipeline_wait_prior(0);
    __syncwarp();
}

template <int N> static __device__ __forceinline__ void table_load(const float *from, float (&p)[N])
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

/* Loads the weights of SDD_TABLE_TERMS columns, `apart` from each other. Some may be beyond the table; their points are
 * zeros. */
static __device__ __forceinline__ void table_weights(const float *from, int apart, float (&w)[SDD_TABLE_TERMS])
{
#pragma unroll
    for (int j = 0; j < SDD_TABLE_TERMS; j++, from += apart)
        w[j] = __ldg(from);
}

/* Makes the sums for the lane's point by the table that begins at w, whose first weights are in `next`. Then `next`
 * gets the first weights of the table that begins at `then`. The products of SDD_TABLE_TERMS columns are added to each
 * other first. */
template <int N, int LOG_EACH>
static __device__ __forceinline__ void table_part_sums(const table_part &p, const float *w, const float *then,
                                                       const table_run *s, float (&next)[SDD_TABLE_TERMS],
                                                       float (&sum)[1 << LOG_EACH][N])
{
    constexpr int each = 1 << LOG_EACH;
    constexpr int half = SDD_TABLE_TERMS / 2;
    constexpr int wide = table_point<N>::wide;
    const int n = p.run.n_columns;
    const float *points = s->points + wide * TABLE_BESIDE * p.piece;
#pragma unroll
    for (int j = 0; j < each; j++)
#pragma unroll
        for (int k = 0; k < N; k++)
            sum[j][k] = 0.0f;
    for (int t = 0; t < n; t += SDD_TABLE_TERMS, points += wide * SDD_TABLE_TERMS) {
        float some[each][N] = {};
        w = t + SDD_TABLE_TERMS < n ? w + SDD_TABLE_TERMS * p.slots : then;
#pragma unroll
        for (int from = 0; from < SDD_TABLE_TERMS; from += half) {
            if (from == 0 || t + from < n) {
#pragma unroll
                for (int c = from; c < from + half; c++) {
#pragma unroll
                    for (int j = 0; j < each; j++) {
                        float point[N];
                        table_load<N>(points + wide * (TABLE_BESIDE * j + c), point);
#pragma unroll
                        for (int k = 0; k < N; k++)
                            some[j][k] = fmaf(next[c], point[k], some[j][k]);
                    }
                }
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

/* Returns the sum for one point of one piece. */
template <int N>
static __device__ __forceinline__ void table_isolated_sum(const table_part &p, const float *w, int piece,
                                                          const table_run *s, float (&sum)[N])
{
    constexpr int half = SDD_TABLE_TERMS / 2;
    const int n = p.run.n_columns;
    const float *points = s->points + table_point<N>::wide * TABLE_BESIDE * piece;
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] = 0.0f;
    for (int t = 0; t < n; t += SDD_TABLE_TERMS) {
        float some[N] = {};
        for (int from = t; from < min(t + SDD_TABLE_TERMS, n); from += half) {
            float weight[half];
#pragma unroll
            for (int c = 0; c < half; c++, w += p.slots)
                weight[c] = from + c < n ? __ldg(w) : 0.0f;
#pragma unroll
            for (int c = 0; c < half; c++) {
                float point[N];
                if (from + c >= n)
                    break;
                table_load<N>(points + table_point<N>::wide * (from + c), point);
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

/* Makes the same point as table_isolated_sum, of a piece of few columns, with four lanes. Each sums eight columns, so
 * that the loads of all weights are in flight at once. The first lane gets the sum. */
template <int N>
static __device__ __forceinline__ void table_end_sums(const table_part &p, const float *w, int piece,
                                                      const table_run *s, float (&sum)[N])
{
    const int lane = table_lane(), first = lane % TABLE_PARTS * SDD_TABLE_TERMS, n = p.run.n_columns - first;
    const float *points = s->points + table_point<N>::wide * (TABLE_BESIDE * piece + first);
    float some[N] = {}, weight[SDD_TABLE_TERMS];
    w += first * p.slots;
#pragma unroll
    for (int c = 0; c < SDD_TABLE_TERMS; c++, w += p.slots)
        weight[c] = c < n ? __ldg(w) : 0.0f;
#pragma unroll
    for (int c = 0; c < SDD_TABLE_TERMS; c++) {
        float point[N];
        if (c >= n)
            break;
        table_load<N>(points + table_point<N>::wide * c, point);
#pragma unroll
        for (int k = 0; k < N; k++)
            some[k] = fmaf(weight[c], point[k], some[k]);
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        sum[k] = 0.0f + some[k];
#pragma unroll
        for (int part = 1; part < TABLE_PARTS; part++)
            sum[k] += __shfl_down_sync(~0u, some[k], part, TABLE_PARTS);
    }
}

/* Makes the first and last points of the part's pieces, for classes of few columns, with TABLE_PARTS lanes for each
 * point. */
template <int N, int D, class PUT>
static __device__ __forceinline__ void table_part_ends(const table_part &p, const float *const (&table)[D], int most,
                                                       const table_run *s, const PUT &put)
{
    const int lane = table_lane();
    for (int ends = 0; ends < 2 * p.run.n; ends += 32 / TABLE_PARTS) {
        const int piece = (ends + lane / TABLE_PARTS) / 2, end = lane / TABLE_PARTS % 2;
        const table_goes to = piece < p.run.n ? s->to[piece][TABLE_VERTEX + end] : table_goes{};
        float one[D][N];
        if (!__any_sync(~0u, to.is_made))
            continue;
#pragma unroll
        for (int d = 0; d < D; d++)
            table_end_sums<N>(p, table[d] + most + end, piece, s, one[d]);
        if (to.is_made && lane % TABLE_PARTS == 0)
            put(TABLE_VERTEX + end, to.row + most + end, one);
    }
}

/* Calls put(kind, row, D sums), by D tables, for all points of the part that its pieces own. `table` belongs to the
 * class, and `next` has the first weights of the lane's point. */
template <int N, int D, int LOG_EACH, class PUT>
static __device__ __forceinline__ void table_part_make(const table_points_args &a, const table_part &p,
                                                       const float *const (&table)[D], float (&next)[SDD_TABLE_TERMS],
                                                       const table_run *s, const PUT &put)
{
    constexpr int each = 1 << LOG_EACH;
    const int lane = table_lane(), m = 1 << (a.grid.level - 1), inside = (m - 1) * (m - 1), most = m * m;
    const auto lone = [&](int piece, int of_kind, int slot) {
        const table_goes to = s->to[piece][of_kind];
        float one[D][N];
        if (!to.is_made)
            return;
#pragma unroll
        for (int d = 0; d < D; d++)
            table_isolated_sum<N>(p, table[d] + slot, piece, s, one[d]);
        put(of_kind, to.row + slot, one);
    };
    const bool few = p.run.n_columns <= SDD_TABLE_FEW;
#pragma unroll 1
    for (int block = 0; block < p.blocks && p.piece < p.run.n; block++) {
        const int slot = p.slot + 32 * block, after = slot + (block + 1 < p.blocks ? 32 : 0);
        const int kind = slot < inside           ? TABLE_INSIDE
                         : slot < inside + m - 1 ? TABLE_SPOKE
                         : slot < most - 1       ? TABLE_BOTTOM
                                                 : TABLE_EDGE;
        float sum[D][each][N];
        if (!few) {
            lone(0, kind, slot);
            continue;
        }
#pragma unroll
        for (int d = 0; d < D; d++)
            table_part_sums<N, LOG_EACH>(p, table[d] + slot, d + 1 < D ? table[d + 1] + slot : table[0] + after, s,
                                         next, sum[d]);
#pragma unroll
        for (int j = 0; j < each; j++) {
            if (p.piece + j >= p.run.n)
                break;
            const table_goes to = s->to[p.piece + j][kind];
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
    if (few)
        table_part_ends<N, D>(p, table, most, s, put);
    if (!few && lane < 2)
        lone(0, TABLE_VERTEX + lane, most + lane);
    unsigned left = __ballot_sync(~0u, lane < p.run.n && s->to[lane][TABLE_LEFT].is_made);
    for (; left; left &= left - 1)
        for (int y = 1 + lane; y < m; y += 32)
            lone(__ffs(left) - 1, TABLE_LEFT, most + 1 + y);
}

template <int N, int FORM, int LOG_EACH>
static __device__ __forceinline__ void table_others(const table_points_args &a, int64_t i, table_run *runs)
{
    table_run *s = runs + threadIdx.x / 32;
    const table_part part = table_part_of<LOG_EACH>(a, i);
    const float *const table[1] = {a.table + part.run.table * part.slots};
    uint32_t row[TABLE_COLUMNS];
    float next[SDD_TABLE_TERMS];
    table_part_rows(a, part, 0, row);
    table_part_goes(a, part, s);
    table_wait_first_pass(a);
    if (part.run.n == 0)
        return;
    table_part_points<N>(a, part, row, s);
    table_weights(table[0] + part.slot, part.slots, next);
    table_part_wait();
    const table_row<N, FORM> as(a);
    table_part_make<N, 1, LOG_EACH>(a, part, table, next, s, [&](int, uint32_t to, const float(&p)[1][N]) {
        as.put(p[0], a.to + (size_t)(FORM != table_strided ? as.words : a.width.stride) * to);
    });
}
#endif
