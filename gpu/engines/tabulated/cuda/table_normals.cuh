/* SPDX-License-Identifier: Apache-2.0 */
/* table_normals.cuh: the tuned form of kernels/table_normals.k.h, with a block for each item. It gives the bits of the
 * reference. It wins for the reasons of table_bicubic.cuh, because normals of all points are made piece by piece like
 * points there: the sums for normals at one x stay in a lane's registers. Those for y = 0, which run the other way, are
 * in shared memory. Tangents, and results with only some rows, are made with a thread for each row. */
#ifndef SDD_TABLE_NORMALS_CUH
#define SDD_TABLE_NORMALS_CUH
#include "gpu/engines/tabulated/cuda/table_points.cuh"
#include "gpu/engines/tabulated/kernels/table_normals.k.h"

enum { table_normals_threads = table_points_threads, table_normals_blocks = 3 };

/* The weights of points and of slopes for all lines of a piece, like table_bases. */
struct table_pair_bases {
    sdd_table_basis at[SDD_TABLE_SIDE + 1], slope[SDD_TABLE_SIDE + 1];
};

static __device__ __forceinline__ sdd_vec3 table_sum3(const sdd_table_basis &w, const float (*p)[3])
{
    return sdd_vec3_of(sdd_table_sum(w.s, p[0][0], p[1][0], p[2][0], p[3][0]),
                       sdd_table_sum(w.s, p[0][1], p[1][1], p[2][1], p[3][1]),
                       sdd_table_sum(w.s, p[0][2], p[1][2], p[2][2], p[3][2]));
}

/* Does the same as sdd_table_across for three numbers. */
static __device__ __forceinline__ sdd_vec3 table_across3(const sdd_table_basis &w, const float (*p)[3])
{
    return sdd_vec3_of(sdd_table_across(w.s, p[0][0], p[1][0], p[2][0], p[3][0]),
                       sdd_table_across(w.s, p[0][1], p[1][1], p[2][1], p[3][1]),
                       sdd_table_across(w.s, p[0][2], p[1][2], p[2][2], p[3][2]));
}

static __device__ __forceinline__ sdd_vec3 table_slope3(const sdd_table_basis &w, const float (*p)[3])
{
    return sdd_vec3_of(sdd_table_slope(w.s, p[0][0], p[2][0], p[3][0]), sdd_table_slope(w.s, p[0][1], p[2][1], p[3][1]),
                       sdd_table_slope(w.s, p[0][2], p[2][2], p[3][2]));
}

template <class ROW>
static __device__ __forceinline__ void table_normal_put(const ROW &as, sdd_vec3 t1, sdd_vec3 t2, float *to)
{
    const sdd_vec3 way = sdd_table_cross(t1, t2);
    if constexpr (ROW::words == 1) {
        sdd_word_out(to, sdd_table_oct16(way));
    } else {
        const sdd_vec3 n = sdd_table_unit(way);
        const float p[3] = {n.x, n.y, n.z};
        as.put(p, to);
    }
}

/* The sums for the normals at one x, except at y = 0: sdd_table_line across x, in the form that sdd_table_across
 * takes. */
struct table_pair_sums {
    float at[4][3], away[4][3];

    __device__ __forceinline__ table_pair_sums(const table_view &v, const sdd_table_basis &b, const sdd_table_basis &d)
    {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float p[4][3];
            table_four<3>(v.points + k * v.y, v.x, p);
            const sdd_vec3 s = table_sum3(b, p), t = table_sum3(d, p);
            at[k][0] = s.x, at[k][1] = s.y, at[k][2] = s.z;
            away[k][0] = t.x, away[k][1] = t.y, away[k][2] = t.z;
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < 3 && k != 1; i++)
                at[k][i] -= at[1][i], away[k][i] -= away[1][i];
    }

    template <class ROW>
    __device__ __forceinline__ void put(const ROW &as, const sdd_table_bases &bases, int y, float *to) const
    {
        const sdd_table_basis &b = bases.at[y], &d = bases.slope[y];
        table_normal_put(as, table_across3(b, away), table_slope3(d, at), to);
    }
};

/* Replaces the points of the pieces by their differences from the vertex of the piece, or for a regular quad from that
 * of its first piece. */
