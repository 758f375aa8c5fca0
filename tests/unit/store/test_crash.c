/* SPDX-License-Identifier: Apache-2.0 */
/* A writer is killed at random moments: what it was told is stored is there, whole; what it was not is all there or not
 * at all. SUBDD_CRASH_CYCLES (default 100) sets how often, and how many changes must have been acknowledged: on a busy
 * machine that takes more kills. */
#include "tests/unit/store/store_files.h"
#include "tests/unit/store/store_work.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void write_until_killed(const char *dir, struct store_work *w)
{
    struct store *s;
    struct sdd_error err;
    if (store_open(dir, &s, &err))
        _exit(2);
    __atomic_store_n(&w->ready, 1, __ATOMIC_SEQ_CST);
    for (;;)
        if (work_step(s, w))
            _exit(3);
}

static void one_cycle(const char *dir, struct store_work *w, int round)
{
    int status;
    __atomic_store_n(&w->ready, 0, __ATOMIC_SEQ_CST);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_until_killed(dir, w);
    while (!__atomic_load_n(&w->ready, __ATOMIC_SEQ_CST) && waitpid(child, &status, WNOHANG) == 0)
        (void)usleep(100);
    (void)usleep((useconds_t)(rand() % 20000)); // NOLINT: any time will do
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    struct store *s = store_reopen(dir);
    struct sdd_error err = {0};
    work_check(s, w);
    if (round % 10 == 0 && store_check(s, &err))
        fail_msg("round %d: %s", round, err.text);
    store_close(s);
}

static void test_kill(void **state)
{
    const char *cycles = getenv("SUBDD_CRASH_CYCLES");
    int n = cycles ? (int)strtol(cycles, NULL, 10) : 100, kills = 0;
    char *dir = tempdir();
    struct store_work *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_ptr_not_equal(w, MAP_FAILED);
    w->together = true;
    srand(7); // NOLINT
    for (; kills < n || (w->n_acked <= n && kills < 10 * n); kills++)
        one_cycle(dir, w, kills);
    print_message("%d kills, %lld acknowledged changes, %lld of them edits, %lld commits of several, none lost\n",
                  kills, (long long)w->n_acked, (long long)w->n_edits, (long long)w->n_together);
    assert_true(w->n_acked > n && w->n_edits > n / 4 && w->n_together > n / 8);
    (void)munmap(w, sizeof *w);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
