/* SPDX-License-Identifier: Apache-2.0 */
/* table_bicubic.cuh: the bicubic pieces of table_points.cuh. A warp makes as many pieces at once as give each lane a
 * column of points. It wins over the plain body because a lane shares the sums along x among the points of its column,
 * because the points inside a piece, or a regular quad, are gathered in shared memory and stored in the order of their
 * rows, 16 bytes a lane, and because the points of the next pieces are fetched meanwhile. */
#ifndef SDD_TABLE_BICUBIC_CUH
#define SDD_TABLE_BICUBIC_CUH
#include "gpu/engines/tabulated/cuda/table_fused_first_pass.cuh"
#include "gpu/engines/tabulated/cuda/table_put.cuh"
#include <cuda_pipeline_primitives.h>

#define TABLE_WARPS SDD_TABLE_GROUP /* The warps of a block. */
enum { table_points_threads = 32 * TABLE_WARPS };
static_assert(table_points_threads == SDD_TABLE_THREADS, "an item is a block");

#define TABLE_SLAB 768   /* The floats of a slab: points that wait to be stored. */
#define TABLE_FLOATS 896 /* The floats of the points and the slab of the pieces that a warp makes at once. */
#define TABLE_ROWS 8     /* The rows of 2 x 15 or of 31 points that fit a slab. */
#define TABLE_PIECES SDD_TABLE_ONCE(1) /* The most pieces that a warp makes at once. */
#define TABLE_APART (4 * SDD_TABLE_REGULAR + 4)

/* The shared memory of a warp. `points` holds the points around its pieces or their regular quads, then the slab of the
 * points inside. `line` holds the points at the bottom of the pieces, then those towards the face point. The rest does
 * not fit into registers, and local memory is too slow for it: the rows of the points around regular quads or of the
 * vertices of other pieces, the pieces, each in two lists of which other pieces use one, and where the pieces end. The
 * struct is small, because the shared memory that is left over caches columns and tables. */
struct table_warp {
    alignas(16) float points[TABLE_FLOATS];
    alignas(16) float line[3 * 32];
    uint32_t row[2][32];
    sdd_table_quad own[2][TABLE_PIECES];
    int end;
};

/* The piece of a lane, among those that a warp makes at once, and its column of points, x = 1 to 2^LOG. `made` says
 * that the piece exists and no lane before has the same column. The lanes of a piece are neighbours, because then they
 * load its points in half the time. */
struct table_lane_column {
    int piece, x;
    bool made;
};

template <int LOG> static __device__ __forceinline__ table_lane_column table_lane_column_of(int n_pieces)
{
    constexpr int m = 1 << LOG, pieces = SDD_TABLE_ONCE(LOG + 1);
    const int lane = table_lane(), own = lane >> LOG;
    return {own % pieces, lane % m + 1, own < n_pieces};
}

/* The layout of pieces with rows of W words and 2^LOG cells along a side. The points inside are made some rows at a
 * time: all rows, or a power of two of them, where the last is not stored. The points of a regular quad are stored as
 * one run where they fit, others piece by piece. `apart` is the number of words from a run to the next, of which up to
 * three are skipped for alignment (table_phase). It puts the columns of pieces with three words a row, stored one by
 * one, into different banks of shared memory. */
template <int W, int LOG> struct table_shape {
    static constexpr int m = 1 << LOG, pieces = SDD_TABLE_ONCE(LOG + 1); /* A lane has a column of points. */
    static constexpr int width = W * (m - 1), rows = pieces * width * (m - 1) <= TABLE_SLAB ? m - 1 : TABLE_ROWS;
    static constexpr int all = rows * width, parts = rows == m - 1 ? 1 : (m - 2 + rows) / rows;
    static constexpr int per_run = pieces >= 4 && parts == 1 ? 4 : 1; /* Pieces of a regular quad in a run. */
    static constexpr int apart = LOG < 2 ? all / 4 * 4 + 8 : (all + 34 - W * m) / 32 * 32 + W * m;
    static constexpr int apart_quads = per_run > 1 ? 4 * all + 4 : apart;
    static constexpr int slab = TABLE_APART * pieces; /* It follows the points. */
    static_assert(slab + apart * pieces <= TABLE_FLOATS && slab + apart_quads * pieces / per_run <= TABLE_FLOATS,
                  "pieces fit");
    static_assert(W * m * pieces <= 3 * 32 &&
                      (per_run == 1 || (per_run * width + 4) * (pieces / per_run) - 1 <= 3 * 32),
                  "their sides fit");
};

