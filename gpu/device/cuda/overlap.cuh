/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.cuh: from compute capability 9.0 on a launch begins while those before it in the stream end: its blocks are
 * placed as soon as all of the one before have let it, and then wait for them. A kernel that lets the next begin has
 * waited itself, so of two launches only neighbours ever run together. */
#ifndef SDD_OVERLAP_CUH
#define SDD_OVERLAP_CUH

/* All launches before this one are over, and what they wrote is there. */
static __device__ __forceinline__ void overlap_wait()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* First in a kernel. */
static __device__ __forceinline__ void overlap_begin()
{
    overlap_wait();
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
#endif
