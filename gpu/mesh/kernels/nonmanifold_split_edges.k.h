/* SPDX-License-Identifier: Apache-2.0 */
/* nonmanifold_split_edges: numbers the edges of a non-manifold mesh, and says what is special about each. Where a face
 * uses an edge more than once, each further use becomes an edge of its own; so does each further use of an edge with
 * equal ends.
 * Shapes  corner[C] i32 sorted by edge key, run[C] i32 (number of the run of equal keys, from 1), apart[C] i32
 *         (inclusive scan of nonmanifold_split_flags), run_first[runs] i32 (nonmanifold_split_flags), vert[C] u32,
 *         faces -> edge[C] u32, edge_corner, kind [E] u32, E = runs + apart[C - 1]
 * Launch  item, n = C
 * Cost    40 B read, 12 B written
 * Result  Edges stay sorted by (lower vertex, higher vertex); edges that were split off follow the one that is shared.
 *         kind combines bits of enum sdd_edge.
 * Threads any queue
 * Source  OpenSubdiv, Vtr::internal::Level::completeTopologyFromFaceVertices */
#ifndef SDD_K_NONMANIFOLD_SPLIT_EDGES_H
#define SDD_K_NONMANIFOLD_SPLIT_EDGES_H
#include "gpu/grid/faces.h"

/* The bits of an edge's kind: it has one face, or it is non-manifold. An edge can be both. */
enum sdd_edge { SDD_EDGE_BOUNDARY = 1, SDD_EDGE_NONMANIFOLD = 2 };

struct nonmanifold_split_edges_args {
    const int32_t *corner, *run, *apart, *run_first;
    const uint32_t *vert;
    struct sdd_faces faces;
    uint32_t *edge, *edge_corner, *kind;
    int64_t n_corners;
    int32_t n_runs;
};

SDD_FN void k_nonmanifold_split_edges(int64_t i, const struct nonmanifold_split_edges_args *a)
{
    int32_t run = a->run[i] - 1, first = a->run_first[run];
    int32_t end = run + 1 < a->n_runs ? a->run_first[run + 1] : (int32_t)a->n_corners;
    int32_t before = first ? a->apart[first - 1] : 0; /* How many were split off in earlier runs. */
    int32_t n_split = a->apart[end - 1] - before, n_shared = end - first - n_split;
    int own = a->apart[i] > (i ? a->apart[i - 1] : 0);
    uint32_t e = (uint32_t)(run + before) + (own ? (uint32_t)(a->apart[i] - before) : 0);
    uint32_t c = (uint32_t)a->corner[i], kind = 0;
    a->edge[c] = e;
    if (!own && i != first)
        return;
    if (n_split > 0 || n_shared > 2 || a->vert[c] == a->vert[sdd_next(&a->faces, c)])
        kind = SDD_EDGE_NONMANIFOLD;
    if (own || n_shared == 1)
        kind |= SDD_EDGE_BOUNDARY;
    else if (a->vert[a->corner[first]] == a->vert[a->corner[first + 1]])
        kind |= SDD_EDGE_NONMANIFOLD;
    a->edge_corner[e] = c;
    a->kind[e] = kind;
}
#endif
