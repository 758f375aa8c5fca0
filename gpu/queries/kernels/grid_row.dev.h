/* SPDX-License-Identifier: Apache-2.0 */
/* grid_row.dev.h: the rows of VV, VF, FV and FF on a refined level of quads, by formula over grid order
 * (gpu/grid/grid.h) and the control mesh, which is manifold. Nothing of the level is stored. */
#ifndef SDD_GRID_ROW_DEV_H
#define SDD_GRID_ROW_DEV_H
#include "gpu/queries/kernels/row.dev.h"

/* A refined level: q->mesh on level q->level, with m cells along each side of a level-1 quad. */
struct sdd_level {
    struct sdd_grid grid;
    int32_t m;
};

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

/* ---- around vertices -----------------------------------------------------------------------------------------------
 * */
SDD_FN void sdd_around_control(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l,
                               int32_t faces, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k];
        if (faces)
            sdd_add_cell(r, l, c, 0, 0);
        if (!faces && sdd_meets_edge(m, c, 0))
            sdd_add_point(r, l, c, 1, 0);
        if (!faces && sdd_meets_edge(m, sdd_prev(&m->faces, c), 1))
            sdd_add_point(r, l, c, 0, 1);
    }
}

SDD_FN void sdd_around_face(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l, int32_t faces,
                            uint32_t f)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t c = f > 0 ? (uint32_t)m->face_end[f - 1] : 0; c < (uint32_t)m->face_end[f]; c++)
        if (faces)
            sdd_add_cell(r, l, c, l->m - 1, l->m - 1);
        else
            sdd_add_point(r, l, c, l->m, l->m - 1);
}

/* The middle of control edge e. */
SDD_FN void sdd_around_edge(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l, int32_t faces,
                            uint32_t e)
{
    const int32_t n = sdd_n_uses(q, e);
    for (int32_t k = 0; k < n; k++) {
        const uint32_t c = sdd_use(q, e, k), next = sdd_next(&q->mesh.faces, c);
        if (faces) {
            sdd_add_cell(r, l, c, l->m - 1, 0);
            sdd_add_cell(r, l, next, 0, l->m - 1);
            continue;
        }
        sdd_add_point(r, l, c, l->m, 1);
        if (k > 0)
            continue;
        sdd_add_point(r, l, c, l->m - 1, 0);
        sdd_add_point(r, l, next, 0, l->m - 1);
    }
}

/* Point t, from the control vertex on, of half `half` of control edge e: 0 is that of the lower vertex. */
SDD_FN void sdd_around_half(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l, int32_t faces,
                            uint32_t e, int32_t half, int32_t t)
{
    const struct sdd_control *m = &q->mesh;
    const int32_t n = sdd_n_uses(q, e);
    for (int32_t k = 0; k < n; k++) {
        const uint32_t c = sdd_use(q, e, k), next = sdd_next(&m->faces, c);
        const int first = (m->vert[c] > m->vert[next]) == half; /* Whether the half is that of the corner's vertex. */
        const uint32_t quad = first ? c : next;
        if (faces) {
            sdd_add_cell(r, l, quad, first ? t - 1 : 0, first ? 0 : t - 1);
            sdd_add_cell(r, l, quad, first ? t : 0, first ? 0 : t);
            continue;
        }
        sdd_add_point(r, l, quad, first ? t : 1, first ? 1 : t);
        if (k > 0)
            continue;
        sdd_add_point(r, l, quad, first ? t - 1 : 0, first ? 0 : t - 1);
        sdd_add_point(r, l, quad, first ? t + 1 : 0, first ? 0 : t + 1);
    }
}

/* Point t, from the face point on, of the spoke to the middle of the edge after corner c. */
SDD_FN void sdd_around_spoke(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l, int32_t faces,
                             uint32_t c, int32_t t)
{
    const uint32_t next = sdd_next(&q->mesh.faces, c);
    const int32_t at = l->m - t, last = l->m - 1;
    if (faces) {
        sdd_add_cell(r, l, c, last, at - 1);
        sdd_add_cell(r, l, c, last, at);
        sdd_add_cell(r, l, next, at - 1, last);
        sdd_add_cell(r, l, next, at, last);
        return;
    }
    sdd_add_point(r, l, c, l->m, at - 1);
    sdd_add_point(r, l, c, l->m, at + 1);
    sdd_add_point(r, l, c, last, at);
    sdd_add_point(r, l, next, at, last);
}

SDD_FN void sdd_around_inside(struct sdd_row *r, const struct sdd_level *l, int32_t faces, uint32_t c, int32_t x,
                              int32_t y)
{
    if (faces) {
        sdd_add_cell(r, l, c, x - 1, y - 1);
        sdd_add_cell(r, l, c, x, y - 1);
        sdd_add_cell(r, l, c, x - 1, y);
        sdd_add_cell(r, l, c, x, y);
        return;
    }
    sdd_add_point(r, l, c, x, y - 1);
    sdd_add_point(r, l, c, x - 1, y);
    sdd_add_point(r, l, c, x + 1, y);
    sdd_add_point(r, l, c, x, y + 1);
}

/* The faces around a vertex of the level, or the other ends of its edges, each once. */
SDD_FN void sdd_row_of_point(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_level *l, int32_t faces,
                             uint32_t x)
{
    const struct sdd_control *m = &q->mesh;
    const uint32_t along = (uint32_t)l->m - 1, lines = 2 * m->n_edges + m->n_corners;
    if (x < m->n_vertices) {
        sdd_around_control(r, q, l, faces, x);
        return;
    }
    x -= m->n_vertices;
    if (x < m->n_faces) {
        sdd_around_face(r, q, l, faces, x);
        return;
    }
    x -= m->n_faces;
    if (x < m->n_edges) {
        sdd_around_edge(r, q, l, faces, x);
        return;
    }
    x -= m->n_edges;
    if (x < lines * along) {
        const uint32_t line = x / along;
        const int32_t t = (int32_t)(x % along) + 1;
        if (line < 2 * m->n_edges)
            sdd_around_half(r, q, l, faces, line / 2, (int32_t)(line & 1), t);
        else
            sdd_around_spoke(r, q, l, faces, line - 2 * m->n_edges, t);
        return;
    }
    x -= lines * along;
    const uint32_t c = x / (along * along), rest = x - c * along * along;
    sdd_around_inside(r, l, faces, c, (int32_t)(rest % along) + 1, (int32_t)(rest / along) + 1);
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

SDD_FN void sdd_row_of_level(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t x)
{
    const struct sdd_level l = sdd_level_of(q);
    if (relation == SDD_RELATION_VV || relation == SDD_RELATION_VF) {
        sdd_row_of_point(r, q, &l, relation == SDD_RELATION_VF, x);
        return;
    }
    const uint32_t c = x / ((uint32_t)l.m * (uint32_t)l.m), rest = x - c * (uint32_t)l.m * (uint32_t)l.m;
    const int32_t i = (int32_t)(rest % (uint32_t)l.m), j = (int32_t)(rest / (uint32_t)l.m);
    if (relation == SDD_RELATION_FF) {
        sdd_row_across(r, q, &l, c, i, j);
        return;
    }
    sdd_add_point(r, &l, c, i, j);
    sdd_add_point(r, &l, c, i + 1, j);
    sdd_add_point(r, &l, c, i + 1, j + 1);
    sdd_add_point(r, &l, c, i, j + 1);
}
#endif
