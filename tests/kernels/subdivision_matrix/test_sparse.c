/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of matrix_product, matrix_total, matrix_empty, matrix_rest, matrix_pack, matrix_apply, matrix_wide and
 * matrix_normals: random sparse matrices, beside them the same as full ones. A product with a vector has the same bits
 * in every form, for every k and width. */
#include "tests/kernels/launch.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_empty.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_normals.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_pack.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_product.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_rest.k.h"
#include "gpu/sparse/matrix_total.k.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_wide.k.h"
#include "tests/kernels/rows.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_RANDOM = 60, MOST = 90 };

static uint64_t seed = 7;

struct full {
    int64_t n, m; /* rows, columns */
    double w[MOST][MOST];
};

/* Rows of few entries, some of none, now and then one of many. */
static void random_rows(struct full *f, struct rows *r, int64_t n, int64_t m)
{
    memset(f, 0, sizeof *f);
    f->n = n, f->m = m;
    *r = (struct rows){.n = n, .n_columns = m, .end = xalloc(n, sizeof *r->end)};
    r->column = xalloc(n * m, sizeof *r->column), r->weight = xalloc(n * m, sizeof *r->weight);
    int32_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t often = random_below(&seed, 8) == 0 ? 1 : 2 + random_below(&seed, 20);
        for (int64_t j = 0; j < m; j++) {
            if (random_below(&seed, often + 1) != 0)
                continue;
            f->w[i][j] = (double)(2 * random_unit(&seed) - 1) + 1.5;
            r->column[at] = (uint32_t)j;
            r->weight[at++] = f->w[i][j];
        }
        r->end[i] = at;
    }
}

static struct sdd_csr upload(const struct rows *r)
{
    int64_t entries = r->end[r->n - 1];
    return (struct sdd_csr){launch_in(r->end, r->n, sizeof *r->end), launch_in(r->column, entries, sizeof *r->column),
                            launch_in(r->weight, entries, sizeof *r->weight)};
}

static void product_pass(void *context, struct sdd_matrix_rows to)
{
    const struct rows *ab = context;
    struct matrix_product_args a = {upload(ab), upload(ab + 1), to, 0};
    const int64_t part = ab[0].n / 2; /* some rows, then the rest */
    if (part)
        LAUNCH(matrix_product, &a, part);
    a.first = part;
    LAUNCH(matrix_product, &a, ab[0].n - part);
}

static void test_product(void **state)
{
    struct full *a = xalloc(2, sizeof *a), *b = a + 1;
    (void)state;
    for (int round = 0; round < N_RANDOM; round++) {
        struct rows ab[2], c;
        int64_t n = 1 + random_below(&seed, MOST), m = 1 + random_below(&seed, MOST), l = 1 + random_below(&seed, MOST);
        launch_say("product %d", round);
        random_rows(a, &ab[0], n, m);
        random_rows(b, &ab[1], m, l);
        rows_make(&c, n, l, product_pass, ab);
        for (int64_t i = 0; i < n; i++) {
            double got[MOST] = {0};
            for (int32_t k = i ? c.end[i - 1] : 0; k < c.end[i]; k++)
                got[c.column[k]] = c.weight[k];
            for (int64_t j = 0; j < l; j++) {
                double want = 0;
                for (int64_t k = 0; k < m; k++) /* in the order of the columns: the same bits */
                    want += a->w[i][k] * b->w[k][j];
                if (got[j] != want)
                    fail_msg("%s: entry (%lld, %lld) is %.17g, not %.17g", launch_case(), (long long)i, (long long)j,
                             got[j], want);
            }
        }
        rows_free(&ab[0]), rows_free(&ab[1]), rows_free(&c);
    }
    free(a);
}

static void test_total(void **state)
{
    (void)state;
    for (int64_t n = SDD_TOTAL_CHUNK - 1; n <= 3 * SDD_TOTAL_CHUNK; n += SDD_TOTAL_CHUNK / 2) {
        int64_t n_sums = (n + SDD_TOTAL_CHUNK - 1) / SDD_TOTAL_CHUNK, *want = xalloc(n_sums, sizeof *want);
        int32_t *count = xalloc(n, sizeof *count);
        for (int64_t i = 0; i < n; i++) {
            count[i] = INT32_MAX - random_below(&seed, 1000);
            want[i / SDD_TOTAL_CHUNK] += count[i];
        }
        struct matrix_total_args a = {launch_in(count, n, sizeof *count), launch_out(n_sums, sizeof *want), n};
        LAUNCH(matrix_total, &a, n_sums);
        launch_same(a.sum, want, "sum");
        launch_end();
        free(want), free(count);
    }
}

