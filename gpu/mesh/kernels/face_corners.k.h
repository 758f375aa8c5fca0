/* SPDX-License-Identifier: Apache-2.0 */
/* face_corners: what a corner knows of its face: the face, the corners after and before it; checks vertex indices.
 * Also for a face-varying channel, whose values are its vertices.
 * Shapes  end[F] i32 (inclusive scan of the sizes), input[C] i32 -> vert, face, next, prev [C] u32, error[1] u64
 * Shape   item, n = F      Cost  4 B read and 16 B written a corner
 * Result  a left-handed face a b c d is read as a d c b; error = min(error, corner) where a vertex is not in [0, V).
 * Needs   sizes that add up to C: sdd_topology_create has checked them
 * Threads any queue */
#ifndef SDD_K_FACE_CORNERS_H
#define SDD_K_FACE_CORNERS_H
#include "gpu/kernel/kernel.h"

struct face_corners_args {
    const int32_t *end;
    const int32_t *input;
    uint32_t *vert, *face, *next, *prev; /* face, next and prev NULL: uniform faces need no tables */
    uint64_t *error;
    uint32_t n_vertices;
    int32_t left_handed;
};

SDD_FN void k_face_corners(int64_t f, const struct face_corners_args *a)
{
    int32_t first = f ? a->end[f - 1] : 0, end = a->end[f];
    for (int32_t c = first; c < end; c++) {
        int32_t from = a->left_handed && c > first ? first + (end - c) : c;
        uint32_t v = (uint32_t)a->input[from];
        if (v >= a->n_vertices)
            sdd_atomic_min(a->error, (uint64_t)from);
        a->vert[c] = v;
        if (a->face) {
            a->face[c] = (uint32_t)f;
            a->next[c] = (uint32_t)(c + 1 < end ? c + 1 : first);
            a->prev[c] = (uint32_t)(c > first ? c - 1 : end - 1);
        }
    }
}
#endif
