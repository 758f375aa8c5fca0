/* SPDX-License-Identifier: Apache-2.0 */
/* chaikin_rows: gives each semi-sharp edge a row for its parts (edge_sharpness.h), counted from its lower end, and
 * lists these edges.
 * Shapes  sharp[E] f32, rank[E] i32 (inclusive scan of mark_semisharp_edges) -> row[E] u32, edge[R] u32, part[R] f32 of
 *         level 0
 * Launch  item, n = E
 * Cost    8 B read, 4 B written
 * Result  row is 2 (rank - 1), or SDD_NONE.
 * Threads any queue */
#ifndef SDD_K_CHAIKIN_ROWS_H
#define SDD_K_CHAIKIN_ROWS_H
#include "gpu/rules/crease_rule.h"

struct chaikin_rows_args {
    const float *sharp;
    const int32_t *rank;
    uint32_t *row, *edge;
    float *part;
};

SDD_FN void k_chaikin_rows(int64_t e, const struct chaikin_rows_args *a)
{
    uint32_t row = (uint32_t)a->rank[e] - 1;
    a->row[e] = SDD_NONE;
    if (!sdd_is_semisharp(a->sharp[e]))
        return;
    a->row[e] = 2 * row;
    a->edge[row] = (uint32_t)e;
    a->part[row] = a->sharp[e];
}
#endif
