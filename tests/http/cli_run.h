/* SPDX-License-Identifier: Apache-2.0 */
/* cli_run.h: the command line in tests: what it must have printed, and shells that run it. */
#ifndef TESTS_CLI_RUN_H
#define TESTS_CLI_RUN_H
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <cjson/cJSON.h>

/* cli_daemon_start: starts a daemon which subd finds, and writes cube.obj into its folder. */
void cli_daemon_start(struct daemon *d);
/* write_text: writes a file into a folder. */
void write_text(const char *dir, const char *name, const char *text);
void ran_expect(struct ran r, int code);
/* stdout must be JSON, whatever the exit code. */
cJSON *ran_json(struct ran r, int code);
/* One sentence on stderr, nothing on stdout. */
void ran_fails(struct ran r, int code, const char *says);
/* shell_run: runs a script of bash in `dir`, with subd in its PATH. */
struct ran shell_run(const char *dir, const char *script);
/* terminal_run: runs a command as on a terminal; what it wrote is in `out`, with "\n" for line ends. */
struct ran terminal_run(const char *dir, const char *command);

#endif
