/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_cpu.c: the tables of the kernels' CPU loops, for backend_cpu.c. */
#include "gpu/device/cpu/kernels_cpu.h"

const struct sdd_kernel_loop *const sdd_kernel_loops[SDD_N_KERNELS] = {
#define SDD_KERNEL(name) &sdd_loop_##name,
#include "kernels.def"
#undef SDD_KERNEL
};

const struct sdd_kernel_loop *const sdd_reference_loops[SDD_N_KERNELS] = {
#define SDD_KERNEL(name) [SDD_K_##name] = &sdd_reference_loop_##name,
#include "tuned.def"
#undef SDD_KERNEL
};
