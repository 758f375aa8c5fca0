/* SPDX-License-Identifier: Apache-2.0 */
/* ghost_jump: one round of pointer jumping. After k rounds label is the lowest ghost within 2^k steps along the loop.
 * Shapes  label, jump [B] u32 -> new_label, new_jump [B] u32
 * Launch  item, n = B
 * Cost    24 B a ghost
 * Result  After enough rounds label is the lowest ghost of the whole loop.
 * Threads any queue */
#ifndef SDD_K_GHOST_JUMP_H
#define SDD_K_GHOST_JUMP_H
#include "gpu/kernel/kernel.h"

struct ghost_jump_args {
    const uint32_t *label, *jump;
    uint32_t *new_label, *new_jump;
};

SDD_FN void k_ghost_jump(int64_t g, const struct ghost_jump_args *a)
{
    uint32_t to = a->jump[g], mine = a->label[g], far = a->label[to];
    a->new_label[g] = mine < far ? mine : far;
    a->new_jump[g] = a->jump[to];
}
#endif
