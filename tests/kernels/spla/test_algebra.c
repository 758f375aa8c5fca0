/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of the algebra (algebra.h) as a whole, on the backend under test: a transpose of a transpose, products
 * against tables of rows and columns, products with vectors by rows and by columns, edge numbers, memory as planned. */
#include "tests/kernels/launch.h"
#include "gpu/engines/spla/algebra.h"
#include "tests/kernels/spla/spla_case.h"
#include "tests/oracle/cases.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 200
#define MEMORY (1 << 20)
#define GUARD 4096 /* of poison behind what was planned */

static sdd_device *device;
static char *memory; /* device */

/* ---- moving matrices ---------------------------------------------------------------------------------------- */
static void *put(struct arena *a, const void *from, int64_t n, int64_t item)
{
    void *to = arena_take(a, n, item);
    dev_upload(device, to, from, n * item);
    return to;
}

static struct sdd_spla put_matrix(struct arena *a, const struct spla_case *c)
{
    struct sdd_spla m = {.n_rows = (uint32_t)c->n_rows, .n_cols = (uint32_t)c->n_cols, .size = c->size};
    m.n_entries = (uint32_t)c->n_entries;
    m.ptr = c->ptr ? put(a, c->ptr, c->n_cols + 1, 4) : NULL;
    m.rid = put(a, c->rid, c->n_entries, 4);
    m.val = c->val ? put(a, c->val, c->n_entries, 4) : NULL;
    return m;
}

static void finish(void)
{
    struct sdd_error err = {0};
    if (dev_finish(device, &err))
        fail_msg("%s: %s", launch_case(), err.text);
}

struct arrays { /* a matrix on the host */
    int32_t *ptr, *val;
    uint32_t *rid;
};

static struct arrays get_matrix(const struct sdd_spla *m)
{
    struct arrays r = {xalloc(m->n_cols + 1, 4), xalloc(m->n_entries, 4), xalloc(m->n_entries, 4)};
    dev_download(device, r.ptr, m->ptr, 4 * ((int64_t)m->n_cols + 1));
    dev_download(device, r.val, m->val, 4 * (int64_t)m->n_entries);
    dev_download(device, r.rid, m->rid, 4 * (int64_t)m->n_entries);
    finish();
    return r;
}

static void free_arrays(struct arrays *r)
{
    free(r->ptr), free(r->val), free(r->rid);
}

/* Work memory of exactly the planned size, with poison behind it. */
static char *work_at(struct arena *a, int64_t bytes)
{
    char *work = arena_take(a, bytes, 1);
    dev_fill(device, work, 0xA5, bytes + GUARD);
    return work;
}

static void expect_guard(const char *work, int64_t bytes)
{
    unsigned char guard[GUARD];
    dev_download(device, guard, work + bytes, GUARD);
    finish();
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != 0xA5)
            fail_msg("%s: byte %d behind the planned memory was written", launch_case(), i);
}

static struct sdd_spla transposed(struct arena *a, const struct sdd_spla *m)
{
    struct sdd_spla out = algebra_matrix(a, m->n_cols, m->n_rows, m->n_entries);
    int64_t bytes = algebra_transpose_work(device, m);
    struct arena temporary = *a;
    char *work = work_at(&temporary, bytes);
    algebra_transpose(device, m, &out, work);
    expect_guard(work, bytes);
    return out;
}

/* ---- laws --------------------------------------------------------------------------------------------------- */
/* Columns of the result ascend, and it has the entries that `at` says, transposed or not. */
static void expect_entries(const struct spla_case *c, const struct arrays *r, int flipped)
{
    int n_cols = flipped ? c->n_rows : c->n_cols;
    assert_int_equal(r->ptr[0], 0);
    assert_int_equal(r->ptr[n_cols], c->n_entries);
    for (int k = 0; k < n_cols; k++)
        for (int z = r->ptr[k]; z < r->ptr[k + 1]; z++) {
            int row = (int)r->rid[z], at = flipped ? c->at[k * c->n_cols + row] : c->at[row * c->n_cols + k];
            if (at < 0 || r->val[z] != spla_case_value(c, at) || (z > r->ptr[k] && r->rid[z - 1] >= r->rid[z]))
                fail_msg("%s: entry %d of column %d", launch_case(), z, k);
        }
}

static void test_transpose(void **state)
{
    (void)state;
    for (int i = 0; i < N_RANDOM; i++) {
        uint64_t seed = 7 + (uint64_t)i * 1000003;
        struct spla_case c;
        launch_say("matrix %d", i);
        spla_case_random(&c, &seed, 1 + random_below(&seed, 40), 1 + random_below(&seed, 40), 5, i % 3);
        struct arena a = {memory, 0};
        struct sdd_spla m = put_matrix(&a, &c), t = transposed(&a, &m), back = transposed(&a, &t);
        struct sdd_spla again = transposed(&a, &back);
        struct arrays once = get_matrix(&t), twice = get_matrix(&back), thrice = get_matrix(&again);
        expect_entries(&c, &once, 1);
        expect_entries(&c, &twice, 0);
        assert_memory_equal(once.ptr, thrice.ptr, 4 * ((size_t)t.n_cols + 1));
        assert_memory_equal(once.rid, thrice.rid, 4 * (size_t)t.n_entries);
        assert_memory_equal(once.val, thrice.val, 4 * (size_t)t.n_entries);
        free_arrays(&once), free_arrays(&twice), free_arrays(&thrice);
        spla_case_free(&c);
    }
}

