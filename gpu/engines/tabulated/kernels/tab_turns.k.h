/* SPDX-License-Identifier: Apache-2.0 */
/* tab_turns: where in a mesh the items of tab_points begin, for a GPU to take them in that order: what is side by side
 * in memory is written soon after each other, before its L2 gives away lines that are not full, to fetch them again.
 * Shapes  pieces, lists of n items -> key[n] u64, item[n] u32, its number
 * Shape   item      Cost  28 B      Threads any queue
 * Result  the corner that an item's first piece is of; SDD_TAB_LATER points more where that is bicubic and reads level
 *         1, which may be made meanwhile; exact integers */
#ifndef SDD_K_TAB_TURNS_H
#define SDD_K_TAB_TURNS_H
#include "gpu/engines/tabulated/kernels/tab_points.k.h"

struct tab_turns_args {
    struct tab_points_args pieces;
    uint64_t *key;
    uint32_t *item;
};

#define SDD_TAB_LATER (1u << 20) /* about what all blocks of a large GPU make at a time */

SDD_FN void k_tab_turns(int64_t i, const struct tab_turns_args *a)
{
    const struct tab_points_args *p = &a->pieces;
    const int32_t level = p->grid.level;
    int64_t piece = i - sdd_tab_other_items(p, p->log_each);
    if (piece < 0) {
        a->key[i] = p->other[p->runs[i * SDD_TAB_THREADS / sdd_tab_run_threads(level, p->log_each)].first].corner;
    } else {
        piece = sdd_tab_some_of(p, piece).first;
        a->key[i] = (uint64_t)p->regular[piece].corner + (piece < p->n_whole ? 0 : SDD_TAB_LATER >> 2 * (level - 1));
    }
    a->item[i] = (uint32_t)i;
}
#endif
