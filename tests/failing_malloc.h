/* SPDX-License-Identifier: Apache-2.0 */
/* failing_malloc.h: an allocator of the process that fails at every k-th allocation, once and from then on, for one
 * test file, which includes this before its tests and wraps all of them in #ifndef FAILING_MALLOC_SKIPS. Libraries run
 * short too; sanitizers have an allocator of their own, and then the file's only test skips. */
#ifndef TESTS_FAILING_MALLOC_H
#define TESTS_FAILING_MALLOC_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <malloc.h>
#include "gpu/sdd/sdd.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAILING_MALLOC_SKIPS
static void test_nothing(void **state)
{
    (void)state;
    print_message("skipped: the sanitizer has an allocator of its own\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *p);

static int64_t live, left = -1; /* blocks; allocations until one fails, -1: none does */
static int forever, failed;

static int fails(void)
{
    if (left < 0 || left-- > 0)
        return 0;
    left = forever ? 0 : -1;
    failed = 1;
    return 1;
}

void *malloc(size_t n)
{
    void *p = fails() ? NULL : __libc_malloc(n);
    live += p != NULL;
    return p;
}
void *calloc(size_t n, size_t size)
{
    void *p = fails() ? NULL : __libc_calloc(n, size);
    live += p != NULL;
    return p;
}
void *realloc(void *old, size_t n)
{
    void *p = fails() ? NULL : __libc_realloc(old, n);
    live += p != NULL && !old;
    return p;
}
void *aligned_alloc(size_t alignment, size_t n)
{
    void *p = fails() ? NULL : __libc_memalign(alignment, n);
    live += p != NULL;
    return p;
}
/* Only libgomp calls it, for its teams of threads, and ends the process when it gets none. */
void *memalign(size_t alignment, size_t n)
{
    void *p = __libc_memalign(alignment, n);
    live += p != NULL;
    return p;
}
void free(void *p)
{
    live -= p != NULL;
    __libc_free(p);
}

/* The first k that does not fail ends it. A run may succeed in spite of a failure where a library makes do. `spared`
 * blocks may leak: GnuTLS 3.7 loses its handle when memory runs out within gnutls_hash_init. */
static void torture(int (*run)(void), int spared)
{
    int64_t k = 0;
    assert_int_equal(run(), SDD_OK); /* caches are warm */
    for (forever = 0; forever < 2; forever++) {
        for (k = 0, failed = 1; failed; k++) {
            int64_t before = live;
            failed = 0;
            left = k;
            int rc = run();
            left = -1;
            if (rc != SDD_OK && (rc != SDD_ENO_MEMORY || !failed))
                fail_msg("allocation %lld: %d", (long long)k, rc);
            if (live < before || live > before + spared)
                fail_msg("allocation %lld: %lld blocks leaked", (long long)k, (long long)(live - before));
        }
    }
    print_message("%lld allocations failed, once and forever\n", (long long)k - 1);
}
#endif
#endif
