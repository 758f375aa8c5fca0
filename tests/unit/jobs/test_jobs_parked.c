/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that wait for memory: in the order in which they came, while memory moves, and not when a client has left. */
#include "tests/unit/jobs/story.h"
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A job that needs this much memory on the device, and finds none so many times. */
static struct story *poor(char name, int64_t needed, int parks)
{
    struct story *s = story_tell(name);
    s->rc[3] = JOB_PARK;
    s->needed = needed;
    s->parks = parks;
    return s;
}

static void until_parked(struct fixture *f, int n)
{
    while (f->jobs.n_parked != n)
        uv_run(&f->loop, UV_RUN_ONCE);
}

static struct job *park(struct fixture *f, struct story *s, struct turns *turns)
{
    const int before = f->jobs.n_parked;
    struct job *job = story_start(f, s, turns);
    until_parked(f, before + 1);
    return job;
}

static void test_order(void **state)
{
    struct fixture *f = *state;
    struct story *a = poor('a', 60, 1), *b = poor('b', 30, 1), *c = poor('c', 10, 1);
    park(f, a, NULL);
    park(f, b, NULL);
    park(f, c, NULL);
    assert_int_equal(jobs_unpark(&f->jobs, 59, true), 60); /* The small ones do not pass the first one by. */
    assert_int_equal(f->jobs.n_parked, 3);
    assert_int_equal(jobs_unpark(&f->jobs, 95, true), 10);
    assert_int_equal(f->jobs.n_parked, 1);
    story_run_to_end(f, b);
    assert_int_equal(jobs_unpark(&f->jobs, 10, true), 0);
    story_run_all(f);
    story_check(a, "LHSDDL+.", SDD_OK, "");
    story_check(b, "LHSDDL+.", SDD_OK, "");
    story_check(c, "LHSDDL+.", SDD_OK, "");
}

/* Whose memory was taken by somebody else meanwhile is first in line again. */
static void test_again(void **state)
{
    struct fixture *f = *state;
    struct story *a = poor('a', 60, 2), *b = poor('b', 30, 1);
    park(f, a, NULL);
    park(f, b, NULL);
    assert_int_equal(jobs_unpark(&f->jobs, 60, true), 30);
    until_parked(f, 2);
    assert_int_equal(jobs_unpark(&f->jobs, 40, true), 60);
    assert_int_equal(jobs_unpark(&f->jobs, 90, true), 0);
    story_run_all(f);
    story_check(a, "LHSDDDL+.", SDD_OK, "");
    story_check(b, "LHSDDL+.", SDD_OK, "");
}

static void test_patience(void **state)
{
    struct fixture *f = *state;
    struct story *a = poor('a', 60, 1), *next = story_tell('b');
    const uint64_t long_ago = uv_hrtime() - (uint64_t)((JOBS_PATIENCE + 1) * 1e9);
    park(f, a, &f->turns[0]);
    story_start(f, next, &f->turns[0]);
    f->jobs.moved_at = long_ago;
    assert_int_equal(jobs_unpark(&f->jobs, 0, true), 60); /* Some memory moved, though not enough. */
    assert_int_equal(jobs_unpark(&f->jobs, 0, false), 60);
    f->jobs.moved_at = long_ago;
    assert_int_equal(jobs_unpark(&f->jobs, 0, false), 0);
    jobs_run(&f->jobs);
    story_run_all(f);
    story_check(a, "LHSD-.", SDD_EBUSY, "no memory");
    story_check(next, "LHSDL+.", SDD_OK, "");
    assert_int_equal(f->jobs.n_parked, 0);
}

/* While the device makes something, memory will move, however long that takes. */
static void test_patience_with_the_device(void **state)
{
    struct fixture *f = *state;
    struct story *a = poor('a', 60, 1), *maker = story_tell('b');
    const uint64_t long_ago = uv_hrtime() - (uint64_t)((JOBS_PATIENCE + 1) * 1e9);
    maker->hold_at = 3;
    park(f, a, &f->turns[0]);
    story_start(f, maker, &f->turns[1]);
    story_run_to_hold(f, maker);
    f->jobs.moved_at = long_ago;
    assert_int_equal(jobs_unpark(&f->jobs, 0, false), 60);
    sem_post(&maker->go_on);
    story_run_to_end(f, maker);
    while (executor_busy_since(f->jobs.compute)) /* The loop may hear of the step's end before its thread goes on. */
        sched_yield();
    f->jobs.moved_at = long_ago;
    assert_int_equal(jobs_unpark(&f->jobs, 0, false), 0);
    story_run_all(f);
    story_check(a, "LHSD-.", SDD_EBUSY, "no memory");
    story_check(maker, "LHSDL+.", SDD_OK, "");
}

static void test_abandoned(void **state)
{
    struct fixture *f = *state;
    struct story *a = poor('a', 60, 1), *b = poor('b', 60, 1), *next = story_tell('c');
    struct job *job = park(f, a, &f->turns[0]), *other = park(f, b, &f->turns[1]);
    story_start(f, next, &f->turns[0]);
    assert_int_equal(f->jobs.n_parked, 2);
    job_abandon(job, SDD_EDEADLINE);
    assert_int_equal(f->jobs.n_parked, 1);
    atomic_store(&other->cancel, 1); /* As net/ does when the connection ends. */
    assert_int_equal(jobs_unpark(&f->jobs, 0, true), 0);
    jobs_run(&f->jobs);
    story_run_all(f);
    story_check(a, "LHSD-.", SDD_EDEADLINE, "the work did not finish before the request's deadline");
    story_check(b, "LHSD-.", SDD_ECANCELLED, LEFT);
    story_check(next, "LHSDL+.", SDD_OK, "");
}

#define ALONE(test) cmocka_unit_test_setup_teardown(test, story_set_up, story_tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {ALONE(test_order), ALONE(test_again), ALONE(test_patience),
                                       ALONE(test_patience_with_the_device), ALONE(test_abandoned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
