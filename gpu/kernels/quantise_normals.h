/* SPDX-License-Identifier: Apache-2.0 */
/* quantise_normals: unit vectors as points of the octahedron, in 2 x 16 bits.
 * Shapes  normal[n][3] f32 -> out[n][2] i16
 * Shape   item: rows.each rows, the last perhaps fewer; n items: rows.n / rows.each, rounded up
 * Cost    12 B read and 4 B written a normal, some 100 operations
 * Result  the nearest in angle of the four grid points around it, 0.0026 degrees away at most; zero stays zero
 * Source  Meyer et al. 2010; Cigolle et al. 2014 (the best of four)
 * Threads any queue */
#ifndef SDD_K_QUANTISE_NORMALS_H
#define SDD_K_QUANTISE_NORMALS_H
#include "gpu/kernels/quantise.h"

struct quantise_normals_args {
    const float *normal;
    struct sdd_u16x2 *out;
    struct sdd_quantise_rows rows;
};

SDD_FN void k_quantise_normals(int64_t i, const struct quantise_normals_args *a)
{
    int64_t row = sdd_quantise_first(&a->rows, i);
#ifdef __FMA__
    if (sdd_quantise_wide(&a->rows, i)) {
        sdd_oct16_eight(a->normal + 3 * row, a->out + row);
        return;
    }
#endif
    for (; row < sdd_quantise_end(&a->rows, i); row++)
        a->out[row] = sdd_oct16(a->normal[3 * row], a->normal[3 * row + 1], a->normal[3 * row + 2]);
}
#endif
