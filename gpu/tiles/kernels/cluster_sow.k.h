/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_sow: puts each cluster's seed into it.
 * Shapes  seed[n] u32, each once -> label[F] u32
 * Launch  item, n clusters
 * Cost    4 B read and written a cluster
 * Result  label[seed[t]] = t; other labels stay.
 * Threads any queue */
#ifndef SDD_K_CLUSTER_SOW_H
#define SDD_K_CLUSTER_SOW_H
#include "gpu/kernel/kernel.h"

struct cluster_sow_args {
    const uint32_t *seed;
    uint32_t *label;
};

SDD_FN void k_cluster_sow(int64_t t, const struct cluster_sow_args *a)
{
    a->label[a->seed[t]] = (uint32_t)t;
}
#endif
