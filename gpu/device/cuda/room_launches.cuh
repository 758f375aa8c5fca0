/* SPDX-License-Identifier: Apache-2.0 */
/* room_launches.cuh: ends the unit that list-kernels makes for a room: every kernel of the room as a __global__
 * function with a record for the module's table. A kernel of tiles brings its own function, g_NAME, and the number of
 * threads of its blocks, NAME_threads. SDD_ROOM_KERNELS names the room's list of kernels. */
#include "gpu/device/cuda/kernels_cuda.h"
#include "gpu/device/cuda/overlap.cuh"

enum { item_threads = 256 };

#define SDD_KERNEL(name)                                                                                               \
    static __global__ void __launch_bounds__(item_threads)                                                             \
        g_##name(const int64_t n, const __grid_constant__ name##_args a)                                               \
    {                                                                                                                  \
        const int64_t i = (int64_t)blockIdx.x * item_threads + threadIdx.x;                                            \
        overlap_begin();                                                                                               \
        if (i < n)                                                                                                     \
            k_##name(i, &a);                                                                                           \
    }                                                                                                                  \
    const struct sdd_kernel_launch sdd_launch_##name = {(const void *)g_##name, sizeof(struct name##_args),            \
                                                        item_threads, item_threads};
#define SDD_TILES(name)                                                                                                \
    const struct sdd_kernel_launch sdd_launch_##name = {(const void *)g_##name, sizeof(struct name##_args),            \
                                                        name##_threads, 1};
#include SDD_ROOM_KERNELS
