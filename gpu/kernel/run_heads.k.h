/* SPDX-License-Identifier: Apache-2.0 */
/* run_heads: marks the first key of each run of equal keys.
 * Shapes  key[n] u64, sorted -> flag[n] i32
 * Launch  item, n keys
 * Cost    16 B read, 4 B written a key
 * Result  A flag is 1 at the first key of a run, else 0, so the inclusive scan of the flags numbers the runs from 1.
 * Threads any queue */
#ifndef SDD_K_RUN_HEADS_H
#define SDD_K_RUN_HEADS_H
#include "gpu/kernel/kernel.h"

struct run_heads_args {
    const uint64_t *key;
    int32_t *flag;
};

SDD_FN void k_run_heads(int64_t i, const struct run_heads_args *a)
{
    a->flag[i] = i == 0 || a->key[i] != a->key[i - 1];
}
#endif
