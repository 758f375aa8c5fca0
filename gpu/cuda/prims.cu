/* SPDX-License-Identifier: Apache-2.0 */
/* prims.cu: scan and sort by CUB. Integer sums and a stable sort: one right answer, so the same as the CPU's.
 * CUB only reads its inputs, and allows a scan in place. */
#define _GLIBCXX_IOSTREAM 1 /* CUB includes it for one debugging operator; its constructor would pull in libstdc++ */
#include <ostream>
#define CCCL_DISABLE_NVTX /* it opens a library that an environment variable names */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include "prims.h"

cudaError_t prims_scan(void *scratch, size_t *bytes, const int32_t *in, int32_t *out, int64_t n, cudaStream_t stream)
{
    return cub::DeviceScan::InclusiveSum(scratch, *bytes, in, out, n, stream);
}

cudaError_t prims_sort(void *scratch, size_t *bytes, const uint64_t *keys_in, uint64_t *keys_out,
                       const int32_t *values_in, int32_t *values_out, int64_t n, int bits, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys_in, keys_out, values_in, values_out, n, 0, bits,
                                           stream);
}
