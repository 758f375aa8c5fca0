/* SPDX-License-Identifier: Apache-2.0 */
/* vertex_keys: sort keys that bring the corners of a vertex together, in corner order.
 * Shapes  vert[C] u32 -> key[C] u64, value[C] i32
 * Launch  item, n = C
 * Cost    16 B a corner
 * Result  key = vertex, value = corner
 * Threads any queue */
#ifndef SDD_K_VERTEX_KEYS_H
#define SDD_K_VERTEX_KEYS_H
#include "gpu/kernel/kernel.h"

struct vertex_keys_args {
    const uint32_t *vert;
    uint64_t *key;
    int32_t *value;
};

SDD_FN void k_vertex_keys(int64_t c, const struct vertex_keys_args *a)
{
    a->key[c] = a->vert[c];
    a->value[c] = (int32_t)c;
}
#endif
