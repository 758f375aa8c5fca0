/* SPDX-License-Identifier: Apache-2.0 */
/* neighbors.h: what kernels of neighbours read: the control mesh with the uses of its edges, which relations there are,
 * and whose rows are asked for. */
#ifndef SDD_NEIGHBORS_H
#define SDD_NEIGHBORS_H
#include "gpu/grid/control.h"

/* The relations of sdd_queries.h, which kernels do not read. */
enum sdd_relation_of_kernels {
    SDD_RELATION_VV,
    SDD_RELATION_VE,
    SDD_RELATION_VF,
    SDD_RELATION_EV,
    SDD_RELATION_EF,
    SDD_RELATION_FV,
    SDD_RELATION_FE,
    SDD_RELATION_FF
};

/* Of a manifold mesh: the halves of its edges, 2e at the lower vertex of edge e and 2e + 1 at the higher one, for the
 * numbers of edges of its refined levels. NULL where these are not asked for. */
struct sdd_lines {
    const uint32_t *place; /* Shape [2 E]: where each half stands in `line`. */
    const uint32_t *line;  /* Shape [2 E]: the halves at each vertex, vertex after vertex, ascending. */
    const uint32_t *uses;  /* Shape [E + 1]: how many faces the edges before have, all together. */
};

/* A control mesh with the corners that use each edge. In a manifold mesh these are the edge's lowest corner and its
 * twin, and the two arrays are NULL. */
struct sdd_neighbors {
    struct sdd_control mesh;
    const uint32_t *use_begin;  /* Shape [E + 1]. */
    const uint32_t *use_corner; /* Shape [C]: ascending for each edge. */
    int32_t level; /* 0, or the refined level whose rows are made by formula (gpu/queries/kernels/grid_row.dev.h). */
    int32_t is_triangles; /* Whether the refined level is one of triangles. */
    struct sdd_lines lines;
};

/* Which elements have rows: those of the list, or all from `first` on where it is NULL. */
struct sdd_subjects {
    const uint32_t *list;
    uint32_t first;
};

SDD_FN uint32_t sdd_subject(const struct sdd_subjects *s, int64_t i)
{
    return s->list ? s->list[i] : s->first + (uint32_t)i;
}
SDD_FN int32_t sdd_n_uses(const struct sdd_neighbors *q, uint32_t e)
{
    if (q->use_begin)
        return (int32_t)(q->use_begin[e + 1] - q->use_begin[e]);
    return 1 + (q->mesh.twin[q->mesh.edge_corner[e]] < q->mesh.n_corners);
}

/* Corner k, in ascending order, of those whose edge is e. No two of them are of the same face. */
SDD_FN uint32_t sdd_use(const struct sdd_neighbors *q, uint32_t e, int32_t k)
{
    if (q->use_begin)
        return q->use_corner[q->use_begin[e] + (uint32_t)k];
    return k == 0 ? q->mesh.edge_corner[e] : q->mesh.twin[q->mesh.edge_corner[e]];
}

#endif
