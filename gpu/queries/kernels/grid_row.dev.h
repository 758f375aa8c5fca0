/* SPDX-License-Identifier: Apache-2.0 */
/* grid_row.dev.h: the rows of a refined level of quads, by formula over grid order
 * (gpu/grid/grid.h) and the control mesh, which is manifold. Nothing of the level is stored. */
#ifndef SDD_GRID_ROW_DEV_H
#define SDD_GRID_ROW_DEV_H
#include "gpu/queries/kernels/grid_edge.dev.h"

SDD_FN struct sdd_level sdd_level_of(const struct sdd_neighbors *q)
{
    struct sdd_level l;
    l.grid = sdd_grid_of(&q->mesh, q->level);
    l.m = (int32_t)1 << (q->level - 1);
    return l;
}

/* Adds the vertex (x, y) of level-1 quad c, or its cell (x, y). */
SDD_FN void sdd_add_point(struct sdd_row *r, const struct sdd_level *l, uint32_t c, int32_t x, int32_t y)
{
    sdd_row_add(r, sdd_grid_point(&l->grid, c, x, y));
}

SDD_FN void sdd_add_cell(struct sdd_row *r, const struct sdd_level *l, uint32_t c, int32_t x, int32_t y)
{
    sdd_row_add(r, (c * (uint32_t)l->m + (uint32_t)y) * (uint32_t)l->m + (uint32_t)x);
}

SDD_FN void sdd_add_edge(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                         struct sdd_level_edge e)
{
    sdd_row_add(r, r->ids ? sdd_level_edge_number(q, (uint32_t)l->m, e) : 0);
}

/* Adds the vertex at the other end of the edge from (x, y) to (x + dx, y + dy), or for VE the edge. */
SDD_FN void sdd_add_way(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l, int32_t relation,
                        uint32_t c, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
    if (relation == SDD_RELATION_VV)
        sdd_add_point(r, l, c, x + dx, y + dy);
    else
        sdd_add_edge(r, q, l, sdd_level_edge_of(c, dx < 0 ? x - 1 : x, dy < 0 ? y - 1 : y, dx == 0));
}

/* ---- around vertices -----------------------------------------------------------------------------------------------
 * */
SDD_FN void sdd_around_control(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                               int32_t relation, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k];
        if (relation == SDD_RELATION_VF) {
            sdd_add_cell(r, l, c, 0, 0);
            continue;
        }
        if (sdd_meets_edge(m, c, 0))
            sdd_add_way(r, q, l, relation, c, 0, 0, 1, 0);
        if (sdd_meets_edge(m, sdd_prev(&m->faces, c), 1))
            sdd_add_way(r, q, l, relation, c, 0, 0, 0, 1);
    }
}

SDD_FN void sdd_around_face(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                            int32_t relation, uint32_t f)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t c = f > 0 ? (uint32_t)m->face_end[f - 1] : 0; c < (uint32_t)m->face_end[f]; c++)
        if (relation == SDD_RELATION_VF)
            sdd_add_cell(r, l, c, l->m - 1, l->m - 1);
        else
            sdd_add_way(r, q, l, relation, c, l->m, l->m, 0, -1);
}

/* The middle of control edge e. */
SDD_FN void sdd_around_edge(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                            int32_t relation, uint32_t e)
{
    const int32_t n = sdd_n_uses(q, e);
    for (int32_t k = 0; k < n; k++) {
        const uint32_t c = sdd_use(q, e, k), next = sdd_next(&q->mesh.faces, c);
        if (relation == SDD_RELATION_VF) {
            sdd_add_cell(r, l, c, l->m - 1, 0);
            sdd_add_cell(r, l, next, 0, l->m - 1);
            continue;
        }
        sdd_add_way(r, q, l, relation, c, l->m, 0, 0, 1);
        if (k > 0)
            continue;
        sdd_add_way(r, q, l, relation, c, l->m, 0, -1, 0);
        sdd_add_way(r, q, l, relation, next, 0, l->m, 0, -1);
    }
}

