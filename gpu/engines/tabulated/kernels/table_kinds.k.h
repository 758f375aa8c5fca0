/* SPDX-License-Identifier: Apache-2.0 */
/* table_kinds: which pieces are parts of whole control quads (table_regular.h).
 * Shapes  faces, kind[C] i32 (table_keys) -> whole[C], half[C] i32: 1 or 0
 * Launch  item, n = C      Cost  16 B read, cached, 8 B written
 * Result  whole: its face is a quad whose four pieces are smooth, so a list of them by corners has a quad's four one
 *         after the other, as kernels take them; half: bicubic, and not whole
 * Threads any queue */
#ifndef SDD_K_TABLE_KINDS_H
#define SDD_K_TABLE_KINDS_H
#include "gpu/engines/tabulated/kernels/table_keys.k.h"

struct table_kinds_args {
    struct sdd_faces faces;
    const int32_t *kind;
    int32_t *whole, *half;
};

SDD_FN void k_table_kinds(int64_t i, const struct table_kinds_args *a)
{
    uint32_t c = (uint32_t)i;
    int32_t whole = a->kind[c] == SDD_TABLE_SMOOTH; /* so its face is a quad */
    for (int32_t k = 0; k < 3; k++) {
        c = sdd_next(&a->faces, c);
        whole = whole && a->kind[c] == SDD_TABLE_SMOOTH;
    }
    a->whole[i] = whole;
    a->half[i] = a->kind[i] != SDD_TABLE_IRREGULAR && !whole;
}
#endif
