/* SPDX-License-Identifier: Apache-2.0 */
/* ring_count: how many candidates for the next round each element of this round has.
 * Shapes  neighbors, key[n] u64 -> count[n] i32
 * Launch  item, n keys
 * Cost    as query_count
 * Result  the room that ring_expand needs
 * Threads any queue */
#ifndef SDD_K_RING_COUNT_H
#define SDD_K_RING_COUNT_H
#include "gpu/queries/kernels/query_row.dev.h"

struct ring_count_args {
    struct sdd_neighbors neighbors;
    const uint64_t *key;
    int32_t *count;
    int32_t relation, bits; /* A key is row << bits | element. */
};

SDD_FN void k_ring_count(int64_t i, const struct ring_count_args *a)
{
    struct sdd_row r = {NULL, NULL, 0};
    sdd_row_collect(&r, &a->neighbors, a->relation, (uint32_t)(a->key[i] & (((uint64_t)1 << a->bits) - 1)));
    a->count[i] = r.n;
}
#endif
