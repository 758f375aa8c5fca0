/* SPDX-License-Identifier: Apache-2.0 */
/* What the process is told of itself, against what this test does to it and what other sources say. */
#include "server/base/process.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void test_files(void **state)
{
    struct process before, after;
    struct rlimit limit;
    int fds[2];
    (void)state;
    process_read(&before);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    process_read(&after);
    assert_int_equal(after.open_fds, before.open_fds + 2);
    close(fds[0]);
    close(fds[1]);
    process_read(&after);
    assert_int_equal(after.open_fds, before.open_fds);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur -= 7;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    process_read(&after);
    assert_int_equal(after.max_fds, limit.rlim_cur);
}

static void test_memory(void **state)
{
    enum { BYTES = 64 << 20, SLACK = 8 << 20 };
    struct process before, mapped, touched;
    (void)state;
    process_read(&before);
    char *block = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(block, MAP_FAILED);
    process_read(&mapped);
    memset(block, 1, BYTES);
    process_read(&touched);
    munmap(block, BYTES);
    assert_in_range(mapped.virtual_bytes - before.virtual_bytes, BYTES, BYTES + SLACK);
    assert_in_range(touched.resident_bytes - mapped.resident_bytes, BYTES - SLACK, BYTES + SLACK);
}

/* The process works for a tenth of a second, under a name that could be mistaken for fields. */
static void test_time(void **state)
{
    struct process before, after;
    volatile unsigned n = 0;
    (void)state;
    assert_int_equal(prctl(PR_SET_NAME, "a) 1 2 (b"), 0);
    process_read(&before);
    for (const clock_t until = clock() + CLOCKS_PER_SEC / 10; clock() < until;)
        n++;
    process_read(&after);
    const double used = after.cpu_seconds - before.cpu_seconds;
    assert_true(used >= 0.099 && used < 0.2);
    const double age = (double)time(NULL) - after.start_seconds;
    assert_true(age > -2 && age < 120);
    assert_true(after.start_seconds == before.start_seconds); // NOLINT: the same bits
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
