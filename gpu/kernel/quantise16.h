/* SPDX-License-Identifier: Apache-2.0 */
/* quantise16.h: one value in 16 bits, for kernels that write compact blocks.
 *
 * Positions are 16-bit fractions of a box. Normals are points of the octahedron |x| + |y| + |z| = 1, unfolded on the
 * square [-1, 1]^2 and rounded to a grid of 65,535 x 65,535. UVs are IEEE half floats. proto/README.md, "Compact
 * blocks", gives the error of each. */
#ifndef SDD_K_QUANTISE_H
#define SDD_K_QUANTISE_H
#include "gpu/kernel/newton.h"

struct sdd_u16x4 {
    uint16_t v[4];
} __attribute__((aligned(8)));

struct sdd_u16x2 {
    uint16_t v[2];
} __attribute__((aligned(4)));

/* The parameters of a compact result and what its kernels report, in device memory. */
struct sdd_quantise_facts {
    float low[3], high[3]; /* The box of positions: of the control points, or of the refined ones. */
    float scale[3];        /* Steps a unit: 65535 / (high - low), or 0 for an extent of at most SDD_FLAT. */
    uint32_t overflow;     /* 1 when some UVs are too large for half floats. */
};

#define SDD_FLAT 1e-33f /* An extent up to this has a single step, because 65535 / extent must be finite. */

/* Adding one of these rounds to a whole number, ties to even. The low 16 bits of the sum hold it, in two's complement
 * for I16. */
#define SDD_WHOLE_U16 0x1p23f
#define SDD_WHOLE_I16 0x1.8p23f

SDD_FN uint16_t sdd_low16(float sum)
{
    union sdd_float_bits b;
    b.f = sum;
    return (uint16_t)b.u;
}

/* Rounding may put a refined point outside of the box of the control points, so the result is clamped. */
SDD_FN uint16_t sdd_unorm16(float p, float low, float scale)
{
    float q = fmaf(p - low, scale, SDD_WHOLE_U16);
    q = q > SDD_WHOLE_U16 ? q : SDD_WHOLE_U16;
    return sdd_low16(q < SDD_WHOLE_U16 + 65535.0f ? q : SDD_WHOLE_U16 + 65535.0f);
}

#define SDD_OCT 32767.0f
/* Stands for the zero vector, which has no place on the octahedron: -32768 on both axes, which no direction has. */
#define SDD_OCT_ZERO 0x80008000u

/* Returns x, with its sign flipped when y is negative, -0 included. */
SDD_FN float sdd_signed(float x, float y)
{
    union sdd_float_bits a, b;
    a.f = x;
    b.f = y;
    a.u ^= b.u & 0x80000000u;
    return a.f;
}

/* Returns the direction of a vector whose |x| + |y| + |z| is in [2^-100, 2^100], with the second number in the upper
 * half of the word. `nothing` says that the vector is zero. */
SDD_FN uint32_t sdd_oct16_of(float x, float y, float z, int nothing)
{
    float one = sdd_one_over(fabsf(x) + fabsf(y) + fabsf(z)), u = x * one, v = y * one;
    float s = 1.0f - fabsf(v), t = 1.0f - fabsf(u);
    if (z < 0.0f) { /* The lower half of the octahedron unfolds to the corners of the square. */
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

/* Returns the half float nearest to v, ties to even. It is infinite from 65520 on. */
SDD_FN uint16_t sdd_f16(float v)
{
    union sdd_float_bits b;
    b.f = v;
    uint32_t sign = b.u >> 16 & 0x8000u, m = b.u & 0x7fffffffu;
    if (m >= 0x477ff000u) /* This is 65520. */
        return (uint16_t)(sign | SDD_F16_INFINITE);
    if (m >= 0x38800000u) /* From 2^-14 on halves are normal: they have 13 bits less and another bias. */
        return (uint16_t)(sign | (m - 0x38000000u + 0xfffu + (m >> 13 & 1)) >> 13);
    b.u = m;
    b.f += 0.5f; /* The last bit of 0.5f is worth the least half float, so the sum is rounded correctly. */
    return (uint16_t)(sign | (b.u - 0x3f000000u));
}

/* These do the same for eight rows and give the same bits for all finite floats. */
#ifdef __FMA__
/* Packs the low 16 bits of each lane: the first four lanes of `a`, those of `b`, then the last four of each. */
SDD_FN __m256i sdd_low16_eight(__m256 a, __m256 b)
{
    const __m256i low = _mm256_set1_epi32(0xffff);
    return _mm256_packus_epi32(_mm256_and_si256(_mm256_castps_si256(a), low),
                               _mm256_and_si256(_mm256_castps_si256(b), low));
}

/* Rows of `p` have three floats; one float after the last row is read too. */
SDD_FN void sdd_unorm16_eight(const float *p, const struct sdd_quantise_facts *f, __m256i out[2])
{
    const __m256 low = _mm256_setr_ps(f->low[0], f->low[1], f->low[2], 0.0f, f->low[0], f->low[1], f->low[2], 0.0f);
    const __m256 scale =
        _mm256_setr_ps(f->scale[0], f->scale[1], f->scale[2], 0.0f, f->scale[0], f->scale[1], f->scale[2], 0.0f);
    const __m256 least = _mm256_set1_ps(SDD_WHOLE_U16), most = _mm256_set1_ps(SDD_WHOLE_U16 + 65535.0f);
    for (int32_t k = 0; k < 2; k++) {
        __m256 part[2]; /* Rows 4 k and 4 k + 2, then 4 k + 1 and 4 k + 3; packing puts them in order. */
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

/* Returns component k of eight rows of three floats. */
SDD_FN __m256 sdd_component_eight(const float *rows, int32_t k)
{
    const __m256 a = _mm256_loadu_ps(rows), b = _mm256_loadu_ps(rows + 8), c = _mm256_loadu_ps(rows + 16);
    if (k == 0) /* Row r needs float 3 r + k. A blend picks these floats and a permutation puts them in row order. */
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

/* Returns 1 when one of the numbers has become infinite. */
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
