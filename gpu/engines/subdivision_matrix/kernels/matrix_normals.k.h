/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_normals: limit normals and tangents: the two matrices of tangents times the control points.
 * Shapes  t1, t2 of n rows, x[columns][3] f32 -> normal[n][3], tangents[n][6] f32; either may be NULL
 * Launch  item, n rows
 * Cost    that of two matrix_apply, but only the result is written
 * Result  The normal is t1 x t2 with length 1. An empty row of t1 writes nothing. The weights of a row sum to zero, so
 *         points are taken relative to the row's first one.
 * Threads any queue
 * Source  Driscoll 2014, section 6: tangents are linear, normals their cross product */
#ifndef SDD_K_MATRIX_NORMALS_H
#define SDD_K_MATRIX_NORMALS_H
#include "gpu/sparse/matrix_apply.k.h"
#include "gpu/rules/tangents.h"

struct matrix_normals_args {
    struct sdd_matrix t1, t2;
    const float *x;
    float *normal, *tangents;
};

SDD_FN void k_matrix_normals(int64_t i, const struct matrix_normals_args *a)
{
    struct sdd_terms s1 = sdd_matrix_sum(&a->t1, i, a->x, sdd_xyz(), 1);
    struct sdd_terms s2 = sdd_matrix_sum(&a->t2, i, a->x, sdd_xyz(), 1);
    struct sdd_vec3 t1 = sdd_terms_point(&s1), t2 = sdd_terms_point(&s2);
    struct sdd_dvec3 n = sdd_cross(t1, t2);
    if (s1.n == 0)
        return;
    if (a->tangents)
        sdd_put_tangents(a->tangents + 6 * i, t1, t2, n);
    if (a->normal)
        sdd_put_vec3(a->normal, (uint32_t)i, sdd_unit(n, 1.0));
}
#endif
