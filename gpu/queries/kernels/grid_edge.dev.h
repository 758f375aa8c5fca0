/* SPDX-License-Identifier: Apache-2.0 */
/* grid_edge.dev.h: the numbers of the edges of a refined level of quads, by formula.
 *
 * Edges are numbered by (lower vertex, higher vertex), so those of a vertex to higher ones follow each other, in the
 * order of these. How many a vertex has follows from where it lies in grid order: a control vertex all of its edges, a
 * face point one a spoke, the middle of a control edge two and one a face; a point on a line one to each face beside
 * it, and one along the line, unless the middle of the edge follows; a point inside a quad one to the right and one up,
 * where these lie inside. So sums over all vertices before are products, but for the order of the lines around control
 * vertices and the sizes of boundary edges, which depend on the control mesh alone (struct sdd_lines). There are at
 * least two cells along each side of a level-1 quad. */
#ifndef SDD_GRID_EDGE_DEV_H
#define SDD_GRID_EDGE_DEV_H
#include "gpu/grid/grid.h"
#include "gpu/queries/kernels/row.dev.h"

/* A refined level: q->mesh on level q->level, with m cells along each side of a level-1 quad. */
struct sdd_level {
    struct sdd_grid grid;
    int32_t m;
};

/* The edge from vertex (x, y) of level-1 quad c to (x + 1, y), or where `up` is 1, to (x, y + 1). */
struct sdd_level_edge {
    uint32_t c;
    int32_t x, y, up;
};

SDD_FN struct sdd_level_edge sdd_level_edge_of(uint32_t c, int32_t x, int32_t y, int32_t up)
{
    struct sdd_level_edge e;
    e.c = c;
    e.x = x;
    e.y = y;
    e.up = up;
    return e;
}

/* ---- where the edges of each kind of vertex begin ---------------------------------------------------------------- */
/* Of the middle of control edge e. The faces of all control edges together are as many as corners. */
SDD_FN uint32_t sdd_edges_of_middle(const struct sdd_neighbors *q, uint32_t e)
{
    return 2 * q->mesh.n_edges + q->mesh.n_corners + 2 * e + q->lines.uses[e];
}

/* Of the first point of half 0 of control edge e. */
SDD_FN uint32_t sdd_edges_of_halves(const struct sdd_neighbors *q, uint32_t m, uint32_t e)
{
    return sdd_edges_of_middle(q, q->mesh.n_edges) + 2 * ((m - 1) * q->lines.uses[e] + e * (m - 2));
}

SDD_FN uint32_t sdd_uses_of(const struct sdd_neighbors *q, uint32_t e)
{
    return q->lines.uses[e + 1] - q->lines.uses[e];
}

/* Of point t of a half of control edge e, counted from the control vertex. */
SDD_FN uint32_t sdd_edges_on_half(const struct sdd_neighbors *q, uint32_t m, uint32_t e, uint32_t half, uint32_t t)
{
    const uint32_t uses = sdd_uses_of(q, e);
    return sdd_edges_of_halves(q, m, e) + half * ((m - 1) * uses + m - 2) + (t - 1) * (uses + 1);
}

/* Of point t of the spoke to the edge after corner c, counted from the face point. */
SDD_FN uint32_t sdd_edges_on_spoke(const struct sdd_neighbors *q, uint32_t m, uint32_t c, uint32_t t)
{
    return sdd_edges_of_halves(q, m, q->mesh.n_edges) + c * (3 * m - 4) + 3 * (t - 1);
}

/* Of the first point inside quad c. */
SDD_FN uint32_t sdd_edges_of_inside(const struct sdd_neighbors *q, uint32_t m, uint32_t c)
{
    return sdd_edges_on_spoke(q, m, q->mesh.n_corners, 1) + c * 2 * (m - 1) * (m - 2);
}

/* ---- from an edge to its number ---------------------------------------------------------------------------------- */
/* Part s, from the control vertex on, of a half of control edge e. */
SDD_FN uint32_t sdd_number_on_half(const struct sdd_neighbors *q, uint32_t m, uint32_t e, uint32_t half, uint32_t s)
{
    if (s == 0)
        return q->lines.place[2 * e + half];
    return s == m - 1 ? sdd_edges_of_middle(q, e) + half : sdd_edges_on_half(q, m, e, half, s);
}

