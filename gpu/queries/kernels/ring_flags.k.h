/* SPDX-License-Identifier: Apache-2.0 */
/* ring_flags: which candidates are new.
 * Shapes  key[n] u64, sorted stably, value[n] i32 -> flag[n] i32
 * Launch  item, n keys
 * Cost    20 B read and 4 B written a key
 * Result  A flag is 1 at the first key of a run of equal ones if its value is 1, else 0. Keys of earlier rounds have
 *         value 0 and were before the candidates, so a run begins with one if it has any.
 * Threads any queue */
#ifndef SDD_K_RING_FLAGS_H
#define SDD_K_RING_FLAGS_H
#include "gpu/kernel/kernel.h"

struct ring_flags_args {
    const uint64_t *key;
    const int32_t *value;
    int32_t *flag;
};

SDD_FN void k_ring_flags(int64_t i, const struct ring_flags_args *a)
{
    a->flag[i] = a->value[i] == 1 && (i == 0 || a->key[i] != a->key[i - 1]);
}
#endif