/* The floats of a point as a lane reads it, and those of all points of a piece. */
template <int N> struct table_point {
    static constexpr int wide = N == 3 ? 4 : N, apart = SDD_TABLE_REGULAR * wide + 4;
};

/* The pieces of a warp. It makes the first ones at once, then skips those that the other warps of its block make. */
struct table_span {
    int first, end;
    bool quads, waits; /* `waits` says that the pieces need the launch before. */
};

/* Pieces of regular quads need not wait for a first step that is a launch of its own. It is the launch before this one,
 * so the launches before it have ended. */
static __device__ __forceinline__ table_span table_span_of(const table_points_args &a, int64_t group)
{
    const sdd_table_some some = sdd_table_some_of(&a, group);
    table_span s;
    s.first = (int)some.first + (int)threadIdx.x / 32 * SDD_TABLE_ONCE(a.grid.level);
    s.end = (int)some.end;
    s.quads = some.first < a.n_regular_quads;
    s.waits = !s.quads || a.first.n_rows > 0 || (a.n_regular_quads == a.n_regular && a.n_runs == 0);
    return s;
}

/* Starts to copy pieces to shared memory without registers. Numbers past the last piece copy the last one again. */
static __device__ __forceinline__ void table_fetch_own(const table_points_args &a, int first, int n, int last,
                                                       sdd_table_quad *own)
{
    const int lane = table_lane();
    if (lane < n)
        __pipeline_memcpy_async(own + lane, a.regular + min(first + lane, last), sizeof *a.regular);
}

/* The pieces that a warp makes at once, and the rows of the points around them. `buffer` says which of two lists has
 * these pieces. DENSE says that control rows follow each other without gaps. This form is for pieces that do not belong
 * to regular quads, whose rows of level 1 may lie anywhere; a warp makes them once and has no next ones. */
template <int N, bool DENSE, int LOG, bool QUADS> struct table_columns {
    static constexpr int pieces = table_shape<N, LOG>::pieces, loads = (pieces + 1) / 2; /* The loads of a lane. */
    static constexpr int buffer = 0;

    /* Loads the first pieces. All threads of a block call it, because it has a barrier; a warp without pieces reads
     * those of the last one. */
    __device__ __forceinline__ void begin(const table_points_args &a, const table_span &span, table_warp *s) const
    {
        constexpr int wide = table_point<N>::wide;
        const int lane = table_lane(), k = lane % SDD_TABLE_REGULAR, half = lane / SDD_TABLE_REGULAR,
                  last = span.end - 1;
        uint32_t row[loads];
#pragma unroll
        for (int j = 0; j < loads; j++)
            row[j] = a.regular_column[SDD_TABLE_REGULAR * (size_t)min(span.first + 2 * j + half, last) + k];
        table_fetch_own(a, span.first, pieces, last, s->own[0]);
        if (lane == 0)
            s->end = span.end;
        __syncthreads();
        table_wait_first_pass(a);
#pragma unroll
        for (int j = 0; j < loads; j++) {
            const int p = 2 * j + half;
            if (p >= pieces)
                continue;
            __pipeline_memcpy_async(s->points + table_point<N>::apart * p + wide * k, a.from + wide * (size_t)row[j],
                                    4 * wide);
            if (k == 5)
                s->row[0][p] = row[j];
        }
        __pipeline_commit();
    }

    __device__ __forceinline__ uint32_t vertex(const table_warp *s, int first, int p) const
    {
        return s->row[0][p];
    }

    __device__ __forceinline__ void next(const table_points_args &a, int first, table_warp *s) const {}

    __device__ __forceinline__ void go_on() {}
};

/* The form for regular quads, which loads the control rows around each of them once. While pieces are made, the points
 * of the next ones and the rows of those after them are fetched. */
