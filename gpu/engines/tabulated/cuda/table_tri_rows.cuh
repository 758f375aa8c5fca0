/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_rows.cuh: the tuned form of kernels/table_tri_rows.k.h, with a block for each item. It gives the bits of
 * the reference, and wins for the reasons that table_tri.cuh gives. */
#ifndef SDD_TABLE_TRI_ROWS_CUH
#define SDD_TABLE_TRI_ROWS_CUH
#include "gpu/engines/tabulated/cuda/table_tri.cuh"

enum { table_tri_rows_threads = SDD_TRI_ITEM };

struct tri_rows_kind {
    static constexpr int least = SDD_TRI_LEAST_OF_ROWS;
    const table_tri_rows_args &a;

    __device__ __forceinline__ void one(int64_t i) const
    {
        sdd_tri_put_row(&a, i);
    }

    template <int LEVEL> __device__ __forceinline__ void see(uint32_t f, tri_made *s) const
    {
        tri_halves<tri_shared<LEVEL>::warps>([&](int k, int lane) {
            const sdd_table_table &of = a.pieces.classes[a.pieces.piece[4 * f + k].class_of];
            tri_load(a.pieces, f, a.from, a.width.n, k, lane, s);
            if (lane == 0)
                s->table[k] = a.pieces.table + of.table * tri_shared<LEVEL>::table;
        });
    }

    template <int LEVEL> __device__ __forceinline__ sdd_vec3 make(const tri_made &s, int piece, int row) const
    {
        sdd_vec3 sum[1];
        tri_sums<1, tri_shared<LEVEL>::table>(s.table[piece] + row, 0, s.points[piece], s.n[piece], sum);
        return sum[0];
    }
};

static __global__ void __launch_bounds__(table_tri_rows_threads)
    g_table_tri_rows(const int64_t n, const __grid_constant__ table_tri_rows_args a)
{
    const tri_rows_kind kind = {a};
    (void)n;
    if (a.by_triangles)
        tri_all(a.pieces, kind, {a.to, a.as, a.width});
    else
        tri_rows(kind, a.n, a.each);
}
#endif
