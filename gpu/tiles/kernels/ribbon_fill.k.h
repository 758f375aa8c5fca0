/* SPDX-License-Identifier: Apache-2.0 */
/* ribbon_fill: the faces of ribbons, as keys that are neither sorted nor unique.
 * Shapes  ribbon, end[C] i32 (inclusive scan of ribbon_count) -> key[end[C - 1]] u64, value[end[C - 1]] i32
 * Launch  item, n = C
 * Cost    as ribbon_count, and 12 B written a key
 * Result  key = tile << bits | face; the values are 0
 * Threads any queue */
#ifndef SDD_K_RIBBON_FILL_H
#define SDD_K_RIBBON_FILL_H
#include "gpu/tiles/kernels/ribbon.dev.h"

struct ribbon_fill_args {
    struct sdd_ribbon ribbon;
    const int32_t *end;
    uint64_t *key;
    int32_t *value;
};

SDD_FN void k_ribbon_fill(int64_t c, const struct ribbon_fill_args *a)
{
    const int32_t first = c > 0 ? a->end[c - 1] : 0;
    const int32_t n = sdd_ribbon_of(&a->ribbon, (uint32_t)c, a->key + first);
    for (int32_t k = 0; k < n; k++)
        a->value[first + k] = 0;
}
#endif