/* Part s, from the face point on, of the spoke to the edge after corner c. */
SDD_FN uint32_t sdd_number_on_spoke(const struct sdd_neighbors *q, uint32_t m, uint32_t c, uint32_t s)
{
    if (s == 0)
        return 2 * q->mesh.n_edges + c;
    if (s == m - 1)
        return sdd_edges_of_middle(q, q->mesh.edge[c]) + (q->mesh.twin[c] < c ? 3 : 2);
    return sdd_edges_on_spoke(q, m, c, s);
}

/* What is added for the way from point t of a line into quad c, where `other` is the quad at the other side. */
SDD_FN uint32_t sdd_rank_into(uint32_t m, uint32_t t, uint32_t c, uint32_t other)
{
    return (t < m - 1 ? 1u : 0u) + (other < c ? 1u : 0u);
}

SDD_FN uint32_t sdd_level_edge_number(const struct sdd_neighbors *q, uint32_t m, struct sdd_level_edge e)
{
    const struct sdd_control *k = &q->mesh;
    const uint32_t next = sdd_next(&k->faces, e.c), prev = sdd_prev(&k->faces, e.c);
    const uint32_t side = (uint32_t)(e.up ? e.x : e.y), s = (uint32_t)(e.up ? e.y : e.x);
    const uint32_t x = (uint32_t)e.x, y = (uint32_t)e.y;
    const uint32_t after = k->vert[e.c] > k->vert[next], before = k->vert[e.c] > k->vert[prev];
    if (side == 0)
        return sdd_number_on_half(q, m, k->edge[e.up ? prev : e.c], e.up ? before : after, s);
    if (side == m)
        return sdd_number_on_spoke(q, m, e.up ? e.c : prev, m - 1 - s);
    if (s == 0 && e.up) {
        const uint32_t other = k->twin[e.c] < k->n_corners ? sdd_next(&k->faces, k->twin[e.c]) : SDD_NONE;
        return sdd_edges_on_half(q, m, k->edge[e.c], after, x) + sdd_rank_into(m, x, e.c, other);
    }
    if (s == 0) {
        const uint32_t other = k->twin[prev] < k->n_corners ? k->twin[prev] : SDD_NONE;
        return sdd_edges_on_half(q, m, k->edge[prev], before, y) + sdd_rank_into(m, y, e.c, other);
    }
    if (s == m - 1)
        return sdd_edges_on_spoke(q, m, e.up ? prev : e.c, m - side) +
               sdd_rank_into(m, m - side, e.c, e.up ? prev : next);
    return sdd_edges_of_inside(q, m, e.c) + (y - 1) * (2 * m - 3) + (x - 1) * (y < m - 1 ? 2 : 1) +
           (e.up && x < m - 1 ? 1u : 0u);
}

/* ---- from a number to the edge ----------------------------------------------------------------------------------- */
SDD_FN struct sdd_level_edge sdd_part_of_half(const struct sdd_neighbors *q, uint32_t line, int32_t s)
{
    const struct sdd_control *k = &q->mesh;
    const uint32_t c = k->edge_corner[line / 2], next = sdd_next(&k->faces, c);
    const int is_own =
        (k->vert[c] > k->vert[next]) == (line & 1); /* Whether the half is that of the corner's vertex. */
    return is_own ? sdd_level_edge_of(c, s, 0, 0) : sdd_level_edge_of(next, 0, s, 1);
}

SDD_FN struct sdd_level_edge sdd_part_of_spoke(uint32_t m, uint32_t c, uint32_t s)
{
    return sdd_level_edge_of(c, (int32_t)m, (int32_t)(m - 1 - s), 1);
}

