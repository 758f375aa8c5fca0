/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3_borders: the columns of the control mesh's boundary edges: where each begins and where it ends in its
 * face.
 * Shapes  reduced mesh matrix of C entries, twin[C] u32 (from C on for boundary edges) -> rid[B][2] u32
 * Launch  item, n = C
 * Cost    4 B read a half-edge, 8 B written on the boundary
 * Result  Columns are in the order of the boundary edges' numbers.
 * Threads any queue */
#ifndef SDD_K_SPLA_SQRT3_BORDERS_H
#define SDD_K_SPLA_SQRT3_BORDERS_H
#include "gpu/engines/spla/kernels/spla_sqrt3.dev.h"

struct spla_sqrt3_borders_args {
    const uint32_t *vert, *twin;
    uint32_t *rid;
    uint32_t n_entries;
};

SDD_FN void k_spla_sqrt3_borders(int64_t z, const struct spla_sqrt3_borders_args *a)
{
    if (a->twin[z] < a->n_entries)
        return;
    size_t line = a->twin[z] - a->n_entries;
    a->rid[2 * line] = a->vert[z];
    a->rid[2 * line + 1] = a->vert[z % 3 == 2 ? z - 2 : z + 1];
}
#endif
