/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the algebra's kernels, on small matrices of all forms with empty columns: spla_row_keys, spla_pointers,
 * spla_transposed, spla_count, spla_fill, spla_combine, spla_multiply, spla_upper. What is expected comes from going
 * through tables of rows and columns. */
#include "tests/kernels/launch.h"
#include "gpu/engines/spla/kernels/spla_combine.k.h"
#include "gpu/engines/spla/kernels/spla_count.k.h"
#include "gpu/engines/spla/kernels/spla_fill.k.h"
#include "gpu/engines/spla/kernels/spla_multiply.k.h"
#include "gpu/engines/spla/kernels/spla_pointers.k.h"
#include "gpu/engines/spla/kernels/spla_row_keys.k.h"
#include "gpu/engines/spla/kernels/spla_transposed.k.h"
#include "gpu/engines/spla/kernels/spla_upper.k.h"
#include "tests/kernels/spla/spla_case.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 300
#define BITS 7

static void each_matrix(int square, void (*check)(const struct spla_case *c, uint64_t *seed))
{
    for (int i = 0; i < N_RANDOM; i++) {
        uint64_t seed = 77 + (uint64_t)i * 1000003;
        struct spla_case c;
        int n_rows = 1 + random_below(&seed, 30), n_cols = square ? n_rows : 1 + random_below(&seed, 30);
        launch_say("matrix %d, %d x %d, form %d", i, n_rows, n_cols, i % 3);
        spla_case_random(&c, &seed, n_rows, n_cols, 1 + random_below(&seed, 6), i % 3);
        if (c.size != 0 || i % 3 != 2)
            check(&c, &seed);
        spla_case_free(&c);
    }
}

/* ---- transpose --------------------------------------------------------------------------------------------- */
static void check_row_keys(const struct spla_case *c, uint64_t *seed)
{
    uint64_t *keys = xalloc(c->n_entries, sizeof *keys);
    int32_t *order = xalloc(c->n_entries, sizeof *order);
    (void)seed;
    for (int z = 0; z < c->n_entries; z++)
        keys[z] = c->rid[z], order[z] = z;
    struct spla_row_keys_args a = {.m = spla_case_in(c), .key = launch_out(c->n_entries, 8)};
    a.order = launch_out(c->n_entries, 4);
    LAUNCH(spla_row_keys, &a, c->n_entries);
    launch_same(a.key, keys, "keys");
    launch_same(a.order, order, "order");
    launch_end();
    free(keys), free(order);
}

/* The order of the transpose: for each row its entries, as they come. */
static int32_t *order_of(const struct spla_case *c)
{
    int32_t *order = xalloc(c->n_entries, sizeof *order), n = 0;
    for (int row = 0; row < c->n_rows; row++)
        for (int z = 0; z < c->n_entries; z++)
            if (c->rid[z] == (uint32_t)row)
                order[n++] = z;
    return order;
}

static void check_transposed(const struct spla_case *c, uint64_t *seed)
{
    int32_t *order = order_of(c), *val = xalloc(c->n_entries, sizeof *val);
    uint32_t *rid = xalloc(c->n_entries, sizeof *rid);
    (void)seed;
    for (int i = 0; i < c->n_entries; i++)
        rid[i] = (uint32_t)c->column[order[i]], val[i] = spla_case_value(c, order[i]);
    struct spla_transposed_args a = {.m = spla_case_in(c), .order = launch_in(order, c->n_entries, 4)};
    a.rid = launch_out(c->n_entries, 4), a.val = launch_out(c->n_entries, 4);
    LAUNCH(spla_transposed, &a, c->n_entries);
    launch_same(a.rid, rid, "rows");
    launch_same(a.val, val, "values");
    launch_end();
    free(order), free(rid), free(val);
}

