/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_cpu.h: the table of the kernels' CPU loops, by enum sdd_kernel. */
#ifndef SDD_KERNELS_CPU_H
#define SDD_KERNELS_CPU_H
#include "gpu/backend.h"

struct sdd_kernel_loop {
    void (*run)(const void *args, int64_t n, int threads);
    size_t args_bytes;
};
extern const struct sdd_kernel_loop sdd_kernel_loops[SDD_N_KERNELS];

#endif
