/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table while it grows and shrinks. */
#include "server/base/table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct item {
    struct table_node node;
    char key[16];
};

static void test_table(void **state)
{
    enum { N = 5000 };
    struct table t = {0};
    struct item *items = calloc(N, sizeof *items);
    (void)state;
    assert_null(table_find(&t, "x"));
    for (int i = 0; i < N; i++) {
        snprintf(items[i].key, sizeof items[i].key, "k%d", i);
        assert_true(table_add(&t, &items[i].node, items[i].key));
    }
    for (int i = 0; i < N; i += 2)
        table_remove(&t, &items[i].node);
    for (int i = 0; i < N; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        assert_ptr_equal(table_find(&t, key), i % 2 ? &items[i].node : NULL);
    }
    assert_int_equal(t.n, N / 2);
    table_remove(&t, &items[0].node); /* a second time is nothing */
    table_fini(&t);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