/* Keys of any number of columns, some without keys, equal keys as one entry or as several. */
static void check_pointers(uint64_t *seed, int n_cols, int n_keys, int shift, int merge)
{
    uint64_t *key = xalloc(n_keys, sizeof *key);
    int32_t *rank = xalloc(n_keys, sizeof *rank), *want = xalloc(n_cols + 1, sizeof *want);
    int n = 0;
    for (int column = 0; column < n_cols && n < n_keys; column++)
        for (int i = random_below(seed, 4); i > 0 && n < n_keys; i--) {
            key[n] = (uint64_t)column << shift | (shift ? (unsigned)random_below(seed, 2) + 2u * (unsigned)(n & 1) : 0);
            if (n > 0 && key[n] < key[n - 1])
                key[n] = key[n - 1];
            n++;
        }
    for (int i = 0; i < n; i++)
        rank[i] = (i ? rank[i - 1] : 0) + (i == 0 || key[i] != key[i - 1]);
    for (int column = 0; column <= n_cols; column++)
        for (int i = 0; i < n; i++)
            if ((int)(key[i] >> shift) < column && (!merge || i == 0 || key[i] != key[i - 1]))
                want[column]++;
    struct spla_pointers_args a = {.key = launch_in(key, n, 8), .rank = merge ? launch_in(rank, n, 4) : NULL};
    a.n_keys = n, a.shift = shift, a.ptr = launch_out(n_cols + 1, 4);
    LAUNCH(spla_pointers, &a, n_cols + 1);
    launch_same(a.ptr, want, "pointers");
    launch_end();
    free(key), free(rank), free(want);
}

static void test_transpose(void **state)
{
    (void)state;
    each_matrix(0, check_row_keys);
    each_matrix(0, check_transposed);
    uint64_t seed = 5;
    for (int i = 0; i < N_RANDOM; i++) {
        launch_say("pointers %d", i);
        check_pointers(&seed, 1 + random_below(&seed, 40), random_below(&seed, 60), i % 2 ? 5 : 0, i % 2);
    }
}

/* ---- product of matrices ------------------------------------------------------------------------------------ */
static const int32_t table[25] = {0, 1, 0, 0, 2, 3, 0, 0, 1, 0, 0, 0, 1, 4, 0, 1, 0, 2, 0, 0, 0, 1, 1, 0, 1};
static const struct sdd_map maps[] = {
    {SDD_ACTION_POWERS, 1, {1, 0}, NULL, 0}, {SDD_ACTION_POWERS, 2, {1, -1}, NULL, 0},
    {SDD_ACTION_POWERS, 2, {1, 2}, NULL, 0}, {SDD_ACTION_POWERS, 2, {-3, 4}, NULL, 0},
    {SDD_ACTION_DIAGONAL, 0, {0}, NULL, 0},  {SDD_ACTION_TABLE, 0, {0}, table, 5},
    {SDD_ACTION_POWERS, 1, {0, 0}, NULL, 0},
};
#define N_MAPS ((int)(sizeof maps / sizeof *maps))

struct pair { /* two matrices with the same columns, and a map */
    struct spla_case a, b;
    const struct sdd_map *q;
    int n; /* collisions, then what they are: */
    int *entry;
    uint64_t *key;
    int32_t *column;
    int32_t *value;
};

/* All collisions, entry of B by entry of B; those of one entry in no special order. */
static void find_collisions(struct pair *p)
{
    const int room = p->a.n_entries * p->b.n_entries;
    p->entry = xalloc(room, sizeof *p->entry), p->key = xalloc(room, sizeof *p->key);
    p->column = xalloc(room, sizeof *p->column), p->value = xalloc(room, sizeof *p->value);
    for (int z = 0; z < p->b.n_entries; z++)
        for (int w = 0; w < p->a.n_entries; w++) {
            int k = p->b.column[z], v = 0;
            if (p->a.column[w] == k)
                v = spla_case_map(p->q, spla_case_value(&p->a, w), spla_case_value(&p->b, z), spla_case_size(&p->a, k));
            if (v == 0)
                continue;
            p->entry[p->n] = z, p->column[p->n] = k, p->value[p->n] = v;
            p->key[p->n++] = (uint64_t)p->b.rid[z] << BITS | p->a.rid[w];
        }
}

static struct sdd_product upload_pair(const struct pair *p, int same, int gamma)
{
    struct sdd_product r = {.a = spla_case_in(&p->a), .q = *p->q, .gamma = gamma};
    r.b = same ? r.a : spla_case_in(&p->b);
    if (r.q.table)
        r.q.table = launch_in(table, 25, 4);
    return r;
}

