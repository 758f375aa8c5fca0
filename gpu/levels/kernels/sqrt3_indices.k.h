/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_indices: the visible faces of a level: those that come from faces that are not holes.
 * Shapes  vert[3 F n] u32, visible[S] u32 (corners) -> face[S / 3 n][3] u32
 * Launch  item, n = S / 3 n, n = 3^L
 * Cost    12 B read, 12 B written a face
 * Result  Faces keep their order.
 * Threads any queue */
#ifndef SDD_K_SQRT3_INDICES_H
#define SDD_K_SQRT3_INDICES_H
#include "gpu/rules/sqrt3_grid.h"

struct sqrt3_indices_args {
    const uint32_t *vert;
    const uint32_t *visible; /* NULL where all corners are visible. */
    uint32_t *face;
    int64_t each; /* The number of faces that a control face has become. */
};

SDD_FN void k_sqrt3_indices(int64_t k, const struct sqrt3_indices_args *a)
{
    int64_t from = sdd_sqrt3_visible(a->visible, a->each, k);
    for (int32_t i = 0; i < 3; i++)
        a->face[3 * k + i] = a->vert[3 * from + i];
}
#endif
