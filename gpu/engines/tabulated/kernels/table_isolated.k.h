/* SPDX-License-Identifier: Apache-2.0 */
/* table_isolated: copies the rows of vertices without faces, which stay as they are on every level. Their normals
 * are zero.
 * Shapes  list[n] u32, from, to [..][width] f32; `from` is NULL for zeros; `to` may have 16 bits a number
 *         (rows_out.h)
 * Launch  item, n = rows x width, or n = rows if numbers have 16 bits
 * Result  Other rows keep what they held.
 * Threads any queue */
#ifndef SDD_K_TABLE_ISOLATED_H
#define SDD_K_TABLE_ISOLATED_H
#include "gpu/kernel/rows_out.h"

struct table_isolated_args {
    const uint32_t *list;
    const float *from;
    float *to;
    int32_t width;
    struct sdd_rows_as as;
};

SDD_FN void k_table_isolated(int64_t i, const struct table_isolated_args *a)
{
    if (a->as.format != SDD_ROWS_F32) {
        struct sdd_vec3 p = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        struct sdd_width w = sdd_width_of(a->width, a->width);
        sdd_row_out(a->to, &a->as, a->list[i], w, a->from ? sdd_row_load(a->from, a->list[i], w) : p);
        return;
    }
    int64_t at = a->width * (int64_t)a->list[i / a->width] + i % a->width;
    a->to[at] = a->from ? a->from[at] : 0.0f;
}
#endif