/* Point t, from the control vertex on, of half `half` of control edge e: 0 is that of the lower vertex. */
SDD_FN void sdd_around_half(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                            int32_t relation, uint32_t e, int32_t half, int32_t t)
{
    const struct sdd_control *m = &q->mesh;
    const int32_t n = sdd_n_uses(q, e);
    for (int32_t k = 0; k < n; k++) {
        const uint32_t c = sdd_use(q, e, k), next = sdd_next(&m->faces, c);
        const int first = (m->vert[c] > m->vert[next]) == half; /* Whether the half is that of the corner's vertex. */
        const uint32_t quad = first ? c : next;
        const int32_t x = first ? t : 0, y = first ? 0 : t;
        if (relation == SDD_RELATION_VF) {
            sdd_add_cell(r, l, quad, first ? t - 1 : 0, first ? 0 : t - 1);
            sdd_add_cell(r, l, quad, first ? t : 0, first ? 0 : t);
            continue;
        }
        sdd_add_way(r, q, l, relation, quad, x, y, !first, first);
        if (k > 0)
            continue;
        sdd_add_way(r, q, l, relation, quad, x, y, -first, -!first);
        sdd_add_way(r, q, l, relation, quad, x, y, first, !first);
    }
}

/* Point t, from the face point on, of the spoke to the middle of the edge after corner c. */
SDD_FN void sdd_around_spoke(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                             int32_t relation, uint32_t c, int32_t t)
{
    const uint32_t next = sdd_next(&q->mesh.faces, c);
    const int32_t at = l->m - t, last = l->m - 1;
    if (relation == SDD_RELATION_VF) {
        sdd_add_cell(r, l, c, last, at - 1);
        sdd_add_cell(r, l, c, last, at);
        sdd_add_cell(r, l, next, at - 1, last);
        sdd_add_cell(r, l, next, at, last);
        return;
    }
    sdd_add_way(r, q, l, relation, c, l->m, at, 0, -1);
    sdd_add_way(r, q, l, relation, c, l->m, at, 0, 1);
    sdd_add_way(r, q, l, relation, c, l->m, at, -1, 0);
    sdd_add_way(r, q, l, relation, next, at, l->m, 0, -1);
}

/* Vertex number `own`, which is (x, y) inside level-1 quad c. Most of its neighbours are inside, too, where the numbers
 * of a row of vertices follow each other. */
SDD_FN void sdd_around_inside(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                              int32_t relation, uint32_t own, uint32_t c, int32_t x, int32_t y)
{
    const uint32_t along = (uint32_t)l->m - 1;
    if (relation == SDD_RELATION_VF) {
        sdd_add_cell(r, l, c, x - 1, y - 1);
        sdd_add_cell(r, l, c, x, y - 1);
        sdd_add_cell(r, l, c, x - 1, y);
        sdd_add_cell(r, l, c, x, y);
        return;
    }
    SDD_UNROLL(1)
    for (int32_t k = 0; k < 4; k++) {
        const int32_t dx = k == 1 ? -1 : k == 2, dy = k == 0 ? -1 : k == 3;
        if (relation == SDD_RELATION_VV && (uint32_t)(x + dx - 1) < along && (uint32_t)(y + dy - 1) < along)
            sdd_row_add(r, own + (uint32_t)dx + (uint32_t)dy * along);
        else
            sdd_add_way(r, q, l, relation, c, x, y, dx, dy);
    }
}

/* The faces around a vertex of the level, its edges, or the other ends of these, each once. */
SDD_FN void sdd_row_of_point(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                             int32_t relation, uint32_t x)
{
    const struct sdd_control *m = &q->mesh;
    const uint32_t own = x, along = (uint32_t)l->m - 1, lines = 2 * m->n_edges + m->n_corners;
    if (x < m->n_vertices) {
        sdd_around_control(r, q, l, relation, x);
        return;
    }
    x -= m->n_vertices;
    if (x < m->n_faces) {
        sdd_around_face(r, q, l, relation, x);
        return;
    }
    x -= m->n_faces;
    if (x < m->n_edges) {
        sdd_around_edge(r, q, l, relation, x);
        return;
    }
    x -= m->n_edges;
    if (x < lines * along) {
        const uint32_t line = x / along;
        const int32_t t = (int32_t)(x % along) + 1;
        if (line < 2 * m->n_edges)
            sdd_around_half(r, q, l, relation, line / 2, (int32_t)(line & 1), t);
        else
            sdd_around_spoke(r, q, l, relation, line - 2 * m->n_edges, t);
        return;
    }
    x -= lines * along;
    const uint32_t c = x / (along * along), rest = x - c * along * along;
    sdd_around_inside(r, q, l, relation, own, c, (int32_t)(rest % along) + 1, (int32_t)(rest / along) + 1);
}

