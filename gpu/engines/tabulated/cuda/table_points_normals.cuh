/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_normals.cuh: points and normals in one launch, whose blocks alternate between table_points.cuh and
 * table_normals.cuh. It wins because points wait for memory where normals wait for arithmetic. */
#ifndef SDD_TABLE_POINTS_NORMALS_CUH
#define SDD_TABLE_POINTS_NORMALS_CUH
#include "gpu/engines/tabulated/cuda/table_normals.cuh"
#include "gpu/engines/tabulated/kernels/table_points_normals.k.h"

enum { table_points_normals_threads = table_points_threads, table_points_normals_blocks = 3 };

template <int POINTS, int NORMALS>
static __device__ __forceinline__ void table_points_normals_block(const table_points_normals_args &a,
                                                                  table_bases &bases, table_shared *s)
{
    const table_points_args &of = a.normals.rows.pieces;
    if (table_fused_first_pass(of, sdd_xyz()))
        return;
    const unsigned n = blockIdx.x - (unsigned)sdd_table_first_items(&of, 1);
    if (n % 2) {
        table_normals_block<NORMALS>(a.normals, s, n / 2);
    } else {
        const table_points_args points = sdd_table_frame_points(&a); /* In registers, as in table_points_batch.cuh. */
        table_item<3, POINTS, SDD_TABLE_LOG_NORMALS>(points, of.weights, bases, s, n / 2);
    }
}

static __global__ void __launch_bounds__(table_points_normals_threads, table_points_normals_blocks)
    g_table_points_normals(const int64_t n, const __grid_constant__ table_points_normals_args a)
{
    __shared__ table_shared s;
    __shared__ table_bases bases;
    (void)n;
    table_points_normals_block<table_dense, table_dense>(a, bases, &s);
}
#endif
