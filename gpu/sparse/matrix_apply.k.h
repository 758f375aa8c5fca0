/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_apply: a sparse matrix times rows of one to three floats. The matrix is in ELL and COO, or in compressed rows.
 * Shapes  matrix of n rows, x[columns] rows -> rows [0, n) of y from the matrix's row `first` on
 * Launch  item, n rows
 * Cost    8 B read an entry, a row of y written
 * Result  Sums run in double in the order of the columns and are rounded once, so the bits are the same in every format
 *         and for every k.
 * Threads any queue
 * Source  Bell and Garland 2009, the hybrid format; here one thread adds COO's terms to the row's own sum */
#ifndef SDD_K_MATRIX_APPLY_H
#define SDD_K_MATRIX_APPLY_H
#include "gpu/sparse/matrix_row.h"
#include "gpu/kernel/rows.h"

/* A bit of the last column in ELL: the row has terms beyond ELL. Columns are below it. */
#define SDD_ELL_MORE 0x80000000u

struct sdd_matrix {
    /* ELL holds up to k terms of each row, with term j of all rows side by side. SDD_NONE says that the row has
     * ended. */
    uint32_t *ell_column; /* Shape [k][n_rows]. */
    float *ell_weight;    /* Shape [k][n_rows]. */
    /* The terms from k on, ascending by row and column: COO, which has `row`, or compressed rows, which have k = 0 and
     * `end`. */
    uint32_t *row;      /* Shape [n_rest]. */
    const int32_t *end; /* Shape [n_rows]. */
    uint32_t *column;   /* Shape [n_rest]. */
    float *weight;
    int64_t n_rows, n_rest;
    int32_t k;
};

struct matrix_apply_args {
    struct sdd_matrix m;
    const float *x;
    float *y;
    struct sdd_width width;
    int64_t first;
};

/* A sum of terms. A relative sum subtracts `from` from each point. Its weights sum to zero, so this changes nothing,
 * except that it keeps rounding errors small far from the origin. */
struct sdd_terms {
    double x, y, z;
    struct sdd_vec3 from;
    int32_t n;
};

SDD_FN struct sdd_terms sdd_terms_none(void)
{
    struct sdd_terms t;
    t.x = t.y = t.z = 0.0;
    t.from = sdd_vec3_of(0.0f, 0.0f, 0.0f);
    t.n = 0;
    return t;
}

SDD_FN void sdd_terms_add(struct sdd_terms *t, float weight, struct sdd_vec3 p, int relative)
{
    double w = (double)weight;
    if (!relative) {
        t->x = fma(w, (double)p.x, t->x);
        t->y = fma(w, (double)p.y, t->y);
        t->z = fma(w, (double)p.z, t->z);
        return;
    }
    if (t->n++ == 0)
        t->from = p;
    t->x = fma(w, (double)p.x - (double)t->from.x, t->x);
    t->y = fma(w, (double)p.y - (double)t->from.y, t->y);
    t->z = fma(w, (double)p.z - (double)t->from.z, t->z);
}

