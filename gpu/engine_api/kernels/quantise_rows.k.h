/* SPDX-License-Identifier: Apache-2.0 */
/* quantise_rows: rows of floats as rows with 16 bits a number.
 * Shapes  from[n][3] f32, or [n][2] for F16 -> to[n] rows of as.format: UNORM16 is u16[4] in the box of `facts`, the
 *         fourth 0; OCT16 is i16[2]; F16 is half[2]
 * Launch  item: `each` rows, the last perhaps fewer; n items: n / each, rounded up
 * Cost    12 B read and 8 or 4 B written a row; for F16 8 B and 4 B
 * Result  UNORM16 is within 0.52 steps of the point on each axis, once the point is inside the box. OCT16 of a vector
 *         of length 1 is within 0.0038 degrees, and zero stays zero. F16 is the nearest, ties to even; facts.overflow
 *         becomes 1 where one became infinite.
 * Threads any queue
 * Source  Meyer et al. 2010; Cigolle et al. 2014 */
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
