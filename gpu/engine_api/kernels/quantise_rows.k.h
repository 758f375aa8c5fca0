/* SPDX-License-Identifier: Apache-2.0 */
/* quantise_rows: rows of floats in 16 bits a number.
 * Shapes  from[n][3] f32, of F16 [n][2] -> to[n] rows of as.format: UNORM16 u16[4] in the box of `facts`, the fourth 0;
 *         OCT16 i16[2]; F16 half[2]
 * Shape   item: `each` rows, the last perhaps fewer; n items: n / each, rounded up
 * Cost    12 B read and 8 or 4 B written a row; F16 8 B and 4 B
 * Result  UNORM16 within 0.52 steps of the point on each axis, once it is inside the box; OCT16 of vectors of length 1
 *         within 0.0038 degrees, zero stays zero; F16 nearest, ties to even, facts.overflow 1 where one became infinite
 * Source  Meyer et al. 2010; Cigolle et al. 2014
 * Threads any queue */
#ifndef SDD_K_QUANTISE_ROWS_H
#define SDD_K_QUANTISE_ROWS_H
#include "gpu/kernel/rows_out.h"

struct quantise_rows_args {
    const float *from;
    float *to;
    struct sdd_rows_as as;
    int64_t n;
    int32_t each;
};

SDD_FN void k_quantise_rows(int64_t i, const struct quantise_rows_args *a)
{
    int32_t width = a->as.format == SDD_ROWS_F16 ? 2 : 3;
    int64_t row = i * a->each, end = row + a->each < a->n ? row + a->each : a->n;
#ifdef __CUDACC__
    for (; row < end; row++)
        sdd_row_out(a->to, &a->as, (uint32_t)row, sdd_width_of(width, width),
                    sdd_row_load(a->from, (uint32_t)row, sdd_width_of(width, width)));
#else
    sdd_rows_out(a->to, &a->as, (uint32_t)row, (int32_t)(end - row), a->from + width * row, 0);
#ifdef __FMA__
    _mm_sfence();
#endif
#endif
}
#endif
