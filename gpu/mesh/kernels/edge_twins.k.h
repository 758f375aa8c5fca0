/* SPDX-License-Identifier: Apache-2.0 */
/* edge_twins: the corner across each corner's edge, if there is one; finds non-manifold edges.
 * Shapes  key[C] u64 and corner[C] i32 sorted by key, vert[C] u32, faces -> twin[C] u32, boundary[C] i32, error[1] u64
 * Launch  item, n = C
 * Cost    28 B read, 8 B written
 * Result  On a boundary twin = SDD_NONE and boundary = 1. A non-manifold edge gets twin = SDD_NONE, boundary = 0 and
 *         error = min(error, corner): one of more than two faces, of two that run along it in the same direction, of
 *         one face twice, or with equal ends.
 * Threads any queue */
#ifndef SDD_K_EDGE_TWINS_H
#define SDD_K_EDGE_TWINS_H
#include "gpu/grid/faces.h"

struct edge_twins_args {
    const uint64_t *key;
    const int32_t *corner;
    const uint32_t *vert;
    struct sdd_faces faces;
    uint32_t *twin;
    int32_t *boundary;
    uint64_t *error;
    int64_t n_corners;
};

SDD_FN void k_edge_twins(int64_t i, const struct edge_twins_args *a)
{
    uint64_t key = a->key[i];
    uint32_t c = (uint32_t)a->corner[i], twin = SDD_NONE;
    int before = i > 0 && a->key[i - 1] == key;
    int after = i + 1 < a->n_corners && a->key[i + 1] == key;
    int third = (i > 1 && before && a->key[i - 2] == key) || (before && after) ||
                (i + 2 < a->n_corners && after && a->key[i + 2] == key);
    if (before || after)
        twin = (uint32_t)a->corner[before ? i - 1 : i + 1];
    int nonmanifold = third || a->vert[sdd_next(&a->faces, c)] == a->vert[c];
    if (twin != SDD_NONE)
        nonmanifold |= a->vert[twin] == a->vert[c] || sdd_face(&a->faces, twin) == sdd_face(&a->faces, c);
    if (nonmanifold) {
        sdd_atomic_min(a->error, (uint64_t)c);
        twin = SDD_NONE;
    }
    a->twin[c] = twin;
    a->boundary[c] = twin == SDD_NONE && !nonmanifold;
}
#endif
