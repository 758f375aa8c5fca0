/* SPDX-License-Identifier: Apache-2.0 */
/* tri_row.dev.h: the rows of VV, VF, FV and FF on a refined level of triangles, by formula over grid order
 * (gpu/grid/tri_grid.h) and the control mesh, which is manifold. Nothing of the level is stored. The edges of a level
 * are made from its faces instead: those that cut a corner off a triangle join two lines whose order is that of the
 * control edges', so that their numbers would need sums over all corners of the control mesh, for each corner. */
#ifndef SDD_TRI_ROW_DEV_H
#define SDD_TRI_ROW_DEV_H
#include "gpu/grid/tri_grid.h"
#include "gpu/queries/kernels/row.dev.h"

/* A place in a triangle as it is seen from the first corner. What is seen from corner c has i along the edge after c, j
 * along the edge before it, and the three numbers i, j and k add up to `sum`. */
struct sdd_tri_place {
    int32_t x, y;
};

SDD_FN struct sdd_tri_place sdd_tri_from_first(uint32_t c, int32_t i, int32_t j, int32_t sum)
{
    struct sdd_tri_place p;
    const int32_t k = sum - i - j;
    p.x = c % 3 == 0 ? i : c % 3 == 1 ? k : j;
    p.y = c % 3 == 0 ? j : c % 3 == 1 ? i : k;
    return p;
}

/* Adds the upright face at (x, y) of triangle f, or the inverted one, if there is such a face. */
SDD_FN void sdd_tri_add_face(struct sdd_row *r, uint32_t m, uint32_t f, int32_t inverted, int32_t x, int32_t y)
{
    const int32_t last = (int32_t)m - 1;
    if (x < 0 || y < 0 || x + y > last - inverted)
        return;
    sdd_row_add(r, (f * m + (uint32_t)(inverted ? last - y : y)) * m + (uint32_t)(inverted ? last - x : x));
}

/* Adds the faces of triangle c / 3 at point (i, j), seen from corner c. */
SDD_FN void sdd_tri_add_faces(struct sdd_row *r, uint32_t m, uint32_t c, int32_t i, int32_t j)
{
    const struct sdd_tri_place p = sdd_tri_from_first(c, i, j, (int32_t)m);
    for (int32_t inverted = 0; inverted < 2; inverted++) {
        sdd_tri_add_face(r, m, c / 3, inverted, p.x - 1, p.y);
        sdd_tri_add_face(r, m, c / 3, inverted, p.x, p.y - 1);
        sdd_tri_add_face(r, m, c / 3, inverted, p.x - inverted, p.y - inverted);
    }
}

/* ---- around vertices --------------------------------------------------------------------------------------------- */
SDD_FN void sdd_tri_around_control(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_grid *g,
                                   int32_t relation, uint32_t v)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k];
        if (relation == SDD_RELATION_VF) {
            sdd_tri_add_faces(r, (uint32_t)1 << g->level, c, 0, 0);
            continue;
        }
        if (sdd_meets_edge(m, c, 0))
            sdd_row_add(r, sdd_tri_point(g, c, 1, 0));
        if (sdd_meets_edge(m, sdd_prev(&m->faces, c), 1))
            sdd_row_add(r, sdd_tri_point(g, c, 0, 1));
    }
}

/* Point t of control edge e, from its lower vertex on. */
SDD_FN void sdd_tri_around_line(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_grid *g,
                                int32_t relation, uint32_t e, int32_t t)
{
    const struct sdd_control *m = &q->mesh;
    const int32_t n = sdd_n_uses(q, e), size = (int32_t)1 << g->level;
    for (int32_t k = 0; k < n; k++) {
        const uint32_t c = sdd_use(q, e, k);
        const int32_t i = m->vert[c] < m->vert[sdd_next(&m->faces, c)] ? t : size - t;
        if (relation == SDD_RELATION_VF) {
            sdd_tri_add_faces(r, (uint32_t)size, c, i, 0);
            continue;
        }
        sdd_row_add(r, sdd_tri_point(g, c, i - 1, 1));
        sdd_row_add(r, sdd_tri_point(g, c, i, 1));
        if (k > 0)
            continue;
        sdd_row_add(r, sdd_tri_point(g, c, i - 1, 0));
        sdd_row_add(r, sdd_tri_point(g, c, i + 1, 0));
    }
}

