/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs on a loop of their own, without a daemon: which thread runs what and in which order, what an error does at each
 * step, turns at one mesh, and steps that are joined. Clients that leave: test_jobs_abandoned.c. */
#include "tests/unit/jobs/story.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* ---- steps ------------------------------------------------------------------------------------------------------- */
static void test_steps(void **state)
{
    struct fixture *f = *state;
    struct story *all = story_tell('a'), *skips = story_tell('s');
    story_start(f, all, NULL);
    story_run_all(f);
    for (int p = 0; p < N_PHASES; p++) /* what a step says that its time counts for; waiting counts always */
        assert_int_equal(all->phases[p] > 0, p == PHASE_QUEUE || p == PHASE_PARSE || p == PHASE_LOAD);
    assert_int_equal(f->metrics.phases[PHASE_PARSE].count, 1);
    assert_int_equal(f->metrics.phases[PHASE_REFINE].count, 0);
    story_start(f, skips, NULL);
    story_run_all(f);
    story_check(all, "LHSDL+.", SDD_OK, "");
    story_check(skips, "LHDL+.", SDD_OK, "");
    assert_int_equal(f->n_ended, 2);
    assert_int_equal(f->ended[0], SDD_OK);
}

static void test_done(void **state)
{
    static const char *const logs[] = {"L+.", "LH+.", "LHS+.", "LHSD+.", "LHSDL+."};
    for (int at = 0; at < N_STEPS; at++) {
        struct story *s = story_tell('a');
        s->rc[at] = JOB_DONE;
        story_start(*state, s, NULL);
        story_run_all(*state);
        story_check(s, logs[at], SDD_OK, "");
    }
}

/* An error ends the job, is what its client hears, and lets the next one in. */
static void test_errors(void **state)
{
    static const char *const logs[] = {"L-.", "LH-.", "LHS-.", "LHSD-.", "LHSDL-."};
    static const int codes[] = {SDD_EMESH, SDD_EINVALID, SDD_ESTORE, SDD_ENO_MEMORY, SDD_EDEVICE};
    struct fixture *f = *state;
    for (int at = 0; at < N_STEPS; at++) {
        struct story *bad = story_tell('a'), *next = story_tell('b');
        char text[32];
        bad->rc[at] = codes[at];
        f->n_ended = 0;
        story_start(f, bad, &f->turns[0]);
        story_start(f, next, &f->turns[0]);
        story_run_all(f);
        (void)snprintf(text, sizeof text, "step %d failed", at);
        story_check(bad, logs[at], codes[at], text);
        story_check(next, "LHSDL+.", SDD_OK, "");
        assert_int_equal(f->ended[0], codes[at]);
        assert_int_equal(f->ended[1], SDD_OK);
        assert_int_equal(f->metrics.values[M_REJECTED_MEMORY], at >= 3);
    }
}

static void test_again(void **state)
{
    struct fixture *f = *state;
    struct story *some = story_tell('a'), *many = story_tell('b');
    some->rc[3] = many->rc[2] = JOB_AGAIN;
    some->again = JOB_MAX_ROUNDS - 1;
    many->again = JOB_MAX_ROUNDS;
    story_start(f, some, NULL);
    story_start(f, many, NULL);
    story_run_all(f);
    story_check(some, "LHSDLHSDLHSDLHSDLHSDLHSDLHSDLHSDL+.", SDD_OK, "");
    story_check(many, "LHSLHSLHSLHSLHSLHSLHSLHS-.", SDD_ENO_MEMORY,
                "the mesh is evicted as often as it is loaded: too many big meshes at once");
    assert_int_equal(f->metrics.values[M_REJECTED_MEMORY], 1);
}

