/* SPDX-License-Identifier: Apache-2.0 */
/* row_items.cuh: kernels whose items are runs of rows, for a block an item: a thread a row. The bits are those of the
 * portable forms. */
#ifndef SDD_ROW_ITEMS_CUH
#define SDD_ROW_ITEMS_CUH
#include "gpu/device/cuda/overlap.cuh"

enum { row_items_threads = 128 };

/* Kernel `name`, `each` of whose rows are an item; PUT makes row i of args a. */
#define SDD_ROW_ITEMS(name, EACH, PUT)                                                                                 \
    enum { name##_threads = row_items_threads };                                                                       \
    static __global__ void __launch_bounds__(row_items_threads)                                                        \
        g_##name(const int64_t n, const __grid_constant__ name##_args a)                                               \
    {                                                                                                                  \
        const int64_t low = (int64_t)blockIdx.x * (EACH), end = low + (EACH) < a.n ? low + (EACH) : a.n;               \
        (void)n;                                                                                                       \
        overlap_begin();                                                                                               \
        for (int64_t i = low + threadIdx.x; i < end; i += row_items_threads)                                           \
            PUT;                                                                                                       \
    }
#endif
