/* SPDX-License-Identifier: Apache-2.0 */
/* tab_points.cuh: kernels/tab_points.h for a block an item. The bits are those of the portable form.
 * A warp makes as many bicubic pieces at once as give each lane a column of points; what is inside a piece meets in
 * shared memory and leaves it in whole lines of 128 bytes, as its rows follow each other. Meanwhile points of the next
 * are on their way.
 * Of other pieces a thread has one point and makes it of half the pieces of a run, so that the table is read twice a
 * run. */
#ifndef SDD_TAB_POINTS_CUH
#define SDD_TAB_POINTS_CUH
#include "gpu/cuda/tab_ahead.cuh"
#include <cuda_pipeline_primitives.h>

#define TAB_WARPS SDD_TAB_GROUP /* of a block */
enum { tab_points_threads = 32 * TAB_WARPS };
static_assert(tab_points_threads == SDD_TAB_THREADS, "an item is a block");

#define TAB_SLAB 768                    /* floats */
#define TAB_FLOATS 896                  /* of points and a slab, of as many pieces as a warp makes at once */
#define TAB_ROWS 8                      /* of 2 x 15 or of 31 points, which fit */
#define TAB_HALF (SDD_TAB_TOGETHER / 2) /* pieces at a time: as many sums as registers hold */
#define TAB_PIECES 8                    /* of a warp at once, at most */
#define TAB_APART (4 * SDD_TAB_REGULAR + 4)

/* The pieces of a warp: points around them, or around their whole quads, then the slab, points inside; points towards
 * the next corner, and the rows of their vertices. What is not taken of shared memory caches columns and tables. */
