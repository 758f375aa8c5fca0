/* SPDX-License-Identifier: Apache-2.0 */
/* How --memory-limit is split, what is refused, and that the number in a refusal does. */
#include "server/base/budgets.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MIB ((int64_t)1 << 20)
#define GIB ((int64_t)1 << 30)

static const struct config defaults = {.max_connections = 512, .cache_bytes = CONFIG_AUTO};

static int64_t sum(const struct budgets *b)
{
    int64_t all = 0;
    for (int i = 0; i < BUDGET_PARTS; i++)
        all += b->part[i];
    return all;
}

static struct budgets good(const struct config *c, int64_t memory, bool unified)
{
    struct text error = {0};
    struct budgets b;
    if (!budgets_split(c, memory, unified, &b, &error))
        fail_msg("%s", error.data);
    assert_in_range(sum(&b), 1, b.limit);
    assert_true(sum(&b) > b.limit - MIB); /* nothing is left over */
    assert_true(b.part[BUDGET_HOST] >= 16 * MIB && b.part[BUDGET_CACHE] >= 0 && b.part[BUDGET_SPARE] >= 0);
    assert_true(unified ? b.part[BUDGET_DEVICE] >= 16 * MIB : b.part[BUDGET_DEVICE] == 0);
    return b;
}

static void test_defaults(void **state)
{
    static const int64_t memory[] = {512 * MIB, 1 * GIB, 2 * GIB, 24 * GIB, 2048 * GIB};
    (void)state;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        for (int unified = 0; unified < 2; unified++) {
            const struct budgets b = good(&defaults, memory[i], unified);
            assert_int_equal(b.limit, memory[i] / 4 * 3);
            assert_true(b.part[BUDGET_CACHE] <= GIB && b.part[BUDGET_SPARE] <= GIB);
        }
}

/* Given parts are kept, and the others share what is left. */
static void test_given(void **state)
{
    struct config c = defaults;
    (void)state;
    c.memory_limit = 2 * GIB;
    c.host_memory = 700 * MIB;
    struct budgets b = good(&c, 16 * GIB, true);
    assert_int_equal(b.limit, 2 * GIB);
    assert_int_equal(b.part[BUDGET_HOST], 700 * MIB);
    c.gpu_memory = 500 * MIB;
    c.cache_bytes = 128 * MIB;
    struct text error = {0};
    assert_true(budgets_split(&c, 16 * GIB, true, &b, &error));
    assert_int_equal(b.part[BUDGET_HOST], 700 * MIB);
    assert_int_equal(b.part[BUDGET_DEVICE], 500 * MIB);
    assert_int_equal(b.part[BUDGET_CACHE], 128 * MIB);
    assert_true(sum(&b) <= 2 * GIB);
    assert_true(budgets_split(&c, 16 * GIB, false, &b, &error)); /* of a GPU, whose memory is its own */
    assert_int_equal(b.part[BUDGET_DEVICE], 0);
    c.cache_bytes = 0;
    assert_true(budgets_split(&c, 16 * GIB, true, &b, &error));
    assert_int_equal(b.part[BUDGET_CACHE], 0);
}

/* A refusal names a number; with that number the daemon starts, and with a byte less it does not. */
static void refused(struct config c, int64_t memory, const char *sentence)
{
    struct text error = {0};
    struct budgets b;
    assert_false(budgets_split(&c, memory, true, &b, &error));
    assert_non_null(strstr(error.data, sentence));
    const char *would = strstr(error.data, ": --memory-limit ");
    assert_non_null(would);
    c.memory_limit = strtoll(would + strlen(": --memory-limit "), NULL, 10);
    text_clear(&error);
    assert_true(budgets_split(&c, 16 * GIB, true, &b, &error));
    assert_true(sum(&b) <= b.limit);
    c.memory_limit--;
    assert_false(budgets_split(&c, 16 * GIB, true, &b, &error));
    text_free(&error);
}

static void test_refusals(void **state)
{
    struct config c = defaults;
    struct text error = {0};
    struct budgets b;
    (void)state;
    c.memory_limit = 64 * MIB;
    refused(c, 16 * GIB, "--memory-limit 67108864 is too small for --max-connections 512");
    c.memory_limit = 1 * GIB; /* parts that sum above it */
    c.host_memory = 700 * MIB;
    c.gpu_memory = 500 * MIB;
    refused(c, 16 * GIB, "--memory-limit 1073741824 is too small");
    c.memory_limit = 0; /* alone they may have more than three quarters, but not more than there is */
    assert_true(budgets_split(&c, 1700 * MIB, true, &b, &error));
    assert_false(budgets_split(&c, 1300 * MIB, true, &b, &error));
    assert_non_null(strstr(error.data, "the container or machine has 1363148800"));
    text_clear(&error);
    c = defaults;
    c.memory_limit = 3 * GIB;
    assert_false(budgets_split(&c, 2 * GIB, true, &b, &error));
    assert_non_null(strstr(error.data, "at most 2147483648"));
    text_free(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults), cmocka_unit_test(test_given),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
