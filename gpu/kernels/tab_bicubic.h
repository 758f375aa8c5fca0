/* SPDX-License-Identifier: Apache-2.0 */
/* tab_bicubic.h: the points of bicubic pieces: a product of two tables of one variable. Along x first, from the lowest
 * point, then along y; rounded once a term. */
#ifndef SDD_TAB_BICUBIC_H
#define SDD_TAB_BICUBIC_H
#include "gpu/kernels/row_bands.h"
#include "gpu/kernels/tab_sides.h"

/* Where the points (x, 0 .. m) of a piece go: the first, the last, and those between, `step` rows apart;
 * SDD_NONE: it does not make them. */
struct sdd_tab_column {
    uint32_t first, last, at;
    int32_t step;
};

/* v: the row of the piece's vertex; x in [0, m]. */
SDD_FN struct sdd_tab_column sdd_tab_column_at(const struct sdd_grid *g, const struct sdd_tab_regular *r, uint32_t v,
                                               int32_t x)
{
    int32_t m = 1 << (g->level - 1);
    uint32_t along = (uint32_t)(m - 1), edges = g->n_vertices + g->n_faces, lines = edges + g->n_edges - 1;
    struct sdd_tab_column to;
    to.first = to.last = to.at = SDD_NONE;
    to.step = 0;
    if (x == 0) {
        to.first = r->owns & SDD_TAB_VERTEX ? v : SDD_NONE;
    } else if (x == m) {
        to.first = r->owns & SDD_TAB_EDGE ? r->edge : SDD_NONE;
        to.last = r->owns & SDD_TAB_FACE ? r->face : SDD_NONE;
        to.at = lines + (2 * g->n_edges + r->corner) * along + (uint32_t)m;
        to.step = -1;
    } else {
        uint32_t half = 2 * (r->edge - edges) + ((r->owns & SDD_TAB_TURNED) != 0);
        to.first = lines + half * along + (uint32_t)x;
        to.at = sdd_grid_inside(g, r->corner, x, 0);
        to.step = (int32_t)along;
    }
    return to;
}

/* Pieces [first, end). */
struct sdd_tab_some {
    int64_t first, end;
};

/* Group i of bicubic pieces, of n at most: those of whole quads first, none with others. */
SDD_FN struct sdd_tab_some sdd_tab_some_of(const struct tab_points_args *a, int64_t i, int32_t n)
{
    uint32_t of_whole = (uint32_t)a->n_whole, each = (uint32_t)n; /* the shorter division */
    int64_t whole = of_whole / each + (of_whole % each > 0), end = i < whole ? a->n_whole : a->n_regular;
    struct sdd_tab_some s;
    s.first = i < whole ? i * n : a->n_whole + (i - whole) * n;
    s.end = s.first + n < end ? s.first + n : end;
    return s;
}

#ifndef __CUDACC__
#define SDD_TAB_SOON 4 /* pieces on */

/* Pieces of one kind: where their points are, their table, and along x the weights of each float of a row. */
struct sdd_tab_along {
    const float *from;
    struct sdd_width width;
    const struct sdd_tab_basis *basis;
    float w[4][SDD_TAB_FLOATS] __attribute__((aligned(32)));
};

/* The n components of a point again and again, as rows of the last level have them: eight floats that begin with the
 * first, those after, .. */
SDD_FN void sdd_tab_repeat(const float *point, int32_t n, float (*to)[8])
{
#ifdef __FMA__
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i three[3] = {_mm256_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1), _mm256_setr_epi32(2, 0, 1, 2, 0, 1, 2, 0),
                              _mm256_setr_epi32(1, 2, 0, 1, 2, 0, 1, 2)};
    const __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm256_castsi256_si128(lane));
    const __m256 p = _mm256_castps128_ps256(_mm_maskload_ps(point, there));
    for (int32_t r = 0; r < 3; r++) {
        const __m256i from = n == 3 ? three[r] : _mm256_and_si256(lane, _mm256_set1_epi32(n - 1));
        _mm256_store_ps(to[r], _mm256_permutevar8x32_ps(p, from));
    }
#else
    for (int32_t f = 0; f < 24; f++)
        to[f / 8][f % 8] = point[f % n];
#endif
}

/* Floats [8 v, 8 v + 8) of rows 0 .. last: the first to `bottom`, the others `pitch` floats apart. */
SDD_FN void sdd_tab_eight(const struct sdd_tab_along *along, const float (*p)[3][8], int32_t v, int32_t last,
                          float *bottom, float *to, int32_t pitch)
{
    int32_t turn = v % 3, first = 8 * v;
#ifdef __FMA__ /* by itself gcc takes the floats apart */
    __m256 q[4];
    for (int32_t b = 0; b < 4; b++) {
        q[b] = _mm256_mul_ps(_mm256_load_ps(along->w[0] + first), _mm256_load_ps(p[4 * b][turn]));
        for (int32_t k = 1; k < 4; k++)
            q[b] = _mm256_fmadd_ps(_mm256_load_ps(along->w[k] + first), _mm256_load_ps(p[4 * b + k][turn]), q[b]);
    }
    for (int32_t y = 0; y <= last; y++) {
        const float *w = along->basis[y].s;
        __m256 sum = _mm256_mul_ps(_mm256_broadcast_ss(w), q[0]);
        for (int32_t b = 1; b < 4; b++)
            sum = _mm256_fmadd_ps(_mm256_broadcast_ss(w + b), q[b], sum);
        _mm256_storeu_ps(bottom, sum);
        bottom = y ? bottom + pitch : to;
    }
#else
    for (int32_t f = 0; f < 8; f++) {
        float q[4];
        for (int32_t b = 0; b < 4; b++) {
            const float w[4] = {along->w[0][first + f], along->w[1][first + f], along->w[2][first + f],
                                along->w[3][first + f]};
            q[b] =
                sdd_tab_sum(w, p[4 * b][turn][f], p[4 * b + 1][turn][f], p[4 * b + 2][turn][f], p[4 * b + 3][turn][f]);
        }
        for (int32_t y = 0; y <= last; y++)
            (y ? to + (y - 1) * pitch : bottom)[f] = sdd_tab_sum(along->basis[y].s, q[0], q[1], q[2], q[3]);
    }
#endif
}