template <int N, bool DENSE, int LOG> struct table_columns<N, DENSE, LOG, true> {
    static constexpr int pieces = table_shape<N, LOG>::pieces, step = TABLE_WARPS * pieces;
    int buffer;

    /* Returns the address of the row number that a lane reads. */
    static __device__ __forceinline__ const uint32_t *row_at(const table_points_args &a, int first, int last)
    {
        const uint32_t lane = (uint32_t)table_lane();
        const uint32_t quad = (uint32_t)min(first + 4 * (int)(lane / SDD_TABLE_REGULAR), last);
        return a.regular_column + (SDD_TABLE_REGULAR * (size_t)(quad & ~3u) + lane % SDD_TABLE_REGULAR);
    }

    static __device__ __forceinline__ void fetch(const table_points_args &a, uint32_t row, table_warp *s)
    {
        const int lane = table_lane(), k = lane % SDD_TABLE_REGULAR, quad = lane / SDD_TABLE_REGULAR;
        float *to = s->points + table_point<N>::apart * quad + table_point<N>::wide * k;
        const float *from = a.control + (size_t)(DENSE ? N : a.width.stride) * row;
        if (4 * quad < pieces)
#pragma unroll
            for (int i = 0; i < N; i++)
                __pipeline_memcpy_async(to + i, from + i, 4);
    }

    __device__ __forceinline__ void begin(const table_points_args &a, const table_span &span, table_warp *s)
    {
        const int lane = table_lane(), last = span.end - 1;
        const uint32_t row = *row_at(a, span.first, last);
        buffer = 0;
        table_fetch_own(a, span.first, pieces, last, s->own[0]);
        __pipeline_memcpy_async(&s->row[1][lane], row_at(a, span.first + step, last), sizeof row);
        if (lane == 0)
            s->end = span.end;
        __syncthreads();
        if (span.waits)
            overlap_wait();
        s->row[0][lane] = row;
        fetch(a, row, s);
        __pipeline_commit();
    }

    __device__ __forceinline__ void next(const table_points_args &a, int first, table_warp *s) const
    {
        const int end = s->end, lane = table_lane();
        first += step;
        if (first >= end)
            return;
        fetch(a, s->row[buffer ^ 1][lane], s);
        table_fetch_own(a, first, pieces, end - 1, s->own[buffer ^ 1]);
        __pipeline_memcpy_async(&s->row[buffer][lane], row_at(a, first + step, end - 1), sizeof(uint32_t));
        __pipeline_commit();
    }

    /* Goes on to the next pieces. */
    __device__ __forceinline__ void go_on()
    {
        buffer ^= 1;
    }

    /* Returns the row of the vertex of piece p, counted from `first`. The corners of its quad are points 5, 6, 10 and
     * 9. */
    __device__ __forceinline__ uint32_t vertex(const table_warp *s, int first, int p) const
    {
        const int corner = LOG > 3 ? first + p : p;
        return s->row[buffer][(LOG > 3 ? 0 : p / 4 * SDD_TABLE_REGULAR) + (0x9a65 >> 4 * (corner & 3) & 15)];
    }
};

/* The 4 x 4 points of a piece, `x` and `y` floats apart along its sides. Those of a regular quad are rotated to the
 * corner of the piece. */
struct table_view {
    const float *points;
    int x, y;
};

/* Returns the points of piece p, counted from `first`. Below level 5 a warp makes all pieces of a quad at once. The
 * corners of a quad are points 5, 6, 10 and 9 of 16, and its pieces begin with the points beyond them, 0, 3, 15 and
 * 12. */
template <int N, int LOG, bool QUADS>
static __device__ __forceinline__ table_view table_view_of(const table_warp *s, int first, int p)
{
    constexpr int wide = table_point<N>::wide, apart = table_point<N>::apart;
    table_view v = {s->points + apart * p, wide, 4 * wide};
    if constexpr (QUADS) {
        const int rotation = LOG > 3 ? (first + p) & 3 : p & 3;
        const int along = rotation & 1 ? 4 * wide : wide, across = 5 * wide - along;
        v.points = s->points + (LOG > 3 ? 0 : apart * (p >> 2)) + wide * (0x0c0f0300 >> 8 * rotation & 15);
        v.x = rotation & 2 ? -along : along;
        v.y = rotation == 1 || rotation == 2 ? -across : across;
    }
    return v;
}

