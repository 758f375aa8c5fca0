/* SPDX-License-Identifier: Apache-2.0 */
/* table_first: makes some rows of level 1 from the control rows. A sparse matrix (table_first_terms) is multiplied
 * with these, so no walk over the mesh is needed to find what a row is made of.
 * Shapes  row[n_rows] u32 (NULL for rows 0 to n_rows - 1), end[n_rows] i32, term[end[n_rows - 1]], and of each mesh
 *         from[V] rows of `width` -> these rows of to[V + F + E] (to[V + E] for triangles), as sdd_table_load reads
 *         them, in grid order
 * Launch  tile, SDD_TABLE_FIRST rows of a mesh each; n = sdd_table_step_items of each mesh
 * Cost    8 B and a cached point read a term, 8 B read and 16 B written a row
 * Result  A row is summed in double in the order of its terms, and rounded once.
 * Threads any queue
 * Source  Driscoll 2014 */
#ifndef SDD_K_TABLE_FIRST_H
#define SDD_K_TABLE_FIRST_H
#include "gpu/engines/tabulated/kernels/table_batch.dev.h"
#include "gpu/kernel/tile.h"
#include "gpu/sparse/matrix_apply.k.h"

#define SDD_TABLE_FIRST 64
#define SDD_TABLE_FIRST_FLOATS 4 /* The most floats of a row. */
enum { table_first_threads = SDD_TABLE_FIRST * SDD_TABLE_FIRST_FLOATS };

struct sdd_first_step {
    const uint32_t *row; /* The row of level 1 that each item makes; NULL if item i makes row i. */
    const int32_t *end;  /* Where the terms of each item end. */
    const struct sdd_term *term;
    uint32_t n_rows;
};

struct table_first_args {
    struct sdd_first_step step;
    struct sdd_table_batch rows;
    struct sdd_width width; /* The width of rows of `from`. */
};

SDD_FN int64_t sdd_table_step_items(const struct sdd_first_step *a)
{
    return ((int64_t)a->n_rows + SDD_TABLE_FIRST - 1) / SDD_TABLE_FIRST;
}

/* Rows of three floats are padded to four, so that a point is read in one access. */
SDD_FN struct sdd_width sdd_table_width(int32_t n)
{
    return sdd_width_of(n, n == 3 ? 4 : n);
}

SDD_FN uint32_t sdd_step_row(const struct sdd_first_step *a, int64_t i)
{
    return a->row ? a->row[i] : (uint32_t)i;
}

SDD_FN struct sdd_vec3 sdd_table_load(const float *from, uint32_t row, int32_t n)
{
    if (n == 3) {
        struct sdd_float4 p = *(const struct sdd_float4 *)(from + 4 * (size_t)row);
        return sdd_vec3_of(p.s[0], p.s[1], p.s[2]);
    }
    return sdd_row_load(from, row, sdd_table_width(n));
}

/* The number of iterations of SDD_EACH that make a row. On a GPU each thread makes one float, so that the floats of a
 * point are read in one access. A register of a CPU has room for all of them. */
#ifdef __FMA__
#define SDD_TABLE_FIRST_ROUNDS 1
#else
#define SDD_TABLE_FIRST_ROUNDS SDD_TABLE_FIRST_FLOATS
#endif

/* Makes float k of row i, or all floats of it where there is only one round. Floats beyond the row's width become 0. */
SDD_FN void sdd_table_first_round(const struct sdd_first_step *a, int64_t i, int32_t k, const float *from,
                                  struct sdd_width width, float *to)
{
    const struct sdd_width wide = sdd_table_width(width.n);
    int32_t at = sdd_row_first(a->end, i), end = a->end[i];
    to += (size_t)wide.stride * sdd_step_row(a, i);
#ifdef __FMA__
    const __m128i lanes = sdd_lanes_of(width.n);
    __m256d sum = _mm256_setzero_pd();
    (void)k;
    for (; at < end; at++) {
        const struct sdd_term t = a->term[at];
        sum = sdd_lanes_fma(_mm256_set1_pd((double)t.weight), from + (size_t)width.stride * t.column, lanes, sum);
    }
    if (wide.stride == 4)
        _mm_storeu_ps(to, _mm256_cvtpd_ps(sum));
    else
        _mm_maskstore_ps(to, lanes, _mm256_cvtpd_ps(sum));
#else
    double sum = 0.0;
    if (k >= wide.stride)
        return;
    from += k;
    for (; at < end && k < width.n; at++)
        sum = fma((double)a->term[at].weight, (double)from[(size_t)width.stride * a->term[at].column], sum);
    to[k] = (float)sum;
#endif
}

/* Makes tile `tile` of the rows of one mesh. */
SDD_FN void sdd_table_first_rows(const struct sdd_first_step *a, int64_t tile, const float *from,
                                 struct sdd_width width, float *to)
{
    const int64_t first = tile * SDD_TABLE_FIRST, left = a->n_rows - first;
    const int32_t n = left < SDD_TABLE_FIRST ? (int32_t)left : SDD_TABLE_FIRST;
    SDD_EACH (i, n * SDD_TABLE_FIRST_ROUNDS)
        sdd_table_first_round(a, first + i / SDD_TABLE_FIRST_ROUNDS, i % SDD_TABLE_FIRST_ROUNDS, from, width, to);
}

SDD_FN void k_table_first(int64_t tile, const struct table_first_args *a)
{
    const int64_t tiles = sdd_table_step_items(&a->step);
    const int32_t mesh = sdd_batch_mesh(&a->rows, tile, (uint32_t)tiles);
    sdd_table_first_rows(&a->step, tile - mesh * tiles, a->rows.from[mesh], a->width, a->rows.to[mesh]);
}
#endif