static const int32_t table[16] = {0, 1, 0, 2, 4, 0, 0, 1, 0, 3, 1, 0, 0, 0, 2, 0};

static void check_product(const struct spla_case *a, const struct spla_case *b, const struct sdd_map *q, int gamma)
{
    int n = 0, n_entries = 0;
    for (int i = 0; i < a->n_rows * b->n_rows; i++) {
        struct spla_term t = spla_case_term(a, b, q, i / b->n_rows, i % b->n_rows);
        n += t.n, n_entries += t.n > 0;
    }
    struct arena at = {memory, 0};
    struct sdd_product p = {.a = put_matrix(&at, a), .q = *q, .gamma = gamma};
    p.b = put_matrix(&at, b);
    p.q.table = put(&at, table, 16, 4);
    struct sdd_spla out = algebra_matrix(&at, a->n_rows, b->n_rows, n_entries);
    int64_t bytes = algebra_product_work(device, &p, n);
    char *work = work_at(&at, bytes);
    algebra_product(device, &p, &out, n, work);
    expect_guard(work, bytes);
    struct arrays r = get_matrix(&out);
    assert_int_equal(r.ptr[b->n_rows], n_entries);
    for (int j = 0; j < b->n_rows; j++) {
        int z = r.ptr[j];
        for (int i = 0; i < a->n_rows; i++) {
            struct spla_term t = spla_case_term(a, b, q, i, j);
            int want = gamma == SDD_GAMMA_SUM ? t.sum : gamma == SDD_GAMMA_OR ? t.bits : t.face;
            if (t.n == 0)
                continue;
            if (z >= r.ptr[j + 1] || r.rid[z] != (uint32_t)i || r.val[z] != want)
                fail_msg("%s: entry (%d, %d) is not %d", launch_case(), i, j, want);
            z++;
        }
        assert_int_equal(z, r.ptr[j + 1]);
    }
    free_arrays(&r);
}

static void test_product(void **state)
{
    static const struct sdd_map maps[] = {
        {SDD_ACTION_POWERS, 2, {1, -1}, NULL, 0}, {SDD_ACTION_POWERS, 1, {1, 0}, NULL, 0},
        {SDD_ACTION_DIAGONAL, 0, {0}, NULL, 0},   {SDD_ACTION_TABLE, 0, {0}, table, 4},
        {SDD_ACTION_POWERS, 2, {2, 3}, NULL, 0},
    };
    (void)state;
    for (int i = 0; i < N_RANDOM; i++) {
        uint64_t seed = 11 + (uint64_t)i * 1000003;
        struct spla_case a, b;
        int n_cols = 1 + random_below(&seed, 25), most = 1 + random_below(&seed, 5);
        launch_say("product %d", i);
        spla_case_random(&a, &seed, 5 + random_below(&seed, 20), n_cols, most, i % 3);
        spla_case_random(&b, &seed, 5 + random_below(&seed, 20), n_cols, most, i / 3 % 3);
        check_product(&a, &b, maps + i % 5, i % 7 % 3);
        check_product(&a, &a, maps + i % 5, i % 7 % 3);
        spla_case_free(&a), spla_case_free(&b);
    }
}

/* M^T x by columns and M x by the columns of the transpose; of ones, with weights that sum to one, come ones. */
static void test_multiply(void **state)
{
    (void)state;
    for (int i = 0; i < N_RANDOM; i++) {
        uint64_t seed = 13 + (uint64_t)i * 1000003;
        struct spla_case c;
        launch_say("vector %d", i);
        spla_case_random(&c, &seed, 1 + random_below(&seed, 40), 1 + random_below(&seed, 40), 5, i % 3);
        int most = c.n_rows > c.n_cols ? c.n_rows : c.n_cols;
        float *x = xalloc(3 * most, 4), *y = xalloc(3 * most, 4), *z = xalloc(3 * most, 4), *mean = xalloc(3 * most, 4);
        for (int k = 0; k < 3 * most; k++)
            x[k] = 1.0f;
        struct arena a = {memory, 0};
        struct sdd_spla m = put_matrix(&a, &c), t = transposed(&a, &m);
        float *dx = put(&a, x, 3 * most, 4), *dy = put(&a, x, 3 * most, 4), *dz = put(&a, x, 3 * most, 4);
        float *dmean = put(&a, x, 3 * most, 4);
        double *sum = arena_take(&a, 3 * most, 8);
        algebra_multiply(device, &m, algebra_mean(), dx, dmean);
        algebra_multiply(device, &m, algebra_constant(0.5), dx, dy);
        algebra_add(device, &t, algebra_constant(0.75), dx, sum, 1, NULL);
        algebra_add(device, &t, algebra_constant(-0.25), dx, sum, 0, dz);
        dev_download(device, mean, dmean, 12 * c.n_cols);
        dev_download(device, y, dy, 12 * c.n_cols);
        dev_download(device, z, dz, 12 * c.n_rows);
        finish();
        for (int k = 0; k < c.n_cols; k++) {
            int n = spla_case_size(&c, k);
            assert_true(fabsf(mean[3 * k + 2] - (n > 0)) < 1e-6f && y[3 * k + 1] == 0.5f * (float)n);
        }
        for (int row = 0; row < c.n_rows; row++) {
            int n = 0;
            for (int k = 0; k < c.n_cols; k++)
                n += c.at[row * c.n_cols + k] >= 0;
            assert_true(z[3 * row] == 0.5f * (float)n);
        }
        free(x), free(y), free(z), free(mean);
        spla_case_free(&c);
    }
}

