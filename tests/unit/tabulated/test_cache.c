/* SPDX-License-Identifier: Apache-2.0 */
/* table_cache.h: what comes out has the bits of table_class_table and table_tri_table, whatever was kept, dropped or
 * asked for before, by one thread or several; no more is kept than is allowed, and what was used least lately goes. */
#include "gpu/engines/tabulated/cache.h"
#include "tests/unit/tabulated/sample_classes.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 3, MOST = MAX_SAMPLE_COLUMNS * ((1 << STEPS) + 1) * ((1 << STEPS) + 1) };

struct floats {
    float points[MOST], t1[MOST], t2[MOST];
};

static size_t bytes_of(const struct table_class *of, int steps)
{
    size_t side = ((size_t)1 << steps) + 1;
    return (size_t)table_class_columns(of) * side * side * sizeof(float);
}

/* Is a table from the cache the one that is made? */
static int is_right(struct table_cache *c, int class, int steps, int limit, int normals)
{
    static _Thread_local struct floats got, want;
    const struct table_class *of = &sample_classes[class];
    size_t bytes = bytes_of(of, steps);
    memset(&got, 0xa5, sizeof got);
    memset(&want, 0xa5, sizeof want);
    int rc = table_cache_table(c, of, steps, limit, got.points, normals ? got.t1 : NULL, normals ? got.t2 : NULL, NULL);
    rc |= table_class_table(of, steps, limit, want.points, normals ? want.t1 : NULL, normals ? want.t2 : NULL, NULL);
    return !rc && memcmp(&got, &want, sizeof got) == 0 && bytes <= sizeof got.points;
}

static void test_bits(void **state)
{
    (void)state;
    struct table_cache *c = table_cache_create(64 << 20);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N_SAMPLE_CLASSES; i++)
            for (int how = 0; how < 4 * (STEPS + 1); how++)
                assert_true(is_right(c, i, how / 4, how & 1, how & 2));
    struct table_cache_counts counts = table_cache_counts(c);
    /* points with and without the ways are one; points were missed once and ways once of each, in the first round */
    assert_int_equal(counts.n_missed, N_SAMPLE_CLASSES * (STEPS + 1) * 2 * 2);
    assert_int_equal(counts.n_kept, counts.n_missed);
    table_cache_free(c);
}

/* Classes that differ in one number alone. */
static void test_neighbours(void **state)
{
    (void)state;
    struct table_cache *c = table_cache_create(64 << 20);
    float sum = 0;
    for (int k = 3; k < 9; k++)
        for (int i = 0; i < 64; i++) {
            struct table_class of = {.n = 5, .k = k, .vertex = (float)(i & 3)};
            of.edge[4 - (i >> 4 & 3)] = (float)(1 + (i >> 2 & 3)) / 4;
            of.edge[5] = (float)i; /* there is no such edge */
            float got[MOST], want[MOST];
            for (int round = 0; round < 2; round++) {
                assert_int_equal(table_cache_table(c, &of, 2, 0, got, NULL, NULL, NULL), SDD_OK);
                assert_int_equal(table_class_table(&of, 2, 0, want, NULL, NULL, NULL), SDD_OK);
                assert_memory_equal(got, want, bytes_of(&of, 2));
                of.edge[5] = sum;
            }
        }
    assert_int_equal(table_cache_counts(c).n_missed, 6 * 64);
    table_cache_free(c);
}

static void test_bound(void **state)
{
    (void)state;
    const int64_t table = (int64_t)bytes_of(&sample_classes[0], STEPS), room = 16 * table + 4096;
    struct table_cache *c = table_cache_create(room), *small = table_cache_create(table - 1);
    for (int limit = 0; limit < 2; limit++)
        assert_true(is_right(c, 0, STEPS, limit, 0));
    for (int i = 0; i < 200; i++) {
        assert_true(is_right(c, 0, STEPS, 0, 0)); /* which therefore stays */
        assert_true(is_right(c, i % N_SAMPLE_CLASSES, i % (STEPS + 1), i / 7 & 1, i / 5 & 1));
        assert_true(table_cache_counts(c).bytes <= room && table_cache_counts(c).n_kept > 0);
    }
    int64_t missed = table_cache_counts(c).n_missed;
    assert_true(is_right(c, 0, STEPS, 0, 0));
    assert_int_equal(table_cache_counts(c).n_missed, missed);
    for (int i = 1; i < N_SAMPLE_CLASSES; i++)
        assert_true(is_right(c, i, STEPS, 0, 0));
    missed = table_cache_counts(c).n_missed;
    assert_true(is_right(c, 0, STEPS, 0, 0)); /* it has gone */
    assert_int_equal(table_cache_counts(c).n_missed, missed + 1);
    for (int round = 0; round < 2; round++)
        assert_true(is_right(small, 0, STEPS, 0, 0));
    assert_true(table_cache_counts(small).n_missed == 2 && table_cache_counts(small).bytes == 0);
    table_cache_free(c);
    table_cache_free(small);
}

