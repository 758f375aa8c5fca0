/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_product: rows of C = A B, all in compressed rows with ascending columns.
 * Shapes  A, B of as many rows as A has columns -> rows of C from `first` on, in two passes (matrix_row.h)
 * Launch  item, n rows
 * Cost    entries of the row of C times entries of the row of A, twice
 * Result  Columns ascend. A weight is summed in double over A's columns in their order. Entries that cancel stay, as
 *         zeros.
 * Threads any queue
 * Source  Gustavson 1978, row by row, with a merge in place of the accumulator, which takes no memory but the
 *         result's */
#ifndef SDD_K_MATRIX_PRODUCT_H
#define SDD_K_MATRIX_PRODUCT_H
#include "gpu/sparse/matrix_row.h"

/* For so many terms of a row of A, the position in B's row is kept; those of further terms are searched. */
#define SDD_MERGE 16

struct sdd_csr {
    const int32_t *end;
    const uint32_t *column;
    const double *weight;
};

struct matrix_product_args {
    struct sdd_csr a, b;
    struct sdd_matrix_rows to;
    int64_t first;
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

/* A merge of rows of B. */
struct sdd_merge {
    int32_t at[SDD_MERGE];
    uint32_t from; /* Columns below this one have been met. */
};

/* The position of term k of the merge in its row of B. */
SDD_FN int32_t sdd_merge_at(const struct matrix_product_args *a, const struct sdd_merge *m, int32_t k, uint32_t row)
{
    return k < SDD_MERGE ? m->at[k] : sdd_csr_from(&a->b, sdd_row_first(a->b.end, row), a->b.end[row], m->from);
}

#ifdef __FMA__
#define SDD_UNION 64 /* The most columns of a row that is made without the merge. */

/* A row of the product while it is made, with the columns of the rows of B that were added so far, ascending. */
struct sdd_union {
    uint32_t column[SDD_UNION];
    double sum[SDD_UNION];
    int32_t n;
};

/* Whether the columns so far are these n. */
SDD_FN int sdd_union_is(const struct sdd_union *u, const uint32_t *column, int32_t n)
{
    int32_t j = 0;
    uint32_t other = (uint32_t)(n ^ u->n);
    for (; j + 8 <= n && !other; j += 8) {
        __m256i one = _mm256_loadu_si256((const __m256i *)(const void *)(column + j));
        __m256i two = _mm256_loadu_si256((const __m256i *)(const void *)(u->column + j));
        other = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi32(one, two));
    }
    for (; j < n && !other; j++)
        other = column[j] ^ u->column[j];
    return !other;
}

/* Adds a row of n entries, times w; returns 0 if it does not fit. Most often it has the columns that are there
 * already. */
SDD_FN int sdd_union_add(struct sdd_union *u, double w, const uint32_t *column, const double *weight, int32_t n)
{
    if (sdd_union_is(u, column, n)) {
        for (int32_t j = 0; j < n; j++)
            u->sum[j] += w * weight[j];
        return 1;
    }
    for (int32_t j = 0, at = 0; j < n; j++, at++) {
        while (at < u->n && u->column[at] < column[j])
            at++;
        if (at == u->n || u->column[at] != column[j]) {
            if (u->n == SDD_UNION)
                return 0;
            for (int32_t k = u->n++; k > at; k--) {
                u->column[k] = u->column[k - 1];
                u->sum[k] = u->sum[k - 1];
            }
            u->column[at] = column[j];
            u->sum[at] = 0.0;
        }
        u->sum[at] += w * weight[j];
    }
    return 1;
}

/* Makes row i, with sums in the same order as the merge; returns 0 if the row is too long. */
SDD_FN int sdd_product_row(int64_t i, const struct matrix_product_args *a)
{
    struct sdd_union u;
    u.n = 0;
    for (int32_t k = sdd_row_first(a->a.end, i); k < a->a.end[i]; k++) {
        uint32_t row = a->a.column[k];
        int32_t first = sdd_row_first(a->b.end, row), n = a->b.end[row] - first;
        if (!sdd_union_add(&u, a->a.weight[k], a->b.column + first, a->b.weight + first, n))
            return 0;
    }
    if (!a->to.end) {
        a->to.count[i] = u.n;
        return 1;
    }
    int32_t to = sdd_row_first(a->to.end, i);
    for (int32_t j = 0; j < u.n; j++) {
        a->to.column[to + j] = u.column[j];
        a->to.weight[to + j] = u.sum[j];
    }
    return 1;
}
#endif

SDD_FN void k_matrix_product(int64_t item, const struct matrix_product_args *a)
{
    const struct sdd_csr *b = &a->b;
    const int64_t i = a->first + item;
    int32_t first = sdd_row_first(a->a.end, i), n = a->a.end[i] - first, to = 0;
    const uint32_t *rows = a->a.column + first;
    struct sdd_merge m;
#ifdef __FMA__
    if (sdd_product_row(i, a))
        return;
#endif
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
