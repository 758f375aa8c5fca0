/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3_twins: the half-edge across each one, from the matrices, for the limit and the normals of the last level.
 * Shapes  level (spla_sqrt3.dev.h) of C entries -> twin[C] u32
 * Launch  item, n = C
 * Cost    a search in a column of F, on the boundary one in a column of the lines
 * Result  C + o at boundary edge o
 * Threads any queue */
#ifndef SDD_K_SPLA_SQRT3_TWINS_H
#define SDD_K_SPLA_SQRT3_TWINS_H
#include "gpu/engines/spla/kernels/spla_sqrt3.dev.h"

struct spla_sqrt3_twins_args {
    struct sdd_thirds around;
    uint32_t *twin;
};

SDD_FN void k_spla_sqrt3_twins(int64_t z, const struct spla_sqrt3_twins_args *a)
{
    uint32_t across = sdd_thirds_across(&a->around, (uint32_t)z);
    a->twin[z] = across != SDD_NONE ? across : a->around.m.n_entries + sdd_thirds_line(&a->around, (uint32_t)z);
}
#endif
