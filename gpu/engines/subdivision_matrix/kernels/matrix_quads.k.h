/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_quads: rows of the one-level matrices of quads: the weights that the rules of mm_faces, mm_first, mm_seams,
 * mm_inside, mm_linear and mm_finish give to the points that they read.
 * Shapes  control mesh on `level`, angle table (for tangents alone) -> rows. Those of FACES are [V | F] over the V
 *         control points. Those of STEP are the grid points of level + 1 over those of `level` (for level 0 over the
 *         rows of FACES); with `linear` they are the grid points of `level` over the rows of FACES. Those of the other
 *         kinds are grid points of `level` over themselves.
 * Launch  item, n rows; with rings n of them, and item i makes rows i, i + n and so on
 * Cost    a row of n entries runs its rule n / 3 + 1 times
 * Result  Weights are as the rules round them. A limit tangent without a mask is an empty row.
 * Threads any queue
 * Source  Driscoll 2014, section 3.3, where the matrix of face points is separate from that of edge and vertex
 *         points */
#ifndef SDD_K_MATRIX_QUADS_H
#define SDD_K_MATRIX_QUADS_H
#include "gpu/sparse/matrix_row.h"
#include "gpu/levels/mm_faces.k.h"
#include "gpu/levels/mm_finish.k.h"
#include "gpu/levels/mm_first.k.h"
#include "gpu/levels/mm_linear.k.h"
#include "gpu/patches/patch_points.k.h"

struct matrix_quads_args {
    struct sdd_control mesh;
    struct sdd_matrix_rows to;
    struct sdd_limit_rings rings; /* For rows of limits; with none, all follow the masks. */
    const struct sdd_float2 *angle;
    int32_t kind, level, smooth_triangles, linear;
    int32_t limit;  /* A value of enum sdd_limit_of. */
    int64_t n_rows; /* Read only with rings. */
};

/* The row of a point that is followed on, once its ring has been. */
SDD_FN struct sdd_vec3 sdd_matrix_followed(const struct matrix_quads_args *a, struct sdd_limit_ring *r,
                                           struct sdd_vec3 at)
{
    int32_t rule = sdd_limit_ring_follow(r, NULL);
    if (a->kind == SDD_MATRIX_LIMIT)
        return sdd_limit_ring_point(r, at, rule, NULL);
    if (!r->faces || !sdd_has_tangents(rule, r->faces, r->faces < r->n, 1))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_tangents t = sdd_limit_ring_tangents(r, a->angle);
    (void)sdd_tangents_normal(&t, rule == SDD_RULE_CORNER, sdd_cross(t.first, t.last));
    return a->kind == SDD_MATRIX_TANGENT_1 ? t.t1 : t.t2;
}

SDD_FN struct sdd_vec3 sdd_matrix_later(const struct matrix_quads_args *a, struct sdd_points from, uint32_t row)
{
    struct sdd_quad_location s = sdd_quad_location_of(&a->mesh, a->level + 1, row);
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->level);
    if (s.kind == SDD_INSIDE)
        return sdd_step_inside(&g, from, s.id, s.x, s.y);
    return sdd_step_seam(&a->mesh, &g, from, s);
}

SDD_FN struct sdd_vec3 sdd_matrix_limit(const struct matrix_quads_args *a, struct sdd_points from, uint32_t row,
                                        struct sdd_spoke *spoke)
{
    const struct sdd_control *m = &a->mesh;
    struct sdd_quad_location s = sdd_quad_location_of(m, a->level, row);
    struct sdd_grid g = sdd_grid_of(m, a->level);
    struct sdd_vec3 at = sdd_points_load(from, row);
    if (spoke) {
        struct sdd_limit_ring on = sdd_quad_limit_ring(m, &g, from, &s, at, spoke);
        if (on.n)
            return sdd_matrix_followed(a, &on, at);
    }
    struct sdd_finish_ring r = sdd_finish_around(m, &g, from, &s, at);
    int32_t rule = sdd_finish_rule(m, &g, &s, &r);
    if (a->kind == SDD_MATRIX_LIMIT)
        return sdd_limit_point(at, rule, r.n, r.edges, r.diagonals, r.sharp.ends, a->limit);
    if (!r.fan || !sdd_has_tangents(rule, r.n, r.boundary, 1))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_tangents t = sdd_finish_tangents(m, &g, from, &s, at, &r, a->angle);
    (void)sdd_tangents_normal(&t, rule == SDD_RULE_CORNER, r.cross);
    return a->kind == SDD_MATRIX_TANGENT_1 ? t.t1 : t.t2;
}

SDD_FN struct sdd_vec3 sdd_matrix_quad(const struct matrix_quads_args *a, struct sdd_points from, uint32_t row,
                                       struct sdd_spoke *spoke)
{
    const struct sdd_control *m = &a->mesh;
    if (a->kind == SDD_MATRIX_FACES)
        return row < m->n_vertices ? sdd_points_load(from, row) : sdd_face_mean(m, from, row - m->n_vertices);
    if (a->kind != SDD_MATRIX_STEP)
        return sdd_matrix_limit(a, from, row, spoke);
    if (a->linear)
        return sdd_linear_point(m, sdd_first_points_of(from, from), a->level, row);
    return a->level ? sdd_matrix_later(a, from, row)
                    : sdd_first_point(m, sdd_first_points_of(from, from), row, a->smooth_triangles);
}

SDD_FN void k_matrix_quads(int64_t i, const struct matrix_quads_args *a)
{
    struct sdd_spoke *spoke = a->rings.n ? a->rings.spoke + (size_t)i * a->rings.stride : NULL;
    int64_t row = i;
    do {
        SDD_PROBE_ROW(&a->to, row, probe, sdd_matrix_quad(a, sdd_points_probed(&probe), (uint32_t)row, spoke));
        row += (int64_t)a->rings.n;
    } while (row != i && row < a->n_rows);
}
#endif
