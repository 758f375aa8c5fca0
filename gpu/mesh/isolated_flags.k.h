/* SPDX-License-Identifier: Apache-2.0 */
/* isolated_flags: marks the vertices without corners.
 * Shapes  begin, end [V] u32 -> flag[V] i32
 * Launch  item, n = V
 * Cost    8 B read, 4 B written
 * Result  1 or 0; the inclusive scan of the flags numbers such vertices from 1.
 * Threads any queue */
#ifndef SDD_K_ISOLATED_FLAGS_H
#define SDD_K_ISOLATED_FLAGS_H
#include "gpu/kernel/kernel.h"

struct isolated_flags_args {
    const uint32_t *begin, *end;
    int32_t *flag;
};

SDD_FN void k_isolated_flags(int64_t v, const struct isolated_flags_args *a)
{
    a->flag[v] = a->begin[v] == a->end[v];
}
#endif
