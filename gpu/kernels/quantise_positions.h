/* SPDX-License-Identifier: Apache-2.0 */
/* quantise_positions: points as 16-bit fractions of a box.
 * Shapes  p[n][3] f32, facts[1] (low, scale) -> out[n][4] u16, the fourth 0
 * Shape   item: rows.each rows, the last perhaps fewer; n items: rows.n / rows.each, rounded up
 * Cost    12 B read and 8 B written a point
 * Result  within 0.52 steps of p on each axis, once p is inside the box
 * Threads any queue */
#ifndef SDD_K_QUANTISE_POSITIONS_H
#define SDD_K_QUANTISE_POSITIONS_H
#include "gpu/kernels/quantise.h"

struct quantise_positions_args {
    const float *p;
    const struct sdd_quantise_facts *facts;
    struct sdd_u16x4 *out;
    struct sdd_quantise_rows rows;
};

SDD_FN void k_quantise_positions(int64_t i, const struct quantise_positions_args *a)
{
    int64_t row = sdd_quantise_first(&a->rows, i);
    struct sdd_u16x4 out;
#ifdef __FMA__
    if (sdd_quantise_wide(&a->rows, i)) {
        sdd_unorm16_eight(a->p + 3 * row, a->facts, a->out + row);
        return;
    }
#endif
    for (; row < sdd_quantise_end(&a->rows, i); row++) {
        for (int32_t k = 0; k < 3; k++)
            out.v[k] = sdd_unorm16(a->p[3 * row + k], a->facts->low[k], a->facts->scale[k]);
        out.v[3] = 0;
        a->out[row] = out;
    }
}
#endif
