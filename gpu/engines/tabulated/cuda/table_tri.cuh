/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri.cuh: all rows of a level of triangles, control triangle by control triangle, for table_tri_rows.cuh and
 * table_tri_normals.cuh. It wins over the plain body because the warps of a triangle keep the columns of its four
 * pieces in shared memory. They make the points inside it, which are stored in the order of their rows, and the points
 * along the control edges that it owns, with a lane for each point. Rows of control vertices and of ranges are made one
 * by one. */
#ifndef SDD_TABLE_TRI_CUH
#define SDD_TABLE_TRI_CUH
#include "gpu/device/cuda/overlap.cuh"
#include "gpu/engines/tabulated/kernels/table_tri_normals.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_rows.k.h"

#define TRI_WARPS (SDD_TRI_ITEM / 32) /* The warps of a block. */
#define TRI_MORE 4                    /* The columns read at a time beyond those of a regular piece. */
static_assert(SDD_TRI_REGULAR % TRI_MORE == 0 && SDD_TABLE_TERMS % TRI_MORE == 0, "sums are of whole parts");

/* The inputs of a triangle. Each piece has the points of its columns, followed by zeros up to a whole group, their
 * number, and its part of the table, which for normals is that of pairs of sums. Each edge has its first row, SDD_NONE
 * when the triangle does not own it, and whether its rows run the other way. */
struct tri_made {
    float4 points[4][(SDD_TRI_COLUMNS + TRI_MORE - 1) / TRI_MORE * TRI_MORE];
    const float *table[4];
    int n[4], pairs[4];
    uint32_t line[3], down[3];
};

/* A location, as sdd_tri_location_of_row gives it. */
struct tri_location {
    uint32_t word;

    __device__ __forceinline__ int piece() const
    {
        return word & 3;
    }

    __device__ __forceinline__ int row() const
    {
        return word >> 2 & 0x3fff;
    }

    __device__ __forceinline__ int inside() const
    {
        return word >> 16;
    }
};

/* The shared memory of a block, for a level with h cells along a piece. The block makes `triangles` triangles with
 * `warps` warps each. `rows` holds the rows inside a triangle, unless there are too many, and 32 rows of a line. */
template <int LEVEL> struct tri_shared {
    static constexpr int h = 1 << (LEVEL - 1), along = 2 * h - 1, inside = along * (along - 1) / 2, edges = 3 * along;
    static constexpr int table = (h + 1) * (h + 2) / 2 + 3 * (h + 1); /* sdd_tri_table_rows */
    static constexpr int warps = SDD_TRI_WARPS(LEVEL), triangles = TRI_WARPS / warps;
    static constexpr bool staged = inside < 1024;
    tri_made made[triangles];
    float rows[triangles][staged ? 3 * inside : 1], line[TRI_WARPS][3 * 32];

    static __device__ __forceinline__ void sync()
    {
        if (warps > 1)
            __syncthreads();
        else
            __syncwarp();
    }
};

static __device__ __forceinline__ int tri_lane()
{
    return (int)threadIdx.x % 32;
}

/* Sets the edges of triangle f. A warp does it. */
template <int LEVEL> static __device__ __forceinline__ void tri_lines(const sdd_control &m, uint32_t f, tri_made *s)
{
    const int k = tri_lane();
    if (k >= 3)
        return;
    const uint32_t c = 3 * f + k, e = m.edge[c];
    s->line[k] = m.edge_corner[e] == c ? m.n_vertices + e * tri_shared<LEVEL>::along : SDD_NONE;
    s->down[k] = m.vert[c] > m.vert[sdd_next(&m.faces, c)];
}

/* Gives each half of a warp a piece of a triangle that has WARPS warps, and calls `see` with piece k and the lane, 0 to
 * 15. */
template <int WARPS, class SEE> static __device__ __forceinline__ void tri_halves(const SEE &see)
{
    const int thread = (int)threadIdx.x % (32 * WARPS);
#pragma unroll
    for (int k = thread / 16; k < 4; k += 2 * WARPS)
        see(k, thread % 16);
}

/* Loads the points of the columns of piece k of triangle f, and returns their number. */
static __device__ __forceinline__ int tri_load(const sdd_tri_pieces &a, uint32_t f, const float *from, int width, int k,
                                               int lane, tri_made *s)
{
    const sdd_tri_piece piece = a.piece[4 * f + k];
    const int n = a.classes[piece.class_of].n_columns;
    const int end = max((n + TRI_MORE - 1) / TRI_MORE * TRI_MORE, SDD_TRI_REGULAR);
    for (int j = lane; j < end; j += 16) {
        sdd_vec3 p = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        if (j < n)
            p = sdd_table_load(from, a.column[piece.column + j], width);
        s->points[k][j] = make_float4(p.x, p.y, p.z, 0.0f);
    }
    if (lane == 0)
        s->n[k] = n;
    return n;
}

