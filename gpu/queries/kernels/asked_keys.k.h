/* SPDX-License-Identifier: Apache-2.0 */
/* asked_keys: a list of elements by the tiles that own them.
 * Shapes  neighbors, label[F] u32 (tile_arrays.h), list[n] u32 -> key[n] u64, value[n] i32
 * Launch  item, n rows
 * Cost    about 16 B read and 12 B written a row
 * Result  key = owner << bits | element, where what no tile owns has the number of tiles as its owner; value = row
 * Threads any queue */
#ifndef SDD_K_ASKED_KEYS_H
#define SDD_K_ASKED_KEYS_H
#include "gpu/queries/kernels/query_row.dev.h"

struct asked_keys_args {
    struct sdd_neighbors neighbors;
    const uint32_t *label, *list;
    uint64_t *key;
    int32_t *value;
    uint32_t n_tiles;
    int32_t relation, bits;
};

SDD_FN void k_asked_keys(int64_t i, const struct asked_keys_args *a)
{
    const uint32_t owner = sdd_owner(&a->neighbors, a->label, sdd_kind_of_rows(a->relation), a->list[i]);
    a->key[i] = (uint64_t)(owner < a->n_tiles ? owner : a->n_tiles) << a->bits | a->list[i];
    a->value[i] = (int32_t)i;
}
#endif
