/* SPDX-License-Identifier: Apache-2.0 */
/* prims.h: scan and sort on CUDA. In a file of their own: CUB takes a minute to compile, kernels change often.
 * As in CUB, scratch NULL means: only say how many bytes are needed, which depends on n, bits and the GPU alone. */
#ifndef SDD_CUDA_PRIMS_H
#define SDD_CUDA_PRIMS_H
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

cudaError_t prims_scan(void *scratch, size_t *bytes, const int32_t *in, int32_t *out, int64_t n, cudaStream_t stream);
cudaError_t prims_sort(void *scratch, size_t *bytes, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in,
                       int32_t *values_out, int64_t n, int bits, cudaStream_t stream);

#endif
