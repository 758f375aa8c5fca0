/* SPDX-License-Identifier: Apache-2.0 */
/* table_fused_first_pass.cuh: the first step in the launch of what needs it: the first blocks make rows of level 1, and those after
 * them wait for these rows. That blocks begin in the order of their numbers is what all GPUs do, and what CUB's scans
 * rest on, though CUDA does not promise it: who waits too long ends the launch, and the device counts as lost. */
#ifndef SDD_TABLE_AHEAD_CUH
#define SDD_TABLE_AHEAD_CUH
#include "gpu/engines/tabulated/cuda/table_first.cuh"
#include "gpu/engines/tabulated/kernels/table_points.k.h"
#include <cuda/atomic>

#define TABLE_LOOK_NS 40       /* between two looks, .. */
#define TABLE_LOOKS (1u << 27) /* .. of which so many take minutes */

static_assert(table_first_threads == SDD_TABLE_THREADS, "an item of the first step is a block");

using table_count = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

/* A thread waits for the rows of level 1 of its own launch. What acquires empties the SM's cache, so that one looks
 * without until they are there. */
static __device__ __forceinline__ void table_look_first_pass(const table_points_args &a)
{
    const table_count made(*a.made);
    uint32_t looks = 0;
    if (made.load(cuda::memory_order_acquire) == a.due)
        return;
    for (; made.load(cuda::memory_order_relaxed) != a.due; __nanosleep(TABLE_LOOK_NS))
        if (++looks == TABLE_LOOKS)
            __trap();
    (void)made.load(cuda::memory_order_acquire);
}

/* All threads of a block wait for rows of level 1, whatever makes them; one of them looks. */
static __device__ __forceinline__ void table_wait_first_pass(const table_points_args &a)
{
    overlap_wait();
    if (a.first.n_rows == 0)
        return;
    if (threadIdx.x == 0)
        table_look_first_pass(a);
    __syncthreads();
}

/* For all threads of a block: an item of the first step of a mesh of the launch. */
static __device__ __forceinline__ void table_make_first_pass(const table_points_args &a, const table_points_args &mesh,
                                                             uint32_t item, sdd_width width)
{
    overlap_wait();
    table_first_rows(a.first, item, mesh.control, width, const_cast<float *>(mesh.from));
    __syncthreads();
    if (threadIdx.x == 0)
        table_count(*a.made).fetch_add(1, cuda::memory_order_release);
}

/* Of one mesh: is this a block of the first step, whose control rows are of `width`? Then it has made them. */
static __device__ __forceinline__ bool table_fused_first_pass(const table_points_args &a, sdd_width width)
{
    if (blockIdx.x >= sdd_table_first_items(&a, 1))
        return false;
    table_make_first_pass(a, a, blockIdx.x, width);
    return true;
}
#endif
