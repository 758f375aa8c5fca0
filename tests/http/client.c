/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/client.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

subd_client *client_start(const struct daemon *d)
{
    char url[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    subd_client *client;
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d->port);
    setenv("SUBD_SERVER", url, 1);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
    return client;
}
