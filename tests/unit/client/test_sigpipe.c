/* SPDX-License-Identifier: Apache-2.0 */
/* A write to a pipe that nobody reads ends no program while SIGPIPE is blocked, and leaves no trace: neither a pending
 * signal nor a changed mask nor errno. A signal that was pending before stays so. */
#include "client/lib/subd_internal.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

static void write_to_nobody(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(write(ends[1], "x", 1), -1);
    assert_int_equal(errno, EPIPE);
    close(ends[1]);
    errno = EPIPE;
}

static int blocked(void)
{
    sigset_t now;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    return sigismember(&now, SIGPIPE);
}

static int pending(void)
{
    sigset_t now;
    assert_int_equal(sigpending(&now), 0);
    return sigismember(&now, SIGPIPE);
}

static void test_taken_back(void **state)
{
    struct subd_sigpipe s;
    (void)state;
    assert_ptr_equal(signal(SIGPIPE, SIG_DFL), SIG_DFL);
    for (int i = 0; i < 3; i++) {
        subd_sigpipe_block(&s);
        assert_int_equal(blocked(), 1);
        if (i != 1)
            write_to_nobody();
        subd_sigpipe_restore(&s);
        assert_int_equal(i == 1 || errno == EPIPE, 1);
        assert_int_equal(blocked() + pending(), 0);
    }
}

static void test_others_stay(void **state)
{
    struct subd_sigpipe outer, inner;
    (void)state;
    subd_sigpipe_block(&outer);
    write_to_nobody();
    subd_sigpipe_block(&inner);
    write_to_nobody();
    subd_sigpipe_restore(&inner);
    assert_int_equal(blocked() + pending(), 2);
    subd_sigpipe_restore(&outer);
    assert_int_equal(blocked() + pending(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken_back), cmocka_unit_test(test_others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
