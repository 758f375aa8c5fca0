/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_uv.cuh: table_points.cuh for rows of two floats. */
#ifndef SDD_TABLE_POINTS_UV_CUH
#define SDD_TABLE_POINTS_UV_CUH
#include "gpu/engines/tabulated/cuda/table_points.cuh"
#include "gpu/engines/tabulated/kernels/table_points_uv.k.h"

enum { table_points_uv_threads = table_points_threads };

static __global__ void __launch_bounds__(table_points_uv_threads, 4)
    g_table_points_uv(const int64_t n, const __grid_constant__ table_points_uv_args a)
{
    __shared__ table_shared s;
    __shared__ table_bases bases;
    (void)n;
    if (table_fused_first_pass(a.base, sdd_uv()))
        return;
    if (a.base.as.format == SDD_ROWS_F16)
        table_block<2, table_f16>(a.base, bases, &s);
    else
        table_block<2, table_dense>(a.base, bases, &s);
}
#endif