/* The first COO entry of row `row` or a later one. */
SDD_FN int64_t sdd_coo_first(const struct sdd_matrix *m, uint32_t row)
{
    int64_t low = 0, high = m->n_rest;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (m->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the terms of a row beyond ELL, entries *at to *end; in COO they end earlier, where another row's begin. `more`
 * is the SDD_ELL_MORE bit of the row's last column in ELL. */
SDD_FN void sdd_matrix_rest(const struct sdd_matrix *m, int64_t row, uint32_t more, int64_t *at, int64_t *end)
{
    *at = *end = m->n_rest;
    if (!m->row) {
        *at = sdd_row_first(m->end, row);
        *end = m->end[row];
    } else if (more) {
        *at = sdd_coo_first(m, (uint32_t)row);
    }
}

/* The sum over a row. With `relative`, a constant, points are taken relative to the first one, and the terms are
 * counted. */
SDD_FN struct sdd_terms sdd_matrix_sum(const struct sdd_matrix *m, int64_t row, const float *x, struct sdd_width width,
                                       int relative)
{
    int64_t at, end;
    struct sdd_terms sum = sdd_terms_none();
    uint32_t more = SDD_ELL_MORE;
    for (int64_t j = row; j < m->k * m->n_rows; j += m->n_rows) {
        uint32_t column = m->ell_column[j];
        more = column == SDD_NONE ? 0 : column & SDD_ELL_MORE;
        if (column == SDD_NONE)
            break;
        sdd_terms_add(&sum, m->ell_weight[j], sdd_row_load(x, column & ~SDD_ELL_MORE, width), relative);
    }
    sdd_matrix_rest(m, row, more, &at, &end);
    for (; at < end && (!m->row || m->row[at] == (uint32_t)row); at++)
        sdd_terms_add(&sum, m->weight[at], sdd_row_load(x, m->column[at], width), relative);
    return sum;
}

SDD_FN struct sdd_vec3 sdd_terms_point(const struct sdd_terms *t)
{
    return sdd_vec3_of((float)t->x, (float)t->y, (float)t->z);
}

#ifdef __FMA__
/* The components of a row in the lanes of registers: up to four in one and, with `both` (a constant), the next four in
 * another. Lanes without a component are neither read nor written. */
SDD_FN __m128i sdd_lanes_of(int32_t n)
{
    return _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
}

SDD_FN __m256d sdd_lanes_fma(__m256d weight, const float *x, __m128i lanes, __m256d sum)
{
    return _mm256_fmadd_pd(weight, _mm256_cvtps_pd(_mm_maskload_ps(x, lanes)), sum);
}

SDD_FN void sdd_lanes_add(__m256d sum[2], __m256d weight, const float *x, const __m128i lanes[2], int both)
{
    sum[0] = sdd_lanes_fma(weight, x, lanes[0], sum[0]);
    if (both)
        sum[1] = sdd_lanes_fma(weight, x + 4, lanes[1], sum[1]);
}

SDD_FN void sdd_matrix_lanes(int64_t i, const struct matrix_apply_args *a, int both)
{
    const struct sdd_matrix *m = &a->m;
    const __m128i lanes[2] = {sdd_lanes_of(a->width.n), sdd_lanes_of(a->width.n - 4)};
    const int64_t row = a->first + i;
    const size_t stride = (size_t)a->width.stride;
    __m256d sum[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    uint32_t more = SDD_ELL_MORE;
    int64_t at, end;
    for (int64_t j = row; j < m->k * m->n_rows; j += m->n_rows) {
        uint32_t column = m->ell_column[j];
        more = column == SDD_NONE ? 0 : column & SDD_ELL_MORE;
        if (column == SDD_NONE)
            break;
        sdd_lanes_add(sum, _mm256_set1_pd((double)m->ell_weight[j]), a->x + stride * (column & ~SDD_ELL_MORE), lanes,
                      both);
    }
    sdd_matrix_rest(m, row, more, &at, &end);
    for (; at < end && (!m->row || m->row[at] == (uint32_t)row); at++)
        sdd_lanes_add(sum, _mm256_set1_pd((double)m->weight[at]), a->x + stride * m->column[at], lanes, both);
    _mm_maskstore_ps(a->y + stride * (size_t)i, lanes[0], _mm256_cvtpd_ps(sum[0]));
    if (both)
        _mm_maskstore_ps(a->y + stride * (size_t)i + 4, lanes[1], _mm256_cvtpd_ps(sum[1]));
}

SDD_FN void k_matrix_apply(int64_t i, const struct matrix_apply_args *a)
{
    sdd_matrix_lanes(i, a, 0);
}
#else
SDD_FN void sdd_matrix_row(int64_t i, const struct matrix_apply_args *a, struct sdd_width width)
{
    struct sdd_terms sum = sdd_matrix_sum(&a->m, a->first + i, a->x, width, 0);
    sdd_row_put(a->y, (uint32_t)i, width, sdd_terms_point(&sum));
}

SDD_FN void k_matrix_apply(int64_t i, const struct matrix_apply_args *a)
{
    if (a->width.n == 3 && a->width.stride == 3) /* The width is a constant from here on. */
        sdd_matrix_row(i, a, sdd_xyz());
    else if (sdd_is_uv(a->width))
        sdd_matrix_row(i, a, sdd_uv());
    else
        sdd_matrix_row(i, a, a->width);
}
#endif
#endif
