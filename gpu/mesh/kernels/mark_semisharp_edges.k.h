/* SPDX-License-Identifier: Apache-2.0 */
/* mark_semisharp_edges: flags the semi-sharp edges.
 * Shapes  sharp[E] f32 -> flag[E] i32
 * Launch  item, n = E
 * Result  1 or 0
 * Threads any queue */
#ifndef SDD_K_MARK_SEMISHARP_EDGES_H
#define SDD_K_MARK_SEMISHARP_EDGES_H
#include "gpu/rules/crease_rule.h"

struct mark_semisharp_edges_args {
    const float *sharp;
    int32_t *flag;
};

SDD_FN void k_mark_semisharp_edges(int64_t e, const struct mark_semisharp_edges_args *a)
{
    a->flag[e] = sdd_is_semisharp(a->sharp[e]);
}
#endif
