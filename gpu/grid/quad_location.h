/* SPDX-License-Identifier: Apache-2.0 */
/* quad_location.h: where a row of a level of quads lies on the control mesh, and the cells around it.
 *
 * From level 1 on, the mesh matrix of a level is a formula. Its columns are the cells of m x m grids, one grid for each
 * control corner. Which faces meet in a vertex follows from the vertex's row in grid order (grid.h) and the matrix of
 * the control mesh, so no level's matrix is ever stored. */
#ifndef SDD_QUAD_LOCATION_H
#define SDD_QUAD_LOCATION_H
#include "gpu/grid/control.h"
#include "gpu/kernel/probe.h"
#include "gpu/kernel/rows.h"

/* The points of a level: all of them in grid order, only some of them with their keys (grid.h) in ascending order, or
 * none but the questions of a probe (probe.h). `kind` is a constant wherever a kernel makes one, so no kind pays for
 * the others. */
enum sdd_points_kind { SDD_POINTS_ALL, SDD_POINTS_LISTED, SDD_POINTS_PROBED };

struct sdd_points {
    const float *p; /* Shape [n] rows. */
    struct sdd_width width;
    const uint64_t *key; /* Shape [n]; listed points alone have keys. */
    struct sdd_probe *probe;
    uint32_t n;
    int32_t kind; /* A value of enum sdd_points_kind. */
};

SDD_FN struct sdd_points sdd_points_wide(const float *p, struct sdd_width width)
{
    struct sdd_points r;
    r.p = p;
    r.width = width;
    r.key = 0;
    r.probe = 0;
    r.n = 0;
    r.kind = SDD_POINTS_ALL;
    return r;
}

SDD_FN struct sdd_points sdd_points_all(const float *p)
{
    return sdd_points_wide(p, sdd_xyz());
}

SDD_FN struct sdd_points sdd_points_listed(const float *p, const uint64_t *key, uint32_t n)
{
    struct sdd_points r = sdd_points_all(p);
    r.key = key;
    r.n = n;
    r.kind = SDD_POINTS_LISTED;
    return r;
}

SDD_FN struct sdd_points sdd_points_probed(struct sdd_probe *probe)
{
    struct sdd_points r = sdd_points_all(0);
    r.probe = probe;
    r.kind = SDD_POINTS_PROBED;
    return r;
}

/* The index of `key` among n ascending keys, or n if it is not there. There are no branches, because they could not be
 * predicted. */
SDD_FN uint32_t sdd_find_key(const uint64_t *list, uint32_t n, uint64_t key)
{
    uint32_t low = 0, left = n;
    while (left > 1) {
        uint32_t half = left / 2;
        low += half & (0u - (uint32_t)(list[low + half - 1] < key));
        left -= half;
    }
    low += left && list[low] < key;
    return low < n && list[low] == key ? low : n;
}

/* What kind of place a row is at. SDD_AT_VERTEX, SDD_AT_FACE and SDD_AT_EDGE are the control vertices, face points and
 * midpoints of control edges. A half is half of a control edge, a spoke runs from a face point to an edge point; both
 * lie where grids meet. The rest is inside a grid. */
enum sdd_quad_location_kind { SDD_AT_VERTEX, SDD_AT_FACE, SDD_AT_EDGE, SDD_AT_HALF, SDD_AT_SPOKE, SDD_INSIDE };

struct sdd_quad_location {
    int32_t kind;
    uint32_t id; /* The vertex, face or edge; of a spoke or a grid its corner. */
    /* The grids that have the half as their side y = 0 and as their side x = 0; SDD_NONE where there is none. */
    uint32_t a, b;
    /* The position in the grid. Along a half or a spoke x runs from its lower end, and y says at which end of its edge
     * a half lies. */
    int32_t x, y;
};

/* Finds the grids on both sides of half `high` of edge e. */
SDD_FN void sdd_quad_location_half(const struct sdd_control *m, struct sdd_quad_location *s, uint32_t e, uint32_t high)
{
    uint32_t c = m->edge_corner[e], after = sdd_next(&m->faces, c), t = m->twin[c];
    uint32_t across = t < m->n_corners ? t : SDD_NONE;
    s->id = e;
    s->y = (int32_t)high;
    if ((m->vert[c] <= m->vert[after]) != high) { /* This is the half at corner c. */
        s->a = c;
        s->b = across == SDD_NONE ? SDD_NONE : sdd_next(&m->faces, across);
    } else {
        s->a = across;
        s->b = after;
    }
}

