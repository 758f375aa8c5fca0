/* SPDX-License-Identifier: Apache-2.0 */
/* table_normals: normals of a level from the rows of level 1, as table_rows makes positions: two sums a point, of what
 * leads away from it in two directions; their cross product, of length 1 (table_pairs.h).
 * Shapes  pieces as in table_rows, slope[2][m + 1], slopes (pairs, as basis and weights), t1, t2 as pieces.table,
 *         shared[n_classes] u32 (table_class_shared)
 *         -> to[n][3] f32 or oct16 (pieces.as), tangents[n][6] f32, of length 1; either may be NULL: rows first ..
 *         first + n - 1
 * Shape   item: `each` rows, one by one, the last perhaps fewer; n items: n / each, rounded up. by_pieces: the items of
 *         table_points, sdd_table_items; pieces.to is `to`, and isolated rows are left alone
 * Cost    12 B written a row; of a bicubic piece 256 B read, cached, 6 multiply-adds a float by_pieces, 38 else; of
 *         others two multiply-adds a column and float
 * Result  the direction of mesh-matrix's normals, but for rounding; zero where there is none
 * Source  Halstead et al. 1993      Threads any queue */
#ifndef SDD_K_TABLE_NORMALS_H
#define SDD_K_TABLE_NORMALS_H
#include "gpu/engines/tabulated/kernels/table_pairs.dev.h"
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
