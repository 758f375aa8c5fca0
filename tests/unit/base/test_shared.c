/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that share their pages with those they are copies of: what is copied, what is kept apart, and what ends. */
#include "server/base/shared.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { PAGE = 4096, LARGE = 4 << 20, SMALL = 1000 };

/* `of` with a value of its own in each word. */
static uint32_t *filled(size_t bytes, uint32_t salt)
{
    uint32_t *a = shared_alloc(bytes);
    assert_non_null(a);
    for (size_t i = 0; i < bytes / 4; i++)
        a[i] = (uint32_t)i ^ salt;
    shared_seal(a);
    return a;
}

static void same(const uint32_t *a, size_t bytes, uint32_t salt)
{
    for (size_t i = 0; i < bytes / 4; i++)
        if (a[i] != ((uint32_t)i ^ salt))
            fail_msg("word %zu is %u", i, a[i]);
}

static uint32_t *owned(uint32_t *a, size_t bytes, size_t written)
{
    uint32_t *own = shared_own(a, bytes, written);
    assert_non_null(own);
    return own;
}

static void put(uint32_t *a, size_t i, uint32_t value)
{
    assert_true(shared_touch(a, 4 * i, 4));
    a[i] = value;
}

static int64_t made_since(const struct shared_stats *before)
{
    return shared_stats().made - before->made;
}

static void test_alone(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const size_t bytes = k ? LARGE : SMALL;
        uint32_t *a = filled(bytes, 7);
        const struct shared_stats before = shared_stats();
        assert_ptr_equal(owned(a, bytes, 4), a); /* nobody else has it */
        put(a, 1, 5);
        assert_int_equal(a[1], 5);
        assert_int_equal(made_since(&before), 0);
        shared_free(a);
    }
    shared_free(NULL);
    shared_seal(NULL);
    assert_null(shared_ref(NULL));
    void *none = shared_alloc(0);
    assert_non_null(none);
    shared_free(none);
}

static void test_copy(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const size_t bytes = k ? LARGE : SMALL;
        uint32_t *a = filled(bytes, 3), *b = shared_ref(a);
        assert_ptr_equal(a, b);
        const struct shared_stats before = shared_stats();
        b = owned(b, bytes, 4);
        assert_ptr_not_equal(a, b);
        put(b, 17, 1);
        put(b, bytes / 4 - 1, 2);
        shared_seal(b);
        same(a, bytes, 3);
        assert_int_equal(b[17], 1);
        assert_int_equal(b[bytes / 4 - 1], 2);
        assert_int_equal(b[18], 18 ^ 3);
        assert_int_equal(made_since(&before), k ? 2 * PAGE : SMALL);
        assert_int_equal(shared_stats().pages - before.pages, k ? 2 : 0);
        shared_free(a);
        assert_int_equal(b[18], 18 ^ 3); /* whoever goes first */
        assert_int_equal(b[17], 1);
        shared_free(b);
        assert_int_equal(shared_stats().pages, before.pages);
        assert_int_equal(shared_stats().ranges, before.ranges - k);
    }
}

/* The first array may not be written in place while a copy has its pages, nor after its own owners are gone. */
static void test_first_is_kept(void **state)
{
    (void)state;
    uint32_t *a = filled(LARGE, 1), *b = owned(shared_ref(a), LARGE, 4);
    put(b, 0, 9);
    shared_seal(b);
    uint32_t *c = owned(a, LARGE, 4); /* a has one owner, but b reads its range */
    assert_ptr_not_equal(c, a);
    put(c, 1, 8);
    assert_int_equal(b[1], 1 ^ 1);
    assert_int_equal(c[0], 0 ^ 1);
    shared_free(b);
    assert_int_equal(c[1], 8);
    assert_int_equal(c[2], 2 ^ 1);
    shared_free(c);
}

static void test_growth(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const size_t bytes = k ? LARGE : SMALL;
        uint32_t *a = filled(bytes, 4), *b = shared_ref(a);
        const struct shared_stats before = shared_stats();
        b = owned(b, bytes + 400, 400); /* there is room behind the end of a large one */
        assert_true(shared_touch(b, bytes, 400));
        memset(b + bytes / 4, 1, 400);
        same(b, bytes, 4);
        assert_true(made_since(&before) <= (k ? 2 * PAGE : 2 * SMALL));
        for (size_t n = bytes + 800; n < 2 * bytes; n += bytes / 8) { /* and then it moves */
            b = owned(b, n, 400);
            assert_true(shared_touch(b, n - 400, 400));
            memset((char *)b + n - 400, 1, 400);
        }
        same(b, bytes, 4);
        same(a, bytes, 4);
        shared_free(b);
        b = owned(shared_ref(a), bytes / 2, 0);
        same(b, bytes / 2, 4);
        shared_free(b);
        shared_free(a);
    }
}

