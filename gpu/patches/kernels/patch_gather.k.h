/* SPDX-License-Identifier: Apache-2.0 */
/* patch_gather: gathers the needed points of level 1, whose keys are rows, from all of them.
 * Shapes  key[n] u64, from[.][3] f32 -> to[n][3] f32
 * Launch  item, n points
 * Cost    32 B
 * Result  copies
 * Threads any queue */
#ifndef SDD_K_PATCH_GATHER_H
#define SDD_K_PATCH_GATHER_H
#include "gpu/grid/quad_location.h"

struct patch_gather_args {
    const uint64_t *key;
    const float *from;
    float *to;
};

SDD_FN void k_patch_gather(int64_t i, const struct patch_gather_args *a)
{
    sdd_put_vec3(a->to, (uint32_t)i, sdd_load_point(a->from, (uint32_t)a->key[i]));
}
#endif
