/* SPDX-License-Identifier: Apache-2.0 */
/* edge_keys: sort keys that bring the corners of an edge together and number edges by (lower vertex, higher vertex).
 * Shapes  vert[C] u32, faces -> key[C] u64, value[C] i32
 * Launch  item, n = C
 * Cost    24 B a corner
 * Result  key = lower << bits | higher, value = corner
 * Threads any queue */
#ifndef SDD_K_EDGE_KEYS_H
#define SDD_K_EDGE_KEYS_H
#include "gpu/grid/faces.h"

struct edge_keys_args {
    const uint32_t *vert;
    struct sdd_faces faces;
    uint64_t *key;
    int32_t *value;
    int32_t bits; /* Vertex ids are below 2^bits. */
};

SDD_FN uint64_t sdd_edge_key(uint32_t u, uint32_t v, int32_t bits)
{
    return u < v ? (uint64_t)u << bits | v : (uint64_t)v << bits | u;
}

SDD_FN void k_edge_keys(int64_t c, const struct edge_keys_args *a)
{
    a->key[c] = sdd_edge_key(a->vert[c], a->vert[sdd_next(&a->faces, (uint32_t)c)], a->bits);
    a->value[c] = (int32_t)c;
}
#endif
