/* SPDX-License-Identifier: Apache-2.0 */
/* wide_sums.h: the sums of bspline/basis.h for as many points at once as a CPU's register holds. */
#ifndef SDD_WIDE_SUMS_H
#define SDD_WIDE_SUMS_H
#include "gpu/kernel/wide.h"

SDD_FN struct sdd_wide_vec3 sdd_wide_spread(struct sdd_vec3 p)
{
    struct sdd_wide_vec3 all = {sdd_wide_of(p.x), sdd_wide_of(p.y), sdd_wide_of(p.z)};
    return all;
}

/* Returns sum + w p. */
SDD_FN struct sdd_wide_vec3 sdd_wide_term(sdd_wide w, struct sdd_wide_vec3 p, struct sdd_wide_vec3 sum)
{
    sum.x = sdd_wide_fma(w, p.x, sum.x);
    sum.y = sdd_wide_fma(w, p.y, sum.y);
    sum.z = sdd_wide_fma(w, p.z, sum.z);
    return sum;
}

SDD_FN struct sdd_wide_vec3 sdd_wide_first(sdd_wide w, struct sdd_wide_vec3 p)
{
    struct sdd_wide_vec3 sum = {w * p.x, w * p.y, w * p.z};
    return sum;
}

/* Returns the weighted sum of four points in their order. All lanes share the points. */
SDD_FN struct sdd_wide_vec3 sdd_wide_sum_of(const sdd_wide w[4], const struct sdd_vec3 *p)
{
    struct sdd_wide_vec3 sum = sdd_wide_first(w[0], sdd_wide_spread(p[0]));
    for (int32_t k = 1; k < 4; k++)
        sum = sdd_wide_term(w[k], sdd_wide_spread(p[k]), sum);
    return sum;
}

/* Turns four points into the form that sdd_table_across takes: all but the second become their differences from it. */
SDD_FN void sdd_wide_differ(struct sdd_wide_vec3 p[4])
{
    for (int32_t k = 0; k < 4; k++)
        if (k != 1) {
            p[k].x -= p[1].x;
            p[k].y -= p[1].y;
            p[k].z -= p[1].z;
        }
}

/* Does the same as sdd_table_across; sdd_wide_differ has prepared the points. */
SDD_FN struct sdd_wide_vec3 sdd_wide_across(const sdd_wide w[4], const struct sdd_wide_vec3 p[4])
{
    return sdd_wide_term(w[3], p[3], sdd_wide_term(w[2], p[2], sdd_wide_term(w[0], p[0], p[1])));
}

/* Does the same as sdd_table_slope; sdd_wide_differ has prepared the points. */
SDD_FN struct sdd_wide_vec3 sdd_wide_slope(const sdd_wide w[4], const struct sdd_wide_vec3 p[4])
{
    return sdd_wide_term(w[3], p[3], sdd_wide_term(w[2], p[2], sdd_wide_first(w[0], p[0])));
}
#endif
