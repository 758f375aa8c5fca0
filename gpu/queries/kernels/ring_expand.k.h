/* SPDX-License-Identifier: Apache-2.0 */
/* ring_expand: the candidates for the next round: the neighbours of all elements of this round.
 * Shapes  neighbors, key[n] u64, end[n] i32 (inclusive scan of ring_count) -> ids (scratch), candidate, value
 *         [end[n - 1]] u32, u64, i32
 * Launch  item, n keys
 * Cost    as query_count, and 20 B written a candidate
 * Result  candidate = row << bits | neighbour, with value 1. They are neither sorted nor unique.
 * Threads any queue */
#ifndef SDD_K_RING_EXPAND_H
#define SDD_K_RING_EXPAND_H
#include "gpu/queries/kernels/query_row.dev.h"

struct ring_expand_args {
    struct sdd_neighbors neighbors;
    const uint64_t *key;
    const int32_t *end;
    uint32_t *ids;
    uint64_t *candidate;
    int32_t *value;
    int32_t relation, bits;
};

SDD_FN void k_ring_expand(int64_t i, const struct ring_expand_args *a)
{
    const uint64_t key = a->key[i], low = ((uint64_t)1 << a->bits) - 1;
    const int32_t first = i > 0 ? a->end[i - 1] : 0;
    struct sdd_row r = {a->ids + first, NULL, 0};
    sdd_row_collect(&r, &a->neighbors, a->relation, (uint32_t)(key & low));
    for (int32_t k = 0; k < r.n; k++) {
        a->candidate[first + k] = (key & ~low) | r.ids[k];
        a->value[first + k] = 1;
    }
}
#endif
