/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_total: sums of counts, chunk by chunk, in 64 bits. They tell whether a scan of the counts fits 32 bits.
 * Shapes  count[n] i32 -> sum[ceil(n / SDD_TOTAL_CHUNK)] i64
 * Launch  item, n = chunks
 * Cost    4 B read a row
 * Result  exact
 * Threads any queue */
#ifndef SDD_K_MATRIX_TOTAL_H
#define SDD_K_MATRIX_TOTAL_H
#include "gpu/kernel/kernel.h"

#define SDD_TOTAL_CHUNK 1024

struct matrix_total_args {
    const int32_t *count;
    int64_t *sum;
    int64_t n;
};

SDD_FN void k_matrix_total(int64_t i, const struct matrix_total_args *a)
{
    int64_t sum = 0;
    for (int64_t k = i * SDD_TOTAL_CHUNK; k < a->n && k < (i + 1) * SDD_TOTAL_CHUNK; k++)
        sum += a->count[k];
    a->sum[i] = sum;
}
#endif
