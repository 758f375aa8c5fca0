/* SPDX-License-Identifier: Apache-2.0 */
/* table_points_batch: does what table_points does, for several meshes of one topology. It is a kernel of its own, so
 * that a single mesh does not pay for what only a batch needs.
 * Shapes  as table_points, with control, from and to of each mesh
 * Launch  as table_points; n = sdd_table_items of each mesh. On a GPU sdd_table_first_items of all meshes may go
 *         before them.
 * Cost    as table_points
 * Result  as table_points, mesh by mesh
 * Threads any queue */
#ifndef SDD_K_TABLE_POINTS_BATCH_H
#define SDD_K_TABLE_POINTS_BATCH_H
#include "gpu/engines/tabulated/kernels/table_batch.dev.h"
#include "gpu/engines/tabulated/kernels/table_points.k.h"

struct table_points_batch_args {
    struct table_points_args of; /* Its pointers to rows are not used. */
    const float *control[SDD_TABLE_BATCH];
    struct sdd_table_batch rows;
};

SDD_FN struct table_points_args sdd_table_points_of(const struct table_points_batch_args *a, int64_t k)
{
    struct table_points_args one = a->of;
    one.control = a->control[k];
    one.from = a->rows.from[k];
    one.to = a->rows.to[k];
    return one;
}

SDD_FN void r_table_points_batch(int64_t tile, const struct table_points_batch_args *a)
{
    const int64_t n = sdd_table_items(&a->of), k = tile / n;
    const struct table_points_args one = sdd_table_points_of(a, k);
    sdd_table_reference_points(tile - k * n, n, &one, sdd_xyz());
}

#ifndef __CUDACC__
SDD_FN void k_table_points_batch(int64_t i, const struct table_points_batch_args *a)
{
    int64_t n = sdd_table_items(&a->of), k = i / n;
    struct table_points_args one = sdd_table_points_of(a, k);
    sdd_table_item(i - k * n, &one, sdd_xyz());
}
#endif
#endif
