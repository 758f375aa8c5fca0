/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_sqrt3: rows of the one-level matrices of scheme sqrt3: the weights that the rules of sqrt3_vertices,
 * sqrt3_faces and sqrt3_finish give to the points that they read.
 * Shapes  level (sqrt3_grid.h), weights, angle (for tangents alone) -> rows. Those of STEP are the points of the next
 *         level over those of this one; those of the other kinds are points of the level over themselves.
 * Launch  item: for STEP n = V + F (a face on a boundary makes the row of its boundary edge too), for the others n <= V
 *         rows
 * Cost    a row of n entries runs its rule n / 3 + 1 times
 * Result  as matrix_quads
 * Threads any queue
 * Source  Driscoll 2014, section 3.3 */
#ifndef SDD_K_MATRIX_SQRT3_H
#define SDD_K_MATRIX_SQRT3_H
#include "gpu/sparse/matrix_row.h"
#include "gpu/levels/sqrt3_faces.k.h"
#include "gpu/levels/sqrt3_follow.k.h"
#include "gpu/levels/sqrt3_vertices.k.h"

struct matrix_sqrt3_args {
    struct sdd_sqrt3 mesh;
    struct sdd_matrix_rows to;
    struct sdd_limit_rings rings; /* For rows of limits; with none, all follow the masks. */
    const struct sdd_float2 *weights, *angle;
    int32_t kind;
    int64_t n_rows; /* Read only with rings. */
};

/* The row of a vertex that is followed on, once its ring has been. */
SDD_FN struct sdd_vec3 sdd_matrix_sqrt3_followed(const struct matrix_sqrt3_args *a, struct sdd_limit_ring *r,
                                                 struct sdd_vec3 at)
{
    int32_t rule = sdd_sqrt3_follow_ring(r, a->weights);
    if (a->kind == SDD_MATRIX_LIMIT)
        return sdd_sqrt3_limit_ring_point(r, at, rule, a->weights);
    if (rule != SDD_RULE_SMOOTH || r->n < 3)
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_sqrt3_plane plane = sdd_sqrt3_limit_ring_plane(r, a->angle);
    return a->kind == SDD_MATRIX_TANGENT_1 ? plane.t1 : plane.t2;
}

SDD_FN struct sdd_vec3 sdd_matrix_sqrt3_vertex(const struct matrix_sqrt3_args *a, struct sdd_points p, uint32_t v,
                                               struct sdd_spoke *spoke)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    if (a->kind == SDD_MATRIX_STEP)
        return sdd_sqrt3_vertex(m, a->weights, p, v);
    struct sdd_vec3 at = sdd_points_load(p, v);
    if (spoke) {
        struct sdd_limit_ring on = sdd_sqrt3_limit_ring(m, a->weights, p, v, at, spoke);
        if (on.n)
            return sdd_matrix_sqrt3_followed(a, &on, at);
    }
    struct sdd_sqrt3_ring r = sdd_sqrt3_ring_of(m, p, v);
    int32_t rule = sdd_sqrt3_rule(m, v, &r);
    if (a->kind == SDD_MATRIX_LIMIT)
        return sdd_sqrt3_limit(at, rule, &r, a->weights);
    if (!sdd_sqrt3_has_masks(rule, &r))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    struct sdd_sqrt3_plane plane = sdd_sqrt3_plane_of(m, p, v, at, &r, 1, a->angle);
    return a->kind == SDD_MATRIX_TANGENT_1 ? plane.t1 : plane.t2;
}

/* The point that cuts the first edge of face f near its end `near`, 0 or 1. */
SDD_FN struct sdd_vec3 sdd_matrix_sqrt3_cut(const struct matrix_sqrt3_args *a, struct sdd_points p, uint32_t f,
                                            uint32_t near)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    uint32_t v = m->vert[3 * f + near], w = m->vert[3 * f + 1 - near];
    return sdd_sqrt3_cut(sdd_points_load(p, v), sdd_points_load(p, w), sdd_sqrt3_vertex(m, a->weights, p, v));
}

SDD_FN struct sdd_vec3 sdd_matrix_sqrt3_face(const struct matrix_sqrt3_args *a, struct sdd_points p, uint32_t f)
{
    const uint32_t *v = a->mesh.vert + 3 * (size_t)f;
    if (sdd_sqrt3_cuts(&a->mesh, f))
        return sdd_matrix_sqrt3_cut(a, p, f, 0);
    return sdd_sqrt3_centre(sdd_points_load(p, v[0]), sdd_points_load(p, v[1]), sdd_points_load(p, v[2]));
}

SDD_FN void k_matrix_sqrt3(int64_t i, const struct matrix_sqrt3_args *a)
{
    const struct sdd_sqrt3 *m = &a->mesh;
    uint32_t row = (uint32_t)i, f = row - m->n_vertices;
    if (row < m->n_vertices) {
        struct sdd_spoke *spoke = a->rings.n ? a->rings.spoke + (size_t)i * a->rings.stride : NULL;
        int64_t v = i;
        do {
            SDD_PROBE_ROW(&a->to, v, probe, sdd_matrix_sqrt3_vertex(a, sdd_points_probed(&probe), (uint32_t)v, spoke));
            v += (int64_t)a->rings.n;
        } while (v != i && v < a->n_rows);
        return;
    }
    SDD_PROBE_ROW(&a->to, i, probe, sdd_matrix_sqrt3_face(a, sdd_points_probed(&probe), f));
    if (sdd_sqrt3_cuts(m, f) && sdd_sqrt3_is_boundary(m, 3 * f))
        SDD_PROBE_ROW(&a->to, (int64_t)sdd_sqrt3_q(m, f), probe,
                      sdd_matrix_sqrt3_cut(a, sdd_points_probed(&probe), f, 1));
}
#endif