static void check_count_and_fill(struct pair *p, int same, int gamma)
{
    int32_t *count = xalloc(p->b.n_entries, sizeof *count);
    for (int i = 0; i < p->n; i++)
        count[p->entry[i]]++;
    struct spla_count_args c = {.p = upload_pair(p, same, gamma), .count = launch_out(p->b.n_entries, 4)};
    LAUNCH(spla_count, &c, p->b.n_entries);
    launch_same(c.count, count, "collisions");
    launch_end();
    for (int z = 1; z < p->b.n_entries; z++)
        count[z] += count[z - 1];
    struct spla_fill_args f = {.p = upload_pair(p, same, gamma), .end = launch_in(count, p->b.n_entries, 4)};
    f.key = launch_out(p->n, 8), f.value = launch_out(p->n, 4), f.bits = BITS;
    LAUNCH(spla_fill, &f, p->b.n_entries);
    const uint64_t *key = launch_got(f.key);
    const int32_t *value = launch_got(f.value);
    for (int i = 0; i < p->n; i++) { /* as a set, entry by entry */
        int found = 0, want = gamma == SDD_GAMMA_FACE ? p->column[i] : p->value[i];
        for (int j = p->entry[i] ? count[p->entry[i] - 1] : 0; j < count[p->entry[i]]; j++)
            found += key[j] == p->key[i] && value[j] == want;
        if (found != 1)
            fail_msg("%s: collision %d of %d was written %d times", launch_case(), i, p->n, found);
    }
    launch_end();
    free(count);
}

static void test_product(void **state)
{
    (void)state;
    for (int i = 0; i < N_RANDOM; i++) {
        uint64_t seed = 99 + (uint64_t)i * 1000003;
        int n_cols = 1 + random_below(&seed, 12), most = 1 + random_below(&seed, 5), same = i % 2;
        struct pair p = {.q = maps + i % N_MAPS};
        launch_say("product %d, map %d", i, i % N_MAPS);
        spla_case_random(&p.a, &seed, 5 + random_below(&seed, 20), n_cols, most, i / N_MAPS % 3);
        if (same)
            p.b = p.a;
        else
            spla_case_random(&p.b, &seed, 5 + random_below(&seed, 20), n_cols, most, 0);
        find_collisions(&p);
        check_count_and_fill(&p, same, i % 3);
        spla_case_free(&p.a);
        if (!same)
            spla_case_free(&p.b);
        free(p.entry), free(p.key), free(p.column), free(p.value);
    }
}

/* Runs of equal keys become one entry each. */
static void test_combine(void **state)
{
    (void)state;
    for (int i = 0; i < N_RANDOM; i++) {
        uint64_t seed = 3 + (uint64_t)i * 1000003, key[60];
        int32_t value[60], rank[60], val[60] = {0}, n = random_below(&seed, 60), n_runs = 0, gamma = i % 3;
        uint32_t rid[60] = {0};
        launch_say("runs %d, gamma %d", i, gamma);
        for (int j = 0; j < n; j++) {
            int head = j == 0 || random_below(&seed, 3) == 0;
            key[j] = head ? (j ? key[j - 1] : 0) + 1 + (uint64_t)random_below(&seed, 100) : key[j - 1];
            value[j] = random_below(&seed, 9);
            n_runs += head;
            rank[j] = n_runs;
            rid[n_runs - 1] = (uint32_t)(key[j] % 128);
            if (head)
                val[n_runs - 1] = value[j];
            else if (gamma == SDD_GAMMA_SUM)
                val[n_runs - 1] += value[j];
            else if (gamma == SDD_GAMMA_OR)
                val[n_runs - 1] |= value[j];
        }
        struct spla_combine_args a = {.key = launch_in(key, n, 8), .value = launch_in(value, n, 4)};
        a.rank = launch_in(rank, n, 4), a.n_keys = n, a.bits = BITS, a.gamma = gamma;
        a.rid = launch_out(n_runs, 4), a.val = launch_out(n_runs, 4);
        LAUNCH(spla_combine, &a, n);
        launch_same(a.rid, rid, "rows");
        launch_same(a.val, val, "values");
        launch_end();
    }
}

/* ---- product with a vector ---------------------------------------------------------------------------------- */
static double weight_of(const struct sdd_weights *w, const double *by_column, int value, int column, int n)
{
    const double all[] = {w->w[0], 1.0 / n, w->kind == SDD_WEIGH_VALUES ? w->w[value] : 0, by_column[column]};
    return all[w->kind];
}