template <int LOG, bool QUADS> static __device__ __forceinline__ void table_see(table_warp *s)
{
    constexpr int pieces = table_shape<3, LOG>::pieces;
    const int lane = table_lane(), k = lane % SDD_TABLE_REGULAR;
#pragma unroll
    for (int j = 0; j < (QUADS ? 1 : table_columns<3, true, LOG, false>::loads); j++) {
        const int p = min(2 * j + lane / SDD_TABLE_REGULAR, (QUADS ? (pieces + 3) / 4 : pieces) - 1);
        float *piece = s->points + table_point<3>::apart * p;
        const float4 own = *(const float4 *)(piece + 4 * k), from = *(const float4 *)(piece + 4 * 5);
        sdd_vec3 seen = sdd_sub(sdd_vec3_of(own.x, own.y, own.z), sdd_vec3_of(from.x, from.y, from.z));
        float most = sdd_table_most(seen, 0.0f);
#pragma unroll
        for (int step = SDD_TABLE_REGULAR / 2; step > 0; step /= 2) {
            const float other = __shfl_xor_sync(~0u, most, step);
            most = most > other ? most : other;
        }
        seen = sdd_scale(sdd_table_scale(most), seen);
        __syncwarp();
        *(float4 *)(piece + 4 * k) = make_float4(seen.x, seen.y, seen.z, 0.0f);
    }
    __syncwarp();
}

/* Writes the sums for the normals at y = 0 to the slab, 8 points a piece: sdd_table_line along x, in the form that
 * sdd_table_across takes. */
template <int LOG, bool QUADS>
static __device__ __forceinline__ void table_bottoms(const table_pair_bases &bases, int first, table_warp *s)
{
    using T = table_shape<3, LOG>;
    constexpr unsigned lanes = T::pieces < 4 ? (1u << 8 * T::pieces) - 1 : ~0u;
#pragma unroll
    for (int i = table_lane(); i < 8 * T::pieces; i += 32) {
        float p[4][3];
        const table_view v = table_view_of<3, LOG, QUADS>(s, first, i / 8);
        table_four<3>(v.points + i % 4 * v.x, v.y, p);
        const sdd_vec3 sum = table_sum3(i & 4 ? bases.slope[0] : bases.at[0], p);
        const int second = (table_lane() & ~3) + 1;
        const float x = __shfl_sync(lanes, sum.x, second), y = __shfl_sync(lanes, sum.y, second),
                    z = __shfl_sync(lanes, sum.z, second);
        *(float4 *)(s->points + T::slab + 4 * i) =
            i % 4 == 1 ? make_float4(x, y, z, 0.0f) : make_float4(sum.x - x, sum.y - y, sum.z - z, 0.0f);
    }
    __syncwarp();
}

/* Returns the normal at (x, 0) of a piece. */
template <class ROW>
static __device__ __forceinline__ void table_bottom_put(const ROW &as, const table_pair_bases &bases,
                                                        const float *bottom, int x, float *to)
{
    float at[4][3], away[4][3];
    const sdd_table_basis b = bases.at[x], d = bases.slope[x];
    table_four<3>(bottom, 4, at);
    table_four<3>(bottom + 16, 4, away);
    table_normal_put(as, table_slope3(d, at), table_across3(b, away), to);
}

/* Makes one row. It is not inlined, because it takes many registers and few rows need it. */
static __device__ __noinline__ void table_put_row(const table_normals_args *n, int64_t row)
{
    sdd_table_put_row(n, row);
}

/* Makes the normals at x = 0 of pieces that have no neighbour at their left. */
template <int LOG>
static __device__ __forceinline__ void table_left_normals(const table_normals_args &n, const table_span &span)
{
    constexpr int m = 1 << LOG, pieces = table_shape<3, LOG>::pieces;
    const table_points_args &a = n.rows.pieces;
    const int lane = table_lane();
    for (int first = span.first; first < span.end; first += TABLE_WARPS * pieces) {
        const uint32_t owns = lane < pieces && first + lane < span.end ? a.regular[first + lane].owns : 0;
        for (unsigned left = __ballot_sync(~0u, owns & SDD_TABLE_LEFT); left; left &= left - 1) {
            const uint32_t row = sdd_table_left(&a.grid, a.regular[first + __ffs(left) - 1].corner);
            if (lane > 0 && lane < m)
                table_put_row(&n, row + lane);
        }
    }
}

