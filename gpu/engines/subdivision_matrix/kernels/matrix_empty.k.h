/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_empty: flags the rows without entries.
 * Shapes  end[n] i32 -> flag[n] i32
 * Launch  item, n rows
 * Cost    8 B read, 4 B written a row
 * Result  1 or 0; the inclusive scan of the flags numbers such rows from 1.
 * Threads any queue */
#ifndef SDD_K_MATRIX_EMPTY_H
#define SDD_K_MATRIX_EMPTY_H
#include "gpu/sparse/matrix_row.h"

struct matrix_empty_args {
    const int32_t *end;
    int32_t *flag;
};

SDD_FN void k_matrix_empty(int64_t i, const struct matrix_empty_args *a)
{
    a->flag[i] = a->end[i] == sdd_row_first(a->end, i);
}
#endif
