/* SPDX-License-Identifier: Apache-2.0 */
/* tab_dense: the points of pieces that are not bicubic: a product with the table of their class.
 * Shapes  runs[n], table by class, columns, from[..] rows of level 1 -> rows of `to` that the pieces make
 * Shape   item, SDD_TAB_CHUNK points of each of a run of pieces of a class, n = runs x sdd_tab_chunks
 * Cost    a multiply-add a column and float; the table once a run
 * Result  the sum over the columns in their order, from 0, rounded once a term
 * Threads any queue */
#ifndef SDD_K_TAB_DENSE_H
#define SDD_K_TAB_DENSE_H
#include "gpu/kernels/tab_pieces.h"

struct tab_dense_args {
    struct sdd_tab_target target;
    const struct sdd_tab_run *run;
    const struct sdd_tab_table *tables;
    const float *table;
    const uint32_t *piece, *owns, *column;
};

SDD_FN struct sdd_frame sdd_tab_frame(const struct sdd_tab_target *t, uint32_t c)
{
    struct sdd_frame f = sdd_frame_inside(&t->grid, c);
    sdd_frame_sides(&f, &t->grid, c);
    return f;
}

/* Which points of which run an item makes: [first, first + SDD_TAB_CHUNK) of the pieces' closed grids. */
struct sdd_tab_chunk {
    int64_t run;
    int32_t first;
};

SDD_FN int64_t sdd_tab_chunks(int32_t level)
{
    int32_t side = (1 << (level - 1)) + 1;
    return (side * side + SDD_TAB_CHUNK - 1) / SDD_TAB_CHUNK;
}

SDD_FN struct sdd_tab_chunk sdd_tab_chunk_of(const struct tab_dense_args *a, int64_t i)
{
    int64_t chunks = sdd_tab_chunks(a->target.grid.level);
    struct sdd_tab_chunk c;
    c.run = i / chunks;
    c.first = (int32_t)(i - c.run * chunks) * SDD_TAB_CHUNK;
    return c;
}

#ifndef __CUDACC__
/* Points [first, first + n) of piece j. */
SDD_FN void sdd_tab_points(const struct tab_dense_args *a, const struct sdd_tab_table *k, int64_t j, int32_t first,
                           int32_t n)
{
    const struct sdd_tab_target *t = &a->target;
    const struct sdd_frame frame = sdd_tab_frame(t, a->piece[j]);
    const uint32_t *column = a->column + k->column + (j - k->first) * k->n_columns;
    int32_t side = frame.m + 1;
    const float *weights = a->table + k->table * side * side + first;
    float sum[3][SDD_TAB_CHUNK] = {{0}};
    for (int32_t i = 0; i < k->n_columns; i++) {
        struct sdd_vec3 p = sdd_row_load(t->from, column[i], t->width);
        const float *w = weights + (int64_t)i * side * side;
        for (int32_t r = 0; r < n; r++) {
            sum[0][r] = fmaf(w[r], p.x, sum[0][r]);
            sum[1][r] = fmaf(w[r], p.y, sum[1][r]);
            sum[2][r] = fmaf(w[r], p.z, sum[2][r]);
        }
    }
    for (int32_t r = 0; r < n; r++) {
        int32_t x = (first + r) % side, y = (first + r) / side;
        if (sdd_tab_makes(a->owns[j], frame.m, x, y))
            sdd_row_put(t->to, sdd_frame_row(&frame, x, y), t->width, sdd_vec3_of(sum[0][r], sum[1][r], sum[2][r]));
    }
}

SDD_FN void k_tab_dense(int64_t i, const struct tab_dense_args *a)
{
    struct sdd_tab_chunk chunk = sdd_tab_chunk_of(a, i);
    struct sdd_tab_run run = a->run[chunk.run];
    int32_t side = (1 << (a->target.grid.level - 1)) + 1, left = side * side - chunk.first;
    for (uint32_t j = run.first; j < run.first + (run.class_n & 15); j++)
        sdd_tab_points(a, a->tables + (run.class_n >> 4), j, chunk.first, left < SDD_TAB_CHUNK ? left : SDD_TAB_CHUNK);
}
#endif
#endif