/* Makes the points of regular quads beyond their open sides, which are not in memory. `own` are the pieces from `first`
 * on. */
template <int N, int LOG>
static __device__ __forceinline__ void table_extend(int first, const sdd_table_quad *own, table_warp *s)
{
    constexpr int wide = table_point<N>::wide, quads = LOG > 3 ? 1 : table_shape<N, LOG>::pieces / 4;
    const int lane = table_lane(), k = lane % SDD_TABLE_REGULAR, quad = lane / SDD_TABLE_REGULAR;
    uint32_t open = quad < quads ? own[4 * quad].owns >> SDD_TABLE_OPEN : 0;
    if (!__any_sync(~0u, open != 0))
        return;
    const int rotation = LOG > 3 ? first & 3 : 0;
    open = (open << rotation | open >> (4 - rotation)) & 15; /* This rotates it to the first piece of the quad. */
    float *p = s->points + table_point<N>::apart * quad + wide * k;
    int dx, dy;
    if (sdd_is_boundary_point(open, k, wide, &dx, &dy))
#pragma unroll
        for (int i = 0; i < N; i++)
            p[i] = sdd_boundary_points(p + i, dx, dy);
    __syncwarp();
}

/* The weights of all lines of a piece, for lanes that each read another line. */
struct table_bases {
    sdd_table_basis at[SDD_TABLE_SIDE + 1];
};

/* Loads four points, `apart` floats apart. */
template <int N> static __device__ __forceinline__ void table_four(const float *points, int apart, float (*p)[N])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float *from = points + k * apart;
        if constexpr (N == 3) {
            const float4 all = *(const float4 *)from;
            p[k][0] = all.x;
            p[k][1] = all.y;
            p[k][2] = all.z;
        } else {
#pragma unroll
            for (int i = 0; i < N; i++)
                p[k][i] = from[i];
        }
    }
}

/* The sums along x of the four rows of points of a piece, in the form that sdd_table_across takes, from which all its
 * points at one x are made. All lanes of a piece also make its vertex, because loading the points again costs more. */
template <int N> struct table_sums {
    float s[4][N], vertex[N];

    __device__ __forceinline__ table_sums(const table_view &v, const sdd_table_basis &x, const float (&first)[4])
    {
        float at[N]; /* The second sum of the vertex. */
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int b = i > 1 ? i : 1 - i;
            float p[4][N];
            table_four<N>(v.points + b * v.y, v.x, p);
#pragma unroll
            for (int k = 0; k < N; k++) {
                const float row = sdd_table_sum(first, p[0][k], p[1][k], p[2][k], p[3][k]);
                s[b][k] = sdd_table_sum(x.s, p[0][k], p[1][k], p[2][k], p[3][k]);
                if (b == 1) {
                    vertex[k] = at[k] = row;
                } else {
                    s[b][k] -= s[1][k];
                    vertex[k] = fmaf(first[b], row - at[k], vertex[k]); /* This is sdd_table_across. */
                }
            }
        }
    }

    __device__ __forceinline__ void at(const float (*bases)[4], int y, float *p) const
    {
#pragma unroll
        for (int k = 0; k < N; k++)
            p[k] = sdd_table_across(bases[y], s[0][k], s[1][k], s[2][k], s[3][k]);
    }

    template <class ROW>
    __device__ __forceinline__ void put(const ROW &as, const float (*bases)[4], int y, float *to) const
    {
        float p[N];
        at(bases, y, p);
        as.put(p, to);
    }
};

/* Returns the point for the weights x and y. */
template <int N>
static __device__ __forceinline__ void table_point_at(const table_view &v, const sdd_table_basis &x,
                                                      const sdd_table_basis &y, float (&point)[N])
{
    table_sums<N>(v, x, x.s).at(&y.s, 0, point);
}

/* Makes the points at x = 0 of a piece whose vertex is on an open side, or that owns the points at its left. Lane x
 * makes the one at (0, x), except that the last lane makes the one at (0, 0). */
