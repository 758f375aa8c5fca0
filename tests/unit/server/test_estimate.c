/* SPDX-License-Identifier: Apache-2.0 */
/* The estimate of plan: nothing before a measurement, then the mean of what an engine took for output of that size. */
#include "server/refine/refine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct estimate e;
static const char *first, *second;

static int setup(void **state)
{
    (void)state;
    estimate_init(&e);
    first = sdd_engine(0)->name;
    second = sdd_engine(1)->name;
    return 0;
}

static void is(double seconds, double wanted)
{
    assert_true(seconds >= wanted * (1 - 1e-12) && seconds <= wanted * (1 + 1e-12));
}

static void test_nothing_known(void **state)
{
    (void)state;
    is(estimate_seconds(&e, first, 1 << 20), 0);
    estimate_learn(&e, first, 1 << 20, 0.5);
    is(estimate_seconds(&e, second, 1 << 20), 0); /* of another engine */
    is(estimate_seconds(&e, "no-engine", 1 << 20), 0);
    estimate_learn(&e, "no-engine", 1 << 20, 0.5);
    is(estimate_seconds(&e, "no-engine", 1 << 20), 0);
    estimate_learn(&e, second, 0, 0.5); /* nothing can be learned of these */
    estimate_learn(&e, second, 100, 0);
    is(estimate_seconds(&e, second, 100), 0);
}

/* The first measurement counts whole, each later one a fifth. */
static void test_mean(void **state)
{
    (void)state;
    estimate_learn(&e, first, 1000, 1);
    is(estimate_seconds(&e, first, 1000), 1);
    estimate_learn(&e, first, 1000, 2);
    is(estimate_seconds(&e, first, 1000), 1.2);
    estimate_learn(&e, first, 1000, 1.2);
    is(estimate_seconds(&e, first, 1000), 1.2);
    is(estimate_seconds(&e, first, 1020), 1.2 * 1.02); /* in proportion */
}

/* The nearest size answers, up to a factor of sixteen. */
static void test_sizes(void **state)
{
    (void)state;
    estimate_learn(&e, first, 1 << 10, 1e-3);
    estimate_learn(&e, first, 1 << 20, 1e-2);
    is(estimate_seconds(&e, first, 1 << 10), 1e-3);
    is(estimate_seconds(&e, first, 1 << 11), 2e-3);
    is(estimate_seconds(&e, first, 1 << 14), 16e-3);
    is(estimate_seconds(&e, first, 1 << 15), 0); /* too far from both */
    is(estimate_seconds(&e, first, 1 << 16), 1e-2 / 16);
    is(estimate_seconds(&e, first, 1 << 24), 0.16);
    is(estimate_seconds(&e, first, (int64_t)1 << 25), 0);
    estimate_learn(&e, first, 1 << 18, 1);
    is(estimate_seconds(&e, first, 1 << 19), 1e-2 / 2); /* as near to both: the larger size */
    estimate_learn(&e, first, INT64_MAX, 1);            /* all sizes have a row */
    is(estimate_seconds(&e, first, INT64_MAX), 1);
    estimate_learn(&e, second, 1, 1);
    is(estimate_seconds(&e, second, 1), 1);
    is(estimate_seconds(&e, second, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_nothing_known, setup),
                                       cmocka_unit_test_setup(test_mean, setup),
                                       cmocka_unit_test_setup(test_sizes, setup)};
    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
