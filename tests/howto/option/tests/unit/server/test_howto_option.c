/* SPDX-License-Identifier: Apache-2.0 */
/* test_howto_option.c: the sample option is a flag, a variable, a line of --help and a line of --print-config. */
#include "server/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_greeting(void **state)
{
    char *argv[] = {"subdd", "--greeting", "good day", NULL};
    struct config c;
    struct text error = {0}, help = {0}, printed = {0};
    (void)state;
    assert_true(config_load(&c, 1, argv, &error));
    assert_string_equal(c.greeting, "hello");
    config_free(&c);
    setenv("SUBDD_GREETING", "good evening", 1);
    assert_true(config_load(&c, 1, argv, &error));
    assert_string_equal(c.greeting, "good evening");
    config_free(&c);
    assert_true(config_load(&c, 3, argv, &error));
    assert_string_equal(c.greeting, "good day");
    config_help(&help);
    assert_non_null(strstr(help.data, "--greeting TEXT"));
    config_print(&c, &printed);
    assert_non_null(strstr(printed.data, "greeting = good day\n"));
    config_free(&c);
    text_free(&help);
    text_free(&printed);
    text_free(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_greeting)};
    return cmocka_run_group_tests_name("howto/option", tests, NULL, NULL);
}