#define TABLE_AT_LEFT (SDD_TABLE_LEFT | 9u << SDD_TABLE_OPEN)
template <int N, int FORM, int LOG>
static __device__ __forceinline__ void table_left(const table_points_args &a, const table_row<N, FORM> &as,
                                                  const sdd_grid &g, const sdd_table_quad &piece, int x,
                                                  const table_view &v, const table_bases &bases, float *vertex)
{
    constexpr int W = table_row<N, FORM>::words, m = 1 << LOG;
    const uint32_t open = piece.owns >> SDD_TABLE_OPEN;
    float p[N];
    table_point_at<N>(v, sdd_table_basis_at(bases.at, 0, open & 8),
                      x == m ? sdd_table_basis_at(bases.at, 0, open & 1) : bases.at[x], p);
    if (x == m)
        as.put(p, vertex);
    else if (piece.owns & SDD_TABLE_LEFT)
        as.put(p, a.to + (size_t)(FORM != table_strided ? W : a.width.stride) * (sdd_table_left(&g, piece.corner) + x));
}

/* Returns the piece whose corners and sides a lane stores, a word at a time. It is the piece that the lane makes,
 * except on levels 1 and 2, where all lanes of a warp store but only some make points. */
template <int LOG>
static __device__ __forceinline__ table_lane_column table_put_column_of(const table_lane_column &at, int n_pieces)
{
    const int lane = table_lane();
    return LOG < 2 ? table_lane_column{lane / 4, lane % 4 + 1, lane / 4 < n_pieces} : at;
}

/* Stores n words of that piece, as rows of W words from `row` on. */
template <int W, int FORM, int LOG>
static __device__ __forceinline__ void table_own_put(const table_points_args &a, uint32_t row, const float *from, int n,
                                                     const table_lane_column &put)
{
    constexpr int lanes = 32 / table_shape<W, LOG>::pieces;
    float *to = a.to + (size_t)(FORM != table_strided ? W : a.width.stride) * row;
    if (!put.made)
        return;
#pragma unroll
    for (int first = 0; first < n; first += lanes) {
        const int k = first + put.x - 1;
        if (first + lanes <= n || k < n)
            to[FORM != table_strided ? k : a.width.stride * (k / W) + k % W] = from[k];
    }
}

/* Returns the points at the corners of a piece: vertex, edge points and face point. They lie at the end of the slab
 * while it is otherwise unused. */
template <int W, int LOG> static __device__ __forceinline__ float *table_corners(table_warp *s, int piece)
{
    static_assert(table_shape<W, LOG>::slab + 3 * W * table_shape<W, LOG>::pieces <= TABLE_FLOATS, "they fit");
    return s->points + TABLE_FLOATS - 3 * W * (table_shape<W, LOG>::pieces - piece);
}

/* Stores the corners that the piece owns, and the points at its bottom. `vertex` is the row of the vertex. */
template <int W, int FORM, int LOG>
static __device__ __forceinline__ void table_sides_put(const table_points_args &a, const sdd_grid &g,
                                                       const sdd_table_quad &piece, uint32_t vertex, table_warp *s,
                                                       const table_lane_column &put)
{
    using T = table_shape<W, LOG>;
    const float *corner = table_corners<W, LOG>(s, put.piece);
    if (piece.owns & SDD_TABLE_VERTEX)
        table_own_put<W, FORM, LOG>(a, vertex, corner, W, put);
    if (piece.owns & SDD_TABLE_EDGE)
        table_own_put<W, FORM, LOG>(a, piece.edge, corner + W, W, put);
    if (piece.owns & SDD_TABLE_FACE)
        table_own_put<W, FORM, LOG>(a, piece.face, corner + 2 * W, W, put);
    if constexpr (T::m > 1)
        table_own_put<W, FORM, LOG>(a, sdd_table_bottom(&g, &piece), s->line + W * T::m * put.piece, T::width, put);
}

