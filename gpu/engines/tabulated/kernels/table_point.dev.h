/* SPDX-License-Identifier: Apache-2.0 */
/* table_point.dev.h: makes points of pieces one by one, for whoever needs a few of them, and as the reference for
 * code that makes all of them at once. */
#ifndef SDD_TABLE_POINT_H
#define SDD_TABLE_POINT_H
#include "gpu/bspline/row_bands.h"
#include "gpu/engines/tabulated/kernels/table_sides.dev.h"
#include "gpu/kernel/tile.h"

/* The 4 x 4 points of bicubic piece i, from rows of width w. */
SDD_FN struct sdd_sixteen sdd_table_sixteen(const struct table_points_args *a, struct sdd_width w, uint32_t i)
{
    struct sdd_sixteen s;
    s.x0 = s.y0 = 0;
    s.side = 1 << (a->grid.level - 1);
    s.open = a->regular[i].owns >> SDD_TABLE_OPEN;
    for (int32_t k = 0; k < SDD_TABLE_REGULAR; k++) {
        uint32_t row = a->regular_column[SDD_TABLE_REGULAR * (size_t)i + (size_t)k];
        s.p[k] = i < a->n_regular_quads ? sdd_row_load(a->control, row, w) : sdd_table_load(a->from, row, w.n);
    }
    if (s.open)
        sdd_sixteen_extend(&s, s.open);
    return s;
}

/* Point (x, y) of piece i of those that are not bicubic, from rows of `width` floats. It is summed as table_other.dev.h
 * does. */
SDD_FN struct sdd_vec3 sdd_table_other_point(const struct table_points_args *p, int32_t width, uint32_t i, int32_t x,
                                             int32_t y)
{
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
            part = sdd_fma(w[j * slots], sdd_table_load(p->from, column[j], width), part);
        sum = sdd_add(sum, part);
    }
    return sum;
}

/* The row of point (x, y) of a piece with m x m cells whose vertex is row `vertex`, or SDD_NONE if another piece makes
 * that point. */
SDD_FN uint32_t sdd_table_row_at(const struct sdd_grid *g, const struct sdd_table_quad *q, uint32_t vertex, int32_t m,
                                 int32_t x, int32_t y)
{
    if (x > 0 && y > 0 && x < m && y < m)
        return sdd_grid_inside(g, q->corner, x, y);
    if (x == m && y > 0 && y < m)
        return sdd_table_spoke(g, q) + (uint32_t)(m - 1 - y);
    if (y == 0 && x > 0 && x < m)
        return q->owns & SDD_TABLE_BOTTOM ? sdd_table_bottom(g, q) + (uint32_t)(x - 1) : SDD_NONE;
    if (x == 0 && y > 0 && y < m)
        return q->owns & SDD_TABLE_LEFT ? sdd_table_left(g, q->corner) + (uint32_t)y : SDD_NONE;
    if (x == 0 && y == 0)
        return q->owns & SDD_TABLE_VERTEX ? vertex : SDD_NONE;
    if (x == m && y == 0)
        return q->owns & SDD_TABLE_EDGE ? q->edge : SDD_NONE;
    return x == m && (q->owns & SDD_TABLE_FACE) ? q->face : SDD_NONE;
}

/* Writes point (x, y) of the piece at `corner`, if that piece makes it. */
SDD_FN void sdd_table_put_point(const struct table_points_args *a, struct sdd_width w, uint32_t corner, int32_t x,
                                int32_t y)
{
    const int32_t m = 1 << (a->grid.level - 1);
    const uint32_t at = a->location[corner], i = at & ~SDD_TABLE_OTHER;
    const int other = (at & SDD_TABLE_OTHER) != 0;
    const struct sdd_table_quad *q = other ? a->other + i : a->regular + i;
    const uint32_t vertex = other ? a->grid.vert[corner] : a->regular_column[SDD_TABLE_REGULAR * (size_t)i + 5];
    const uint32_t row = sdd_table_row_at(&a->grid, q, vertex, m, x, y);
    if (row == SDD_NONE)
        return;
    if (other) {
        sdd_row_out(a->to, &a->as, row, w, sdd_table_other_point(a, w.n, i, x, y));
    } else {
        const struct sdd_sixteen s = sdd_table_sixteen(a, w, i);
        sdd_row_out(a->to, &a->as, row, w, sdd_sixteen_point(&s, sdd_table_basis_of(a, a->basis, i), x, y));
    }
}

/* The first corner of item i of n, among which the corners are divided evenly. That of item i + 1 is the end. */
SDD_FN int64_t sdd_table_first_corner(const struct table_points_args *a, int64_t i, int64_t n)
{
    return (int64_t)a->grid.n_corners * i / n;
}

/* Makes the points of the pieces of tile i of n, that is of its share of the corners. */
SDD_FN void sdd_table_reference_points(int64_t i, int64_t n, const struct table_points_args *a, struct sdd_width w)
{
    const int64_t first = sdd_table_first_corner(a, i, n), end = sdd_table_first_corner(a, i + 1, n);
    const int32_t side = (1 << (a->grid.level - 1)) + 1, points = side * side;
    SDD_EACH (p, (int32_t)(end - first) * points)
        sdd_table_put_point(a, w, (uint32_t)(first + p / points), p % side, p % points / side);
}
#endif
