/* SPDX-License-Identifier: Apache-2.0 */
/* table_order: where in a mesh the items of table_points begin, for a GPU to take them in that order: what is side
 * by side in memory is written soon after each other, before its L2 gives away lines that are not full, to fetch
 * them again.
 * Shapes  pieces, lists of n items -> key[n] u64, item[n] u32, its number
 * Launch  item      Cost  28 B      Threads any queue
 * Result  the corner that an item's first piece is of; SDD_TABLE_LATER points more where that is bicubic and reads
 *         level 1, which may be made meanwhile; exact integers */
#ifndef SDD_K_TABLE_TURNS_H
#define SDD_K_TABLE_TURNS_H
#include "gpu/engines/tabulated/kernels/table_points.k.h"

struct table_order_args {
    struct table_points_args pieces;
    uint64_t *key;
    uint32_t *item;
};

#define SDD_TABLE_LATER (1u << 20) /* about what all blocks of a large GPU make at a time */

SDD_FN void k_table_order(int64_t i, const struct table_order_args *a)
{
    const struct table_points_args *p = &a->pieces;
    const int32_t level = p->grid.level;
    int64_t piece = i - sdd_table_other_items(p, p->log_each);
    if (piece < 0) {
        a->key[i] = p->other[p->runs[i * SDD_TABLE_THREADS / sdd_table_run_threads(level, p->log_each)].first].corner;
    } else {
        piece = sdd_table_some_of(p, piece).first;
        a->key[i] =
            (uint64_t)p->regular[piece].corner + (piece < p->n_regular_quads ? 0 : SDD_TABLE_LATER >> 2 * (level - 1));
    }
    a->item[i] = (uint32_t)i;
}
#endif
