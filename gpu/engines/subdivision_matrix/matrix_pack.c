/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_pack.c: chooses and makes the form in which a matrix is applied, for matrix.c: compressed rows, or ELL for
 * the first k terms of each row and COO for the rest. Bell and Garland's model says which k. Where a product takes
 * long enough to be timed, a few k beside it and compressed rows are tried on the spot. All forms give the same
 * bits. */
#include "gpu/engines/subdivision_matrix/internal.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_pack.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_rest.k.h"
#include <stdlib.h>

/* A smaller matrix lies in caches, and its product is too short to be timed. */
#define TIMED_ENTRIES ((int64_t)4 << 20)
#define BESIDE 2     /* This many k are tried on either side of the model's. */
#define HOPELESS 1.5 /* They are not tried if the model's takes more than this many times as long as compressed rows. */
#define RUNS 3       /* The best time of this many runs counts. */
#define LONGEST 64   /* The model takes longer rows for rows of this length. */

static void lay_out(const struct csr *from, int k, int64_t n_rest, struct arena *a, struct sdd_matrix *m)
{
    int64_t n = from->n_rows, in_ell = k > 0 ? k * n : 0;
    *m = (struct sdd_matrix){.n_rows = n, .n_rest = n_rest, .k = k > 0 ? k : 0};
    m->ell_column = ARENA(a, uint32_t, in_ell);
    m->ell_weight = ARENA(a, float, in_ell);
    if (k == MATRIX_COMPRESSED)
        m->end = ARENA(a, int32_t, n);
    else
        m->row = ARENA(a, uint32_t, n_rest);
    m->column = ARENA(a, uint32_t, n_rest);
    m->weight = ARENA(a, float, n_rest);
}

/* Finds where the rest of each row ends, in scratch that the caller frees. */
static int end_rest(sdd_device *d, const struct csr *from, int k, struct device_block *work, int64_t *n_rest,
                    struct sdd_error *err)
{
    int32_t last = 0;
    int64_t bytes = from->n_rows * (int64_t)sizeof last;
    int rc = block_take(d, bytes + 256 + d->b->scan_scratch(d->dev, from->n_rows), work, err);
    if (rc)
        return rc;
    struct matrix_rest_args rest = {from->end, work->memory, k};
    DEV_LAUNCH(d, matrix_rest, &rest, from->n_rows);
    dev_scan(d, rest.count, rest.count, from->n_rows, (char *)work->memory + (bytes + 255) / 256 * 256);
    dev_download(d, &last, rest.count + (from->n_rows - 1), sizeof last);
    rc = dev_finish(d, err);
    *n_rest = last;
    return rc;
}

int matrix_pack_as(sdd_device *d, const struct csr *from, int k, struct matrix *out, struct sdd_error *err)
{
    struct device_block work = {0};
    struct arena count = {NULL, 0};
    struct matrix_pack_args a = {{from->end, from->column, from->weight}, from->end, {0}};
    int64_t n_rest = from->n_entries;
    int rc = SDD_OK;
    if (k != MATRIX_COMPRESSED) {
        rc = end_rest(d, from, k, &work, &n_rest, err);
        a.rest_end = work.memory;
    }
    if (!rc) {
        lay_out(from, k, n_rest, &count, &a.to);
        rc = block_take(d, count.used, &out->memory, err);
    }
    if (!rc) {
        struct arena real = {out->memory.memory, 0};
        lay_out(from, k, n_rest, &real, &a.to);
        out->m = a.to;
        if (k == MATRIX_COMPRESSED)
            dev_copy(d, (void *)(uintptr_t)a.to.end, from->end, from->n_rows * (int64_t)sizeof *from->end);
        DEV_LAUNCH(d, matrix_pack, &a, from->n_rows);
    }
    block_give(d, &work);
    return rc;
}

/* The largest k for which at least a third of the rows have k terms or more; at least 4096 rows must, or all where
 * there are fewer. */
