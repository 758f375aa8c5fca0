/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: what CUDA C++ adds to C++, as far as kernels use it, for clang-tidy alone: the clang of the lint knows no
 * recent CUDA toolkit, and CI has none. Nothing here is ever linked or run. */
#ifndef SUBDD_CUDA_WORDS_H
#define SUBDD_CUDA_WORDS_H
#define __CUDACC__ 1
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__

struct cuda_index {
    unsigned x, y, z;
};
extern const cuda_index threadIdx, blockIdx, blockDim, gridDim;
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
float2 make_float2(float x, float y);
float4 make_float4(float x, float y, float z, float w);
uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w);

void __syncthreads();
void __syncwarp(unsigned mask = ~0u);
unsigned __activemask();
int __any_sync(unsigned mask, int predicate);
unsigned __ballot_sync(unsigned mask, int predicate);
template <class T> T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <class T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32);
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned lanes, int width = 32);
template <class T> T __ldg(const T *p);
int __ffs(int word);
unsigned __float_as_uint(float value);
[[noreturn]] void __trap();
void __nanosleep(unsigned ns);
float __fdividef(float a, float b);
template <class T> T min(T a, T b);
template <class T> T max(T a, T b);
int min(int a, unsigned b);
int64_t min(int64_t a, int b);
int64_t min(int a, int64_t b);
int atomicAdd(int *p, int value);
unsigned atomicAdd(unsigned *p, unsigned value);
void cudaGridDependencySynchronize();
void cudaTriggerProgrammaticLaunchCompletion();
#endif
