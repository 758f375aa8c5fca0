/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_components: a round of finding which faces hang together by edges.
 * Shapes  neighbors, from[F] u32 -> to[F] u32, changed[1] u32
 * Launch  item, n = F
 * Cost    about 12 B read a corner, 12 B read and 8 B written a face
 * Result  `to` begins as a copy of `from`. A face that is next to one of a lower label hands that on: to itself, and to
 *         the face that is its label, so that whoever has that label finds it there in the next round. Labels are faces
 *         of the same component, so once nothing changes they are its lowest face; that takes a number of rounds like
 *         the logarithm of a component, however its faces are numbered. changed = 1 where something changed. A launch
 *         after one that changed nothing does nothing.
 * Threads any queue
 * Source  Zhang, Azad and Hu 2020, FastSV */
#ifndef SDD_K_CLUSTER_COMPONENTS_H
#define SDD_K_CLUSTER_COMPONENTS_H
#include "gpu/tiles/kernels/cluster_near.dev.h"

struct cluster_components_args {
    struct sdd_neighbors neighbors;
    const uint32_t *from;
    const uint32_t *before; /* `changed` of the launch before; NULL where there was none. */
    uint32_t *to, *changed;
};

SDD_FN void k_cluster_components(int64_t f, const struct cluster_components_args *a)
{
    if (a->before && !*a->before)
        return;
    const uint32_t own = a->from[f], near = sdd_least_near(&a->neighbors, a->from, (uint32_t)f);
    const uint32_t label = a->from[near < own ? near : own];
    if (label >= own)
        return;
    sdd_atomic_min32(a->to + f, label);
    sdd_atomic_min32(a->to + own, label);
    sdd_mark(a->changed);
}
#endif
