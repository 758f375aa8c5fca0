/* SPDX-License-Identifier: Apache-2.0 */
/* channel_extras: flags where a value that belongs to a vertex already is met at another vertex, which needs a row of
 * its own for it.
 * Shapes  key[C] u64 (channel_keys) sorted -> flag[C] i32
 * Launch  item, n = C
 * Cost    16 B read, 4 B written
 * Result  1 or 0; the inclusive scan of the flags numbers such rows from 1.
 * Threads any queue */
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
