/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_product: rows of C = A B, all in compressed rows with ascending columns.
 * Shapes  A of n rows, B of as many rows as A has columns -> rows of C, in two passes (matrix_row.h)
 * Shape   item, n rows      Cost  entries of the row of C times entries of the row of A, twice
 * Result  columns ascend; a weight is summed in double over A's columns in their order. What cancels stays, as zero
 * Source  Gustavson 1978, row by row, with a merge in place of the accumulator: no memory but the result's
 * Threads any queue */
#ifndef SDD_K_MATRIX_PRODUCT_H
#define SDD_K_MATRIX_PRODUCT_H
#include "gpu/kernels/matrix_row.h"

#define SDD_MERGE 16 /* terms of a row of A whose place in B's row is kept; that of further ones is searched */

struct sdd_csr {
    const int32_t *end;
    const uint32_t *column;
    const double *weight;
};

struct matrix_product_args {
    struct sdd_csr a, b;
    struct sdd_matrix_rows to;
};

/* The first entry of [at, end) whose column is not below `column`. */
SDD_FN int32_t sdd_csr_from(const struct sdd_csr *m, int32_t at, int32_t end, uint32_t column)
{
    while (at < end) {
        int32_t middle = at + (end - at) / 2;
        if (m->column[middle] < column)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

struct sdd_merge {
    int32_t at[SDD_MERGE];
    uint32_t from; /* columns below have been met */
};

/* Where term k of the merge stands in its row of B. */
SDD_FN int32_t sdd_merge_at(const struct matrix_product_args *a, const struct sdd_merge *m, int32_t k, uint32_t row)
{
    return k < SDD_MERGE ? m->at[k] : sdd_csr_from(&a->b, sdd_row_first(a->b.end, row), a->b.end[row], m->from);
}

SDD_FN void k_matrix_product(int64_t i, const struct matrix_product_args *a)
{
    const struct sdd_csr *b = &a->b;
    int32_t first = sdd_row_first(a->a.end, i), n = a->a.end[i] - first, to = 0;
    const uint32_t *rows = a->a.column + first;
    struct sdd_merge m;
    m.from = 0;
    for (int32_t k = 0; k < n && k < SDD_MERGE; k++)
        m.at[k] = sdd_row_first(b->end, rows[k]);
    if (a->to.end)
        to = sdd_row_first(a->to.end, i);
    for (;;) {
        uint32_t least = SDD_NONE;
        for (int32_t k = 0; k < n; k++) {
            int32_t at = sdd_merge_at(a, &m, k, rows[k]);
            if (at < b->end[rows[k]] && b->column[at] < least)
                least = b->column[at];
        }
        if (least == SDD_NONE)
            break;
        double sum = 0.0;
        for (int32_t k = 0; k < n; k++) {
            int32_t at = sdd_merge_at(a, &m, k, rows[k]);
            if (at >= b->end[rows[k]] || b->column[at] != least)
                continue;
            if (a->to.end)
                sum += a->a.weight[first + k] * b->weight[at];
            if (k < SDD_MERGE)
                m.at[k]++;
        }
        if (a->to.end) {
            a->to.column[to] = least;
            a->to.weight[to] = sum;
        }
        to++;
        m.from = least + 1;
    }
    if (!a->to.end)
        a->to.count[i] = to;
}
#endif
