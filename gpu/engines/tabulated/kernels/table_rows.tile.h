/* SPDX-License-Identifier: Apache-2.0 */
/* table_rows: makes some rows of a level from those of level 1. table_points makes all of them.
 * Shapes  pieces and tables as in table_points -> to[n][3] f32, which are rows first to first + n - 1
 * Launch  tile, `each` rows; n / each tiles, rounded up. The last tile may have fewer rows.
 * Cost    12 B written a row. A bicubic piece reads 256 B, cached, with 15 multiply-adds a float for a single row
 *         and 3 for many. Another piece takes a multiply-add a column and float.
 * Result  The bits of table_points. `to` of the pieces is not used.
 * Threads any queue */
#ifndef SDD_K_TABLE_ROWS_H
#define SDD_K_TABLE_ROWS_H
#include "gpu/bspline/row_bands.h"
#include "gpu/engines/tabulated/kernels/table_point.dev.h"
#include "gpu/kernel/tile.h"

enum { table_rows_threads = 128 };

struct table_rows_args {
    struct table_points_args pieces;
    struct sdd_control mesh;
    float *to;
    int64_t first, n;
    int32_t each;
};

SDD_FN struct sdd_vec3 sdd_table_row_point(const struct table_rows_args *a, uint32_t row)
{
    struct sdd_row_location at = sdd_row_location_of(&a->mesh, a->pieces.grid.level, row);
    if (at.corner == SDD_NONE)
        return sdd_row_load(a->pieces.control, row, sdd_xyz());
    uint32_t piece = a->pieces.location[at.corner];
    if (piece & SDD_TABLE_OTHER)
        return sdd_table_other_point(&a->pieces, 3, piece & ~SDD_TABLE_OTHER, at.x, at.y);
    struct sdd_sixteen s = sdd_table_sixteen(&a->pieces, sdd_xyz(), piece);
    return sdd_sixteen_point(&s, sdd_table_basis_of(&a->pieces, a->pieces.basis, piece), at.x, at.y);
}

#ifdef __CUDACC__
SDD_FN void k_table_rows(int64_t tile, const struct table_rows_args *a)
{
    const int64_t low = tile * a->each;
    SDD_EACH (i, (int32_t)(a->n - low < a->each ? a->n - low : a->each))
        sdd_put_vec3(a->to, (uint32_t)(low + i), sdd_table_row_point(a, (uint32_t)(a->first + low + i)));
}
#else
/* A CPU's thread makes whole bands of rows, so that it computes what they share only once. */
SDD_FN void k_table_rows(int64_t i, const struct table_rows_args *a)
{
    int32_t level = a->pieces.grid.level;
    int64_t low = a->first + i * a->each, inside = sdd_first_inside(&a->mesh, level);
    int64_t high = low + a->each < a->first + a->n ? low + a->each : a->first + a->n;
    for (; low < high && low < inside; low++)
        sdd_put_vec3(a->to, (uint32_t)(low - a->first), sdd_table_row_point(a, (uint32_t)low));
    while (low < high) {
        struct sdd_band b = sdd_band_at(&a->mesh, level, low, high);
        uint32_t piece = a->pieces.location[b.corner];
        if (piece & SDD_TABLE_OTHER) {
            for (; low < b.high; low++) {
                int64_t at = low - b.inside - b.m;
                sdd_put_vec3(a->to, (uint32_t)(low - a->first),
                             sdd_table_other_point(&a->pieces, 3, piece & ~SDD_TABLE_OTHER,
                                                   (int32_t)(at % (b.m - 1)) + 1, (int32_t)(at / (b.m - 1)) + 1));
            }
        } else {
            struct sdd_sixteen s = sdd_table_sixteen(&a->pieces, sdd_xyz(), piece);
            sdd_band_sixteen(&b, &s, sdd_table_basis_of(&a->pieces, a->pieces.basis, piece), a->first, a->to);
        }
        low = b.high;
    }
#ifdef __FMA__
    _mm_sfence();
#endif
}
#endif
#endif
