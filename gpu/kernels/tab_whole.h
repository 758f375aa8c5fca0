/* SPDX-License-Identifier: Apache-2.0 */
/* tab_whole.h: whole control quads: those that are one bicubic patch of the control mesh, as around each of their
 * vertices are four quads and nothing is sharp. Their four pieces look at control points, and nobody at rows of level 1
 * for them. */
#ifndef SDD_TAB_WHOLE_H
#define SDD_TAB_WHOLE_H
#include "gpu/kernels/tab_fan.h"

/* Is the vertex of a corner such a vertex? The quad of level 1 is known to be bicubic. */
SDD_FN int sdd_tab_is_smooth(const struct sdd_control *m, uint32_t c)
{
    uint32_t q = c;
    if (m->vert_sharp && m->vert_sharp[m->vert[c]] > 0.0f)
        return 0;
    for (int32_t i = 0; i < 4; i++) {
        if (sdd_tab_corners(m, q) != 4 || (m->edge_sharp && m->edge_sharp[m->edge[q]] > 0.0f))
            return 0;
        q = sdd_tab_after(m, q);
    }
    return 1;
}

/* The 4 x 4 vertices around the quad, row by row, as its piece at corner c sees them. */
SDD_FN void sdd_tab_whole_columns(const struct sdd_control *m, uint32_t c, uint32_t *out)
{
    const struct sdd_faces *f = &m->faces;
    uint32_t n = sdd_next(f, c), nn = sdd_next(f, n), p = sdd_prev(f, c);
    uint32_t left = m->twin[p], across = sdd_tab_after(m, left);
    uint32_t below = m->twin[c], right = m->twin[n], above = m->twin[nn];
    uint32_t right_below = m->twin[sdd_next(f, right)], right_above = m->twin[sdd_prev(f, right)];
    uint32_t left_above = m->twin[sdd_prev(f, above)];
    out[0] = m->vert[sdd_next(f, sdd_next(f, across))];
    out[1] = m->vert[sdd_next(f, sdd_next(f, below))];
    out[2] = m->vert[sdd_prev(f, below)];
    out[3] = m->vert[sdd_prev(f, right_below)];
    out[4] = m->vert[sdd_prev(f, left)];
    out[5] = m->vert[c];
    out[6] = m->vert[n];
    out[7] = m->vert[sdd_next(f, sdd_next(f, right))];
    out[8] = m->vert[sdd_next(f, sdd_next(f, left))];
    out[9] = m->vert[p];
    out[10] = m->vert[nn];
    out[11] = m->vert[sdd_prev(f, right)];
    out[12] = m->vert[sdd_next(f, sdd_next(f, left_above))];
    out[13] = m->vert[sdd_prev(f, above)];
    out[14] = m->vert[sdd_next(f, sdd_next(f, above))];
    out[15] = m->vert[sdd_next(f, sdd_next(f, right_above))];
}
#endif
