/* SPDX-License-Identifier: Apache-2.0 */
/* table_first: some rows of level 1 from control rows: a sparse matrix (table_first_terms) times these, so that what
 * a row needs is found at once, by no walk over the mesh. And rows of level 1 as pieces read them.
 * Shapes  row[n_rows] u32 (NULL: the first ones), end[n_rows] i32, term[end[n_rows - 1]], of each mesh from[V] rows of
 *         `width` -> these of to[V + F + E] rows (triangles: V + E), as sdd_table_load reads them, in grid order
 * Launch  tile, SDD_TABLE_FIRST rows of a mesh; n: sdd_table_step_items of each mesh
 * Cost    8 B and a point, cached, read a term, 8 B read and 16 B written a row
 * Result  a row is summed in double in the order of its terms, rounded once
 * Source  Driscoll 2014      Threads any queue */
#ifndef SDD_K_TABLE_FIRST_H
#define SDD_K_TABLE_FIRST_H
#include "gpu/engines/tabulated/kernels/table_batch.dev.h"
#include "gpu/kernel/tile.h"
#include "gpu/sparse/matrix_apply.k.h"

#define SDD_TABLE_FIRST 64
#define SDD_TABLE_FIRST_FLOATS 4 /* of a row, at most */
enum { table_first_threads = SDD_TABLE_FIRST * SDD_TABLE_FIRST_FLOATS };

struct sdd_first_step {
    const uint32_t *row; /* of level 1; NULL: row i is item i */
    const int32_t *end;  /* of their terms */
    const struct sdd_term *term;
    uint32_t n_rows;
};

struct table_first_args {
    struct sdd_first_step step;
    struct sdd_batch_of rows;
    struct sdd_width width; /* of rows of `from` */
};

SDD_FN int64_t sdd_table_step_items(const struct sdd_first_step *a)
{
    return ((int64_t)a->n_rows + SDD_TABLE_FIRST - 1) / SDD_TABLE_FIRST;
}

/* Three floats take the room of four, so that a point is one access. */
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

/* How many rounds of SDD_EACH make a row. A GPU's thread makes one float, so that those of a point are read in one
 * access; a register of a CPU has room for all of them. */
#ifdef __FMA__
#define SDD_TABLE_FIRST_ROUNDS 1
#else
#define SDD_TABLE_FIRST_ROUNDS SDD_TABLE_FIRST_FLOATS
#endif

/* Round k of row i; what is beyond the row's own floats becomes 0. */
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

SDD_FN void k_table_first(int64_t tile, const struct table_first_args *a)
{
    const int64_t tiles = sdd_table_step_items(&a->step);
    const int32_t mesh = sdd_batch_mesh(&a->rows, tile, (uint32_t)tiles);
    const int64_t first = (tile - mesh * tiles) * SDD_TABLE_FIRST, left = a->step.n_rows - first;
    const int32_t n = left < SDD_TABLE_FIRST ? (int32_t)left : SDD_TABLE_FIRST;
    SDD_EACH (i, n * SDD_TABLE_FIRST_ROUNDS)
        sdd_table_first_round(&a->step, first + i / SDD_TABLE_FIRST_ROUNDS, i % SDD_TABLE_FIRST_ROUNDS,
                              a->rows.from[mesh], a->width, a->rows.to[mesh]);
}
#endif
