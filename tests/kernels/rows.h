/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h: reads a sparse matrix in compressed rows, which a kernel has made in two passes, on the host. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H
#include "gpu/sparse/matrix_row.h"

struct rows {
    int64_t n, n_columns;
    int32_t *end;
    uint32_t *column;
    double *weight;
};
/* rows_make: runs `pass` to count and again to fill, and checks what holds for every such matrix: columns ascend and
 * exist, and no weight is zero. The caller frees it. */
typedef void rows_pass(void *context, struct sdd_matrix_rows to);
void rows_make(struct rows *r, int64_t n, int64_t n_columns, rows_pass *pass, void *context);
void rows_free(struct rows *r);
/* rows_times: multiplies row i by x[n_columns][3]. *sum is the sum of its weights, *most that of their magnitudes. */
void rows_times(const struct rows *r, int64_t i, const float *x, double out[3], double *sum, double *most);

#endif
