/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_more: further seeds for clusters that are too large.
 * Shapes  begin, end [n] u32, face[F] u32 (cluster_centres), more[n] i32, rank[n] i32 (inclusive scan of more) ->
 *         seed[n + rank[n - 1]] u32
 * Launch  item, n clusters
 * Cost    16 B read a cluster, 4 B written a seed
 * Result  The new seeds of a cluster are at even distances in its list of faces, and none of them is its centre.
 * Threads any queue */
#ifndef SDD_K_CLUSTER_MORE_H
#define SDD_K_CLUSTER_MORE_H
#include "gpu/kernel/kernel.h"

struct cluster_more_args {
    const uint32_t *begin, *end, *face;
    const int32_t *more, *rank;
    uint32_t *seed;
    int64_t n;
};

SDD_FN void k_cluster_more(int64_t t, const struct cluster_more_args *a)
{
    const uint32_t more = (uint32_t)a->more[t], size = a->end[t] - a->begin[t];
    uint32_t *to = a->seed + a->n + (uint32_t)a->rank[t] - more;
    for (uint32_t k = 0; k < more; k++) { /* Places differ by two or more, so the next one is free. */
        const uint32_t place = a->begin[t] + (uint32_t)((uint64_t)size * k / more), f = a->face[place];
        to[k] = f == a->seed[t] ? a->face[place + 1] : f;
    }
}
#endif
