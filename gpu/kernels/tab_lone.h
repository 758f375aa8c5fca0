/* SPDX-License-Identifier: Apache-2.0 */
/* tab_lone: rows without faces stay as they are on every level, and have no normals.
 * Shapes  list[n] u32, from, to [..][width] f32; from NULL: zeros      Shape  item, n = rows x width
 * Result  other rows are left alone                 Threads any queue */
#ifndef SDD_K_TAB_LONE_H
#define SDD_K_TAB_LONE_H
#include "gpu/kernel.h"

struct tab_lone_args {
    const uint32_t *list;
    const float *from;
    float *to;
    int32_t width;
};

SDD_FN void k_tab_lone(int64_t i, const struct tab_lone_args *a)
{
    int64_t at = a->width * (int64_t)a->list[i / a->width] + i % a->width;
    a->to[at] = a->from ? a->from[at] : 0.0f;
}
#endif
