/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h: runs one kernel on the backend under test ($SUBDD_TEST_BACKEND) and watches all its memory.
 *
 * A test uploads arrays, launches, asks for results and calls launch_end. Fresh output memory holds a poison byte;
 * around each array stand more copies of its first and last row, so a read past its ends shows. launch_end fails
 * the test when an input has changed, something was written around an array, or an output was never looked at. Every
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
#define LAUNCH_NO_ERROR (~(uint64_t)0) /* What error words hold before a kernel runs. */

/* launch_say: names the case, for example its mesh and seed, in the message of a failure. */
void launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *launch_case(void);

void *launch_in(const void *from, int64_t n, size_t item);
void *launch_out(int64_t n, size_t item); /* An output, filled with poison. */
void *launch_inout(const void *from, int64_t n, size_t item);
uint64_t *launch_error(void); /* A word that holds LAUNCH_NO_ERROR. */
#define LAUNCH(name, args, n) launch_run(SDD_K_##name, #name, (args), sizeof(struct name##_args), (n))
void launch_run(int kernel, const char *name, const void *args, size_t args_bytes, int64_t n);
/* launch_got: returns a host copy of an output. launch_same: the whole output must be `want`. launch_word: its only
 * word must be `want`. */
const void *launch_got(const void *array);
void launch_same(const void *array, const void *want, const char *what);
void launch_word(const void *array, uint64_t want, const char *what);
void launch_end(void);

/* poisoned: makes a host array that is filled like one of launch_out. The caller frees it. */
void *poisoned(int64_t n, size_t item);
uint32_t random_next(uint64_t *state);
int32_t random_below(uint64_t *state, int64_t n); /* 0 to n - 1. */
float random_unit(uint64_t *state);               /* In [0, 1).  */

/* launch_group: runs a group of cmocka on an open device. If the backend is not available, every test says so and
 * skips. */
#define LAUNCH_GROUP(name, tests) launch_group(name, tests, sizeof(tests) / sizeof(tests)[0])
int launch_group(const char *name, const struct CMUnitTest *tests, size_t n);
/* The backend and its open device, for tests of more than one launch. */
const struct sdd_backend *launch_backend(void);

#endif
