/* SPDX-License-Identifier: Apache-2.0 */
/* mm_seams: one level of quads to the next, where grids meet and at the control vertices; there the control mesh's
 * matrix says which rows are neighbours. mm_inside does the rest.
 * Shapes  control mesh, from[n][3] f32 of level L -> rows [0, n') of to, level L + 1, both in grid order
 * Launch  item: the feature vertices (features.h), then V + F + E rows, then (2 E + C) lines of 2^(L - 1) points
 * Cost    about 100 B read (cached) and 12 B written a point
 * Result  A point with any number of neighbours (a control vertex, a face point) is summed in double.
 * Threads any queue
 * Source  Mlakar 2018, sections 4.3 and 5; Catmull and Clark 1978; OpenSubdiv's crease and corner rules */
#ifndef SDD_K_MM_SEAMS_H
#define SDD_K_MM_SEAMS_H
#include "gpu/rules/edge_sharpness.h"
#include "gpu/grid/grid_frame.h"

struct mm_seams_args {
    struct sdd_control mesh;
    const float *from;
    float *to;
    int32_t level; /* The level L. */
};

/* The line where two grids meet, with u along it. For a half, (u, 0) of grid `a` is (0, u) of grid `b`. For a spoke,
 * (side, side - u) of `a` is (side - u, side) of `b`. */
struct sdd_line {
    const struct sdd_grid *g;
    struct sdd_points from;
    uint32_t a, b; /* The grids; SDD_NONE where there is none. */
    /* Point u inside the line has row row + u, where all points of the level are there. */
    uint32_t row;
    int32_t side, spoke;
    struct sdd_grid_frame fa, fb;
};

/* Point u of the line, and the points beside it in both grids; these are zero where there is no grid. */
struct sdd_rung {
    struct sdd_vec3 on, beside_a, beside_b;
};

SDD_FN struct sdd_vec3 sdd_line_load(const struct sdd_line *l, uint32_t q, const struct sdd_grid_frame *f, int32_t x,
                                     int32_t y)
{
    if (l->from.kind != SDD_POINTS_ALL)
        return sdd_grid_load(l->g, l->from, q, x, y);
    return sdd_row_load(l->from.p, sdd_grid_frame_row(f, x, y), l->from.width);
}

/* The points at u. Where u is no end of the line, grid frames without sides are enough. */
SDD_FN struct sdd_rung sdd_line_at(const struct sdd_line *l, int32_t u)
{
    int32_t m = l->side, w = m - u, inside = u > 0 && u < m && l->from.kind == SDD_POINTS_ALL;
    int32_t ax = l->spoke ? m - 1 : u, ay = l->spoke ? w : 1, bx = l->spoke ? w : 1, by = l->spoke ? m - 1 : u;
    struct sdd_rung r;
    r.on = r.beside_a = r.beside_b = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    if (inside)
        r.on = sdd_row_load(l->from.p, l->row + (uint32_t)u, l->from.width);
    else if (l->a != SDD_NONE)
        r.on = sdd_line_load(l, l->a, &l->fa, l->spoke ? m : u, l->spoke ? w : 0);
    else
        r.on = sdd_line_load(l, l->b, &l->fb, 0, u);
    if (l->a != SDD_NONE)
        r.beside_a = inside ? sdd_row_load(l->from.p, sdd_grid_frame_inner(&l->fa, ax, ay), l->from.width)
                            : sdd_line_load(l, l->a, &l->fa, ax, ay);
    if (l->b != SDD_NONE)
        r.beside_b = inside ? sdd_row_load(l->from.p, sdd_grid_frame_inner(&l->fb, bx, by), l->from.width)
                            : sdd_line_load(l, l->b, &l->fb, bx, by);
    return r;
}

/* The line of location s, to be read from point `first` to point `last`. `spoke` is a constant. */
SDD_FN struct sdd_line sdd_line_of(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                   const struct sdd_quad_location *s, int32_t spoke, int32_t first, int32_t last)
{
    struct sdd_line l;
    uint32_t line = spoke ? 2 * m->n_edges + s->id : 2 * s->id + (uint32_t)s->y;
    l.g = g;
    l.from = from;
    l.side = 1 << (g->level - 1);
    l.spoke = spoke;
    l.a = spoke ? s->id : s->a;
    l.b = spoke ? sdd_next(&m->faces, s->id) : s->b;
    l.row = m->n_vertices + m->n_faces + m->n_edges + line * (uint32_t)(l.side - 1) - 1;
    l.fa = sdd_grid_frame_inside(g, l.a);
    l.fb = sdd_grid_frame_inside(g, l.b);
    if (from.kind != SDD_POINTS_ALL || (first > 0 && last < l.side))
        return l;
    if (l.a != SDD_NONE)
        sdd_grid_frame_sides(&l.fa, g, l.a);
    if (l.b != SDD_NONE)
        sdd_grid_frame_sides(&l.fb, g, l.b);
    return l;
}

