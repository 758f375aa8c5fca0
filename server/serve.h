/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h: the daemon from start to stop. The caller says how the device is opened, so that tests can bring a faulty
 * one. */
#ifndef SUBDD_SERVE_H
#define SUBDD_SERVE_H
#include "gpu/sdd/sdd.h"
#include "server/config.h"

/* The exit codes after a failure; after SIGTERM it is 0. */
enum exit_code { EXIT_CANNOT_START = 1, EXIT_USAGE = 2, EXIT_DEVICE = 3, EXIT_STORE = 4 };

typedef int open_device_fn(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err);
/* serve: prints the start line, serves, and returns the exit code. When threads may hang, it ends the process at once
 * instead of returning. */
int serve(const struct config *config, open_device_fn *open_device);

#endif
