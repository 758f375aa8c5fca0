/* SPDX-License-Identifier: Apache-2.0 */
/* edge_use_keys: sort keys that bring the corners of an edge together.
 * Shapes  edge[C] u32 -> key[C] u64, value[C] i32
 * Launch  item, n = C
 * Cost    4 B read and 12 B written a corner
 * Result  key = edge, value = corner
 * Threads any queue */
#ifndef SDD_K_EDGE_USE_KEYS_H
#define SDD_K_EDGE_USE_KEYS_H
#include "gpu/kernel/kernel.h"

struct edge_use_keys_args {
    const uint32_t *edge;
    uint64_t *key;
    int32_t *value;
};

SDD_FN void k_edge_use_keys(int64_t c, const struct edge_use_keys_args *a)
{
    a->key[c] = a->edge[c];
    a->value[c] = (int32_t)c;
}
#endif