/* The new point between points t and t + 1. */
SDD_FN struct sdd_vec3 sdd_line_middle(const struct sdd_control *m, const struct sdd_line *l,
                                       const struct sdd_quad_location *s, int32_t t, const struct sdd_rung *here,
                                       const struct sdd_rung *next)
{
    int closed = l->a != SDD_NONE && l->b != SDD_NONE;
    struct sdd_vec3 ends = sdd_add(here->on, next->on);
    struct sdd_vec3 others = sdd_add(sdd_add(here->beside_a, next->beside_a), sdd_add(here->beside_b, next->beside_b));
    struct sdd_sharpness sharp = sdd_uniform(closed ? 0.0f : 10.0f);
    if (closed && !l->spoke)
        sharp = sdd_part_middle(m, s->id, l->g->level, (uint32_t)t, s->y);
    return sdd_edge_point(ends, sharp, sdd_fma(0.375f, ends, sdd_scale(0.0625f, others)));
}

/* The new position of point t. */
SDD_FN struct sdd_vec3 sdd_line_vertex(const struct sdd_control *m, const struct sdd_line *l,
                                       const struct sdd_quad_location *s, int32_t t, const struct sdd_rung *last,
                                       const struct sdd_rung *here, const struct sdd_rung *next)
{
    struct sdd_vec3 along = sdd_add(last->on, next->on);
    struct sdd_vec3 diagonals =
        sdd_add(sdd_add(last->beside_a, next->beside_a), sdd_add(last->beside_b, next->beside_b));
    struct sdd_vec3 smooth =
        sdd_smooth_point(here->on, 4, sdd_add(along, sdd_add(here->beside_a, here->beside_b)), diagonals);
    if (l->spoke)
        return smooth;
    struct sdd_ring ring = sdd_ring_empty();
    sdd_ring_edge(&ring, sdd_part_at(m, s->id, l->g->level, (uint32_t)t - 1, s->y, 1), last->on);
    sdd_ring_edge(&ring, sdd_part_at(m, s->id, l->g->level, (uint32_t)t, s->y, 0), next->on);
    return sdd_vertex_point(here->on, 0.0f, smooth, &ring);
}

/* One point of a line, at s.x in steps of level L + 1. */
SDD_FN struct sdd_vec3 sdd_step_line(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_quad_location s)
{
    int32_t t = s.x >> 1, is_middle = s.x & 1;
    struct sdd_line l = sdd_line_of(m, g, from, &s, s.kind == SDD_AT_SPOKE, is_middle ? t : t - 1, t + 1);
    struct sdd_rung here = sdd_line_at(&l, t), next = sdd_line_at(&l, t + 1);
    if (is_middle)
        return sdd_line_middle(m, &l, &s, t, &here, &next);
    struct sdd_rung last = sdd_line_at(&l, t - 1);
    return sdd_line_vertex(m, &l, &s, t, &last, &here, &next);
}

/* The new position of the midpoint of a control edge. */
SDD_FN struct sdd_vec3 sdd_step_edge(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_quad_location s)
{
    int32_t side = 1 << (g->level - 1), n = sdd_quad_location_cells(m, &s);
    uint32_t c = m->edge_corner[s.id];
    struct sdd_vec3 at = sdd_grid_load(g, from, c, side, 0), edges = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_vec3 diagonals = edges, smooth = at;
    if (n == 4) {
        for (int32_t j = 0; j < 4; j++) {
            struct sdd_cell_points p = sdd_cell_load(g, from, sdd_quad_location_cell(m, &s, side, j));
            edges = sdd_add(edges, p.on);
            diagonals = sdd_add(diagonals, p.diagonal);
        }
        smooth = sdd_smooth_point(at, 4, edges, diagonals);
    }
    int32_t high = sdd_is_downward(m, c); /* This is whether corner c is at the higher end. */
    struct sdd_sharpness near = sdd_part_at(m, s.id, g->level, (uint32_t)side - 1, high, 1);
    struct sdd_sharpness far = sdd_part_at(m, s.id, g->level, (uint32_t)side, high, 0);
    if (!(near.now > 0.0f || far.now > 0.0f))
        return smooth;
    struct sdd_ring ring = sdd_ring_empty();
    sdd_ring_edge(&ring, near, sdd_grid_load(g, from, c, side - 1, 0));
    sdd_ring_edge(&ring, far, sdd_grid_load(g, from, sdd_next(&m->faces, c), 0, side - 1));
    return sdd_vertex_point(at, 0.0f, smooth, &ring);
}

struct sdd_sum {
    double x, y, z;
};

SDD_FN void sdd_sum_add(struct sdd_sum *s, struct sdd_vec3 p)
{
    s->x += (double)p.x;
    s->y += (double)p.y;
    s->z += (double)p.z;
}

SDD_FN struct sdd_vec3 sdd_sum_point(const struct sdd_sum *s)
{
    return sdd_vec3_of((float)s->x, (float)s->y, (float)s->z);
}

