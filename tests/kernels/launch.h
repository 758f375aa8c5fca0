/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h: one kernel on the backend under test ($SUBDD_TEST_BACKEND), with all its memory watched.
 *
 * Upload arrays, launch, ask for results, launch_end. Fresh output memory holds a poison byte; around each array
 * stand more copies of its first and last row, so a read past its ends shows in the result. launch_end fails the
 * test when an input has changed, something was written around an array, or an output was never looked at. Every
 * function fails the running test when the backend does. Host copies live until launch_end. */
#ifndef TESTS_LAUNCH_H
#define TESTS_LAUNCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "gpu/backend/backend.h"

#define LAUNCH_POISON 0xA5
#define LAUNCH_POISON32 0xA5A5A5A5u
#define LAUNCH_NO_ERROR (~(uint64_t)0) /* what error words hold before a kernel */

/* launch_say: names the case (mesh, seed), for the message of a failure. */
void launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *launch_case(void);

void *launch_in(const void *from, int64_t n, size_t item);
void *launch_out(int64_t n, size_t item); /* poisoned                                      */
void *launch_inout(const void *from, int64_t n, size_t item);
uint64_t *launch_error(void); /* a word that holds LAUNCH_NO_ERROR */
#define LAUNCH(name, args, n) launch_run(SDD_K_##name, #name, (args), sizeof(struct name##_args), (n))
void launch_run(int kernel, const char *name, const void *args, size_t args_bytes, int64_t n);
/* launch_got: a host copy of an output. launch_same: all of it is `want`. launch_word: its one word is `want`. */
const void *launch_got(const void *array);
void launch_same(const void *array, const void *want, const char *what);
void launch_word(const void *array, uint64_t want, const char *what);
void launch_end(void);

/* poisoned: a host array as launch_out leaves one; the caller frees. */
void *poisoned(int64_t n, size_t item);
uint32_t random_next(uint64_t *state);
int32_t random_below(uint64_t *state, int64_t n); /* 0 .. n - 1 */
float random_unit(uint64_t *state);               /* in [0, 1)  */

/* launch_group: cmocka's group over an open device; where the backend cannot be had, every test says so and
 * skips. */
#define LAUNCH_GROUP(name, tests) launch_group(name, tests, sizeof(tests) / sizeof(tests)[0])
int launch_group(const char *name, const struct CMUnitTest *tests, size_t n);
/* The backend and its open device, for what is more than one launch. */
const struct sdd_backend *launch_backend(void);

#endif
