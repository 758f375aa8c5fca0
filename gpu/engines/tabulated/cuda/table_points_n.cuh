/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_n.cuh: table_points.cuh for rows of other widths: a kernel of its own, as together they would take more
 * registers than there are. */
#ifndef SDD_TABLE_POINTS_N_CUH
#define SDD_TABLE_POINTS_N_CUH
#include "gpu/engines/tabulated/cuda/table_points.cuh"
#include "gpu/engines/tabulated/kernels/table_points_n.k.h"

enum { table_points_n_threads = table_points_threads };

static __global__ void __launch_bounds__(table_points_n_threads, 4)
    g_table_points_n(const int64_t n, const __grid_constant__ table_points_n_args a)
{
    __shared__ table_shared s;
    __shared__ table_bases bases;
    (void)n;
    if (table_fused_first_pass(a.base, a.base.width))
        return;
    if (a.base.width.n == 3)
        table_block<3, table_strided>(a.base, bases, &s);
    else if (a.base.width.n == 2)
        table_block<2, table_strided>(a.base, bases, &s);
    else
        table_block<1, table_strided>(a.base, bases, &s);
}
#endif
