/* SPDX-License-Identifier: Apache-2.0 */
/* prims.h: scan and sort by CUB, for backend_cuda.cu. They have a translation unit of their own, because CUB takes a
 * minute to compile and kernels change often.
 * Both are called as in CUB. With scratch NULL they queue nothing and set *bytes to the scratch that is needed, which
 * depends on n, bits and the GPU alone. Else they queue the work on the stream, with scratch[*bytes] on the device,
 * which the caller frees after it has run. */
#ifndef SDD_CUDA_PRIMS_H
#define SDD_CUDA_PRIMS_H
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

/* prims_scan: out[i] is the sum of in[0] to in[i]. `out` may be `in`. */
cudaError_t prims_scan(void *scratch, size_t *bytes, const int32_t *in, int32_t *out, int64_t n, cudaStream_t stream);
/* prims_sort: sorts pairs (key, value) by the low `bits` bits of the key, and keeps the order of equal keys. The four
 * arrays do not overlap. The input arrays hold anything afterwards. */
cudaError_t prims_sort(void *scratch, size_t *bytes, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in,
                       int32_t *values_out, int64_t n, int bits, cudaStream_t stream);

#endif
