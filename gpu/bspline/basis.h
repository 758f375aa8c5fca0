/* SPDX-License-Identifier: Apache-2.0 */
/* basis.h: the weights that give points of a uniform bicubic B-spline patch from its 4 x 4 control points, and the sums
 * of four terms that apply them. Kernels of all rooms share these sums, so that the same point has the same bits. */
#ifndef SDD_BASIS_H
#define SDD_BASIS_H
#include "gpu/kernel/kernel.h"

#define SDD_TABLE_SIDE 32 /* The most cells along a piece. */

/* The weights of four points in a row. */
struct sdd_table_basis {
    float s[4];
} __attribute__((aligned(16)));

/* Two tables of such weights in a kernel's arguments, from which the instructions of a GPU read them directly: [m + 1]
 * for pieces on level 1, then the table for regular quads. They are plain floats, because gcc 12 takes parts of an
 * array of aligned structs for padding (DEV_LAUNCH). */
typedef float sdd_table_weights[2][SDD_TABLE_SIDE + 1][4] __attribute__((aligned(16)));

/* Returns the weights of points at place i of 0 to m along a piece. `open` says that the surface ends at place 0: its
 * points then have exactly the bits of the points along the side, whatever is further in. */
SDD_FN struct sdd_table_basis sdd_table_basis_at(const struct sdd_table_basis *basis, int32_t i, uint32_t open)
{
    struct sdd_table_basis w = basis[i];
    if (i == 0 && open) {
        w.s[0] = w.s[2] = w.s[3] = 0.0f;
        w.s[1] = 1.0f;
    }
    return w;
}

/* Sums four products in their order, which gives a bicubic point along x. */
SDD_FN float sdd_table_sum(const float *w, float a, float b, float c, float d)
{
    return fmaf(w[3], d, fmaf(w[2], c, fmaf(w[1], b, w[0] * a)));
}

/* Along y, a point is the second of four such sums plus weighted differences of the others from it, which serve many
 * points. The weights of a point add up to 1 but for rounding, so the second weight is not needed, which saves a
 * product. */
SDD_FN float sdd_table_across(const float *w, float before, float at, float after, float last)
{
    return fmaf(w[3], last, fmaf(w[2], after, fmaf(w[0], before, at)));
}

/* The same for a slope, whose weights add up to 0. */
SDD_FN float sdd_table_slope(const float *w, float before, float after, float last)
{
    return fmaf(w[3], last, fmaf(w[2], after, w[0] * before));
}
#endif
