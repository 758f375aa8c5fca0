/* SPDX-License-Identifier: Apache-2.0 */
/* mm_edges: edge points of the first step, from the ends of each edge and the face points on both sides: what a row
 * of E and two entries of F (Mlakar 2018) say stands here as edge_corner, twin and face.
 * Shapes  control mesh, p[V][3] f32, out rows V + f (mm_faces) -> out rows V + F + e
 * Shape   item, n = E      Cost  about 90 B an edge
 * Result  the middle of an edge without two faces, whatever was authored (boundaries and non-manifold edges are
 *         infinitely sharp)
 * Needs   mm_faces         Source  Catmull and Clark 1978; OpenSubdiv's sharp blend and smooth triangles
 * Threads any queue */
#ifndef SDD_K_MM_EDGES_H
#define SDD_K_MM_EDGES_H
#include "gpu/kernels/crease_rule.h"
#include "gpu/kernels/quad_spot.h"

struct mm_edges_args {
    struct sdd_control mesh;
    const float *p;
    float *out;
    int32_t smooth_triangles;
};

SDD_FN void k_mm_edges(int64_t e, const struct mm_edges_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = m->edge_corner[e], t = m->twin[c];
    struct sdd_vec3 ends = sdd_add(sdd_load_point(a->p, m->vert[c]), sdd_load_point(a->p, m->vert[sdd_next(&m->faces, c)]));
    struct sdd_vec3 point = sdd_scale(0.5f, ends);
    if (t < m->n_corners) {
        uint32_t f0 = sdd_face(&m->faces, c), f1 = sdd_face(&m->faces, t);
        struct sdd_vec3 faces =
            sdd_add(sdd_load_point(a->out, m->n_vertices + f0), sdd_load_point(a->out, m->n_vertices + f1));
        float w = 0.25f;
        if (a->smooth_triangles)
            w = 0.5f * (sdd_face_weight(m->face_end, f0) + sdd_face_weight(m->face_end, f1));
        point =
            sdd_edge_point(ends, m->edge_sharp ? m->edge_sharp[e] : 0.0f, sdd_fma(w, faces, sdd_scale(0.5f - w, ends)));
    }
    sdd_put_vec3(a->out, m->n_vertices + m->n_faces + (uint32_t)e, point);
}
#endif
