/* SPDX-License-Identifier: Apache-2.0 */
/* vertex_heads: where each vertex's run of sorted corners begins and ends; finds faces that repeat a vertex.
 * Shapes  key[C] u64 and corner[C] i32 sorted by key, faces -> begin, end [V] u32, error[1] u64
 * Launch  item, n = C
 * Cost    20 B read a corner
 * Result  Vertices without corners keep what begin and end held; the caller zeroes them. error = min(error, corner) for
 *         a corner whose vertex has an earlier corner in the same face; the sort is stable, so such corners are
 *         neighbours.
 * Threads any queue */
#ifndef SDD_K_VERTEX_HEADS_H
#define SDD_K_VERTEX_HEADS_H
#include "gpu/grid/faces.h"

struct vertex_heads_args {
    const uint64_t *key;
    const int32_t *corner;
    struct sdd_faces faces;
    uint32_t *begin, *end;
    uint64_t *error;
    int64_t n_corners;
    uint32_t n_vertices;
};

SDD_FN void k_vertex_heads(int64_t i, const struct vertex_heads_args *a)
{
    uint64_t v = a->key[i];
    if (v >= a->n_vertices)
        return;
    if (i == 0 || a->key[i - 1] != v)
        a->begin[v] = (uint32_t)i;
    else if (sdd_face(&a->faces, (uint32_t)a->corner[i - 1]) == sdd_face(&a->faces, (uint32_t)a->corner[i]))
        sdd_atomic_min(a->error, (uint64_t)a->corner[i]);
    if (i + 1 == a->n_corners || a->key[i + 1] != v)
        a->end[v] = (uint32_t)i + 1;
}
#endif
