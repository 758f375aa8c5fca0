/* SPDX-License-Identifier: Apache-2.0 */
/* newton.h: 1 / x and 1 / sqrt(x) of numbers in [2^-100, 2^100], with a relative error of at most 2^-23, from products
 * and sums alone. A first guess comes from the bits of x, a step of third order triples the number of correct bits, and
 * a Newton step doubles it. Division and square root treat special numbers on a path of their own, which costs a GPU
 * more than all of this.
 * Source: Blinn 1997, Lomont 2003 */
#ifndef SDD_NEWTON_H
#define SDD_NEWTON_H
#include "gpu/kernel/wide.h"

union sdd_float_bits {
    float f;
    uint32_t u;
};

#define SDD_GUESS_OVER 0x7ef311c7u      /* The relative error of this guess is below 0.051. */
#define SDD_GUESS_OVER_ROOT 0x5f3759dfu /* The relative error of this guess is below 0.035. */

SDD_FN float sdd_one_over(float x)
{
    union sdd_float_bits y;
    y.f = x;
    y.u = SDD_GUESS_OVER - y.u;
    float off = fmaf(-x, y.f, 1.0f);
    y.f = fmaf(y.f, fmaf(off, off, off), y.f);
    return fmaf(y.f, fmaf(-x, y.f, 1.0f), y.f);
}

SDD_FN float sdd_one_over_root(float x)
{
    union sdd_float_bits y;
    y.f = x;
    y.u = SDD_GUESS_OVER_ROOT - (y.u >> 1);
    x = -0.5f * x;
    float off = fmaf(x * y.f, y.f, 0.5f);
    y.f = fmaf(y.f * off, fmaf(1.5f, off, 1.0f), y.f);
    return fmaf(y.f, fmaf(x * y.f, y.f, 0.5f), y.f);
}

#ifdef __FMA__
/* Returns 1 / x of eight numbers, with the same bits as sdd_one_over. */
SDD_FN __m256 sdd_one_over_eight(__m256 x)
{
    const __m256 one = _mm256_set1_ps(1.0f);
    __m256i guess = _mm256_set1_epi32((int32_t)SDD_GUESS_OVER);
    __m256 y = _mm256_castsi256_ps(_mm256_sub_epi32(guess, _mm256_castps_si256(x)));
    const __m256 off = _mm256_fnmadd_ps(x, y, one);
    y = _mm256_fmadd_ps(y, _mm256_fmadd_ps(off, off, off), y);
    return _mm256_fmadd_ps(y, _mm256_fnmadd_ps(x, y, one), y);
}
#endif

#ifndef __CUDACC__
/* Returns 1 / sqrt(x) of a register, with the same bits as sdd_one_over_root. */
SDD_FN sdd_wide sdd_one_over_root_wide(sdd_wide x)
{
    const sdd_wide half = sdd_wide_of(0.5f);
    sdd_wide y = (sdd_wide)(SDD_GUESS_OVER_ROOT - ((sdd_wide_bits)x >> 1));
    x = sdd_wide_of(-0.5f) * x;
    const sdd_wide off = sdd_wide_fma(x * y, y, half);
    y = sdd_wide_fma(y * off, sdd_wide_fma(sdd_wide_of(1.5f), off, sdd_wide_of(1.0f)), y);
    return sdd_wide_fma(y, sdd_wide_fma(x * y, y, half), y);
}
#endif
#endif
