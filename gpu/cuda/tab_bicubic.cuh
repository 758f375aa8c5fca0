/* SPDX-License-Identifier: Apache-2.0 */
/* tab_bicubic.cuh: the bicubic pieces of tab_points.cuh. A warp makes as many at once as give each lane a column of
 * points; what is inside a piece meets in shared memory and leaves it in whole lines of 128 bytes, as its rows follow
 * each other. Meanwhile points of the next are on their way. */
#ifndef SDD_TAB_BICUBIC_CUH
#define SDD_TAB_BICUBIC_CUH
#include "gpu/cuda/tab_ahead.cuh"
#include <cuda_pipeline_primitives.h>

#define TAB_WARPS SDD_TAB_GROUP /* of a block */
enum { tab_points_threads = 32 * TAB_WARPS };
static_assert(tab_points_threads == SDD_TAB_THREADS, "an item is a block");

#define TAB_SLAB 768                    /* floats */
#define TAB_FLOATS 896                  /* of points and a slab, of as many pieces as a warp makes at once */
#define TAB_ROWS 8                      /* of 2 x 15 or of 31 points, which fit */
#define TAB_LINES 4                     /* that a lane reads before it writes them */
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

/* The lane, here and now: of what is made of it long before, registers would be full. */
static __device__ __forceinline__ int tab_lane()
{
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Which piece of those that a warp makes at once a lane has, and which column of its points, x = 1 .. 2^LOG; made: the
 * piece is there, and no lane before has it. A piece's lanes are neighbours: they get its points in half the time. */
struct tab_place {
    int piece, x;
    bool made;
};

template <int LOG> static __device__ __forceinline__ tab_place tab_place_of(int n_pieces)
{
    constexpr int m = 1 << LOG, pieces = LOG < 2 ? TAB_PIECES : 32 >> LOG;
    const int lane = tab_lane(), own = lane >> LOG;
    return {own % pieces, lane % m + 1, own < n_pieces};
}

/* Rows of W words, 2^LOG cells along a piece. Points inside are made some rows at a time: all, or a power of two of
 * them and in the end one that is not put. apart: words from a piece to the next, so that their columns are in
 * different banks of shared memory. */
template <int W, int LOG> struct tab_shape {
    static constexpr int m = 1 << LOG, pieces = LOG < 2 ? TAB_PIECES : 32 >> LOG; /* a column of points a lane */
    static constexpr int loads = (pieces + 1) / 2;                                /* points that a lane reads */
    static constexpr int width = W * (m - 1), rows = pieces * width * (m - 1) <= TAB_SLAB ? m - 1 : TAB_ROWS;
    static constexpr int apart = (rows * width + 31 - W * m) / 32 * 32 + W * m;
    static constexpr int slab = TAB_APART * pieces; /* after the points */
    static constexpr int all = rows * width;
    static_assert(slab + apart * pieces <= TAB_FLOATS, "pieces fit");
};

/* Floats of the point a lane reads, and of a piece's. */
template <int N> struct tab_point {
    static constexpr int wide = N == 3 ? 4 : N, apart = SDD_TAB_REGULAR * wide + 4;
};

/* n words, LEAST to MOST, rows of W, to where they belong: whole lines where there is nothing between rows. */
template <int W, int FORM, int LEAST, int MOST>
static __device__ __forceinline__ void tab_rows_put(const tab_points_args &a, uint32_t row, const float *from, int n)
{
    const int lane = tab_lane();
    if constexpr (FORM != tab_strided) {
        float *to = a.to + (size_t)W * row;
        const int i = lane - (int)((uintptr_t)to / sizeof *to % 32); /* in the first line, some before the run */
        to += i;
        from += i;
        if (i >= 0 && i < n)
            *to = *from;
#pragma unroll
        for (int line = 32; line < MOST + 32; line += 32 * TAB_LINES) {
            float v[TAB_LINES]; /* read first: a line need not wait for the one before it */
#pragma unroll
            for (int j = 0, at = line; j < TAB_LINES; j++, at += 32)
                if (at + 32 <= LEAST || (at < MOST + 32 && i + at < n))
                    v[j] = from[at];
#pragma unroll
            for (int j = 0, at = line; j < TAB_LINES; j++, at += 32)
                if (at + 32 <= LEAST || (at < MOST + 32 && i + at < n))
                    to[at] = v[j];
        }
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
    const sdd_tab_some some = sdd_tab_some_of(&a, group);
    tab_span s;
    s.first = (int)some.first + (int)threadIdx.x / 32 * some.each;
    s.end = min(s.first + some.each, (int)some.end);
    s.whole = some.first < a.n_whole;
    s.waits = !s.whole || a.first.n_rows > 0 || (a.n_whole == a.n_regular && a.n_runs == 0);
    return s;
}

/* What a lane reads of the pieces from the first, of those past the last what that has: rows of points, WHOLE: of each
 * control quad once; and which of the warp's two lists of pieces has those. */
template <int N, int LOG, bool WHOLE> struct tab_columns {
    static constexpr int loads = WHOLE ? 1 : tab_shape<N, LOG>::loads, pieces = tab_shape<N, LOG>::pieces;
    uint32_t row[loads];
    int turn;

    __device__ __forceinline__ void load(const tab_points_args &a, int first, int last)
    {
        const int lane = tab_lane(), k = lane % SDD_TAB_REGULAR, half = lane / SDD_TAB_REGULAR;
#pragma unroll
        for (int j = 0; j < loads; j++) {
            const int i = WHOLE ? min(first + 4 * half, last) & ~3 : min(first + 2 * j + half, last);
            row[j] = a.regular_column[SDD_TAB_REGULAR * (size_t)i + k];
        }
    }

    /* Pieces on their way to shared memory, past the registers. */
    __device__ __forceinline__ void fetch_own(const tab_points_args &a, int first, int last, tab_warp *s)
    {
        const int lane = tab_lane();
        turn = !turn;
        if (lane < pieces)
            __pipeline_memcpy_async(&s->own[turn][lane], a.regular + min(first + lane, last), sizeof *a.regular);
    }

    /* And their points: control rows, which may lie anywhere, or rows of level 1. */
    __device__ __forceinline__ void fetch(const tab_points_args &a, int first, tab_warp *s) const
    {
        constexpr int wide = tab_point<N>::wide;
        const int lane = tab_lane(), k = lane % SDD_TAB_REGULAR, half = lane / SDD_TAB_REGULAR;
#pragma unroll
        for (int j = 0; j < loads; j++) {
            const int p = 2 * j + half; /* WHOLE: the quad */
            float *to = s->points + tab_point<N>::apart * p + wide * k;
            if ((WHOLE ? 4 : 1) * p >= pieces)
                continue;
            if constexpr (WHOLE) {
                const float *from = a.control + (size_t)a.width.stride * row[j];
#pragma unroll
                for (int i = 0; i < N; i++)
                    __pipeline_memcpy_async(to + i, from + i, 4);
                const int corner = k == 5 ? 0 : k == 6 ? 1 : k == 10 ? 2 : 3;
                const int own = 4 * p + corner - (LOG > 3 ? first & 3 : 0);
                if ((k == 5 || k == 6 || k == 9 || k == 10) && own >= 0 && own < pieces)
                    s->vertex[own] = row[j];
            } else {
                __pipeline_memcpy_async(to, a.from + wide * (size_t)row[j], 4 * wide);
                if (k == 5)
                    s->vertex[p] = row[j];
            }
        }
        __pipeline_commit();
    }

    /* Those of the first pieces; a warp that has none reads what the one before it has. */
    __device__ __forceinline__ void begin(const tab_points_args &a, const tab_span &span, tab_warp *s)
    {
        const int last = span.end - 1;
        load(a, span.first, last);
        turn = 0;
        fetch_own(a, span.first, last, s);
        if constexpr (!WHOLE)
            tab_ahead_wait(a);
        else if (span.waits)
            overlap_wait();
        fetch(a, span.first, s);
        load(a, span.first + pieces, last);
    }

    /* Those after the pieces from `first` on, if there are more. */
    __device__ __forceinline__ void next(const tab_points_args &a, int first, int end, tab_warp *s)
    {
        first += pieces;
        if (first >= end)
            return;
        fetch_own(a, first, end - 1, s);
        fetch(a, first, s);
        load(a, first + pieces, end - 1);
    }
};

/* The 4 x 4 points of a piece, `x` and `y` floats apart along its sides: those of a whole quad turned to its corner. */
struct tab_view {
    const float *points;
    int x, y;
};

/* Of piece p of those from `first` on. Below level 5 a warp makes whole quads at once. A quad's corners are its points
 * 5, 6, 10 and 9 of 16, and its pieces begin with the points beyond them, 0, 3, 15 and 12. */
template <int N, int LOG, bool WHOLE>
static __device__ __forceinline__ tab_view tab_view_of(const tab_warp *s, int first, int p)
{
    constexpr int wide = tab_point<N>::wide, apart = tab_point<N>::apart;
    tab_view v = {s->points + apart * p, wide, 4 * wide};
    if constexpr (WHOLE) {
        const int turn = LOG > 3 ? (first + p) & 3 : p & 3;
        const int along = turn & 1 ? 4 * wide : wide, across = 5 * wide - along;
        v.points = s->points + (LOG > 3 ? 0 : apart * (p >> 2)) + wide * (0x0c0f0300 >> 8 * turn & 15);
        v.x = turn & 2 ? -along : along;
        v.y = turn == 1 || turn == 2 ? -across : across;
    }
    return v;
}

/* Points of whole quads beyond their open sides, which are nowhere in memory; `own`: pieces, from `first` on. */
template <int N, int LOG>
static __device__ __forceinline__ void tab_extend(int first, const sdd_tab_regular *own, tab_warp *s)
{
    constexpr int wide = tab_point<N>::wide, quads = LOG > 3 ? 1 : tab_shape<N, LOG>::pieces / 4;
    const int lane = tab_lane(), k = lane % SDD_TAB_REGULAR, quad = lane / SDD_TAB_REGULAR;
    uint32_t open = quad < quads ? own[4 * quad].owns >> SDD_TAB_OPEN : 0;
    if (!__any_sync(~0u, open != 0))
        return;
    const int turn = LOG > 3 ? first & 3 : 0;
    open = (open << turn | open >> (4 - turn)) & 15; /* as the quad's first piece sees it */
    float *p = s->points + tab_point<N>::apart * quad + wide * k;
    int dx, dy;
    if (sdd_is_beyond(open, k, wide, &dx, &dy))
#pragma unroll
        for (int i = 0; i < N; i++)
            p[i] = sdd_beyond(p + i, dx, dy);
    __syncwarp();
}

/* Weights of all lines of a piece, for lanes that each take another one. */
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

/* The sums along x of the four rows of points of a piece: what its points at one x are made of. And its vertex, which
 * all lanes of a piece make: that is less than fetching its points once more. */
template <int N> struct tab_sums {
    float s[4][N], vertex[N];

    __device__ __forceinline__ tab_sums(const tab_view &v, const sdd_tab_basis &x, const float (&first)[4])
    {
#pragma unroll
        for (int b = 0; b < 4; b++) {
            float p[4][N];
            tab_four<N>(v.points + b * v.y, v.x, p);
#pragma unroll
            for (int k = 0; k < N; k++) {
                const float row = sdd_tab_sum(first, p[0][k], p[1][k], p[2][k], p[3][k]);
                s[b][k] = sdd_tab_sum(x.s, p[0][k], p[1][k], p[2][k], p[3][k]);
                vertex[k] = b == 0 ? first[0] * row : fmaf(first[b], row, vertex[k]); /* as sdd_tab_sum */
            }
        }
    }

    __device__ __forceinline__ void at(const float (*bases)[4], int y, float *p) const
    {
#pragma unroll
        for (int k = 0; k < N; k++)
            p[k] = sdd_tab_sum(bases[y], s[0][k], s[1][k], s[2][k], s[3][k]);
    }

    template <class ROW>
    __device__ __forceinline__ void put(const ROW &as, const float (*bases)[4], int y, float *to) const
    {
        float p[N];
        at(bases, y, p);
        as.put(p, to);
    }
};

/* The point that weights x and y make. */
template <int N>
static __device__ __forceinline__ void tab_point_at(const tab_view &v, const sdd_tab_basis &x, const sdd_tab_basis &y,
                                                    float (&point)[N])
{
    tab_sums<N>(v, x, x.s).at(&y.s, 0, point);
}

/* What else a piece makes whose vertex is at an open side, or that has points at its left: lane x the one at (0, x), but
 * the last lane that at (0, 0). */
#define TAB_AT_LEFT (SDD_TAB_LEFT | 9u << SDD_TAB_OPEN)
template <int N, int FORM, int LOG>
static __device__ __forceinline__ void tab_left(const tab_points_args &a, const tab_row<N, FORM> &as, const sdd_grid &g,
                                                const sdd_tab_regular &piece, int x, const tab_view &v,
                                                const tab_bases &bases, float *vertex)
{
    constexpr int W = tab_row<N, FORM>::words, m = 1 << LOG;
    const uint32_t open = piece.owns >> SDD_TAB_OPEN;
    float p[N];
    tab_point_at<N>(v, sdd_tab_basis_at(bases.at, 0, open & 8),
                    x == m ? sdd_tab_basis_at(bases.at, 0, open & 1) : bases.at[x], p);
    if (x == m)
        as.put(p, vertex);
    else if (piece.owns & SDD_TAB_LEFT)
        as.put(p, a.to + (size_t)(FORM != tab_strided ? W : a.width.stride) * (sdd_tab_left(&g, piece.corner) + x));
}

/* A run of rows of each piece, from its `row` on; `from`: points of the first piece, those of the others 2^LOG points
 * apart. As many words at once as a warp has lanes, so that few runs leave in parts. */
template <int W, int FORM, int LOG>
static __device__ __forceinline__ void tab_lines_put(const tab_points_args &a, uint32_t row, const float *from,
                                                     int n_pieces)
{
    using T = tab_shape<W, LOG>;
#pragma unroll
    for (int first = 0; first < T::pieces * T::width; first += 32) {
        const int i = first + tab_lane(), piece = min(i / T::width, T::pieces - 1), k = i - T::width * piece;
        const uint32_t to = __shfl_sync(~0u, row, T::m * piece);
        if (k < T::width && piece < n_pieces)
            a.to[FORM != tab_strided ? (size_t)W * to + k : (size_t)a.width.stride * (to + k / W) + k % W] =
                from[W * T::m * piece + k];
    }
}

/* Points at the corners of the pieces and their rows, SDD_NONE: not theirs, on their way to memory, by words too. They
 * stand at the end of the slab while there is nothing else. */
struct tab_corners {
    float points[3 * 3 * TAB_PIECES];
    uint32_t row[3 * TAB_PIECES];

    static __device__ __forceinline__ tab_corners *of(tab_warp *s)
    {
        return (tab_corners *)(s->points + TAB_FLOATS - sizeof(tab_corners) / sizeof(float));
    }

    template <int W, int FORM, int LOG> __device__ __forceinline__ void put(const tab_points_args &a, int n_pieces) const
    {
#pragma unroll
        for (int first = 0; first < 3 * W * tab_shape<W, LOG>::pieces; first += 32) {
            const int i = first + tab_lane();
            if (i < 3 * W * n_pieces && row[i / W] != SDD_NONE)
                a.to[(size_t)(FORM != tab_strided ? W : a.width.stride) * row[i / W] + i % W] = points[i];
        }
    }
};

/* The points inside the pieces, and those towards the next corner, a lane a column of them. Those of whole quads follow
 * each other, where they fit. */
template <int N, int FORM, int LOG, bool WHOLE, class SUMS, class BASES>
static __device__ __forceinline__ void tab_inside(const tab_points_args &a, const tab_row<N, FORM> &as,
                                                  const sdd_grid &g, const sdd_tab_regular *own, int n_pieces,
                                                  const tab_place &at, const SUMS &q, const BASES &bases,
                                                  tab_warp *s)
{
    constexpr int W = tab_row<N, FORM>::words;
    using T = tab_shape<W, LOG>;
    constexpr bool quads = WHOLE && T::pieces >= 4 && T::rows == T::m - 1;
    const int p = at.piece, x = at.x;
    const int follow = quads || (T::rows == T::m - 1 && __all_sync(~0u, own[p].corner == own[0].corner + p) &&
                                 n_pieces == T::pieces);
    const int apart = follow ? T::all : T::apart, spokes = quads ? T::m - 1 : T::m;
    const uint32_t spoke = sdd_tab_spoke(&g, own + p);
#pragma unroll 1
    for (int first = 1; first < T::m; first += T::rows) {
        const int n = first + T::rows <= T::m ? T::rows : T::m - first, step = x < T::m ? T::width : -W;
        float *to = x < T::m ? s->points + T::slab + p * apart + W * (x - 1)
                             : s->line + W * (p * spokes + T::m - first);
#pragma unroll
        for (int y = 0; y < T::rows; y++, to += step)
            q.put(as, bases, first + y, to);
        __syncwarp();
        if constexpr (quads) {
#pragma unroll
            for (int i = 0; i < T::pieces; i += 4) {
                if (i >= n_pieces)
                    break;
                tab_rows_put<W, FORM, 4 * T::all, 4 * T::all>(a, sdd_grid_inside(&g, own[i].corner, 1, 1),
                                                              s->points + T::slab + T::all * i, 4 * T::all);
                tab_rows_put<W, FORM, 4 * T::width, 4 * T::width>(a, sdd_tab_spoke(&g, own + i),
                                                                  s->line + W + T::width * i, 4 * T::width);
            }
        } else {
            if (follow)
                tab_rows_put<W, FORM, T::pieces * T::all, T::pieces * T::all>(
                    a, sdd_grid_inside(&g, own[0].corner, 1, 1), s->points + T::slab, T::pieces * T::all);
            for (int i = 0; i < n_pieces && !follow; i++)
                tab_rows_put<W, FORM, T::rows == T::m - 1 ? T::all : T::all - T::width, T::all>(
                    a, sdd_grid_inside(&g, own[i].corner, 1, first), s->points + T::slab + i * T::apart, n * T::width);
        }
        __syncwarp();
    }
    if constexpr (!quads)
        tab_lines_put<W, FORM, LOG>(a, spoke, s->line + W, n_pieces);
}

/* As many pieces from the first as a warp makes at once, up to `end`; their points have been fetched. Meanwhile those
 * of the next are; `columns` goes on with them. `weights` are constants of the kernel: its instructions have them. */
template <int N, int FORM, int LOG, bool WHOLE>
static __device__ __forceinline__ void tab_some(const tab_points_args &a, const tab_row<N, FORM> &as,
                                                tab_columns<N, LOG, WHOLE> *columns, int first, int end,
                                                const sdd_tab_weights &weights, const tab_bases &bases, tab_warp *s)
{
    constexpr int W = tab_row<N, FORM>::words;
    using T = tab_shape<W, LOG>;
    const int n_pieces = WHOLE && LOG > 2 ? T::pieces : min(end - first, T::pieces);
    const tab_place at = tab_place_of<LOG>(n_pieces);
    const sdd_tab_regular *pieces = s->own[columns->turn];
    sdd_grid g = a.grid;
    g.level = LOG + 1;
    __pipeline_wait_prior(0);
    __syncwarp();
    if constexpr (WHOLE)
        tab_extend<N, LOG>(first, pieces, s);
    const sdd_tab_regular piece = pieces[at.piece];
    float *const corner = tab_corners::of(s)->points + 3 * W * at.piece;
    if (WHOLE && at.made && (piece.owns & TAB_AT_LEFT)) /* and of those the last lane makes the vertex */
        tab_left<N, FORM, LOG>(a, as, g, piece, at.x, tab_view_of<N, LOG, WHOLE>(s, first, at.piece), bases, corner);
    const tab_sums<N> q(tab_view_of<N, LOG, WHOLE>(s, first, at.piece), bases.at[at.x], weights[WHOLE][0]);
    const tab_corners *corners = tab_corners::of(s);
    uint32_t *row = tab_corners::of(s)->row + 3 * at.piece;
    if (at.x == 1 && at.made) {
        if (!WHOLE || !(piece.owns & TAB_AT_LEFT))
            as.put(q.vertex, corner);
        row[0] = piece.owns & SDD_TAB_VERTEX ? s->vertex[at.piece] : SDD_NONE;
    }
    float bottom[N];
    q.at(weights[WHOLE], 0, bottom);
    if (WHOLE && (piece.owns & 1u << SDD_TAB_OPEN)) {
        const sdd_tab_basis side = sdd_tab_basis_at(bases.at, 0, 1);
        q.at(&side.s, 0, bottom);
    }
    if (at.made && at.x == T::m) {
        as.put(bottom, corner + W);
        row[1] = piece.owns & SDD_TAB_EDGE ? piece.edge : SDD_NONE;
        q.put(as, weights[WHOLE], T::m, corner + 2 * W);
        row[2] = piece.owns & SDD_TAB_FACE ? piece.face : SDD_NONE;
    }
    if constexpr (T::m > 1)
        as.put(bottom, s->line + W * (at.piece * T::m + at.x - 1));
    __syncwarp();
    corners->put<W, FORM, LOG>(a, n_pieces);
    if constexpr (T::m > 1)
        tab_lines_put<W, FORM, LOG>(a, sdd_tab_bottom(&g, &piece), s->line, n_pieces);
    __syncwarp(); /* all has been read */
    columns->next(a, first, end, s);
    if constexpr (T::m > 1)
        tab_inside<N, FORM, LOG, WHOLE>(a, as, g, pieces, n_pieces, at, q, weights[WHOLE], s);
}

/* The pieces of a warp. */
template <int N, int FORM, int LOG, bool WHOLE>
static __device__ __forceinline__ void tab_all(const tab_points_args &a, const sdd_tab_weights &weights,
                                               const tab_span &span, const tab_bases &bases, tab_warp *warps)
{
    using T = tab_shape<N, LOG>;
    tab_warp *s = warps + threadIdx.x / 32;
    tab_columns<N, LOG, WHOLE> columns;
    columns.begin(a, span, s);
    const tab_row<N, FORM> as(a);
    __syncthreads(); /* the bases are there */
    for (int i = span.first; i < span.end; i += T::pieces)
        tab_some<N, FORM, LOG, WHOLE>(a, as, &columns, i, span.end, weights, bases, s);
}

template <int N, int FORM, int LOG>
static __device__ __forceinline__ void tab_of_kind(const tab_points_args &a, const sdd_tab_weights &weights,
                                                   const tab_span &span, const tab_bases &bases, tab_warp *warps)
{
    if (span.whole)
        tab_all<N, FORM, LOG, true>(a, weights, span, bases, warps);
    else
        tab_all<N, FORM, LOG, false>(a, weights, span, bases, warps);
}

template <int N, int FORM>
static __device__ __forceinline__ void tab_pieces(const tab_points_args &a, const sdd_tab_weights &weights,
                                                  int64_t group, tab_bases &bases, tab_warp *warps)
{
    const tab_span span = tab_span_of(a, group);
    if ((int)threadIdx.x <= 1 << (a.grid.level - 1))
        bases.at[threadIdx.x] = *(const sdd_tab_basis *)weights[span.whole][threadIdx.x];
    switch (a.grid.level) {
    case 1: tab_of_kind<N, FORM, 0>(a, weights, span, bases, warps); break;
    case 2: tab_of_kind<N, FORM, 1>(a, weights, span, bases, warps); break;
    case 3: tab_of_kind<N, FORM, 2>(a, weights, span, bases, warps); break;
    case 4: tab_of_kind<N, FORM, 3>(a, weights, span, bases, warps); break;
    case 5: tab_of_kind<N, FORM, 4>(a, weights, span, bases, warps); break;
    default: tab_of_kind<N, FORM, 5>(a, weights, span, bases, warps); break;
    }
}
#endif
