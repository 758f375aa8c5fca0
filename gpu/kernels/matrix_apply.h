/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_apply: a sparse matrix times rows of one to three floats. The matrix is in ELL and COO, or in compressed rows.
 * Shapes  matrix of n rows, x[columns] rows -> rows [0, n) of y from the matrix's row `first`
 * Shape   item, n rows      Cost  8 B read an entry, a row of y written
 * Result  summed in double in the order of the columns, rounded once: the same bits in every format, for every k
 * Source  Bell and Garland 2009, the hybrid format; here COO's terms go on with the row's own sum, by one thread
 * Threads any queue */
#ifndef SDD_K_MATRIX_APPLY_H
#define SDD_K_MATRIX_APPLY_H
#include "gpu/kernels/matrix_row.h"
#include "gpu/kernels/rows.h"

#define SDD_ELL_MORE 0x80000000u /* of a column: the row has terms beyond ELL; columns are less */

struct sdd_matrix {
    /* ELL: up to k terms of each row, term j of all rows side by side; SDD_NONE: the row has ended */
    uint32_t *ell_column; /* [k][n_rows] */
    float *ell_weight;
    /* the terms from k on, ascending by row and column: COO, or compressed rows with k = 0 and no `row` */
    uint32_t *row;      /* [n_rest] */
    const int32_t *end; /* [n_rows] */
    uint32_t *column;   /* [n_rest] */
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

struct sdd_terms {
    double x, y, z;
};

SDD_FN void sdd_terms_add(struct sdd_terms *t, float weight, const float *x, uint32_t column, struct sdd_width width)
{
    struct sdd_vec3 p = sdd_row_load(x, column, width);
    t->x = fma((double)weight, (double)p.x, t->x);
    t->y = fma((double)weight, (double)p.y, t->y);
    t->z = fma((double)weight, (double)p.z, t->z);
}

/* The first entry of row `row` among those of COO. */
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

SDD_FN void sdd_matrix_row(int64_t i, const struct matrix_apply_args *a, struct sdd_width width)
{
    const struct sdd_matrix *m = &a->m;
    int64_t row = a->first + i, at = m->n_rest, end = m->n_rest;
    struct sdd_terms sum = {0.0, 0.0, 0.0};
    uint32_t more = SDD_ELL_MORE;
    for (int64_t j = row; j < m->k * m->n_rows; j += m->n_rows) {
        uint32_t column = m->ell_column[j];
        more = column == SDD_NONE ? 0 : column & SDD_ELL_MORE;
        if (column == SDD_NONE)
            break;
        sdd_terms_add(&sum, m->ell_weight[j], a->x, column & ~SDD_ELL_MORE, width);
    }
    if (!m->row) {
        at = sdd_row_first(m->end, row);
        end = m->end[row];
    } else if (more) {
        at = sdd_coo_first(m, (uint32_t)row);
    }
    for (; at < end && (!m->row || m->row[at] == (uint32_t)row); at++)
        sdd_terms_add(&sum, m->weight[at], a->x, m->column[at], width);
    sdd_row_put(a->y, (uint32_t)i, width, sdd_vec3_of((float)sum.x, (float)sum.y, (float)sum.z));
}

SDD_FN void k_matrix_apply(int64_t i, const struct matrix_apply_args *a)
{
    if (a->width.n == 3 && a->width.stride == 3) /* a constant from here on */
        sdd_matrix_row(i, a, sdd_xyz());
    else if (sdd_is_uv(a->width))
        sdd_matrix_row(i, a, sdd_uv());
    else
        sdd_matrix_row(i, a, a->width);
}
#endif
