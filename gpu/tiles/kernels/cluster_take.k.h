/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_take: lists the flagged faces of a list, in order.
 * Shapes  face[n] i32, flag[n] i32, rank[n] i32 (inclusive scan of flag) -> seed[sum of flag] u32
 * Launch  item, n faces
 * Cost    12 B read a face, 4 B written a flagged one
 * Result  seed[rank - 1] = face where flag is 1
 * Threads any queue */
#ifndef SDD_K_CLUSTER_TAKE_H
#define SDD_K_CLUSTER_TAKE_H
#include "gpu/kernel/kernel.h"

struct cluster_take_args {
    const int32_t *face, *flag, *rank;
    uint32_t *seed;
};

SDD_FN void k_cluster_take(int64_t i, const struct cluster_take_args *a)
{
    if (a->flag[i])
        a->seed[a->rank[i] - 1] = (uint32_t)a->face[i];
}
#endif