SDD_FN void sdd_tri_around_inside(struct sdd_row *r, const struct sdd_grid *g, int32_t relation, uint32_t f, int32_t i,
                                  int32_t j)
{
    if (relation == SDD_RELATION_VF) {
        sdd_tri_add_faces(r, (uint32_t)1 << g->level, 3 * f, i, j);
        return;
    }
    for (int32_t d = -1; d < 2; d += 2) {
        sdd_row_add(r, sdd_tri_point(g, 3 * f, i + d, j));
        sdd_row_add(r, sdd_tri_point(g, 3 * f, i, j + d));
        sdd_row_add(r, sdd_tri_point(g, 3 * f, i + d, j - d));
    }
}

/* Inside a triangle, row j holds m - 1 - j points, and the rows before it the sum of theirs. */
SDD_FN void sdd_tri_row_of_point(struct sdd_row *r, const struct sdd_neighbors *q, const struct sdd_grid *g,
                                 int32_t relation, uint32_t x)
{
    const uint32_t along = ((uint32_t)1 << g->level) - 1, inside = along * (along - 1) / 2;
    if (x < g->n_vertices) {
        sdd_tri_around_control(r, q, g, relation, x);
        return;
    }
    x -= g->n_vertices;
    if (x < g->n_edges * along) {
        sdd_tri_around_line(r, q, g, relation, x / along, (int32_t)(x % along) + 1);
        return;
    }
    x -= g->n_edges * along;
    const uint32_t f = x / inside, rest = x % inside;
    uint32_t low = 1, high = along; /* The row is one of low to high - 1. */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2, y = middle - 1;
        if (y * (along - 1) - y * (y - 1) / 2 <= rest)
            low = middle;
        else
            high = middle;
    }
    const uint32_t y = low - 1, before = y * (along - 1) - y * (y - 1) / 2;
    sdd_tri_around_inside(r, g, relation, f, (int32_t)(rest - before) + 1, (int32_t)low);
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */
/* The face across part s, from corner c on, of the control edge after c. */
SDD_FN void sdd_tri_add_across(struct sdd_row *r, const struct sdd_neighbors *q, uint32_t m, uint32_t c, int32_t s)
{
    const uint32_t twin = q->mesh.twin[c];
    const int32_t last = (int32_t)m - 1;
    if (twin >= q->mesh.n_corners)
        return;
    const struct sdd_tri_place p = sdd_tri_from_first(twin, last - s, 0, last);
    sdd_tri_add_face(r, m, twin / 3, 0, p.x, p.y);
}

SDD_FN void sdd_tri_row_across(struct sdd_row *r, const struct sdd_neighbors *q, uint32_t m, uint32_t f,
                               int32_t inverted, int32_t x, int32_t y)
{
    const int32_t k = (int32_t)m - 1 - x - y;
    if (inverted) {
        sdd_tri_add_face(r, m, f, 0, x + 1, y);
        sdd_tri_add_face(r, m, f, 0, x, y + 1);
        sdd_tri_add_face(r, m, f, 0, x, y);
        return;
    }
    sdd_tri_add_face(r, m, f, 1, x, y - 1);
    sdd_tri_add_face(r, m, f, 1, x, y);
    sdd_tri_add_face(r, m, f, 1, x - 1, y);
    if (y == 0)
        sdd_tri_add_across(r, q, m, 3 * f, x);
    if (k == 0)
        sdd_tri_add_across(r, q, m, 3 * f + 1, y);
    if (x == 0)
        sdd_tri_add_across(r, q, m, 3 * f + 2, k);
}

SDD_FN void sdd_row_of_triangles(struct sdd_row *r, const struct sdd_neighbors *q, int32_t relation, uint32_t x)
{
    const struct sdd_grid g = sdd_grid_of(&q->mesh, q->level);
    if (relation <= SDD_RELATION_VF) {
        sdd_tri_row_of_point(r, q, &g, relation, x);
        return;
    }
    const uint32_t m = (uint32_t)1 << q->level, f = x / (m * m);
    int32_t i = (int32_t)(x % m), j = (int32_t)(x / m % m);
    const int32_t inverted = i + j >= (int32_t)m;
    i = inverted ? (int32_t)m - 1 - i : i;
    j = inverted ? (int32_t)m - 1 - j : j;
    if (relation == SDD_RELATION_FF) {
        sdd_tri_row_across(r, q, m, f, inverted, i, j);
        return;
    }
    sdd_row_add(r, sdd_tri_point(&g, 3 * f, i + inverted, j));
    sdd_row_add(r, sdd_tri_point(&g, 3 * f, i + 1, j + inverted));
    sdd_row_add(r, sdd_tri_point(&g, 3 * f, i, j + 1));
}
#endif