/* The weights of N columns of K tables, `step` apart. All loads are issued before the first weight is needed. */
template <int K, int ROWS, int N> struct tri_weights {
    float w[K][N];

    __device__ __forceinline__ tri_weights(const float *from, int64_t step)
    {
#pragma unroll
        for (int k = 0; k < K; k++)
#pragma unroll
            for (int j = 0; j < N; j++)
                w[k][j] = __ldg(from + k * step + j * ROWS);
    }

    /* Adds the products of M columns from FIRST on. */
    template <int FIRST, int M> __device__ __forceinline__ void add(const float4 *p, sdd_vec3 (&part)[K]) const
    {
#pragma unroll
        for (int j = FIRST; j < FIRST + M; j++) {
            const float4 at = p[j];
#pragma unroll
            for (int k = 0; k < K; k++)
                part[k] = sdd_fma(w[k][j], sdd_vec3_of(at.x, at.y, at.z), part[k]);
        }
    }
};

template <int K> static __device__ __forceinline__ void tri_add(sdd_vec3 (&sum)[K], sdd_vec3 (&part)[K])
{
#pragma unroll
    for (int k = 0; k < K; k++) {
        sum[k] = sdd_add(sum[k], part[k]);
        part[k] = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    }
}

/* Sums n columns as sdd_tri_sum does: those of a regular piece at once, then TRI_MORE at a time. Some of the latter may
 * be zeros, with which weights beyond the table are read (table_tri_pieces.h). */
template <int K, int ROWS>
static __device__ __forceinline__ void tri_sums(const float *w, int64_t step, const float4 *p, int n,
                                                sdd_vec3 (&sum)[K])
{
    sdd_vec3 part[K];
#pragma unroll
    for (int k = 0; k < K; k++)
        sum[k] = part[k] = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    const tri_weights<K, ROWS, SDD_TRI_REGULAR> most(w, step);
    most.template add<0, SDD_TABLE_TERMS>(p, part);
    tri_add<K>(sum, part);
    most.template add<SDD_TABLE_TERMS, SDD_TRI_REGULAR - SDD_TABLE_TERMS>(p, part);
#pragma unroll 1
    for (int j = SDD_TRI_REGULAR; j < n; j += TRI_MORE) {
        const tri_weights<K, ROWS, TRI_MORE> more(w + j * ROWS, step);
        if (j % SDD_TABLE_TERMS == 0)
            tri_add<K>(sum, part);
        more.template add<0, TRI_MORE>(p + j, part);
    }
    tri_add<K>(sum, part);
}

/* How rows are stored. Rows without gaps go through shared memory, word by word. */
struct tri_out {
    float *to;
    const sdd_rows_as &as;
    sdd_width width;

    __device__ __forceinline__ bool dense() const
    {
        return as.format == SDD_ROWS_F32 && width.n == 3 && width.stride == 3;
    }

    __device__ __forceinline__ static void stage(sdd_vec3 p, float *row)
    {
        row[0] = p.x, row[1] = p.y, row[2] = p.z;
    }

    /* Stores n rows from `first` on, with the lanes of WARPS warps. */
    template <int WARPS> __device__ __forceinline__ void put_run(uint32_t first, int n, const float *rows) const
    {
        const int thread = (int)threadIdx.x % (32 * WARPS);
        float *at = to + 3 * (size_t)first;
#pragma unroll 4
        for (int i = thread; i < 3 * n; i += 32 * WARPS)
            at[i] = rows[i];
    }

    /* Stores row `row` of each lane, or none where it is SDD_NONE. Most rows follow each other. */
    __device__ __forceinline__ void put(uint32_t row, sdd_vec3 p, float *rows) const
    {
        if (!dense()) {
            if (row != SDD_NONE)
                sdd_row_out(to, &as, row, width, p);
            return;
        }
        stage(p, rows + 3 * tri_lane());
        __syncwarp();
#pragma unroll
        for (int i = tri_lane(); i < 3 * 32; i += 32) {
            const uint32_t own = __shfl_sync(~0u, row, i / 3);
            if (own != SDD_NONE)
                to[3 * (size_t)own + i % 3] = rows[i];
        }
        __syncwarp();
    }
};

/* Makes the points inside a triangle, whose rows begin at `first`, 32 at a time. kind.make makes a point from a piece
 * and a row of its table. */