/* ---- forms ----------------------------------------------------------------------------------------------------- */
/* k < 0: compressed rows. */
static struct sdd_matrix pack(const struct rows *r, int k)
{
    int64_t n_rest = r->end[r->n - 1];
    struct matrix_pack_args a = {.a = upload(r)};
    a.to.n_rows = r->n;
    a.rest_end = a.to.end = a.a.end;
    if (k >= 0) {
        int32_t *end = xalloc(r->n, sizeof *end), longer = 0;
        struct matrix_rest_args rest = {a.a.end, launch_out(r->n, sizeof *end), k};
        LAUNCH(matrix_rest, &rest, r->n);
        const int32_t *count = launch_got(rest.count);
        for (int64_t i = 0; i < r->n; i++) {
            int32_t length = r->end[i] - (i ? r->end[i - 1] : 0);
            assert_int_equal(count[i], length > k ? length - k : 0);
            end[i] = longer += count[i];
        }
        n_rest = longer;
        a.rest_end = launch_in(end, r->n, sizeof *end);
        a.to.end = NULL;
        a.to.k = k;
        a.to.ell_column = k ? launch_out(k * r->n, sizeof *a.to.ell_column) : NULL;
        a.to.ell_weight = k ? launch_out(k * r->n, sizeof *a.to.ell_weight) : NULL;
        a.to.row = launch_out(n_rest, sizeof *a.to.row);
        free(end);
    }
    a.to.n_rest = n_rest;
    a.to.column = launch_out(n_rest, sizeof *a.to.column);
    a.to.weight = launch_out(n_rest, sizeof *a.to.weight);
    LAUNCH(matrix_pack, &a, r->n);
    return a.to;
}

/* What the form says, back as a full matrix of floats. */
static void unpack(const struct sdd_matrix *m, const int32_t *end, float (*out)[MOST])
{
    const uint32_t *column = launch_got(m->column), *row = m->row ? launch_got(m->row) : NULL;
    const float *weight = launch_got(m->weight);
    for (int64_t i = 0; i < m->n_rows && m->k; i++)
        for (int32_t j = 0; j < m->k; j++) {
            uint32_t c = ((const uint32_t *)launch_got(m->ell_column))[j * m->n_rows + i];
            float w = ((const float *)launch_got(m->ell_weight))[j * m->n_rows + i];
            if (c != SDD_NONE)
                out[i][c & ~SDD_ELL_MORE] = w;
        }
    for (int64_t k = 0, i = 0; k < m->n_rest; k++) {
        while (!row && end[i] <= k)
            i++;
        out[row ? row[k] : i][column[k]] = weight[k];
    }
}

static void check_times(const struct full *f, const struct sdd_matrix *m, const float *x, int32_t n, int32_t stride)
{
    int64_t first = f->n / 3, rows = f->n - first;
    float *y = poisoned(rows * stride, sizeof *y);
    struct matrix_apply_args a = {
        *m, launch_in(x, f->m * stride, 4), launch_inout(y, rows * stride, 4), {n, stride}, first};
    struct matrix_wide_args wide = {a};
    const float *got = NULL;
    LAUNCH(matrix_wide, &wide, rows);
    if (n <= 3) {
        a.y = launch_inout(y, rows * stride, 4);
        LAUNCH(matrix_apply, &a, rows);
        got = launch_got(a.y);
    }
    const float *both = launch_got(wide.apply.y);
    for (int64_t i = 0; i < rows; i++)
        for (int32_t c = 0; c < n; c++) {
            double want = 0;
            for (int64_t j = 0; j < f->m; j++)
                if (f->w[first + i][j] != 0)
                    want = fma((double)(float)f->w[first + i][j], (double)x[j * stride + c], want);
            y[i * stride + c] = (float)want;
        }
    if (memcmp(both, y, (size_t)(rows * stride) * sizeof *y) != 0 ||
        (got && memcmp(got, y, (size_t)(rows * stride) * sizeof *y) != 0))
        fail_msg("%s, k %d, width %d of %d: other bits", launch_case(), m->row ? m->k : -1, n, stride);
    free(y);
}

static void test_forms(void **state)
{
    struct full *f = xalloc(1, sizeof *f);
    float x[MOST * 9], (*got)[MOST] = xalloc(MOST, sizeof *got);
    (void)state;
    for (int round = 0; round < N_RANDOM; round++) {
        struct rows r;
        random_rows(f, &r, 1 + random_below(&seed, MOST), 1 + random_below(&seed, MOST));
        for (int i = 0; i < MOST * 9; i++)
            x[i] = 2 * random_unit(&seed) - 1;
        launch_say("form %d", round);
        for (int k = -1; k < 12; k++) {
            struct sdd_matrix m = pack(&r, k);
            memset(got, 0, MOST * sizeof *got);
            unpack(&m, r.end, got);
            for (int64_t i = 0; i < f->n; i++)
                for (int64_t j = 0; j < f->m; j++)
                    assert_true(got[i][j] == (float)f->w[i][j]);
            check_times(f, &m, x, 3, 3);
            check_times(f, &m, x, 2, 2);
            check_times(f, &m, x, 2, 5);
            check_times(f, &m, x, 1, 4);
            check_times(f, &m, x, 4, 4);
            check_times(f, &m, x, 5, 7);
            check_times(f, &m, x, 8, 9);
            launch_end();
        }
        rows_free(&r);
    }
    free(f), free(got);
}

