/* SPDX-License-Identifier: Apache-2.0 */
/* ghost_faces: numbers the boundary loops; each is a ghost face, fanned around one ghost vertex.
 * Shapes  label[B] u32, rank[B] i32 (inclusive scan of ghost_heads) -> face[B], first[H] u32
 * Launch  item, n = B
 * Result  Ghost faces follow the F real ones. first[h] is a ghost corner of loop h.
 * Threads any queue */
#ifndef SDD_K_GHOST_FACES_H
#define SDD_K_GHOST_FACES_H
#include "gpu/kernel/kernel.h"

struct ghost_faces_args {
    const uint32_t *label;
    const int32_t *rank;
    uint32_t *face, *first;
    uint32_t n_corners, n_faces;
};

SDD_FN void k_ghost_faces(int64_t g, const struct ghost_faces_args *a)
{
    uint32_t loop = (uint32_t)a->rank[a->label[g]] - 1;
    a->face[g] = a->n_faces + loop;
    if (a->label[g] == (uint32_t)g)
        a->first[loop] = a->n_corners + (uint32_t)g;
}
#endif
