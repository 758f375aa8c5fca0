/* SPDX-License-Identifier: Apache-2.0 */
/* client.h: a client of libsubd for a test's own daemon, which subd finds then too. */
#ifndef TESTS_HTTP_CLIENT_H
#define TESTS_HTTP_CLIENT_H
#include "client/lib/subd.h"
#include "tests/http/daemon.h"

/* client_start: a client of the daemon, and SUBD_SERVER for programs. The test closes it with subd_close. */
subd_client *client_start(const struct daemon *d);

#endif
