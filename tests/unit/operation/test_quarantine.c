/* SPDX-License-Identifier: Apache-2.0 */
/* Who is to blame for the end of a daemon, by what was noted when it ended: its mesh, not its version; the innermost
 * evaluation; and nobody, when the device was lost in work that is not noted. */
#include "server/operation/quarantine.h"
#include "tests/unit/tempdir.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct quarantine q;
static struct metrics metrics;
static struct log silent;
static char *dir;
static struct executor *thread;

static int set_up(void **state)
{
    (void)state;
    dir = tempdir();
    thread = executor_start("test", 1, NULL);
    assert_non_null(thread);
    assert_true(log_open(&silent, "/dev/null", "error", "text"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    executor_stop(thread);
    assert_false(q.syncs || q.again);
    log_close(&silent);
    tempdir_remove(dir);
    return 0;
}

/* A daemon begins; the one before has ended in the middle of what it had noted. */
static void begin(void)
{
    struct sdd_error err;
    executor_stop(thread); /* What was cleared is synced, and nobody looks at the old one any more. */
    assert_non_null(thread = executor_start("test", 1, NULL));
    if (q.metrics)
        close(q.fd);
    assert_int_equal(quarantine_open(&q, dir, &silent, &metrics, &err), SDD_OK);
    q.thread = thread;
}

static struct evaluation of(const char *id, int64_t version, uint64_t work)
{
    struct evaluation e = {.version = version, .work = work};
    (void)snprintf(e.id, sizeof e.id, "%s", id);
    return e;
}

static void evaluate(const char *id, int64_t version, uint64_t work)
{
    struct evaluation e = of(id, version, work);
    quarantine_begin(&q, &e, 0);
    quarantine_end(&q, &e, 0, SDD_OK);
    quarantine_survived(&q, &e);
}

static void die(const char *id, int64_t version, uint64_t work)
{
    struct evaluation e = of(id, version, work);
    quarantine_begin(&q, &e, 0);
    begin();
}

/* A mesh that is dragged has another version each time. */
static void test_versions(void **state)
{
    (void)state;
    begin();
    die("m_dragged", 3, 100);
    die("m_other", 1, 100);
    evaluate("m_dragged", 4, 200); /* Other work says nothing of it. */
    assert_false(quarantine_has(&q, "m_dragged", 3));
    die("m_dragged", 5, 100);
    assert_true(quarantine_has(&q, "m_dragged", 5));
    assert_false(quarantine_has(&q, "m_other", 1));
    /* Any other version has both chances. */
    assert_false(quarantine_has(&q, "m_dragged", 3));
    die("m_dragged", 6, 100);
    assert_false(quarantine_has(&q, "m_dragged", 6));
    die("m_dragged", 7, 100);
    assert_true(quarantine_has(&q, "m_dragged", 7));
    assert_true(quarantine_has(&q, "m_dragged", 5));
    assert_true(quarantine_lift(&q, "m_dragged", true));
    assert_false(quarantine_has(&q, "m_dragged", 5) || quarantine_has(&q, "m_dragged", 7));
}

/* The same work, done well on a later version, clears a death; but no quarantine. */
static void test_survived(void **state)
{
    (void)state;
    begin();
    die("m_dragged", 3, 100);
    evaluate("m_dragged", 4, 100);
    die("m_dragged", 5, 100);
    assert_false(quarantine_has(&q, "m_dragged", 5));
    die("m_dragged", 6, 100);
    evaluate("m_dragged", 7, 100);
    assert_true(quarantine_has(&q, "m_dragged", 6));
}

static void test_innermost(void **state)
{
    (void)state;
    begin();
    for (int k = 0; k < QUARANTINE_DEATHS; k++) {
        struct evaluation outer = of("m_outer", 1, 100), done = of("m_done", 1, 100), inner = of("m_inner", 1, 100);
        quarantine_begin(&q, &outer, 0);
        quarantine_begin(&q, &done, 0);
        quarantine_end(&q, &done, 0, SDD_OK);
        quarantine_begin(&q, &inner, 0);
        begin();
    }
    assert_true(quarantine_has(&q, "m_inner", 1));
    assert_false(quarantine_has(&q, "m_outer", 1));
    assert_int_equal(atomic_load(&metrics.values[M_DEATHS_SUSPECTED]), 0);
}

/* An edit, which is not noted, loses the device; what comes next, or is around it, is not to blame. */
static void test_lost_by_others(void **state)
{
    (void)state;
    begin();
    for (int k = 0; k < QUARANTINE_DEATHS; k++) {
        struct evaluation outer = of("m_outer", 1, 100), edit = {.work = 1}, next = of("m_next", 1, 100);
        quarantine_begin(&q, &outer, 0);
        quarantine_end(&q, &edit, 6, SDD_EDEVICE);
        quarantine_begin(&q, &next, 5);
        quarantine_end(&q, &next, 5, SDD_EDEVICE);
        quarantine_close(&q, true);
        begin();
    }
    assert_false(quarantine_has(&q, "m_outer", 1) || quarantine_has(&q, "m_next", 1));
    assert_int_equal(atomic_load(&metrics.values[M_DEATHS_SUSPECTED]), 0);
}

/* A clock that was set back forgets no death. */
static void test_clock(void **state)
{
    struct suspect s;
    char path[256];
    (void)state;
    begin();
    die("m_one", 1, 100);
    (void)snprintf(path, sizeof path, "%s/subdd.evaluating", dir);
    const int fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, &s, sizeof s, 64), sizeof s);
    s.died_ms += 3600 * 1000;
    assert_int_equal(pwrite(fd, &s, sizeof s, 64), sizeof s);
    close(fd);
    begin();
    die("m_one", 1, 100);
    assert_true(quarantine_has(&q, "m_one", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_versions, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_survived, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_innermost, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_lost_by_others, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_clock, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
