/* SPDX-License-Identifier: Apache-2.0 */
/* table_normals: makes the normals of a level from the rows of level 1, as table_rows makes positions. Each point
 * has two sums for vectors that lead away from it, and its normal is their cross product, scaled to length 1
 * (table_pairs.dev.h).
 * Shapes  pieces as in table_rows, slope[2][m + 1] and slopes (like basis and weights), t1 and t2 as pieces.table,
 *         shared[n_classes] u32 (table_class_shared) -> to[n][3] f32 or oct16 (pieces.as) and tangents[n][6] f32 of
 *         length 1, either of which may be NULL, for rows first to first + n - 1
 * Launch  item, `each` rows, one by one; n / each items, rounded up, and the last may have fewer. With by_pieces set
 *         the items are those of table_points (sdd_table_items), pieces.to is `to`, and isolated rows are left
 *         alone.
 * Cost    12 B written a row. A bicubic piece reads 256 B, cached, with 6 multiply-adds a float if by_pieces is set
 *         and 38 otherwise. Another piece takes two multiply-adds a column and float.
 * Result  The direction of mesh-matrix's normals up to rounding, and zero where there is none.
 * Threads any queue
 * Source  Halstead et al. 1993 */
#ifndef SDD_K_TABLE_NORMALS_H
#define SDD_K_TABLE_NORMALS_H
#include "gpu/engines/tabulated/kernels/table_pairs.dev.h"
#include "gpu/engines/tabulated/kernels/table_points.k.h"

/* Makes item i of n. With by_pieces set that is an even share of all rows. */
SDD_FN void sdd_table_reference_normals(int64_t i, int64_t n, const struct table_normals_args *a)
{
    const struct table_rows_args *of = &a->rows;
    const int64_t low = a->by_pieces ? of->n * i / n : i * of->each;
    const int64_t high = a->by_pieces ? of->n * (i + 1) / n : low + of->each < of->n ? low + of->each : of->n;
    SDD_EACH (k, (int32_t)(high - low)) {
        const uint32_t row = (uint32_t)(of->first + low + k);
        if (!a->by_pieces || sdd_row_location_of(&of->mesh, of->pieces.grid.level, row).corner != SDD_NONE)
            sdd_table_put_row(a, low + k);
    }
}

SDD_FN void r_table_normals(int64_t tile, const struct table_normals_args *a)
{
    sdd_table_reference_normals(tile, sdd_table_items(&a->rows.pieces), a);
}

#ifndef __CUDACC__
#include "gpu/engines/tabulated/kernels/table_normals_wide.dev.h"

SDD_FN void k_table_normals(int64_t i, const struct table_normals_args *a)
{
    int64_t low = i * a->rows.each, high = low + a->rows.each < a->rows.n ? low + a->rows.each : a->rows.n;
    if (a->by_pieces)
        sdd_table_normals_item(i, a);
    else
        for (; low < high; low++)
            sdd_table_put_row(a, low);
}
#endif
#endif