static void check_multiply(const struct spla_case *c, uint64_t *seed)
{
    float *x = xalloc(3 * c->n_rows, sizeof *x), *want = xalloc(3 * c->n_cols, sizeof *want);
    double *by_column = xalloc(c->n_cols, sizeof *by_column), *sum = xalloc(3 * c->n_cols, sizeof *sum);
    struct sdd_weights w = {.kind = random_below(seed, 4), .w = {0.5, 0.25, -3.0, 1.0 / 3.0}};
    int add = random_below(seed, 2), mode = add ? 2 : random_below(seed, 2);
    for (int z = 0; z < c->n_entries; z++)
        if (spla_case_value(c, z) > 3) /* the table ends there */
            w.kind = SDD_WEIGH_MEAN;
    for (int i = 0; i < 3 * c->n_rows; i++)
        x[i] = random_unit(seed) - 0.5f;
    for (int i = 0; i < c->n_cols; i++)
        by_column[i] = (double)random_unit(seed);
    for (int i = 0; i < 3 * c->n_cols; i++)
        sum[i] = 1.0 + (double)random_unit(seed); /* counts where it is added to */
    struct spla_multiply_args a = {.m = spla_case_in(c), .map = w, .x = launch_in(x, 3 * c->n_rows, 4), .add = add};
    a.map.by_column = launch_in(by_column, c->n_cols, 8);
    a.sum = mode ? launch_inout(sum, 3 * c->n_cols, 8) : NULL;
    a.y = launch_out(3 * c->n_cols, 4);
    for (int i = 0; i < 3 * c->n_cols; i++) {
        double total = 0;
        for (int z = 0; z < c->n_entries; z++)
            if (c->column[z] == i / 3)
                total += weight_of(&w, by_column, spla_case_value(c, z), i / 3, spla_case_size(c, i / 3)) *
                         (double)x[3 * c->rid[z] + (uint32_t)(i % 3)];
        sum[i] = add ? total + sum[i] : total;
        want[i] = (float)sum[i];
    }
    LAUNCH(spla_multiply, &a, c->n_cols);
    const double *got_sum = mode ? launch_got(a.sum) : sum;
    const float *got = launch_got(a.y);
    for (int i = 0; i < 3 * c->n_cols; i++)
        if (!(fabs(got_sum[i] - sum[i]) <= 1e-14) || !(fabs((double)got[i] - sum[i]) <= 1e-6))
            fail_msg("%s: weight %d: y[%d] is %.9g, not %.9g", launch_case(), w.kind, i, (double)got[i],
                     (double)want[i]);
    launch_end();
    free(x), free(want), free(by_column), free(sum);
}

static void test_multiply(void **state)
{
    (void)state;
    each_matrix(0, check_multiply);
    /* the identity has no arrays */
    const float x[6] = {1, 2, 3, 4, 5, 6}, want[6] = {0.25f, 0.5f, 0.75f, 1, 1.25f, 1.5f};
    struct spla_multiply_args a = {.map = {.kind = SDD_WEIGH_ALL, .w = {0.25}}, .x = launch_in(x, 6, 4)};
    a.m.size = 1, a.m.n_rows = a.m.n_cols = a.m.n_entries = 2, a.y = launch_out(6, 4);
    LAUNCH(spla_multiply, &a, 2);
    launch_same(a.y, want, "a quarter");
    launch_end();
}

static void check_upper(const struct spla_case *c, uint64_t *seed)
{
    int32_t *want = xalloc(c->n_entries, sizeof *want);
    (void)seed;
    for (int z = 0; z < c->n_entries; z++)
        want[z] = (int)c->rid[z] < c->column[z];
    struct spla_upper_args a = {.m = spla_case_in(c), .flag = launch_out(c->n_entries, 4)};
    LAUNCH(spla_upper, &a, c->n_entries);
    launch_same(a.flag, want, "flags");
    launch_end();
    free(want);
}

static void test_upper(void **state)
{
    (void)state, each_matrix(1, check_upper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose), cmocka_unit_test(test_product), cmocka_unit_test(test_combine),
        cmocka_unit_test(test_multiply),  cmocka_unit_test(test_upper),
    };
    return LAUNCH_GROUP("kernels of the algebra", tests);
}
