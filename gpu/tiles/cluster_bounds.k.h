/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_bounds: where the keys of each label begin and end.
 * Shapes  key[n] u64, sorted -> begin, end [labels] u32
 * Launch  item, n keys
 * Cost    8 B read a key, 8 B written a label
 * Result  label = key >> shift. Labels without keys keep what begin and end held; the caller zeroes them.
 * Threads any queue */
#ifndef SDD_K_CLUSTER_BOUNDS_H
#define SDD_K_CLUSTER_BOUNDS_H
#include "gpu/kernel/kernel.h"

struct cluster_bounds_args {
    const uint64_t *key;
    uint32_t *begin, *end;
    int64_t n;
    int32_t shift;
};

SDD_FN void k_cluster_bounds(int64_t i, const struct cluster_bounds_args *a)
{
    const uint64_t label = a->key[i] >> a->shift;
    if (i == 0 || a->key[i - 1] >> a->shift != label)
        a->begin[label] = (uint32_t)i;
    if (i + 1 == a->n || a->key[i + 1] >> a->shift != label)
        a->end[label] = (uint32_t)i + 1;
}
#endif
