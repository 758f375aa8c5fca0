/* SPDX-License-Identifier: Apache-2.0 */
/* compact_keys: copies the flagged keys to a list, in order.
 * Shapes  key[n] u64, flag[n] i32, rank[n] i32 (inclusive scan of flag) -> out[sum of flag] u64
 * Launch  item, n keys
 * Cost    16 B read a key, 8 B written a flagged key
 * Result  The list keeps the order of the keys.
 * Threads any queue */
#ifndef SDD_K_COMPACT_KEYS_H
#define SDD_K_COMPACT_KEYS_H
#include "gpu/kernel/kernel.h"

struct compact_keys_args {
    const uint64_t *key;
    const int32_t *flag, *rank;
    uint64_t *out;
};

SDD_FN void k_compact_keys(int64_t i, const struct compact_keys_args *a)
{
    if (a->flag[i])
        a->out[a->rank[i] - 1] = a->key[i];
}
#endif
