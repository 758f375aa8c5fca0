/* SPDX-License-Identifier: Apache-2.0 */
/* edge_ids: the edge of each corner (from its vertex to the next) and one corner of each edge.
 * Shapes  id[n] i32 (inclusive scan of run_heads), corner[n] i32 sorted -> edge[C] u32, edge_corner[E] u32
 * Launch  item, n = C
 * Cost    12 B read, 8 B written
 * Result  edge_corner is the edge's lowest corner, because the sort is stable.
 * Threads any queue */
#ifndef SDD_K_EDGE_IDS_H
#define SDD_K_EDGE_IDS_H
#include "gpu/kernel/kernel.h"

struct edge_ids_args {
    const int32_t *id, *corner;
    uint32_t *edge, *edge_corner;
};

SDD_FN void k_edge_ids(int64_t i, const struct edge_ids_args *a)
{
    uint32_t e = (uint32_t)(a->id[i] - 1), c = (uint32_t)a->corner[i];
    a->edge[c] = e;
    if (i == 0 || a->id[i - 1] != a->id[i])
        a->edge_corner[e] = c;
}
#endif
