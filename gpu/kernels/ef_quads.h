/* SPDX-License-Identifier: Apache-2.0 */
/* ef_quads: the level-1 quad of each corner, its friends and their sharpness.
 * Shapes  vert, edge, twin [C + B] u32, faces, edge_sharp[E] f32 -> quad[C + B][4] u32, friend[C + B][2]
 *         u32, sharp[C + B][2] f32
 * Shape   item, n = C + B      Cost  28 B read, 32 B written a corner
 * Result  quad c = (vertex, next edge point, face point, previous edge point). Its on-edges 2c and 2c + 1 are (v0,
 *         v1) and (v2, v3); friends of the off-edges: (v1, v2) is on-edge 1 of the next corner's quad, (v3, v0) is
 *         on-edge 0 of the quad across the edge before c. sharp[c] belongs to the off-edges.
 * Source  Kuth et al. 2023, section 3.1      Threads any queue */
#ifndef SDD_K_EF_QUADS_H
#define SDD_K_EF_QUADS_H
#include "gpu/kernels/crease_rule.h"

struct ef_quads_args {
    const uint32_t *vert, *edge, *twin;
    struct sdd_faces faces;
    const float *edge_sharp; /* NULL: all smooth, `sharp` is not written */
    struct sdd_quad *quad;
    struct sdd_pair *friends;
    struct sdd_float2 *sharp;
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
    q.v[2] = a->n_vertices + f + (f >= a->n_faces ? a->n_edges : 0); /* ghost vertices come last */
    q.v[3] = edges + a->edge[p];
    g.g[0] = 2 * sdd_next(&a->faces, (uint32_t)c) + 1;
    g.g[1] = 2 * a->twin[p];
    a->quad[c] = q;
    a->friends[c] = g;
    if (a->edge_sharp) {
        struct sdd_float2 s;
        s.s[0] = 0.0f;
        s.s[1] = sdd_decay(a->edge_sharp[a->edge[p]]);
        a->sharp[c] = s;
    }
}
#endif
