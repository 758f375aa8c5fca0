/* SPDX-License-Identifier: Apache-2.0 */
/* cut_sides: marks the corners whose edge is not shared in the cut mesh and stands for another corner in the control
 * mesh.
 * Shapes  control mesh -> side[C] i32
 * Launch  item, n = C
 * Cost    16 B read, 4 B written a corner
 * Result  1 or 0; the inclusive scan numbers the further edges of the cut mesh from 1.
 * Threads any queue */
#ifndef SDD_K_CUT_SIDES_H
#define SDD_K_CUT_SIDES_H
#include "gpu/mesh/kernels/cut.dev.h"

struct cut_sides_args {
    struct sdd_control mesh;
    int32_t *side;
    int32_t all;
};

SDD_FN void k_cut_sides(int64_t c, const struct cut_sides_args *a)
{
    const struct sdd_control *m = &a->mesh;
    a->side[c] = m->edge_corner[m->edge[c]] != (uint32_t)c && sdd_cut_across(m, a->all, (uint32_t)c) == SDD_NONE;
}
#endif
