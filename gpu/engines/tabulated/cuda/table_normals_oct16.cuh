/* SPDX-License-Identifier: Apache-2.0 */
/* table_normals_oct16.cuh: table_normals.cuh in 16 bits a number. */
#ifndef SDD_TABLE_NORMALS_OCT16_CUH
#define SDD_TABLE_NORMALS_OCT16_CUH
#include "gpu/engines/tabulated/cuda/table_normals.cuh"
#include "gpu/engines/tabulated/kernels/table_normals_oct16.k.h"

enum { table_normals_oct16_threads = table_normals_threads };

static __global__ void __launch_bounds__(table_normals_oct16_threads, 3)
    g_table_normals_oct16(const int64_t n, const __grid_constant__ table_normals_oct16_args a)
{
    __shared__ table_shared s;
    (void)n;
    table_normals_block<table_oct16>(a.base, &s, blockIdx.x);
}
#endif
