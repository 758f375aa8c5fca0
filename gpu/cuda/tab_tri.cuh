/* SPDX-License-Identifier: Apache-2.0 */
/* tab_tri.cuh: all rows of a level of triangles, control triangle by control triangle, for tab_tri_rows.cuh and
 * tab_tri_normals.cuh. A warp has what the four pieces of a triangle are made of in shared memory, and makes the points
 * inside it, which follow each other, and those of the control edges that are its own; a lane a point. Rows of control
 * vertices, and those of ranges, are made one by one. */
#ifndef SDD_TAB_TRI_CUH
#define SDD_TAB_TRI_CUH
#include "gpu/cuda/overlap.cuh"
#include "gpu/kernels/tab_tri_normals.h"
#include "gpu/kernels/tab_tri_rows.h"

#define TRI_WARPS (SDD_TRI_ITEM / 32) /* of a block */
#define TRI_SIDE (2 * SDD_TAB_SIDE)   /* cells along a triangle, at most */
#define TRI_ALONG (TRI_SIDE - 1)
#define TRI_PLACES (TRI_ALONG * (TRI_ALONG - 1) / 2 + 3 * TRI_ALONG) /* points inside a triangle, and along its edges */

/* What a warp has of a triangle: of its pieces what points are made of, how many columns, and where their tables begin;
 * of its edges the first row, SDD_NONE where they are not its own, and do rows go the other way round? */
struct tri_warp {
    float4 points[4][SDD_TRI_COLUMNS];
    float rows[3 * 32];
    int64_t table[4];
    int n[4], pairs[4];
    uint32_t line[3], down[3];
};

/* place: of points inside a triangle as their rows follow each other, then of those along its edges, counterclockwise,
 * the row of the piece's table, and in the lowest two bits the piece. */
struct tri_shared {
    tri_warp warps[TRI_WARPS];
    uint16_t place[TRI_PLACES];
};

static __device__ __forceinline__ int tri_lane()
{
    return (int)threadIdx.x % 32;
}

/* By all warps of a block. */
static __device__ __forceinline__ void tri_places(int level, uint16_t *place)
{
    const int h = 1 << (level - 1), along = 2 * h - 1, inside = along * (along - 1) / 2;
    for (int y = (int)threadIdx.x / 32; y < along - 1; y += TRI_WARPS)
        for (int x = tri_lane(); x < along - 1 - y; x += 32) {
            const sdd_tri_at at = sdd_tri_at_point(0, h, x + 1, y + 1);
            place[y * (along - 1) - y * (y - 1) / 2 + x] = (uint16_t)(at.row << 2 | at.piece);
        }
    for (int i = (int)threadIdx.x; i < 3 * along; i += SDD_TRI_ITEM) {
        const sdd_tri_at at = sdd_tri_at_edge(i / along, h, i % along + 1);
        place[inside + i] = (uint16_t)(at.row << 2 | at.piece);
    }
}

/* Sums of a piece's columns with K tables, `step` apart, as sdd_tri_sum. */
template <int K>
static __device__ __forceinline__ void tri_sums(const float *w, int64_t step, int rows, const float4 *p, int n,
                                                sdd_vec3 (&sum)[K])
{
#pragma unroll
    for (int k = 0; k < K; k++)
        sum[k] = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += SDD_TAB_TERMS, w += SDD_TAB_TERMS * rows, p += SDD_TAB_TERMS) {
        sdd_vec3 part[K];
#pragma unroll
        for (int k = 0; k < K; k++)
            part[k] = sdd_vec3_of(0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int j = 0; j < SDD_TAB_TERMS; j++)
            if (first + j < n) {
                const float4 at = p[j];
#pragma unroll
                for (int k = 0; k < K; k++)
                    part[k] = sdd_fma(__ldg(w + k * step + j * rows), sdd_vec3_of(at.x, at.y, at.z), part[k]);
            }
#pragma unroll
        for (int k = 0; k < K; k++)
            sum[k] = sdd_add(sum[k], part[k]);
    }
}

/* Rows to where they belong, a lane one, SDD_NONE: none; dense ones word by word, as they follow each other. */
static __device__ __forceinline__ void tri_put(float *to, const sdd_rows_as &as, sdd_width width, uint32_t row,
                                               sdd_vec3 p, float *rows)
{
    const int lane = tri_lane();
    if (as.format == SDD_ROWS_F32 && width.n == 3 && width.stride == 3) {
        rows[3 * lane] = p.x;
        rows[3 * lane + 1] = p.y;
        rows[3 * lane + 2] = p.z;
        __syncwarp();
#pragma unroll
        for (int i = lane; i < 3 * 32; i += 32) {
            const uint32_t own = __shfl_sync(~0u, row, i / 3);
            if (own != SDD_NONE)
                to[3 * (size_t)own + i % 3] = rows[i];
        }
        __syncwarp();
    } else if (row != SDD_NONE) {
        sdd_row_out(to, &as, row, width, p);
    }
}

