/* SPDX-License-Identifier: Apache-2.0 */
/* nonmanifold_split_edges: edge numbers of a mesh that is not manifold, and what is special about each edge. A face that uses an
 * edge twice makes an edge of its own of each further use, and so does every use of an edge with equal ends.
 * Shapes  key[C] u64 and corner[C] i32 sorted by key, run[C] i32 (runs of equal keys, from 1), apart[C] i32 (inclusive
 *         scan of nonmanifold_split_flags), run_first[runs] i32 (nonmanifold_split_flags), vert[C] u32, faces
 *         -> edge[C] u32, edge_corner, kind [E] u32, E = runs + apart[C - 1]
 * Shape   item, n = C      Cost  40 B read, 12 B written
 * Result  edges stay sorted by (min, max), an edge's own uses after the shared one; kind is or-ed from enum sdd_edge
 * Source  OpenSubdiv, Vtr::internal::Level::completeTopologyFromFaceVertices      Threads any queue */
#ifndef SDD_K_EDGES_APART_H
#define SDD_K_EDGES_APART_H
#include "gpu/grid/faces.h"

enum sdd_edge { SDD_EDGE_BOUNDARY = 1, SDD_EDGE_ODD = 2 }; /* one face; not manifold. One edge can be both. */

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
    int32_t before = first ? a->apart[first - 1] : 0; /* apart in earlier runs */
    int32_t n_split = a->apart[end - 1] - before, n_shared = end - first - n_split;
    int own = a->apart[i] > (i ? a->apart[i - 1] : 0);
    uint32_t e = (uint32_t)(run + before) + (own ? (uint32_t)(a->apart[i] - before) : 0);
    uint32_t c = (uint32_t)a->corner[i], kind = 0;
    a->edge[c] = e;
    if (!own && i != first)
        return;
    if (n_split > 0 || n_shared > 2 || a->vert[c] == a->vert[sdd_next(&a->faces, c)])
        kind = SDD_EDGE_ODD;
    if (own || n_shared == 1)
        kind |= SDD_EDGE_BOUNDARY;
    else if (a->vert[a->corner[first]] == a->vert[a->corner[first + 1]])
        kind |= SDD_EDGE_ODD;
    a->edge_corner[e] = c;
    a->kind[e] = kind;
}
#endif