/* Makes and stores the points inside the pieces and those towards the next corner, with a column for each lane. */
template <int N, int FORM, int LOG, bool QUADS, class SUMS, class BASES>
static __device__ __forceinline__ void table_inside(const table_points_args &a, const table_row<N, FORM> &as,
                                                    const sdd_grid &g, const sdd_table_quad *own, int n_pieces,
                                                    const table_lane_column &at, const SUMS &q, const BASES &bases,
                                                    table_warp *s)
{
    constexpr int W = table_row<N, FORM>::words;
    using T = table_shape<W, LOG>;
    constexpr int per_run = QUADS ? T::per_run : 1, apart = QUADS ? T::apart_quads : T::apart;
    constexpr int runs = T::pieces / per_run, groups = LOG < 4 ? runs : 1;  /* Each group of lanes stores a run. */
    constexpr int spokes = per_run > 1 ? per_run * T::width + 4 : W * T::m; /* Words from a run to the next. */
    const int run = at.piece / per_run, nth = at.piece % per_run, x = at.x;
    const sdd_table_quad *first_own = own + per_run * run;
    /* W words are room for the point that is not stored. */
    float *const line =
        s->line + spokes * run + (per_run > 1 ? table_phase<W, FORM>(a, sdd_table_spoke(&g, first_own)) : W);
    float *const slab = s->points + T::slab;
    /* A warp that makes one piece at a time makes every second one from its end, so that it writes next to the piece
     * before while both are made. */
    const int back = T::parts > 1 && own[0].corner % 2 ? T::parts - 1 : 0;
#pragma unroll 1
    for (int part = 0; part < T::parts; part++) {
        const int first = 1 + (part ^ back) * T::rows;
        const int n = first + T::rows <= T::m ? T::rows : T::m - first, step = x < T::m ? T::width : -W;
        const uint32_t row = sdd_grid_inside(&g, first_own->corner, 1, first);
        float *to = x < T::m ? slab + apart * run + table_phase<W, FORM>(a, row) + T::all * nth + W * (x - 1)
                             : line + T::width * nth + W * (T::m - 1 - first);
#pragma unroll
        for (int y = 0; y < T::rows; y++, to += step)
            q.put(as, bases, first + y, to);
        __syncwarp();
#pragma unroll
        for (int first_put = 0; first_put < runs; first_put += groups) {
            const int put = first_put + (groups > 1 ? table_lane() / (32 / groups) : 0);
            if (put * per_run >= n_pieces)
                break;
            table_rows_put<W, FORM, groups, per_run *(T::parts == 1 ? T::all : T::all - T::width), per_run * T::all>(
                a, sdd_grid_inside(&g, own[per_run * put].corner, 1, first), slab + apart * put,
                per_run * n * T::width);
            if constexpr (per_run > 1)
                table_rows_put<W, FORM, groups, per_run * T::width, per_run * T::width>(
                    a, sdd_table_spoke(&g, own + per_run * put), s->line + spokes * put, per_run * T::width);
        }
        __syncwarp();
    }
    if constexpr (per_run == 1) {
        const table_lane_column put = table_put_column_of<LOG>(at, n_pieces);
        const uint32_t row = sdd_table_spoke(&g, own + put.piece);
        table_own_put<W, FORM, LOG>(a, row, s->line + spokes * put.piece + W, T::width, put);
    }
}

/* Makes the pieces from `first` on that a warp makes at once, up to its last one. Their points have been fetched; those
 * of the next are fetched meanwhile, and `columns` goes on to them. `weights` are arguments of the kernel, which its
 * instructions read directly. */
