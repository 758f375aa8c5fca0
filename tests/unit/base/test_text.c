/* SPDX-License-Identifier: Apache-2.0 */
/* Texts: JSON as it must be escaped, growth, and the ceiling. */
#include "server/base/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_text(void **state)
{
    struct text t = {0};
    (void)state;
    text_puts(&t, "{");
    text_member(&t, "a", "q\"b\\c\n\x01\x7f\xc3\xa4");
    text_member_int(&t, "n", -5);
    text_member_real(&t, "x", 0.125, 3);
    text_puts(&t, "}");
    assert_string_equal(t.data, "{\"a\":\"q\\\"b\\\\c\\u000a\\u0001\\u007f\xc3\xa4\",\"n\":-5,\"x\":0.125}");
    text_clear(&t);
    for (int i = 0; i < 10000; i++)
        text_printf(&t, "%d,", i);
    assert_int_equal(t.bytes, 48890);
    assert_int_equal(strlen(t.data), t.bytes);
    char *big = calloc(1, 1 << 20);
    for (int i = 0; i < 70; i++)
        text_add(&t, big, 1 << 20);
    assert_true(t.failed && t.bytes <= TEXT_MAX_BYTES); /* a ceiling, and then nothing more */
    free(big);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