static int modelled(const int32_t *end, int64_t n)
{
    int64_t rows[LONGEST + 1] = {0}, most = n / 3, longer = n;
    int k = 0;
    most = most > 4096 ? most : n < 4096 ? n : 4096;
    for (int64_t i = 0; i < n; i++) {
        int32_t length = end[i] - (i ? end[i - 1] : 0);
        rows[length < LONGEST ? length : LONGEST]++;
    }
    while (k < LONGEST && longer - rows[k] >= most)
        longer -= rows[k++];
    return k;
}

int matrix_model(sdd_device *d, const struct csr *from, int *k, struct sdd_error *err)
{
    int32_t *end = calloc((size_t)from->n_rows, sizeof *end);
    if (!end)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the rows of a matrix");
    dev_download(d, end, from->end, from->n_rows * (int64_t)sizeof *end);
    int rc = dev_finish(d, err);
    *k = rc ? 0 : modelled(end, from->n_rows);
    free(end);
    return rc;
}

/* Times a product in the form k, as the best of some runs. x is all zeros. */
static int time_form(sdd_device *d, const struct csr *from, int k, const float *x, float *y, double *seconds,
                     struct sdd_error *err)
{
    struct matrix tried = {0};
    int rc = matrix_pack_as(d, from, k, &tried, err);
    *seconds = 1e30;
    for (int i = 0; i < RUNS && !rc; i++) {
        dev_mark(d, 0);
        matrix_rows(d, &tried, 3, x, 0, from->n_rows, y);
        dev_mark(d, 1);
        double once = dev_elapsed(d, 0, 1);
        *seconds = once < *seconds ? once : *seconds;
    }
    if (!rc)
        rc = dev_finish(d, err);
    block_give(d, &tried.memory);
    return rc;
}

/* Tries several forms. The model's k comes first, because the memory of its trial serves that of compressed rows as
 * well. */
static int search(sdd_device *d, const struct csr *from, int64_t n_columns, int *k, struct sdd_error *err)
{
    const int64_t x_bytes = 3 * n_columns * (int64_t)sizeof(float), y_bytes = 3 * from->n_rows * (int64_t)sizeof(float);
    const int model = *k > 0 ? *k : 1;
    struct device_block x = {0}, y = {0};
    double best = 1e30, hybrid = 1e30, seconds;
    int rc = block_take(d, x_bytes, &x, err);
    *k = MATRIX_COMPRESSED;
    if (!rc)
        rc = block_take(d, y_bytes, &y, err);
    if (!rc) {
        dev_fill(d, x.memory, 0, x_bytes);
        rc = time_form(d, from, model, x.memory, y.memory, &hybrid, err);
    }
    if (!rc) {
        *k = model; /* This holds unless the other form has room and is faster. */
        rc = time_form(d, from, MATRIX_COMPRESSED, x.memory, y.memory, &best, err);
    }
    const int hopeless = hybrid > HOPELESS * best;
    if (!rc && hybrid >= best)
        *k = MATRIX_COMPRESSED;
    else if (!rc)
        best = hybrid;
    for (int tried = model > BESIDE ? model - BESIDE : 1; tried <= model + BESIDE && !rc && !hopeless; tried++) {
        rc = tried == model ? SDD_OK : time_form(d, from, tried, x.memory, y.memory, &seconds, err);
        if (!rc && tried != model && seconds < best) {
            best = seconds;
            *k = tried;
        }
    }
    block_give(d, &x);
    block_give(d, &y);
    return rc == SDD_ENO_MEMORY ? SDD_OK : rc; /* The best of the forms that there was room for is taken. */
}

int matrix_pack(sdd_device *d, const struct csr *from, int64_t n_columns, struct matrix *out, struct sdd_error *err)
{
    int k = MATRIX_COMPRESSED, rc = matrix_model(d, from, &k, err);
    if (!rc && from->n_entries >= TIMED_ENTRIES)
        rc = search(d, from, n_columns, &k, err);
    return rc ? rc : matrix_pack_as(d, from, k, out, err);
}
