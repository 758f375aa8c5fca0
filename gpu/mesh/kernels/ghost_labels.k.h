/* SPDX-License-Identifier: Apache-2.0 */
/* ghost_labels: starts the search for boundary loops (ghost_jump) where the ghosts are linked already.
 * Shapes  next[B] u32 of the ghosts -> label, jump [B] u32
 * Launch  item, n = B
 * Result  label[g] = g, and jump[g] is the ghost after it, as ghost_corners makes them.
 * Threads any queue */
#ifndef SDD_K_GHOST_LABELS_H
#define SDD_K_GHOST_LABELS_H
#include "gpu/kernel/kernel.h"

struct ghost_labels_args {
    const uint32_t *next;
    uint32_t *label, *jump;
    uint32_t n_corners;
};

SDD_FN void k_ghost_labels(int64_t g, const struct ghost_labels_args *a)
{
    a->label[g] = (uint32_t)g;
    a->jump[g] = a->next[g] - a->n_corners;
}
#endif
