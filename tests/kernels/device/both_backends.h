/* SPDX-License-Identifier: Apache-2.0 */
/* both_backends.h: the CPU backend and the one under test ($SUBDD_TEST_BACKEND), each with a device open, for a
 * cmocka group: cmocka_run_group_tests(tests, open_both, close_both), &opened_cpu or &opened_other as a test's
 * state. */
#ifndef TESTS_BOTH_BACKENDS_H
#define TESTS_BOTH_BACKENDS_H
#include "gpu/backend/backend.h"

struct opened {
    const struct sdd_backend *b; /* NULL when it cannot be had, with a reason */
    void *dev;
    char reason[200];
};
extern struct opened opened_cpu, opened_other;

int open_both(void **state);
int close_both(void **state);
struct opened *opened_or_skip(void **state);
/* opened_array: device memory with a copy of `from` (NULL: whatever is in there); the test fails when there is
 * none. */
void *opened_array(struct opened *t, int64_t bytes, const void *from);

#endif
