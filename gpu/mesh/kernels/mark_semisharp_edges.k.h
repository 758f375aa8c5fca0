/* SPDX-License-Identifier: Apache-2.0 */
/* mark_semisharp_edges: marks the semi-sharp edges.
 * Result  flag 1 or 0
 * Shapes  sharp[E] f32 -> flag[E] i32      Shape  item, n = E      Threads any queue */
#ifndef SDD_K_SEMI_FLAGS_H
#define SDD_K_SEMI_FLAGS_H
#include "gpu/rules/crease_rule.h"

struct mark_semisharp_edges_args {
    const float *sharp;
    int32_t *flag;
};

SDD_FN void k_mark_semisharp_edges(int64_t e, const struct mark_semisharp_edges_args *a)
{
    a->flag[e] = sdd_is_semi(a->sharp[e]);
}
#endif
