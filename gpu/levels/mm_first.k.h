/* SPDX-License-Identifier: Apache-2.0 */
/* mm_first: vertex and edge points of the first step. A vertex point sums over a row of the mesh matrix (the faces of
 * the vertex) and over the edges that begin or end there. What a row of E and two entries of F (Mlakar 2018) say for an
 * edge point is here in edge_corner, twin and face.
 * Shapes  control mesh, p[V][3] f32, rows V + f of out with the face points (mm_faces) -> rows v and V + F + e of out
 * Launch  item: the feature vertices (features.h), then vertices (list a) and edges (list b), interleaved, because
 *         edges are in the order of their lower vertex
 * Cost    for triangles about 30 B read a vertex, 8 B a corner, 12 B an edge; 12 B written a point
 * Result  The sums of a vertex run in double over its corners in ascending order; a vertex without faces keeps its
 *         position. An edge without two faces gets its middle, whatever was authored, because boundaries and
 *         non-manifold edges are infinitely sharp.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.29; Catmull and Clark 1978; OpenSubdiv's sharpness blend, crease and corner rules and
 *         smooth triangles */
#ifndef SDD_K_MM_FIRST_H
#define SDD_K_MM_FIRST_H
#include "gpu/rules/edge_sharpness.h"
#include "gpu/grid/interleave.h"
#include "gpu/levels/mm_faces.k.h"

struct mm_first_args {
    struct sdd_control mesh;
    struct sdd_interleave rows; /* The lists have V and E items. */
    const float *p;
    float *out;
    int32_t smooth_triangles;
};

/* What rows are made of: control points, and face points. The latter are rows V + f of `faces` or, with `means`, made
 * from the control points again for each row that needs them. `means` is a constant. */
struct sdd_first_points {
    struct sdd_points control, faces;
    int32_t means;
};

SDD_FN struct sdd_first_points sdd_first_points_of(struct sdd_points control, struct sdd_points faces)
{
    struct sdd_first_points p;
    p.control = control;
    p.faces = faces;
    p.means = 0;
    return p;
}

SDD_FN struct sdd_first_points sdd_first_points_means(struct sdd_points control)
{
    struct sdd_first_points p = sdd_first_points_of(control, control);
    p.means = 1;
    return p;
}

SDD_FN struct sdd_vec3 sdd_first_face(const struct sdd_control *m, struct sdd_first_points from, uint32_t f)
{
    return from.means ? sdd_face_mean(m, from.control, f) : sdd_points_load(from.faces, m->n_vertices + f);
}

/* The weight of the points of faces f0 and f1 in the point of the edge between them. */
SDD_FN float sdd_faces_weight(const struct sdd_control *m, uint32_t f0, uint32_t f1, int32_t smooth_triangles)
{
    return smooth_triangles ? 0.5f * (sdd_face_weight(m->face_end, f0) + sdd_face_weight(m->face_end, f1)) : 0.25f;
}

/* The point of edge e, from the sums of its ends and of its faces' points, which have weight w. */
SDD_FN struct sdd_vec3 sdd_first_edge_of(const struct sdd_control *m, uint32_t e, struct sdd_vec3 ends,
                                         struct sdd_vec3 faces, float w)
{
    return sdd_edge_point(ends, sdd_part_middle(m, e, 0, 0, 0), sdd_fma(w, faces, sdd_scale(0.5f - w, ends)));
}

SDD_FN struct sdd_vec3 sdd_first_edge(const struct sdd_control *m, struct sdd_first_points from, uint32_t e,
                                      int32_t smooth_triangles)
{
    uint32_t c = m->edge_corner[e], t = m->twin[c];
    struct sdd_vec3 ends = sdd_add(sdd_points_load(from.control, m->vert[c]),
                                   sdd_points_load(from.control, m->vert[sdd_next(&m->faces, c)]));
    if (t >= m->n_corners)
        return sdd_scale(0.5f, ends);
    uint32_t f0 = sdd_face(&m->faces, c), f1 = sdd_face(&m->faces, t);
    struct sdd_vec3 faces = sdd_add(sdd_first_face(m, from, f0), sdd_first_face(m, from, f1));
    return sdd_first_edge_of(m, e, ends, faces, sdd_faces_weight(m, f0, f1, smooth_triangles));
}

