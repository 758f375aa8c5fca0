/* SPDX-License-Identifier: Apache-2.0 */
/* face_tables: the face of each corner and the corners after and before it, where it is known where faces end.
 * Shapes  end[F] i32 -> face, next, prev [C] u32
 * Launch  item, n = F
 * Cost    4 B read a face, 12 B written a corner
 * Result  As face_corners makes them.
 * Threads any queue */
#ifndef SDD_K_FACE_TABLES_H
#define SDD_K_FACE_TABLES_H
#include "gpu/kernel/kernel.h"

struct face_tables_args {
    const int32_t *end;
    uint32_t *face, *next, *prev;
};

SDD_FN void k_face_tables(int64_t f, const struct face_tables_args *a)
{
    const int32_t first = f ? a->end[f - 1] : 0, end = a->end[f];
    for (int32_t c = first; c < end; c++) {
        a->face[c] = (uint32_t)f;
        a->next[c] = (uint32_t)(c + 1 < end ? c + 1 : first);
        a->prev[c] = (uint32_t)(c > first ? c - 1 : end - 1);
    }
}
#endif