/* Makes the pieces that a warp makes at once, like table_some. */
template <int FORM, int LOG, bool QUADS>
static __device__ __forceinline__ void table_some_normals(const table_normals_args &n, const table_row<3, FORM> &as,
                                                          table_columns<3, true, LOG, QUADS> *columns, int first,
                                                          const table_pair_bases &bases, table_warp *s)
{
    constexpr int W = table_row<3, FORM>::words;
    using T = table_shape<W, LOG>;
    const table_points_args &a = n.rows.pieces;
    const int lane = table_lane(), n_pieces = QUADS && LOG > 2 ? T::pieces : min(s->end - first, T::pieces);
    const table_lane_column at = table_lane_column_of<LOG>(n_pieces);
    const sdd_table_bases lines = {(const sdd_table_basis *)a.weights[QUADS], (const sdd_table_basis *)n.slopes[QUADS]};
    const sdd_table_quad *pieces = s->own[columns->buffer];
    float *const corner = table_corners<W, LOG>(s, at.piece), *const line = s->line + W * T::m * at.piece;
    sdd_grid g = a.grid;
    g.level = LOG + 1;
    __pipeline_wait_prior(0);
    __syncwarp();
    if constexpr (QUADS)
        table_extend<3, LOG>(first, pieces, s);
    static_assert(T::slab + (32 + 3 * W) * T::pieces <= TABLE_FLOATS, "they fit");
    const bool last = at.x == T::m;
    const table_lane_column put = table_put_column_of<LOG>(at, n_pieces);
    table_see<LOG, QUADS>(s);
    table_bottoms<LOG, QUADS>(bases, first, s);
    if (lane < n_pieces)
        table_bottom_put(as, bases, s->points + T::slab + 32 * lane, 0, table_corners<W, LOG>(s, lane));
    if (at.made)
        table_bottom_put(as, bases, s->points + T::slab + 32 * at.piece, at.x,
                         last ? corner + W : line + W * (at.x - 1));
    const table_pair_sums q(table_view_of<3, LOG, QUADS>(s, first, at.piece), bases.at[at.x], bases.slope[at.x]);
    if (at.made && last)
        q.put(as, lines, T::m, corner + 2 * W);
    __syncwarp();
    table_sides_put<W, FORM, LOG>(a, g, pieces[put.piece], columns->vertex(s, first, put.piece), s, put);
    __syncwarp(); /* All lanes have read the points. */
    columns->next(a, first, s);
    if constexpr (T::m > 1)
        table_inside<3, FORM, LOG, QUADS>(a, as, g, pieces, n_pieces, at, q, lines, s);
}

/* Makes all pieces of a warp, like table_all. */
template <int FORM, int LOG, bool QUADS>
static __device__ __forceinline__ void table_all_normals(const table_normals_args &n, const table_span &span,
                                                         const table_pair_bases &bases, table_warp *warps)
{
    using T = table_shape<3, LOG>;
    table_warp *s = warps + threadIdx.x / 32;
    const table_points_args &a = n.rows.pieces;
    table_columns<3, true, LOG, QUADS> columns;
    columns.begin(a, span, s);
    const table_row<3, FORM> as(a);
    for (int i = span.first; i < s->end; i += TABLE_WARPS * T::pieces) {
        table_some_normals<FORM, LOG, QUADS>(n, as, &columns, i, bases, s);
        if constexpr (!QUADS)
            break;
        columns.go_on();
    }
    if constexpr (QUADS && T::m > 1)
        table_left_normals<LOG>(n, span);
}

template <int FORM, int LOG>
static __device__ __forceinline__ void table_kind_normals(const table_normals_args &a, const table_span &span,
                                                          const table_pair_bases &bases, table_warp *warps)
{
    if (span.quads)
        table_all_normals<FORM, LOG, true>(a, span, bases, warps);
    else
        table_all_normals<FORM, LOG, false>(a, span, bases, warps);
}

template <int FORM>
static __device__ __forceinline__ void table_piece_normals(const table_normals_args &n, int64_t group,
                                                           table_warp *warps)
{
    const table_points_args &a = n.rows.pieces;
    __shared__ table_pair_bases bases;
    const table_span span = table_span_of(a, group);
    if ((int)threadIdx.x <= 1 << (a.grid.level - 1)) {
        bases.at[threadIdx.x] = *(const sdd_table_basis *)a.weights[span.quads][threadIdx.x];
        bases.slope[threadIdx.x] = *(const sdd_table_basis *)n.slopes[span.quads][threadIdx.x];
    }
    switch (a.grid.level) {
    case 1: table_kind_normals<FORM, 0>(n, span, bases, warps); break;
    case 2: table_kind_normals<FORM, 1>(n, span, bases, warps); break;
    case 3: table_kind_normals<FORM, 2>(n, span, bases, warps); break;
    case 4: table_kind_normals<FORM, 3>(n, span, bases, warps); break;
    case 5: table_kind_normals<FORM, 4>(n, span, bases, warps); break;
    default: table_kind_normals<FORM, 5>(n, span, bases, warps); break;
    }
}