/* The ring of sharp edges of vertex v. It has a loop of its own because most vertices do not need it. */
SDD_FN struct sdd_ring sdd_first_ring(const struct sdd_control *m, struct sdd_points control, uint32_t v)
{
    struct sdd_ring ring = sdd_ring_empty();
    for (uint32_t k = sdd_is_feature(&m->feature_vertices, v) ? m->begin[v] : m->end[v]; k < m->end[v]; k++) {
        for (int32_t before = 0; before < 2; before++) {
            uint32_t c = m->corner[k], own = before ? sdd_prev(&m->faces, c) : c;
            if (sdd_meets_edge(m, own, before))
                sdd_ring_edge(&ring, sdd_part_met(m, own, before, 0),
                              sdd_points_load(control, m->vert[before ? own : sdd_next(&m->faces, c)]));
        }
    }
    return ring;
}

/* The point of vertex v, from (x, y, z): the sum of its faces' points and of the far ends of its edges. */
SDD_FN struct sdd_vec3 sdd_first_vertex_of(const struct sdd_control *m, struct sdd_points control, uint32_t v,
                                           struct sdd_vec3 at, double x, double y, double z)
{
    double n = (double)(m->end[v] - m->begin[v]), w = 0.0625;
    float own = 0.5f;
    if (n != 4.0) { /* Where there are not as many edges as faces, `smooth` is never used. */
        w = 1.0 / (n * n);
        own = (float)((n - 2.0) / n);
    }
    struct sdd_vec3 sum = sdd_vec3_of((float)(w * x), (float)(w * y), (float)(w * z));
    struct sdd_ring ring = sdd_first_ring(m, control, v);
    return sdd_vertex_point(at, m->vert_sharp ? m->vert_sharp[v] : 0.0f, sdd_fma(own, at, sum), &ring);
}

SDD_FN struct sdd_vec3 sdd_first_vertex(const struct sdd_control *m, struct sdd_first_points from, uint32_t v)
{
    uint32_t begin = m->begin[v], end = m->end[v];
    struct sdd_vec3 at = sdd_points_load(from.control, v);
    double x = 0.0, y = 0.0, z = 0.0;
    int on_feature = sdd_is_feature(&m->feature_vertices, v);
    if (end == begin)
        return at;
    SDD_UNROLL(4)
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = m->corner[k];
        struct sdd_vec3 f = sdd_first_face(m, from, sdd_face(&m->faces, c));
        x += (double)f.x;
        y += (double)f.y;
        z += (double)f.z;
        for (int32_t before = 0; before < 2; before++) {
            uint32_t own = before ? sdd_prev(&m->faces, c) : c;
            if (!sdd_meets_edge_if(m, on_feature, own, before))
                continue;
            struct sdd_vec3 far = sdd_points_load(from.control, m->vert[before ? own : sdd_next(&m->faces, c)]);
            x += (double)far.x;
            y += (double)far.y;
            z += (double)far.z;
        }
    }
    return sdd_first_vertex_of(m, from.control, v, at, x, y, z);
}

/* Row `row` of level 1, be it a vertex, face or edge point. */
SDD_FN struct sdd_vec3 sdd_first_point(const struct sdd_control *m, struct sdd_first_points from, uint32_t row,
                                       int32_t smooth_triangles)
{
    uint32_t edges = m->n_vertices + m->n_faces;
    if (row < m->n_vertices)
        return sdd_first_vertex(m, from, row);
    return row < edges ? sdd_first_face(m, from, row - m->n_vertices)
                       : sdd_first_edge(m, from, row - edges, smooth_triangles);
}

SDD_FN void sdd_first_row(int64_t i, const struct mm_first_args *a, struct sdd_width width)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_first_points from = sdd_first_points_of(sdd_points_wide(a->p, width), sdd_points_wide(a->out, width));
    int is_edge;
    uint32_t row = sdd_feature_or_interleaved(&m->feature_vertices, &a->rows, i, &is_edge);
    if (row == SDD_NONE)
        return;
    if (is_edge)
        sdd_row_put(a->out, m->n_vertices + m->n_faces + row, width, sdd_first_edge(m, from, row, a->smooth_triangles));
    else
        sdd_row_put(a->out, row, width, sdd_first_vertex(m, from, row));
}

SDD_FN void k_mm_first(int64_t i, const struct mm_first_args *a)
{
    sdd_first_row(i, a, sdd_xyz());
}
#endif