struct tab_warp {
    alignas(16) float points[TAB_FLOATS];
    alignas(8) float line[3 * 32];
    uint32_t vertex[TAB_PIECES];
    sdd_tab_regular own[2][TAB_PIECES]; /* the pieces, and those that come next, in turn */
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

/* What rows are put as. Of tab_dense_many's kernel nothing else is different: what two kernels have in common is
 * compiled worse in both. */
enum tab_form { tab_strided, tab_dense, tab_dense_many, tab_unorm16, tab_oct16, tab_f16 };

/* Words of a row, and how N components become one. */
template <int N, int FORM> struct tab_row {
    static constexpr int words = FORM == tab_unorm16 ? 2 : FORM == tab_oct16 || FORM == tab_f16 ? 1 : N;
    sdd_quantise_facts *facts;
    float low[FORM == tab_unorm16 ? 3 : 1], scale[FORM == tab_unorm16 ? 3 : 1];

    /* The facts are there: the launch before is one that has waited for what made them, or has been waited for. */
    __device__ __forceinline__ tab_row(const tab_points_args &a)
    {
        facts = a.as.facts;
        if constexpr (FORM == tab_unorm16) {
#pragma unroll
            for (int k = 0; k < 3; k++) {
                low[k] = facts->low[k];
                scale[k] = facts->scale[k];
            }
        }
    }

    __device__ __forceinline__ void put(const float *p, float *to) const
    {
        if constexpr (FORM == tab_unorm16) {
            uint2 out;
            out.x = sdd_unorm16(p[0], low[0], scale[0]) | (uint32_t)sdd_unorm16(p[1], low[1], scale[1]) << 16;
            out.y = sdd_unorm16(p[2], low[2], scale[2]);
            *(uint2 *)to = out;
        } else if constexpr (FORM == tab_oct16) {
            *(sdd_u16x2 *)to = sdd_oct16(p[0], p[1], p[2]);
        } else if constexpr (FORM == tab_f16) {
            *(sdd_u16x2 *)to = sdd_f16_row(facts, p[0], p[1]);
        } else {
#pragma unroll
            for (int k = 0; k < N; k++)
                to[k] = p[k];
        }
    }
};

/* Rows of W words, 2^LOG cells along a piece. Points inside are made some rows at a time: all, or a power of two of them
 * and in the end one that is not put. apart: words from a piece to the next, so that their columns are in different
 * banks of shared memory. */
template <int W, int LOG> struct tab_shape {
    static constexpr int m = 1 << LOG, pieces = LOG < 2 ? TAB_PIECES : 32 >> LOG; /* a column of points a lane */
    static constexpr int loads = (pieces + 1) / 2;                                /* points that a lane reads */
    static constexpr int width = W * (m - 1), rows = pieces * width * (m - 1) <= TAB_SLAB ? m - 1 : TAB_ROWS;
    static constexpr int apart = (rows * width + 31 - W * m) / 32 * 32 + W * m;
    static constexpr int slab = TAB_APART * pieces; /* after the points */
    static_assert(slab + apart * pieces <= TAB_FLOATS, "pieces fit");
};

/* Floats of the point a lane reads, and of a piece's. */
template <int N> struct tab_point {
    static constexpr int wide = N == 3 ? 4 : N, apart = SDD_TAB_REGULAR * wide + 4;
};

/* At most MOST words, rows of W, to where they belong: whole lines where there is nothing between rows. */
template <int W, int FORM, int MOST>
static __device__ __forceinline__ void tab_rows_put(const tab_points_args &a, uint32_t row, const float *from, int n)
{
    const int lane = threadIdx.x & 31;
    if constexpr (FORM != tab_strided) {
        float *to = a.to + (size_t)W * row;
        const int i = lane - (int)((uintptr_t)to / sizeof *to % 32); /* in the first line, some before the run */
        to += i;
        from += i;
        if (i >= 0 && i < n)
            *to = *from;
#pragma unroll
        for (int line = 32; line < MOST + 32; line += 32)
            if (i + line < n)
                to[line] = from[line];
    } else {
        for (int i = lane; i < n; i += 32)
            a.to[(size_t)a.width.stride * (row + i / W) + i % W] = from[i];
    }
}

/* Pieces [first, end) of a warp. */
struct tab_span {
    int first, end;
    bool whole, waits; /* waits: for whatever is before */
};

/* A first step that is a launch is the one before, so those before that are over, and pieces of whole quads need not
 * wait for it. */
static __device__ __forceinline__ tab_span tab_span_of(const tab_points_args &a, int64_t group)
{
    const sdd_tab_some some = sdd_tab_some_of(&a, group, TAB_WARPS * a.each);
    tab_span s;
    s.first = (int)some.first + (int)threadIdx.x / 32 * a.each;
    s.end = min(s.first + a.each, (int)some.end);
    s.whole = some.first < a.n_whole;
    s.waits = !s.whole || a.first.n_rows > 0 || (a.n_whole == a.n_regular && a.n_runs == 0);
    return s;
}

/* What a lane reads of the pieces from the first, of those past the last what that has: rows of points; and which of
 * the warp's two lists of pieces has those. */
template <int N, int LOG> struct tab_columns {
    uint32_t row[tab_shape<N, LOG>::loads];
    int turn;

    __device__ __forceinline__ void load(const tab_points_args &a, bool whole, int first, int last)
    {
        const int lane = threadIdx.x & 31, k = lane % SDD_TAB_REGULAR;
        if (whole) { /* of each quad once */
            row[0] = a.regular_column[SDD_TAB_REGULAR * (size_t)(min(first + 4 * (lane / SDD_TAB_REGULAR), last) & ~3) + k];
            return;
        }
#pragma unroll
        for (int j = 0; j < tab_shape<N, LOG>::loads; j++)
            row[j] = a.regular_column[SDD_TAB_REGULAR * (size_t)min(first + 2 * j + lane / SDD_TAB_REGULAR, last) + k];
    }

    /* Pieces on their way to shared memory, past the registers. */
    __device__ __forceinline__ void fetch_own(const tab_points_args &a, int first, int last, tab_warp *s)
    {
        const int lane = threadIdx.x & 31;
        turn = !turn;
        if (lane < tab_shape<N, LOG>::pieces)
            __pipeline_memcpy_async(&s->own[turn][lane], a.regular + min(first + lane, last), sizeof *a.regular);
    }

    /* And their points: control rows, which may lie anywhere, or rows of level 1. */
    __device__ __forceinline__ void fetch(const tab_points_args &a, bool whole, int first, tab_warp *s) const
    {
        const int lane = threadIdx.x & 31, k = lane % SDD_TAB_REGULAR;
        if (whole)
            fetch_quads(a, first, s);
#pragma unroll
        for (int j = 0; j < tab_shape<N, LOG>::loads; j++) {
            const int p = 2 * j + lane / SDD_TAB_REGULAR;
            if (whole || p >= tab_shape<N, LOG>::pieces)
                continue;
            __pipeline_memcpy_async(s->points + tab_point<N>::apart * p + tab_point<N>::wide * k,
                                    a.from + tab_point<N>::wide * (size_t)row[j], 4 * tab_point<N>::wide);
            if (k == 5)
                s->vertex[p] = row[j];
        }
        __pipeline_commit();
    }

    __device__ __forceinline__ void fetch_quads(const tab_points_args &a, int first, tab_warp *s) const
    {
        const int lane = threadIdx.x & 31, k = lane % SDD_TAB_REGULAR, quad = lane / SDD_TAB_REGULAR;
        if (4 * quad >= tab_shape<N, LOG>::pieces)
            return;
        float *to = s->points + tab_point<N>::apart * quad + tab_point<N>::wide * k;
        const float *from = a.control + (size_t)a.width.stride * row[0];
#pragma unroll
        for (int i = 0; i < N; i++)
            __pipeline_memcpy_async(to + i, from + i, 4);
        const int turn = k == 5 ? 0 : k == 6 ? 1 : k == 10 ? 2 : 3, p = 4 * quad + turn - (first & 3);
        if ((k == 5 || k == 6 || k == 9 || k == 10) && p >= 0 && p < tab_shape<N, LOG>::pieces)
            s->vertex[p] = row[0];
    }

    /* Those of the first pieces; a warp that has none reads what the one before it has. */
    __device__ __forceinline__ void begin(const tab_points_args &a, const tab_span &span, tab_warp *s)
    {
        const int last = span.end - 1;
        load(a, span.whole, span.first, last);
        turn = 0;
        fetch_own(a, span.first, last, s);
        if (!span.whole)
            tab_ahead_wait(a);
        else if (span.waits)
            overlap_wait();
        fetch(a, span.whole, span.first, s);
        load(a, span.whole, span.first + tab_shape<N, LOG>::pieces, last);
    }
};

/* The 4 x 4 points of a piece, `x` and `y` floats apart along its sides: those of a whole quad turned to its corner. */
struct tab_view {
    const float *points;
    int x, y;
};

template <int N> static __device__ __forceinline__ tab_view tab_view_of(const tab_warp *s, bool whole, int first, int p)
{
    constexpr int wide = tab_point<N>::wide;
    tab_view v = {s->points + tab_point<N>::apart * p, wide, 4 * wide};
    if (whole) {
        const int turn = (first + p) & 3, along = turn & 1 ? 4 * wide : wide, across = 5 * wide - along;
        v.points = s->points + tab_point<N>::apart * (((first & 3) + p) >> 2) +
                   wide * (turn == 0 ? 0 : turn == 1 ? 3 : turn == 2 ? 15 : 12);
        v.x = turn & 2 ? -along : along;
        v.y = turn == 1 || turn == 2 ? -across : across;
    }
    return v;
}

/* Weights of all lines of a piece. */
struct tab_bases {
    sdd_tab_basis at[SDD_TAB_SIDE + 1];
};

/* Four points, `apart` floats apart. */
template <int N> static __device__ __forceinline__ void tab_four(const float *points, int apart, float (*p)[N])
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

/* The sums along x of the four rows of points of a piece: what its points at one x are made of. */
template <int N> struct tab_sums {
    float s[4][N];

    __device__ __forceinline__ tab_sums(const tab_view &v, const sdd_tab_basis &x)
    {
#pragma unroll
        for (int b = 0; b < 4; b++) {
            float p[4][N];
            tab_four<N>(v.points + b * v.y, v.x, p);
#pragma unroll
            for (int k = 0; k < N; k++)
                s[b][k] = sdd_tab_sum(x.s, p[0][k], p[1][k], p[2][k], p[3][k]);
        }
    }

    template <class ROW>
    __device__ __forceinline__ void put(const ROW &as, const tab_bases &bases, int y, float *to) const
    {
        const sdd_tab_basis w = bases.at[y];
        float p[N];
#pragma unroll
        for (int k = 0; k < N; k++)
            p[k] = sdd_tab_sum(w.s, s[0][k], s[1][k], s[2][k], s[3][k]);
        as.put(p, to);
    }

    template <class ROW>
    __device__ __forceinline__ void put_row(const ROW &as, const tab_points_args &a, int stride, const tab_bases &bases,
                                            int y, uint32_t row) const
    {
        if (row != SDD_NONE)
            put(as, bases, y, a.to + (size_t)stride * row);
    }
};

/* A line of points of each piece, rows of which follow each other from `row` of the piece's lanes; `from`: that of the
 * first piece, the others 2^LOG points apart. */
template <int W, int FORM, int LOG>
static __device__ __forceinline__ void tab_lines_put(const tab_points_args &a, uint32_t row, const float *from,
                                                     int n_pieces)
{
    using T = tab_shape<W, LOG>;
#pragma unroll
    for (int line = 0; line < T::pieces * T::width; line += 32) {
        const int i = line + (int)(threadIdx.x & 31), p = min(i / T::width, T::pieces - 1), k = i - p * T::width;
        const uint32_t first = __shfl_sync(~0u, row, p << LOG);
        if (k < T::width && p < n_pieces)
            a.to[FORM != tab_strided ? (size_t)W * first + k : (size_t)a.width.stride * (first + k / W) + k % W] =
                from[W * T::m * p + k];
    }
}

/* The points inside the pieces, and those towards the next corner, a lane a column of them. */
template <int N, int FORM, int LOG, class SUMS, class BASES>
static __device__ __forceinline__ void tab_inside(const tab_points_args &a, const tab_row<N, FORM> &as,
                                                  const sdd_grid &g, const sdd_tab_regular *own, int n_pieces,
                                                  const SUMS &q, const BASES &bases, tab_warp *s)
{
    constexpr int W = tab_row<N, FORM>::words;
    using T = tab_shape<W, LOG>;
    const int lane = threadIdx.x & 31, p = (lane >> LOG) % T::pieces, x = lane % T::m + 1;
    constexpr int all = T::rows * T::width;
    const int follow =
        T::rows == T::m - 1 && __all_sync(~0u, own[p].corner == own[0].corner + p) && n_pieces == T::pieces;
    const int apart = follow ? all : T::apart;
#pragma unroll 1
    for (int first = 1; first < T::m; first += T::rows) {
        const int n = first + T::rows <= T::m ? T::rows : T::m - first, step = x < T::m ? T::width : -W;
        float *to = x < T::m ? s->points + T::slab + p * apart + W * (x - 1) : s->line + W * (p * T::m + T::m - first);
#pragma unroll
        for (int y = 0; y < T::rows; y++, to += step)
            q.put(as, bases, first + y, to);
        __syncwarp();
        if (follow)
            tab_rows_put<W, FORM, T::pieces * all>(a, sdd_grid_inside(&g, own[0].corner, 1, 1), s->points + T::slab,
                                                   T::pieces * all);
        for (int i = 0; i < n_pieces && !follow; i++)
            tab_rows_put<W, FORM, all>(a, sdd_grid_inside(&g, own[i].corner, 1, first),
                                       s->points + T::slab + i * T::apart, n * T::width);
        __syncwarp();
    }
}

/* The pieces' vertices: four lanes a piece, a row of points each. */
template <int N, int PIECES, class ROW>
static __device__ __forceinline__ void tab_vertices(const tab_points_args &a, const ROW &as, int stride,
                                                    const sdd_tab_regular *pieces, bool whole, int first, int n_pieces,
                                                    const sdd_tab_basis &w, tab_warp *s)
{
    const int lane = threadIdx.x & 31, piece = min(lane / 4, PIECES - 1);
    const tab_view v = tab_view_of<N>(s, whole, first, piece);
    float p[4][N], sum[N];
    tab_four<N>(v.points + lane % 4 * v.y, v.x, p);
#pragma unroll
    for (int k = 0; k < N; k++) {
        const float row = sdd_tab_sum(w.s, p[0][k], p[1][k], p[2][k], p[3][k]);
        sum[k] = sdd_tab_sum(w.s, __shfl_sync(~0u, row, 0, 4), __shfl_sync(~0u, row, 1, 4), __shfl_sync(~0u, row, 2, 4),
                             __shfl_sync(~0u, row, 3, 4));
    }
    if (lane % 4 == 0 && lane / 4 < n_pieces && (pieces[piece].owns & SDD_TAB_VERTEX))
        as.put(sum, a.to + (size_t)stride * s->vertex[piece]);
}

/* As many pieces from the first as a warp makes at once, up to `end`; their points have been fetched. Meanwhile those of
 * the next are; `columns` goes on with them. */
template <int N, int FORM, int LOG>
static __device__ __forceinline__ void tab_some(const tab_points_args &a, const tab_row<N, FORM> &as,
                                                tab_columns<N, LOG> *columns, int first, int end, bool whole,
                                                const tab_bases &bases, tab_warp *s)
{
    constexpr int W = tab_row<N, FORM>::words;
    using T = tab_shape<W, LOG>;
    const int lane = threadIdx.x & 31, stride = FORM != tab_strided ? W : a.width.stride, own = lane >> LOG,
              n_pieces = min(end - first, T::pieces);
    const int p = own % T::pieces, x = lane % T::m + 1;
    const sdd_tab_regular *pieces = s->own[columns->turn];
    sdd_grid g = a.grid;
    g.level = LOG + 1;
    __pipeline_wait_prior(0);
    __syncwarp();
    tab_vertices<N, T::pieces>(a, as, stride, pieces, whole, first, n_pieces, bases.at[0], s);
    __syncwarp(); /* or points are kept from here for those of q */
    const tab_sums<N> q(tab_view_of<N>(s, whole, first, p), bases.at[x]);
    const sdd_tab_column at = sdd_tab_column_at(&g, pieces + p, SDD_NONE, x); /* x > 0 */
    if (own < n_pieces && x == T::m) {
        q.put_row(as, a, stride, bases, 0, at.first);
        q.put_row(as, a, stride, bases, T::m, at.last);
    }
    if constexpr (T::m > 1) {
        q.put(as, bases, 0, s->line + W * (p * T::m + x - 1));
        __syncwarp();
        tab_lines_put<W, FORM, LOG>(a, at.first, s->line, n_pieces);
    }
    __syncwarp(); /* all has been read */
    if (first + T::pieces < end) {
        columns->fetch_own(a, first + T::pieces, end - 1, s);
        columns->fetch(a, whole, first + T::pieces, s);
        columns->load(a, whole, first + 2 * T::pieces, end - 1);
    }
    if constexpr (T::m > 1) {
        tab_inside<N, FORM, LOG>(a, as, g, pieces, n_pieces, q, bases, s);
        tab_lines_put<W, FORM, LOG>(
            a, g.n_vertices + g.n_faces + g.n_edges + (2 * g.n_edges + pieces[p].corner) * (uint32_t)(T::m - 1), s->line + W,
            n_pieces);
    }
}

/* The pieces of a warp. */
template <int N, int FORM, int LOG>
static __device__ __forceinline__ void tab_all(const tab_points_args &a, const tab_span &span, const tab_bases &bases,
                                               tab_warp *warps)
{
    using T = tab_shape<N, LOG>;
    tab_warp *s = warps + threadIdx.x / 32;
    tab_columns<N, LOG> columns;
    columns.begin(a, span, s);
    const tab_row<N, FORM> as(a);
    __syncthreads(); /* the bases are there */
    for (int i = span.first; i < span.end; i += T::pieces)
        tab_some<N, FORM, LOG>(a, as, &columns, i, span.end, span.whole, bases, s);
}

template <int N, int FORM>
static __device__ __forceinline__ void tab_pieces(const tab_points_args &a, int64_t group, tab_bases &bases,
                                                  tab_warp *warps)
{
    const tab_span span = tab_span_of(a, group);
    const sdd_tab_basis *of = sdd_tab_basis_of(&a, a.basis, span.whole ? 0 : a.n_whole);
    if ((int)threadIdx.x <= 1 << (a.grid.level - 1))
        bases.at[threadIdx.x] = of[threadIdx.x];
    switch (a.grid.level) {
    case 1: tab_all<N, FORM, 0>(a, span, bases, warps); break;
    case 2: tab_all<N, FORM, 1>(a, span, bases, warps); break;
    case 3: tab_all<N, FORM, 2>(a, span, bases, warps); break;
    case 4: tab_all<N, FORM, 3>(a, span, bases, warps); break;
    case 5: tab_all<N, FORM, 4>(a, span, bases, warps); break;
    default: tab_all<N, FORM, 5>(a, span, bases, warps); break;
    }
}

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

template <int N, int FORM>
static __device__ __forceinline__ void tab_turns(const tab_points_args &a, tab_bases &bases, tab_shared *s,
                                                 unsigned first, unsigned blocks)
{
    const tab_turn turn = tab_turn_of(a, first, blocks);
    if (turn.other && a.few)
        tab_few<N, FORM>(a, turn.i);
    else if (turn.other)
        tab_others<N, FORM>(a, turn.i, &s->run);
    else
        tab_pieces<N, FORM>(a, turn.i, bases, s->warps);
    overlap_wait(); /* the launch before must not outlast this one */
}

/* Of one mesh. */
template <int N, int FORM>
static __device__ __forceinline__ void tab_block(const tab_points_args &a, tab_bases &bases, tab_shared *s)
{
    const unsigned ahead = (unsigned)sdd_tab_first_items(&a, 1);
    tab_turns<N, FORM>(a, bases, s, ahead, gridDim.x - ahead);
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
