/* SPDX-License-Identifier: Apache-2.0 */
/* control.h: the control mesh as the kernels of the mesh matrix see it. */
#ifndef SDD_CONTROL_H
#define SDD_CONTROL_H
#include "gpu/grid/grid.h"
#include "gpu/grid/features.h"

/* Crease method chaikin, at one level: the sharpness of the parts of semi-sharp control edges (edge_sharpness.h). */
struct sdd_chaikin {
    const uint32_t *row; /* [E] 2 times the edge's row, and 1 if the row runs from its higher end; SDD_NONE: none. NULL:
                          * uniform, or nothing is left */
    const float *now, *half; /* [rows][2^level] and [rows][2^(level + 1)] */
};

/* The control mesh: its matrix by columns (the faces: grid.*) and by rows (the vertices: begin, end, corner). */
struct sdd_control {
    const uint32_t *vert, *edge, *twin; /* [C], twin >= C: none */
    struct sdd_faces faces;
    const uint32_t *edge_corner;                  /* [E]                  */
    const uint32_t *begin, *end, *corner;         /* [V], [V], [C]        */
    const int32_t *face_end;                      /* [F]                  */
    const float *edge_sharp, *vert_sharp;         /* [E], [V]; NULL: all smooth */
    struct sdd_feature_vertices feature_vertices; /* where edge_sharp is */
    struct sdd_chaikin chaikin;
    uint32_t n_vertices, n_faces, n_edges, n_corners;
    int32_t edges; /* enum sdd_edges */
};

/* What is known of how faces use edges. */
enum sdd_edges { SDD_EDGES_ANY, SDD_EDGES_MANIFOLD, SDD_EDGES_CLOSED };

/* sdd_meets_edge: over the corners of a vertex, each with the edge after it (before = 0, own: the corner) and the one
 * before it (before = 1, own: the corner before), it is 1 once for each edge of the vertex. */
SDD_FN int sdd_meets_edge(const struct sdd_control *m, uint32_t own, int32_t before)
{
    if (m->edges == SDD_EDGES_CLOSED) /* each edge leaves the vertex in one face */
        return !before;
    if (m->edges == SDD_EDGES_MANIFOLD) /* but the one where an open fan ends */
        return !before || m->twin[own] >= m->n_corners;
    return m->edge_corner[m->edge[own]] == own;
}

/* The same for a vertex of which it is known whether it is a feature vertex: an edge without a face across is sharp, so at others
 * no fan ends. */
SDD_FN int sdd_meets_edge_if(const struct sdd_control *m, int on_feature, uint32_t own, int32_t before)
{
    return on_feature || m->edges == SDD_EDGES_ANY ? sdd_meets_edge(m, own, before) : !before;
}

/* The corner at which the faces around vertex v begin: on a boundary the one whose own edge has no twin. */
SDD_FN uint32_t sdd_first_corner(const struct sdd_control *m, uint32_t v)
{
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++)
        if (m->twin[m->corner[k]] >= m->n_corners)
            return m->corner[k];
    return m->corner[m->begin[v]];
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