/* The matrices of a tetrahedron and of two triangles at an edge, which can be written down. */
static void test_known(void **state)
{
    static const uint32_t faces[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    static const struct {
        int V, F, E, edge[6][3], face[12][3]; /* (i, j, value) above the diagonal; (i, j, face) */
    } known[] = {
        {4,
         4,
         6,
         {{0, 1, 2}, {0, 2, 2}, {1, 2, 2}, {0, 3, 2}, {1, 3, 2}, {2, 3, 2}},
         {{1, 0, 1},
          {2, 0, 0},
          {3, 0, 3},
          {0, 1, 0},
          {2, 1, 2},
          {3, 1, 1},
          {0, 2, 3},
          {1, 2, 0},
          {3, 2, 2},
          {0, 3, 1},
          {1, 3, 2},
          {2, 3, 3}}},
        {4,
         2,
         5,
         {{0, 1, 2}, {0, 2, 1}, {1, 2, 1}, {0, 3, 1}, {1, 3, 1}},
         {{1, 0, 1}, {2, 0, 0}, {0, 1, 0}, {3, 1, 1}, {1, 2, 0}, {0, 3, 1}}},
    };
    (void)state;
    for (int c = 0; c < 2; c++) {
        struct arena a = {memory, 0};
        int V = known[c].V, E = known[c].E, C = 3 * known[c].F, n = 0;
        struct sdd_spla m = algebra_reduced(&a, V, known[c].F, 3), e = algebra_matrix(&a, V, V, 2 * E);
        struct sdd_spla f = algebra_matrix(&a, V, V, C);
        struct sdd_product edges = {m, m, {SDD_ACTION_POWERS, 2, {1, 2}, NULL, 0}, SDD_GAMMA_SUM};
        struct sdd_product along = {m, m, {SDD_ACTION_POWERS, 1, {1, 0}, NULL, 0}, SDD_GAMMA_FACE};
        int32_t *number = arena_take(&a, 2 * E, 4), *got = xalloc(2 * E, 4);
        void *work = arena_take(&a, MEMORY / 2, 1);
        launch_say("mesh %d", c);
        dev_upload(device, m.rid, faces, 4 * C);
        algebra_product(device, &edges, &e, 2 * C, work);
        algebra_product(device, &along, &f, C, work);
        algebra_number(device, &e, number, work);
        struct arrays re = get_matrix(&e), rf = get_matrix(&f);
        dev_download(device, got, number, 8 * E);
        finish();
        for (int j = 0; j < V; j++)
            for (int z = re.ptr[j]; z < re.ptr[j + 1]; z++)
                if (re.rid[z] < (uint32_t)j) { /* the n-th above the diagonal */
                    const int want[3] = {(int)re.rid[z], j, re.val[z]};
                    assert_memory_equal(want, known[c].edge[n], sizeof want);
                    assert_int_equal(got[z], ++n);
                }
        assert_int_equal(n, E);
        for (int j = 0; j < V; j++)
            for (int z = rf.ptr[j]; z < rf.ptr[j + 1]; z++) {
                const int want[3] = {(int)rf.rid[z], j, rf.val[z]};
                assert_memory_equal(want, known[c].face[z], sizeof want);
            }
        free_arrays(&re), free_arrays(&rf), free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transpose), cmocka_unit_test(test_product),
                                       cmocka_unit_test(test_multiply), cmocka_unit_test(test_known)};
    struct sdd_error err = {0};
    void *all = NULL;
    device = open_device(3);
    if (dev_alloc(device, MEMORY, &all, &err))
        return 1;
    memory = all;
    int failed = cmocka_run_group_tests_name("laws of the algebra", tests, NULL, NULL);
    dev_free(device, all, MEMORY);
    sdd_device_close(device);
    return failed;
}
