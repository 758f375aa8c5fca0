/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/rows.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_row(const struct rows *r, int64_t i)
{
    for (int32_t k = i ? r->end[i - 1] : 0, first = k; k < r->end[i]; k++)
        if (r->column[k] >= (uint64_t)r->n_columns || (k > first && r->column[k] <= r->column[k - 1]) ||
            r->weight[k] == 0.0)
            fail_msg("%s: row %lld has %g of column %u at place %d", launch_case(), (long long)i, r->weight[k],
                     r->column[k], k - first);
}

void rows_make(struct rows *r, int64_t n, int64_t n_columns, rows_pass *pass, void *context)
{
    struct sdd_matrix_rows to = {.count = launch_out(n, sizeof *to.count)};
    *r = (struct rows){.n = n, .n_columns = n_columns, .end = xalloc(n, sizeof *r->end)};
    pass(context, to);
    const int32_t *count = launch_got(to.count);
    for (int64_t i = 0; i < n; i++)
        r->end[i] = (i ? r->end[i - 1] : 0) + count[i];
    int64_t entries = r->end[n - 1];
    to = (struct sdd_matrix_rows){.end = launch_in(r->end, n, sizeof *to.end),
                                  .column = launch_out(entries, sizeof *to.column),
                                  .weight = launch_out(entries, sizeof *to.weight)};
    pass(context, to);
    r->column = xalloc(entries, sizeof *r->column);
    r->weight = xalloc(entries, sizeof *r->weight);
    memcpy(r->column, launch_got(to.column), (size_t)entries * sizeof *r->column);
    memcpy(r->weight, launch_got(to.weight), (size_t)entries * sizeof *r->weight);
    for (int64_t i = 0; i < n; i++)
        check_row(r, i);
    launch_end();
}

void rows_free(struct rows *r)
{
    free(r->end);
    free(r->column);
    free(r->weight);
}

void rows_times(const struct rows *r, int64_t i, const float *x, double out[3], double *sum, double *most)
{
    out[0] = out[1] = out[2] = *sum = *most = 0;
    for (int32_t k = i ? r->end[i - 1] : 0; k < r->end[i]; k++) {
        for (int c = 0; c < 3; c++)
            out[c] += r->weight[k] * (double)x[3 * (int64_t)r->column[k] + c];
        *sum += r->weight[k];
        *most += fabs(r->weight[k]);
    }
}
