/* SPDX-License-Identifier: Apache-2.0 */
/* chromium.h: a headless Chromium that opens pages and runs scripts in them, where it is installed. All of it fails the
 * test when a step does not come to pass. */
#ifndef TESTS_HTTP_CHROMIUM_H
#define TESTS_HTTP_CHROMIUM_H
#include <sys/types.h>

#define BROWSER_S 90 /* a cold start on a busy machine */

/* chromium_run: starts a program in the folder `dir`, with its output in the file `log`, its fds 3 and 4 being `in` and
 * `out` unless they are -1. It leads a group of processes. */
pid_t chromium_run(const char *const *argv, const char *dir, const char *log, int in, int out);
void chromium_end(pid_t group);
/* chromium_start: starts Chromium, with a profile of its own in `dir`, on `url`; `flag` may be NULL. */
pid_t chromium_start(const char *dir, const char *log, const char *url, const char *flag, int in, int out);

/* chromium_ask: opens a page in a new browser and runs `script` in it, the body of an async function. The caller frees
 * the text that it returns. */
char *chromium_ask(const char *dir, const char *url, const char *script);

#endif
