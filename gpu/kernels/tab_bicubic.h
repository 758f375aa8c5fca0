/* SPDX-License-Identifier: Apache-2.0 */
/* tab_bicubic.h: the points of bicubic pieces: a product of two tables of one variable. Along x first, from the lowest
 * point, then along y; rounded once a term. */
#ifndef SDD_TAB_BICUBIC_H
#define SDD_TAB_BICUBIC_H
#include "gpu/kernels/tab_pieces.h"

/* Where the points (x, 0 .. m) of a piece go: the first, the last, and those between, `step` rows apart;
 * SDD_NONE: it does not make them. */
struct sdd_tab_column {
    uint32_t first, last, at;
    int32_t step;
};

/* v, edge, next, face: rows of the piece's vertex, the edge point after it, the next vertex and the face point; x in
 * [0, m]. */
SDD_FN struct sdd_tab_column sdd_tab_column_at(const struct sdd_grid *g, uint32_t c, uint32_t owns, uint32_t v,
                                               uint32_t edge, uint32_t next, uint32_t face, int32_t x)
{
    int32_t m = 1 << (g->level - 1);
    uint32_t along = (uint32_t)(m - 1), edges = g->n_vertices + g->n_faces, lines = edges + g->n_edges - 1;
    struct sdd_tab_column to;
    to.first = to.last = to.at = SDD_NONE;
    to.step = 0;
    if (x == 0) {
        to.first = owns & SDD_TAB_VERTEX ? v : SDD_NONE;
    } else if (x == m) {
        to.first = owns & SDD_TAB_EDGE ? edge : SDD_NONE;
        to.last = owns & SDD_TAB_FACE ? face : SDD_NONE;
        to.at = lines + (2 * g->n_edges + c) * along + (uint32_t)m;
        to.step = -1;
    } else {
        to.first = lines + (2 * (edge - edges) + (v > next)) * along + (uint32_t)x;
        to.at = sdd_grid_inside(g, c, x, 0);
        to.step = (int32_t)along;
    }
    return to;
}

#ifndef __CUDACC__
#define SDD_TAB_TILE                                                                                                   \
    (4096 + 3 * (SDD_TAB_SIDE - 1) * (SDD_TAB_SIDE - 1)) /* floats, and some that a vector writes too */
#define SDD_TAB_ROW (3 * (SDD_TAB_SIDE + 1) + 8)

/* Points inside pieces, as long as they follow each other. */
struct sdd_tab_tile {
    float *to;
    int32_t n;
    float at[SDD_TAB_TILE + 8];
};

/* Stores that leave the caches alone: what is written is more than they hold. */
SDD_FN void sdd_tab_flush(struct sdd_tab_tile *t)
{
    int32_t i = 0;
#ifdef __FMA__
    for (; i < t->n && ((uintptr_t)(t->to + i) & 31); i++)
        t->to[i] = t->at[i];
    for (; i + 8 <= t->n; i += 8)
        _mm256_stream_ps(t->to + i, _mm256_loadu_ps(t->at + i));
#endif
    for (; i < t->n; i++)
        t->to[i] = t->at[i];
    t->n = 0;
}

/* The sums along x of the four rows of points: q[b][n x + component]. */
SDD_FN void sdd_tab_rows(const struct tab_points_args *a, const uint32_t *column, int32_t m, float (*q)[SDD_TAB_ROW])
{
    struct sdd_width w = a->width;
    for (int32_t b = 0; b < 4; b++) {
        struct sdd_vec3 p[4];
        for (int32_t k = 0; k < 4; k++)
            p[k] = sdd_tab_load(a->from, column[4 * b + k], w.n);
        for (int32_t x = 0; x <= m; x++) {
            const float *s = a->basis[x].s;
            struct sdd_vec3 sum = sdd_fma(s[3], p[3], sdd_fma(s[2], p[2], sdd_fma(s[1], p[1], sdd_scale(s[0], p[0]))));
            memcpy(q[b] + w.n * x, &sum, sizeof(float) * 4); /* the next point goes over the fourth */
        }
        memset(q[b] + w.n * (m + 1), 0, sizeof(float) * 8); /* what a vector reads too */
    }
}

