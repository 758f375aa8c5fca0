/* SPDX-License-Identifier: Apache-2.0 */
/* table_rows: some rows of a level from those of level 1, as table_points makes all of them.
 * Shapes  pieces and tables as in table_points -> to[n][3] f32: rows first .. first + n - 1
 * Shape   item: `each` rows, the last perhaps fewer; n items: n / each, rounded up
 * Cost    12 B written a row; of a bicubic piece 256 B read, cached, 15 multiply-adds a float of a row alone, 3 of
 *         many; of others a multiply-add a column and float
 * Result  the bits of table_points; `to` of the pieces is not used
 * Threads any queue */
#ifndef SDD_K_TABLE_ROWS_H
#define SDD_K_TABLE_ROWS_H
#include "gpu/bspline/row_bands.h"

struct table_rows_args {
    struct table_points_args pieces;
    struct sdd_control mesh;
    float *to;
    int64_t first, n;
    int32_t each;
};

SDD_FN struct sdd_sixteen sdd_table_sixteen(const struct table_points_args *a, uint32_t i)
{
    struct sdd_sixteen s;
    s.x0 = s.y0 = 0;
    s.side = 1 << (a->grid.level - 1);
    s.open = a->regular[i].owns >> SDD_TABLE_OPEN;
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++) {
        uint32_t row = a->regular_column[SDD_TABLE_REGULAR * (size_t)i + (size_t)k];
        s.p[k] = i < a->n_regular_quads ? sdd_row_load(a->control, row, sdd_xyz()) : sdd_table_load(a->from, row, 3);
    }
    if (s.open)
        sdd_sixteen_extend(&s, s.open);
    return s;
}

/* Point (x, y) of a piece that is not bicubic: the sums of table_other.h. */
SDD_FN struct sdd_vec3 sdd_table_other_point(const struct table_rows_args *a, uint32_t i, int32_t x, int32_t y)
{
    const struct table_points_args *p = &a->pieces;
    const struct sdd_table_table *k = sdd_table_table_of(p, i);
    const uint32_t *column = sdd_table_columns_of(p, k, i);
    const int32_t m = 1 << (p->grid.level - 1);
    const int64_t slots = sdd_table_slots(m);
    const float *w = p->table + k->table * slots + sdd_table_slot(m, x, y);
    struct sdd_vec3 sum = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t first = 0; first < k->n_columns; first += SDD_TABLE_TERMS) {
        struct sdd_vec3 part = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        int32_t end = first + SDD_TABLE_TERMS < k->n_columns ? first + SDD_TABLE_TERMS : k->n_columns;
        for (int32_t j = first; j < end; j++)
            part = sdd_fma(w[j * slots], sdd_table_load(p->from, column[j], 3), part);
        sum = sdd_add(sum, part);
    }
    return sum;
}

SDD_FN struct sdd_vec3 sdd_table_row_point(const struct table_rows_args *a, uint32_t row)
{
    struct sdd_row_location at = sdd_row_location_of(&a->mesh, a->pieces.grid.level, row);
    if (at.corner == SDD_NONE)
        return sdd_row_load(a->pieces.control, row, sdd_xyz());
    uint32_t piece = a->pieces.where[at.corner];
    if (piece & SDD_TABLE_OTHER)
        return sdd_table_other_point(a, piece & ~SDD_TABLE_OTHER, at.x, at.y);
    struct sdd_sixteen s = sdd_table_sixteen(&a->pieces, piece);
    return sdd_sixteen_point(&s, sdd_table_basis_of(&a->pieces, a->pieces.basis, piece), at.x, at.y);
}

#ifndef __CUDACC__
SDD_FN void k_table_rows(int64_t i, const struct table_rows_args *a)
{
    int32_t level = a->pieces.grid.level;
    int64_t low = a->first + i * a->each, inside = sdd_first_inside(&a->mesh, level);
    int64_t high = low + a->each < a->first + a->n ? low + a->each : a->first + a->n;
    for (; low < high && low < inside; low++)
        sdd_put_vec3(a->to, (uint32_t)(low - a->first), sdd_table_row_point(a, (uint32_t)low));
    while (low < high) {
        struct sdd_band b = sdd_band_at(&a->mesh, level, low, high);
        uint32_t piece = a->pieces.where[b.corner];
        if (piece & SDD_TABLE_OTHER) {
            for (; low < b.high; low++) {
                int64_t at = low - b.inside - b.m;
                sdd_put_vec3(a->to, (uint32_t)(low - a->first),
                             sdd_table_other_point(a, piece & ~SDD_TABLE_OTHER, (int32_t)(at % (b.m - 1)) + 1,
                                                   (int32_t)(at / (b.m - 1)) + 1));
            }
        } else {
            struct sdd_sixteen s = sdd_table_sixteen(&a->pieces, piece);
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
