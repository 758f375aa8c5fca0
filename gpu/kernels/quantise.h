/* SPDX-License-Identifier: Apache-2.0 */
/* quantise.h: one value in 16 bits, for kernels that write compact blocks.
 *
 * Positions are 16-bit fractions of a box. Normals are points of the octahedron |x| + |y| + |z| = 1, unfolded on the
 * square [-1, 1]^2 and rounded to a grid of 65,535 x 65,535. UVs are IEEE half floats. How far off each
 * is: README, "Compact blocks". */
#ifndef SDD_K_QUANTISE_H
#define SDD_K_QUANTISE_H
#include "gpu/kernel.h"

/* Rows of an item: one for each thread of a GPU; the registers of a CPU take eight side by side. */
struct sdd_quantise_rows {
    int64_t n;
    int32_t each;
};
#define SDD_QUANTISE_LANES 8

SDD_FN int64_t sdd_quantise_first(const struct sdd_quantise_rows *r, int64_t item)
{
    return item * r->each;
}

SDD_FN int64_t sdd_quantise_end(const struct sdd_quantise_rows *r, int64_t item)
{
    int64_t end = (item + 1) * r->each;
    return end < r->n ? end : r->n;
}

/* Is the item eight rows, with more after them? */
SDD_FN int sdd_quantise_wide(const struct sdd_quantise_rows *r, int64_t item)
{
    return r->each == SDD_QUANTISE_LANES && (item + 1) * SDD_QUANTISE_LANES < r->n;
}

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
    uint32_t unused;
    uint64_t overflow; /* least row of the UVs that no half float holds; ~0: there is none */
};

#define SDD_FLAT 1e-33f /* an extent up to this has one step alone: 65535 / extent must be finite */

/* Rounding may put a refined point beside the box: it is taken back. */
SDD_FN uint16_t sdd_unorm16(float p, float low, float scale)
{
    float q = fmaf(p - low, scale, 0.5f);
    q = q > 0.0f ? q : 0.0f;
    return (uint16_t)(uint32_t)(q < 65535.0f ? q : 65535.0f);
}

#define SDD_OCT 32767
/* The zero vector has no place on the octahedron; this is no one's: -32768 on both axes. */
#define SDD_OCT_ZERO 0x8000u

/* The square of how far the direction of grid point (a, b) is beside n: of the cross product with the octahedron's
 * point, which is whole numbers. Neighbours' points are of almost the same length: it need not be divided out. */
SDD_FN float sdd_oct_beside(float x, float y, float z, int32_t a, int32_t b)
{
    int32_t over_a = a < 0 ? -a : a, over_b = b < 0 ? -b : b, c = SDD_OCT - over_a - over_b;
    float p = (float)a, q = (float)b, r = (float)c;
    if (c < 0) { /* the lower half is folded out over the square's corners */
        p = (float)(a < 0 ? over_b - SDD_OCT : SDD_OCT - over_b);
        q = (float)(b < 0 ? over_a - SDD_OCT : SDD_OCT - over_a);
    }
    float i = fmaf(y, r, -(z * q)), j = fmaf(z, p, -(x * r)), k = fmaf(x, q, -(y * p));
    return fmaf(i, i, fmaf(j, j, k * k));
}

/* The nearest in angle of the four grid points around n. */
SDD_FN struct sdd_u16x2 sdd_oct16(float x, float y, float z)
{
    struct sdd_u16x2 out;
    float sum = fabsf(x) + fabsf(y) + fabsf(z), least = 0.0f;
    int32_t low[2], best[2];
    out.v[0] = out.v[1] = SDD_OCT_ZERO;
    if (!(sum > 0.0f))
        return out;
    float u = x / sum, v = y / sum;
    if (z < 0.0f) {
        float s = 1.0f - fabsf(v), t = 1.0f - fabsf(u);
        u = x < 0.0f ? -s : s;
        v = y < 0.0f ? -t : t;
    }
    u = fmaf(u, (float)SDD_OCT, (float)SDD_OCT); /* from 0 on, where casts round down */
    v = fmaf(v, (float)SDD_OCT, (float)SDD_OCT);
    low[0] = (int32_t)u - SDD_OCT;
    low[1] = (int32_t)v - SDD_OCT;
    best[0] = best[1] = 0;
    for (int32_t i = 0; i < 4; i++) {
        int32_t a = low[0] + (i & 1), b = low[1] + (i >> 1);
        a = a < SDD_OCT ? a : SDD_OCT; /* at the rim there is no next */
        b = b < SDD_OCT ? b : SDD_OCT;
        float beside = sdd_oct_beside(x, y, z, a, b);
        if (i == 0 || beside < least) {
            least = beside;
            best[0] = a;
            best[1] = b;
        }
    }
    out.v[0] = (uint16_t)best[0];
    out.v[1] = (uint16_t)best[1];
    return out;
}

