/* SPDX-License-Identifier: Apache-2.0 */
/* crease_keys: sort keys of the authored creases, in the numbering of edge_keys; finds vertices out of range.
 * Shapes  pair[n][2] i32 -> key[n] u64, value[n] i32, error[1] u64
 * Launch  item, n = creases
 * Result  error = min(error, row) where a vertex is not in [0, V)
 * Threads any queue */
#ifndef SDD_K_CREASE_KEYS_H
#define SDD_K_CREASE_KEYS_H
#include "gpu/mesh/kernels/edge_keys.k.h"

struct crease_keys_args {
    const int32_t *pair;
    uint64_t *key;
    int32_t *value;
    uint64_t *error;
    uint32_t n_vertices;
    int32_t bits;
};

SDD_FN void k_crease_keys(int64_t i, const struct crease_keys_args *a)
{
    uint32_t u = (uint32_t)a->pair[2 * i], v = (uint32_t)a->pair[2 * i + 1];
    if (u >= a->n_vertices || v >= a->n_vertices) {
        sdd_atomic_min(a->error, (uint64_t)i);
        u = v = 0;
    }
    a->key[i] = sdd_edge_key(u, v, a->bits);
    a->value[i] = (int32_t)i;
}
#endif
