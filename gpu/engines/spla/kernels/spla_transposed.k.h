/* SPDX-License-Identifier: Apache-2.0 */
/* spla_transposed: the entries of the transposed matrix: columns become rows, values stay.
 * Shapes  matrix of n entries, order[n] i32 (spla_row_keys, sorted) -> rid[n] u32, val[n] i32
 * Launch  item, n entries
 * Cost    a binary search over the column pointers, none in reduced form
 * Result  Each column of the result holds ascending rows, or the order of entries where a column has a row twice.
 * Threads any queue */
#ifndef SDD_K_SPLA_TRANSPOSED_H
#define SDD_K_SPLA_TRANSPOSED_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_transposed_args {
    struct sdd_spla m;
    const int32_t *order;
    uint32_t *rid;
    int32_t *val;
};

SDD_FN void k_spla_transposed(int64_t i, const struct spla_transposed_args *a)
{
    uint32_t z = (uint32_t)a->order[i], k = sdd_spla_column(&a->m, z);
    a->rid[i] = k;
    a->val[i] = sdd_spla_value(&a->m, sdd_spla_first(&a->m, k), z);
}
#endif
