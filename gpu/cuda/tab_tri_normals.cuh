/* SPDX-License-Identifier: Apache-2.0 */
/* tab_tri_normals.cuh: kernels/tab_tri_normals.h for a block an item. The bits are those of the portable form. */
#ifndef SDD_TAB_TRI_NORMALS_CUH
#define SDD_TAB_TRI_NORMALS_CUH
#include "gpu/cuda/tab_tri.cuh"

enum { tab_tri_normals_threads = SDD_TRI_ITEM };

struct tri_normals_kind {
    const tab_tri_normals_args &a;

    __device__ __forceinline__ void one(int64_t i) const
    {
        sdd_tri_put_normal(&a, i);
    }

    /* Columns as seen from the pieces' first ones, and scaled. */
    __device__ __forceinline__ void see(uint32_t f, tri_warp *s) const
    {
        tri_load(a.pieces, f, a.from, sdd_xyz(), s);
#pragma unroll
        for (int k = tri_lane() / 16; k < 4; k += 2) {
            const float4 from = s->points[k][0];
            float most = 0.0f;
            __syncwarp();
            for (int j = tri_lane() % 16; j < s->n[k]; j += 16) {
                const float4 p = s->points[k][j];
                const sdd_vec3 way = sdd_sub(sdd_vec3_of(p.x, p.y, p.z), sdd_vec3_of(from.x, from.y, from.z));
                s->points[k][j] = make_float4(way.x, way.y, way.z, 0.0f);
                most = sdd_tab_most(way, most);
            }
            __syncwarp();
#pragma unroll
            for (int step = 8; step > 0; step /= 2) {
                const float other = __shfl_xor_sync(~0u, most, step);
                most = most > other ? most : other;
            }
            const float scale = sdd_tab_scale(most);
            for (int j = tri_lane() % 16; j < s->n[k]; j += 16) {
                const float4 p = s->points[k][j];
                const sdd_vec3 way = sdd_scale(scale, sdd_vec3_of(p.x, p.y, p.z));
                s->points[k][j] = make_float4(way.x, way.y, way.z, 0.0f);
            }
        }
        if (tri_lane() < 4) {
            const sdd_tri_away &away = a.away[a.pieces.piece[4 * f + tri_lane()].class_of];
            s->table[tri_lane()] = away.table;
            s->pairs[tri_lane()] = away.pairs;
        }
        __syncwarp();
    }

    __device__ __forceinline__ sdd_vec3 make(const tri_warp &s, int piece, int row) const
    {
        const int rows = sdd_tri_table_rows(1 << (a.pieces.level - 1)), n = s.n[piece];
        const float *w = a.pieces.table + s.table[piece] * rows + row;
        const int64_t step = (int64_t)n * rows;
        sdd_vec3 t[2], way;
        tri_sums<2>(w, step, rows, s.points[piece], n, t);
        way = sdd_tab_cross(t[0], t[1]);
        if (s.pairs[piece] > 1) {
            tri_sums<2>(w + 2 * step, step, rows, s.points[piece], n, t);
            way = sdd_add(way, sdd_tab_cross(t[0], t[1]));
        }
        return a.as.format == SDD_ROWS_F32 ? sdd_tab_unit(way) : sdd_tab_way(way);
    }

    __device__ __forceinline__ void put(uint32_t row, sdd_vec3 p, float *rows) const
    {
        tri_put(a.to, a.as, sdd_xyz(), row, p, rows);
    }
};

static __global__ void __launch_bounds__(tab_tri_normals_threads)
    g_tab_tri_normals(const int64_t n, const __grid_constant__ tab_tri_normals_args a)
{
    __shared__ tri_shared s;
    const tri_normals_kind kind = {a};
    (void)n;
    if (a.by_triangles)
        tri_block(a.pieces, kind, &s);
    else
        tri_rows(kind, a.n, a.each);
}
#endif
