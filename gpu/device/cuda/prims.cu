/* SPDX-License-Identifier: Apache-2.0 */
/* prims.cu: scan and sort by CUB, for backend_cuda.cu. Sums of integers and stable sorts have only one right answer, so
 * it is the CPU's too. CUB allows a scan in place. */
#define _GLIBCXX_IOSTREAM 1 /* Keeps <iostream> out. CUB includes it for debugging, and it would need libstdc++. */
#include <ostream>
#define CCCL_DISABLE_NVTX /* NVTX opens a library that an environment variable names. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include "gpu/device/cuda/prims.h"

cudaError_t prims_scan(void *scratch, size_t *bytes, const int32_t *in, int32_t *out, int64_t n, cudaStream_t stream)
{
    return cub::DeviceScan::InclusiveSum(scratch, *bytes, in, out, n, stream);
}

/* The input and output arrays take turns as CUB's two buffers, so that the scratch is small. After an even number of
 * passes the result lies in the input arrays, and is copied. */
cudaError_t prims_sort(void *scratch, size_t *bytes, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in,
                       int32_t *values_out, int64_t n, int bits, cudaStream_t stream)
{
    cub::DoubleBuffer<uint64_t> keys(keys_in, keys_out);
    cub::DoubleBuffer<int32_t> values(values_in, values_out);
    cudaError_t e = cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, values, n, 0, bits, stream);
    if (e == cudaSuccess && scratch && keys.Current() == keys_in)
        e = cudaMemcpyAsync(keys_out, keys_in, (size_t)n * sizeof *keys_in, cudaMemcpyDeviceToDevice, stream);
    if (e == cudaSuccess && scratch && values.Current() == values_in)
        e = cudaMemcpyAsync(values_out, values_in, (size_t)n * sizeof *values_in, cudaMemcpyDeviceToDevice, stream);
    return e;
}
