/* SPDX-License-Identifier: Apache-2.0 */
/* tab_first: some rows of level 1 from control rows, all at once: points of faces that others need are made again with
 * them, so that none waits for another.
 * Shapes  control mesh, near_corner[C], near_edge[E] (tab_near.h), row[n_rows] u32, of each mesh from[V] rows of
 *         `width` -> these of to[V + F + E] rows, as sdd_tab_load reads them, in grid order
 * Shape   item, n_rows of each mesh, fewer than 2^32
 * Cost    16 B a corner of a vertex, 24 B an edge, 4 B a corner of a face and 12 B a point read, 16 B written a row
 * Result  mm_faces and mm_first, but that means of quads are summed from the corner that looks
 * Source  as mm_first      Threads any queue */
#ifndef SDD_K_TAB_FIRST_H
#define SDD_K_TAB_FIRST_H
#include "gpu/kernels/mm_faces.h"
#include "gpu/kernels/mm_first.h"
#include "gpu/kernels/tab_abreast.h"
#include "gpu/kernels/tab_near.h"

struct sdd_first_step {
    struct sdd_control mesh;
    const struct sdd_tab_corner *near_corner;
    const struct sdd_tab_edge *near_edge;
    const uint32_t *row;
    uint32_t n_rows;
    int32_t smooth_triangles;
};

struct tab_first_args {
    struct sdd_first_step step;
    struct sdd_abreast rows;
    struct sdd_width width; /* of rows of `from` */
};

SDD_FN struct sdd_vec3 sdd_quad_mean(struct sdd_vec3 a, struct sdd_vec3 b, struct sdd_vec3 c, struct sdd_vec3 d)
{
    return sdd_vec3_of((float)(0.25 * ((double)a.x + (double)b.x + (double)c.x + (double)d.x)),
                       (float)(0.25 * ((double)a.y + (double)b.y + (double)c.y + (double)d.y)),
                       (float)(0.25 * ((double)a.z + (double)b.z + (double)c.z + (double)d.z)));
}

/* The point of face f; most are quads. */
SDD_FN struct sdd_vec3 sdd_tab_first_face(const struct sdd_first_step *a, const float *from, struct sdd_width width,
                                          uint32_t f)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = f ? (uint32_t)m->face_end[f - 1] : 0;
    if ((uint32_t)m->face_end[f] - c != 4)
        return sdd_face_mean(m, sdd_points_wide(from, width), f);
    return sdd_quad_mean(sdd_row_load(from, m->vert[c], width), sdd_row_load(from, m->vert[c + 1], width),
                         sdd_row_load(from, m->vert[c + 2], width), sdd_row_load(from, m->vert[c + 3], width));
}

SDD_FN struct sdd_vec3 sdd_tab_first_vertex(const struct sdd_first_step *a, const float *from, struct sdd_width width,
                                            uint32_t v)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_points control = sdd_points_wide(from, width);
    uint32_t begin = m->begin[v], end = m->end[v];
    struct sdd_vec3 at = sdd_row_load(from, v, width), none = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    double x = 0.0, y = 0.0, z = 0.0;
    if (end == begin)
        return at;
    struct sdd_tab_corner c = a->near_corner[begin];
    SDD_UNROLL(1) /* it is the code itself that a launch waits for */
    for (uint32_t k = begin; k < end; k++) {
        struct sdd_tab_corner after = a->near_corner[k + 1 < end ? k + 1 : k];
        struct sdd_vec3 next = sdd_row_load(from, c.next, width), before = sdd_row_load(from, c.before, width);
        struct sdd_vec3 face = sdd_quad_mean(at, next, sdd_row_load(from, c.across, width), before);
        if (!(c.bits & SDD_NEAR_QUAD))
            face = sdd_face_mean(m, control, sdd_face(&m->faces, m->corner[k]));
        next = c.bits & SDD_NEAR_NEXT ? next : none;
        before = c.bits & SDD_NEAR_BEFORE ? before : none;
        x = x + (double)face.x + (double)next.x + (double)before.x;
        y = y + (double)face.y + (double)next.y + (double)before.y;
        z = z + (double)face.z + (double)next.z + (double)before.z;
        c = after;
    }
    return sdd_first_vertex_of(m, control, v, at, x, y, z);
}

SDD_FN struct sdd_vec3 sdd_tab_first_edge(const struct sdd_first_step *a, const float *from, struct sdd_width width,
                                          uint32_t e)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_tab_edge near = a->near_edge[e];
    struct sdd_vec3 p = sdd_row_load(from, near.end[0], width), q = sdd_row_load(from, near.end[1], width), f, g;
    uint32_t c = m->edge_corner[e], t;
    if (near.side[0][0] != SDD_NONE) {
        f = sdd_quad_mean(p, q, sdd_row_load(from, near.side[0][0], width), sdd_row_load(from, near.side[0][1], width));
        g = sdd_quad_mean(q, p, sdd_row_load(from, near.side[1][0], width), sdd_row_load(from, near.side[1][1], width));
        return sdd_first_edge_of(m, e, sdd_add(p, q), sdd_add(f, g), 0.25f);
    }
    t = m->twin[c];
    if (t >= m->n_corners)
        return sdd_scale(0.5f, sdd_add(p, q));
    uint32_t f0 = sdd_face(&m->faces, c), f1 = sdd_face(&m->faces, t);
    f = sdd_face_mean(m, sdd_points_wide(from, width), f0);
    g = sdd_face_mean(m, sdd_points_wide(from, width), f1);
    return sdd_first_edge_of(m, e, sdd_add(p, q), sdd_add(f, g), sdd_faces_weight(m, f0, f1, a->smooth_triangles));
}

/* Row i of those: of control rows `from` to those of level 1. */
SDD_FN void sdd_tab_first_row(const struct sdd_first_step *a, uint32_t i, const float *from, struct sdd_width width,
                              float *to)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t row = a->row[i], edges = m->n_vertices + m->n_faces;
    struct sdd_vec3 p;
    if (row < m->n_vertices)
        p = sdd_tab_first_vertex(a, from, width, row);
    else if (row < edges)
        p = sdd_tab_first_face(a, from, width, row - m->n_vertices);
    else
        p = sdd_tab_first_edge(a, from, width, row - edges);
    sdd_tab_store(to, row, width.n, p);
}

SDD_FN void sdd_tab_first_item(int64_t i, const struct tab_first_args *a, struct sdd_width width)
{
    int32_t k = sdd_abreast_mesh(&a->rows, i, a->step.n_rows);
    sdd_tab_first_row(&a->step, (uint32_t)i - (uint32_t)k * a->step.n_rows, a->rows.from[k], width, a->rows.to[k]);
}

SDD_FN void k_tab_first(int64_t i, const struct tab_first_args *a)
{
    if (a->width.n == 3 && a->width.stride == 3) /* constants from here on */
        sdd_tab_first_item(i, a, sdd_xyz());
    else if (sdd_is_uv(a->width))
        sdd_tab_first_item(i, a, sdd_uv());
    else
        sdd_tab_first_item(i, a, a->width);
}
#endif
