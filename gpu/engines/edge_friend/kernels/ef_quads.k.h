/* SPDX-License-Identifier: Apache-2.0 */
/* ef_quads: the level-1 quad of each corner, its friends and their sharpness.
 * Shapes  vert, edge, twin [C + B] u32, faces, edge_sharp[E] f32 -> quad[C + B][4] u32, friends[C + B][2] u32,
 *         sharp[C + B] f32 where the friend says SDD_SHARP
 * Launch  item, n = C + B
 * Cost    28 B read, 24 B written a corner
 * Result  Quad c = (vertex, next edge point, face point, previous edge point). Its on-edges 2c and 2c + 1 are (v0, v1)
 *         and (v2, v3). The friend of off-edge (v1, v2) is on-edge 1 of the next corner's quad; that of (v3, v0) is
 *         on-edge 0 of the quad across the edge before c, whose sharpness is sharp[c].
 * Threads any queue
 * Source  Kuth et al. 2023, section 3.1 */
#ifndef SDD_K_EF_QUADS_H
#define SDD_K_EF_QUADS_H
#include "gpu/grid/faces.h"
#include "gpu/engines/edge_friend/kernels/ef_level.dev.h"

struct ef_quads_args {
    const uint32_t *vert, *edge, *twin;
    struct sdd_faces faces;
    const float *edge_sharp; /* NULL where all are smooth. */
    struct sdd_quad *quad;
    struct sdd_pair *friends;
    float *sharp;
    uint32_t n_vertices, n_faces, n_edges;
};

SDD_FN void k_ef_quads(int64_t c, const struct ef_quads_args *a)
{
    uint32_t p = sdd_prev(&a->faces, (uint32_t)c), f = sdd_face(&a->faces, (uint32_t)c),
             edges = a->n_vertices + a->n_faces;
    struct sdd_quad q;
    struct sdd_pair g;
    q.v[0] = a->vert[c];
    q.v[1] = edges + a->edge[c];
    q.v[2] = a->n_vertices + f + (f >= a->n_faces ? a->n_edges : 0); /* Ghost vertices come last. */
    q.v[3] = edges + a->edge[p];
    g.g[0] = 2 * sdd_next(&a->faces, (uint32_t)c) + 1;
    g.g[1] = 2 * a->twin[p];
    float sharp = a->edge_sharp ? sdd_decay(a->edge_sharp[a->edge[p]]) : 0.0f;
    if (sharp > 0.0f) {
        g.g[1] |= SDD_SHARP;
        a->sharp[c] = sharp;
    }
    a->quad[c] = q;
    a->friends[c] = g;
}
#endif
