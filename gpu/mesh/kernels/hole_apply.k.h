/* SPDX-License-Identifier: Apache-2.0 */
/* hole_apply: marks the faces that are holes.
 * Shapes  list[n] i32 -> hole[F] u32, error[1] u64
 * Launch  item, n = authored holes
 * Result  All writers of a word of hole write 1. error = min(error, row) where the face is not in [0, F).
 * Threads any queue */
#ifndef SDD_K_HOLE_APPLY_H
#define SDD_K_HOLE_APPLY_H
#include "gpu/kernel/kernel.h"

struct hole_apply_args {
    const int32_t *list;
    uint32_t *hole;
    uint64_t *error;
    uint32_t n_faces;
};

SDD_FN void k_hole_apply(int64_t i, const struct hole_apply_args *a)
{
    uint32_t f = (uint32_t)a->list[i];
    if (f >= a->n_faces)
        sdd_atomic_min(a->error, (uint64_t)i);
    else
        sdd_mark(a->hole + f);
}
#endif
