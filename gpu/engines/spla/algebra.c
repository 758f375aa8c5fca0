/* SPDX-License-Identifier: Apache-2.0 */
/* algebra.c: the steps of sparse linear algebra as sequences of kernels, sorts and scans, for engine
 * mesh-matrix-spla. */
#include "gpu/engines/spla/algebra.h"
#include "gpu/kernel/run_heads.k.h"
#include "gpu/engines/spla/kernels/spla_combine.k.h"
#include "gpu/engines/spla/kernels/spla_count.k.h"
#include "gpu/engines/spla/kernels/spla_fill.k.h"
#include "gpu/engines/spla/kernels/spla_multiply.k.h"
#include "gpu/engines/spla/kernels/spla_pointers.k.h"
#include "gpu/engines/spla/kernels/spla_row_keys.k.h"
#include "gpu/engines/spla/kernels/spla_transposed.k.h"
#include "gpu/engines/spla/kernels/spla_upper.k.h"

static int bits_below(int64_t n)
{
    int bits = 1;
    while ((int64_t)1 << bits < n)
        bits++;
    return bits;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t scan_scratch(sdd_device *d, int64_t n)
{
    return d->b->scan_scratch(d->dev, n);
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */
struct sdd_spla algebra_matrix(struct arena *a, int64_t n_rows, int64_t n_cols, int64_t n_entries)
{
    struct sdd_spla m = {
        .ptr = ARENA(a, int32_t, n_cols + 1),
        .rid = ARENA(a, uint32_t, n_entries),
        .val = ARENA(a, int32_t, n_entries),
        .n_rows = (uint32_t)n_rows,
        .n_cols = (uint32_t)n_cols,
        .n_entries = (uint32_t)n_entries,
    };
    return m;
}

struct sdd_spla algebra_reduced(struct arena *a, int64_t n_rows, int64_t n_cols, int32_t size)
{
    struct sdd_spla m = {
        .rid = ARENA(a, uint32_t, n_cols * size),
        .n_rows = (uint32_t)n_rows,
        .n_cols = (uint32_t)n_cols,
        .n_entries = (uint32_t)(n_cols * size),
        .size = size,
    };
    return m;
}

struct sdd_spla algebra_identity(int64_t n)
{
    struct sdd_spla m = {
        .n_rows = (uint32_t)n,
        .n_cols = (uint32_t)n,
        .n_entries = (uint32_t)n,
        .size = 1,
    };
    return m;
}

/* ---- transpose ------------------------------------------------------------------------------------------------- */
struct transposing {
    uint64_t *key, *sorted;
    int32_t *entry, *order;
    void *scratch;
    int bits;
};

static int64_t lay_out_transpose(sdd_device *d, const struct sdd_spla *m, void *work, struct transposing *w)
{
    struct arena a = {work, 0};
    int64_t n = m->n_entries;
    w->bits = bits_below(m->n_rows);
    w->key = ARENA(&a, uint64_t, n);
    w->sorted = ARENA(&a, uint64_t, n);
    w->entry = ARENA(&a, int32_t, n);
    w->order = ARENA(&a, int32_t, n);
    w->scratch = ARENA(&a, char, d->b->sort_scratch(d->dev, n, w->bits));
    return a.used;
}

int64_t algebra_transpose_work(sdd_device *d, const struct sdd_spla *m)
{
    struct transposing w;
    return lay_out_transpose(d, m, NULL, &w);
}

void algebra_transpose(sdd_device *d, const struct sdd_spla *m, const struct sdd_spla *out, void *work)
{
    struct transposing w;
    lay_out_transpose(d, m, work, &w);
    struct spla_row_keys_args keys = {*m, w.key, w.entry};
    struct spla_pointers_args pointers = {w.sorted, NULL, out->ptr, m->n_entries, 0};
    struct spla_transposed_args entries = {*m, w.order, out->rid, out->val};
    DEV_LAUNCH(d, spla_row_keys, &keys, m->n_entries);
    dev_sort(d, w.key, w.sorted, w.entry, w.order, m->n_entries, w.bits, w.scratch);
    DEV_LAUNCH(d, spla_pointers, &pointers, (int64_t)m->n_rows + 1);
    DEV_LAUNCH(d, spla_transposed, &entries, m->n_entries);
}

/* ---- product of matrices --------------------------------------------------------------------------------------- */
struct multiplying {
    uint64_t *key, *sorted;
    int32_t *end, *value, *sorted_value, *rank;
    void *scratch;
    int row_bits, bits;
};

static int64_t lay_out_product(sdd_device *d, const struct sdd_product *p, int64_t n, void *work, struct multiplying *w)
{
    struct arena a = {work, 0};
    w->row_bits = bits_below(p->a.n_rows);
    w->bits = w->row_bits + bits_below(p->b.n_rows);
    w->end = ARENA(&a, int32_t, p->b.n_entries);
    w->key = ARENA(&a, uint64_t, n);
    w->sorted = ARENA(&a, uint64_t, n);
    w->value = ARENA(&a, int32_t, n);
    w->sorted_value = ARENA(&a, int32_t, n);
    w->rank = ARENA(&a, int32_t, n);
    int64_t scans = larger(scan_scratch(d, p->b.n_entries), scan_scratch(d, n));
    w->scratch = ARENA(&a, char, larger(scans, d->b->sort_scratch(d->dev, n, w->bits)));
    return a.used;
}

int64_t algebra_product_work(sdd_device *d, const struct sdd_product *p, int64_t n_collisions)
{
    struct multiplying w;
    return lay_out_product(d, p, n_collisions, NULL, &w);
}

void algebra_product(sdd_device *d, const struct sdd_product *p, const struct sdd_spla *out, int64_t n_collisions,
                     void *work)
{
    struct multiplying w;
    lay_out_product(d, p, n_collisions, work, &w);
    int64_t n_b = p->b.n_entries, n = n_collisions;
    struct spla_count_args count = {*p, w.end};
    struct spla_fill_args fill = {*p, w.end, w.key, w.value, w.row_bits};
    struct run_heads_args heads = {w.sorted, w.rank};
    struct spla_pointers_args pointers = {w.sorted, w.rank, out->ptr, n, w.row_bits};
    struct spla_combine_args all = {w.sorted, w.sorted_value, w.rank, out->rid, out->val, n, w.row_bits, p->gamma};
    DEV_LAUNCH(d, spla_count, &count, n_b);
    dev_scan(d, w.end, w.end, n_b, w.scratch);
    DEV_LAUNCH(d, spla_fill, &fill, n_b);
    dev_sort(d, w.key, w.sorted, w.value, w.sorted_value, n, w.bits, w.scratch);
    DEV_LAUNCH(d, run_heads, &heads, n);
    dev_scan(d, w.rank, w.rank, n, w.scratch);
    DEV_LAUNCH(d, spla_pointers, &pointers, (int64_t)out->n_cols + 1);
    DEV_LAUNCH(d, spla_combine, &all, n);
}

/* ---- product with a vector --------------------------------------------------------------------------------------- */
void algebra_multiply(sdd_device *d, const struct sdd_spla *m, struct sdd_weights map, const float *x, float *y)
{
    struct spla_multiply_args args = {*m, map, x, NULL, y, 0};
    DEV_LAUNCH(d, spla_multiply, &args, m->n_cols);
}

void algebra_add(sdd_device *d, const struct sdd_spla *m, struct sdd_weights map, const float *x, double *sum,
                 int first, float *y)
{
    struct spla_multiply_args args = {*m, map, x, sum, y, !first};
    DEV_LAUNCH(d, spla_multiply, &args, m->n_cols);
}

struct sdd_weights algebra_constant(double w)
{
    struct sdd_weights m = {SDD_WEIGH_ALL, {w}, NULL};
    return m;
}

struct sdd_weights algebra_mean(void)
{
    struct sdd_weights m = {SDD_WEIGH_MEAN, {0.0}, NULL};
    return m;
}

struct sdd_weights algebra_values(double w0, double w1, double w2)
{
    struct sdd_weights m = {SDD_WEIGH_VALUES, {w0, w1, w2}, NULL};
    return m;
}

struct sdd_weights algebra_by_column(const double *weight_of_column)
{
    struct sdd_weights m = {SDD_WEIGH_COLUMNS, {0.0}, weight_of_column};
    return m;
}

/* ---- edge numbers ------------------------------------------------------------------------------------------------ */
int64_t algebra_number_work(sdd_device *d, const struct sdd_spla *m)
{
    return scan_scratch(d, m->n_entries);
}

void algebra_number(sdd_device *d, const struct sdd_spla *m, int32_t *number, void *work)
{
    struct spla_upper_args upper = {*m, number};
    DEV_LAUNCH(d, spla_upper, &upper, m->n_entries);
    dev_scan(d, number, number, m->n_entries, work);
}
