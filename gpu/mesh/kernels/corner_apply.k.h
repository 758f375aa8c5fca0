/* SPDX-License-Identifier: Apache-2.0 */
/* corner_apply: gives each tagged vertex the sharpness of the last row that names it.
 * Shapes  key[n] u64 and row[n] i32 sorted by key (vertex_keys), sharpness[n] f32 -> vert_sharp[V] f32, error[1] u64
 * Launch  item, n = corner tags
 * Result  error = min(error, row) where the vertex is not in [0, V)
 * Threads any queue */
#ifndef SDD_K_CORNER_APPLY_H
#define SDD_K_CORNER_APPLY_H
#include "gpu/kernel/kernel.h"

struct corner_apply_args {
    const uint64_t *key;
    const int32_t *row;
    const float *sharpness;
    float *vert_sharp;
    uint64_t *error;
    int64_t n_tags;
    uint32_t n_vertices;
};

SDD_FN void k_corner_apply(int64_t i, const struct corner_apply_args *a)
{
    uint64_t v = a->key[i];
    float s = a->sharpness[a->row[i]];
    if (v >= a->n_vertices)
        sdd_atomic_min(a->error, (uint64_t)a->row[i]);
    else if (i + 1 == a->n_tags || a->key[i + 1] != v)
        a->vert_sharp[v] = s < 10.0f ? s : 10.0f;
}
#endif
