/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a pool counts is freed before its bytes are given back. */
#include "server/resident/release.h"
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Memory goes back piece by piece, and what lies beside it on its first and last page stays. */
static void test_free_in_pieces(void **state)
{
    enum { N = 8 };
    const size_t small = 100, large = (20 << 20) + 1234; /* Not mapped one by one after the first was freed. */
    struct executor *e = executor_start("test", 1, NULL);
    struct pool pool = {.limit = INT64_MAX};
    char *beside[N + 1], *memory[N];
    (void)state;
    assert_non_null(e);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i <= N; i++) {
            assert_non_null(beside[i] = malloc(small));
            memset(beside[i], i + 1, small);
            if (i == N)
                break;
            assert_non_null(memory[i] = malloc(large));
            memset(memory[i], 99, large);
        }
        for (int i = 0; i < N; i++) {
            pool_add(&pool, POOL_BODIES, (int64_t)large);
            pool_release(e, &pool, POOL_BODIES, (int64_t)large, memory[i], free);
        }
        pool_release(e, &pool, POOL_BODIES, 0, NULL, free);
        while (executor_depth(e))
            sched_yield();
        assert_int_equal(pool.used, 0);
        for (int i = 0; i <= N; i++) {
            for (size_t k = 0; k < small; k++)
                assert_int_equal(beside[i][k], i + 1);
            free(beside[i]);
        }
    }
    executor_stop(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_in_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
