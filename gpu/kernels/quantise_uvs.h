/* SPDX-License-Identifier: Apache-2.0 */
/* quantise_uvs: UVs as half floats.
 * Shapes  uv[n][2] f32 -> out[n][2] f16, facts[1] (overflow)
 * Shape   item: rows.each rows, the last perhaps fewer; n items: rows.n / rows.each, rounded up
 * Cost    8 B read and 4 B written a value
 * Result  nearest, ties to even; overflow = min(overflow, row of a value that became infinite)
 * Threads any queue */
#ifndef SDD_K_QUANTISE_UVS_H
#define SDD_K_QUANTISE_UVS_H
#include "gpu/kernels/quantise.h"

struct quantise_uvs_args {
    const float *uv;
    struct sdd_u16x2 *out;
    struct sdd_quantise_facts *facts;
    struct sdd_quantise_rows rows;
};

SDD_FN void k_quantise_uvs(int64_t i, const struct quantise_uvs_args *a)
{
    int64_t row = sdd_quantise_first(&a->rows, i);
    struct sdd_u16x2 out;
#ifdef __FMA__
    if (sdd_quantise_wide(&a->rows, i) && sdd_f16_eight(a->uv + 2 * row, a->out + row))
        return;
#endif
    for (; row < sdd_quantise_end(&a->rows, i); row++) {
        out.v[0] = sdd_f16(a->uv[2 * row]);
        out.v[1] = sdd_f16(a->uv[2 * row + 1]);
        a->out[row] = out;
        if ((out.v[0] & 0x7fffu) == SDD_F16_INFINITE || (out.v[1] & 0x7fffu) == SDD_F16_INFINITE)
            sdd_atomic_min(&a->facts->overflow, (uint64_t)row);
    }
}
#endif
