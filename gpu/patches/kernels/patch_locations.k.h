/* SPDX-License-Identifier: Apache-2.0 */
/* patch_locations: the index of each key that was made among the sorted keys without repetitions.
 * Shapes  value[n] i32 (sorted along with the keys; says where each key was made), rank[n] i32 (inclusive scan of
 *         run_heads) -> location[n] u32
 * Launch  item, n keys
 * Cost    12 B, scattered
 * Result  value is a permutation, so each word has one writer.
 * Threads any queue */
#ifndef SDD_K_PATCH_LOCATIONS_H
#define SDD_K_PATCH_LOCATIONS_H
#include "gpu/kernel/kernel.h"

struct patch_locations_args {
    const int32_t *value, *rank;
    uint32_t *location;
};

SDD_FN void k_patch_locations(int64_t i, const struct patch_locations_args *a)
{
    a->location[a->value[i]] = (uint32_t)a->rank[i] - 1;
}
#endif
