/* SPDX-License-Identifier: Apache-2.0 */
/* quantise.h: one value in 16 bits, for kernels that write compact blocks.
 *
 * Positions are 16-bit fractions of a box. Normals are points of the octahedron |x| + |y| + |z| = 1, unfolded on the
 * square [-1, 1]^2 and rounded to a grid of 65,535 x 65,535. UVs are IEEE half floats. How far off each is:
 * proto/README.md, "Compact blocks". */
#ifndef SDD_K_QUANTISE_H
#define SDD_K_QUANTISE_H
#include "gpu/kernel/newton.h"

struct sdd_u16x4 {
    uint16_t v[4];
} __attribute__((aligned(8)));

struct sdd_u16x2 {
    uint16_t v[2];
} __attribute__((aligned(4)));

/* What a compact result is made with and tells; in device memory. */
struct sdd_quantise_facts {
    float low[3], high[3]; /* the box of the control points                                */
    float scale[3];        /* steps a unit: 65535 / (high - low), 0 where that is 0        */
    uint32_t overflow;     /* 1: there are UVs that no half float holds                    */
};

#define SDD_FLAT 1e-33f /* an extent up to this has one step alone: 65535 / extent must be finite */

/* A sum with one of these is rounded to a whole number, ties to even: its low 16 bits, in two's complement. */
#define SDD_WHOLE_U16 0x1p23f
#define SDD_WHOLE_I16 0x1.8p23f

SDD_FN uint16_t sdd_low16(float sum)
{
    union sdd_float_bits b;
    b.f = sum;
    return (uint16_t)b.u;
}

/* Rounding may put a refined point beside the box: it is taken back. */
SDD_FN uint16_t sdd_unorm16(float p, float low, float scale)
{
    float q = fmaf(p - low, scale, SDD_WHOLE_U16);
    q = q > SDD_WHOLE_U16 ? q : SDD_WHOLE_U16;
    return sdd_low16(q < SDD_WHOLE_U16 + 65535.0f ? q : SDD_WHOLE_U16 + 65535.0f);
}

#define SDD_OCT 32767.0f
/* The zero vector has no place on the octahedron; this is no one's: -32768 on both axes. */
#define SDD_OCT_ZERO 0x80008000u

/* x, or -x where that is the sign of y, be it of zero. */
SDD_FN float sdd_signed(float x, float y)
{
    union sdd_float_bits a, b;
    a.f = x;
    b.f = y;
    a.u ^= b.u & 0x80000000u;
    return a.f;
}

/* The direction of a vector in [2^-100, 2^100], the second number in the upper half; nothing: of none. */
SDD_FN uint32_t sdd_oct16_of(float x, float y, float z, int nothing)
{
    float one = sdd_one_over(fabsf(x) + fabsf(y) + fabsf(z)), u = x * one, v = y * one;
    float s = 1.0f - fabsf(v), t = 1.0f - fabsf(u);
    if (z < 0.0f) { /* the lower half is folded out over the square's corners */
        u = sdd_signed(s, x);
        v = sdd_signed(t, y);
    }
    uint32_t out = sdd_low16(fmaf(u, SDD_OCT, SDD_WHOLE_I16));
    out |= (uint32_t)sdd_low16(fmaf(v, SDD_OCT, SDD_WHOLE_I16)) << 16;
    return nothing ? SDD_OCT_ZERO : out;
}

SDD_FN uint32_t sdd_oct16(float x, float y, float z)
{
    return sdd_oct16_of(x, y, z, !(fabsf(x) + fabsf(y) + fabsf(z) > 0.0f));
}

#define SDD_F16_INFINITE 0x7c00u

/* The half float nearest to v, ties to even; infinite from 65520 on. */
SDD_FN uint16_t sdd_f16(float v)
{
    union sdd_float_bits b;
    b.f = v;
    uint32_t sign = b.u >> 16 & 0x8000u, m = b.u & 0x7fffffffu;
    if (m >= 0x477ff000u) /* 65520 */
        return (uint16_t)(sign | SDD_F16_INFINITE);
    if (m >= 0x38800000u) /* 2^-14, the least that has all its bits: 13 fewer, and another bias */
        return (uint16_t)(sign | (m - 0x38000000u + 0xfffu + (m >> 13 & 1)) >> 13);
    b.u = m;
    b.f += 0.5f; /* whose last bit is a half float's least: the sum rounds as is wanted */
    return (uint16_t)(sign | (b.u - 0x3f000000u));
}

/* The same for eight rows; bit for bit, for all finite floats. */
#ifdef __FMA__
/* The low 16 bits of each lane, of `a` and `b` a half of four lanes after the other. */
SDD_FN __m256i sdd_low16_eight(__m256 a, __m256 b)
{
    const __m256i low = _mm256_set1_epi32(0xffff);
    return _mm256_packus_epi32(_mm256_and_si256(_mm256_castps_si256(a), low),
                               _mm256_and_si256(_mm256_castps_si256(b), low));
}

