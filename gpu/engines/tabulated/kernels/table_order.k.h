/* SPDX-License-Identifier: Apache-2.0 */
/* table_order: finds where in a mesh each item of table_points begins. A GPU takes the items in that order, so that
 * rows that are side by side in memory are written soon after each other. Otherwise its L2 would evict lines that
 * are not full yet, and fetch them again.
 * Shapes  pieces, lists of n items -> key[n] u64, item[n] u32
 * Launch  item, n = sdd_table_items
 * Cost    28 B an item
 * Result  key is the corner of the item's first piece. Where that is bicubic and reads level 1, whose rows may be
 *         made meanwhile, key is larger by as many corners as have SDD_TABLE_LATER points. item is the number of the
 *         item.
 * Threads any queue */
#ifndef SDD_K_TABLE_ORDER_H
#define SDD_K_TABLE_ORDER_H
#include "gpu/engines/tabulated/kernels/table_points.k.h"

struct table_order_args {
    struct table_points_args pieces;
    uint64_t *key;
    uint32_t *item;
};

#define SDD_TABLE_LATER (1u << 20) /* About as many points as all blocks of a large GPU make at a time. */

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
