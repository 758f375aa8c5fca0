/* SPDX-License-Identifier: Apache-2.0 */
/* ef_edges: edge points of the first step.
 * Shapes  edge_corner[E], vert, twin [C + B] u32, faces, p[V][3] f32, sharp[E] f32, slot rows V + f as ef_faces made
 *         them -> slot rows V + F + e
 * Launch  item, n = E
 * Cost    about 90 B an edge
 * Result  On a boundary the middle of the edge, whatever was authored.
 * Threads any queue
 * Source  Catmull and Clark 1978; OpenSubdiv's sharpness blend and smooth triangles */
#ifndef SDD_K_EF_EDGES_H
#define SDD_K_EF_EDGES_H
#include "gpu/grid/faces.h"
#include "gpu/rules/crease_rule.h"

struct ef_edges_args {
    const uint32_t *edge_corner, *vert, *twin;
    struct sdd_faces faces;
    const int32_t *end;     /* Shape [F], for smooth triangles; NULL for the ordinary rule. */
    const float *p, *sharp; /* `sharp` is NULL where all are smooth. */
    struct sdd_slot *slot;
    uint32_t n_vertices, n_faces;
};

SDD_FN void k_ef_edges(int64_t e, const struct ef_edges_args *a)
{
    uint32_t c = a->edge_corner[e], t = a->twin[c], f0 = sdd_face(&a->faces, c), f1 = sdd_face(&a->faces, t);
    const float *pa = a->p + 3 * (int64_t)a->vert[c], *pb = a->p + 3 * (int64_t)a->vert[sdd_next(&a->faces, c)];
    struct sdd_vec3 va = sdd_vec3_of(pa[0], pa[1], pa[2]), vb = sdd_vec3_of(pb[0], pb[1], pb[2]);
    struct sdd_vec3 ends = sdd_add(va, vb), point = sdd_scale(0.5f, ends);
    float s = a->sharp ? a->sharp[e] : 0.0f;
    if (f1 < a->n_faces) { /* A boundary edge is infinitely sharp, so its point stays in the middle. */
        struct sdd_slot s0 = a->slot[a->n_vertices + f0], s1 = a->slot[a->n_vertices + f1];
        struct sdd_vec3 faces = sdd_add(sdd_slot_point(s0), sdd_slot_point(s1));
        float w = a->end ? 0.5f * (sdd_face_weight(a->end, f0) + sdd_face_weight(a->end, f1)) : 0.25f;
        point = sdd_edge_point(ends, sdd_uniform(s), sdd_fma(w, faces, sdd_scale(0.5f - w, ends)));
    }
    a->slot[a->n_vertices + a->n_faces + e] = sdd_slot_of(point, 4 * c + 1);
}
#endif
