/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_cpu.h: the kernels' CPU loops: one by one, as the rooms' units define them (room_loops.h), and as a table by
 * enum sdd_kernel. */
#ifndef SDD_KERNELS_CPU_H
#define SDD_KERNELS_CPU_H
#include "gpu/backend/backend.h"

struct sdd_kernel_loop {
    /* Makes the items from `first` on, those before `n`, until this time of CLOCK_MONOTONIC in nanoseconds; 0 is no
     * limit. Returns the first item that it has not made. */
    int64_t (*run)(const void *args, int64_t first, int64_t n, int threads, uint64_t until);
    size_t args_bytes;
};
#define SDD_KERNEL(name) extern const struct sdd_kernel_loop sdd_loop_##name;
#include "kernels.def"
#undef SDD_KERNEL
extern const struct sdd_kernel_loop *const sdd_kernel_loops[SDD_N_KERNELS];

/* The references of kernels with a tuned form (SDD_REFERENCE); of others the table has NULL. */
#define SDD_KERNEL(name) extern const struct sdd_kernel_loop sdd_reference_loop_##name;
#include "tuned.def"
#undef SDD_KERNEL
extern const struct sdd_kernel_loop *const sdd_reference_loops[SDD_N_KERNELS];

#endif
