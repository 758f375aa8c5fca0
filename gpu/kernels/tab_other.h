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
/* Points [first, first + n) of piece j. */
SDD_FN void sdd_tab_other_points(const struct tab_points_args *a, const struct sdd_tab_table *k, int64_t j,
                                 int32_t first, int32_t n)
{
    const struct sdd_frame frame = sdd_tab_frame(a, a->other[j]);
    const uint32_t *column = a->column + k->column + (j - k->first) * k->n_columns;
    int32_t side = frame.m + 1;
    const float *weights = a->table + k->table * side * side + first;
    float sum[3][SDD_TAB_CHUNK] = {{0}};
    for (int32_t first_column = 0; first_column < k->n_columns; first_column += SDD_TAB_TERMS) {
        float part[3][SDD_TAB_CHUNK] = {{0}};
        int32_t left = k->n_columns - first_column, end = first_column + (left < SDD_TAB_TERMS ? left : SDD_TAB_TERMS);
        for (int32_t i = first_column; i < end; i++) {
            struct sdd_vec3 p = sdd_row_load(a->from, column[i], a->width);
            const float *w = weights + (int64_t)i * side * side;
            for (int32_t r = 0; r < n; r++) {
                part[0][r] = fmaf(w[r], p.x, part[0][r]);
                part[1][r] = fmaf(w[r], p.y, part[1][r]);
                part[2][r] = fmaf(w[r], p.z, part[2][r]);
            }
        }
        for (int32_t c = 0; c < 3; c++)
            for (int32_t r = 0; r < n; r++)
                sum[c][r] += part[c][r];
    }
    for (int32_t r = 0; r < n; r++) {
        int32_t x = (first + r) % side, y = (first + r) / side;
        if (sdd_tab_makes(a->owns[j], frame.m, x, y))
            sdd_row_put(a->to, sdd_frame_row(&frame, x, y), a->width, sdd_vec3_of(sum[0][r], sum[1][r], sum[2][r]));
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
