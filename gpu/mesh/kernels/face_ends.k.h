/* SPDX-License-Identifier: Apache-2.0 */
/* face_ends: where each face's corners end, for faces of one size; it saves an upload and a scan.
 * Shapes  -> end[F] i32
 * Launch  item, n = F
 * Cost    4 B written a face
 * Result  the inclusive scan of F equal sizes
 * Threads any queue */
#ifndef SDD_K_FACE_ENDS_H
#define SDD_K_FACE_ENDS_H
#include "gpu/kernel/kernel.h"

struct face_ends_args {
    int32_t *end;
    int64_t size;
};

SDD_FN void k_face_ends(int64_t f, const struct face_ends_args *a)
{
    a->end[f] = (int32_t)((f + 1) * a->size);
}
#endif