/* ---- faces ---------------------------------------------------------------------------------------------------------
 * */
/* The faces across the four edges of a face; one that is across two of them comes twice. */
SDD_FN void sdd_row_across(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l, uint32_t c,
                           int32_t x, int32_t y)
{
    const struct sdd_control *m = &q->mesh;
    const int32_t last = l->m - 1;
    const uint32_t next = sdd_next(&m->faces, c), prev = sdd_prev(&m->faces, c);
    if (y > 0)
        sdd_add_cell(r, l, c, x, y - 1);
    else if (m->twin[c] < m->n_corners)
        sdd_add_cell(r, l, sdd_next(&m->faces, m->twin[c]), 0, x);
    if (x < last)
        sdd_add_cell(r, l, c, x + 1, y);
    else
        sdd_add_cell(r, l, next, y, last);
    if (y < last)
        sdd_add_cell(r, l, c, x, y + 1);
    else
        sdd_add_cell(r, l, prev, last, x);
    if (x > 0)
        sdd_add_cell(r, l, c, x - 1, y);
    else if (m->twin[prev] < m->n_corners)
        sdd_add_cell(r, l, m->twin[prev], y, 0);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */
/* The ends of an edge, the lower one first, or the faces at its two sides. */
SDD_FN void sdd_row_of_edge(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                            int32_t relation, struct sdd_level_edge e)
{
    const struct sdd_control *m = &q->mesh;
    const uint32_t prev = sdd_prev(&m->faces, e.c);
    const int32_t last = l->m - 1, side = e.up ? e.x : e.y, s = e.up ? e.y : e.x;
    if (relation == SDD_RELATION_EV) {
        const uint32_t a = sdd_grid_point(&l->grid, e.c, e.x, e.y);
        const uint32_t b = sdd_grid_point(&l->grid, e.c, e.x + !e.up, e.y + e.up);
        sdd_row_add(r, a < b ? a : b);
        sdd_row_add(r, a < b ? b : a);
        return;
    }
    if (side > 0)
        sdd_add_cell(r, l, e.c, e.x - e.up, e.y - !e.up);
    else if (e.up && m->twin[prev] < m->n_corners)
        sdd_add_cell(r, l, m->twin[prev], s, 0);
    else if (!e.up && m->twin[e.c] < m->n_corners)
        sdd_add_cell(r, l, sdd_next(&m->faces, m->twin[e.c]), 0, s);
    if (side < l->m)
        sdd_add_cell(r, l, e.c, e.x, e.y);
    else
        sdd_add_cell(r, l, e.up ? sdd_next(&m->faces, e.c) : prev, e.up ? s : last, e.up ? last : s);
}

SDD_FN void sdd_row_of_quads(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t x)
{
    const struct sdd_level l = sdd_level_of(q);
    if (relation <= SDD_RELATION_VF) {
        sdd_row_of_point(r, q, &l, relation, x);
        return;
    }
    if (relation <= SDD_RELATION_EF) {
        sdd_row_of_edge(r, q, &l, relation, sdd_level_edge_at(q, (uint32_t)l.m, x));
        return;
    }
    const uint32_t c = x / ((uint32_t)l.m * (uint32_t)l.m), rest = x - c * (uint32_t)l.m * (uint32_t)l.m;
    const int32_t i = (int32_t)(rest % (uint32_t)l.m), j = (int32_t)(rest / (uint32_t)l.m);
    if (relation == SDD_RELATION_FF) {
        sdd_row_across(r, q, &l, c, i, j);
        return;
    }
    for (int32_t k = 0; k < 4; k++) {
        const int32_t px = i + (k == 1 || k == 2), py = j + (k > 1);
        if (relation == SDD_RELATION_FV) {
            sdd_add_point(r, &l, c, px, py);
            continue;
        }
        if (r->signs)
            r->signs[r->n] =
                sdd_grid_point(&l.grid, c, px, py) > sdd_grid_point(&l.grid, c, i + (k < 2), j + (k == 1 || k == 2));
        sdd_add_edge(r, q, &l, sdd_level_edge_of(c, i + (k == 1), j + (k == 2), k & 1));
    }
}
#endif
