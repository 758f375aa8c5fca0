/* SPDX-License-Identifier: Apache-2.0 */
/* table_fused_first_pass.cuh: the first step in the same launch as the points that need it. The first blocks make rows
 * of level 1, and those after them wait for these rows, which saves a launch. All GPUs start blocks in the order of
 * their numbers and CUB's scans rely on it, though CUDA does not promise it. A block that waits too long ends the
 * launch, and the device counts as lost. */
#ifndef SDD_TABLE_FUSED_FIRST_PASS_CUH
#define SDD_TABLE_FUSED_FIRST_PASS_CUH
#include "gpu/device/cuda/overlap.cuh"
#include "gpu/engines/tabulated/kernels/table_first.tile.h"
#include "gpu/engines/tabulated/kernels/table_points.k.h"
#include <cuda/atomic>

#define TABLE_TERMS 12         /* The most terms of a vertex of up to five quads, and of its edges. */
#define TABLE_SOME 4           /* The terms loaded at a time, which suffice for the face point of a quad. */
#define TABLE_POLL_NS 40       /* The nanoseconds between two polls. */
#define TABLE_POLLS (1u << 27) /* The most polls, which take minutes. */

static_assert(table_first_threads == SDD_TABLE_THREADS, "an item of the first step is a block");

using table_count = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

/* Makes a thread wait for the rows of level 1 of its own launch. An acquiring load invalidates the cache of the SM, so
 * the thread polls with plain loads until the rows are there. */
static __device__ __forceinline__ void table_poll_first_pass(const table_points_args &a)
{
    const table_count made(*a.made);
    uint32_t polls = 0;
    if (made.load(cuda::memory_order_acquire) == a.due)
        return;
    for (; made.load(cuda::memory_order_relaxed) != a.due; __nanosleep(TABLE_POLL_NS))
        if (++polls == TABLE_POLLS)
            __trap();
    (void)made.load(cuda::memory_order_acquire);
}

/* Makes all threads of a block wait for the rows of level 1, from this launch or the one before. One of them polls. */
static __device__ __forceinline__ void table_wait_first_pass(const table_points_args &a)
{
    overlap_wait();
    if (a.first.n_rows == 0)
        return;
    if (threadIdx.x == 0)
        table_poll_first_pass(a);
    __syncthreads();
}

/* Makes an item of the rows of one mesh, as sdd_table_first_rows does. Here a launch has few blocks, so the loads of
 * all terms of most rows are in flight at once; a warp votes on how many terms it loads, since most need few. That
 * makes a frame of 187,000 vertices 6 to 11 % faster. In a launch of its own, with many blocks, it takes 1.5 times as
 * long. */
static __device__ __forceinline__ void table_first_rows(const sdd_first_step &a, uint32_t item, const float *from,
                                                        sdd_width width, float *to)
{
    const uint32_t i = SDD_TABLE_FIRST * item + threadIdx.x / 4;
    const int k = threadIdx.x % 4, wide = sdd_table_width(width.n).stride;
    if (i >= a.n_rows || k >= wide)
        return;
    const int end = k < width.n ? a.end[i] : 0;
    const uint32_t row = sdd_step_row(&a, i);
    double sum = 0.0;
    for (int at = sdd_row_first(a.end, i); at < end; at += TABLE_TERMS) {
        sdd_term t[TABLE_TERMS];
        float p[TABLE_TERMS];
        const unsigned now = __activemask();
#pragma unroll
        for (int some = 0; some < TABLE_TERMS && __any_sync(now, at + some < end); some += TABLE_SOME)
#pragma unroll
            for (int j = some; j < some + TABLE_SOME; j++)
                if (at + j < end)
                    t[j] = a.term[at + j];
#pragma unroll
        for (int some = 0; some < TABLE_TERMS && __any_sync(now, at + some < end); some += TABLE_SOME)
#pragma unroll
            for (int j = some; j < some + TABLE_SOME; j++)
                if (at + j < end)
                    p[j] = from[(size_t)width.stride * t[j].column + k];
#pragma unroll
        for (int some = 0; some < TABLE_TERMS && __any_sync(now, at + some < end); some += TABLE_SOME)
#pragma unroll
            for (int j = some; j < some + TABLE_SOME; j++)
                if (at + j < end)
                    sum = fma((double)t[j].weight, (double)p[j], sum);
    }
    to[(size_t)wide * row + k] = (float)sum;
}

/* Makes an item of the first step of a mesh of the launch. All threads of a block call it. */
static __device__ __forceinline__ void table_make_first_pass(const table_points_args &a, const table_points_args &mesh,
                                                             uint32_t item, sdd_width width)
{
    overlap_wait();
    table_first_rows(a.first, item, mesh.control, width, const_cast<float *>(mesh.from));
    __syncthreads();
    if (threadIdx.x == 0)
        table_count(*a.made).fetch_add(1, cuda::memory_order_release);
}

/* Makes the rows of one mesh, with control rows of `width`, when this is a block of the first step. Else returns
 * false. */
static __device__ __forceinline__ bool table_fused_first_pass(const table_points_args &a, sdd_width width)
{
    if (blockIdx.x >= sdd_table_first_items(&a, 1))
        return false;
    table_make_first_pass(a, a, blockIdx.x, width);
    return true;
}
#endif
