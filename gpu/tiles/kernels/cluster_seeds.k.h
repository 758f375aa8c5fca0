/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_seeds: flags the first seeds: the first face of each component, and every face so many after it.
 * Shapes  key[F] u64, sorted: the component of each face, begin[F] u32 (cluster_bounds) -> flag[F] i32
 * Launch  item, n = F
 * Cost    12 B read and 4 B written a face
 * Result  The flags of a component are at places 0, spacing, 2 spacing .. of its part of the list.
 * Threads any queue */
#ifndef SDD_K_CLUSTER_SEEDS_H
#define SDD_K_CLUSTER_SEEDS_H
#include "gpu/kernel/kernel.h"

struct cluster_seeds_args {
    const uint64_t *key;
    const uint32_t *begin;
    int32_t *flag;
    uint32_t spacing;
};

SDD_FN void k_cluster_seeds(int64_t i, const struct cluster_seeds_args *a)
{
    a->flag[i] = ((uint32_t)i - a->begin[a->key[i]]) % a->spacing == 0;
}
#endif