template <int LEVEL, class KIND>
static __device__ __forceinline__ void tri_inside(uint32_t first, const KIND &kind, const tri_out &out,
                                                  const tri_made &made, const tri_location *location, float *rows,
                                                  float *line)
{
    using T = tri_shared<LEVEL>;
    constexpr int all = 32 * T::warps;
    const bool staged = T::staged && out.dense();
    int i = 32 * ((int)threadIdx.x / 32 % T::warps);
    tri_location next = location[min(i + tri_lane(), T::inside - 1)];
#pragma unroll 1
    for (; i < T::inside; i += all) {
        const bool is = i + tri_lane() < T::inside;
        const tri_location at = next;
        next = location[min(i + all + tri_lane(), T::inside - 1)];
        const sdd_vec3 p = kind.template make<LEVEL>(made, at.piece(), at.row());
        if (!staged)
            out.put(is ? first + at.inside() : SDD_NONE, p, line);
        else if (is)
            tri_out::stage(p, rows + 3 * at.inside());
    }
}

/* Makes the points along the edges of a triangle, 32 at a time. */
template <int LEVEL, class KIND>
static __device__ __forceinline__ void tri_edges(const KIND &kind, const tri_out &out, const tri_made &made,
                                                 const tri_location *location, float *line)
{
    using T = tri_shared<LEVEL>;
#pragma unroll 1
    for (int at = 32 * ((int)threadIdx.x / 32 % T::warps); at < T::edges; at += 32 * T::warps) {
        const int i = min(at + tri_lane(), T::edges - 1), k = (i >= T::along) + (i >= 2 * T::along);
        const int t = i - k * T::along;
        const uint32_t row = at + tri_lane() == i && made.line[k] != SDD_NONE ? made.line[k] + t : SDD_NONE;
        if (!__any_sync(~0u, row != SDD_NONE))
            continue;
        const tri_location p = location[made.down[k] ? (k + 1) * T::along - 1 - t : i];
        out.put(row, kind.template make<LEVEL>(made, p.piece(), p.row()), line);
    }
}

template <int LEVEL, class KIND>
static __device__ __forceinline__ void tri_block(const sdd_tri_pieces &a, const KIND &kind, uint32_t block,
                                                 const tri_out &out, tri_shared<LEVEL> *s)
{
    using T = tri_shared<LEVEL>;
    const int warp = (int)threadIdx.x / 32, triangle = warp / T::warps;
    const uint32_t f = block * T::triangles + triangle;
    const uint32_t first = a.mesh.n_vertices + a.mesh.n_edges * T::along + f * T::inside;
    const tri_location *location = (const tri_location *)a.location;
    tri_made *made = s->made + triangle;
    float *rows = s->rows[triangle], *line = s->line[warp];
    overlap_begin();
    if (f < a.mesh.n_faces) {
        if (warp % T::warps == 0)
            tri_lines<LEVEL>(a.mesh, f, made);
        kind.template see<LEVEL>(f, made);
    }
    T::sync();
    if (f < a.mesh.n_faces)
        tri_inside<LEVEL>(first, kind, out, *made, location, rows, line);
    T::sync();
    if (f >= a.mesh.n_faces)
        return;
    if (T::staged && out.dense())
        out.template put_run<T::warps>(first, T::inside, rows);
    tri_edges<LEVEL>(kind, out, *made, location + T::inside, line);
}

/* Makes an item of sdd_tri_items, for levels from KIND::least on. A block does it. */
template <class KIND>
static __device__ __forceinline__ void tri_all(const sdd_tri_pieces &a, const KIND &kind, const tri_out &out)
{
    __shared__ union {
        tri_shared<3> s3;
        tri_shared<4> s4;
        tri_shared<5> s5;
        tri_shared<6> s6;
    } s;
    const uint32_t alone = (uint32_t)sdd_tri_vertex_items(&a), block = blockIdx.x - alone;
    if (blockIdx.x < alone) {
        const uint32_t v = blockIdx.x * SDD_TRI_ITEM + threadIdx.x;
        overlap_begin();
        if (v < a.mesh.n_vertices)
            kind.one(v);
        return;
    }
    if (a.level > 5)
        tri_block(a, kind, block, out, &s.s6);
    else if (KIND::least == 5 || a.level == 5)
        tri_block(a, kind, block, out, &s.s5);
    else if constexpr (KIND::least < 5) {
        if (a.level == 4)
            tri_block(a, kind, block, out, &s.s4);
        else
            tri_block(a, kind, block, out, &s.s3);
    }
}

/* Makes `each` of n rows, one by one. A block does it. */
template <class KIND> static __device__ __forceinline__ void tri_rows(const KIND &kind, int64_t n, int32_t each)
{
    const int64_t low = (int64_t)blockIdx.x * each, end = low + each < n ? low + each : n;
    overlap_begin();
    for (int64_t i = low + threadIdx.x; i < end; i += SDD_TRI_ITEM)
        kind.one(i);
}
#endif
