/* SPDX-License-Identifier: Apache-2.0 */
/* patch_locations: where each key that was made stands among the sorted ones without repetitions.
 * Shapes  value[n] i32 (sorted along with the keys: where each was made), rank[n] i32 (inclusive scan of run_heads)
 *         -> place[n] u32
 * Result  value is a permutation, so each word has one writer
 * Shape   item      Cost  12 B, scattered      Threads any queue */
#ifndef SDD_K_PATCH_PLACES_H
#define SDD_K_PATCH_PLACES_H
#include "gpu/kernel/kernel.h"

struct patch_locations_args {
    const int32_t *value, *rank;
    uint32_t *place;
};

SDD_FN void k_patch_locations(int64_t i, const struct patch_locations_args *a)
{
    a->place[a->value[i]] = (uint32_t)a->rank[i] - 1;
}
#endif
