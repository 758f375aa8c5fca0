/* SPDX-License-Identifier: Apache-2.0 */
/* ef_vertices: vertex points of the first step.
 * Shapes  begin, end [V] and corner[C] (corners sorted by vertex), vert, edge, twin [C + B] u32, faces, p[V][3] f32,
 *         edge_sharp[E], vert_sharp[V] f32, slot rows V + f as ef_faces made them -> slot rows v
 * Launch  item: the feature vertices (features.h), then n = V
 * Cost    about 60 B a corner
 * Result  Sums run in double over the corners in ascending order. A vertex without faces keeps its position and has no
 *         loop.
 * Threads any queue
 * Source  Catmull and Clark 1978; OpenSubdiv's crease and corner rules */
#ifndef SDD_K_EF_VERTICES_H
#define SDD_K_EF_VERTICES_H
#include "gpu/grid/faces.h"
#include "gpu/rules/crease_rule.h"
#include "gpu/grid/features.h"

struct ef_vertices_args {
    const uint32_t *begin, *end, *corner, *vert, *edge, *twin;
    struct sdd_faces faces;
    /* `edge_sharp` and `vert_sharp` are NULL where all are smooth. */
    const float *p, *edge_sharp, *vert_sharp;
    struct sdd_feature_vertices feature_vertices; /* They are given wherever edge_sharp is. */
    struct sdd_slot *slot;
    uint32_t n_vertices, n_faces, n_corners;
};

SDD_FN void k_ef_vertices(int64_t i, const struct ef_vertices_args *a)
{
    int on_feature = i < (int64_t)a->feature_vertices.n_items;
    uint32_t v = on_feature ? sdd_feature_item(&a->feature_vertices, i) : (uint32_t)(i - a->feature_vertices.n_items);
    if (v == SDD_NONE || (!on_feature && sdd_is_feature(&a->feature_vertices, v)))
        return;
    uint32_t begin = a->begin[v], end = a->end[v];
    const float *p = a->p + 3 * (int64_t)v;
    struct sdd_vec3 at = sdd_vec3_of(p[0], p[1], p[2]), point = at;
    double x = 0.0, y = 0.0, z = 0.0;
    struct sdd_ring ring = sdd_ring_empty();
    int32_t n = (int32_t)(end - begin);
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = a->corner[k], before = sdd_prev(&a->faces, c);
        const float *q = a->p + 3 * (int64_t)a->vert[sdd_next(&a->faces, c)];
        struct sdd_vec3 far = sdd_vec3_of(q[0], q[1], q[2]);
        struct sdd_slot f = a->slot[a->n_vertices + sdd_face(&a->faces, c)];
        x += (double)far.x + (double)f.x;
        y += (double)far.y + (double)f.y;
        z += (double)far.z + (double)f.z;
        if (!on_feature)
            continue;
        sdd_ring_edge(&ring, sdd_uniform(a->edge_sharp[a->edge[c]]), far);
        if (a->twin[before] >= a->n_corners) { /* No corner here leaves along the fan's other border. */
            q = a->p + 3 * (int64_t)a->vert[before];
            sdd_ring_edge(&ring, sdd_uniform(a->edge_sharp[a->edge[before]]), sdd_vec3_of(q[0], q[1], q[2]));
        }
    }
    if (n > 0) {
        /* On a boundary `smooth` is wrong and never used, because two edges are sharp. */
        double count = (double)n;
        double w = 1.0 / (count * count);
        struct sdd_vec3 sum = sdd_vec3_of((float)(w * x), (float)(w * y), (float)(w * z));
        struct sdd_vec3 smooth = sdd_fma((float)((count - 2.0) / count), at, sum);
        point = sdd_vertex_point(at, a->vert_sharp ? a->vert_sharp[v] : 0.0f, smooth, &ring);
    }
    a->slot[v] = sdd_slot_of(point, n > 0 ? 4 * a->corner[begin] : SDD_NONE);
}
#endif
