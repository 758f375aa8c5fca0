/* SPDX-License-Identifier: Apache-2.0 */
/* tab_tri_rows.cuh: kernels/tab_tri_rows.h for a block an item. The bits are those of the portable form. */
#ifndef SDD_TAB_TRI_ROWS_CUH
#define SDD_TAB_TRI_ROWS_CUH
#include "gpu/cuda/tab_tri.cuh"

enum { tab_tri_rows_threads = SDD_TRI_ITEM };

struct tri_rows_kind {
    const tab_tri_rows_args &a;

    __device__ __forceinline__ void one(int64_t i) const
    {
        sdd_tri_put_row(&a, i);
    }

    __device__ __forceinline__ void see(uint32_t f, tri_warp *s) const
    {
        tri_load(a.pieces, f, a.from, a.width, s);
    }

    __device__ __forceinline__ sdd_vec3 make(const tri_warp &s, int piece, int row) const
    {
        const int rows = sdd_tri_table_rows(1 << (a.pieces.level - 1));
        sdd_vec3 sum[1];
        tri_sums<1>(a.pieces.table + s.table[piece] * rows + row, 0, rows, s.points[piece], s.n[piece], sum);
        return sum[0];
    }

    __device__ __forceinline__ void put(uint32_t row, sdd_vec3 p, float *rows) const
    {
        tri_put(a.to, a.as, a.width, row, p, rows);
    }
};

static __global__ void __launch_bounds__(tab_tri_rows_threads)
    g_tab_tri_rows(const int64_t n, const __grid_constant__ tab_tri_rows_args a)
{
    __shared__ tri_shared s;
    const tri_rows_kind kind = {a};
    (void)n;
    if (a.by_triangles)
        tri_block(a.pieces, kind, &s);
    else
        tri_rows(kind, a.n, a.each);
}
#endif
