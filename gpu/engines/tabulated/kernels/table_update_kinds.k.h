/* SPDX-License-Identifier: Apache-2.0 */
/* table_update_kinds: says of some quads of level 1 what table_keys and table_kinds say of all.
 * Shapes  control mesh, corner[n] u32 -> key[n] u64, list[n] u32 (enum sdd_table_list), none[1] u32
 * Launch  item, n
 * Cost    about 60 B read a piece, or 240 where all four of its face are looked at
 * Result  key is that of table_keys where the list is SDD_TABLE_IN_OTHERS, else 0. none is as of table_keys.
 * Threads any queue */
#ifndef SDD_K_TABLE_UPDATE_KINDS_H
#define SDD_K_TABLE_UPDATE_KINDS_H
#include "gpu/engines/tabulated/kernels/table_keys.k.h"

/* The lists of pieces, in the order in which they follow each other. */
enum sdd_table_list { SDD_TABLE_IN_QUADS, SDD_TABLE_IN_BICUBIC, SDD_TABLE_IN_OTHERS };

struct table_update_kinds_args {
    struct sdd_control mesh;
    const uint32_t *corner;
    uint64_t *key;
    uint32_t *list, *none;
};

SDD_FN int32_t sdd_table_kind(const struct sdd_control *m, uint32_t c)
{
    if (sdd_table_is_regular(m, c))
        return sdd_table_is_smooth(m, c) ? SDD_TABLE_SMOOTH : SDD_TABLE_BICUBIC;
    return sdd_table_is_regular_quad_end(m, c) ? SDD_TABLE_SMOOTH : SDD_TABLE_IRREGULAR;
}

SDD_FN void k_table_update_kinds(int64_t i, const struct table_update_kinds_args *a)
{
    const struct sdd_control *m = &a->mesh;
    const uint32_t c = a->corner[i];
    const int32_t kind = sdd_table_kind(m, c);
    int32_t regular_quad = kind == SDD_TABLE_SMOOTH;
    uint32_t q = c;
    for (int32_t k = 0; k < 3 && regular_quad; k++) {
        q = sdd_next(&m->faces, q);
        regular_quad = sdd_table_kind(m, q) == SDD_TABLE_SMOOTH;
    }
    a->list[i] = kind == SDD_TABLE_IRREGULAR ? SDD_TABLE_IN_OTHERS
                 : regular_quad              ? SDD_TABLE_IN_QUADS
                                             : SDD_TABLE_IN_BICUBIC;
    a->key[i] = kind == SDD_TABLE_IRREGULAR ? sdd_table_key(m, c, a->none) : 0;
}
#endif