static void test_busy(void **state)
{
    struct fixture *f = *state;
    struct story *held[2] = {story_tell('a'), story_tell('b')}, *third = story_tell('c'), *fourth = story_tell('d');
    f->jobs.most = 2;
    held[0]->hold_at = held[1]->hold_at = 1;
    story_start(f, held[0], &f->turns[0]);
    story_start(f, held[1], &f->turns[1]);
    story_start(f, third, &f->turns[0]); /* at once: it is not even in line */
    story_check(
        third, "-.", SDD_EBUSY,
        "2 requests are being worked on, and the daemon takes 2 (--queue-size): wait for answers before sending more");
    assert_int_equal(f->metrics.values[M_REJECTED_QUEUE], 1);
    assert_int_equal(f->jobs.n, 2);
    sem_post(&held[0]->go_on);
    story_run_to_end(f, held[0]);
    story_start(f, fourth, NULL);
    sem_post(&held[1]->go_on);
    story_run_all(f);
    story_check(held[0], "LHSDL+.", SDD_OK, "");
    story_check(held[1], "LHSDL+.", SDD_OK, "");
    story_check(fourth, "LHSDL+.", SDD_OK, "");
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */
/* On one mesh one after the other, as they came; on another one at the same time. */
static void test_turns(void **state)
{
    struct fixture *f = *state;
    struct story *first = story_tell('a'), *second = story_tell('b'), *third = story_tell('c'),
                 *other = story_tell('d'), *none = story_tell('e');
    first->hold_at = second->hold_at = 1;
    story_start(f, first, &f->turns[0]);
    story_start(f, second, &f->turns[0]);
    story_start(f, third, &f->turns[0]);
    story_start(f, other, &f->turns[1]);
    story_start(f, none, NULL);
    story_run_to_hold(f, first);
    story_run_to_end(f, other);
    story_run_to_end(f, none);
    story_run_until_idle(f, 1);
    assert_string_equal(first->log, "LH");
    assert_string_equal(second->log, "");
    sem_post(&first->go_on);
    story_run_to_hold(f, second);
    assert_string_equal(first->log, "LHSDL+.");
    assert_string_equal(third->log, "");
    sem_post(&second->go_on);
    story_run_all(f);
    assert_true(third->phases[PHASE_QUEUE] > 0);
    story_check(first, "LHSDL+.", SDD_OK, "");
    story_check(second, "LHSDL+.", SDD_OK, "");
    story_check(third, "LHSDL+.", SDD_OK, "");
    story_check(other, "LHSDL+.", SDD_OK, "");
    story_check(none, "LHSDL+.", SDD_OK, "");
}

/* Bulk jobs that another waits for are bulk no longer; those on other meshes are. */
static void test_bulk(void **state)
{
    struct fixture *f = *state;
    struct story *s[4] = {story_tell('a'), story_tell('b'), story_tell('c'), story_tell('d')};
    struct job *jobs[4];
    s[0]->hold_at = s[3]->hold_at = 1;
    s[0]->bulk = s[1]->bulk = s[3]->bulk = true;
    jobs[3] = story_start(f, s[3], &f->turns[1]);
    jobs[0] = story_start(f, s[0], &f->turns[0]);
    story_run_to_hold(f, s[0]);
    jobs[1] = story_start(f, s[1], &f->turns[0]);
    assert_true(jobs[0]->bulk && jobs[1]->bulk);
    jobs[2] = story_start(f, s[2], &f->turns[0]);
    assert_false(jobs[0]->bulk || jobs[1]->bulk || jobs[2]->bulk);
    assert_true(jobs[3]->bulk);
    sem_post(&s[0]->go_on);
    sem_post(&s[3]->go_on);
    story_run_all(f);
    for (int i = 0; i < 4; i++)
        story_check(s[i], "LHSDL+.", SDD_OK, "");
}

static int guard_begin(struct job *job)
{
    story_note(story_of(job), 'g');
    return story_of(job)->name == 'r' ? job_fail(job, SDD_EMESH, "", "not this one") : SDD_OK;
}

static void guard_end(struct job *job, int rc)
{
    story_note(story_of(job), rc ? 'f' : 'e');
}

/* A guard is asked before each step on the device and told of its end, and what it refuses is not done. */
static void test_guard(void **state)
{
    static const struct job_guard guard = {guard_begin, guard_end};
    struct fixture *f = *state;
    struct story *good = story_tell('a'), *bad = story_tell('b'), *refused = story_tell('r');
    bad->rc[3] = SDD_EMESH;
    good->hold_at = bad->hold_at = refused->hold_at = 1;
    struct story *all[] = {good, bad, refused};
    for (int i = 0; i < 3; i++) {
        struct job *job = story_start(f, all[i], NULL);
        story_run_to_hold(f, all[i]);
        job->guard = &guard;
        sem_post(&all[i]->go_on);
        story_run_all(f);
    }
    story_check(good, "LHSgDeL+.", SDD_OK, "");
    story_check(bad, "LHSgDf-.", SDD_EMESH, "step 3 failed");
    story_check(refused, "LHSgf-.", SDD_EMESH, "not this one");
}

static struct story *tell_reader(char name, int hold_at)
{
    struct story *s = story_tell(name);
    s->share_at = 0;
    s->hold_at = hold_at;
    return s;
}

/* Readers run beside each other; who writes waits for them, and those that came after it wait for it. */
static void test_readers(void **state)
{
    struct fixture *f = *state;
    const uint64_t late = uv_hrtime() + 3600 * 1000000000ull;
    struct story *first = tell_reader('a', 1), *second = tell_reader('b', 1), *writer = story_tell('w'),
                 *third = tell_reader('c', NEVER);
    writer->hold_at = 3;
    story_start_by(f, first, &f->turns[0], true, late);
    story_start_by(f, second, &f->turns[0], true, late);
    story_start(f, writer, &f->turns[0]);
    story_start_by(f, third, &f->turns[0], true, late);
    jobs_run(&f->jobs);
    story_run_to_hold(f, first);
    story_run_to_hold(f, second); /* both at once */
    assert_int_equal(f->turns[0].readers, 2);
    sem_post(&second->go_on);
    story_run_to_end(f, second);
    story_run_until_idle(f, 1);
    assert_string_equal(writer->log, "");
    sem_post(&first->go_on);
    story_run_to_hold(f, writer);
    assert_string_equal(first->log, "LHSDL+.");
    assert_string_equal(third->log, "");
    assert_int_equal(f->turns[0].readers, 0);
    sem_post(&writer->go_on);
    story_run_all(f);
    story_check(first, "LHSDL+.", SDD_OK, "");
    story_check(second, "LHSDL+.", SDD_OK, "");
    story_check(writer, "LHSDL+.", SDD_OK, "");
    story_check(third, "LHSDL+.", SDD_OK, "");
}

/* A reader that closes the door lets no other reader begin until it ends. */
static void test_closed(void **state)
{
    struct fixture *f = *state;
    const uint64_t late = uv_hrtime() + 3600 * 1000000000ull;
    struct story *first = tell_reader('a', 1), *second = tell_reader('b', NEVER);
    first->close_at = 0;
    story_start_by(f, first, &f->turns[0], true, late);
    story_run_to_hold(f, first);
    story_start_by(f, second, &f->turns[0], true, late);
    jobs_run(&f->jobs);
    story_run_until_idle(f, 1);
    assert_string_equal(second->log, "");
    sem_post(&first->go_on);
    story_run_all(f);
    story_check(first, "LHSDL+.", SDD_OK, "");
    story_check(second, "LHSDL+.", SDD_OK, "");
}

/* ---- tasks that are no steps, and steps that are joined ---------------------------------------------------------- */
struct handed {
    struct task task, back;
    struct fixture *f;
    char *log;
    char name;
};

static void write_name(struct task *task, void *user)
{
    const struct handed *h = CONTAINER(task, struct handed, back);
    assert_ptr_equal(user, h->f);
    assert_int_equal(story_thread(), 'L');
    h->log[strlen(h->log)] = h->name;
}

static void hand_over(struct task *task, void *user)
{
    struct handed *h = CONTAINER(task, struct handed, task);
    assert_ptr_equal(user, h->f);
    jobs_hand_over(&h->f->jobs, &h->back);
}

static void test_handed_over(void **state)
{
    enum { N = 26 };
    struct fixture *f = *state;
    struct handed tasks[N];
    char log[N + 1] = "";
    for (int i = 0; i < N; i++) {
        tasks[i] = (struct handed){{.run = hand_over}, {.run = write_name}, f, log, (char)('a' + i)};
        executor_post(f->jobs.disk, &tasks[i].task);
    }
    while (strlen(log) < N)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_string_equal(log, "abcdefghijklmnopqrstuvwxyz");
    jobs_report(&f->jobs, SDD_ESTORE);
    assert_int_equal(f->ended[0], SDD_ESTORE);
}

/* Steps on three threads follow each other while nobody runs the loop; one with a skip, and an error, wait for it. */
static void test_hands_on(void **state)
{
    struct fixture *f = *state;
    struct story *s = story_tell('a'), *skips = story_tell('b'), *fails = story_tell('c');
    s->hands_on = fails->hands_on = skips->hands_on = true;
    s->steps[2].skip = fails->steps[2].skip = NULL;
    s->hold_at = 3;
    fails->rc[2] = SDD_EMESH;
    story_start(f, s, NULL);
    sem_wait(&s->begun);
    assert_string_equal(s->log, "LHSD");
    story_start(f, skips, NULL);
    story_start(f, fails, NULL);
    sem_post(&s->go_on);
    story_run_all(f);
    story_check(s, "LHSDL+.", SDD_OK, "");
    story_check(skips, "LHSDL+.", SDD_OK, "");
    story_check(fails, "LHS-.", SDD_EMESH, "step 2 failed");
    struct story *leaves = story_tell('d');
    leaves->hands_on = true;
    leaves->steps[2].skip = NULL;
    leaves->hold_at = 1;
    struct job *job = story_start(f, leaves, NULL);
    sem_wait(&leaves->begun);
    job_abandon(job, SDD_ECANCELLED);
    sem_post(&leaves->go_on);
    story_run_all(f);
    story_check(leaves, "LH-.", SDD_ECANCELLED, LEFT);
}

static bool is_capital(const struct job *job, const struct job *other)
{
    return job != other && story_of(other)->name < 'a';
}

static char ran[32]; /* names, as the compute thread came to their step */

/* A step of the device. That of t runs it for others that wait: for the first of them it goes well, for the second it
 * fails, the third is to wait for its turn again. */
static int run_joined(struct job *job)
{
    struct story *s = story_of(job);
    struct job *out[JOB_MOST_JOINED];
    ran[strlen(ran)] = s->name;
    if (s->name != 't')
        return SDD_OK;
    sem_post(&s->begun);
    sem_wait(&s->go_on);
    const int n = job_join(job, is_capital, JOB_MOST_JOINED, out);
    for (int k = 0; k < n; k++) {
        story_note(story_of(out[k]), 'j');
        if (k == 2)
            job_wait(out[k]);
        else
            job_leave(out[k], k ? job_fail(out[k], SDD_EMESH, "", "not with this one") : SDD_OK);
    }
    return SDD_OK;
}

/* Of those that wait for the same step the first half of those that fit is taken; who has left is none of them. */
static void test_joined(void **state)
{
    static const struct step joined[] = {{ON_DEVICE, PHASE_REFINE, run_joined, NULL}, {.run = NULL}};
    static const char names[] = "QAxBCyDEFzG";
    enum { N = sizeof names - 1 };
    struct fixture *f = *state;
    struct story *taker = story_tell('t'), *stories[N];
    struct job *jobs[N];
    taker->ops.steps = joined;
    story_start(f, taker, NULL);
    story_run_to_hold(f, taker);
    for (int i = 0; i < N; i++) {
        stories[i] = story_tell(names[i]);
        stories[i]->ops.steps = joined;
        if (names[i] == 'Q') { /* another step, though it does the same */
            memcpy(stories[i]->steps, joined, sizeof joined);
            stories[i]->ops.steps = stories[i]->steps;
        }
        jobs[i] = story_start(f, stories[i], NULL);
    }
    job_abandon(jobs[3], SDD_ECANCELLED);
    sem_post(&taker->go_on);
    story_run_all(f);
    assert_string_equal(ran, "tQxyEFzGD");
    story_check(taker, "+.", SDD_OK, "");
    for (int i = 0; i < N; i++)
        switch (names[i]) {
        case 'A': story_check(stories[i], "j+.", SDD_OK, ""); break;
        case 'B': story_check(stories[i], "-.", SDD_ECANCELLED, LEFT); break;
        case 'C': story_check(stories[i], "j-.", SDD_EMESH, "not with this one"); break;
        case 'D': story_check(stories[i], "j+.", SDD_OK, ""); break;
        default: story_check(stories[i], "+.", SDD_OK, ""); break;
        }
}

int main(void)
{
#define ON_A_LOOP(test) cmocka_unit_test_setup_teardown(test, story_set_up, story_tear_down)
    const struct CMUnitTest tests[] = {ON_A_LOOP(test_steps),   ON_A_LOOP(test_done),   ON_A_LOOP(test_errors),
                                       ON_A_LOOP(test_again),   ON_A_LOOP(test_busy),   ON_A_LOOP(test_turns),
                                       ON_A_LOOP(test_readers), ON_A_LOOP(test_closed), ON_A_LOOP(test_handed_over),
                                       ON_A_LOOP(test_joined),  ON_A_LOOP(test_bulk),   ON_A_LOOP(test_guard),
                                       ON_A_LOOP(test_hands_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
