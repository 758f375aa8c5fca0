/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_fans: where the walk around each vertex of the next level begins.
 * Shapes  level (sqrt3_grid.h) -> first[V'] u32 of the next level
 * Launch  item, n = V + F; the face beside a boundary edge writes the vertex that cuts it
 * Cost    about 12 B read, 4 B written a vertex
 * Result  Half-edges of the next level. A vertex on a boundary gets the half-edge that leaves it along the boundary.
 * Threads any queue */
#ifndef SDD_K_SQRT3_FANS_H
#define SDD_K_SQRT3_FANS_H
#include "gpu/rules/sqrt3_grid.h"

struct sqrt3_fans_args {
    struct sdd_sqrt3 mesh;
    uint32_t *first;
};

SDD_FN void k_sqrt3_fans(int64_t i, const struct sqrt3_fans_args *a)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    uint32_t row = (uint32_t)i;
    int second = sdd_sqrt3_is_second(m);
    if (row < m->n_vertices) {
        uint32_t h = m->first[row];
        if (h != SDD_NONE) /* A line that is cut leaves the vertex in the face beside it. */
            h = 3 * (second && sdd_sqrt3_is_line(m, h) ? m->twin[sdd_sqrt3_prev(h)] : h);
        a->first[row] = h;
        return;
    }
    uint32_t h = 3 * (row - m->n_vertices);
    int cut = second && sdd_sqrt3_is_line(m, h);
    a->first[row] = 3 * h + (cut ? 0 : 2);
    if (cut && sdd_sqrt3_is_boundary(m, h))
        a->first[sdd_sqrt3_q(m, h / 3)] = 3 * (h + 1) + 2;
}
#endif
