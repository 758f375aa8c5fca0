/* SPDX-License-Identifier: Apache-2.0 */
/* spla_combine: combines the collisions of each entry of a mapped product into its value.
 * Shapes  key[n] u64 and value[n] i32 sorted by key (spla_fill), rank[n] i32 (inclusive scan of run_heads) -> rid, val
 *         [rank[n - 1]]
 * Launch  item, n collisions
 * Cost    16 B read, 8 B written an entry
 * Result  Rows ascend in each column. Values are combined by gamma, in the order of the collisions.
 * Threads any queue
 * Source  Mlakar 2018, section 3.2 */
#ifndef SDD_K_SPLA_COMBINE_H
#define SDD_K_SPLA_COMBINE_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_combine_args {
    const uint64_t *key;
    const int32_t *value, *rank;
    uint32_t *rid;
    int32_t *val;
    int64_t n_keys;
    int32_t bits, gamma;
};

SDD_FN void k_spla_combine(int64_t i, const struct spla_combine_args *a)
{
    int32_t at = a->rank[i] - 1, all = a->value[i];
    if (i > 0 && a->rank[i - 1] == a->rank[i])
        return;
    for (int64_t j = i + 1; j < a->n_keys && a->rank[j] == a->rank[i]; j++) {
        if (a->gamma == SDD_GAMMA_SUM)
            all += a->value[j];
        else if (a->gamma == SDD_GAMMA_OR)
            all |= a->value[j];
    }
    a->rid[at] = (uint32_t)(a->key[i] & (((uint64_t)1 << a->bits) - 1));
    a->val[at] = all;
}
#endif
