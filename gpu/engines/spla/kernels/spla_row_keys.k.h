/* SPDX-License-Identifier: Apache-2.0 */
/* spla_row_keys: sort keys that bring the entries of each row of a matrix together, in the order of its columns.
 * Shapes  matrix of n entries -> key[n] u64 = row, order[n] i32 = entry
 * Launch  item, n entries
 * Cost    4 B read, 12 B written
 * Result  After a stable sort `order` is the transposed matrix's order.
 * Threads any queue */
#ifndef SDD_K_SPLA_ROW_KEYS_H
#define SDD_K_SPLA_ROW_KEYS_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_row_keys_args {
    struct sdd_spla m;
    uint64_t *key;
    int32_t *order;
};

SDD_FN void k_spla_row_keys(int64_t z, const struct spla_row_keys_args *a)
{
    a->key[z] = sdd_spla_row(&a->m, (uint32_t)z);
    a->order[z] = (int32_t)z;
}
#endif
