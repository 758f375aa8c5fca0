/* SPDX-License-Identifier: Apache-2.0 */
/* nonmanifold_vertices: non-manifold vertices become infinitely sharp, but for an interior crease: exactly two non-manifold
 * edges, none of one face, and more faces than edges.
 * Shapes  begin, end [V], corner[C] (corners sorted by vertex), edge, twin [C], faces, edge_corner, kind [E] u32
 *         -> vert_sharp[V] f32, most_edges[1] u64
 * Shape   item, n = V      Cost  about 40 B read a corner, twice
 * Result  other vertices keep what vert_sharp held; most_edges as in vertex_fan, of the vertices that are not manifold
 * Source  OpenSubdiv, Vtr::internal::Level::testVertexNonManifoldCrease      Threads any queue */
#ifndef SDD_K_VERTEX_ODD_H
#define SDD_K_VERTEX_ODD_H
#include "gpu/mesh/kernels/nonmanifold_split_edges.k.h"
#include "gpu/mesh/kernels/vertex_fan.k.h"

struct nonmanifold_vertices_args {
    const uint32_t *begin, *end, *edge, *twin, *edge_corner, *kind;
    struct sdd_faces faces;
    const int32_t *corner;
    float *vert_sharp;
    uint64_t *most_edges;
    int32_t all; /* interior creases too, for scheme sqrt3 */
};

SDD_FN void k_nonmanifold_vertices(int64_t v, const struct nonmanifold_vertices_args *a)
{
    uint32_t n_edges = 0, n_odd = 0, n_boundary = 0, n = a->end[v] - a->begin[v];
    if (n == 0)
        return;
    for (uint32_t k = a->begin[v]; k < a->end[v]; k++) {
        uint32_t c = (uint32_t)a->corner[k];
        for (int32_t side = 0; side < 2; side++) {
            uint32_t from = side ? sdd_prev(&a->faces, c) : c, e = a->edge[from];
            if (a->edge_corner[e] != from)
                continue; /* each edge once, at the corner that stands for it */
            n_edges++;
            n_odd += (a->kind[e] & SDD_EDGE_ODD) != 0;
            n_boundary += (a->kind[e] & SDD_EDGE_BOUNDARY) != 0;
        }
    }
    int open;
    if (n_odd == 0 && sdd_fan_of((uint32_t)a->corner[a->begin[v]], n, a->twin, &a->faces, &open) == n)
        return;
    sdd_atomic_min(a->most_edges, sdd_most_edges(n_edges, v));
    if (a->all || n_odd != 2 || n_boundary > 0 || n <= n_edges)
        a->vert_sharp[v] = 10.0f;
}
#endif
