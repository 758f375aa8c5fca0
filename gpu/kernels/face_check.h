/* SPDX-License-Identifier: Apache-2.0 */
/* face_check: finds the first face whose size is not in [3, limit].
 * Shapes  count[F] i32 -> error[1] u64      Shape  item, n = F      Cost  4 B read a face
 * Result  error = min(error, face)          Threads any queue */
#ifndef SDD_K_FACE_CHECK_H
#define SDD_K_FACE_CHECK_H
#include "gpu/kernel.h"

struct face_check_args {
    const int32_t *count;
    uint64_t *error;
    int32_t limit;
};

SDD_FN void k_face_check(int64_t f, const struct face_check_args *a)
{
    if (a->count[f] < 3 || a->count[f] > a->limit)
        sdd_atomic_min(a->error, (uint64_t)f);
}
#endif
