/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_unorm16.cuh: table_points.cuh in 16 bits a number. */
#ifndef SDD_TABLE_POINTS_UNORM16_CUH
#define SDD_TABLE_POINTS_UNORM16_CUH
#include "gpu/engines/tabulated/cuda/table_points.cuh"
#include "gpu/engines/tabulated/kernels/table_points_unorm16.k.h"

enum { table_points_unorm16_threads = table_points_threads };

static __global__ void __launch_bounds__(table_points_unorm16_threads, 4)
    g_table_points_unorm16(const int64_t n, const __grid_constant__ table_points_unorm16_args a)
{
    __shared__ table_shared s;
    __shared__ table_bases bases;
    (void)n;
    if (!table_fused_first_pass(a.base, sdd_xyz()))
        table_block<3, table_unorm16>(a.base, bases, &s);
}
#endif
