/* SPDX-License-Identifier: Apache-2.0 */
/* channel_keys: sort keys of the corners of a face-varying channel, by value and, within a value, by vertex.
 * Shapes  value, vert [C] u32 -> key[C] u64, corner[C] i32
 * Launch  item, n = C
 * Cost    20 B a corner
 * Result  key = value << bits | vertex, corner = the corner
 * Threads any queue */
#ifndef SDD_K_CHANNEL_KEYS_H
#define SDD_K_CHANNEL_KEYS_H
#include "gpu/kernel/kernel.h"

struct channel_keys_args {
    const uint32_t *value, *vert;
    uint64_t *key;
    int32_t *corner;
    int32_t bits; /* Vertex ids are below 2^bits. */
};

SDD_FN void k_channel_keys(int64_t c, const struct channel_keys_args *a)
{
    a->key[c] = (uint64_t)a->value[c] << a->bits | a->vert[c];
    a->corner[c] = (int32_t)c;
}
#endif
