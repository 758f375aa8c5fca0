/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: the kernel language. A kernel is one header gpu/ROOM/kernels/NAME.k.h with a struct NAME_args of pointers
 * and counts and a body k_NAME(i, args) for one item, which is valid C11 and valid CUDA C++. gcc turns it into a
 * parallel loop (device/cpu/room_loops.h), nvcc into a __global__ function (device/cuda/room_launches.cuh). The list
 * of kernels is made from the file names (list-kernels). A kernel whose items need each other's results is a kernel of
 * tiles (tile.h), one that gets neighbours a kernel of queries (gpu/tiles/query.h). Formats and widths are a list in
 * NAME.ks.h.
 *
 * A kernel may have a tuned form for CUDA, gpu/ROOM/cuda/NAME.cuh. Then NAME.k.h has, besides k_NAME, which CPUs run,
 * a reference r_NAME(tile, args) in the language of tile.h: the plainest body that makes the same bits, with one block
 * of a GPU for each item. Tests and benches compare the other forms with it (SDD_REFERENCE). The body of a kernel of
 * tiles is its own reference.
 *
 * Rules: each word has one writer, or several that all write the same value (sdd_mark). Kernels gather and use no
 * float atomics. They compute with + - * / sqrt and fmaf alone, and contraction is off on both compilers, so the same
 * operations in the same order give the same bits. There are no designated initialisers, compound literals or VLAs. */
#ifndef SDD_KERNEL_H
#define SDD_KERNEL_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __FMA__
#include <immintrin.h>
#endif

#ifdef __CUDACC__
#define SDD_FN static __device__ __forceinline__
#else
#define SDD_FN static inline __attribute__((always_inline))
#endif

/* Stands before a loop of loads and lets n rounds request their memory before the first of them needs it. A CPU looks
 * ahead by itself. */
#ifdef __CUDACC__
#define SDD_PRAGMA(text) _Pragma(#text)
#define SDD_UNROLL(n) SDD_PRAGMA(unroll n)
#else
#define SDD_UNROLL(n)
#endif

#define SDD_NONE 0xffffffffu /* The number that stands for no corner, no vertex and the like. */

/* A vertex slot of the edge-friend engine: the position and the start of the loop around the vertex. It takes one
 * 16-byte access. */
#ifdef __CUDACC__
struct sdd_slot {
    float x, y, z;
    uint32_t loop; /* A corner of this vertex; SDD_NONE when the slot is unused. */
} __attribute__((aligned(16)));
#else
typedef float sdd_lanes __attribute__((vector_size(16)));
typedef int32_t sdd_lane_bits __attribute__((vector_size(16)));
struct sdd_slot {
    union {
        struct {
            float x, y, z;
            uint32_t loop;
        };
        sdd_lane_bits bits;
    };
};
#endif

struct sdd_quad { /* The four vertex ids of a quad, which take one 16-byte access. */
    uint32_t v[4];
} __attribute__((aligned(16)));

struct sdd_pair { /* Two friend edges of a quad. */
    uint32_t g[2];
} __attribute__((aligned(8)));

struct sdd_float2 {
    float s[2];
} __attribute__((aligned(8)));

struct sdd_float4 {
    float s[4];
} __attribute__((aligned(16)));

/* A point or vector. On the CPU it is a vector register whose fourth lane stays zero, because three lanes cost no more
 * than one. */
#ifdef __CUDACC__
struct sdd_vec3 {
    float x, y, z;
};
#else
struct sdd_vec3 {
    union {
        struct {
            float x, y, z, zero;
        };
        sdd_lanes v;
    };
};
#endif

SDD_FN struct sdd_vec3 sdd_vec3_of(float x, float y, float z)
{
    struct sdd_vec3 r;
#ifdef __CUDACC__
    r.x = x;
    r.y = y;
    r.z = z;
#else
    const sdd_lanes lanes = {x, y, z, 0.0f}; /* Set lane by lane, it would go through memory in pieces. */
    r.v = lanes;
#endif
    return r;
}

