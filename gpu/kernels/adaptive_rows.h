/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive_rows: rows of a level from the bicubic patches of all levels before it, and from points of its own where
 * there is no patch (adaptive_cell.h).
 * Shapes  patches, points -> to[n][3] f32: rows first .. first + n - 1 of level `last`
 * Shape   item: `each` rows, the last perhaps fewer; n items: n / each, rounded up
 * Cost    of a patch 256 B read, cached, and 15 multiply-adds a float of a row alone, 4 of a whole patch; 12 B written
 *         a row
 * Result  along x first, then along y, rounded once a term, whatever the rows around it are; a point of two grids is
 *         made on the one that sdd_spot_of says
 * Source  Niessner et al. 2012      Threads any queue */
#ifndef SDD_K_ADAPTIVE_ROWS_H
#define SDD_K_ADAPTIVE_ROWS_H
#include "gpu/kernels/adaptive_cell.h"

struct adaptive_rows_args {
    struct sdd_adaptive from;
    float *to;
    int64_t first, n;
    int32_t each;
};

/* Where a row is: a point of the grid of one of the level-1 quads that have it; corner SDD_NONE: a control vertex
 * without faces. */
struct sdd_row_place {
    uint32_t corner;
    int32_t x, y;
};

SDD_FN struct sdd_row_place sdd_row_place_of(const struct sdd_control *m, int32_t level, uint32_t row)
{
    struct sdd_spot s = sdd_spot_of(m, level, row);
    int32_t side = 1 << (level - 1);
    struct sdd_row_place r;
    r.corner = s.id;
    r.x = s.x;
    r.y = s.y;
    if (s.kind == SDD_AT_VERTEX) {
        r.corner = m->begin[s.id] < m->end[s.id] ? m->corner[m->begin[s.id]] : SDD_NONE;
    } else if (s.kind == SDD_AT_FACE) {
        r.corner = s.id ? (uint32_t)m->face_end[s.id - 1] : 0;
        r.x = r.y = side;
    } else if (s.kind == SDD_AT_EDGE) {
        r.corner = m->edge_corner[s.id];
        r.x = side;
    } else if (s.kind == SDD_AT_HALF) {
        r.corner = s.a != SDD_NONE ? s.a : s.b;
        r.x = s.a != SDD_NONE ? s.x : 0;
        r.y = s.a != SDD_NONE ? 0 : s.x;
    } else if (s.kind == SDD_AT_SPOKE) {
        r.x = side;
        r.y = side - s.x;
    }
    return r;
}

SDD_FN struct sdd_vec3 sdd_adaptive_point(const struct sdd_adaptive *a, uint32_t row)
{
    struct sdd_row_place at = sdd_row_place_of(&a->mesh, a->last, row);
    if (at.corner == SDD_NONE)
        return sdd_load_point(a->points, row);
    struct sdd_quarter q = sdd_quarter_of(&a->mesh, at.corner);
    struct sdd_leaf leaf = sdd_leaf_at(a, &q, at.x, at.y);
    if (leaf.patch == SDD_NONE)
        return sdd_left_point(a, at.corner, at.x, at.y);
    struct sdd_sixteen points = sdd_leaf_points(a, &q, leaf.patch);
    return sdd_leaf_point(a, &leaf, &points, at.x, at.y);
}

#ifndef __CUDACC__
#define SDD_ADAPTIVE_SIDE 512 /* cells along a grid, at most */

/* Rows [low, high) inside one grid: its y from y_low, before y_high. */
struct sdd_band {
    struct sdd_quarter quarter;
    int64_t low, high, inside; /* inside: row of point (0, 0), were it inside */
    int32_t m, y_low, y_high;
};

/* Floats [0, n) of the sums along y of four rows of floats. */
SDD_FN void sdd_band_floats(const float *w, float (*q)[3 * SDD_ADAPTIVE_SIDE + 8], int64_t from, int64_t n, float *to)
{
    int64_t f = 0;
#ifdef __FMA__ /* stores that leave the caches alone: what is written is more than they hold */
    const __m256 v[4] = {_mm256_set1_ps(w[0]), _mm256_set1_ps(w[1]), _mm256_set1_ps(w[2]), _mm256_set1_ps(w[3])};
    for (; f < n && ((uintptr_t)(to + f) & 31); f++)
        to[f] = sdd_tab_sum(w, q[0][from + f], q[1][from + f], q[2][from + f], q[3][from + f]);
    for (; f + 8 <= n; f += 8) {
        __m256 sum = _mm256_mul_ps(v[0], _mm256_loadu_ps(q[0] + from + f));
        for (int32_t b = 1; b < 4; b++)
            sum = _mm256_fmadd_ps(v[b], _mm256_loadu_ps(q[b] + from + f), sum);
        _mm256_stream_ps(to + f, sum);
    }
#endif
    for (; f < n; f++)
        to[f] = sdd_tab_sum(w, q[0][from + f], q[1][from + f], q[2][from + f], q[3][from + f]);
}

