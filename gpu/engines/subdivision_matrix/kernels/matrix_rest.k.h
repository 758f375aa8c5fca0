/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_rest: how many terms each row has beyond the first k.
 * Shapes  end[n] i32 -> count[n] i32
 * Launch  item, n rows
 * Cost    8 B read, 4 B written a row
 * Result  0 where the row has no more than k
 * Threads any queue */
#ifndef SDD_K_MATRIX_REST_H
#define SDD_K_MATRIX_REST_H
#include "gpu/sparse/matrix_row.h"

struct matrix_rest_args {
    const int32_t *end;
    int32_t *count;
    int32_t k;
};

SDD_FN void k_matrix_rest(int64_t i, const struct matrix_rest_args *a)
{
    int32_t n = a->end[i] - sdd_row_first(a->end, i) - a->k;
    a->count[i] = n > 0 ? n : 0;
}
#endif