/* Replaces the points of a run's pieces by their scaled differences from the vertices, which are column 0. Four lanes
 * share a piece. */
static __device__ __forceinline__ void table_part_see(const table_part &p, table_run *s)
{
    constexpr int lanes = 32 / SDD_TABLE_RUN_PIECES;
    const int piece = table_lane() / lanes, k = table_lane() % lanes, n = piece < p.run.n ? p.run.n_columns : 0;
    float *points = s->points + 4 * TABLE_BESIDE * piece, from[3] = {}, own[3], most = 0.0f;
    if (n > 0)
        table_load<3>(points, from);
    for (int j = k; j < n; j += lanes) {
        table_load<3>(points + 4 * j, own);
        most = sdd_table_most(sdd_vec3_of(own[0] - from[0], own[1] - from[1], own[2] - from[2]), most);
    }
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(~0u, most, step);
        most = most > other ? most : other;
    }
    const float scale = sdd_table_scale(most);
    for (int j = k; j < n; j += lanes) {
        table_load<3>(points + 4 * j, own);
        *(float4 *)(points + 4 * j) =
            make_float4(scale * (own[0] - from[0]), scale * (own[1] - from[1]), scale * (own[2] - from[2]), 0.0f);
    }
    __syncwarp();
}

/* Makes normals like table_others makes points, from sums for both directions. Corners to which several pieces
 * contribute are made one by one. */
template <int FORM>
static __device__ __forceinline__ void table_other_normals(const table_normals_args &n, int64_t i, table_run *runs)
{
    const table_points_args &a = n.rows.pieces;
    table_run *s = runs + threadIdx.x / 32;
    const table_part part = table_part_of<SDD_TABLE_LOG_NORMALS>(a, i);
    const int64_t at = part.run.table * part.slots;
    const float *const tables[2] = {n.t1 + at, n.t2 + at};
    uint32_t row[TABLE_COLUMNS];
    float next[SDD_TABLE_TERMS];
    table_part_rows(a, part, 0, row);
    table_part_goes(a, part, s);
    table_wait_first_pass(a);
    if (part.run.n == 0)
        return;
    table_part_points<3>(a, part, row, s);
    table_weights(tables[0] + part.slot, part.slots, next);
    table_part_wait();
    table_part_see(part, s);
    const table_row<3, FORM> as(a);
    const uint32_t shared = n.shared[part.run.of_class];
    const auto put = [&](int kind, uint32_t to, const float(&t)[2][3]) {
        if (kind == TABLE_VERTEX ? shared & 1 : kind == TABLE_FACE && (shared & 2))
            table_put_row(&n, to);
        else
            table_normal_put(as, sdd_vec3_of(t[0][0], t[0][1], t[0][2]), sdd_vec3_of(t[1][0], t[1][1], t[1][2]),
                             a.to + (size_t)as.words * to);
    };
    table_part_make<3, 2, SDD_TABLE_LOG_NORMALS>(a, part, tables, next, s, put);
}

template <int FORM>
static __device__ __forceinline__ void table_normals_block(const table_normals_args &a, table_shared *s, unsigned n)
{
    const table_block_item order = table_block_item_of<SDD_TABLE_LOG_NORMALS>(a.rows.pieces, n);
    if (order.other)
        table_other_normals<FORM>(a, order.i, s->runs);
    else
        table_piece_normals<FORM>(a, order.i, s->warps);
    overlap_wait(); /* The launch before must not outlast this one. */
}

static __global__ void __launch_bounds__(table_normals_threads, table_normals_blocks)
    g_table_normals(const int64_t n, const __grid_constant__ table_normals_args a)
{
    __shared__ table_shared s;
    if (a.by_pieces) {
        table_normals_block<table_dense>(a, &s, blockIdx.x);
        return;
    }
    const int64_t low = (int64_t)blockIdx.x * a.rows.each,
                  end = low + a.rows.each < a.rows.n ? low + a.rows.each : a.rows.n;
    (void)n;
    overlap_begin();
    for (int64_t i = low + threadIdx.x; i < end; i += table_normals_threads)
        table_put_row(&a, i);
}
#endif
