/* SPDX-License-Identifier: Apache-2.0 */
/* quantise_positions: points as 16-bit fractions of a box.
 * Shapes  p[n][3] f32, facts[1] (low, scale) -> out[n][4] u16, the fourth 0      Shape  item, n points
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
};

SDD_FN void k_quantise_positions(int64_t i, const struct quantise_positions_args *a)
{
    struct sdd_u16x4 row;
    for (int32_t k = 0; k < 3; k++)
        row.v[k] = sdd_unorm16(a->p[3 * i + k], a->facts->low[k], a->facts->scale[k]);
    row.v[3] = 0;
    a->out[i] = row;
}
#endif
