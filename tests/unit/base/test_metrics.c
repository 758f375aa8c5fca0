/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of requests by operation and status only grow, and each answer counts under its own status. A request whose
 * client left before it had an answer counts as 499. */
#include "server/base/metrics.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void has(const struct metrics *m, const char *line)
{
    struct text out = {0};
    metrics_write(m, &out);
    if (!strstr(out.data, line))
        fail_msg("%s is missing", line);
    assert_null(strstr(out.data, "code=\"0\""));
    text_free(&out);
}

static void test_requests(void **state)
{
    static struct metrics m;
    (void)state;
    m.ops[0] = "create", m.ops[1] = "list";
    metrics_request(&m, 0, 0, 0.1);
    metrics_request(&m, 0, 0, 0.1);
    metrics_request(&m, 0, 415, 0.1);
    metrics_request(&m, 1, 400, 0.1);
    metrics_request(&m, 0, 0, 0.1);
    has(&m, "subdd_requests_total{op=\"create\",code=\"499\"} 3\n");
    has(&m, "subdd_requests_total{op=\"create\",code=\"415\"} 1\n");
    has(&m, "subdd_requests_total{op=\"list\",code=\"400\"} 1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
