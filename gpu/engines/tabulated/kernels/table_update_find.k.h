/* SPDX-License-Identifier: Apache-2.0 */
/* table_update_find: where corners belong among pieces of an older mesh, which ascend by corner within each list.
 * Shapes  ask[n], regular[..], other[..] -> place[n] u32
 * Launch  item, n
 * Cost    log2 of the pieces reads of 4 B
 * Result  The first piece of the range that does not lie before the key; the end of the range if all do.
 * Threads any queue */
#ifndef SDD_K_TABLE_UPDATE_FIND_H
#define SDD_K_TABLE_UPDATE_FIND_H
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

/* A question. The key is a doubled corner: that of number i has 2 i + 1, and what comes before it has 2 i. */
struct sdd_table_ask {
    uint32_t key, first, end, is_other; /* The pieces [first, end) of a list are looked at. */
};

struct table_update_find_args {
    const struct sdd_table_ask *ask;
    const struct sdd_table_quad *regular, *other;
    uint32_t *place;
};

SDD_FN void k_table_update_find(int64_t i, const struct table_update_find_args *a)
{
    const struct sdd_table_ask ask = a->ask[i];
    const struct sdd_table_quad *list = ask.is_other ? a->other : a->regular;
    uint32_t low = ask.first, high = ask.end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (2 * list[middle].corner + 1 < ask.key)
            low = middle + 1;
        else
            high = middle;
    }
    a->place[i] = low;
}
#endif
