/* SPDX-License-Identifier: Apache-2.0 */
/* table_regular.dev.h: finds regular quads: control quads that are one bicubic patch of the control mesh
 * (boundary_points.h). Around each of their vertices there are four quads and nothing is sharp, or there is a
 * boundary, which goes straight on between two quads or has a sharp corner of one quad. Their four pieces read
 * control points, so no rows of level 1 need to be made for them. */
#ifndef SDD_TABLE_REGULAR_H
#define SDD_TABLE_REGULAR_H
#include "gpu/engines/tabulated/kernels/table_ring_quad.dev.h"

/* The open sides of a quad, those with no face beyond them. Bit 0 is the side from the corner to the next one, and the
 * other bits follow in order. */
SDD_FN uint32_t sdd_table_open_sides(const struct sdd_control *m, uint32_t c)
{
    uint32_t open = 0;
    for (int32_t k = 0; k < 4; k++) {
        open |= (uint32_t)(m->twin[c] >= m->n_corners) << k;
        c = sdd_next(&m->faces, c);
    }
    return open;
}

/* Whether the vertex of corner c is in four quads and nothing is sharp there. The caller knows that the piece is
 * bicubic. */
SDD_FN int sdd_table_is_smooth(const struct sdd_control *m, uint32_t c)
{
    uint32_t q = c;
    if (m->vert_sharp && m->vert_sharp[m->vert[c]] > 0.0f)
        return 0;
    for (int32_t i = 0; i < 4; i++) {
        if (sdd_table_corners(m, q) != 4 || (m->edge_sharp && m->edge_sharp[m->edge[q]] > 0.0f))
            return 0;
        q = sdd_table_after(m, q);
    }
    return 1;
}

/* Whether the vertex of corner c is on a boundary that goes straight on between two quads, or is the sharp corner of
 * the boundary in one quad alone. */
SDD_FN int sdd_table_is_smooth_end(const struct sdd_control *m, uint32_t c)
{
    uint32_t v = m->vert[c], p = sdd_prev(&m->faces, c), n_faces = m->end[v] - m->begin[v], inner, last;
    int before = m->twin[p] < m->n_corners, after = m->twin[c] < m->n_corners;
    float sharp = m->vert_sharp ? m->vert_sharp[v] : 0.0f;
    if ((before && after) || sdd_table_corners(m, c) != 4)
        return 0;
    if (!before && !after)
        return n_faces == 1 && sharp >= 10.0f;
    inner = before ? p : c;
    last = before ? sdd_prev(&m->faces, m->twin[p]) : sdd_next(&m->faces, m->twin[c]);
    return n_faces == 2 && sharp <= 0.0f && !(m->edge_sharp && m->edge_sharp[m->edge[inner]] > 0.0f) &&
           sdd_table_corners(m, m->twin[inner]) == 4 && m->twin[last] >= m->n_corners;
}

/* Whether the quad of corner c is regular and its vertex is on a boundary. */
SDD_FN int sdd_table_is_regular_quad_end(const struct sdd_control *m, uint32_t c)
{
    int regular = sdd_table_is_smooth_end(m, c);
    for (int32_t k = 0; k < 3 && regular; k++) {
        c = sdd_next(&m->faces, c);
        regular = sdd_table_is_regular(m, c) ? sdd_table_is_smooth(m, c) : sdd_table_is_smooth_end(m, c);
    }
    return regular;
}

/* The 4 x 4 vertices around the quad, row by row, as its piece at corner c sees them. Where there is no vertex, the
 * piece's own stands for it. */
SDD_FN void sdd_table_regular_quad_columns(const struct sdd_control *m, uint32_t c, uint32_t *out)
{
    const struct sdd_faces *f = &m->faces;
    uint32_t n = sdd_next(f, c), nn = sdd_next(f, n), p = sdd_prev(f, c);
    uint32_t below = m->twin[c], right = m->twin[n], above = m->twin[nn], left = m->twin[p];
    int is_below = below < m->n_corners, is_right = right < m->n_corners, is_above = above < m->n_corners,
        is_left = left < m->n_corners;
    for (int32_t k = 0; k < 16; k++)
        out[k] = m->vert[c];
    out[6] = m->vert[n];
    out[9] = m->vert[p];
    out[10] = m->vert[nn];
    if (is_below) {
        out[1] = m->vert[sdd_next(f, sdd_next(f, below))];
        out[2] = m->vert[sdd_prev(f, below)];
    }
    if (is_right) {
        out[7] = m->vert[sdd_next(f, sdd_next(f, right))];
        out[11] = m->vert[sdd_prev(f, right)];
    }
    if (is_above) {
        out[13] = m->vert[sdd_prev(f, above)];
        out[14] = m->vert[sdd_next(f, sdd_next(f, above))];
    }
    if (is_left) {
        out[4] = m->vert[sdd_prev(f, left)];
        out[8] = m->vert[sdd_next(f, sdd_next(f, left))];
    }
    if (is_below && is_left)
        out[0] = m->vert[sdd_next(f, sdd_next(f, sdd_table_after(m, left)))];
    if (is_below && is_right)
        out[3] = m->vert[sdd_prev(f, m->twin[sdd_next(f, right)])];
    if (is_above && is_left)
        out[12] = m->vert[sdd_next(f, sdd_next(f, m->twin[sdd_prev(f, above)]))];
    if (is_above && is_right)
        out[15] = m->vert[sdd_next(f, sdd_next(f, m->twin[sdd_prev(f, right)]))];
}
#endif
