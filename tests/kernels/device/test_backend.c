/* SPDX-License-Identifier: Apache-2.0 */
/* What backend.h promises of memory, transfers, time stamps and refused allocations, on the CPU and the backend
 * under test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "tests/kernels/device/both_backends.h"
#include "tests/kernels/parity_device.h"

#define MIB (1 << 20)

static unsigned char pattern(int64_t i, int salt)
{
    return (unsigned char)((uint64_t)(i + salt) * 2654435761u >> 13);
}

static unsigned char *patterned(int64_t bytes, int salt)
{
    unsigned char *p = malloc(bytes > 0 ? (size_t)bytes : 1);
    assert_non_null(p);
    for (int64_t i = 0; i < bytes; i++)
        p[i] = pattern(i, salt);
    return p;
}

static void expect_pattern(struct opened *t, const void *device_memory, int64_t bytes, int salt)
{
    unsigned char *got = malloc(bytes > 0 ? (size_t)bytes : 1);
    assert_non_null(got);
    assert_int_equal(t->b->download(t->dev, got, device_memory, bytes), SDD_OK);
    for (int64_t i = 0; i < bytes; i++)
        if (got[i] != pattern(i, salt))
            fail_msg("%s: byte %lld of %lld is wrong", t->b->name, (long long)i, (long long)bytes);
    free(got);
}

static void test_transfers(void **state)
{
    struct opened *t = opened_or_skip(state);
    const int64_t sizes[] = {0, 1, 3, 255, 4096, MIB - 1, MIB, MIB + 1, 9 * MIB + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int64_t n = sizes[i];
        unsigned char *host = patterned(n, 1);
        void *a = opened_array(t, n, host), *b = opened_array(t, n, NULL);
        assert_int_equal((uintptr_t)a % 256, 0);
        memset(host, 0, (size_t)n); /* the source may be reused on return */
        assert_int_equal(t->b->copy(t->dev, b, a, n), SDD_OK);
        assert_int_equal(t->b->fill(t->dev, a, 0x5A, n), SDD_OK);
        expect_pattern(t, b, n, 1);
        if (n > 0) {
            assert_int_equal(t->b->download(t->dev, host, (char *)a + n - 1, 1), SDD_OK);
            assert_int_equal(host[0], 0x5A);
        }
        t->b->free(t->dev, a, n);
        t->b->free(t->dev, b, n);
        free(host);
    }
}

/* More short uploads than any staging ring holds, from one buffer that is overwritten each time. */
static void test_source_is_reusable(void **state)
{
    struct opened *t = opened_or_skip(state);
    enum { N = 64, BYTES = 300001 };
    char *dev = opened_array(t, (int64_t)N * BYTES, NULL);
    void *pinned;
    assert_int_equal(t->b->host_alloc(t->dev, 2 * MIB, &pinned), SDD_OK);
    for (int i = 0; i < N; i++) {
        unsigned char *host = patterned(BYTES, i);
        memcpy(pinned, host, BYTES);
        assert_int_equal(t->b->upload(t->dev, dev + (int64_t)i * BYTES, i % 2 ? pinned : host, BYTES), SDD_OK);
        memset(pinned, 0xEE, BYTES);
        memset(host, 0xEE, BYTES);
        free(host);
    }
    for (int i = 0; i < N; i++)
        expect_pattern(t, dev + (int64_t)i * BYTES, BYTES, i);
    for (int64_t i = 0; i < 2 * MIB; i++)
        ((unsigned char *)pinned)[i] = pattern(i, 7);
    assert_int_equal(t->b->upload(t->dev, dev, pinned, 2 * MIB), SDD_OK);
    memset(pinned, 0xEE, 2 * MIB);
    expect_pattern(t, dev, 2 * MIB, 7);
    t->b->host_free(t->dev, pinned, 2 * MIB);
    t->b->free(t->dev, dev, (int64_t)N * BYTES);
}

static void test_host_memory(void **state)
{
    struct opened *t = opened_or_skip(state);
    enum { N = 40 };
    void *blocks[N];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            const int64_t n = 1000 + (int64_t)i * 100000;
            assert_int_equal(t->b->host_alloc(t->dev, n, &blocks[i]), SDD_OK);
            assert_int_equal((uintptr_t)blocks[i] % 64, 0);
            memset(blocks[i], i, (size_t)n);
        }
        for (int i = 0; i < N; i++) {
            const unsigned char *p = blocks[i];
            const int64_t n = 1000 + (int64_t)i * 100000;
            for (int64_t at = 0; at < n; at += 999)
                assert_int_equal(p[at], i);
            assert_int_equal(p[n - 1], i);
            t->b->host_free(t->dev, blocks[i], n);
        }
        if (round == 1)
            t->b->trim(t->dev);
    }
    t->b->host_free(t->dev, NULL, 5);
    t->b->free(t->dev, NULL, 5);
    assert_int_equal(t->b->host_alloc(t->dev, 0, &blocks[0]), SDD_OK);
    t->b->host_free(t->dev, blocks[0], 0);
}