union sdd_float_bits {
    float f;
    uint32_t u;
};

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

/* The same for eight rows, a row a lane; bit for bit, for all floats. */
#ifdef __FMA__
/* p: rows of three floats, of which one more is read. */
SDD_FN void sdd_unorm16_eight(const float *p, const struct sdd_quantise_facts *f, struct sdd_u16x4 *out)
{
    const __m256 low = _mm256_setr_ps(f->low[0], f->low[1], f->low[2], 0.0f, f->low[0], f->low[1], f->low[2], 0.0f);
    const __m256 scale =
        _mm256_setr_ps(f->scale[0], f->scale[1], f->scale[2], 0.0f, f->scale[0], f->scale[1], f->scale[2], 0.0f);
    const __m256 zero = _mm256_setzero_ps(), most = _mm256_set1_ps(65535.0f), half = _mm256_set1_ps(0.5f);
    for (int32_t k = 0; k < SDD_QUANTISE_LANES; k += 4) {
        __m256i part[2]; /* rows k and k + 2, k + 1 and k + 3: packing puts them in their order */
        for (int32_t j = 0; j < 2; j++) {
            const float *at = p + 3 * (k + j);
            __m256 q = _mm256_setr_m128(_mm_loadu_ps(at), _mm_loadu_ps(at + 6));
            q = _mm256_fmadd_ps(_mm256_sub_ps(q, low), scale, half);
            part[j] = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(q, zero), most));
        }
        _mm256_storeu_si256((__m256i *)(void *)(out + k), _mm256_packus_epi32(part[0], part[1]));
    }
}

struct sdd_eight_normals {
    __m256 x, y, z;
};

SDD_FN __m256 sdd_oct_beside_eight(const struct sdd_eight_normals *n, __m256i a, __m256i b)
{
    const __m256i oct = _mm256_set1_epi32(SDD_OCT), none = _mm256_setzero_si256();
    __m256i over_a = _mm256_abs_epi32(a), over_b = _mm256_abs_epi32(b);
    __m256i c = _mm256_sub_epi32(_mm256_sub_epi32(oct, over_a), over_b);
    __m256i rest_a = _mm256_sub_epi32(oct, over_a), rest_b = _mm256_sub_epi32(oct, over_b);
    __m256i turned_a = _mm256_blendv_epi8(rest_b, _mm256_sub_epi32(none, rest_b), _mm256_cmpgt_epi32(none, a));
    __m256i turned_b = _mm256_blendv_epi8(rest_a, _mm256_sub_epi32(none, rest_a), _mm256_cmpgt_epi32(none, b));
    __m256i folded = _mm256_cmpgt_epi32(none, c);
    __m256 p = _mm256_cvtepi32_ps(_mm256_blendv_epi8(a, turned_a, folded));
    __m256 q = _mm256_cvtepi32_ps(_mm256_blendv_epi8(b, turned_b, folded));
    __m256 r = _mm256_cvtepi32_ps(c);
    __m256 i = _mm256_fmsub_ps(n->y, r, _mm256_mul_ps(n->z, q));
    __m256 j = _mm256_fmsub_ps(n->z, p, _mm256_mul_ps(n->x, r));
    __m256 k = _mm256_fmsub_ps(n->x, q, _mm256_mul_ps(n->y, p));
    return _mm256_fmadd_ps(i, i, _mm256_fmadd_ps(j, j, _mm256_mul_ps(k, k)));
}

/* -to or to, as x is below zero or not. */
SDD_FN __m256 sdd_signed_eight(__m256 to, __m256 x)
{
    __m256 below = _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OQ);
    return _mm256_xor_ps(to, _mm256_and_ps(below, _mm256_set1_ps(-0.0f)));
}

