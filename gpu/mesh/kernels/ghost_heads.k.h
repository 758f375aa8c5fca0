/* SPDX-License-Identifier: Apache-2.0 */
/* ghost_heads: marks the least ghost of each boundary loop.
 * Result  one flag a loop
 * Shapes  label[B] u32 -> flag[B] i32      Shape  item, n = B      Threads any queue */
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