SDD_FN struct sdd_quad_location sdd_quad_location_start(void)
{
    struct sdd_quad_location s;
    s.kind = SDD_AT_VERTEX;
    s.id = 0;
    s.a = s.b = SDD_NONE;
    s.x = s.y = 0;
    return s;
}

/* Makes s a location on level-1 edge `line`. */
SDD_FN void sdd_quad_location_line(const struct sdd_control *m, struct sdd_quad_location *s, uint32_t line)
{
    s->kind = line < 2 * m->n_edges ? SDD_AT_HALF : SDD_AT_SPOKE;
    if (s->kind == SDD_AT_HALF)
        sdd_quad_location_half(m, s, line >> 1, line & 1);
    else
        s->id = line - 2 * m->n_edges;
}

SDD_FN struct sdd_quad_location sdd_quad_location_of(const struct sdd_control *m, int32_t level, uint32_t row)
{
    uint32_t along, line;
    struct sdd_quad_location s = sdd_quad_location_start();
    s.id = row;
    if (s.id < m->n_vertices)
        return s;
    s.id -= m->n_vertices;
    s.kind = SDD_AT_FACE;
    if (s.id < m->n_faces)
        return s;
    s.id -= m->n_faces;
    s.kind = SDD_AT_EDGE;
    if (level < 2 || s.id < m->n_edges) /* Level 1 has no other points. */
        return s;
    s.id -= m->n_edges;
    along = ((uint32_t)1 << (level - 1)) - 1;
    if (s.id < (2 * m->n_edges + m->n_corners) * along) {
        line = s.id / along;
        s.x = (int32_t)(s.id - line * along) + 1;
        sdd_quad_location_line(m, &s, line);
        return s;
    }
    s.id -= (2 * m->n_edges + m->n_corners) * along;
    s.kind = SDD_INSIDE;
    line = s.id / along;
    s.x = (int32_t)(s.id - line * along) + 1;
    s.id = line / along;
    s.y = (int32_t)(line - s.id * along) + 1;
    return s;
}

/* The location of the point with this key (grid.h). */
SDD_FN struct sdd_quad_location sdd_quad_location_of_key(const struct sdd_control *m, int32_t level, uint64_t key)
{
    int32_t bits = level - 1, side = 1 << bits;
    uint64_t id = key >> (2 * bits), first_edge = (uint64_t)m->n_vertices + m->n_faces + m->n_edges;
    uint64_t first_quad = first_edge + 2 * (uint64_t)m->n_edges + m->n_corners;
    if (id < first_edge)
        return sdd_quad_location_of(m, 1, (uint32_t)id);
    struct sdd_quad_location s = sdd_quad_location_start();
    s.x = (int32_t)key & (side - 1);
    s.y = (int32_t)(key >> bits) & (side - 1);
    s.kind = SDD_INSIDE;
    s.id = (uint32_t)(id - first_quad);
    if (id < first_quad)
        sdd_quad_location_line(m, &s, (uint32_t)(id - first_edge));
    return s;
}

/* A cell beside a point. Point (x, y) of grid q is corner `rotation` of the cell. The neighbouring corners lie along
 * direction `rotation` (the on-edge) and rotation + 1 (the off-edge), where directions 0 to 3 are +x, +y, -x, -y. */
struct sdd_cell {
    uint32_t q;
    int32_t x, y, rotation;
};

SDD_FN struct sdd_cell sdd_cell_at(uint32_t q, int32_t x, int32_t y, int32_t rotation)
{
    struct sdd_cell c;
    c.q = q;
    c.x = x;
    c.y = y;
    c.rotation = rotation & 3;
    return c;
}

SDD_FN struct sdd_vec3 sdd_load_point(const float *p, uint32_t row)
{
    return sdd_row_load(p, row, sdd_xyz());
}

/* The step of direction d along x. */
SDD_FN int32_t sdd_step_x(int32_t d)
{
    return ((d & 3) == 0) - ((d & 3) == 2);
}
/* The step of direction d along y. */
SDD_FN int32_t sdd_step_y(int32_t d)
{
    return ((d & 3) == 1) - ((d & 3) == 3);
}

struct sdd_cell_points {
    struct sdd_vec3 on, diagonal, off;
};

