/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_centres: the new seed of each cluster, and how many more it needs.
 * Shapes  begin, end [n] u32, face[F] u32: the faces of each cluster ascending, peeled[F] u32 (cluster_peel) ->
 *         seed[n] u32, more[n] i32, large[n] i32
 * Launch  item, n clusters
 * Cost    8 B read a face, 12 B written a cluster
 * Result  The seed is the lowest of the faces that were peeled last. large = 1 for a cluster of more than `most` faces;
 *         more = one for each `most` faces of it, where `add` is set, else 0. A cluster without faces keeps its seed.
 * Threads any queue */
#ifndef SDD_K_CLUSTER_CENTRES_H
#define SDD_K_CLUSTER_CENTRES_H
#include "gpu/kernel/kernel.h"

struct cluster_centres_args {
    const uint32_t *begin, *end, *face, *peeled;
    uint32_t *seed;
    int32_t *more, *large;
    uint32_t most;
    int32_t add;
};

SDD_FN void k_cluster_centres(int64_t t, const struct cluster_centres_args *a)
{
    const uint32_t n = a->end[t] - a->begin[t];
    uint32_t centre = a->seed[t], last = 0;
    for (uint32_t i = a->begin[t]; i < a->end[t]; i++) {
        const uint32_t f = a->face[i], depth = a->peeled[f] == SDD_NONE ? 0 : a->peeled[f] + 1;
        if (i == a->begin[t] || depth > last) {
            centre = f;
            last = depth;
        }
    }
    a->seed[t] = centre;
    a->large[t] = n > a->most;
    a->more[t] = a->add && n > a->most ? (int32_t)(n / a->most) : 0;
}
#endif
