/* SPDX-License-Identifier: Apache-2.0 */
/* channel_extras: where a value that another vertex has already is met at one more vertex: that needs a row of its own.
 * Shapes  key[C] u64 (channel_keys) sorted -> flag[C] i32      Shape  item, n = C      Cost  16 B read, 4 B written
 * Result  1 or 0; their inclusive scan numbers such rows from 1      Threads any queue */
#ifndef SDD_K_CHANNEL_EXTRAS_H
#define SDD_K_CHANNEL_EXTRAS_H
#include "gpu/kernel/kernel.h"

struct channel_extras_args {
    const uint64_t *key;
    int32_t *flag;
    int32_t bits;
};

SDD_FN void k_channel_extras(int64_t i, const struct channel_extras_args *a)
{
    uint64_t key = a->key[i], before = i ? a->key[i - 1] : key;
    a->flag[i] = before != key && before >> a->bits == key >> a->bits;
}
#endif
