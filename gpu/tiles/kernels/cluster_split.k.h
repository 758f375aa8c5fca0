/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_split: makes each face of a cluster that has stayed too large a cluster of its own; two launches.
 * Shapes  begin, end [clusters] u32, flag[F] i32 or rank[F] i32 (inclusive scan of flag), label[F] u32
 * Launch  item, n = F
 * Cost    16 B read and 4 B written a face
 * Result  Without rank, flag = 1 for each face of such a cluster. With it, such a face gets label n + rank - 1.
 * Threads any queue */
#ifndef SDD_K_CLUSTER_SPLIT_H
#define SDD_K_CLUSTER_SPLIT_H
#include "gpu/kernel/kernel.h"

struct cluster_split_args {
    const uint32_t *begin, *end;
    int32_t *flag;
    const int32_t *rank;
    uint32_t *label;
    uint32_t most, n;
};

SDD_FN void k_cluster_split(int64_t f, const struct cluster_split_args *a)
{
    const uint32_t t = a->label[f];
    const int large = t < a->n && a->end[t] - a->begin[t] > a->most;
    if (!a->rank)
        a->flag[f] = large;
    else if (large)
        a->label[f] = a->n + (uint32_t)a->rank[f] - 1;
}
#endif