/* Until there is none left, to which the device then copies; what is given back is there again. */
static void test_pinned(void **state)
{
    struct opened *t = opened_or_skip(state);
    enum { MOST = 64, BYTES = 3 * MIB + 5 };
    void *blocks[MOST], *other;
    int n = 0;
    if (!t->b->pinned) {
        print_message("skip: the %s backend copies to any memory alike\n", t->b->name);
        skip();
    }
    char *dev = opened_array(t, (int64_t)MOST * BYTES, NULL);
    assert_null(t->b->pinned(t->dev, (int64_t)1 << 40));
    for (int round = 0; round < 2; round++) {
        for (n = 0; n < MOST && (blocks[n] = t->b->pinned(t->dev, BYTES)) != NULL; n++) {
            unsigned char *host = patterned(BYTES, n + round);
            assert_int_equal((uintptr_t)blocks[n] % 64, 0);
            memset(blocks[n], 0xEE, BYTES);
            assert_int_equal(t->b->upload(t->dev, dev + (int64_t)n * BYTES, host, BYTES), SDD_OK);
            free(host);
        }
        assert_in_range(n, 3, MOST - 1); /* enough for a stream */
        assert_int_equal(t->b->host_alloc(t->dev, BYTES, &other), SDD_OK);
        for (int k = 0; k < n; k++)
            assert_int_equal(t->b->download(t->dev, blocks[k], dev + (int64_t)k * BYTES, BYTES), SDD_OK);
        assert_int_equal(t->b->sync(t->dev), SDD_OK);
        for (int k = 0; k < n; k++) {
            for (int64_t i = 0; i < BYTES; i++)
                if (((unsigned char *)blocks[k])[i] != pattern(i, k + round))
                    fail_msg("block %d, byte %lld", k, (long long)i);
            t->b->host_free(t->dev, blocks[k], BYTES);
        }
        t->b->host_free(t->dev, other, BYTES);
    }
    t->b->free(t->dev, dev, (int64_t)MOST * BYTES);
}

static void test_refused_allocation(void **state)
{
    struct opened *t = opened_or_skip(state);
    const int64_t absurd = (int64_t)1 << 50;
    void *p = &p;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    print_message("skip: the sanitizer's allocator ends the process when it is asked for this much\n");
    skip();
#endif
    assert_int_equal(t->b->alloc(t->dev, absurd, &p), SDD_ENO_MEMORY);
    assert_null(p);
    p = &p;
    assert_int_equal(t->b->host_alloc(t->dev, absurd, &p), SDD_ENO_MEMORY);
    assert_null(p);
    /* and the device still works */
    unsigned char *host = patterned(1000, 3);
    p = opened_array(t, 1000, host);
    expect_pattern(t, p, 1000, 3);
    t->b->free(t->dev, p, 1000);
    free(host);
}

static void test_time(void **state)
{
    struct opened *t = opened_or_skip(state);
    double seconds = -1;
    void *p = opened_array(t, 8 * MIB, NULL);
    assert_int_equal(t->b->mark(t->dev, 0), SDD_OK);
    assert_int_equal(t->b->fill(t->dev, p, 1, 8 * MIB), SDD_OK);
    assert_int_equal(t->b->mark(t->dev, SDD_N_MARKS - 1), SDD_OK);
    assert_int_equal(t->b->elapsed(t->dev, 0, SDD_N_MARKS - 1, &seconds), SDD_OK);
    assert_true(seconds > 0 && seconds < 10);
    assert_int_equal(t->b->sync(t->dev), SDD_OK);
    t->b->free(t->dev, p, 8 * MIB);
}

static void test_memory_is_told(void **state)
{
    struct opened *t = opened_or_skip(state);
    int64_t unused = 0, total = 0, later = 0;
    assert_int_equal(t->b->memory(t->dev, &unused, &total), SDD_OK);
    assert_true(unused > 0 && unused <= total);
    void *p = opened_array(t, 64 * MIB, NULL);
    assert_int_equal(t->b->fill(t->dev, p, 1, 64 * MIB), SDD_OK);
    t->b->free(t->dev, p, 64 * MIB);
    assert_int_equal(t->b->sync(t->dev), SDD_OK);
    assert_int_equal(t->b->memory(t->dev, &later, &total), SDD_OK);
    assert_true(later > 0 && later <= total);
    t->b->trim(t->dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"transfers on cpu", test_transfers, NULL, NULL, &opened_cpu},
        {"transfers on the backend under test", test_transfers, NULL, NULL, &opened_other},
        {"an upload's source is reusable on cpu", test_source_is_reusable, NULL, NULL, &opened_cpu},
        {"an upload's source is reusable on the backend under test", test_source_is_reusable, NULL, NULL,
         &opened_other},
        {"host memory on cpu", test_host_memory, NULL, NULL, &opened_cpu},
        {"host memory on the backend under test", test_host_memory, NULL, NULL, &opened_other},
        {"pinned memory on the backend under test", test_pinned, NULL, NULL, &opened_other},
        {"a refused allocation on cpu", test_refused_allocation, NULL, NULL, &opened_cpu},
        {"a refused allocation on the backend under test", test_refused_allocation, NULL, NULL, &opened_other},
        {"time on cpu", test_time, NULL, NULL, &opened_cpu},
        {"time on the backend under test", test_time, NULL, NULL, &opened_other},
        {"memory is told on cpu", test_memory_is_told, NULL, NULL, &opened_cpu},
        {"memory is told on the backend under test", test_memory_is_told, NULL, NULL, &opened_other},
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
