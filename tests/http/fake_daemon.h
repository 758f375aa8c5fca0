/* SPDX-License-Identifier: Apache-2.0 */
/* fake_daemon.h: the daemon over the fake device (gpu/fake), which fails when told, and from which frames are copied as
 * they are from a GPU. */
#ifndef TESTS_HTTP_FAKE_DAEMON_H
#define TESTS_HTTP_FAKE_DAEMON_H
#include "tests/http/daemon.h"

enum fake_how { ONCE, FOREVER, STICKY };
/* fake_daemon: for daemon_fork. */
int fake_daemon(int argc, char **argv);
/* fake_arm: its k-th call of the device from now on fails; 0: none. */
void fake_arm(const struct daemon *d, int k, enum fake_how how);

#endif
