/* SPDX-License-Identifier: Apache-2.0 */
/* crease_apply: gives each creased edge the sharpness of the last row that names it, and finds creases without an edge.
 * Shapes  key[n] u64 and row[n] i32 sorted by key, sharpness[n] f32, edge_corner[E], vert[C] u32, faces ->
 *         edge_sharp[E] f32, error[1] u64
 * Launch  item, n = creases
 * Cost    log2 E reads
 * Result  The sort is stable, so the last row of a run is the one that counts. error = min(error, row) where no edge is
 *         found.
 * Threads any queue */
#ifndef SDD_K_CREASE_APPLY_H
#define SDD_K_CREASE_APPLY_H
#include "gpu/mesh/kernels/edge_keys.k.h"

struct crease_apply_args {
    const uint64_t *key;
    const int32_t *row;
    const float *sharpness;
    const uint32_t *edge_corner, *vert;
    struct sdd_faces faces;
    float *edge_sharp;
    uint64_t *error;
    int64_t n_creases, n_edges;
    int32_t bits;
};

SDD_FN void k_crease_apply(int64_t i, const struct crease_apply_args *a)
{
    int64_t low = 0, high = a->n_edges;
    while (low < high) { /* Edges are numbered by key. */
        int64_t middle = (low + high) / 2;
        uint32_t c = a->edge_corner[middle];
        if (sdd_edge_key(a->vert[c], a->vert[sdd_next(&a->faces, c)], a->bits) < a->key[i])
            low = middle + 1;
        else
            high = middle;
    }
    if (low < a->n_edges) {
        uint32_t c = a->edge_corner[low];
        if (sdd_edge_key(a->vert[c], a->vert[sdd_next(&a->faces, c)], a->bits) == a->key[i]) {
            float s = a->sharpness[a->row[i]];
            if (i + 1 == a->n_creases || a->key[i + 1] != a->key[i])
                a->edge_sharp[low] = s < 10.0f ? s : 10.0f;
            return;
        }
    }
    sdd_atomic_min(a->error, (uint64_t)a->row[i]);
}
#endif
