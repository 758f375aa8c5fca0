/* SPDX-License-Identifier: Apache-2.0 */
/* edge_use_begins: where the corners of each edge begin.
 * Shapes  key[C] u64, sorted, each edge at least once -> begin[E + 1] u32
 * Launch  item, n = C
 * Cost    16 B read a corner, 4 B written an edge
 * Result  The corners of edge e are begin[e] to begin[e + 1] - 1.
 * Threads any queue */
#ifndef SDD_K_EDGE_USE_BEGINS_H
#define SDD_K_EDGE_USE_BEGINS_H
#include "gpu/kernel/kernel.h"

struct edge_use_begins_args {
    const uint64_t *key;
    uint32_t *begin;
    int64_t n_corners;
};

SDD_FN void k_edge_use_begins(int64_t i, const struct edge_use_begins_args *a)
{
    if (i == 0 || a->key[i] != a->key[i - 1])
        a->begin[a->key[i]] = (uint32_t)i;
    if (i + 1 == a->n_corners)
        a->begin[a->key[i] + 1] = (uint32_t)a->n_corners;
}
#endif
