/* SPDX-License-Identifier: Apache-2.0 */
/* loop_seams: one level of triangles to the next, at the control vertices and along the control edges, where the
 * control mesh's matrix says which rows are neighbours. loop_inside does the rest.
 * Shapes  control mesh, from[n][3] f32 of level L, weights[valence + 1] (loop_rule.h) -> rows [0, n') of to, level
 *         L + 1, n' = V + E (2^(L + 1) - 1)
 * Launch  item: the feature vertices (features.h), then vertices (list a) and the 2^L parts of each edge (list b),
 *         interleaved
 * Cost    about 90 B read (cached) and 12 B written a point
 * Result  The sum over a control vertex's edges is made in double.
 * Threads any queue
 * Source  Mlakar 2018, section 4.2; Loop 1987; OpenSubdiv's crease and corner rules */
#ifndef SDD_K_LOOP_SEAMS_H
#define SDD_K_LOOP_SEAMS_H
#include "gpu/rules/edge_sharpness.h"
#include "gpu/grid/interleave.h"
#include "gpu/levels/kernels/loop_inside.k.h"

struct loop_seams_args {
    struct sdd_control mesh;
    struct sdd_interleave rows; /* The lists have V and 2^L E items. */
    const struct sdd_float2 *weights;
    const float *from;
    float *to;
    int32_t level; /* The level L. */
};

/* The row of point t, 0 < t < 2 side, of edge e. It is counted from the end at the edge's corner, which is the higher
 * end where `high` is set. */
SDD_FN uint32_t sdd_loop_row(const struct loop_seams_args *a, uint32_t e, int32_t t, int32_t high)
{
    int32_t side = 1 << a->level;
    return a->mesh.n_vertices + e * (uint32_t)(2 * side - 1) + (uint32_t)(high ? 2 * side - t : t) - 1;
}

/* The two points that part `at` of an edge makes, counted from the edge's corner: its middle, and its own first point
 * unless that is the end of the edge. */
struct sdd_loop_pair {
    struct sdd_vec3 middle, own;
};

SDD_FN struct sdd_loop_pair sdd_loop_pair_of(const struct loop_seams_args *a, struct sdd_points from, uint32_t e,
                                             int32_t at)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_grid grid = sdd_grid_of(m, a->level);
    const struct sdd_grid *g = &grid;
    uint32_t c = m->edge_corner[e], across = m->twin[c];
    int closed = across < m->n_corners;
    /* The part's first point, counted from the corner across. */
    int32_t back = (1 << a->level) - at, high = sdd_is_downward(m, c);
    struct sdd_vec3 p = sdd_tri_load(g, from, c, at, 0), after = sdd_tri_load(g, from, c, at + 1, 0);
    struct sdd_vec3 ends = sdd_add(p, after), middle = sdd_scale(0.5f, ends), smooth = p, here = p, there = p;
    struct sdd_loop_pair r;
    if (closed) {
        here = sdd_tri_load(g, from, c, at, 1);
        there = sdd_tri_load(g, from, across, back - 1, 1);
        middle = sdd_loop_edge(ends, sdd_add(here, there));
    }
    struct sdd_sharpness sharp = closed ? sdd_part_middle(m, e, a->level, (uint32_t)at, high) : sdd_uniform(10.0f);
    r.middle = sdd_edge_point(ends, sharp, middle);
    r.own = p;
    if (at == 0)
        return r;
    struct sdd_vec3 before = sdd_tri_load(g, from, c, at - 1, 0);
    if (closed) {
        here = sdd_add(sdd_tri_load(g, from, c, at - 1, 1), here);
        there = sdd_add(there, sdd_tri_load(g, from, across, back, 1));
        smooth = sdd_loop_vertex(p, 6, sdd_add(sdd_add(before, after), sdd_add(here, there)), NULL);
    }
    struct sdd_ring ring = sdd_ring_empty();
    sdd_ring_edge(&ring, sdd_part_at(m, e, a->level, (uint32_t)at - 1, high, 1), before);
    sdd_ring_edge(&ring, sdd_part_at(m, e, a->level, (uint32_t)at, high, 0), after);
    r.own = sdd_vertex_point(p, 0.0f, smooth, &ring);
    return r;
}

