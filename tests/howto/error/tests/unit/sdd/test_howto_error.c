/* SPDX-License-Identifier: Apache-2.0 */
/* test_howto_error.c: the sample error has a value, a status, a code on the wire and a sentence. */
#include "gpu/sdd/sdd.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_teapot(void **state)
{
    struct sdd_error err;
    (void)state;
    assert_int_equal(sdd_fail(&err, SDD_ETEAPOT, "cup", "cup %d of %d is empty", 3, 4), SDD_ETEAPOT);
    assert_string_equal(err.text, "cup 3 of 4 is empty");
    assert_int_equal(sdd_err_http(SDD_ETEAPOT), 418);
    assert_string_equal(sdd_err_code(SDD_ETEAPOT), "teapot");
    assert_false(sdd_err_retryable(SDD_ETEAPOT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_teapot)};
    return cmocka_run_group_tests_name("howto/error", tests, NULL, NULL);
}