/* When much differs, or much is to be written, a copy gets a range of its own. */
static void test_dear(void **state)
{
    (void)state;
    uint32_t *a = filled(LARGE, 2), *b = shared_ref(a);
    assert_true(shared_dear(a, LARGE / 2));
    assert_false(shared_dear(a, LARGE / 32));
    struct shared_stats before = shared_stats();
    b = owned(b, LARGE, LARGE / 2);
    assert_int_equal(made_since(&before), LARGE);
    assert_int_equal(shared_stats().ranges, before.ranges + 1);
    shared_free(b);
    b = owned(shared_ref(a), LARGE, 4);
    before = shared_stats();
    for (size_t i = 0; i < LARGE / PAGE; i++) {
        b = owned(b, LARGE, 4);
        put(b, i * (PAGE / 4), 6);
    }
    assert_int_equal(shared_stats().ranges, before.ranges + 1);
    assert_true(made_since(&before) < LARGE + LARGE / 8);
    for (size_t i = 0; i < LARGE / 4; i++)
        assert_int_equal(b[i], i % (PAGE / 4) ? (uint32_t)i ^ 2 : 6);
    same(a, LARGE, 2);
    shared_free(a);
    shared_free(b);
}

/* The parts that are read make up the array, whoever has each of its pages. */
static void test_read(void **state)
{
    (void)state;
    uint32_t *a = filled(LARGE, 3), *b = owned(shared_ref(a), LARGE, 4);
    for (size_t page = 0; page < LARGE / PAGE; page += page % 5 ? 1 : page < 300 ? 3 : 130)
        put(b, page * (PAGE / 4) + page % 7, 1);
    b = owned(b, LARGE - 40, 0);
    for (size_t at = 20; at < LARGE - 40;) {
        size_t n = LARGE - 40 - at < 700000 ? LARGE - 40 - at : 700000;
        const void *part = shared_read(b, at, &n);
        assert_memory_equal(part, (char *)b + at, n);
        assert_true(n > 0);
        at += n;
    }
    size_t n = LARGE;
    assert_ptr_equal(shared_read(a, 0, &n), a);
    assert_int_equal(n, LARGE);
    shared_free(a);
    shared_free(b);
}

/* A thousand versions, each with a few words of its own, freed in an order of no kind. */
static void test_chain(void **state)
{
    enum { N = 1000 };
    static uint32_t *version[N];
    uint32_t seed = 1;
    (void)state;
    const struct shared_stats before = shared_stats();
    version[0] = filled(LARGE, 0);
    for (uint32_t k = 1; k < N; k++) {
        version[k] = owned(shared_ref(version[k - 1]), LARGE, 8);
        put(version[k], k, ~k);
        put(version[k], LARGE / 4 - 1 - k * 700, ~k);
        shared_seal(version[k]);
        if (k >= 20) { /* so many live at a time */
            seed = seed * 1664525 + 1013904223;
            const uint32_t gone = k - 20 + seed % 20;
            shared_free(version[gone]);
            version[gone] = NULL;
        }
    }
    for (uint32_t k = 1; k < N; k++)
        if (version[k])
            for (uint32_t i = 1; i < N; i++) {
                assert_int_equal(version[k][i], i <= k ? ~i : i);
                assert_int_equal(version[k][LARGE / 4 - 1 - i * 700], i <= k ? ~i : LARGE / 4 - 1 - i * 700);
            }
    for (uint32_t k = 0; k < N; k++)
        shared_free(version[k]);
    assert_int_equal(shared_stats().ranges, before.ranges);
    assert_int_equal(shared_stats().pages, before.pages);
    assert_true(shared_stats().idle <= (int64_t)SHARED_IDLE_BYTES);
}