/* The rows' weights, made to sum to zero, times x; from the first point of each, far from which all of them are. */
static void tangent(const struct full *f, int64_t i, const float *x, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int64_t j = 0; j < f->m; j++)
        for (int c = 0; c < 3; c++)
            out[c] += (double)(float)f->w[i][j] * ((double)x[3 * j + c] - 1000);
}

static void close_rows(struct full *f, struct rows *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        int32_t first = i ? r->end[i - 1] : 0, last = r->end[i] - 1;
        double sum = 0;
        for (int32_t k = first; k <= last; k++)
            f->w[i][r->column[k]] = r->weight[k] = floor(r->weight[k] * 256) / 256; /* exact in float */
        for (int32_t k = first; k < last; k++)
            sum += r->weight[k];
        if (last >= first)
            f->w[i][r->column[last]] = r->weight[last] = -sum;
    }
}

static void check_normal(const struct full *f, const struct full *g, int64_t i, const float *x, const float *normal,
                         const float *tangents)
{
    double t[2][3], n[3], length;
    tangent(f, i, x, t[0]);
    tangent(g, i, x, t[1]);
    for (int c = 0; c < 3; c++)
        n[c] = t[0][(c + 1) % 3] * t[1][(c + 2) % 3] - t[0][(c + 2) % 3] * t[1][(c + 1) % 3];
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) {
        const double *want = k == 2 ? n : t[k];
        const float *got = k == 2 ? normal : tangents + 3 * k;
        double size = sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]);
        for (int c = 0; c < 3; c++)
            if (!(fabs((double)got[c] - (length > 0 ? want[c] / size : 0)) <= 1e-4))
                fail_msg("%s: row %lld, %d: %g is not %g", launch_case(), (long long)i, k, (double)got[c],
                         want[c] / size);
    }
}

static void test_normals(void **state)
{
    struct full *f = xalloc(2, sizeof *f);
    float x[MOST * 3];
    int64_t n_checked = 0;
    (void)state;
    for (int round = 0; round < N_RANDOM; round++) {
        struct rows r[2];
        int64_t n = 1 + random_below(&seed, MOST), m = 3 + random_below(&seed, MOST - 3);
        launch_say("normals %d", round);
        for (int k = 0; k < 2; k++)
            random_rows(f + k, r + k, n, m), close_rows(f + k, r + k);
        for (int i = 0; i < MOST * 3; i++)
            x[i] = 1000 + random_unit(&seed);
        struct matrix_empty_args empty = {launch_in(r[0].end, n, 4), launch_out(n, 4)};
        LAUNCH(matrix_empty, &empty, n);
        const int32_t *flag = launch_got(empty.flag);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(flag[i], r[0].end[i] == (i ? r[0].end[i - 1] : 0));
        struct matrix_normals_args a = {pack(&r[0], round % 5 - 1), pack(&r[1], round % 4 - 1), launch_in(x, m * 3, 4),
                                        launch_out(n, 12), launch_out(n, 24)};
        LAUNCH(matrix_normals, &a, n);
        const float *normal = launch_got(a.normal), *tangents = launch_got(a.tangents);
        for (int64_t i = 0; i < n; i++) {
            int32_t length = r[0].end[i] - (i ? r[0].end[i - 1] : 0), other = r[1].end[i] - (i ? r[1].end[i - 1] : 0);
            if (length == 0)
                assert_true(((const uint32_t *)(normal + 3 * i))[2] == LAUNCH_POISON32);
            else if (length > 2 && other > 2)
                check_normal(f, f + 1, i, x, normal + 3 * i, tangents + 6 * i), n_checked++;
        }
        for (int k = 0; k < 2; k++) {
            const struct sdd_matrix *form = k ? &a.t2 : &a.t1;
            float(*got)[MOST] = xalloc(MOST, sizeof *got);
            unpack(form, r[k].end, got);
            free(got);
        }
        launch_end();
        rows_free(&r[0]), rows_free(&r[1]);
    }
    assert_true(n_checked > 300);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_product), cmocka_unit_test(test_total),
                                       cmocka_unit_test(test_forms), cmocka_unit_test(test_normals)};
    return LAUNCH_GROUP("sparse matrices", tests);
}
