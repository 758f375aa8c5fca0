/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_peel: a round of peeling clusters from their boundaries.
 * Shapes  neighbors, label[F] u32, from[F] u32 -> to[F] u32, changed[1] u32
 * Launch  item, n = F
 * Cost    4 B read and written a face; about 20 B read a corner of a face that is left
 * Result  A face that has been peeled stays so. In round 0 a face beside another cluster goes, in round k one beside a
 *         face that has gone, which is of its own cluster, since faces beside others have; to = round. What is left is
 *         SDD_NONE. changed = 1 where one went. A launch after one that changed nothing does nothing: both arrays are
 *         the same by then.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: update of seeds */
#ifndef SDD_K_CLUSTER_PEEL_H
#define SDD_K_CLUSTER_PEEL_H
#include "gpu/tiles/kernels/cluster_near.dev.h"

struct cluster_peel_args {
    struct sdd_neighbors neighbors;
    const uint32_t *label, *from;
    const uint32_t *before; /* `changed` of the launch before; NULL where there was none. */
    uint32_t *to, *changed;
    uint32_t round;
};

/* Whether face f goes in this round. */
SDD_FN int sdd_peels(const struct cluster_peel_args *a, uint32_t f)
{
    struct sdd_near_walk w = sdd_near_begin(&a->neighbors, f);
    for (uint32_t g; (g = sdd_near_next(&a->neighbors, &w)) != SDD_NONE;)
        if (a->round == 0 ? a->label[g] != a->label[f] : a->from[g] != SDD_NONE)
            return 1;
    return 0;
}

SDD_FN void k_cluster_peel(int64_t f, const struct cluster_peel_args *a)
{
    if (a->before && !*a->before)
        return;
    uint32_t round = a->round > 0 ? a->from[f] : SDD_NONE;
    if (round == SDD_NONE && sdd_peels(a, (uint32_t)f)) {
        round = a->round;
        sdd_mark(a->changed);
    }
    a->to[f] = round;
}
#endif
