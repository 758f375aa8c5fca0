/* SPDX-License-Identifier: Apache-2.0 */
/* body_launches.cuh: macros that make a __global__ function and its record from a kernel's portable body, with a thread
 * for each item or a block for each tile. */
#ifndef SDD_BODY_LAUNCHES_CUH
#define SDD_BODY_LAUNCHES_CUH
#include "gpu/device/cuda/kernels_cuda.h"
#include "gpu/device/cuda/overlap.cuh"

enum { item_threads = 256 };

#define ITEM_LAUNCH(name, body, function, record)                                                                      \
    static __global__ void __launch_bounds__(item_threads)                                                             \
        function(const int64_t n, const __grid_constant__ name##_args a)                                               \
    {                                                                                                                  \
        const int64_t i = (int64_t)blockIdx.x * item_threads + threadIdx.x;                                            \
        overlap_begin();                                                                                               \
        if (i < n)                                                                                                     \
            body(i, &a);                                                                                               \
    }                                                                                                                  \
    const struct sdd_kernel_launch record = {(const void *)function, sizeof(struct name##_args), item_threads,         \
                                             item_threads};
#define TILE_LAUNCH(name, body, n_threads, function, record)                                                           \
    static __global__ void __launch_bounds__(n_threads)                                                                \
        function(const int64_t n, const __grid_constant__ name##_args a)                                               \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        overlap_begin();                                                                                               \
        body((int64_t)blockIdx.x, &a);                                                                                 \
    }                                                                                                                  \
    const struct sdd_kernel_launch record = {(const void *)function, sizeof(struct name##_args), n_threads, 1};
#endif
