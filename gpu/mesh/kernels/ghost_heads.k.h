/* SPDX-License-Identifier: Apache-2.0 */
/* ghost_heads: flags the lowest ghost of each boundary loop.
 * Shapes  label[B] u32 -> flag[B] i32
 * Launch  item, n = B
 * Result  1 or 0, and one 1 a loop
 * Threads any queue */
#ifndef SDD_K_GHOST_HEADS_H
#define SDD_K_GHOST_HEADS_H
#include "gpu/kernel/kernel.h"

struct ghost_heads_args {
    const uint32_t *label;
    int32_t *flag;
};

SDD_FN void k_ghost_heads(int64_t g, const struct ghost_heads_args *a)
{
    a->flag[g] = a->label[g] == (uint32_t)g;
}
#endif
