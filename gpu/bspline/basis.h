/* SPDX-License-Identifier: Apache-2.0 */
/* basis.h: the weights that make points of a uniform bicubic B-spline patch of its 4 x 4 control points, and the sums
 * of four terms that apply them. Kernels of any room share these sums, so that the same point has the same bits. */
#ifndef SDD_BASIS_H
#define SDD_BASIS_H
#include "gpu/kernel/kernel.h"

#define SDD_TABLE_SIDE 32 /* cells along a piece, at most */

/* The weights of four points in a row. */
struct sdd_table_basis {
    float s[4];
} __attribute__((aligned(16)));

/* A pair of tables of such weights as numbers in a kernel's arguments, where a GPU's instructions take them from: of
 * pieces on level 1, [m + 1], then of those of whole quads. They are no struct sdd_table_basis: gcc 12 takes some
 * of an array of aligned structs for padding (DEV_LAUNCH). */
typedef float sdd_table_weights[2][SDD_TABLE_SIDE + 1][4] __attribute__((aligned(16)));

/* The weights of points at place i of 0 .. m along a piece. open says that there is nothing beyond place 0: its points
 * are then those of the side to the bit, whatever is further in. */
SDD_FN struct sdd_table_basis sdd_table_basis_at(const struct sdd_table_basis *basis, int32_t i, uint32_t open)
{
    struct sdd_table_basis w = basis[i];
    if (i == 0 && open) {
        w.s[0] = w.s[2] = w.s[3] = 0.0f;
        w.s[1] = 1.0f;
    }
    return w;
}

/* Along x, a bicubic point is the sum of four products in their order. */
SDD_FN float sdd_table_sum(const float *w, float a, float b, float c, float d)
{
    return fmaf(w[3], d, fmaf(w[2], c, fmaf(w[1], b, w[0] * a)));
}

/* Across, along y, a point is made of the second of four such sums and of how the others differ from it; these
 * differences serve many points. The weights of a point add up to 1, but for rounding, so the second weight is not
 * needed, and there is a product less. */
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
