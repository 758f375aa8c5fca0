/* SPDX-License-Identifier: Apache-2.0 */
/* boundary_none_faces: boundary rule `none`: a face that touches a vertex of a boundary edge that was not authored
 * infinitely sharp becomes a hole.
 * Shapes  end[F] i32, vert[C], soft[V] u32 (edge_implicit) -> hole[F] u32
 * Launch  item, n = F
 * Result  Other faces keep what hole held.
 * Threads any queue */
#ifndef SDD_K_BOUNDARY_NONE_FACES_H
#define SDD_K_BOUNDARY_NONE_FACES_H
#include "gpu/kernel/kernel.h"

struct boundary_none_faces_args {
    const int32_t *end;
    const uint32_t *vert, *soft;
    uint32_t *hole;
};

SDD_FN void k_boundary_none_faces(int64_t f, const struct boundary_none_faces_args *a)
{
    for (int32_t c = f ? a->end[f - 1] : 0; c < a->end[f]; c++)
        if (a->soft[a->vert[c]])
            a->hole[f] = 1;
}
#endif
