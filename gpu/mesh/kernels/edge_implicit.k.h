/* SPDX-License-Identifier: Apache-2.0 */
/* edge_implicit: makes boundary and non-manifold edges infinitely sharp. Under boundary rule `none` it also marks the
 * vertices of boundary edges that were not authored so (boundary_none_faces).
 * Shapes  edge_corner, kind [E], vert, twin [C] u32, faces -> edge_sharp[E] f32, soft[V] u32
 * Launch  item, n = E
 * Result  All writers of a word of soft write 1, so their order cannot show.
 * Threads any queue
 * Source  OpenSubdiv, Far::TopologyRefinerFactory */
#ifndef SDD_K_EDGE_IMPLICIT_H
#define SDD_K_EDGE_IMPLICIT_H
#include "gpu/mesh/kernels/nonmanifold_split_edges.k.h"

struct edge_implicit_args {
    const uint32_t *edge_corner, *vert, *twin;
    struct sdd_faces faces;
    const uint32_t *kind; /* NULL where the mesh is manifold; then an edge without a face across is a boundary. */
    float *edge_sharp;
    uint32_t *soft; /* NULL where the boundary rule is not `none`. */
    uint32_t n_corners;
};

SDD_FN void k_edge_implicit(int64_t e, const struct edge_implicit_args *a)
{
    uint32_t c = a->edge_corner[e];
    if (a->twin[c] < a->n_corners)
        return;
    if (a->soft && a->edge_sharp[e] < 10.0f && (!a->kind || (a->kind[e] & SDD_EDGE_BOUNDARY))) {
        sdd_mark(a->soft + a->vert[c]);
        sdd_mark(a->soft + a->vert[sdd_next(&a->faces, c)]);
    }
    a->edge_sharp[e] = 10.0f;
}
#endif