SDD_FN void sdd_oct16_eight(const float *normal, struct sdd_u16x2 *out)
{
    const __m256 sign = _mm256_set1_ps(-0.0f), one = _mm256_set1_ps(1.0f), zero = _mm256_setzero_ps();
    const __m256 scale = _mm256_set1_ps((float)SDD_OCT);
    const __m256i oct = _mm256_set1_epi32(SDD_OCT), at = _mm256_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21);
    struct sdd_eight_normals n;
    n.x = _mm256_i32gather_ps(normal, at, 4);
    n.y = _mm256_i32gather_ps(normal + 1, at, 4);
    n.z = _mm256_i32gather_ps(normal + 2, at, 4);
    __m256 sum = _mm256_add_ps(_mm256_add_ps(_mm256_andnot_ps(sign, n.x), _mm256_andnot_ps(sign, n.y)),
                               _mm256_andnot_ps(sign, n.z));
    __m256 some = _mm256_cmp_ps(sum, zero, _CMP_GT_OQ), lower = _mm256_cmp_ps(n.z, zero, _CMP_LT_OQ);
    __m256 u = _mm256_div_ps(n.x, sum), v = _mm256_div_ps(n.y, sum);
    __m256 s = sdd_signed_eight(_mm256_sub_ps(one, _mm256_andnot_ps(sign, v)), n.x);
    __m256 t = sdd_signed_eight(_mm256_sub_ps(one, _mm256_andnot_ps(sign, u)), n.y);
    u = _mm256_fmadd_ps(_mm256_blendv_ps(u, s, lower), scale, scale);
    v = _mm256_fmadd_ps(_mm256_blendv_ps(v, t, lower), scale, scale);
    __m256i low_a = _mm256_sub_epi32(_mm256_cvttps_epi32(u), oct),
            low_b = _mm256_sub_epi32(_mm256_cvttps_epi32(v), oct);
    __m256i best_a = low_a, best_b = low_b;
    __m256 least = zero;
    for (int32_t i = 0; i < 4; i++) {
        __m256i a = _mm256_min_epi32(_mm256_add_epi32(low_a, _mm256_set1_epi32(i & 1)), oct);
        __m256i b = _mm256_min_epi32(_mm256_add_epi32(low_b, _mm256_set1_epi32(i >> 1)), oct);
        __m256 beside = sdd_oct_beside_eight(&n, a, b);
        __m256 better = i ? _mm256_cmp_ps(beside, least, _CMP_LT_OQ) : _mm256_castsi256_ps(_mm256_set1_epi32(-1));
        least = _mm256_blendv_ps(least, beside, better);
        best_a = _mm256_blendv_epi8(best_a, a, _mm256_castps_si256(better));
        best_b = _mm256_blendv_epi8(best_b, b, _mm256_castps_si256(better));
    }
    __m256i both = _mm256_or_si256(_mm256_and_si256(best_a, _mm256_set1_epi32(0xffff)), _mm256_slli_epi32(best_b, 16));
    both = _mm256_blendv_epi8(_mm256_set1_epi32((int32_t)(SDD_OCT_ZERO << 16 | SDD_OCT_ZERO)), both,
                              _mm256_castps_si256(some));
    _mm256_storeu_si256((__m256i *)(void *)out, both);
}

/* 0: one of them has become infinite; nothing is written. */
SDD_FN int sdd_f16_eight(const float *uv, struct sdd_u16x2 *out)
{
    const __m256 most = _mm256_set1_ps(65520.0f), sign = _mm256_set1_ps(-0.0f);
    __m256 one = _mm256_loadu_ps(uv), two = _mm256_loadu_ps(uv + 8);
    __m256 fits = _mm256_and_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, one), most, _CMP_LT_OQ),
                                _mm256_cmp_ps(_mm256_andnot_ps(sign, two), most, _CMP_LT_OQ));
    if (_mm256_movemask_ps(fits) != 0xff)
        return 0;
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_cvtps_ph(one, _MM_FROUND_TO_NEAREST_INT));
    _mm_storeu_si128((__m128i *)(void *)(out + 4), _mm256_cvtps_ph(two, _MM_FROUND_TO_NEAREST_INT));
    return 1;
}
#endif
#endif