template <int N, int FORM, int LOG, bool QUADS>
static __device__ __forceinline__ void table_some(const table_points_args &a, const table_row<N, FORM> &as,
                                                  table_columns<N, FORM != table_strided, LOG, QUADS> *columns,
                                                  int first, const sdd_table_weights &weights, const table_bases &bases,
                                                  table_warp *s)
{
    constexpr int W = table_row<N, FORM>::words;
    using T = table_shape<W, LOG>;
    const int n_pieces = QUADS && LOG > 2 ? T::pieces : min(s->end - first, T::pieces);
    const table_lane_column at = table_lane_column_of<LOG>(n_pieces);
    const sdd_table_quad *pieces = s->own[columns->buffer];
    sdd_grid g = a.grid;
    g.level = LOG + 1;
    __pipeline_wait_prior(0);
    __syncwarp();
    if constexpr (QUADS)
        table_extend<N, LOG>(first, pieces, s);
    const sdd_table_quad piece = pieces[at.piece];
    float *const corner = table_corners<W, LOG>(s, at.piece), *const line = s->line + W * T::m * at.piece;
    if (QUADS && at.made && (piece.owns & TABLE_AT_LEFT)) /* The last lane of these makes the vertex. */
        table_left<N, FORM, LOG>(a, as, g, piece, at.x, table_view_of<N, LOG, QUADS>(s, first, at.piece), bases,
                                 corner);
    const table_sums<N> q(table_view_of<N, LOG, QUADS>(s, first, at.piece), bases.at[at.x], weights[QUADS][0]);
    if (at.x == 1 && at.made && (!QUADS || !(piece.owns & TABLE_AT_LEFT)))
        as.put(q.vertex, corner);
    float bottom[N];
    q.at(weights[QUADS], 0, bottom);
    if (QUADS && (piece.owns & 1u << SDD_TABLE_OPEN)) {
        const sdd_table_basis side = sdd_table_basis_at(bases.at, 0, 1);
        q.at(&side.s, 0, bottom);
    }
    if (at.made) {
        as.put(bottom, at.x < T::m ? line + W * (at.x - 1) : corner + W);
        if (at.x == T::m)
            q.put(as, weights[QUADS], T::m, corner + 2 * W);
    }
    const table_lane_column put = table_put_column_of<LOG>(at, n_pieces);
    __syncwarp();
    table_sides_put<W, FORM, LOG>(a, g, pieces[put.piece], columns->vertex(s, first, put.piece), s, put);
    __syncwarp(); /* All lanes have read the points. */
    columns->next(a, first, s);
    if constexpr (T::m > 1)
        table_inside<N, FORM, LOG, QUADS>(a, as, g, pieces, n_pieces, at, q, weights[QUADS], s);
}

/* Makes all pieces of a warp. */
template <int N, int FORM, int LOG, bool QUADS>
static __device__ __forceinline__ void table_all(const table_points_args &a, const sdd_table_weights &weights,
                                                 const table_span &span, const table_bases &bases, table_warp *warps)
{
    using T = table_shape<N, LOG>;
    table_warp *s = warps + threadIdx.x / 32;
    table_columns<N, FORM != table_strided, LOG, QUADS> columns;
    columns.begin(a, span, s);
    const table_row<N, FORM> as(a);
    for (int i = span.first; i < s->end; i += TABLE_WARPS * T::pieces) {
        table_some<N, FORM, LOG, QUADS>(a, as, &columns, i, weights, bases, s);
        if constexpr (!QUADS)
            break;
        columns.go_on();
    }
}

template <int N, int FORM, int LOG>
static __device__ __forceinline__ void table_of_kind(const table_points_args &a, const sdd_table_weights &weights,
                                                     const table_span &span, const table_bases &bases,
                                                     table_warp *warps)
{
    if (span.quads)
        table_all<N, FORM, LOG, true>(a, weights, span, bases, warps);
    else
        table_all<N, FORM, LOG, false>(a, weights, span, bases, warps);
}

template <int N, int FORM>
static __device__ __forceinline__ void table_pieces(const table_points_args &a, const sdd_table_weights &weights,
                                                    int64_t group, table_bases &bases, table_warp *warps)
{
    const table_span span = table_span_of(a, group);
    if ((int)threadIdx.x <= 1 << (a.grid.level - 1))
        bases.at[threadIdx.x] = *(const sdd_table_basis *)weights[span.quads][threadIdx.x];
    switch (a.grid.level) {
    case 1: table_of_kind<N, FORM, 0>(a, weights, span, bases, warps); break;
    case 2: table_of_kind<N, FORM, 1>(a, weights, span, bases, warps); break;
    case 3: table_of_kind<N, FORM, 2>(a, weights, span, bases, warps); break;
    case 4: table_of_kind<N, FORM, 3>(a, weights, span, bases, warps); break;
    case 5: table_of_kind<N, FORM, 4>(a, weights, span, bases, warps); break;
    default: table_of_kind<N, FORM, 5>(a, weights, span, bases, warps); break;
    }
}
#endif
