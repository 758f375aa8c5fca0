/* SPDX-License-Identifier: Apache-2.0 */
/* tab_near_edges: what the point of an edge on level 1 is made of, where two quads meet in it.
 * Shapes  control mesh -> near[E]
 * Shape   item, n = E      Cost  about 60 B read, 24 B written      Result  as tab_near.h has it
 * Threads any queue */
#ifndef SDD_K_TAB_NEAR_EDGES_H
#define SDD_K_TAB_NEAR_EDGES_H
#include "gpu/kernels/control.h"
#include "gpu/kernels/tab_near.h"

struct tab_near_edges_args {
    struct sdd_control mesh;
    struct sdd_tab_edge *near;
};

SDD_FN void k_tab_near_edges(int64_t e, const struct tab_near_edges_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t own = m->edge_corner[e], c = own, n = sdd_next(&m->faces, c);
    struct sdd_tab_edge r;
    int32_t quads = m->twin[own] < m->n_corners;
    r.end[0] = m->vert[c];
    r.end[1] = m->vert[n];
    for (int32_t k = 0; k < 2 && quads; k++, c = m->twin[own]) {
        uint32_t far = sdd_next(&m->faces, sdd_next(&m->faces, c)), last = sdd_next(&m->faces, far);
        quads = far != c && last != c && sdd_next(&m->faces, last) == c;
        r.side[k][0] = m->vert[far];
        r.side[k][1] = m->vert[last];
    }
    if (!quads)
        r.side[0][0] = r.side[0][1] = r.side[1][0] = r.side[1][1] = SDD_NONE;
    a->near[e] = r;
}
#endif
