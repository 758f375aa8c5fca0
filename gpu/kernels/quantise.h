/* SPDX-License-Identifier: Apache-2.0 */
/* quantise.h: one value in 16 bits, for kernels that write compact blocks.
 *
 * Positions are 16-bit fractions of a box. Normals are points of the octahedron |x| + |y| + |z| = 1, unfolded on the
 * square [-1, 1]^2 and rounded to a grid of 65,535 x 65,535. UVs are IEEE half floats. How far off each
 * is: README, "Compact blocks". */
#ifndef SDD_K_QUANTISE_H
#define SDD_K_QUANTISE_H
#include "gpu/kernel.h"

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
#endif
