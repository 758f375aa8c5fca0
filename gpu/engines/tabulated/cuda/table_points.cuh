/* SPDX-License-Identifier: Apache-2.0 */
/* table_points.cuh: the tuned form of kernels/table_points.k.h, with a block for each item. It gives the bits of the
 * reference. It wins because each warp keeps what its points share in shared memory and stores runs of rows
 * (table_bicubic.cuh, table_others.cuh). */
#ifndef SDD_TABLE_POINTS_CUH
#define SDD_TABLE_POINTS_CUH
#include "gpu/engines/tabulated/cuda/table_others.cuh"

union table_shared {
    table_warp warps[TABLE_WARPS];
    table_run runs[TABLE_WARPS];
};

/* The work of a block after the first step: item i of the other pieces, or group i of bicubic pieces. */
struct table_block_item {
    int64_t i;
    bool other;
};

/* Returns the work of the nth block of a mesh. */
template <int LOG_EACH>
static __device__ __forceinline__ table_block_item table_block_item_of(const table_points_args &a, unsigned n)
{
    const unsigned others = (unsigned)sdd_table_other_items(&a, LOG_EACH), item = a.order ? __ldg(a.order + n) : n;
    return {item < others ? item : item - others, item < others};
}

/* Makes the work of a block. `weights` are those of `a`, in memory that an index computed at run time can address.
 * LOG_EACH is a.log_each. */
template <int N, int FORM, int LOG_EACH = SDD_TABLE_LOG_POINTS>
static __device__ __forceinline__ void table_item(const table_points_args &a, const sdd_table_weights &weights,
                                                  table_bases &bases, table_shared *s, unsigned n)
{
    const table_block_item order = table_block_item_of<LOG_EACH>(a, n);
    if (order.other)
        table_others<N, FORM, LOG_EACH>(a, order.i, s->runs);
    else
        table_pieces<N, FORM>(a, weights, order.i, bases, s->warps);
    overlap_wait(); /* The launch before must not outlast this one. */
}

/* Makes the block's work for a launch of one mesh. */
template <int N, int FORM>
static __device__ __forceinline__ void table_block(const table_points_args &a, table_bases &bases, table_shared *s)
{
    table_item<N, FORM>(a, a.weights, bases, s, blockIdx.x - (unsigned)sdd_table_first_items(&a, 1));
}

enum { table_points_blocks = 4 }; /* The least blocks on an SM. */

static __global__ void __launch_bounds__(table_points_threads, table_points_blocks)
    g_table_points(const int64_t n, const __grid_constant__ table_points_args a)
{
    __shared__ table_shared s;
    __shared__ table_bases bases;
    (void)n;
    if (!table_fused_first_pass(a, sdd_xyz()))
        table_block<3, table_dense>(a, bases, &s);
}
#endif
