/* SPDX-License-Identifier: Apache-2.0 */
/* peers.cu: the kernels of peers.dev.h for CUDA. Their module shares the device's context with libsdd_cuda.so. */
#include "tests/bench/peers.dev.h"
#include <cuda_runtime.h>
#define SDD_ROOM_KERNELS "tests/bench/peers.def"
#include "gpu/device/cuda/room_launches.cuh"

static const struct sdd_kernel_launch *const launches[N_PEERS] = {
    &sdd_launch_peer_gather, &sdd_launch_peer_gather_kept, &sdd_launch_peer_gather_staged,
    &sdd_launch_peer_copy,   &sdd_launch_peer_directed,    &sdd_launch_peer_normals};

extern "C" __attribute__((visibility("default"))) int peer_launch(int kernel, const void *args, size_t args_bytes,
                                                                  int64_t n, double *seconds)
{
    static cudaStream_t stream;
    static cudaEvent_t begun, ended;
    const struct sdd_kernel_launch *l = launches[kernel];
    const int64_t blocks = (n + l->items - 1) / l->items;
    void *values[] = {&n, const_cast<void *>(args)};
    float ms = 0;
    cudaError_t e = l->args_bytes == args_bytes ? cudaSuccess : cudaErrorInvalidValue;
    if (e == cudaSuccess && !stream) {
        e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        if (e == cudaSuccess)
            e = cudaEventCreate(&begun);
        if (e == cudaSuccess)
            e = cudaEventCreate(&ended);
    }
    if (e == cudaSuccess)
        e = cudaEventRecord(begun, stream);
    if (e == cudaSuccess)
        e = cudaLaunchKernel(l->function, dim3((unsigned)blocks), dim3((unsigned)l->threads), values, 0, stream);
    if (e == cudaSuccess)
        e = cudaEventRecord(ended, stream);
    if (e == cudaSuccess)
        e = cudaStreamSynchronize(stream);
    if (e == cudaSuccess)
        e = cudaEventElapsedTime(&ms, begun, ended);
    *seconds = 1e-3 * (double)ms;
    return (int)e;
}
