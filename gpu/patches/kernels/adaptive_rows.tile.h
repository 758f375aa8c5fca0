/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive_rows: rows of a level from the bicubic patches of all levels up to it, and from points of its own where
 * there is no patch (adaptive_cell.dev.h).
 * Shapes  patches, points -> to[n][3] f32: rows first to first + n - 1 of level `last`
 * Launch  tile of `each` rows, the last tile perhaps fewer; n / each tiles, rounded up
 * Cost    256 B read a patch, cached; 15 multiply-adds a float for a row alone, 3 for a whole patch; 12 B written a row
 * Result  Sums run along x first, then along y, rounded once a term, whatever the rows around it are. A point of two
 *         grids is made on the one that sdd_quad_location_of names.
 * Threads any queue
 * Source  Niessner et al. 2012 */
#ifndef SDD_K_ADAPTIVE_ROWS_H
#define SDD_K_ADAPTIVE_ROWS_H
#include "gpu/kernel/tile.h"
#include "gpu/patches/kernels/adaptive_cell.dev.h"

enum { adaptive_rows_threads = 128 };

struct adaptive_rows_args {
    struct sdd_adaptive from;
    float *to;
    int64_t first, n;
    int32_t each;
};

SDD_FN struct sdd_vec3 sdd_adaptive_point(const struct sdd_adaptive *a, uint32_t row)
{
    struct sdd_row_location at = sdd_row_location_of(&a->mesh, a->last, row);
    if (at.corner == SDD_NONE)
        return sdd_load_point(a->points, row);
    struct sdd_quarter q = sdd_quarter_of(&a->mesh, at.corner);
    struct sdd_leaf leaf = sdd_leaf_at(a, &q, at.x, at.y);
    if (leaf.patch == SDD_NONE)
        return sdd_uncovered_point(a, at.corner, at.x, at.y);
    struct sdd_sixteen s = sdd_leaf_points(a, &q, &leaf);
    return sdd_sixteen_point(&s, sdd_leaf_basis(a, leaf.side), at.x, at.y);
}

#ifdef __CUDACC__
SDD_FN void k_adaptive_rows(int64_t tile, const struct adaptive_rows_args *a)
{
    const int64_t low = tile * a->each;
    SDD_EACH (i, (int32_t)(a->n - low < a->each ? a->n - low : a->each))
        sdd_put_vec3(a->to, (uint32_t)(low + i), sdd_adaptive_point(&a->from, (uint32_t)(a->first + low + i)));
}
#else
/* A CPU's thread makes whole bands of rows with what they have in common. */
/* Makes the points of a patch that lie in the band. */
static inline void sdd_band_leaf(const struct adaptive_rows_args *a, const struct sdd_band *b,
                                 const struct sdd_quarter *q, const struct sdd_leaf *leaf)
{
    struct sdd_sixteen s = sdd_leaf_points(&a->from, q, leaf);
    sdd_band_sixteen(b, &s, sdd_leaf_basis(&a->from, leaf->side), a->first, a->to);
}

/* Makes the points of cell (x, y) of level l that lie in the band, by going down to its patches. */
static inline void sdd_band_cell(const struct adaptive_rows_args *a, const struct sdd_band *b,
                                 const struct sdd_quarter *q, int32_t l, int32_t x, int32_t y)
{
    int32_t side = 1 << (a->from.last - l);
    if ((y + 1) * side <= b->y_low || y * side >= b->y_high)
        return;
    uint32_t patch = sdd_patch_at(&a->from.levels, l, sdd_quarter_cell(q, l, x, y));
    struct sdd_leaf leaf = sdd_leaf_of(patch, x * side, y * side, side);
    if (patch != SDD_NONE) {
        sdd_band_leaf(a, b, q, &leaf);
    } else if (l < a->from.last) {
        for (int32_t k = 0; k < 4; k++)
            sdd_band_cell(a, b, q, l + 1, 2 * x + (k & 1), 2 * y + (k >> 1));
    } else if (x > 0 && y > 0) {
        int64_t row = sdd_band_row(b, x, y);
        if (row >= b->low && row < b->high)
            sdd_put_vec3(a->to, (uint32_t)(row - a->first), sdd_uncovered_point(&a->from, b->corner, x, y));
    }
}

SDD_FN void k_adaptive_rows(int64_t i, const struct adaptive_rows_args *a)
{
    const struct sdd_control *m = &a->from.mesh;
    int64_t low = a->first + i * a->each, inside = sdd_first_inside(m, a->from.last);
    int64_t high = low + a->each < a->first + a->n ? low + a->each : a->first + a->n;
    for (; low < high && low < inside; low++)
        sdd_put_vec3(a->to, (uint32_t)(low - a->first), sdd_adaptive_point(&a->from, (uint32_t)low));
    while (low < high) {
        struct sdd_band b = sdd_band_at(m, a->from.last, low, high);
        struct sdd_quarter q = sdd_quarter_of(m, b.corner);
        struct sdd_leaf undivided = sdd_leaf_of(sdd_undivided_face(&a->from, &q), 0, 0, 2 * b.m);
        if (undivided.patch != SDD_NONE)
            sdd_band_leaf(a, &b, &q, &undivided);
        else
            sdd_band_cell(a, &b, &q, 1, 0, 0);
        low = b.high;
    }
#ifdef __FMA__
    _mm_sfence();
#endif
}
#endif
#endif
