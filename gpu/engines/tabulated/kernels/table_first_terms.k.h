/* SPDX-License-Identifier: Apache-2.0 */
/* table_first_terms: makes the matrix of table_first, by probing what the rules of mm_faces and mm_first make of
 * control points.
 * Shapes  control mesh, row[n] u32 of level 1 -> their terms, in two passes (matrix_row.h)
 * Launch  item, n rows
 * Cost    A row of n terms runs its rule n / 3 + 1 times, each time over all corners around it, which are up to
 *         SDD_TABLE_AROUND (table_keys.k.h) at a vertex. A vertex that stays where it is reads only itself.
 * Result  The weights are rounded as the rules round them.
 * Threads any queue
 * Source  Driscoll 2014 */
#ifndef SDD_K_TABLE_FIRST_TERMS_H
#define SDD_K_TABLE_FIRST_TERMS_H
#include "gpu/sparse/matrix_row.h"
#include "gpu/levels/mm_first.k.h"

struct table_first_terms_args {
    struct sdd_control mesh;
    const uint32_t *row;
    struct sdd_matrix_rows to;
    int32_t smooth_triangles;
};

SDD_FN struct sdd_vec3 sdd_table_first_rule(const struct table_first_terms_args *a, struct sdd_points from,
                                            uint32_t row)
{
    const struct sdd_control *m = &a->mesh;
    if (row < m->n_vertices && m->vert_sharp && m->vert_sharp[row] >= 10.0f)
        return sdd_points_load(from, row); /* Any number of faces may meet at such a vertex, which does not move. */
    return sdd_first_point(m, sdd_first_points_means(from), row, a->smooth_triangles);
}

SDD_FN void k_table_first_terms(int64_t i, const struct table_first_terms_args *a)
{
    SDD_PROBE_ROW(&a->to, i, probe, sdd_table_first_rule(a, sdd_points_probed(&probe), a->row[i]));
}
#endif
