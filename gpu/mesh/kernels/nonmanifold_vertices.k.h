/* SPDX-License-Identifier: Apache-2.0 */
/* nonmanifold_vertices: makes non-manifold vertices infinitely sharp, except on an interior crease: exactly two
 * non-manifold edges, none of one face, and more than two fans of faces, each of which leads from the one edge to the
 * other.
 * Shapes  begin, end [V], corner[C] (corners sorted by vertex), edge, twin [C], faces, edge_corner, kind [E] u32 ->
 *         vert_sharp[V] f32, most_edges[1] u64
 * Launch  item, n = V
 * Cost    about 40 B read a corner, twice
 * Result  Other vertices keep what vert_sharp held. most_edges is that of vertex_fan, over the non-manifold vertices.
 * Threads any queue
 * Source  OpenSubdiv from 3.6.1 on (pull request 1338). Before, the fans were only counted, by what faces there are
 *         more than edges, so that a fan could come back to its own edge. */
#ifndef SDD_K_NONMANIFOLD_VERTICES_H
#define SDD_K_NONMANIFOLD_VERTICES_H
#include "gpu/mesh/kernels/nonmanifold_split_edges.k.h"
#include "gpu/mesh/kernels/vertex_fan.k.h"

struct nonmanifold_vertices_args {
    const uint32_t *begin, *end, *edge, *twin, *edge_corner, *kind;
    struct sdd_faces faces;
    const int32_t *corner;
    float *vert_sharp;
    uint64_t *most_edges;
    int32_t all; /* Interior creases become sharp as well, for scheme sqrt3. */
};

/* Whether the n corners of a vertex lie in more than two open fans, and each of these leads from one edge to another.
 * Where all open edges of the vertex are two non-manifold ones, it then lies on a crease. Every fan is walked once,
 * from the outgoing edge with which it begins over incoming ones; what these walks leave out are closed fans. */
SDD_FN int sdd_fans_cross(const struct nonmanifold_vertices_args *a, const int32_t *corner, uint32_t n)
{
    uint32_t n_fans = 0, n_walked = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t first = (uint32_t)corner[k], c = first, across;
        if (a->twin[first] != SDD_NONE)
            continue;
        while ((across = a->twin[sdd_prev(&a->faces, c)]) != SDD_NONE && n_walked < n) {
            c = across;
            n_walked++;
        }
        n_walked++;
        n_fans++;
        if (a->edge[sdd_prev(&a->faces, c)] == a->edge[first])
            return 0;
    }
    return n_fans > 2 && n_walked == n;
}

SDD_FN void k_nonmanifold_vertices(int64_t v, const struct nonmanifold_vertices_args *a)
{
    uint32_t n_edges = 0, n_nonmanifold = 0, n_boundary = 0, n = a->end[v] - a->begin[v];
    if (n == 0)
        return;
    for (uint32_t k = a->begin[v]; k < a->end[v]; k++) {
        uint32_t c = (uint32_t)a->corner[k];
        for (int32_t side = 0; side < 2; side++) {
            uint32_t from = side ? sdd_prev(&a->faces, c) : c, e = a->edge[from];
            if (a->edge_corner[e] != from)
                continue; /* Each edge counts once, at the corner that stands for it. */
            n_edges++;
            n_nonmanifold += (a->kind[e] & SDD_EDGE_NONMANIFOLD) != 0;
            n_boundary += (a->kind[e] & SDD_EDGE_BOUNDARY) != 0;
        }
    }
    int open;
    if (n_nonmanifold == 0 && sdd_fan_of((uint32_t)a->corner[a->begin[v]], n, a->twin, &a->faces, &open) == n)
        return;
    sdd_atomic_min(a->most_edges, sdd_most_edges(n_edges, v));
    if (a->all || n_nonmanifold != 2 || n_boundary > 0 || !sdd_fans_cross(a, a->corner + a->begin[v], n))
        a->vert_sharp[v] = 10.0f;
}
#endif
