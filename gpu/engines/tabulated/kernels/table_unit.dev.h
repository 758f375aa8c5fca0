/* SPDX-License-Identifier: Apache-2.0 */
/* table_unit.dev.h: makes the normal at a point from two vectors that lead away from it, whose length is near 1
 * (table_pairs.dev.h). */
#ifndef SDD_TABLE_UNIT_H
#define SDD_TABLE_UNIT_H
#include "gpu/kernel/quantise16.h"

/* Both products of a difference are rounded alike, so the cross product of parallel vectors along an axis of symmetry
 * is exactly zero. */
SDD_FN struct sdd_vec3 sdd_table_cross(struct sdd_vec3 a, struct sdd_vec3 b)
{
    return sdd_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* A cross product with a squared length up to this is only the rounding of its sums, and counts as zero. */
#define SDD_TABLE_NOTHING 0x1p-36f

SDD_FN float sdd_table_square(struct sdd_vec3 n)
{
    return fmaf(n.z, n.z, fmaf(n.y, n.y, n.x * n.x));
}

/* The vector of length 1 in the direction of n, or zero if n counts as zero. */
SDD_FN struct sdd_vec3 sdd_table_unit(struct sdd_vec3 n)
{
    float square = sdd_table_square(n), one = sdd_one_over_root(square);
    return sdd_scale(square > SDD_TABLE_NOTHING ? one : 0.0f, n);
}

/* n itself, or zero if it counts as zero. This is enough for rows of 16 bits, whose format needs no length. */
SDD_FN struct sdd_vec3 sdd_table_way(struct sdd_vec3 n)
{
    return sdd_table_square(n) > SDD_TABLE_NOTHING ? n : sdd_vec3_of(0.0f, 0.0f, 0.0f);
}

/* The encoding sdd_oct16 of that. */
SDD_FN uint32_t sdd_table_oct16(struct sdd_vec3 n)
{
    return sdd_oct16_of(n.x, n.y, n.z, !(sdd_table_square(n) > SDD_TABLE_NOTHING));
}

#ifndef __CUDACC__
SDD_FN struct sdd_wide_vec3 sdd_wide_cross(struct sdd_wide_vec3 a, struct sdd_wide_vec3 b)
{
    struct sdd_wide_vec3 n = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return n;
}

/* Does what sdd_table_unit does, or sdd_table_way if `unit` is not set, for many vectors. */
SDD_FN struct sdd_wide_vec3 sdd_wide_unit(struct sdd_wide_vec3 n, int unit)
{
    sdd_wide square = sdd_wide_fma(n.z, n.z, sdd_wide_fma(n.y, n.y, n.x * n.x));
    sdd_wide one = unit ? sdd_one_over_root_wide(square) : sdd_wide_of(1.0f);
    one = (sdd_wide)((sdd_wide_bits)one & (sdd_wide_bits)(square > sdd_wide_of(SDD_TABLE_NOTHING)));
    n.x *= one;
    n.y *= one;
    n.z *= one;
    return n;
}
#endif
#endif