/* ---- triangles -------------------------------------------------------------------------------------------------- */
enum { N_TURNS = 4, TRI_STEPS = 2, TRI_MOST = 64 * 64, AWAY_MOST = 4 * TRI_MOST };

/* Of the middle ones those that differ in one number, too; others have their fan. */
static struct table_tri_class triangle(int number)
{
    static const float sharp[] = {0, 0.5f, 2, 10};
    struct table_tri_class c = {.corner = number % N_TURNS};
    if (c.corner < 3)
        c.fan = sample_classes[number % N_SAMPLE_CLASSES];
    for (int i = 0; i < 3 && c.corner == 3; i++) {
        c.edge[i] = sharp[number >> (2 + 2 * i) & 3];
        c.has_across[i] = c.edge[i] < 10 || number & 1 << (8 + i);
    }
    return c;
}

static int is_right_triangle(struct table_cache *c, int number, int steps, int limit, int normals)
{
    static float got[2][TRI_MOST + AWAY_MOST];
    const struct table_tri_class of = triangle(number);
    memset(got, 0, sizeof got);
    assert_true(table_tri_columns(&of) <= 64 && table_tri_pairs(&of, steps, limit) <= 2);
    int rc = table_cache_triangle(c, &of, steps, limit, got[0], normals ? got[0] + TRI_MOST : NULL, NULL);
    rc |= table_tri_table(&of, steps, limit, got[1], normals ? got[1] + TRI_MOST : NULL, NULL);
    return !rc && memcmp(got[0], got[1], sizeof got[0]) == 0;
}

static void test_triangles(void **state)
{
    enum { N = 500 };
    (void)state;
    struct table_cache *c = table_cache_create(256 << 20), *shared = table_cache_create(16 << 20);
    for (int i = 0; i < N; i++)
        for (int how = 0; how < 4; how++)
            assert_true(is_right_triangle(c, i, TRI_STEPS, how & 1, how & 2));
    const int64_t missed = table_cache_counts(c).n_missed;
    assert_true(missed > N && table_cache_counts(c).n_kept > N / 2);
    for (int i = 0; i < N; i++)
        for (int how = 0; how < 4; how++)
            assert_true(is_right_triangle(c, i, TRI_STEPS, how & 1, how & 2));
    assert_int_equal(table_cache_counts(c).n_missed, missed); /* all of it was there */
    for (int i = 0; i < 4 * N_SAMPLE_CLASSES; i++) {          /* quads and triangles with the same fan */
        assert_true(is_right(shared, i % N_SAMPLE_CLASSES, TRI_STEPS, i & 1, i & 2));
        assert_true(is_right_triangle(shared, i, TRI_STEPS, i & 1, i & 2));
    }
    table_cache_free(c);
    table_cache_free(shared);
}

struct worker {
    struct table_cache *cache;
    uint32_t seed;
    int n_wrong;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    for (int i = 0; i < 400; i++) {
        w->seed = w->seed * 1664525 + 1013904223;
        uint32_t r = w->seed >> 8;
        w->n_wrong += !is_right(w->cache, (int)(r % 7), (int)(r / 7 % 3), (int)(r / 32 % 2), (int)(r / 64 % 2));
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    struct table_cache *c = table_cache_create(100000); /* so little that tables go all the time */
    struct worker workers[4];
    pthread_t thread[4];
    for (uint32_t i = 0; i < 4; i++) {
        workers[i] = (struct worker){c, i, 0};
        assert_int_equal(pthread_create(thread + i, NULL, work, workers + i), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(workers[i].n_wrong, 0);
    }
    assert_true(table_cache_counts(c).bytes <= 100000 && table_cache_counts(c).n_missed < 1600);
    table_cache_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_bound), cmocka_unit_test(test_triangles),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("table_cache", tests, NULL, NULL);
}
