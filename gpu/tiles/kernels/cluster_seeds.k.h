/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_seeds: flags the first seeds: the first face of each component, and one in so many of its others.
 * Shapes  key[F] u64, sorted: the component of each face, begin[F] u32 (cluster_bounds) -> flag[F] i32
 * Launch  item, n = F
 * Cost    12 B read and 4 B written a face
 * Result  The flags of a component are at place 0 of its part of the list, and where a hash of the place is a multiple
 *         of spacing: wherever faces are in a list, this spreads seeds over the surface.
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
    uint32_t place = (uint32_t)i - a->begin[a->key[i]];
    place = (place ^ place >> 16) * 0x45d9f3bu;
    place = (place ^ place >> 16) * 0x45d9f3bu; /* 0 stays 0. */
    a->flag[i] = (place ^ place >> 16) % a->spacing == 0;
}
#endif