/* The new position of a face point. As many quads meet there as the face has corners, and nothing is sharp. */
SDD_FN struct sdd_vec3 sdd_step_face(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_quad_location s)
{
    int32_t side = 1 << (g->level - 1), n = sdd_quad_location_cells(m, &s);
    struct sdd_sum edges = {0.0, 0.0, 0.0}, diagonals = edges;
    for (int32_t j = 0; j < n; j++) {
        struct sdd_cell_points p = sdd_cell_load(g, from, sdd_quad_location_cell(m, &s, side, j));
        sdd_sum_add(&edges, p.on);
        sdd_sum_add(&diagonals, p.diagonal);
    }
    return sdd_smooth_point(sdd_vertex_load(g, from, m->n_vertices + s.id), n, sdd_sum_point(&edges),
                            sdd_sum_point(&diagonals));
}

SDD_FN struct sdd_vec3 sdd_step_vertex(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                       uint32_t v)
{
    struct sdd_vec3 at = sdd_vertex_load(g, from, v);
    struct sdd_sum edges = {0.0, 0.0, 0.0}, diagonals = edges;
    struct sdd_ring ring = sdd_ring_empty();
    uint32_t begin = m->begin[v], end = m->end[v];
    int on_feature = sdd_is_feature(&m->feature_vertices, v);
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = m->corner[k];
        sdd_sum_add(&diagonals, sdd_grid_load(g, from, c, 1, 1));
        for (int32_t off = 0; off < 2; off++) {
            uint32_t own = off ? sdd_prev(&m->faces, c) : c;
            if (!sdd_meets_edge_if(m, on_feature, own, off))
                continue;
            struct sdd_vec3 far = sdd_grid_load(g, from, c, !off, off);
            sdd_sum_add(&edges, far);
            if (on_feature)
                sdd_ring_edge(&ring, sdd_part_met(m, own, off, g->level), far);
        }
    }
    if (end == begin)
        return at;
    struct sdd_vec3 smooth =
        sdd_smooth_point(at, (int32_t)(end - begin), sdd_sum_point(&edges), sdd_sum_point(&diagonals));
    return sdd_vertex_point(at, m->vert_sharp ? sdd_decayed(m->vert_sharp[v], g->level) : 0.0f, smooth, &ring);
}

/* The point at s, a location on level L + 1 that is not inside a grid, from the points of level L. */
SDD_FN struct sdd_vec3 sdd_step_seam(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_quad_location s)
{
    if (s.kind >= SDD_AT_HALF)
        return sdd_step_line(m, g, from, s);
    if (s.kind == SDD_AT_EDGE)
        return sdd_step_edge(m, g, from, s);
    if (s.kind == SDD_AT_FACE)
        return sdd_step_face(m, g, from, s);
    return sdd_step_vertex(m, g, from, s.id);
}

/* Makes both points at t: the one at 2 t + 1 and, unless it is the line's end, the one at 2 t. They share most of what
 * they read. */
SDD_FN void sdd_seam_pair(const struct mm_seams_args *a, struct sdd_width width, struct sdd_quad_location s,
                          uint32_t line, int32_t t, int32_t spoke)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_line l = sdd_line_of(m, &g, sdd_points_wide(a->from, width), &s, spoke, t - 1, t + 1);
    struct sdd_rung here = sdd_line_at(&l, t), next = sdd_line_at(&l, t + 1);
    uint32_t row = m->n_vertices + m->n_faces + m->n_edges + line * (uint32_t)(2 * l.side - 1) + 2 * (uint32_t)t;
    sdd_row_put(a->to, row, width, sdd_line_middle(m, &l, &s, t, &here, &next));
    if (t == 0)
        return;
    struct sdd_rung last = sdd_line_at(&l, t - 1);
    sdd_row_put(a->to, row - 1, width, sdd_line_vertex(m, &l, &s, t, &last, &here, &next));
}

SDD_FN void sdd_seam_item(int64_t i, const struct mm_seams_args *a, struct sdd_width width)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t firsts = m->n_vertices + m->n_faces + m->n_edges, row;
    int is_feature = i < (int64_t)m->feature_vertices.n_items;
    row = is_feature ? sdd_feature_item(&m->feature_vertices, i) : (uint32_t)(i - m->feature_vertices.n_items);
    if (row == SDD_NONE || (!is_feature && row < m->n_vertices && sdd_is_feature(&m->feature_vertices, row)))
        return;
    if (row < firsts) {
        struct sdd_grid g = sdd_grid_of(m, a->level);
        sdd_row_put(a->to, row, width,
                    sdd_step_seam(m, &g, sdd_points_wide(a->from, width), sdd_quad_location_of(m, 1, row)));
        return;
    }
    uint32_t line = (row - firsts) >> (a->level - 1);
    int32_t t = (int32_t)((row - firsts) & (((uint32_t)1 << (a->level - 1)) - 1));
    struct sdd_quad_location s = sdd_quad_location_start();
    sdd_quad_location_line(m, &s, line);
    if (s.kind == SDD_AT_SPOKE)
        sdd_seam_pair(a, width, s, line, t, 1);
    else
        sdd_seam_pair(a, width, s, line, t, 0);
}

SDD_FN void k_mm_seams(int64_t i, const struct mm_seams_args *a)
{
    sdd_seam_item(i, a, sdd_xyz());
}
#endif
