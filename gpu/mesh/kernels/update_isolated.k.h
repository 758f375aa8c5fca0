/* SPDX-License-Identifier: Apache-2.0 */
/* update_isolated: vertices without corners begin at 0, whatever update_rows made of it.
 * Shapes  end[V] u32 -> begin[V] u32
 * Launch  item, n = V
 * Cost    4 B read
 * Result  begin = 0 where end is; other rows keep what they held.
 * Threads any queue */
#ifndef SDD_K_UPDATE_ISOLATED_H
#define SDD_K_UPDATE_ISOLATED_H
#include "gpu/kernel/kernel.h"

struct update_isolated_args {
    const uint32_t *end;
    uint32_t *begin;
};

SDD_FN void k_update_isolated(int64_t v, const struct update_isolated_args *a)
{
    if (a->end[v] == 0)
        a->begin[v] = 0;
}
#endif
