/* SPDX-License-Identifier: Apache-2.0 */
/* cut_rows: numbers the sectors (cut_sectors). Each is a vertex of the cut mesh.
 * Shapes  control mesh, corner[C] u32 of the cut mesh, rank[V] i32 (the inclusive scan of `more`) -> begin, end [V'],
 *         vert[C] (before: the sector of each corner)
 * Launch  item, n = V
 * Cost    12 B read, 8 B written a corner
 * Result  Rows ascend by vertex and then by sector, so that the ends of an edge keep their order. An isolated vertex
 *         has one row.
 * Threads any queue */
#ifndef SDD_K_CUT_ROWS_H
#define SDD_K_CUT_ROWS_H
#include "gpu/grid/control.h"

struct cut_rows_args {
    struct sdd_control mesh;
    const uint32_t *corner;
    const int32_t *rank;
    uint32_t *begin, *end, *vert;
};

SDD_FN void k_cut_rows(int64_t v, const struct cut_rows_args *a)
{
    uint32_t first = (uint32_t)v + (v ? (uint32_t)a->rank[v - 1] : 0), begin = a->mesh.begin[v], end = a->mesh.end[v];
    a->begin[first] = a->end[first] = begin;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = a->corner[k], row = first + a->vert[c];
        if (a->vert[c] > 0 && a->end[row - 1] == k)
            a->begin[row] = k;
        a->end[row] = k + 1;
        a->vert[c] = row;
    }
}
#endif
