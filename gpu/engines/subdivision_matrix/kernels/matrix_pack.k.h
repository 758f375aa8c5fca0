/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_pack: brings a matrix from compressed rows in double to the form in which it is applied.
 * Shapes  A of n rows; rest_end[n] i32, the inclusive scan of matrix_rest with the k of `to` -> to
 * Launch  item, n rows
 * Cost    12 B read and 8 to 12 B written an entry
 * Result  Weights are rounded to float, here and nowhere else; columns stay in order. Where `to` has no `row`, k is 0
 *         and rest_end is A's own.
 * Threads any queue
 * Source  Bell and Garland 2009 */
#ifndef SDD_K_MATRIX_PACK_H
#define SDD_K_MATRIX_PACK_H
#include "gpu/sparse/matrix_apply.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_product.k.h"

struct matrix_pack_args {
    struct sdd_csr a;
    const int32_t *rest_end;
    struct sdd_matrix to;
};

SDD_FN void k_matrix_pack(int64_t i, const struct matrix_pack_args *a)
{
    const struct sdd_matrix *to = &a->to;
    int32_t first = sdd_row_first(a->a.end, i), n = a->a.end[i] - first, rest = sdd_row_first(a->rest_end, i);
    for (int32_t j = 0; j < to->k; j++) {
        int64_t at = j * to->n_rows + i;
        uint32_t more = j == to->k - 1 && n > to->k ? SDD_ELL_MORE : 0;
        to->ell_column[at] = j < n ? a->a.column[first + j] | more : SDD_NONE;
        to->ell_weight[at] = j < n ? (float)a->a.weight[first + j] : 0.0f;
    }
    for (int32_t j = to->k; j < n; j++, rest++) {
        if (to->row)
            to->row[rest] = (uint32_t)i;
        to->column[rest] = a->a.column[first + j];
        to->weight[rest] = (float)a->a.weight[first + j];
    }
}
#endif
