/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose client leaves, and those that miss their deadline: at each step, in line, after a commit and an answer. */
#include "tests/unit/jobs/story.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* While a step runs the client is answered at once; the step ends, the others do not begin, the next job does. */
static void test_left(void **state)
{
    static const char *const logs[] = {"", "LH-.", "LHS-.", "LHSD-."};
    struct fixture *f = *state;
    for (int at = 1; at < 4; at++) {
        struct story *s = story_tell('a'), *next = story_tell('b');
        s->hold_at = at;
        struct job *job = story_start(f, s, &f->turns[0]);
        story_start(f, next, &f->turns[0]);
        story_run_to_hold(f, s);
        job_abandon(job, SDD_ECANCELLED);
        assert_int_equal(s->request.code, SDD_ECANCELLED);
        job_abandon(job, SDD_EDEADLINE); /* it has been told */
        story_run_until_idle(f, 1);
        assert_string_equal(next->log, ""); /* the step still has the mesh */
        sem_post(&s->go_on);
        story_run_all(f);
        story_check(s, logs[at], SDD_ECANCELLED, LEFT);
        story_check(next, "LHSDL+.", SDD_OK, "");
        assert_int_equal(f->metrics.values[M_CANCELLED], at);
    }
}

/* What is durable is finished, though nobody waits for it. */
static void test_left_after_commit(void **state)
{
    struct fixture *f = *state;
    struct story *s = story_tell('a');
    s->hold_at = s->commit_at = 2;
    struct job *job = story_start(f, s, NULL);
    story_run_to_hold(f, s);
    job_abandon(job, SDD_ECANCELLED);
    sem_post(&s->go_on);
    story_run_all(f);
    story_check(s, "LHS-DL.", SDD_ECANCELLED, LEFT);
}

/* Who leaves while in line, on a thread's or on the mesh's, has nothing run any more. */
static void test_left_in_line(void **state)
{
    struct fixture *f = *state;
    struct story *first = story_tell('a'), *waits = story_tell('b'), *posted = story_tell('c'), *last = story_tell('d');
    first->hold_at = 3;
    posted->steps[0] = posted->steps[3]; /* straight to the device, where the first one is */
    struct job *a = story_start(f, first, &f->turns[0]);
    struct job *b = story_start(f, waits, &f->turns[0]);
    story_start(f, last, &f->turns[0]);
    story_run_to_hold(f, first);
    struct job *c = story_start(f, posted, &f->turns[1]);
    job_abandon(b, SDD_ECANCELLED);
    story_check(waits, "-.", SDD_ECANCELLED, LEFT);
    job_abandon(c, SDD_ECANCELLED);
    assert_string_equal(posted->log, "-"); /* its task is still in the queue */
    assert_ptr_equal(f->turns[1].holder, c);
    assert_ptr_equal(f->turns[0].holder, a);
    sem_post(&first->go_on);
    story_run_all(f);
    story_check(first, "LHSDL+.", SDD_OK, "");
    story_check(posted, "-.", SDD_ECANCELLED, LEFT);
    story_check(last, "LHSDL+.", SDD_OK, "");
}

/* A job that has answered goes on for itself; that its client then leaves is no second answer. */
static void test_answered_early(void **state)
{
    struct fixture *f = *state;
    struct story *goes_on = story_tell('a'), *stops = story_tell('b'), *fails = story_tell('c');
    goes_on->answer_at = stops->answer_at = fails->answer_at = 0;
    stops->hold_at = 1;
    fails->rc[3] = SDD_ENO_MEMORY;
    story_start(f, goes_on, NULL);
    struct job *job = story_start(f, stops, NULL);
    story_start(f, fails, NULL);
    story_run_to_hold(f, stops);
    job_abandon(job, SDD_ECANCELLED);
    sem_post(&stops->go_on);
    story_run_all(f);
    story_check(goes_on, "L+HSDL.", SDD_OK, "");
    story_check(stops, "L+H.", SDD_OK, "");
    story_check(fails, "L+HSD.", SDD_OK, "");
    assert_int_equal(f->metrics.values[M_CANCELLED], 0);
}

static void test_all_abandoned(void **state)
{
    struct fixture *f = *state;
    struct story *held = story_tell('a'), *waits = story_tell('b'), *other = story_tell('c');
    held->hold_at = other->hold_at = 1;
    story_start(f, held, &f->turns[0]);
    story_start(f, waits, &f->turns[0]);
    story_start(f, other, &f->turns[1]);
    story_run_to_hold(f, held);
    story_run_to_hold(f, other);
    jobs_abandon(&f->jobs, SDD_ECANCELLED);
    assert_int_equal(f->jobs.n, 2);
    sem_post(&held->go_on);
    sem_post(&other->go_on);
    story_run_all(f);
    story_check(held, "LH-.", SDD_ECANCELLED, LEFT);
    story_check(waits, "-.", SDD_ECANCELLED, LEFT);
    story_check(other, "LH-.", SDD_ECANCELLED, LEFT);
}

/* The nearest deadline of all is the one that the loop wakes for, whenever it was set; others are not concerned. */
static void test_deadlines(void **state)
{
    static const char late[] = "the work did not finish before the request's deadline";
    const uint64_t ms = 1000000, start_at = uv_hrtime();
    struct fixture *f = *state;
    struct story *patient = story_tell('a'), *soon = story_tell('b'), *sooner = story_tell('c'),
                 *in_line = story_tell('d');
    patient->hold_at = soon->hold_at = 1;
    sooner->hold_at = 3;
    story_start_by(f, patient, &f->turns[0], false, start_at + 3600000 * ms);
    story_start_by(f, soon, NULL, false, start_at + 60 * ms);
    story_start_by(f, in_line, &f->turns[0], false, start_at + 40 * ms);
    story_run_to_hold(f, patient);
    story_run_to_hold(f, soon);
    while (!in_line->request.n_answers)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_true(uv_hrtime() >= start_at + 40 * ms);
    story_check(in_line, "-.", SDD_EDEADLINE, late);
    while (!soon->request.n_answers)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_true(uv_hrtime() >= start_at + 60 * ms);
    assert_int_equal(patient->request.n_answers, 0);
    sem_post(&soon->go_on);
    sem_post(&patient->go_on);
    story_start_by(f, sooner, NULL, false, uv_hrtime() - 1); /* it has passed */
    story_run_to_end(f, soon);
    while (!sooner->request.n_answers)
        uv_run(&f->loop, UV_RUN_ONCE);
    sem_post(&sooner->go_on);
    story_run_all(f);
    assert_int_equal(f->metrics.values[M_CANCELLED], 3);
    story_check(patient, "LHSDL+.", SDD_OK, "");
    story_check(soon, "LH-.", SDD_EDEADLINE, late);
    story_check_answer(sooner, SDD_EDEADLINE, late);
}

int main(void)
{
#define ON_A_LOOP(test) cmocka_unit_test_setup_teardown(test, story_set_up, story_tear_down)
    const struct CMUnitTest tests[] = {ON_A_LOOP(test_left),          ON_A_LOOP(test_left_after_commit),
                                       ON_A_LOOP(test_left_in_line),  ON_A_LOOP(test_answered_early),
                                       ON_A_LOOP(test_all_abandoned), ON_A_LOOP(test_deadlines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
