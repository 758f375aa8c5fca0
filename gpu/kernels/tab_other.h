/* SPDX-License-Identifier: Apache-2.0 */
/* tab_other.h: the points of pieces that are not bicubic: a product with the table of their class: sums over eight
 * columns at a time in their order, from 0, rounded once a term, which are then added. */
#ifndef SDD_TAB_OTHER_H
#define SDD_TAB_OTHER_H
#include "gpu/kernels/row_bands.h"
#include "gpu/kernels/tab_sides.h"

SDD_FN struct sdd_frame sdd_tab_frame(const struct tab_points_args *a, uint32_t c)
{
    struct sdd_frame f = sdd_frame_inside(&a->grid, c);
    sdd_frame_sides(&f, &a->grid, c);
    return f;
}

SDD_FN int32_t sdd_tab_grid_points(int32_t level)
{
    int32_t side = (1 << (level - 1)) + 1;
    return side * side;
}

/* Which points of which run a chunk is: [first, first + SDD_TAB_CHUNK) of the pieces' closed grids. */
struct sdd_tab_chunk {
    int64_t run;
    int32_t first;
};

SDD_FN int64_t sdd_tab_chunks(int32_t level)
{
    return (sdd_tab_grid_points(level) + SDD_TAB_CHUNK - 1) / SDD_TAB_CHUNK;
}

SDD_FN struct sdd_tab_chunk sdd_tab_chunk_of(const struct tab_points_args *a, int64_t i)
{
    int64_t chunks = sdd_tab_chunks(a->grid.level);
    struct sdd_tab_chunk c;
    c.run = i / chunks;
    c.first = (int32_t)(i - c.run * chunks) * SDD_TAB_CHUNK;
    return c;
}

/* Threads of a GPU that a run takes, of SDD_TAB_THREADS of an item. */
SDD_FN int64_t sdd_tab_run_threads(const struct tab_points_args *a)
{
    return a->few ? SDD_TAB_TOGETHER * sdd_tab_grid_points(a->grid.level)
                  : SDD_TAB_THREADS * sdd_tab_chunks(a->grid.level);
}

#ifndef __CUDACC__
/* The sum of one point, weights[.][points] from its own. */
static inline struct sdd_vec3 sdd_tab_column_sum(const float *w, int64_t points, const struct sdd_vec3 *p, int32_t n)
{
    struct sdd_vec3 sum = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    for (int32_t first = 0; first < n; first += SDD_TAB_TERMS) {
        struct sdd_vec3 part = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        int32_t end = first + SDD_TAB_TERMS < n ? first + SDD_TAB_TERMS : n;
        for (int32_t j = first; j < end; j++)
            part = sdd_fma(w[j * points], p[j], part);
        sum = sdd_add(sum, part);
    }
    return sum;
}

/* Of eight points, component by component. */
struct sdd_tab_sums {
    float at[3][8];
};

/* Sums of the first n of eight points that follow each other, and of eight others; no more than these are read. */
static inline void sdd_tab_two_sums(const float *u, const float *v, int64_t points, int32_t n, const struct sdd_vec3 *p,
                                    int32_t n_columns, struct sdd_tab_sums sum[2])
{
#ifdef __FMA__
    if (n == 8) { /* in registers */
        __m256 all[6];
        for (int32_t k = 0; k < 6; k++)
            all[k] = _mm256_setzero_ps();
        for (int32_t first = 0; first < n_columns; first += SDD_TAB_TERMS) {
            int32_t end = n_columns - first < SDD_TAB_TERMS ? n_columns : first + SDD_TAB_TERMS;
            __m256 ux = _mm256_setzero_ps(), uy = ux, uz = ux, vx = ux, vy = ux, vz = ux;
            for (int32_t i = first; i < end; i++) {
                const __m256 wu = _mm256_loadu_ps(u + i * points), wv = _mm256_loadu_ps(v + i * points);
                const __m256 x = _mm256_set1_ps(p[i].x), y = _mm256_set1_ps(p[i].y), z = _mm256_set1_ps(p[i].z);
                ux = _mm256_fmadd_ps(wu, x, ux);
                uy = _mm256_fmadd_ps(wu, y, uy);
                uz = _mm256_fmadd_ps(wu, z, uz);
                vx = _mm256_fmadd_ps(wv, x, vx);
                vy = _mm256_fmadd_ps(wv, y, vy);
                vz = _mm256_fmadd_ps(wv, z, vz);
            }
            all[0] = _mm256_add_ps(all[0], ux);
            all[1] = _mm256_add_ps(all[1], uy);
            all[2] = _mm256_add_ps(all[2], uz);
            all[3] = _mm256_add_ps(all[3], vx);
            all[4] = _mm256_add_ps(all[4], vy);
            all[5] = _mm256_add_ps(all[5], vz);
        }
        for (int32_t k = 0; k < 6; k++)
            _mm256_storeu_ps(sum[k / 3].at[k % 3], all[k]);
        return;
    }
#endif
    for (int32_t k = 0; k < 2 * n; k++) {
        struct sdd_vec3 one = sdd_tab_column_sum((k < n ? u : v - n) + k, points, p, n_columns);
        float(*to)[8] = sum[k / n].at;
        to[0][k % n] = one.x;
        to[1][k % n] = one.y;
        to[2][k % n] = one.z;
    }
}

