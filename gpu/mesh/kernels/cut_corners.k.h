/* SPDX-License-Identifier: Apache-2.0 */
/* cut_corners: the edges of the cut mesh. An edge that is cut becomes as many as it has faces.
 * Shapes  control mesh, side, rank [C] i32 (cut_sides, and its inclusive scan) -> edge, twin [C] u32, edge_corner[E']
 *         u32, edge_sharp[E'] f32, chaikin_row[E'] u32 (NULL where the mesh has none)
 * Launch  item, n = C
 * Cost    about 30 B read, 12 B written a corner
 * Result  The edges of the control mesh come first, each with its lowest corner. twin is SDD_NONE where there is no
 *         face across, and there the edge is infinitely sharp.
 * Threads any queue */
#ifndef SDD_K_CUT_CORNERS_H
#define SDD_K_CUT_CORNERS_H
#include "gpu/mesh/kernels/cut.dev.h"

struct cut_corners_args {
    struct sdd_control mesh;
    const int32_t *side, *rank;
    uint32_t *edge, *twin, *edge_corner, *chaikin_row;
    float *edge_sharp;
    int32_t all;
};

SDD_FN void k_cut_corners(int64_t c, const struct cut_corners_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t e = m->edge[c], row = a->side[c] ? m->n_edges + (uint32_t)a->rank[c] - 1 : e;
    a->edge[c] = row;
    a->twin[c] = sdd_cut_across(m, a->all, (uint32_t)c);
    if (!a->side[c] && m->edge_corner[e] != (uint32_t)c)
        return;
    a->edge_corner[row] = (uint32_t)c;
    a->edge_sharp[row] = a->twin[c] == SDD_NONE ? 10.0f : m->edge_sharp ? m->edge_sharp[e] : 0.0f;
    if (a->chaikin_row)
        a->chaikin_row[row] = m->chaikin.row[e];
}
#endif