/* The way from point t of a half of control edge e into quad number k, of those beside it. */
SDD_FN struct sdd_level_edge sdd_way_off_half(const struct sdd_neighbors *q, uint32_t line, int32_t t, uint32_t k)
{
    struct sdd_level_edge way[2];
    const int32_t n = sdd_n_uses(q, line / 2);
    for (int32_t i = 0; i < n; i++) {
        const uint32_t c = sdd_use(q, line / 2, i), next = sdd_next(&q->mesh.faces, c);
        const int is_own = (q->mesh.vert[c] > q->mesh.vert[next]) == (line & 1);
        way[i] = is_own ? sdd_level_edge_of(c, t, 0, 1) : sdd_level_edge_of(next, 0, t, 0);
    }
    return n == 1 || (way[0].c < way[1].c) == (k == 0) ? way[0] : way[1];
}

SDD_FN struct sdd_level_edge sdd_way_off_spoke(const struct sdd_neighbors *q, uint32_t m, uint32_t c, uint32_t t,
                                               uint32_t k)
{
    const uint32_t next = sdd_next(&q->mesh.faces, c);
    const int32_t at = (int32_t)(m - t), last = (int32_t)m - 1;
    return (c < next) == (k == 0) ? sdd_level_edge_of(c, last, at, 0) : sdd_level_edge_of(next, at, last, 1);
}

/* The last control edge whose edges begin at `id` or before: those of its middle, or of its halves. */
SDD_FN uint32_t sdd_edge_at(const struct sdd_neighbors *q, uint32_t m, int32_t halves, uint32_t id)
{
    uint32_t low = 0, high = q->mesh.n_edges;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if ((halves ? sdd_edges_of_halves(q, m, middle) : sdd_edges_of_middle(q, middle)) <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

SDD_FN struct sdd_level_edge sdd_edge_from_line(const struct sdd_neighbors *q, uint32_t m, uint32_t id)
{
    if (id < sdd_edges_on_spoke(q, m, 0, 1)) {
        const uint32_t e = sdd_edge_at(q, m, 1, id), uses = sdd_uses_of(q, e), size = (m - 1) * uses + m - 2;
        const uint32_t rest = id - sdd_edges_of_halves(q, m, e), line = 2 * e + rest / size;
        const uint32_t t = rest % size / (uses + 1) + 1, rank = rest % size % (uses + 1);
        return t < m - 1 && rank == 0 ? sdd_part_of_half(q, line, (int32_t)t)
                                      : sdd_way_off_half(q, line, (int32_t)t, t < m - 1 ? rank - 1 : rank);
    }
    const uint32_t rest = id - sdd_edges_on_spoke(q, m, 0, 1), c = rest / (3 * m - 4);
    const uint32_t t = rest % (3 * m - 4) / 3 + 1, rank = rest % (3 * m - 4) % 3;
    return t < m - 1 && rank == 0 ? sdd_part_of_spoke(m, c, t)
                                  : sdd_way_off_spoke(q, m, c, t, t < m - 1 ? rank - 1 : rank);
}

SDD_FN struct sdd_level_edge sdd_level_edge_at(const struct sdd_neighbors *q, uint32_t m, uint32_t id)
{
    const struct sdd_control *k = &q->mesh;
    if (id < 2 * k->n_edges)
        return sdd_part_of_half(q, q->lines.line[id], 0);
    if (id < sdd_edges_of_middle(q, 0))
        return sdd_part_of_spoke(m, id - 2 * k->n_edges, 0);
    if (id < sdd_edges_of_middle(q, k->n_edges)) {
        const uint32_t e = sdd_edge_at(q, m, 0, id), rank = id - sdd_edges_of_middle(q, e);
        return rank < 2 ? sdd_part_of_half(q, 2 * e + rank, (int32_t)m - 1)
                        : sdd_part_of_spoke(m, sdd_use(q, e, (int32_t)rank - 2), m - 1);
    }
    if (id < sdd_edges_of_inside(q, m, 0))
        return sdd_edge_from_line(q, m, id);
    const uint32_t rest = id - sdd_edges_of_inside(q, m, 0), size = 2 * (m - 1) * (m - 2), in_row = 2 * m - 3;
    const uint32_t y = rest % size / in_row + 1, each = y < m - 1 ? 2 : 1, x = rest % size % in_row / each + 1;
    const uint32_t up = x == m - 1 || rest % size % in_row % each == 1;
    return sdd_level_edge_of(rest / size, (int32_t)x, (int32_t)y, (int32_t)up);
}
#endif
