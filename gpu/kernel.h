/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: the kernel language. A kernel is one header gpu/kernels/<name>.h with a struct <name>_args of pointers and
 * counts and a body `k_<name>(i, args)` for one index: valid C11 and valid CUDA C++. gcc makes a parallel CPU loop of it
 * (kernels_cpu.c), nvcc a __global__ launch (cuda/backend_cuda.cu); the list is made from the file names.
 * Rules: an item writes only what its index owns; gather, no float atomics; only + - * / sqrtf fmaf; contraction is off
 * on both compilers, so the same operations in the same order give the same bits. No designated initialisers, compound
 * literals or VLAs. */
#ifndef SDD_KERNEL_H
#define SDD_KERNEL_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define SDD_FN static __device__ __forceinline__
#else
#define SDD_FN static inline
#endif

#define SDD_NONE 0xffffffffu /* no corner, no vertex */

/* A vertex slot of the edge-friend engine: position and valence-loop start, one 16-byte access. */
struct sdd_slot {
    float x, y, z;
    uint32_t loop; /* a corner of this vertex; SDD_NONE: the slot is unused */
} __attribute__((aligned(16)));

struct sdd_quad { /* four vertex ids of a quad, one 16-byte access */
    uint32_t v[4];
} __attribute__((aligned(16)));

struct sdd_pair { /* two friend edges of a quad, or two sharpnesses */
    uint32_t g[2];
} __attribute__((aligned(8)));

struct sdd_float2 {
    float s[2];
} __attribute__((aligned(8)));

struct sdd_vec3 {
    float x, y, z;
};

SDD_FN struct sdd_vec3 sdd_vec3_of(float x, float y, float z)
{
    struct sdd_vec3 r;
    r.x = x;
    r.y = y;
    r.z = z;
    return r;
}

SDD_FN struct sdd_vec3 sdd_add(struct sdd_vec3 a, struct sdd_vec3 b)
{
    return sdd_vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

SDD_FN struct sdd_vec3 sdd_sub(struct sdd_vec3 a, struct sdd_vec3 b)
{
    return sdd_vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

SDD_FN struct sdd_vec3 sdd_scale(float s, struct sdd_vec3 a)
{
    return sdd_vec3_of(s * a.x, s * a.y, s * a.z);
}

/* s * a + b, rounded once a component */
SDD_FN struct sdd_vec3 sdd_fma(float s, struct sdd_vec3 a, struct sdd_vec3 b)
{
    return sdd_vec3_of(fmaf(s, a.x, b.x), fmaf(s, a.y, b.y), fmaf(s, a.z, b.z));
}

/* The smaller value stays: the order of arrival cannot show. Used on error paths, for "first bad element". */
SDD_FN void sdd_atomic_min(uint64_t *p, uint64_t value)
{
#ifdef __CUDA_ARCH__
    if (value < *(volatile uint64_t *)p) /* most callers lose: a plain read is cheaper than an atomic */
        atomicMin((unsigned long long *)p, (unsigned long long)value);
#elif !defined(__CUDACC__)
    uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value < old &&
           !__atomic_compare_exchange_n(p, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#else
    (void)p, (void)value;
#endif
}

#endif