SDD_FN struct sdd_vec3 sdd_add(struct sdd_vec3 a, struct sdd_vec3 b)
{
#ifdef __CUDACC__
    return sdd_vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
#else
    a.v += b.v;
    return a;
#endif
}

SDD_FN struct sdd_vec3 sdd_sub(struct sdd_vec3 a, struct sdd_vec3 b)
{
#ifdef __CUDACC__
    return sdd_vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
#else
    a.v -= b.v;
    return a;
#endif
}

SDD_FN struct sdd_vec3 sdd_scale(float s, struct sdd_vec3 a)
{
#ifdef __CUDACC__
    return sdd_vec3_of(s * a.x, s * a.y, s * a.z);
#else
    a.v *= s;
    return a;
#endif
}

/* Returns s * a + b, with one rounding for each component. */
SDD_FN struct sdd_vec3 sdd_fma(float s, struct sdd_vec3 a, struct sdd_vec3 b)
{
#ifdef __FMA__
    sdd_lanes lanes = {s, s, s, s};
    a.v = (sdd_lanes)_mm_fmadd_ps((__m128)lanes, (__m128)a.v, (__m128)b.v);
    return a;
#else
    return sdd_vec3_of(fmaf(s, a.x, b.x), fmaf(s, a.y, b.y), fmaf(s, a.z, b.z));
#endif
}

/* Returns the position in a slot. */
SDD_FN struct sdd_vec3 sdd_slot_point(struct sdd_slot s)
{
#ifdef __CUDACC__
    return sdd_vec3_of(s.x, s.y, s.z);
#else
    const sdd_lane_bits keep = {-1, -1, -1,
                                0}; /* The loop corner must not enter arithmetic, not even in an idle lane. */
    struct sdd_vec3 r;
    r.v = (sdd_lanes)(s.bits & keep);
    return r;
#endif
}

SDD_FN void sdd_put_vec3(float *to, uint32_t row, struct sdd_vec3 v)
{
    to[3 * (size_t)row] = v.x;
    to[3 * (size_t)row + 1] = v.y;
    to[3 * (size_t)row + 2] = v.z;
}

SDD_FN struct sdd_slot sdd_slot_of(struct sdd_vec3 p, uint32_t loop)
{
    struct sdd_slot s;
#ifdef __CUDACC__
    s.x = p.x;
    s.y = p.y;
    s.z = p.z;
    s.loop = loop;
#else
    s.bits = (sdd_lane_bits)p.v;
    s.bits[3] = (int32_t)loop;
#endif
    return s;
}

/* Marks a word that others may mark too. Every writer writes 1, so their order cannot show. */
SDD_FN void sdd_mark(uint32_t *p)
{
#ifdef __CUDACC__
    *p = 1;
#else
    __atomic_store_n(p, 1, __ATOMIC_RELAXED);
#endif
}

/* Keeps the smaller of the two values, so the order of arrival cannot show. Error paths use it to find the first bad
 * element. */
SDD_FN void sdd_atomic_min(uint64_t *p, uint64_t value)
{
#ifdef __CUDA_ARCH__
    if (value < *(volatile uint64_t *)p) /* Most callers do not lower it, and a plain read is cheaper. */
        atomicMin((unsigned long long *)p, (unsigned long long)value);
#elif !defined(__CUDACC__)
    uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(p, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#else
    (void)p, (void)value;
#endif
}

/* The same of 32 bits. */
SDD_FN void sdd_atomic_min32(uint32_t *p, uint32_t value)
{
#ifdef __CUDA_ARCH__
    if (value < *(volatile uint32_t *)p)
        atomicMin(p, value);
#elif !defined(__CUDACC__)
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(p, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#else
    (void)p, (void)value;
#endif
}

#endif
