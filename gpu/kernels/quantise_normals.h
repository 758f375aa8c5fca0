/* SPDX-License-Identifier: Apache-2.0 */
/* quantise_normals: unit vectors as points of the octahedron, in 2 x 16 bits.
 * Shapes  normal[n][3] f32 -> out[n][2] i16      Shape  item, n normals
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
};

SDD_FN void k_quantise_normals(int64_t i, const struct quantise_normals_args *a)
{
    a->out[i] = sdd_oct16(a->normal[3 * i], a->normal[3 * i + 1], a->normal[3 * i + 2]);
}
#endif