/* The points of a patch that are in the band. */
static inline void sdd_band_leaf(const struct adaptive_rows_args *a, const struct sdd_band *b,
                                 const struct sdd_leaf *leaf)
{
    const struct sdd_tab_basis *basis = sdd_leaf_basis(&a->from, leaf);
    struct sdd_sixteen s = sdd_leaf_points(&a->from, &b->quarter, leaf->patch);
    int32_t left = leaf->x0 > 0 ? leaf->x0 : 1, right = leaf->x0 + leaf->side, top = leaf->y0 + leaf->side;
    float q[4][3 * SDD_ADAPTIVE_SIDE + 8];
    right = right < b->m ? right : b->m;
    top = top < b->y_high ? top : b->y_high;
    for (int32_t row = 0; row < 4; row++)
        for (int32_t x = left; x < right; x++) {
            struct sdd_vec3 sum = sdd_basis_sum(basis[x - leaf->x0].s, s.p[4 * row], s.p[4 * row + 1], s.p[4 * row + 2],
                                                s.p[4 * row + 3]);
            memcpy(q[row] + 3 * (x - left), &sum, sizeof(float) * 4); /* the next point goes over the fourth */
        }
    for (int32_t y = leaf->y0 > b->y_low ? leaf->y0 : b->y_low; y < top; y++) {
        int64_t at = b->inside + (int64_t)(y - 1) * (b->m - 1), low = at + left, high = at + right;
        low = low > b->low ? low : b->low;
        high = high < b->high ? high : b->high;
        if (low < high)
            sdd_band_floats(basis[y - leaf->y0].s, q, 3 * (low - at - left), 3 * (high - low),
                            a->to + 3 * (low - a->first));
    }
}

/* Cell (x, y) of level l of the band's grid. */
static inline void sdd_band_cell(const struct adaptive_rows_args *a, const struct sdd_band *b, int32_t l, int32_t x,
                                 int32_t y)
{
    int32_t side = 1 << (a->from.last - l), x0 = x * side, y0 = y * side;
    if (y0 + side <= b->y_low || y0 >= b->y_high)
        return;
    struct sdd_leaf leaf =
        sdd_leaf_of(sdd_patch_at(a->from.level + l, l, sdd_quarter_cell(&b->quarter, l, x, y)), x0, y0, side);
    if (leaf.patch != SDD_NONE) {
        sdd_band_leaf(a, b, &leaf);
    } else if (l < a->from.last) {
        for (int32_t k = 0; k < 4; k++)
            sdd_band_cell(a, b, l + 1, 2 * x + (k & 1), 2 * y + (k >> 1));
    } else if (x > 0 && y > 0) {
        int64_t row = b->inside + (int64_t)(y - 1) * (b->m - 1) + x;
        if (row >= b->low && row < b->high)
            sdd_put_vec3(a->to, (uint32_t)(row - a->first), sdd_left_point(&a->from, b->quarter.corner, x, y));
    }
}

/* Rows [low, high) inside grids. */
static inline void sdd_adaptive_bands(const struct adaptive_rows_args *a, int64_t low, int64_t high)
{
    struct sdd_grid g = sdd_grid_of(&a->from.mesh, a->from.last);
    int64_t along = (1 << (a->from.last - 1)) - 1, first = sdd_grid_inside(&g, 0, 1, 1);
    struct sdd_band b;
    b.m = (int32_t)along + 1;
    while (low < high) {
        int64_t c = (low - first) / (along * along), begin = first + c * along * along, end = begin + along * along;
        b.quarter = sdd_quarter_of(&a->from.mesh, (uint32_t)c);
        b.inside = begin - 1;
        b.low = low;
        b.high = high < end ? high : end;
        b.y_low = (int32_t)((b.low - begin) / along) + 1;
        b.y_high = (int32_t)((b.high - 1 - begin) / along) + 2;
        uint32_t whole = sdd_whole_face(&a->from, &b.quarter);
        if (whole != SDD_NONE) {
            struct sdd_leaf leaf = sdd_leaf_of(whole, 0, 0, 2 * b.m);
            sdd_band_leaf(a, &b, &leaf);
        } else {
            sdd_band_cell(a, &b, 1, 0, 0);
        }
        low = b.high;
    }
}

SDD_FN void k_adaptive_rows(int64_t i, const struct adaptive_rows_args *a)
{
    const struct sdd_control *m = &a->from.mesh;
    int64_t along = ((int64_t)1 << (a->from.last - 1)) - 1, low = a->first + i * a->each, high = low + a->each;
    int64_t inside =
        (int64_t)m->n_vertices + m->n_faces + m->n_edges + (2 * (int64_t)m->n_edges + m->n_corners) * along;
    high = high < a->first + a->n ? high : a->first + a->n;
    for (; low < high && low < inside; low++)
        sdd_put_vec3(a->to, (uint32_t)(low - a->first), sdd_adaptive_point(&a->from, (uint32_t)low));
    sdd_adaptive_bands(a, low, high);
#ifdef __FMA__
    _mm_sfence();
#endif
}
#endif
#endif
