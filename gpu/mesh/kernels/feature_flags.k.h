/* SPDX-License-Identifier: Apache-2.0 */
/* feature_flags: the flags of feature vertices, as a scan takes them.
 * Shapes  is_feature[V] u8 -> flag[V] i32
 * Launch  item, n = V
 * Cost    1 B read, 4 B written
 * Result  1 or 0; the inclusive scan of the flags numbers the feature vertices from 1.
 * Threads any queue */
#ifndef SDD_K_FEATURE_FLAGS_H
#define SDD_K_FEATURE_FLAGS_H
#include "gpu/kernel/kernel.h"

struct feature_flags_args {
    const uint8_t *is_feature;
    int32_t *flag;
};

SDD_FN void k_feature_flags(int64_t v, const struct feature_flags_args *a)
{
    a->flag[v] = a->is_feature[v];
}
#endif
