/* SPDX-License-Identifier: Apache-2.0 */
/* mm_vertices: vertex points of the first step: sums over a row of the mesh matrix (the faces of the vertex) and over
 * the edges that begin or end there.
 * Shapes  control mesh, p[V][3] f32, out rows V + f (mm_faces) -> out rows v
 * Shape   item, n = V      Cost  about 60 B a corner
 * Result  sums run in double over the corners in ascending order; a vertex without faces keeps its place
 * Needs   mm_faces         Source  Mlakar 2018, equation 4.29; OpenSubdiv's crease and corner rules
 * Threads any queue */
#ifndef SDD_K_MM_VERTICES_H
#define SDD_K_MM_VERTICES_H
#include "gpu/kernels/crease_rule.h"
#include "gpu/kernels/quad_spot.h"

struct mm_vertices_args {
    struct sdd_control mesh;
    const float *p;
    float *out;
};

SDD_FN void k_mm_vertices(int64_t v, const struct mm_vertices_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t begin = m->begin[v], end = m->end[v];
    struct sdd_vec3 at = sdd_load_point(a->p, (uint32_t)v);
    struct sdd_ring ring = sdd_ring_empty();
    double x = 0.0, y = 0.0, z = 0.0;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = m->corner[k];
        struct sdd_vec3 f = sdd_load_point(a->out, m->n_vertices + sdd_face(&m->faces, c));
        x += (double)f.x;
        y += (double)f.y;
        z += (double)f.z;
        for (int32_t before = 0; before < 2; before++) {
            uint32_t own = before ? sdd_prev(&m->faces, c) : c;
            if (!sdd_meets_edge(m, own, before))
                continue;
            struct sdd_vec3 far = sdd_load_point(a->p, m->vert[before ? own : sdd_next(&m->faces, c)]);
            x += (double)far.x;
            y += (double)far.y;
            z += (double)far.z;
            if (m->edge_sharp)
                sdd_ring_edge(&ring, m->edge_sharp[m->edge[own]], far);
        }
    }
    if (end > begin) {
        double n = (double)(end - begin), w = 1.0 / (n * n); /* without as many edges, `smooth` is never used */
        struct sdd_vec3 sum = sdd_vec3_of((float)(w * x), (float)(w * y), (float)(w * z));
        at = sdd_vertex_point(at, m->vert_sharp ? m->vert_sharp[v] : 0.0f, sdd_fma((float)((n - 2.0) / n), at, sum),
                              &ring);
    }
    sdd_put_vec3(a->out, (uint32_t)v, at);
}
#endif
