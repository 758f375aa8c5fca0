/* SPDX-License-Identifier: Apache-2.0 */
/* tab_other.h: the points of pieces that are not bicubic: a product with the table of their class: sums over eight
 * columns at a time in their order, from 0, rounded once a term, which are then added. */
#ifndef SDD_TAB_OTHER_H
#define SDD_TAB_OTHER_H
#include "gpu/kernels/tab_pieces.h"

SDD_FN struct sdd_frame sdd_tab_frame(const struct tab_points_args *a, uint32_t c)
{
    struct sdd_frame f = sdd_frame_inside(&a->grid, c);
    sdd_frame_sides(&f, &a->grid, c);
    return f;
}

/* Which points of which run a chunk is: [first, first + SDD_TAB_CHUNK) of the pieces' closed grids. */
struct sdd_tab_chunk {
    int64_t run;
    int32_t first;
};

SDD_FN int64_t sdd_tab_chunks(int32_t level)
{
    int32_t side = (1 << (level - 1)) + 1;
    return (side * side + SDD_TAB_CHUNK - 1) / SDD_TAB_CHUNK;
}

SDD_FN struct sdd_tab_chunk sdd_tab_chunk_of(const struct tab_points_args *a, int64_t i)
{
    int64_t chunks = sdd_tab_chunks(a->grid.level);
    struct sdd_tab_chunk c;
    c.run = i / chunks;
    c.first = (int32_t)(i - c.run * chunks) * SDD_TAB_CHUNK;
    return c;
}

#ifndef __CUDACC__
#define SDD_TAB_SUMS (SDD_TAB_CHUNK + 8) /* some that a vector writes too */
/* Sums of points [first, first + n) of a piece, weights[.][points] from the first: in registers, eight at a time. */
static inline void sdd_tab_other_sums(const float *weights, int32_t points, const struct sdd_vec3 *p, int32_t n_columns,
                                      int32_t n, float (*sum)[SDD_TAB_SUMS])
{
    int32_t r = 0;
#ifdef __FMA__
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (; r < n; r += 8) {
        const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32(n - r), lanes);
        __m256 x = _mm256_setzero_ps(), y = x, z = x;
        for (int32_t first = 0; first < n_columns; first += SDD_TAB_TERMS) {
            int32_t end = n_columns - first < SDD_TAB_TERMS ? n_columns : first + SDD_TAB_TERMS;
            __m256 px = _mm256_setzero_ps(), py = px, pz = px;
            for (int32_t i = first; i < end; i++) {
                __m256 w = _mm256_maskload_ps(weights + (int64_t)i * points + r, there);
                px = _mm256_fmadd_ps(w, _mm256_set1_ps(p[i].x), px);
                py = _mm256_fmadd_ps(w, _mm256_set1_ps(p[i].y), py);
                pz = _mm256_fmadd_ps(w, _mm256_set1_ps(p[i].z), pz);
            }
            x = _mm256_add_ps(x, px);
            y = _mm256_add_ps(y, py);
            z = _mm256_add_ps(z, pz);
        }
        _mm256_storeu_ps(sum[0] + r, x);
        _mm256_storeu_ps(sum[1] + r, y);
        _mm256_storeu_ps(sum[2] + r, z);
    }
#endif
    for (; r < n; r++) {
        struct sdd_vec3 all = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        for (int32_t first = 0; first < n_columns; first += SDD_TAB_TERMS) {
            int32_t end = n_columns - first < SDD_TAB_TERMS ? n_columns : first + SDD_TAB_TERMS;
            struct sdd_vec3 part = sdd_vec3_of(0.0f, 0.0f, 0.0f);
            for (int32_t i = first; i < end; i++)
                part = sdd_fma(weights[(int64_t)i * points + r], p[i], part);
            all = sdd_add(all, part);
        }
        sum[0][r] = all.x;
        sum[1][r] = all.y;
        sum[2][r] = all.z;
    }
}

/* Points [first, first + n) of piece j. */
SDD_FN void sdd_tab_other_points(const struct tab_points_args *a, const struct sdd_tab_table *k, int64_t j,
                                 int32_t first, int32_t n)
{
    const struct sdd_frame frame = sdd_tab_frame(a, a->other[j]);
    const uint32_t *column = a->column + k->column + (j - k->first) * k->n_columns, owns = a->owns[j];
    int32_t m = frame.m, side = m + 1, width = a->width.n;
    struct sdd_vec3 p[SDD_TAB_COLUMNS];
    float sum[3][SDD_TAB_SUMS];
    for (int32_t i = 0; i < k->n_columns; i++)
        p[i] = sdd_tab_load(a->from, column[i], a->width.n);
    sdd_tab_other_sums(a->table + k->table * side * side + first, side * side, p, k->n_columns, n, sum);
    for (int32_t r = 0; r < n; r++) {
        int32_t x = (first + r) % side, y = (first + r) / side;
        if (x > 0 && x < m && y > 0 && y < m) { /* the rest of the row at once */
            int32_t some = m - x < n - r ? m - x : n - r;
            float *to = a->to + (size_t)a->width.stride * sdd_frame_inner(&frame, x, y);
            for (int32_t i = 0; i < some; i++)
                for (int32_t c = 0; c < width; c++)
                    to[a->width.stride * i + c] = sum[c][r + i];
            r += some - 1;
        } else if (sdd_tab_makes(owns, m, x, y)) {
            sdd_row_put(a->to, sdd_frame_row(&frame, x, y), a->width, sdd_vec3_of(sum[0][r], sum[1][r], sum[2][r]));
        }
    }
}

/* The points of a chunk. */
SDD_FN void sdd_tab_other_chunk(const struct tab_points_args *a, int64_t i)
{
    struct sdd_tab_chunk chunk = sdd_tab_chunk_of(a, i);
    struct sdd_tab_run run = a->runs[chunk.run];
    const struct sdd_tab_table *k = a->tables + (run.class_n >> 4);
    int32_t side = (1 << (a->grid.level - 1)) + 1, left = side * side - chunk.first;
    for (uint32_t j = run.first; j < run.first + (run.class_n & 15); j++)
        sdd_tab_other_points(a, k, j, chunk.first, left < SDD_TAB_CHUNK ? left : SDD_TAB_CHUNK);
}
#endif
#endif
