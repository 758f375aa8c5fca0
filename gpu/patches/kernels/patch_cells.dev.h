/* SPDX-License-Identifier: Apache-2.0 */
/* patch_cells.dev.h: faces of any level as cells of the control mesh, for feature-adaptive subdivision.
 *
 * A cell of level l has the key base << 2 l | z. z has v in its odd and u in its even bits, the cell's position in a
 * grid over its parent. Over a control quad the grid has 2^l x 2^l cells, and base is the quad's first corner. In other
 * faces each corner has a grid of its own, 2^(l-1) x 2^(l-1), and is the base (l >= 1). So ascending keys are ordered
 * by parent and in Z order within it, and a key's four children are 4 key to 4 key + 3.
 *
 * Features (irregular vertices and faces, semi-sharp edges) stay where the control mesh has them, so a formula says
 * what is irregular on a level. */
#ifndef SDD_PATCH_CELLS_H
#define SDD_PATCH_CELLS_H
#include "gpu/grid/quad_location.h"

#define SDD_NEVER_REGULAR 255

struct sdd_features {
    struct sdd_control mesh;
    const int32_t *regular; /* Shape [V]: the level from which a vertex is regular, or SDD_NEVER_REGULAR. */
    /* Shape [n_visible]: the corners of faces that are not holes, ascending; NULL where all are visible. */
    const uint32_t *visible;
    uint32_t n_visible;
};

SDD_FN int32_t sdd_is_quad(const struct sdd_control *m, uint32_t f)
{
    return m->face_end[f] - (f ? m->face_end[f - 1] : 0) == 4;
}

/* Whether the edge of corner c is infinitely sharp, as all edges without a face across are. What lies across such an
 * edge does not influence this side. */
SDD_FN int32_t sdd_is_blocked(const struct sdd_control *m, uint32_t c)
{
    return m->twin[c] >= m->n_corners || (m->edge_sharp && m->edge_sharp[m->edge[c]] >= 10.0f);
}

SDD_FN int32_t sdd_edge_is_semisharp(const struct sdd_control *m, uint32_t e, int32_t level)
{
    return m->edge_sharp && m->edge_sharp[e] < 10.0f && sdd_decayed(m->edge_sharp[e], level) > 0.0f;
}