/* Ranges that nobody uses serve again, up to a limit, and go with the last that is used. */
static void test_idle(void **state)
{
    enum { N = 40 };
    void *all[N];
    (void)state;
    for (int k = 0; k < N; k++)
        all[k] = filled(LARGE, (uint32_t)k);
    for (int k = 0; k < N / 2; k++)
        shared_free(all[k]);
    const int64_t idle = shared_stats().idle;
    assert_in_range(idle, SHARED_IDLE_BYTES / 2, SHARED_IDLE_BYTES);
    void *again = filled(LARGE, 1);
    assert_true(shared_stats().idle < idle);
    same(again, LARGE, 1);
    for (int k = N / 2; k < N; k++)
        shared_free(all[k]);
    assert_in_range(shared_stats().idle, LARGE, 2 * LARGE);
    shared_free(again);
    assert_int_equal(shared_stats().idle, 0);
}

/* What `f` does ends a process of its own with SIGSEGV. */
static void crashes(void (*f)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        f();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0); /* A sanitizer exits. */
}

static void write_sealed(void)
{
    volatile uint32_t *a = filled(LARGE, 1);
    a[5] = 1;
}

static void write_beside(void)
{
    uint32_t *a = filled(LARGE, 1), *b = owned(shared_ref(a), LARGE, 4);
    put(b, 0, 1);
    *(volatile uint32_t *)&b[2 * PAGE / 4] = 1;
}

static void test_untouched(void **state)
{
    (void)state;
    crashes(write_sealed);
    crashes(write_beside);
}

struct user {
    pthread_t thread;
    uint32_t *base, salt;
};

static void *use(void *p)
{
    struct user *u = p;
    for (uint32_t k = 0; k < 60; k++) {
        uint32_t *a = shared_ref(u->base), *b;
        a = owned(a, LARGE, 4);
        put(a, k * 1024 + u->salt, u->salt);
        shared_seal(a);
        b = owned(shared_ref(a), LARGE, k % 8 ? 4 : LARGE);
        put(b, 1, u->salt);
        if (a[k * 1024 + u->salt] != u->salt || b[k * 1024 + u->salt] != u->salt || b[1] != u->salt || a[1] != 1)
            return p;
        shared_free(k % 2 ? a : b);
        shared_free(k % 2 ? b : a);
    }
    shared_free(u->base);
    return NULL;
}

static void test_threads(void **state)
{
    enum { N = 6 };
    struct user users[N];
    void *failed;
    (void)state;
    const struct shared_stats before = shared_stats();
    uint32_t *base = filled(LARGE, 0);
    for (uint32_t k = 0; k < N; k++) {
        users[k] = (struct user){.base = shared_ref(base), .salt = 100 + k};
        assert_int_equal(pthread_create(&users[k].thread, NULL, use, &users[k]), 0);
    }
    shared_free(base);
    for (int k = 0; k < N; k++) {
        assert_int_equal(pthread_join(users[k].thread, &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(shared_stats().ranges, before.ranges);
    assert_int_equal(shared_stats().pages, before.pages);
}

/* Without a memory file all is as before, but copied as a whole. */
static void test_without_files(void **state)
{
    (void)state;
    const int64_t idle = shared_stats().idle;
    shared_use_files(false);
    uint32_t *other = filled(8 * LARGE, 5); /* none that is idle is as large */
    const struct shared_stats before = shared_stats();
    uint32_t *b = owned(shared_ref(other), 8 * LARGE, 4);
    put(b, 0, 1);
    shared_seal(b);
    same(other, 8 * LARGE, 5);
    assert_int_equal(made_since(&before), 8 * LARGE);
    assert_int_equal(shared_stats().ranges, before.ranges);
    shared_use_files(true);
    shared_free(other);
    assert_int_equal(b[1], 1 ^ 5);
    shared_free(b);
    assert_int_equal(shared_stats().idle, idle);
}

/* A limit on the size of files is kept, and no signal ends the process. */
static void test_file_limit(void **state)
{
    (void)state;
    struct rlimit old, small = {1 << 20, 0};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const struct shared_stats before = shared_stats();
    uint32_t *a = filled(9 * LARGE, 5);
    assert_int_equal(shared_stats().ranges, before.ranges);
    same(a, 9 * LARGE, 5);
    shared_free(a);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),   cmocka_unit_test(test_copy),          cmocka_unit_test(test_first_is_kept),
        cmocka_unit_test(test_growth),  cmocka_unit_test(test_dear),          cmocka_unit_test(test_read),
        cmocka_unit_test(test_chain),   cmocka_unit_test(test_idle),          cmocka_unit_test(test_untouched),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_without_files), cmocka_unit_test(test_file_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