/* Rows of `width` components of n points. */
SDD_FN void sdd_tab_weave(const struct sdd_tab_sums *sum, int32_t n, int32_t width, float *to)
{
#ifdef __FMA__
    if (n == 8 && width == 3) {
        sdd_interleave(_mm256_loadu_ps(sum->at[0]), _mm256_loadu_ps(sum->at[1]), _mm256_loadu_ps(sum->at[2]), to);
        return;
    }
#endif
    for (int32_t i = 0; i < n; i++)
        for (int32_t c = 0; c < width; c++)
            to[width * i + c] = sum->at[c][i];
}

/* A piece, and where its points go. */
struct sdd_tab_other {
    const struct sdd_tab_table *table;
    struct sdd_frame frame;
    struct sdd_tab_sides to;
    const uint32_t *column;
    uint32_t owns;
};

SDD_FN struct sdd_tab_other sdd_tab_other_of(const struct tab_points_args *a, const struct sdd_tab_table *k, int64_t j)
{
    struct sdd_tab_other o;
    o.table = k;
    o.frame = sdd_tab_frame(a, a->other[j]);
    o.column = a->column + k->column + (j - k->first) * k->n_columns;
    o.owns = a->owns[j];
    o.to.vertex = o.frame.v00;
    o.to.edge = o.frame.vm0;
    o.to.face = o.frame.vmm;
    o.to.bottom = o.frame.bottom + 1;
    o.to.spoke = o.frame.right - o.frame.along;
    o.to.inside = sdd_frame_inner(&o.frame, 1, 1);
    return o;
}

/* Points at x = 1 .. m of rows 0 .. m - 1, eight or a row of less at a time. */
SDD_FN void sdd_tab_other_rows(const struct sdd_tab_other *o, struct sdd_width w, const struct sdd_vec3 *p,
                               const float *weights, struct sdd_tab_made *made)
{
    int32_t m = o->frame.m, side = m + 1, width = w.n, n = m < 8 ? m : 8, in_row = m / n, last = in_row * m;
    for (int32_t k = 0; k < last; k += 2) {
        struct sdd_tab_sums sum[2];
        const float *at[2];
        for (int32_t i = 0; i < 2; i++) { /* of a grid of one cell there is but one row */
            int32_t j = k + i < last ? k + i : k;
            at[i] = weights + j / in_row * side + j % in_row * n + 1;
        }
        sdd_tab_two_sums(at[0], at[1], (int64_t)side * side, n, p, o->table->n_columns, sum);
        for (int32_t i = 0; i < 2 && k + i < last; i++) {
            int32_t y = (k + i) / in_row, x = (k + i) % in_row * n;
            float *row = y ? made->inside + (y - 1) * width * (m - 1) : made->bottom;
            sdd_tab_weave(sum + i, n, width, row + width * x);
            for (int32_t c = 0; c < 3; c++)
                made->right[y][c] = sum[i].at[c][n - 1]; /* the last of them stays */
        }
    }
}

SDD_FN void sdd_tab_other_piece(const struct tab_points_args *a, struct sdd_width w, const struct sdd_tab_other *o,
                                struct sdd_tab_streams *s)
{
    int32_t m = o->frame.m, side = m + 1, points = side * side, n = o->table->n_columns;
    const float *weights = a->table + o->table->table * points;
    struct sdd_vec3 p[SDD_TAB_COLUMNS];
    struct sdd_tab_made made;
    for (int32_t i = 0; i < n; i++)
        p[i] = sdd_tab_load(a->from, o->column[i], w.n);
    made.inside = sdd_tab_inside(a, w, &o->to, s);
    sdd_tab_other_rows(o, w, p, weights, &made);
    if (o->owns & SDD_TAB_VERTEX)
        sdd_row_out(a->to, &a->as, o->to.vertex, w, sdd_tab_column_sum(weights, points, p, n));
    if (o->owns & SDD_TAB_FACE) {
        struct sdd_vec3 face = sdd_tab_column_sum(weights + points - 1, points, p, n);
        memcpy(made.right[m], &face, sizeof(float) * 3);
    }
    for (int32_t y = 1; y < m && o->owns & SDD_TAB_LEFT; y++)
        sdd_row_out(a->to, &a->as, o->frame.left + (uint32_t)y, w,
                    sdd_tab_column_sum(weights + y * side, points, p, n));
    sdd_tab_put_made(a, w, o->owns, &o->to, &made, 0, s);
}

SDD_FN void sdd_tab_other_run(const struct tab_points_args *a, struct sdd_width w, struct sdd_tab_run run,
                              struct sdd_tab_streams *s)
{
    struct sdd_tab_other piece[SDD_TAB_TOGETHER];
    uint32_t n = run.class_n & 15;
    for (uint32_t k = 0; k < n; k++) {
        piece[k] = sdd_tab_other_of(a, a->tables + (run.class_n >> 4), run.first + k);
        sdd_tab_soon(a, w, piece[k].to.bottom);
    }
    for (uint32_t k = 0; k < n; k++)
        sdd_tab_other_piece(a, w, piece + k, s);
}

/* The points of an item. A CPU, which has no use for so many items, makes whole runs where they begin. */
SDD_FN void sdd_tab_other_item(const struct tab_points_args *a, struct sdd_width w, int64_t i)
{
    int64_t threads = sdd_tab_run_threads(a), first = (i * SDD_TAB_THREADS + threads - 1) / threads;
    int64_t end = ((i + 1) * SDD_TAB_THREADS + threads - 1) / threads;
    struct sdd_tab_streams s;
    end = end < a->n_runs ? end : a->n_runs;
    if (first >= end)
        return;
    sdd_tab_open_all(&s, a, w.n);
    for (int64_t k = first; k < end; k++)
        sdd_tab_other_run(a, w, a->runs[k], &s);
    sdd_tab_close_all(&s);
}
#endif
#endif
