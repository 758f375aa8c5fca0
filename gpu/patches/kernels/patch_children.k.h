/* SPDX-License-Identifier: Apache-2.0 */
/* patch_children: the cells of the next level: four for each cell that is split.
 * Shapes  cell[.] u64, list[n / 4] u32 (rows of cell) -> child[n] u64
 * Launch  item, n = 4 x cells in the list
 * Cost    8 B written; what is read is shared
 * Result  Children ascend where cell and list do.
 * Threads any queue */
#ifndef SDD_K_PATCH_CHILDREN_H
#define SDD_K_PATCH_CHILDREN_H
#include "gpu/kernel/kernel.h"

struct patch_children_args {
    const uint64_t *cell;
    const uint32_t *list;
    uint64_t *child;
};

SDD_FN void k_patch_children(int64_t i, const struct patch_children_args *a)
{
    a->child[i] = a->cell[a->list[i >> 2]] << 2 | (uint64_t)(i & 3);
}
#endif
