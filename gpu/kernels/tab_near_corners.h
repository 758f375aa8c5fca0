/* SPDX-License-Identifier: Apache-2.0 */
/* tab_near_corners: what each corner brings to the point of its vertex on level 1.
 * Shapes  control mesh -> near[C], in the order of mesh.corner
 * Shape   item, n = C      Cost  about 40 B read, 16 B written      Result  as tab_near.h has it
 * Threads any queue */
#ifndef SDD_K_TAB_NEAR_CORNERS_H
#define SDD_K_TAB_NEAR_CORNERS_H
#include "gpu/kernels/control.h"
#include "gpu/kernels/tab_near.h"

struct tab_near_corners_args {
    struct sdd_control mesh;
    struct sdd_tab_corner *near;
};

SDD_FN void k_tab_near_corners(int64_t i, const struct tab_near_corners_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = m->corner[i], next = sdd_next(&m->faces, c), before = sdd_prev(&m->faces, c);
    uint32_t across = sdd_next(&m->faces, next);
    struct sdd_tab_corner r;
    r.next = m->vert[next];
    r.across = m->vert[across];
    r.before = m->vert[before];
    r.bits = (sdd_meets_edge(m, c, 0) ? SDD_NEAR_NEXT : 0u) | (sdd_meets_edge(m, before, 1) ? SDD_NEAR_BEFORE : 0u) |
             (across != before && sdd_next(&m->faces, across) == before ? SDD_NEAR_QUAD : 0u);
    a->near[i] = r;
}
#endif
