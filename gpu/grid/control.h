/* SPDX-License-Identifier: Apache-2.0 */
/* control.h: the control mesh as the kernels of the mesh matrix see it. gpu/mesh/ makes it, and the kernels of all that
 * refines read it. */
#ifndef SDD_CONTROL_H
#define SDD_CONTROL_H
#include "gpu/grid/grid.h"
#include "gpu/grid/features.h"

/* The sharpness of the parts of semi-sharp control edges on one level, under crease method chaikin
 * (edge_sharpness.h). */
struct sdd_chaikin {
    /* Shape [E]: twice the edge's row, plus 1 if the row runs from its higher end, or SDD_NONE for an edge without a
     * row. It is NULL for creases that decay uniformly and where nothing semi-sharp is left. */
    const uint32_t *row;
    const float *now;  /* Shape [rows][2^level]: the sharpness of each part. */
    const float *half; /* Shape [rows][2^(level + 1)]: the same for the next level. */
};

/* The control mesh. `vert` and `faces` are the columns of its mesh matrix (the faces), `begin`, `end` and `corner` its
 * rows (the vertices). */
struct sdd_control {
    const uint32_t *vert, *edge, *twin; /* Shape [C]. A twin >= C says that there is no face across. */
    struct sdd_faces faces;
    const uint32_t *edge_corner; /* Shape [E]: the lowest corner of each edge. */
    /* Shapes [V], [V], [C]: vertex v has corner[begin[v]] to corner[end[v] - 1]. */
    const uint32_t *begin, *end, *corner;
    const int32_t *face_end;                      /* Shape [F]: the corner after the last one of each face. */
    const float *edge_sharp, *vert_sharp;         /* Shapes [E], [V]; NULL where all are smooth. */
    struct sdd_feature_vertices feature_vertices; /* They are given wherever edge_sharp is. */
    struct sdd_chaikin chaikin;
    uint32_t n_vertices, n_faces, n_edges, n_corners;
    int32_t edges; /* A value of enum sdd_edges. */
};

/* What is known of how faces use edges: nothing, that the mesh is manifold, or that it is manifold and closed as
 * well. */
enum sdd_edges { SDD_EDGES_ANY, SDD_EDGES_MANIFOLD, SDD_EDGES_CLOSED };

/* sdd_meets_edge: counts each edge of a vertex once. A caller goes over the corners of the vertex and asks twice for
 * each: for the edge after the corner (before = 0, own = the corner) and for the edge before it (before = 1, own = the
 * corner before). The answer is 1 exactly once for each edge. */
SDD_FN int sdd_meets_edge(const struct sdd_control *m, uint32_t own, int32_t before)
{
    if (m->edges == SDD_EDGES_CLOSED) /* Each edge leaves the vertex in exactly one face. */
        return !before;
    if (m->edges == SDD_EDGES_MANIFOLD) /* The edge where an open fan ends leaves it in none. */
        return !before || m->twin[own] >= m->n_corners;
    return m->edge_corner[m->edge[own]] == own;
}

/* Does what sdd_meets_edge does, for a caller that knows whether the vertex is a feature vertex. An edge without a face
 * across is sharp, so no fan ends at other vertices, and each of their edges leaves them in one face. */
SDD_FN int sdd_meets_edge_if(const struct sdd_control *m, int on_feature, uint32_t own, int32_t before)
{
    return on_feature || m->edges == SDD_EDGES_ANY ? sdd_meets_edge(m, own, before) : !before;
}

/* The corner at which the faces around vertex v begin. On a boundary it is the one whose own edge has no twin. */
SDD_FN uint32_t sdd_first_corner(const struct sdd_control *m, uint32_t v)
{
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++)
        if (m->twin[m->corner[k]] >= m->n_corners)
            return m->corner[k];
    return m->corner[m->begin[v]];
}

/* Whether the faces of vertex v, which has some, form one fan. */
SDD_FN int32_t sdd_is_fan(const struct sdd_control *m, uint32_t v)
{
    uint32_t first = sdd_first_corner(m, v), c = first, n = m->end[v] - m->begin[v], met = 0;
    do {
        met++;
        c = m->twin[sdd_prev(&m->faces, c)];
    } while (c < m->n_corners && c != first && met < n);
    return met == n && (m->twin[first] >= m->n_corners) == (c >= m->n_corners);
}

SDD_FN struct sdd_grid sdd_grid_of(const struct sdd_control *m, int32_t level)
{
    struct sdd_grid g;
    g.vert = m->vert;
    g.faces = m->faces;
    g.edge = m->edge;
    g.n_vertices = m->n_vertices;
    g.n_faces = m->n_faces;
    g.n_edges = m->n_edges;
    g.n_corners = m->n_corners;
    g.level = level;
    return g;
}
#endif