/* Floats [first, first + n) of row y, and up to seven more. */
SDD_FN void sdd_tab_row(const struct tab_points_args *a, float (*q)[SDD_TAB_ROW], int32_t y, int32_t first, int32_t n,
                        float *to)
{
    const float *s = a->basis[y].s;
#ifdef __FMA__ /* by itself gcc takes the floats apart */
    const __m256 w[4] = {_mm256_set1_ps(s[0]), _mm256_set1_ps(s[1]), _mm256_set1_ps(s[2]), _mm256_set1_ps(s[3])};
    for (int32_t f = 0; f < n; f += 8) {
        __m256 sum = _mm256_mul_ps(w[0], _mm256_loadu_ps(q[0] + first + f));
        for (int32_t b = 1; b < 4; b++)
            sum = _mm256_fmadd_ps(w[b], _mm256_loadu_ps(q[b] + first + f), sum);
        _mm256_storeu_ps(to + f, sum);
    }
#else
    for (int32_t k = first; k < first + (n + 7) / 8 * 8; k++)
        to[k - first] = sdd_tab_sum(s, q[0][k], q[1][k], q[2][k], q[3][k]);
#endif
}

SDD_FN void sdd_tab_put(const struct tab_points_args *a, uint32_t row, const float *p)
{
    struct sdd_width w = a->width;
    if (row != SDD_NONE)
        sdd_row_put(a->to, row, w, sdd_vec3_of(p[0], w.n > 1 ? p[1] : 0.0f, w.n > 2 ? p[2] : 0.0f));
}

SDD_FN void sdd_tab_piece(const struct tab_points_args *a, int64_t i, struct sdd_tab_tile *tile)
{
    const uint32_t *column = a->regular_column + SDD_TAB_REGULAR * i;
    int32_t n = a->width.n, m = 1 << (a->grid.level - 1), row = n * (m - 1);
    uint32_t c = a->regular[i], owns = a->regular_owns[i];
    float q[4][SDD_TAB_ROW], line[SDD_TAB_ROW];
    sdd_tab_rows(a, column, m, q);
    sdd_tab_row(a, q, 0, 0, n * (m + 1), line);
    for (int32_t x = 0; x <= m; x++)
        sdd_tab_put(a, sdd_tab_column_at(&a->grid, c, owns, column[5], column[6], column[7], column[10], x).first,
                    line + n * x);
    struct sdd_tab_column side = sdd_tab_column_at(&a->grid, c, owns, column[5], column[6], column[7], column[10], m);
    for (int32_t y = 1; y <= m; y++) {
        sdd_tab_row(a, q, y, n * m, n, line);
        sdd_tab_put(a, y < m ? side.at + (uint32_t)(y * side.step) : side.last, line);
    }
    if (n != a->width.stride) { /* rows with other components between */
        for (int32_t y = 1; y < m; y++) {
            sdd_tab_row(a, q, y, n, row, line);
            for (int32_t x = 1; x < m; x++)
                sdd_tab_put(a, sdd_grid_inside(&a->grid, c, x, y), line + n * (x - 1));
        }
        return;
    }
    float *to = a->to + (size_t)n * sdd_grid_inside(&a->grid, c, 1, 1);
    if (tile->n && (tile->to + tile->n != to || tile->n > 4096))
        sdd_tab_flush(tile);
    if (tile->n == 0)
        tile->to = to;
    for (int32_t y = 1; y < m; y++)
        sdd_tab_row(a, q, y, n, row, tile->at + tile->n + (y - 1) * row);
    tile->n += row * (m - 1);
}

/* The pieces of an item. */
SDD_FN void sdd_tab_bicubic_group(const struct tab_points_args *a, int64_t group)
{
    struct sdd_tab_tile tile;
    tile.n = 0;
    int64_t n = SDD_TAB_GROUP * a->each, last = (group + 1) * n < a->n_regular ? (group + 1) * n : a->n_regular;
    for (int64_t k = group * n; k < last; k++)
        sdd_tab_piece(a, k, &tile);
    if (tile.n)
        sdd_tab_flush(&tile);
#ifdef __FMA__
    _mm_sfence();
#endif
}
#endif
#endif
