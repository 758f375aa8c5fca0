/* SPDX-License-Identifier: Apache-2.0 */
/* tab_others.cuh: the pieces of tab_points.cuh that are not bicubic. A warp makes some points of half a run's pieces, a
 * lane one of each, so that a weight is read once for all; what they are made of meets in shared memory. */
#ifndef SDD_TAB_OTHERS_CUH
#define SDD_TAB_OTHERS_CUH
#include "gpu/cuda/tab_bicubic.cuh"

#define TAB_HALF (SDD_TAB_TOGETHER / 2) /* pieces of a warp: as many sums as registers hold */
#define TAB_SOME 32                     /* columns of theirs at a time, a lane one          */
static_assert(TAB_SOME % SDD_TAB_TERMS == 0, "sums are of whole parts");

/* What a warp needs of half a run. */
struct tab_half {
    alignas(16) float points[TAB_SOME][3 * TAB_HALF];
    sdd_frame frames[TAB_HALF];
    uint32_t owns[TAB_HALF];
    float4 seen[TAB_HALF]; /* of normals: what points are seen from, and at which scale */
};

/* Half a run, as a warp has it: no pieces, where there is nothing to make; `point`: the lane's own of each. */
struct tab_part {
    sdd_tab_table table;
    const uint32_t *column; /* of the lane, from the first piece's */
    uint32_t first, of_class;
    int pieces, point;
};

/* Of the warps of item i. Frames of its pieces go to shared memory. */
static __device__ __forceinline__ tab_part tab_part_of(const tab_points_args &a, int64_t i, tab_half *s)
{
    const int lane = tab_lane();
    const uint32_t of_run = (uint32_t)sdd_tab_run_threads(a.grid.level) / 32;
    const uint32_t at = (uint32_t)i * TAB_WARPS + threadIdx.x / 32, r = at / of_run;
    const int of = (int)(at - r * of_run), skipped = of % 2 * TAB_HALF;
    tab_part p = {};
    if (r >= a.n_runs)
        return p;
    const sdd_tab_run run = a.runs[r];
    p.of_class = run.class_n >> 4;
    p.table = a.tables[p.of_class];
    p.first = run.first + skipped;
    p.pieces = min((int)(run.class_n & 15) - skipped, TAB_HALF);
    p.point = of / 2 * 32 + lane;
    p.column = a.column + p.table.column + ((int64_t)p.first - p.table.first) * p.table.n_columns + lane;
    if (lane < p.pieces) {
        s->frames[lane] = sdd_tab_frame(&a, a.other[p.first + lane]);
        s->owns[lane] = a.owns[p.first + lane];
    }
    return p;
}

/* Rows of level 1 for column `from` + lane of each piece. */
static __device__ __forceinline__ void tab_part_rows(const tab_part &p, int from, uint32_t (&row)[TAB_HALF])
{
    const int n = p.table.n_columns;
#pragma unroll
    for (int j = 0; j < TAB_HALF; j++)
        row[j] = j < p.pieces && from + tab_lane() < n ? p.column[j * n + from] : 0;
}

/* And their points; those that are not there are zeros. */
template <int N>
static __device__ __forceinline__ void tab_part_points(const float *rows, const tab_part &p, int from,
                                                       const uint32_t (&row)[TAB_HALF], sdd_vec3 (&points)[TAB_HALF])
{
#pragma unroll
    for (int j = 0; j < TAB_HALF; j++) {
        points[j] = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        if (j < p.pieces && from + tab_lane() < p.table.n_columns)
            points[j] = sdd_tab_load(rows, row[j], N);
    }
}

template <int N>
static __device__ __forceinline__ void tab_part_share(const sdd_vec3 (&points)[TAB_HALF], tab_half *s)
{
    float *to = s->points[tab_lane()];
#pragma unroll
    for (int j = 0; j < TAB_HALF; j++) {
        to[N * j] = points[j].x;
        if constexpr (N > 1)
            to[N * j + 1] = points[j].y;
        if constexpr (N > 2)
            to[N * j + 2] = points[j].z;
    }
}

/* Weights of the next SDD_TAB_TERMS columns, `apart` from each other, of which some may be beyond the table: their points
 * are zeros. */
static __device__ __forceinline__ void tab_weights(const float *from, int apart, float (&w)[SDD_TAB_TERMS])
{
#pragma unroll
    for (int j = 0; j < SDD_TAB_TERMS; j++, from += apart)
        w[j] = __ldg(from);
}

/* The products of SDD_TAB_TERMS columns, of n that are left, first with each other, then with the sums. */
template <int N>
static __device__ __forceinline__ void tab_terms_add(const float (&w)[SDD_TAB_TERMS], const float (*points)[3 * TAB_HALF],
                                                     int n, float (&sum)[N * TAB_HALF])
{
    float some[N * TAB_HALF];
#pragma unroll
    for (int j = 0; j < N * TAB_HALF; j++)
        some[j] = 0.0f;
#pragma unroll
    for (int c = 0; c < SDD_TAB_TERMS; c++) {
        if (c == SDD_TAB_TERMS / 2 && c >= n)
            break;
#pragma unroll
        for (int j = 0; j < N * TAB_HALF; j++)
            some[j] = fmaf(w[c], points[c][j], some[j]);
    }
#pragma unroll
    for (int j = 0; j < N * TAB_HALF; j++)
        sum[j] += some[j];
}

template <int N, int FORM>
static __device__ __forceinline__ void tab_others(const tab_points_args &a, int64_t i, tab_half *halves)
{
    tab_half *s = halves + threadIdx.x / 32;
    const int side = (1 << (a.grid.level - 1)) + 1, points = side * side;
    const tab_part part = tab_part_of(a, i, s);
    const int n = part.table.n_columns;
    const float *w = a.table + part.table.table * points + min(part.point, points - 1);
    uint32_t row[TAB_HALF];
    float next[SDD_TAB_TERMS], sum[N * TAB_HALF];
    tab_part_rows(part, 0, row);
    tab_weights(w, points, next);
    tab_ahead_wait(a);
    if (part.pieces <= 0)
        return;
#pragma unroll
    for (int j = 0; j < N * TAB_HALF; j++)
        sum[j] = 0.0f;
    for (int from = 0; from < n; from += TAB_SOME) {
        sdd_vec3 p[TAB_HALF];
        tab_part_points<N>(a.from, part, from, row, p);
        tab_part_share<N>(p, s);
        tab_part_rows(part, from + TAB_SOME, row);
        __syncwarp();
        for (int t = from; t < from + TAB_SOME && t < n; t += SDD_TAB_TERMS) {
            float own[SDD_TAB_TERMS];
#pragma unroll
            for (int c = 0; c < SDD_TAB_TERMS; c++)
                own[c] = next[c];
            w += SDD_TAB_TERMS * points;
            if (t + SDD_TAB_TERMS < n)
                tab_weights(w, points, next);
            tab_terms_add<N>(own, s->points + (t - from), n - t, sum);
        }
        __syncwarp();
    }
    const tab_row<N, FORM> as(a);
    const int y = part.point / side, x = part.point - y * side;
#pragma unroll
    for (int j = 0; j < TAB_HALF; j++)
        if (j < part.pieces && part.point < points && sdd_tab_makes(s->owns[j], side - 1, x, y))
            as.put(sum + N * j, a.to + (size_t)(FORM != tab_strided ? as.words : a.width.stride) *
                                           sdd_frame_row(&s->frames[j], x, y));
}
#endif
