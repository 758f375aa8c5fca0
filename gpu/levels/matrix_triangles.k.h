/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_triangles: rows of the one-level matrices of scheme loop: the weights that the rules of loop_seams,
 * loop_inside and loop_finish give to the points that they read.
 * Shapes  control mesh on `level`, tables of weights and (for tangents alone) angles -> rows. Those of STEP are the
 *         grid points of level + 1 over those of `level`; those of the other kinds are grid points of `level` over
 *         themselves.
 * Launch  item, n rows, of `row` if that is not NULL; with rings n of them, and item i makes rows i, i + n and so on
 * Cost    a row of n entries runs its rule n / 3 + 1 times
 * Result  as matrix_quads
 * Threads any queue
 * Source  Driscoll 2014, section 3.3 */
#ifndef SDD_K_MATRIX_TRIANGLES_H
#define SDD_K_MATRIX_TRIANGLES_H
#include "gpu/levels/loop_ring.dev.h"
#include "gpu/levels/loop_seams.k.h"
#include "gpu/sparse/matrix_row.h"

struct matrix_triangles_args {
    struct loop_seams_args step; /* Only its mesh, weights and level are read. */
    struct sdd_matrix_rows to;
    struct sdd_limit_rings rings; /* For rows of limits; with none, all follow the masks. */
    const struct sdd_float2 *angle;
    const uint32_t *row; /* Read only without rings. */
    int32_t kind;
    int64_t n_rows; /* Read only with rings. */
};

/* The row of a point that is followed on, once its ring has been. */
SDD_FN struct sdd_vec3 sdd_matrix_loop_followed(const struct matrix_triangles_args *a, struct sdd_limit_ring *r,
                                                struct sdd_vec3 at)
{
    int32_t rule = sdd_limit_ring_follow(r, a->step.weights);
    if (a->kind == SDD_MATRIX_LIMIT)
        return sdd_limit_ring_point(r, at, rule, a->step.weights);
    if (!r->faces || !sdd_has_tangents(rule, r->faces, r->faces < r->n, 1))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_loop_tangents t = sdd_tri_limit_ring_tangents(r, rule, a->angle);
    return a->kind == SDD_MATRIX_TANGENT_1 ? t.t1 : t.t2;
}

SDD_FN struct sdd_vec3 sdd_matrix_loop_step(const struct matrix_triangles_args *a, struct sdd_points from, uint32_t row)
{
    const struct sdd_control *m = &a->step.mesh;
    struct sdd_grid g = sdd_grid_of(m, a->step.level), next = sdd_grid_of(m, a->step.level + 1);
    struct sdd_tri_location s = sdd_tri_location_of(&next, m->edge_corner, row);
    if (s.kind == SDD_AT_VERTEX && m->vert_sharp && m->vert_sharp[s.id] >= 10.0f)
        return sdd_points_load(from, s.id); /* Such a vertex stays, and any number of triangles may meet there. */
    if (s.kind == SDD_AT_VERTEX)
        return sdd_loop_control(&a->step, &g, from, s.id);
    if (s.kind == SDD_AT_EDGE) {
        struct sdd_loop_pair pair = sdd_loop_pair_of(&a->step, from, s.id, s.x >> 1);
        return s.x & 1 ? pair.middle : pair.own;
    }
    struct sdd_tri_cell cell = sdd_tri_cell_of(&g, from, 3 * s.id, s.x >> 1, s.y >> 1);
    if (s.x & 1)
        return s.y & 1 ? cell.across : cell.along_x;
    return s.y & 1 ? cell.along_y : cell.vertex;
}

SDD_FN struct sdd_vec3 sdd_matrix_loop_limit(const struct matrix_triangles_args *a, struct sdd_points from,
                                             uint32_t row, struct sdd_spoke *spoke)
{
    const struct sdd_control *m = &a->step.mesh;
    struct sdd_grid g = sdd_grid_of(m, a->step.level);
    struct sdd_tri_location s = sdd_tri_location_of(&g, m->edge_corner, row);
    struct sdd_vec3 at = sdd_points_load(from, row);
    if (spoke) {
        struct sdd_limit_ring on = sdd_tri_limit_ring(m, &g, from, &s, at, spoke);
        if (on.n)
            return sdd_matrix_loop_followed(a, &on, at);
    }
    struct sdd_tri_ring r = sdd_tri_ring_of(m, &g, from, &s, at);
    int32_t rule = sdd_tri_rule(m, &g, &s, &r);
    if (a->kind == SDD_MATRIX_LIMIT)
        return sdd_loop_limit(at, rule, r.n, r.edges, r.sharp.ends, a->step.weights);
    if (!r.fan || !sdd_has_tangents(rule, r.n, r.boundary, 1))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_loop_tangents t = sdd_loop_tangents_of(m, &g, from, &s, at, rule, &r, a->angle);
    return a->kind == SDD_MATRIX_TANGENT_1 ? t.t1 : t.t2;
}

SDD_FN struct sdd_vec3 sdd_matrix_loop(const struct matrix_triangles_args *a, struct sdd_points from, uint32_t row,
                                       struct sdd_spoke *spoke)
{
    return a->kind == SDD_MATRIX_STEP ? sdd_matrix_loop_step(a, from, row) : sdd_matrix_loop_limit(a, from, row, spoke);
}

SDD_FN void k_matrix_triangles(int64_t i, const struct matrix_triangles_args *a)
{
    struct sdd_spoke *spoke = a->rings.n ? a->rings.spoke + (size_t)i * a->rings.stride : NULL;
    const int64_t first = a->row ? (int64_t)a->row[i] : i;
    int64_t row = first;
    do {
        SDD_PROBE_ROW(&a->to, row, probe, sdd_matrix_loop(a, sdd_points_probed(&probe), (uint32_t)row, spoke));
        row += (int64_t)a->rings.n;
    } while (row != first && row < a->n_rows);
}
#endif
