/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of host memory: never over its limit, however many threads take at once; and what a claim draws. */
#include "server/base/arena.h"
#include "server/base/pool.h"
#include "server/base/words.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static int n_given;

static void given(void *user)
{
    *(int *)user += 1;
}

static void test_take(void **state)
{
    struct pool p = {.limit = 100, .given = given, .user = &n_given};
    (void)state;
    assert_true(pool_take(&p, POOL_FRAMES, 60));
    assert_false(pool_take(&p, POOL_BODIES, 41));
    assert_true(pool_take(&p, POOL_BODIES, 40));
    assert_int_equal(pool_left(&p), 0);
    pool_add(&p, POOL_MESHES, 30); /* It is there already. */
    assert_int_equal(pool_left(&p), -30);
    p.idle = 20;
    assert_int_equal(pool_could(&p), -10);
    pool_give(&p, POOL_FRAMES, 60);
    assert_int_equal(p.by[POOL_FRAMES], 0);
    assert_int_equal(p.by[POOL_BODIES], 40);
    assert_int_equal(pool_left(&p), 30);
    assert_int_equal(n_given, 1);
    pool_give(&p, POOL_FRAMES, 0);
    assert_int_equal(n_given, 1);
    assert_false(pool_take(&p, POOL_FRAMES, INT64_MAX));
    assert_true(atomic_exchange(&p.moved, false));
    assert_true(pool_take(&p, POOL_FRAMES, 1)); /* too little to give hope to those who wait for much */
    assert_false(p.moved);
}

struct crowd {
    struct pool pool;
    atomic_llong held, most;
    atomic_int refused;
};

static void *take_and_give(void *arg)
{
    struct crowd *c = arg;
    for (int i = 0; i < 20000; i++) {
        const int64_t bytes = 1 + i % 40;
        if (!pool_take(&c->pool, POOL_FRAMES, bytes)) {
            atomic_fetch_add(&c->refused, 1);
            continue;
        }
        const long long now = atomic_fetch_add(&c->held, bytes) + bytes;
        long long most = atomic_load(&c->most);
        while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now)) {
        }
        atomic_fetch_sub(&c->held, bytes);
        pool_give(&c->pool, POOL_FRAMES, bytes);
    }
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 8 };
    struct crowd c = {.pool = {.limit = 50}};
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(c.pool.used, 0);
    assert_int_equal(c.pool.by[POOL_FRAMES], 0);
    assert_in_range(c.most, 1, 50);
}

static void test_claim(void **state)
{
    struct pool p = {.limit = 1000};
    struct claim c = {.pool = &p};
    (void)state;
    assert_true(claim_draw(1 << 30)); /* Nobody's memory is not counted. */
    assert_true(claim_reserve(&c, 300));
    assert_true(claim_reserve(&c, 200)); /* has it */
    assert_int_equal(p.by[POOL_DECODING], 300);
    claim_enter(&c);
    assert_true(claim_draw(100));
    assert_int_equal(p.used, 300);
    assert_true(claim_draw(250)); /* 50 more than were reserved */
    assert_int_equal(p.used, 350);
    assert_false(claim_draw(651));
    assert_int_equal(c.refused, 1001);
    assert_int_equal(p.used, 350);
    assert_int_equal(claim_drawn(), 350);
    claim_settle(400); /* Not more than was drawn. */
    assert_int_equal(claim_drawn(), 350);
    claim_settle(50);
    assert_true(claim_draw(300)); /* again */
    assert_int_equal(c.held, 350);
    claim_leave();
    claim_settle(0);
    assert_int_equal(claim_drawn(), 0);
    assert_int_equal(c.drawn, 350);
    assert_true(claim_draw(651));
    assert_true(claim_reserve(&c, 900));
    claim_trim(&c);
    assert_int_equal(p.used, 350);
    claim_end(&c);
    assert_int_equal(p.used, 0);
    assert_ptr_equal(c.pool, &p);
}

/* The allocators of the readers draw what they take, and say that memory is out when the claim is refused. */
static void test_allocators(void **state)
{
    struct pool p = {.limit = 100000};
    struct claim c = {.pool = &p};
    struct sdd_error err = {0};
    struct words w = {0};
    (void)state;
    claim_enter(&c);
    assert_int_equal(words_room(&w, 5000, 1 << 20, "points", &err), SDD_OK);
    assert_in_range(c.drawn, 20000, 40000);
    assert_int_equal(words_room(&w, 50000, 1 << 20, "points", &err), SDD_ENO_MEMORY);
    assert_true(c.refused > 100000);
    struct arena *a = arena_create(1 << 20);
    const int64_t before = c.drawn;
    assert_non_null(arena_alloc(a, 10000));
    assert_true(c.drawn >= before + 10000);
    assert_null(arena_alloc(a, 90000));
    assert_int_equal(arena_fail(a, "points", &err), SDD_ENO_MEMORY);
    assert_in_range(p.used, c.drawn, 100000);
    claim_leave();
    claim_end(&c);
    arena_free(a);
    free(w.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_take), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_claim), cmocka_unit_test(test_allocators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
