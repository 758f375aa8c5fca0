/* SPDX-License-Identifier: Apache-2.0 */
/* spla_pointers: the column pointers of a matrix whose entries are sorted by column.
 * Shapes  key[n] u64 sorted, with the column from bit `shift` on; rank[n] i32 (inclusive scan of run_heads, or NULL
 *         where every key is an entry of its own) -> ptr[n_cols + 1] i32
 * Launch  item, n_cols + 1
 * Cost    a binary search over the keys
 * Result  An empty column begins where the next one does. The last pointer is the number of entries.
 * Threads any queue */
#ifndef SDD_K_SPLA_POINTERS_H
#define SDD_K_SPLA_POINTERS_H
#include "gpu/kernel/kernel.h"

struct spla_pointers_args {
    const uint64_t *key;
    const int32_t *rank;
    int32_t *ptr;
    int64_t n_keys;
    int32_t shift;
};

SDD_FN void k_spla_pointers(int64_t k, const struct spla_pointers_args *a)
{
    int64_t low = 0, high = a->n_keys;
    while (low < high) { /* Finds the first key of column k or a later one. */
        int64_t middle = low + (high - low) / 2;
        if ((int64_t)(a->key[middle] >> a->shift) < k)
            low = middle + 1;
        else
            high = middle;
    }
    a->ptr[k] = !a->rank ? (int32_t)low : low > 0 ? a->rank[low - 1] : 0;
}
#endif
