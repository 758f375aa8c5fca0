/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_normals_16.cuh: table_points_normals.cuh in 16 bits a number. */
#ifndef SDD_TABLE_FRAME_16_CUH
#define SDD_TABLE_FRAME_16_CUH
#include "gpu/engines/tabulated/cuda/table_points_normals.cuh"
#include "gpu/engines/tabulated/kernels/table_points_normals_16.k.h"

enum { table_points_normals_16_threads = table_points_normals_threads };

static __global__ void __launch_bounds__(table_points_normals_16_threads, 3)
    g_table_points_normals_16(const int64_t n, const __grid_constant__ table_points_normals_16_args a)
{
    __shared__ table_shared s;
    __shared__ table_bases bases;
    (void)n;
    table_points_normals_block<table_unorm16, table_oct16>(a.base, bases, &s);
}
#endif
