/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.c: the ends of compressed rows, from how many terms each has. */
#include "gpu/sparse/sparse.h"
#include "gpu/sparse/matrix_total.k.h"
#include <stdlib.h>

static int add_up(sdd_device *d, const int64_t *device_sums, int64_t n, int64_t *total, struct sdd_error *err)
{
    int64_t *sums = calloc((size_t)n + 1, sizeof *sums);
    if (!sums)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for sums of a matrix");
    dev_download(d, sums, device_sums, n * (int64_t)sizeof *sums);
    int rc = dev_finish(d, err);
    *total = 0;
    for (int64_t k = 0; k < n; k++)
        *total += sums[k];
    free(sums);
    return rc;
}

int sparse_row_ends(sdd_device *d, int32_t *count, int64_t n, int64_t *total, struct sdd_error *err)
{
    int64_t n_sums = (n + SDD_TOTAL_CHUNK - 1) / SDD_TOTAL_CHUNK;
    struct device_block work = {0};
    int rc = block_take(d, n_sums * (int64_t)sizeof(int64_t) + d->b->scan_scratch(d->dev, n), &work, err);
    if (rc)
        return rc;
    struct matrix_total_args sums = {count, work.memory, n};
    DEV_LAUNCH(d, matrix_total, &sums, n_sums);
    rc = add_up(d, sums.sum, n_sums, total, err);
    if (!rc && *total <= SPARSE_MAX_ENTRIES)
        dev_scan(d, count, count, n, sums.sum + n_sums);
    block_give(d, &work);
    return rc;
}