/* The point at (0, 0). */
SDD_FN struct sdd_vec3 sdd_tab_first_point(const float *w, const float (*p)[3][8])
{
    struct sdd_vec3 q[4];
    for (int32_t b = 0; b < 4; b++) {
        struct sdd_vec3 at[4];
        for (int32_t k = 0; k < 4; k++)
            at[k] = sdd_vec3_of(p[4 * b + k][0][0], p[4 * b + k][0][1], p[4 * b + k][0][2]);
        q[b] = sdd_basis_sum(w, at[0], at[1], at[2], at[3]);
    }
    return sdd_basis_sum(w, q[0], q[1], q[2], q[3]);
}

/* Of piece i. */
SDD_FN struct sdd_tab_column sdd_tab_column_of(const struct tab_points_args *a, int64_t i, int32_t x)
{
    return sdd_tab_column_at(&a->grid, a->regular + i, a->regular_column[SDD_TAB_REGULAR * i + 5], x);
}

SDD_FN void sdd_tab_piece(const struct tab_points_args *a, struct sdd_width w, const struct sdd_tab_along *along,
                          int64_t i, struct sdd_tab_streams *s)
{
    const uint32_t *column = a->regular_column + SDD_TAB_REGULAR * i;
    int32_t n = w.n, m = 1 << (a->grid.level - 1), row = n * (m - 1), last = (n * m - 1) / 8;
    uint32_t owns = a->regular[i].owns;
    struct sdd_tab_column side = sdd_tab_column_of(a, i, m);
    struct sdd_tab_sides to = {column[5],
                               side.first,
                               side.last,
                               sdd_tab_column_of(a, i, 1).first,
                               side.at - (uint32_t)(m - 1),
                               sdd_grid_inside(&a->grid, a->regular[i].corner, 1, 1)};
    float p[SDD_TAB_REGULAR][3][8] __attribute__((aligned(32)));
    struct sdd_tab_made made;
    made.inside = sdd_tab_inside(a, w, &to, s);
    for (int32_t k = 0; k < SDD_TAB_REGULAR; k++)
        sdd_tab_repeat(along->from + (size_t)along->width.stride * column[k], n, p[k]);
    sdd_tab_eight(along, p, last, m, made.right[0], made.right[1], 8);
    memcpy(made.bottom + 8 * last, made.right[0], sizeof made.right[0]);
    /* a row's last vector hangs over into the next row, whose own first one comes after it */
    for (int32_t y = 1; y < m; y++)
        memcpy(made.inside + (y - 1) * row + 8 * last, made.right[y], sizeof made.right[y]);
    for (int32_t v = last - 1; v >= 0; v--)
        sdd_tab_eight(along, p, v, m - 1, made.bottom + 8 * v, made.inside + 8 * v, row);
    if (owns & SDD_TAB_VERTEX)
        sdd_row_out(a->to, &a->as, to.vertex, w, sdd_tab_first_point(along->basis[0].s, p));
    sdd_tab_put_made(a, w, owns, &to, &made, row % 8, s);
}

/* The pieces of an item. */
SDD_FN void sdd_tab_bicubic_group(const struct tab_points_args *a, struct sdd_width w, int64_t group)
{
    struct sdd_tab_along along;
    struct sdd_tab_streams s;
    int32_t side = 1 << (a->grid.level - 1);
    struct sdd_tab_some some = sdd_tab_some_of(a, group, SDD_TAB_GROUP * a->each);
    int whole = some.first < a->n_whole;
    sdd_tab_open_all(&s, a, w.n);
    memset(&along, 0, sizeof along);
    along.from = whole ? a->control : a->from;
    along.width = whole ? w : sdd_tab_width(w.n);
    along.basis = sdd_tab_basis_of(a, a->basis, some.first);
    for (int32_t x = 0; x < side; x++)
        for (int32_t c = 0; c < w.n; c++)
            for (int32_t k = 0; k < 4; k++)
                along.w[k][w.n * x + c] = along.basis[x + 1].s[k];
    for (int64_t k = some.first; k < some.end; k++) {
        int64_t soon = k + SDD_TAB_SOON < some.end ? k + SDD_TAB_SOON : k;
        sdd_tab_soon(a, w, sdd_tab_column_of(a, soon, 1).first);
        sdd_tab_piece(a, w, &along, k, &s);
    }
    sdd_tab_close_all(&s);
}
#endif
#endif