SDD_FN int32_t sdd_is_visible(const struct sdd_features *f, uint32_t c)
{
    uint32_t low = 0, high = f->n_visible;
    while (f->visible && low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->visible[middle] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return !f->visible || (low < f->n_visible && f->visible[low] == c);
}

/* The cell with this key, seen from its corner with the lowest u and v. On level 0 struct sdd_cell has the control
 * corner alone. */
SDD_FN struct sdd_cell sdd_patch_cell(const struct sdd_control *m, uint64_t key, int32_t level)
{
    uint32_t base = (uint32_t)(key >> (2 * level)), z = (uint32_t)(key & (((uint64_t)1 << (2 * level)) - 1));
    int32_t u = (int32_t)sdd_even_bits(z), v = (int32_t)sdd_even_bits(z >> 1), x = u, y = v, k = 0;
    if (level == 0)
        return sdd_cell_at(base, 0, 0, 0);
    if (sdd_is_quad(m, sdd_face(&m->faces, base))) {
        int32_t side = 1 << (level - 1), far_u = u >= side, far_v = v >= side;
        /* Quadrant k belongs to the face's corner k, whose grid has x and y rotated by k quarters. */
        k = far_v ? 3 - far_u : far_u;
        x = k == 0 ? u : k == 1 ? v : k == 2 ? 2 * side - 1 - u : 2 * side - 1 - v;
        y = k == 0 ? v : k == 1 ? 2 * side - 1 - u : k == 2 ? 2 * side - 1 - v : u;
        base += (uint32_t)k;
    }
    k = -k & 3;
    return sdd_cell_at(base, x + (k == 1 || k == 2), y + (k >= 2), k);
}

SDD_FN struct sdd_cell sdd_cell_next(const struct sdd_control *m, int32_t level, struct sdd_cell c)
{
    if (level == 0)
        return sdd_cell_at(sdd_next(&m->faces, c.q), 0, 0, 0);
    return sdd_cell_at(c.q, c.x + sdd_step_x(c.rotation), c.y + sdd_step_y(c.rotation), c.rotation + 1);
}

/* The row of a control vertex on level 0, or the key of a point of a later level. */
SDD_FN uint64_t sdd_cell_number(const struct sdd_control *m, int32_t level, struct sdd_cell c)
{
    struct sdd_grid g = sdd_grid_of(m, level);
    return level == 0 ? m->vert[c.q] : sdd_grid_number(&g, c.q, c.x, c.y, 1);
}

/* What lies across an edge of a cell. */
struct sdd_across {
    /* The face across the on-edge, seen from the same point; there the edge is the off-edge. */
    struct sdd_cell cell;
    int32_t there;
    int32_t blocked; /* Whether the edge is infinitely sharp; a face may be there all the same. */
};

SDD_FN struct sdd_across sdd_cell_across(const struct sdd_control *m, int32_t level, struct sdd_cell c)
{
    int32_t side = level ? 1 << (level - 1) : 0;
    uint32_t own = c.q, t;
    struct sdd_across r;
    r.there = 1;
    r.blocked = 0;
    r.cell = c;
    if (level && (c.rotation & 1) && c.x == (c.rotation == 1 ? side : 0)) {
        if (c.rotation == 1) { /* The edge runs along the spoke to the face point. */
            r.cell = sdd_cell_at(sdd_next(&m->faces, c.q), c.y, side, 3);
            return r;
        }
        own = sdd_prev(&m->faces, c.q); /* The edge runs along the control edge before the corner, to the corner. */
    } else if (level && c.rotation == 2 &&
               c.y == side) { /* The edge runs along the other spoke, from the face point. */
        r.cell = sdd_cell_at(sdd_prev(&m->faces, c.q), side, c.x, 2);
        return r;
    } else if (level && !(c.rotation == 0 && c.y == 0)) { /* The edge is inside the grid. */
        r.cell.rotation = (c.rotation + 3) & 3;
        return r;
    }
    t = m->twin[own];
    r.blocked = sdd_is_blocked(m, own);
    r.there = t < m->n_corners;
    if (!r.there)
        return r;
    if (level == 0)
        r.cell = sdd_cell_at(sdd_next(&m->faces, t), 0, 0, 0);
    else
        r.cell = c.rotation == 0 ? sdd_cell_at(sdd_next(&m->faces, t), 0, c.x, 0) : sdd_cell_at(t, c.y, 0, 1);
    return r;
}

/* Whether the face is split once more, because it is no quad or because something at it is irregular on this level. */
SDD_FN int32_t sdd_cell_is_split(const struct sdd_features *f, int32_t level, struct sdd_cell c)
{
    const struct sdd_control *m = &f->mesh;
    if (level == 0) {
        int32_t split = !sdd_is_quad(m, sdd_face(&m->faces, c.q));
        for (int32_t i = 0; i < 4 && !split; i++, c.q = sdd_next(&m->faces, c.q))
            split = f->regular[m->vert[c.q]] > 0;
        return split;
    }
    int32_t last = (1 << (level - 1)) - 1, x = c.x - (c.rotation == 1 || c.rotation == 2), y = c.y - (c.rotation >= 2);
    return (x == 0 && y == 0 && f->regular[m->vert[c.q]] > level) ||
           (x == last && y == last && !sdd_is_quad(m, sdd_face(&m->faces, c.q))) ||
           (y == 0 && sdd_edge_is_semisharp(m, m->edge[c.q], level)) ||
           (x == 0 && sdd_edge_is_semisharp(m, m->edge[sdd_prev(&m->faces, c.q)], level));
}

/* Which of the 4 x 4 points around a face, in rows of four, its corner i is. */
SDD_FN int32_t sdd_patch_location(int32_t i)
{
    i &= 3;
    return 5 + (i == 1 || i == 2) + 4 * (i >= 2);
}
/* The step from there outwards over edge i. */
SDD_FN int32_t sdd_patch_outward(int32_t i)
{
    return sdd_step_x(i + 3) + 4 * sdd_step_y(i + 3);
}

/* sdd_patch_points: the rows or keys of the 4 x 4 points. A point that a blocked edge hides repeats the nearest of
 * those that are there. Returns the blocked edges, a bit each. */
SDD_FN uint32_t sdd_patch_points(const struct sdd_control *m, int32_t level, struct sdd_cell c, uint64_t *number)
{
    uint32_t blocked = 0;
    struct sdd_cell at = c;
    for (int32_t i = 0; i < 4; i++, at = sdd_cell_next(m, level, at)) {
        number[sdd_patch_location(i)] = sdd_cell_number(m, level, at);
        blocked |= (uint32_t)sdd_cell_across(m, level, at).blocked << i;
    }
    for (int32_t i = 0; i < 4; i++, at = sdd_cell_next(m, level, at)) {
        int32_t at_corner = sdd_patch_location(i), outward = sdd_patch_outward(i);
        number[at_corner + outward] = number[at_corner];
        number[sdd_patch_location(i + 1) + outward] = number[sdd_patch_location(i + 1)];
        if (blocked >> i & 1)
            continue;
        struct sdd_cell across = sdd_cell_next(m, level, sdd_cell_across(m, level, at).cell);
        number[at_corner + outward] = sdd_cell_number(m, level, across);
        number[sdd_patch_location(i + 1) + outward] = sdd_cell_number(m, level, sdd_cell_next(m, level, across));
    }
    for (int32_t i = 0; i < 4; i++, at = sdd_cell_next(m, level, at)) { /* These are the corners of the 4 x 4. */
        int32_t at_corner = sdd_patch_location(i), outward = sdd_patch_outward(i), before = sdd_patch_outward(i + 3);
        struct sdd_across one = sdd_cell_across(m, level, at), two = sdd_cell_across(m, level, one.cell);
        if (blocked >> i & 1)
            number[at_corner + outward + before] = number[at_corner + before];
        else if (two.blocked)
            number[at_corner + outward + before] = number[at_corner + outward];
        else
            number[at_corner + outward + before] =
                sdd_cell_number(m, level, sdd_cell_next(m, level, sdd_cell_next(m, level, two.cell)));
    }
    return blocked;
}
#endif
