/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_components: a round of finding which faces hang together by edges.
 * Shapes  neighbors, from[F] u32 -> to[F] u32, changed[1] u32
 * Launch  item, n = F
 * Cost    about 16 B read a corner, 4 B written a face
 * Result  to is the least of what `from` has for the face and its neighbours, and then what `from` has for that face.
 *         Labels are faces of the same component, so once nothing changes they are its lowest face. changed = 1 where
 *         something did.
 * Threads any queue */
#ifndef SDD_K_CLUSTER_COMPONENTS_H
#define SDD_K_CLUSTER_COMPONENTS_H
#include "gpu/tiles/kernels/cluster_near.dev.h"

struct cluster_components_args {
    struct sdd_neighbors neighbors;
    const uint32_t *from;
    uint32_t *to, *changed;
};

SDD_FN void k_cluster_components(int64_t f, const struct cluster_components_args *a)
{
    const uint32_t own = a->from[f], near = sdd_least_near(&a->neighbors, a->from, (uint32_t)f);
    const uint32_t label = a->from[near < own ? near : own];
    a->to[f] = label;
    if (label != own)
        sdd_mark(a->changed);
}
#endif