/* The point with this row or key. A point that is not among the listed ones is zero; no rule gives it any weight. */
SDD_FN struct sdd_vec3 sdd_points_load(struct sdd_points p, uint64_t number)
{
    if (p.kind == SDD_POINTS_ALL)
        return sdd_row_load(p.p, (uint32_t)number, p.width);
    if (p.kind == SDD_POINTS_PROBED)
        return sdd_probe_load(p.probe, (uint32_t)number);
    uint32_t row = sdd_find_key(p.key, p.n, number);
    return row < p.n ? sdd_row_load(p.p, row, p.width) : sdd_vec3_of(0.0f, 0.0f, 0.0f);
}

SDD_FN struct sdd_vec3 sdd_vertex_load(const struct sdd_grid *g, struct sdd_points p, uint32_t id)
{
    return sdd_points_load(p, sdd_grid_vertex(g, id, p.kind == SDD_POINTS_LISTED));
}

SDD_FN struct sdd_vec3 sdd_grid_load(const struct sdd_grid *g, struct sdd_points p, uint32_t q, int32_t x, int32_t y)
{
    return sdd_points_load(p, sdd_grid_number(g, q, x, y, p.kind == SDD_POINTS_LISTED));
}

SDD_FN struct sdd_cell_points sdd_cell_load(const struct sdd_grid *g, struct sdd_points p, struct sdd_cell c)
{
    int32_t ox = sdd_step_x(c.rotation), oy = sdd_step_y(c.rotation), fx = sdd_step_x(c.rotation + 1),
            fy = sdd_step_y(c.rotation + 1);
    struct sdd_cell_points r;
    r.on = sdd_grid_load(g, p, c.q, c.x + ox, c.y + oy);
    r.diagonal = sdd_grid_load(g, p, c.q, c.x + ox + fx, c.y + oy + fy);
    r.off = sdd_grid_load(g, p, c.q, c.x + fx, c.y + fy);
    return r;
}

/* How many cells there are around a location that is no control vertex. At a non-manifold edge they are those of its
 * first face. */
SDD_FN int32_t sdd_quad_location_cells(const struct sdd_control *m, const struct sdd_quad_location *s)
{
    if (s->kind == SDD_AT_FACE)
        return m->face_end[s->id] - (s->id ? m->face_end[s->id - 1] : 0);
    if (s->kind == SDD_AT_EDGE)
        return m->twin[m->edge_corner[s->id]] < m->n_corners ? 4 : 2;
    if (s->kind == SDD_AT_HALF)
        return s->a != SDD_NONE && s->b != SDD_NONE ? 4 : 2;
    return 4;
}

/* Cell j of those cells, counter-clockwise; on a boundary they begin at the leading edge. */
SDD_FN struct sdd_cell sdd_quad_location_cell(const struct sdd_control *m, const struct sdd_quad_location *s,
                                              int32_t side, int32_t j)
{
    uint32_t c;
    if (s->kind == SDD_INSIDE)
        return sdd_cell_at(s->id, s->x, s->y, j);
    if (s->kind == SDD_AT_SPOKE)
        return j < 2 ? sdd_cell_at(s->id, side, side - s->x, 1 + j)
                     : sdd_cell_at(sdd_next(&m->faces, s->id), side - s->x, side, j);
    if (s->kind == SDD_AT_FACE)
        return sdd_cell_at((s->id ? (uint32_t)m->face_end[s->id - 1] : 0) + (uint32_t)j, side, side, 2);
    if (s->kind == SDD_AT_HALF) {
        if (s->a != SDD_NONE && j < 2)
            return sdd_cell_at(s->a, s->x, 0, j);
        return sdd_cell_at(s->b, 0, s->x, 3 + (j & 1));
    }
    c = m->edge_corner[s->id];
    if (m->twin[c] < m->n_corners && j < 3) /* Cell 0 is on c's side, cells 1 and 2 are in the face across. */
        return j == 0   ? sdd_cell_at(c, side, 0, 1)
               : j == 1 ? sdd_cell_at(sdd_next(&m->faces, m->twin[c]), 0, side, 3)
                        : sdd_cell_at(m->twin[c], side, 0, 1);
    if (m->twin[c] >= m->n_corners && j == 1)
        return sdd_cell_at(c, side, 0, 1);
    return sdd_cell_at(sdd_next(&m->faces, c), 0, side, 3);
}

/* Sharpness s after n steps of uniform decay. The single steps are exact, so they can be taken at once. */
SDD_FN float sdd_decayed(float s, int32_t n)
{
    return s >= 10.0f ? 10.0f : s > (float)n ? s - (float)n : 0.0f;
}
#endif
