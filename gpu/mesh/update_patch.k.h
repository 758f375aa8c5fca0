/* SPDX-License-Identifier: Apache-2.0 */
/* update_patch: writes single rows of an array, which the host has made.
 * Shapes  row, value [n] u32 (value may be NULL) -> out u32
 * Launch  item, n; no row comes twice
 * Result  out[row[i]] = value[i], or 0; other rows keep what they held.
 * Threads any queue */
#ifndef SDD_K_UPDATE_PATCH_H
#define SDD_K_UPDATE_PATCH_H
#include "gpu/kernel/kernel.h"

struct update_patch_args {
    const uint32_t *row, *value;
    uint32_t *out;
};

SDD_FN void k_update_patch(int64_t i, const struct update_patch_args *a)
{
    a->out[a->row[i]] = a->value ? a->value[i] : 0;
}
#endif