SDD_FN void sdd_loop_pair(const struct loop_seams_args *a, struct sdd_width width, uint32_t e, int32_t at)
{
    int32_t high = sdd_is_downward(&a->mesh, a->mesh.edge_corner[e]);
    struct sdd_loop_pair r = sdd_loop_pair_of(a, sdd_points_wide(a->from, width), e, at);
    sdd_row_put(a->to, sdd_loop_row(a, e, 2 * at + 1, high), width, r.middle);
    if (at > 0)
        sdd_row_put(a->to, sdd_loop_row(a, e, 2 * at, high), width, r.own);
}

/* The ring of sharp edges of vertex v. It has a loop of its own because most vertices do not need it. */
SDD_FN struct sdd_ring sdd_loop_ring(const struct loop_seams_args *a, const struct sdd_grid *g, struct sdd_points from,
                                     uint32_t v)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_ring ring = sdd_ring_empty();
    for (uint32_t k = sdd_is_feature(&m->feature_vertices, v) ? m->begin[v] : m->end[v]; k < m->end[v]; k++) {
        for (int32_t off = 0; off < 2; off++) {
            uint32_t c = m->corner[k], own = off ? sdd_prev(&m->faces, c) : c;
            if (sdd_meets_edge(m, own, off))
                sdd_ring_edge(&ring, sdd_part_met(m, own, off, a->level), sdd_tri_load(g, from, c, !off, off));
        }
    }
    return ring;
}

SDD_FN struct sdd_vec3 sdd_loop_control(const struct loop_seams_args *a, const struct sdd_grid *g,
                                        struct sdd_points from, uint32_t v)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_vec3 at = sdd_points_load(from, v);
    double x = 0.0, y = 0.0, z = 0.0;
    uint32_t begin = m->begin[v], end = m->end[v];
    int on_feature = sdd_is_feature(&m->feature_vertices, v);
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = m->corner[k];
        for (int32_t off = 0; off < 2; off++) {
            uint32_t own = off ? sdd_prev(&m->faces, c) : c;
            if (!sdd_meets_edge_if(m, on_feature, own, off))
                continue;
            struct sdd_vec3 far = sdd_tri_load(g, from, c, !off, off);
            x += (double)far.x;
            y += (double)far.y;
            z += (double)far.z;
        }
    }
    if (end == begin)
        return at;
    /* Where there are not as many edges as faces, `smooth` is never used, because two edges are sharp or the vertex
     * is. */
    struct sdd_vec3 sum = sdd_vec3_of((float)x, (float)y, (float)z);
    struct sdd_vec3 smooth = sdd_loop_vertex(at, (int32_t)(end - begin), sum, a->weights);
    struct sdd_ring ring = sdd_loop_ring(a, g, from, v);
    return sdd_vertex_point(at, m->vert_sharp ? sdd_decayed(m->vert_sharp[v], a->level) : 0.0f, smooth, &ring);
}

SDD_FN void sdd_loop_item(int64_t i, const struct loop_seams_args *a, struct sdd_width width)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    int on_edge;
    uint32_t row = sdd_feature_or_interleaved(&a->mesh.feature_vertices, &a->rows, i, &on_edge);
    if (row == SDD_NONE)
        return;
    if (on_edge)
        sdd_loop_pair(a, width, row >> a->level, (int32_t)(row & (((uint32_t)1 << a->level) - 1)));
    else
        sdd_row_put(a->to, row, width, sdd_loop_control(a, &g, sdd_points_wide(a->from, width), row));
}

SDD_FN void k_loop_seams(int64_t i, const struct loop_seams_args *a)
{
    sdd_loop_item(i, a, sdd_xyz());
}
#endif
