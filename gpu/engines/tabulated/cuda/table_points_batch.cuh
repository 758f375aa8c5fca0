/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_batch.cuh: the tuned form of the batch of table_points, which runs table_points.cuh for one mesh after
 * the other. It wins for the same reasons, and because one launch serves all meshes. */
#ifndef SDD_TABLE_POINTS_BATCH_CUH
#define SDD_TABLE_POINTS_BATCH_CUH
#include "gpu/engines/tabulated/cuda/table_points.cuh"
#include "gpu/engines/tabulated/kernels/table_points_batch.k.h"

enum { table_points_batch_threads = table_points_threads };

static __global__ void __launch_bounds__(table_points_batch_threads, table_points_blocks)
    g_table_points_batch(const int64_t n, const __grid_constant__ table_points_batch_args a)
{
    __shared__ table_shared s;
    __shared__ table_bases bases;
    const unsigned ahead = (unsigned)sdd_table_first_items(&a.of, a.rows.n);
    const unsigned blocks = (gridDim.x - ahead) / (unsigned)a.rows.n;
    (void)n;
    if (blockIdx.x < ahead) {
        const unsigned items = ahead / (unsigned)a.rows.n, k = blockIdx.x / items;
        table_make_first_pass(a.of, sdd_table_points_of(&a, k), blockIdx.x - k * items, sdd_xyz());
    } else {
        const unsigned k = (blockIdx.x - ahead) / blocks;
        const table_points_args one = sdd_table_points_of(&a, k); /* In registers, since few weights are used. */
        table_item<3, table_dense_batch>(one, a.of.weights, bases, &s, blockIdx.x - ahead - k * blocks);
    }
}
#endif
