/* SPDX-License-Identifier: Apache-2.0 */
/* mm_seams: a level of quads to the next, where grids meet and at the control vertices: the control mesh's matrix says
 * which rows are neighbours (mm_inside does the rest).
 * Shapes  control mesh, from[n][3] f32 of level L -> rows [0, n') of to, level L + 1, both in grid order
 * Shape   item, n' = V + F + E + (2 E + C) (2^L - 1)      Cost  about 100 B read (cached) and 12 B written a point
 * Result  a point of which many make the sum (a control vertex, a face point) is summed in double
 * Source  Mlakar 2018, sections 4.3 and 5; Catmull and Clark 1978; OpenSubdiv's crease and corner rules
 * Threads any queue */
#ifndef SDD_K_MM_SEAMS_H
#define SDD_K_MM_SEAMS_H
#include "gpu/kernels/edge_sharpness.h"

struct mm_seams_args {
    struct sdd_control mesh;
    const float *from;
    float *to;
    int32_t level; /* L */
};

/* On the line where two grids meet, x along the line. */
SDD_FN struct sdd_vec3 sdd_step_line(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_spot s)
{
    int32_t side = 1 << (g->level - 1), t = s.x >> 1, odd = s.x & 1, spoke = s.kind == SDD_AT_SPOKE;
    uint32_t qa = spoke ? s.id : s.a, qb = spoke ? sdd_next(&m->faces, s.id) : s.b;
    struct sdd_vec3 line[3], beside[2][3]; /* places t - 1 .. t + 1 of the line and of its neighbours */
    for (int32_t k = odd; k < 3; k++) {
        int32_t u = t - 1 + k;
        line[k] = beside[0][k] = beside[1][k] = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        if (qa != SDD_NONE) {
            line[k] = spoke ? sdd_grid_load(g, from, qa, side, side - u) : sdd_grid_load(g, from, qa, u, 0);
            beside[0][k] = spoke ? sdd_grid_load(g, from, qa, side - 1, side - u) : sdd_grid_load(g, from, qa, u, 1);
        }
        if (qb != SDD_NONE) {
            if (qa == SDD_NONE)
                line[k] = sdd_grid_load(g, from, qb, 0, u);
            beside[1][k] = spoke ? sdd_grid_load(g, from, qb, side - u, side - 1) : sdd_grid_load(g, from, qb, 1, u);
        }
    }
    int closed = qa != SDD_NONE && qb != SDD_NONE;
    if (odd) {
        struct sdd_vec3 ends = sdd_add(line[1], line[2]);
        struct sdd_vec3 others = sdd_add(sdd_add(beside[0][1], beside[0][2]), sdd_add(beside[1][1], beside[1][2]));
        struct sdd_sharpness sharp = sdd_uniform(closed ? 0.0f : 10.0f);
        if (closed && !spoke)
            sharp = sdd_part_middle(m, s.id, g->level, (uint32_t)t, s.y);
        return sdd_edge_point(ends, sharp, sdd_fma(0.375f, ends, sdd_scale(0.0625f, others)));
    }
    struct sdd_vec3 along = sdd_add(line[0], line[2]);
    struct sdd_vec3 diagonals = sdd_add(sdd_add(beside[0][0], beside[0][2]), sdd_add(beside[1][0], beside[1][2]));
    struct sdd_vec3 smooth =
        sdd_smooth_point(line[1], 4, sdd_add(along, sdd_add(beside[0][1], beside[1][1])), diagonals);
    if (spoke)
        return smooth;
    struct sdd_ring ring = sdd_ring_empty();
    sdd_ring_edge(&ring, sdd_part_at(m, s.id, g->level, (uint32_t)t - 1, s.y, 1), line[0]);
    sdd_ring_edge(&ring, sdd_part_at(m, s.id, g->level, (uint32_t)t, s.y, 0), line[2]);
    return sdd_vertex_point(line[1], 0.0f, smooth, &ring);
}

/* The middle of control edge e. */
SDD_FN struct sdd_vec3 sdd_step_edge(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_spot s)
{
    int32_t side = 1 << (g->level - 1), n = sdd_spot_cells(m, &s);
    uint32_t c = m->edge_corner[s.id];
    struct sdd_vec3 at = sdd_grid_load(g, from, c, side, 0), edges = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_vec3 diagonals = edges, smooth = at;
    if (n == 4) {
        for (int32_t j = 0; j < 4; j++) {
            struct sdd_cell_points p = sdd_cell_load(g, from, sdd_spot_cell(m, &s, side, j));
            edges = sdd_add(edges, p.on);
            diagonals = sdd_add(diagonals, p.diagonal);
        }
        smooth = sdd_smooth_point(at, 4, edges, diagonals);
    }
    int32_t high = sdd_is_downward(m, c); /* corner c's end */
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

/* A face point: as many quads as the face has corners; nothing there is sharp. */
SDD_FN struct sdd_vec3 sdd_step_face(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_spot s)
{
    int32_t side = 1 << (g->level - 1), n = sdd_spot_cells(m, &s);
    struct sdd_sum edges = {0.0, 0.0, 0.0}, diagonals = edges;
    for (int32_t j = 0; j < n; j++) {
        struct sdd_cell_points p = sdd_cell_load(g, from, sdd_spot_cell(m, &s, side, j));
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
    int ruled = sdd_is_ruled(m, v);
    for (uint32_t k = begin; k < end; k++) {
        uint32_t c = m->corner[k];
        sdd_sum_add(&diagonals, sdd_grid_load(g, from, c, 1, 1));
        for (int32_t off = 0; off < 2; off++) {
            uint32_t own = off ? sdd_prev(&m->faces, c) : c;
            if (!sdd_meets_edge(m, own, off))
                continue;
            struct sdd_vec3 far = sdd_grid_load(g, from, c, !off, off);
            sdd_sum_add(&edges, far);
            if (ruled)
                sdd_ring_edge(&ring, sdd_part_met(m, own, off, g->level), far);
        }
    }
    if (end == begin)
        return at;
    struct sdd_vec3 smooth =
        sdd_smooth_point(at, (int32_t)(end - begin), sdd_sum_point(&edges), sdd_sum_point(&diagonals));
    return sdd_vertex_point(at, m->vert_sharp ? sdd_decayed(m->vert_sharp[v], g->level) : 0.0f, smooth, &ring);
}

/* The point at s, a place of level L + 1 that is not inside a grid, from those of level L. */
SDD_FN struct sdd_vec3 sdd_step_seam(const struct sdd_control *m, const struct sdd_grid *g, struct sdd_points from,
                                     struct sdd_spot s)
{
    if (s.kind >= SDD_AT_HALF)
        return sdd_step_line(m, g, from, s);
    if (s.kind == SDD_AT_EDGE)
        return sdd_step_edge(m, g, from, s);
    if (s.kind == SDD_AT_FACE)
        return sdd_step_face(m, g, from, s);
    return sdd_step_vertex(m, g, from, s.id);
}

SDD_FN void sdd_seam_row(int64_t i, const struct mm_seams_args *a, struct sdd_width width)
{
    struct sdd_spot s = sdd_spot_of(&a->mesh, a->level + 1, (uint32_t)i);
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    struct sdd_vec3 p = sdd_step_seam(&a->mesh, &g, sdd_points_wide(a->from, width), s);
    sdd_row_put(a->to, (uint32_t)i, width, p);
}

SDD_FN void k_mm_seams(int64_t i, const struct mm_seams_args *a)
{
    sdd_seam_row(i, a, sdd_xyz());
}
#endif
