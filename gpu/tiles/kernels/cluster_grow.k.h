/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_grow: a round in which clusters grow by the faces next to them.
 * Shapes  neighbors, from[F] u32 -> to[F] u32, changed[1] u32
 * Launch  item, n = F
 * Cost    4 B read and written a face; about 16 B read a corner of a face that is in no cluster
 * Result  A face in a cluster stays there. Another one goes to the lowest of those next to it, or stays SDD_NONE.
 *         changed = 1 where one went. A launch after one that changed nothing does nothing: both arrays are the same by
 *         then.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: patch assignment */
#ifndef SDD_K_CLUSTER_GROW_H
#define SDD_K_CLUSTER_GROW_H
#include "gpu/tiles/kernels/cluster_near.dev.h"

struct cluster_grow_args {
    struct sdd_neighbors neighbors;
    const uint32_t *from;
    const uint32_t *before; /* `changed` of the launch before; NULL where there was none. */
    uint32_t *to, *changed;
};

SDD_FN void k_cluster_grow(int64_t f, const struct cluster_grow_args *a)
{
    if (a->before && !*a->before)
        return;
    uint32_t label = a->from[f];
    if (label == SDD_NONE) {
        label = sdd_least_near(&a->neighbors, a->from, (uint32_t)f);
        if (label != SDD_NONE)
            sdd_mark(a->changed);
    }
    a->to[f] = label;
}
#endif
