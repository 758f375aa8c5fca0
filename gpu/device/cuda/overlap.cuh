/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.cuh: lets a launch begin while the one before it in the stream ends (programmatic dependent launch, compute
 * capability 9.0 on). Its blocks are placed once all blocks of the launch before have allowed it, and then wait for
 * them. A kernel allows the next launch only after it has waited itself, so only two neighbouring launches overlap. */
#ifndef SDD_OVERLAP_CUH
#define SDD_OVERLAP_CUH

/* Waits until all launches before this one have ended and what they wrote is visible. */
static __device__ __forceinline__ void overlap_wait()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* Waits for the launches before and allows the next one. It is the first call of a kernel. */
static __device__ __forceinline__ void overlap_begin()
{
    overlap_wait();
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
#endif
