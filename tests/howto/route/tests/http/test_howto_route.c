/* SPDX-License-Identifier: Apache-2.0 */
/* test_howto_route.c: the sample route, by hand and by the client's call, and its place in the OpenAPI document. */
#include "client/lib/subd.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_greeting(void **state)
{
    struct daemon d = {0};
    struct answer a;
    struct subd_config config = SUBD_INIT(subd_config);
    subd_client *client;
    char url[64], *text;
    (void)state;
    daemon_start(&d, NULL);
    http_get(&d, "/v1/greeting", &a);
    assert_int_equal(a.status, 200);
    assert_string_equal(a.body, "hello\n");
    answer_free(&a);
    http_get(&d, "/v1/openapi.yaml", &a);
    assert_non_null(strstr(a.body, "\n  /v1/greeting:\n"));
    answer_free(&a);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    config.server = url;
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
    assert_int_equal(subd_greeting(client, &text, NULL), SUBD_OK);
    assert_string_equal(text, "hello\n");
    free(text);
    subd_close(client);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_greeting)};
    return cmocka_run_group_tests_name("howto/route", tests, NULL, NULL);
}
