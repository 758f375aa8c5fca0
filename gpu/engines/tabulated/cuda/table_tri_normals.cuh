/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_normals.cuh: the tuned form of kernels/table_tri_normals.k.h, with a block for each item. It gives the bits
 * of the reference, and wins for the reasons that table_tri.cuh gives. */
#ifndef SDD_TABLE_TRI_NORMALS_CUH
#define SDD_TABLE_TRI_NORMALS_CUH
#include "gpu/engines/tabulated/cuda/table_tri.cuh"

enum { table_tri_normals_threads = SDD_TRI_ITEM };

struct tri_normals_kind {
    static constexpr int least = SDD_TRI_LEAST_OF_NORMALS;
    const table_tri_normals_args &a;

    __device__ __forceinline__ void one(int64_t i) const
    {
        sdd_tri_put_normal(&a, i);
    }

    /* Replaces the points of piece k by their scaled differences from its first column. Half a warp does it. */
    template <int LEVEL> __device__ __forceinline__ void see_piece(uint32_t f, int k, int lane, tri_made *s) const
    {
        const unsigned half = 0xffffu << (tri_lane() & 16);
        const sdd_tri_away &away = a.away[a.pieces.piece[4 * f + k].class_of];
        float4 *p = s->points[k];
        float most = 0.0f;
        const int n = tri_load(a.pieces, f, a.from, 3, k, lane, s);
        __syncwarp(half);
        const sdd_vec3 from = sdd_vec3_of(p[0].x, p[0].y, p[0].z);
        for (int j = lane; j < n; j += 16)
            most = sdd_table_most(sdd_sub(sdd_vec3_of(p[j].x, p[j].y, p[j].z), from), most);
        __syncwarp(half);
#pragma unroll
        for (int step = 8; step > 0; step /= 2) {
            const float other = __shfl_xor_sync(half, most, step);
            most = most > other ? most : other;
        }
        for (int j = lane; j < n; j += 16) {
            const sdd_vec3 way = sdd_sub(sdd_vec3_of(p[j].x, p[j].y, p[j].z), from);
            const sdd_vec3 seen = sdd_scale(sdd_table_scale(most), way);
            p[j] = make_float4(seen.x, seen.y, seen.z, 0.0f);
        }
        if (lane == 0) {
            s->table[k] = a.pieces.table + away.table * tri_shared<LEVEL>::table;
            s->pairs[k] = away.pairs;
        }
    }

    template <int LEVEL> __device__ __forceinline__ void see(uint32_t f, tri_made *s) const
    {
        tri_halves<tri_shared<LEVEL>::warps>([&](int k, int lane) { see_piece<LEVEL>(f, k, lane, s); });
    }

    template <int LEVEL> __device__ __forceinline__ sdd_vec3 make(const tri_made &s, int piece, int row) const
    {
        constexpr int table = tri_shared<LEVEL>::table;
        const int n = s.n[piece];
        const float *w = s.table[piece] + row;
        const int64_t step = (int64_t)n * table;
        sdd_vec3 t[2];
        tri_sums<2, table>(w, step, s.points[piece], n, t);
        sdd_vec3 way = sdd_table_cross(t[0], t[1]);
        if (s.pairs[piece] > 1) {
            tri_sums<2, table>(w + 2 * step, step, s.points[piece], n, t);
            way = sdd_add(way, sdd_table_cross(t[0], t[1]));
        }
        return a.as.format == SDD_ROWS_F32 ? sdd_table_unit(way) : sdd_table_way(way);
    }
};

static __global__ void __launch_bounds__(table_tri_normals_threads, 3)
    g_table_tri_normals(const int64_t n, const __grid_constant__ table_tri_normals_args a)
{
    const tri_normals_kind kind = {a};
    (void)n;
    if (a.by_triangles)
        tri_all(a.pieces, kind, {a.to, a.as, sdd_xyz()});
    else
        tri_rows(kind, a.n, a.each);
}
#endif
