/* SPDX-License-Identifier: Apache-2.0 */
/* table_normals: normals of a level from the rows of level 1, as table_rows makes positions: two sums a point, of what
 * leads away from it in two directions; their cross product, of length 1 (table_pairs.h).
 * Shapes  pieces as in table_rows, slope[2][m + 1], slopes (pairs, as basis and weights), t1, t2 as pieces.table,
 *         shared[n_classes] u32 (table_class_shared)
 *         -> to[n][3] f32 or oct16 (pieces.as), tangents[n][6] f32, of length 1; either may be NULL: rows first ..
 *         first + n - 1
 * Launch  item: `each` rows, one by one, the last perhaps fewer; n items: n / each, rounded up. by_pieces: the items of
 *         table_points, sdd_table_items; pieces.to is `to`, and isolated rows are left alone
 * Cost    12 B written a row; of a bicubic piece 256 B read, cached, 6 multiply-adds a float by_pieces, 38 else; of
 *         others two multiply-adds a column and float
 * Result  the direction of mesh-matrix's normals, but for rounding; zero where there is none
 * Source  Halstead et al. 1993      Threads any queue */
#ifndef SDD_K_TABLE_NORMALS_H
#define SDD_K_TABLE_NORMALS_H
#include "gpu/engines/tabulated/kernels/table_pairs.dev.h"
#include "gpu/engines/tabulated/kernels/table_points.k.h"

/* by_pieces: tile i of n makes its share of all rows. */
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