/* Of triangle f what a warp needs of its pieces and edges but points. */
static __device__ __forceinline__ void tri_begin(const sdd_tri_pieces &a, uint32_t f, tri_warp *s)
{
    const int k = tri_lane();
    if (k < 4) {
        const sdd_tab_table &of = a.classes[a.piece[4 * f + k].class_of];
        s->n[k] = of.n_columns;
        s->table[k] = of.table;
    }
    if (k < 3) {
        const sdd_control &m = a.mesh;
        const uint32_t c = 3 * f + k, e = m.edge[c], along = (1u << a.level) - 1;
        s->line[k] = m.edge_corner[e] == c ? m.n_vertices + e * along : SDD_NONE;
        s->down[k] = m.vert[c] > m.vert[sdd_next(&m.faces, c)];
    }
}

/* The points of its columns: a half of a warp has those of one piece at a time. */
static __device__ __forceinline__ void tri_load(const sdd_tri_pieces &a, uint32_t f, const float *from, sdd_width width,
                                                tri_warp *s)
{
#pragma unroll
    for (int k = tri_lane() / 16; k < 4; k += 2) {
        const sdd_tri_piece piece = a.piece[4 * f + k];
        const int n = a.classes[piece.class_of].n_columns;
        for (int j = tri_lane() % 16; j < n; j += 16) {
            const sdd_vec3 p = sdd_row_load(from, a.column[piece.column + j], width);
            s->points[k][j] = make_float4(p.x, p.y, p.z, 0.0f);
        }
    }
    __syncwarp();
}

/* The points of triangle f that are its own, of what is in shared memory: kind.make makes that of a row of a piece's
 * table, kind.put puts it. */
template <class KIND>
static __device__ __forceinline__ void tri_points(const sdd_tri_pieces &a, uint32_t f, const uint16_t *place,
                                                  const KIND &kind, tri_warp *s)
{
    const int lane = tri_lane(), along = (1 << a.level) - 1, inside = along * (along - 1) / 2;
    const uint32_t first = a.mesh.n_vertices + a.mesh.n_edges * along + f * inside;
    for (int at = 0; at < inside; at += 32) {
        const int i = at + lane, p = place[min(i, inside - 1)];
        kind.put(i < inside ? first + i : SDD_NONE, kind.make(*s, p & 3, p >> 2), s->rows);
    }
    for (int at = 0; at < 3 * along; at += 32) {
        const int i = min(at + lane, 3 * along - 1), k = (i >= along) + (i >= 2 * along), t = i - k * along;
        const uint32_t row = at + lane == i && s->line[k] != SDD_NONE ? s->line[k] + t : SDD_NONE;
        if (!__any_sync(~0u, row != SDD_NONE))
            continue;
        const int p = place[inside + (s->down[k] ? (k + 1) * along - 1 - t : i)];
        kind.put(row, kind.make(*s, p & 3, p >> 2), s->rows);
    }
}

/* A block of those of sdd_tri_items: rows of control vertices, or a triangle a warp. */
template <class KIND>
static __device__ __forceinline__ void tri_block(const sdd_tri_pieces &a, const KIND &kind, tri_shared *s)
{
    const uint32_t alone = (uint32_t)sdd_tri_vertex_items(&a);
    const uint32_t v = blockIdx.x * SDD_TRI_ITEM + threadIdx.x;
    const uint32_t f = (blockIdx.x - alone) * TRI_WARPS + threadIdx.x / 32;
    if (blockIdx.x >= alone)
        tri_places(a.level, s->place);
    overlap_begin();
    if (blockIdx.x < alone) {
        if (v < a.mesh.n_vertices)
            kind.one(v);
        return;
    }
    __syncthreads();
    if (f >= a.mesh.n_faces)
        return;
    tri_warp *own = s->warps + threadIdx.x / 32;
    tri_begin(a, f, own);
    kind.see(f, own);
    tri_points(a, f, s->place, kind, own);
}

/* Rows one by one. */
template <class KIND>
static __device__ __forceinline__ void tri_rows(const KIND &kind, int64_t n, int32_t each)
{
    const int64_t low = (int64_t)blockIdx.x * each, end = low + each < n ? low + each : n;
    overlap_begin();
    for (int64_t i = low + threadIdx.x; i < end; i += SDD_TRI_ITEM)
        kind.one(i);
}
#endif
