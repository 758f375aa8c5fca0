/* SPDX-License-Identifier: Apache-2.0 */
/* wide.h: a vector register of a CPU, which holds SDD_LANES floats. Memory operands need no alignment unless a function
 * says so. Code that runs has eight lanes; the other forms here serve files that include a kernel's header only for its
 * arguments and are built without FMA. */
#ifndef SDD_WIDE_H
#define SDD_WIDE_H
#include "gpu/kernel/kernel.h"

#ifndef __CUDACC__
#ifdef __FMA__
#define SDD_LANES 8
#else
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

/* Loads the first n lanes and nothing beyond them; the other lanes are 0. */
SDD_FN sdd_wide sdd_wide_load_some(const float *from, int32_t n)
{
#ifdef __FMA__
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return (sdd_wide)_mm256_maskload_ps(from, _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane));
#else
    sdd_wide a = {0.0f};
    for (int32_t k = 0; k < n; k++)
        a[k] = from[k];
    return a;
#endif
}

/* Stores past the caches. `to` is aligned to the size of the register. */
SDD_FN void sdd_wide_stream(float *to, sdd_wide a)
{
#ifdef __FMA__
    _mm256_stream_ps(to, (__m256)a);
#else
    sdd_wide_store(to, a);
#endif
}

SDD_FN sdd_wide sdd_wide_of(float x)
{
    const sdd_wide zero = {0.0f};
    return x - zero; /* Subtracting keeps -0. */
}

/* Returns a * b + c, with one rounding in each lane. */
SDD_FN sdd_wide sdd_wide_fma(sdd_wide a, sdd_wide b, sdd_wide c)
{
#ifdef __FMA__
    return (sdd_wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (int32_t k = 0; k < SDD_LANES; k++)
        a[k] = fmaf(a[k], b[k], c[k]);
    return a;
#endif
}

/* Copies n floats. If the two overlap, `from` is the higher one. Up to SDD_LANES - 1 more are read and written. */
SDD_FN void sdd_wide_copy(float *to, const float *from, int32_t n)
{
    for (int32_t k = 0; k < n; k += SDD_LANES)
        sdd_wide_store(to + k, sdd_wide_load(from + k));
}

/* Repeats the n numbers of a point, as equal rows have them, over three registers one after the other. n is at most
 * 3. */
SDD_FN void sdd_wide_repeat(const float *point, int32_t n, sdd_wide to[3])
{
#ifdef __FMA__
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i three[3] = {_mm256_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1), _mm256_setr_epi32(2, 0, 1, 2, 0, 1, 2, 0),
                              _mm256_setr_epi32(1, 2, 0, 1, 2, 0, 1, 2)};
    const __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm256_castsi256_si128(lane));
    const __m256 p = _mm256_castps128_ps256(_mm_maskload_ps(point, there));
    for (int32_t k = 0; k < 3; k++)
        to[k] =
            (sdd_wide)_mm256_permutevar8x32_ps(p, n == 3 ? three[k] : _mm256_and_si256(lane, _mm256_set1_epi32(n - 1)));
#else
    for (int32_t f = 0; f < 3 * SDD_LANES; f++)
        to[f / SDD_LANES][f % SDD_LANES] = point[f % n];
#endif
}

/* SDD_LANES points or vectors, with a register for each component. */
struct sdd_wide_vec3 {
    sdd_wide x, y, z;
};

/* Stores the points as rows of three floats. */
SDD_FN void sdd_wide_weave(struct sdd_wide_vec3 p, float *to)
{
#ifdef __FMA__
    const __m256i point[3] = {_mm256_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2), _mm256_setr_epi32(2, 3, 3, 3, 4, 4, 4, 5),
                              _mm256_setr_epi32(5, 5, 6, 6, 6, 7, 7, 7)};
    __m256 px[3], py[3], pz[3];
    for (int32_t k = 0; k < 3; k++) { /* Float f of the rows is component f % 3 of point f / 3. */
        px[k] = _mm256_permutevar8x32_ps((__m256)p.x, point[k]);
        py[k] = _mm256_permutevar8x32_ps((__m256)p.y, point[k]);
        pz[k] = _mm256_permutevar8x32_ps((__m256)p.z, point[k]);
    } /* The masks say which lanes are y and which are z. */
    _mm256_storeu_ps(to, _mm256_blend_ps(_mm256_blend_ps(px[0], py[0], 0x92), pz[0], 0x24));
    _mm256_storeu_ps(to + 8, _mm256_blend_ps(_mm256_blend_ps(px[1], py[1], 0x24), pz[1], 0x49));
    _mm256_storeu_ps(to + 16, _mm256_blend_ps(_mm256_blend_ps(px[2], py[2], 0x49), pz[2], 0x92));
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
