/* SPDX-License-Identifier: Apache-2.0 */
/* table_kinds: tells which pieces belong to regular quads (table_regular.dev.h).
 * Shapes  faces, kind[C] i32 (table_keys) -> regular_quad[C], other_bicubic[C] i32, each 1 or 0
 * Launch  item, n = C
 * Cost    16 B read, cached, 8 B written
 * Result  regular_quad is 1 if the face is a quad whose four pieces are smooth. In a list of such pieces by corner, the
 *         four of a quad follow each other, which kernels rely on. other_bicubic is 1 for other bicubic pieces.
 * Threads any queue */
#ifndef SDD_K_TABLE_KINDS_H
#define SDD_K_TABLE_KINDS_H
#include "gpu/engines/tabulated/kernels/table_keys.k.h"

struct table_kinds_args {
    struct sdd_faces faces;
    const int32_t *kind;
    int32_t *regular_quad, *other_bicubic;
};

SDD_FN void k_table_kinds(int64_t i, const struct table_kinds_args *a)
{
    uint32_t c = (uint32_t)i;
    int32_t regular_quad = a->kind[c] == SDD_TABLE_SMOOTH; /* Smooth pieces are only found in quads. */
    for (int32_t k = 0; k < 3; k++) {
        c = sdd_next(&a->faces, c);
        regular_quad = regular_quad && a->kind[c] == SDD_TABLE_SMOOTH;
    }
    a->regular_quad[i] = regular_quad;
    a->other_bicubic[i] = a->kind[i] != SDD_TABLE_IRREGULAR && !regular_quad;
}
#endif