/* p: rows of three floats, of which one more is read. */
SDD_FN void sdd_unorm16_eight(const float *p, const struct sdd_quantise_facts *f, __m256i out[2])
{
    const __m256 low = _mm256_setr_ps(f->low[0], f->low[1], f->low[2], 0.0f, f->low[0], f->low[1], f->low[2], 0.0f);
    const __m256 scale =
        _mm256_setr_ps(f->scale[0], f->scale[1], f->scale[2], 0.0f, f->scale[0], f->scale[1], f->scale[2], 0.0f);
    const __m256 least = _mm256_set1_ps(SDD_WHOLE_U16), most = _mm256_set1_ps(SDD_WHOLE_U16 + 65535.0f);
    for (int32_t k = 0; k < 2; k++) {
        __m256 part[2]; /* rows 4 k and 4 k + 2, 4 k + 1 and 4 k + 3: packing puts them in their order */
        for (int32_t j = 0; j < 2; j++) {
            const float *at = p + 3 * (4 * k + j);
            __m256 q = _mm256_setr_m128(_mm_loadu_ps(at), _mm_loadu_ps(at + 6));
            q = _mm256_fmadd_ps(_mm256_sub_ps(q, low), scale, least);
            part[j] = _mm256_min_ps(_mm256_max_ps(q, least), most);
        }
        out[k] = sdd_low16_eight(part[0], part[1]);
    }
}

SDD_FN __m256 sdd_signed_eight(__m256 x, __m256 y)
{
    return _mm256_xor_ps(x, _mm256_and_ps(y, _mm256_set1_ps(-0.0f)));
}

/* Component k of eight rows of three floats. */
SDD_FN __m256 sdd_component_eight(const float *rows, int32_t k)
{
    const __m256 a = _mm256_loadu_ps(rows), b = _mm256_loadu_ps(rows + 8), c = _mm256_loadu_ps(rows + 16);
    if (k == 0) /* float 3 r + k of row r: which lanes of which eight have them, then in the order of rows */
        return _mm256_permutevar8x32_ps(_mm256_blend_ps(_mm256_blend_ps(a, b, 0x92), c, 0x24),
                                        _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    if (k == 1)
        return _mm256_permutevar8x32_ps(_mm256_blend_ps(_mm256_blend_ps(a, b, 0x24), c, 0x49),
                                        _mm256_setr_epi32(1, 4, 7, 2, 5, 0, 3, 6));
    return _mm256_permutevar8x32_ps(_mm256_blend_ps(_mm256_blend_ps(a, b, 0x49), c, 0x92),
                                    _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
}

SDD_FN __m256i sdd_oct16_eight(const float *normal)
{
    const __m256 sign = _mm256_set1_ps(-0.0f), ones = _mm256_set1_ps(1.0f), zero = _mm256_setzero_ps();
    const __m256 scale = _mm256_set1_ps(SDD_OCT), whole = _mm256_set1_ps(SDD_WHOLE_I16);
    const __m256 x = sdd_component_eight(normal, 0), y = sdd_component_eight(normal, 1);
    const __m256 z = sdd_component_eight(normal, 2);
    __m256 sum =
        _mm256_add_ps(_mm256_add_ps(_mm256_andnot_ps(sign, x), _mm256_andnot_ps(sign, y)), _mm256_andnot_ps(sign, z));
    __m256 lower = _mm256_cmp_ps(z, zero, _CMP_LT_OQ), one = sdd_one_over_eight(sum);
    __m256 u = _mm256_mul_ps(x, one), v = _mm256_mul_ps(y, one);
    __m256 s = sdd_signed_eight(_mm256_sub_ps(ones, _mm256_andnot_ps(sign, v)), x);
    __m256 t = sdd_signed_eight(_mm256_sub_ps(ones, _mm256_andnot_ps(sign, u)), y);
    u = _mm256_fmadd_ps(_mm256_blendv_ps(u, s, lower), scale, whole);
    v = _mm256_fmadd_ps(_mm256_blendv_ps(v, t, lower), scale, whole);
    __m256i both = _mm256_blend_epi16(_mm256_castps_si256(u), _mm256_slli_epi32(_mm256_castps_si256(v), 16), 0xaa);
    return _mm256_blendv_epi8(_mm256_set1_epi32((int32_t)SDD_OCT_ZERO), both,
                              _mm256_castps_si256(_mm256_cmp_ps(sum, zero, _CMP_GT_OQ)));
}

/* 1: one of them has become infinite. */
SDD_FN int sdd_f16_eight(const float *uv, __m256i *out)
{
    const __m256 most = _mm256_set1_ps(65520.0f), sign = _mm256_set1_ps(-0.0f);
    __m256 one = _mm256_loadu_ps(uv), two = _mm256_loadu_ps(uv + 8);
    __m256 over = _mm256_or_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, one), most, _CMP_GE_OQ),
                               _mm256_cmp_ps(_mm256_andnot_ps(sign, two), most, _CMP_GE_OQ));
    *out = _mm256_setr_m128i(_mm256_cvtps_ph(one, _MM_FROUND_TO_NEAREST_INT),
                             _mm256_cvtps_ph(two, _MM_FROUND_TO_NEAREST_INT));
    return _mm256_movemask_ps(over) != 0;
}
#endif
#endif
