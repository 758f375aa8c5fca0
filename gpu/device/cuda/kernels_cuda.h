/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_cuda.h: what the module knows about a kernel's __global__ function. The translation units of the rooms define
 * one record for each kernel (room_launches.cuh), and one more for the reference of each kernel with a tuned form
 * (room_references.cuh). backend_cuda.cu makes a table of each kind. */
#ifndef SDD_KERNELS_CUDA_H
#define SDD_KERNELS_CUDA_H
#include "gpu/backend/backend.h"

struct sdd_kernel_launch {
    const void *function;
    size_t args_bytes;
    int threads, items; /* The threads of a block, and the indices of the launch that it handles. */
};
#define SDD_KERNEL(name) extern "C" const struct sdd_kernel_launch sdd_launch_##name;
#include "kernels.def"
#undef SDD_KERNEL
#define SDD_KERNEL(name) extern "C" const struct sdd_kernel_launch sdd_reference_##name;
#include "tuned.def"
#undef SDD_KERNEL

#endif
