/* SPDX-License-Identifier: Apache-2.0 */
/* face_corners: what a corner knows of its face: the face and the corners after and before it. Checks vertex indices.
 * It also serves face-varying channels, whose values take the place of vertices.
 * Shapes  end[F] i32 (inclusive scan of face sizes that add up to C), input[C] i32 -> vert, face, next, prev [C] u32,
 *         error[1] u64
 * Launch  item, n = F
 * Cost    4 B read and 16 B written a corner
 * Result  A left-handed face a b c d is read as a d c b. error = min(error, corner) where a vertex is not in [0, V).
 * Threads any queue */
#ifndef SDD_K_FACE_CORNERS_H
#define SDD_K_FACE_CORNERS_H
#include "gpu/kernel/kernel.h"

struct face_corners_args {
    const int32_t *end;
    const int32_t *input;
    /* `face`, `next` and `prev` are NULL for faces of one size, which need no tables. */
    uint32_t *vert, *face, *next, *prev;
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
