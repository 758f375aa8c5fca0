/* SPDX-License-Identifier: Apache-2.0 */
/* table_unit.h: from two vectors that lead away from a point, near 1 in length (table_pairs.h), to its normal. */
#ifndef SDD_TABLE_UNIT_H
#define SDD_TABLE_UNIT_H
#include "gpu/kernel/quantise16.h"

/* Both products are rounded alike, so of vectors along one axis of a symmetry nothing is left. */
SDD_FN struct sdd_vec3 sdd_table_cross(struct sdd_vec3 a, struct sdd_vec3 b)
{
    return sdd_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* What is left of a product of sums where there is nothing: their rounding, squared. */
#define SDD_TABLE_NOTHING 0x1p-36f

SDD_FN float sdd_table_square(struct sdd_vec3 n)
{
    return fmaf(n.z, n.z, fmaf(n.y, n.y, n.x * n.x));
}

/* Of length 1; zero where it has none. */
SDD_FN struct sdd_vec3 sdd_table_unit(struct sdd_vec3 n)
{
    float square = sdd_table_square(n), one = sdd_one_over_root(square);
    return sdd_scale(square > SDD_TABLE_NOTHING ? one : 0.0f, n);
}

/* Of whatever length it has, for rows of 16 bits. */
SDD_FN struct sdd_vec3 sdd_table_way(struct sdd_vec3 n)
{
    return sdd_table_square(n) > SDD_TABLE_NOTHING ? n : sdd_vec3_of(0.0f, 0.0f, 0.0f);
}

/* sdd_oct16 of that. */
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

/* sdd_table_unit, or sdd_table_way, of many. */
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
