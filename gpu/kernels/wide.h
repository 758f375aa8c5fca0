/* SPDX-License-Identifier: Apache-2.0 */
/* wide.h: a register of floats of a CPU: SDD_LANES of them, eight, or sixteen with AVX-512 (kernels_cpu_v4.c). Each
 * lane computes by itself, so how many there are changes no bit. What is in memory may stand anywhere. */
#ifndef SDD_WIDE_H
#define SDD_WIDE_H
#include "gpu/kernel.h"

#ifndef __CUDACC__
#if defined __AVX512F__
#define SDD_LANES 16
#elif defined __FMA__
#define SDD_LANES 8
#else /* who only wants to know a kernel's arguments */
#define SDD_LANES 4
#endif
typedef float sdd_wide __attribute__((vector_size(4 * SDD_LANES)));
typedef uint32_t sdd_wide_bits __attribute__((vector_size(4 * SDD_LANES)));
typedef float sdd_wide_anywhere __attribute__((vector_size(4 * SDD_LANES), aligned(4), may_alias));

SDD_FN sdd_wide sdd_wide_load(const float *from)
{
    return *(const sdd_wide_anywhere *)from;
}

SDD_FN void sdd_wide_store(float *to, sdd_wide a)
{
    *(sdd_wide_anywhere *)to = a;
}

/* The first n lanes; no more is read, the others are 0. */
SDD_FN sdd_wide sdd_wide_load_some(const float *from, int32_t n)
{
#ifdef __AVX512F__
    return (sdd_wide)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), from);
#else
    sdd_wide a = {0.0f};
    for (int32_t k = 0; k < n; k++)
        a[k] = from[k];
    return a;
#endif
}

/* No more is written. */
SDD_FN void sdd_wide_store_some(float *to, sdd_wide a, int32_t n)
{
#ifdef __AVX512F__
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << n) - 1), (__m512)a);
#else
    for (int32_t k = 0; k < n; k++)
        to[k] = a[k];
#endif
}

/* Past the caches; `to` is a line of memory. */
SDD_FN void sdd_wide_stream(float *to, sdd_wide a)
{
#if defined __AVX512F__
    _mm512_stream_ps(to, (__m512)a);
#elif defined __FMA__
    _mm256_stream_ps(to, (__m256)a);
#else
    sdd_wide_store(to, a);
#endif
}

SDD_FN sdd_wide sdd_wide_of(float x)
{
    const sdd_wide zero = {0.0f};
    return x - zero; /* x, be it -0 */
}

/* a * b + c, rounded once a lane. */
SDD_FN sdd_wide sdd_wide_fma(sdd_wide a, sdd_wide b, sdd_wide c)
{
#if defined __AVX512F__
    return (sdd_wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined __FMA__
    return (sdd_wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (int32_t k = 0; k < SDD_LANES; k++)
        a[k] = fmaf(a[k], b[k], c[k]);
    return a;
#endif
}

/* n floats; up to SDD_LANES - 1 more are read and written. */
SDD_FN void sdd_wide_copy(float *to, const float *from, int32_t n)
{
    for (int32_t k = 0; k < n; k += SDD_LANES)
        sdd_wide_store(to + k, sdd_wide_load(from + k));
}

/* The n numbers of a point again and again, as rows have them: SDD_LANES of them that begin with the first, those
 * after, .. ; n at most 3. */
SDD_FN void sdd_wide_repeat(const float *point, int32_t n, sdd_wide to[3])
{
#ifdef __FMA__
    static const int32_t three[18] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const int32_t two[16] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, one[16] = {0};
#endif
    for (int32_t turn = 0; turn < 3; turn++) {
#ifdef __FMA__
        const int32_t *lane = n == 3 ? three + turn * SDD_LANES % 3 : n == 2 ? two : one;
#endif
#if defined __AVX512F__
        const __m128 p = _mm_maskz_loadu_ps((__mmask8)((1u << n) - 1), point);
        to[turn] = (sdd_wide)_mm512_permutexvar_ps(_mm512_loadu_si512(lane), _mm512_castps128_ps512(p));
#elif defined __FMA__
        const __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
        const __m256 p = _mm256_castps128_ps256(_mm_maskload_ps(point, there));
        to[turn] = (sdd_wide)_mm256_permutevar8x32_ps(p, _mm256_loadu_si256((const __m256i *)(const void *)lane));
#else
        for (int32_t k = 0; k < SDD_LANES; k++)
            to[turn][k] = point[(turn * SDD_LANES + k) % n];
#endif
    }
}

/* Points or vectors, component by component. */
struct sdd_wide_vec3 {
    sdd_wide x, y, z;
};

#ifdef __FMA__
/* Eight points to rows of three. */
SDD_FN void sdd_weave_eight(__m256 x, __m256 y, __m256 z, float *to)
{
    const __m256i point[3] = {_mm256_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2), _mm256_setr_epi32(2, 3, 3, 3, 4, 4, 4, 5),
                              _mm256_setr_epi32(5, 5, 6, 6, 6, 7, 7, 7)};
    __m256 px[3], py[3], pz[3];
    for (int32_t k = 0; k < 3; k++) { /* floats 8 k + l: component (8 k + l) % 3 of point (8 k + l) / 3 */
        px[k] = _mm256_permutevar8x32_ps(x, point[k]);
        py[k] = _mm256_permutevar8x32_ps(y, point[k]);
        pz[k] = _mm256_permutevar8x32_ps(z, point[k]);
    } /* which lanes are y, which z */
    _mm256_storeu_ps(to, _mm256_blend_ps(_mm256_blend_ps(px[0], py[0], 0x92), pz[0], 0x24));
    _mm256_storeu_ps(to + 8, _mm256_blend_ps(_mm256_blend_ps(px[1], py[1], 0x24), pz[1], 0x49));
    _mm256_storeu_ps(to + 16, _mm256_blend_ps(_mm256_blend_ps(px[2], py[2], 0x49), pz[2], 0x92));
}
#endif

/* SDD_LANES points to rows of three. */
SDD_FN void sdd_wide_weave(struct sdd_wide_vec3 p, float *to)
{
#if defined __AVX512F__
    /* floats 16 k + l: component (16 k + l) % 3 of point (16 k + l) / 3; first those of x and y, z goes between them */
    const __m512i xy[3] = {_mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5),
                           _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26),
                           _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0)};
    const __m512i with_z[3] = {_mm512_setr_epi32(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15),
                               _mm512_setr_epi32(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15),
                               _mm512_setr_epi32(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31)};
    for (int32_t k = 0; k < 3; k++) {
        __m512 both = _mm512_permutex2var_ps((__m512)p.x, xy[k], (__m512)p.y);
        sdd_wide_store(to + 16 * k, (sdd_wide)_mm512_permutex2var_ps(both, with_z[k], (__m512)p.z));
    }
#elif defined __FMA__
    sdd_weave_eight((__m256)p.x, (__m256)p.y, (__m256)p.z, to);
#else
    for (int32_t k = 0; k < SDD_LANES; k++, to += 3) {
        to[0] = p.x[k];
        to[1] = p.y[k];
        to[2] = p.z[k];
    }
#endif
}
#endif
#endif
