/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_wide: as matrix_apply, for rows of up to eight floats at once: several right-hand sides for one pass over the
 * matrix.
 * Shapes  those of matrix_apply, but width.n from 1 to 8
 * Launch  item, n rows
 * Cost    8 B read an entry, however wide the row; a row of y written
 * Result  the bits of matrix_apply
 * Threads any queue
 * Source  Driscoll 2014, section 5.2: a product is bound by reading the matrix */
#ifndef SDD_K_MATRIX_WIDE_H
#define SDD_K_MATRIX_WIDE_H
#include "gpu/sparse/matrix_apply.k.h"

#define SDD_WIDE 8

struct matrix_wide_args {
    struct matrix_apply_args apply;
};

#ifdef __FMA__
SDD_FN void k_matrix_wide(int64_t i, const struct matrix_wide_args *a)
{
    if (a->apply.width.n > 4)
        sdd_matrix_lanes(i, &a->apply, 1);
    else
        sdd_matrix_lanes(i, &a->apply, 0);
}
#else
/* Adds a term to n sums, which stay in registers where n is a constant. */
SDD_FN void sdd_wide_add(double *sum, float weight, const float *x, int32_t n)
{
    for (int32_t c = 0; c < SDD_WIDE; c++)
        if (c < n)
            sum[c] = fma((double)weight, (double)x[c], sum[c]);
}

SDD_FN void sdd_matrix_wide_row(int64_t i, const struct matrix_apply_args *a, int32_t n)
{
    const struct sdd_matrix *m = &a->m;
    const int64_t row = a->first + i;
    const size_t stride = (size_t)a->width.stride;
    double sum[SDD_WIDE] = {0.0};
    uint32_t more = SDD_ELL_MORE;
    int64_t at, end;
    for (int64_t j = row; j < m->k * m->n_rows; j += m->n_rows) {
        uint32_t column = m->ell_column[j];
        more = column == SDD_NONE ? 0 : column & SDD_ELL_MORE;
        if (column == SDD_NONE)
            break;
        sdd_wide_add(sum, m->ell_weight[j], a->x + stride * (column & ~SDD_ELL_MORE), n);
    }
    sdd_matrix_rest(m, row, more, &at, &end);
    for (; at < end && (!m->row || m->row[at] == (uint32_t)row); at++)
        sdd_wide_add(sum, m->weight[at], a->x + stride * m->column[at], n);
    for (int32_t c = 0; c < SDD_WIDE; c++)
        if (c < n)
            a->y[stride * (size_t)i + (size_t)c] = (float)sum[c];
}

SDD_FN void k_matrix_wide(int64_t i, const struct matrix_wide_args *a)
{
    if (a->apply.width.n == SDD_WIDE) /* The width is a constant from here on. */
        sdd_matrix_wide_row(i, &a->apply, SDD_WIDE);
    else if (a->apply.width.n == 4)
        sdd_matrix_wide_row(i, &a->apply, 4);
    else
        sdd_matrix_wide_row(i, &a->apply, a->apply.width.n);
}
#endif
#endif
