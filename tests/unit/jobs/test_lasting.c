/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that outlive their request: steps that are taken again, a turn that is given back and taken again, deadlines,
 * waiting to be woken, and the records by which clients find them. */
#include "tests/unit/jobs/story.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- jobs -------------------------------------------------------------------------------------------------------- */
static void test_back(void **state)
{
    struct story *s = story_tell('a');
    s->rc[4] = JOB_BACK;
    s->again = 2;
    story_start(*state, s, NULL);
    story_run_all(*state);
    story_check(s, "LHSDLDLDL+.", SDD_OK, "");
}

static void run_to_line(struct fixture *f, const struct job *job)
{
    while (!job->waits)
        uv_run(&f->loop, UV_RUN_NOWAIT);
}

/* While a job is without its turn others have theirs; it waits for the one who has it then. */
static void test_turn(void **state)
{
    struct fixture *f = *state;
    struct story *a = story_tell('a'), *b = story_tell('b'), *c = story_tell('c');
    a->leave_at = 0;
    a->hold_at = c->hold_at = 1;
    a->rc[4] = JOB_TURN;
    const struct job *job = story_start(f, a, &f->turns[0]);
    story_start(f, b, &f->turns[0]);
    story_run_to_hold(f, a);
    story_run_to_end(f, b);
    story_check(b, "LHSDL+.", SDD_OK, "");
    struct job *holder = story_start(f, c, &f->turns[0]);
    story_run_to_hold(f, c);
    sem_post(&a->go_on);
    run_to_line(f, job);
    assert_string_equal(a->log, "LHSDL");
    assert_ptr_equal(f->turns[0].holder, holder);
    sem_post(&c->go_on);
    story_run_all(f);
    story_check(a, "LHSDL+.", SDD_OK, "");
    story_check(c, "LHSDL+.", SDD_OK, "");
}

/* A job that has nobody who waits for it, and itself waits in line, ends at once when it is cancelled. */
static void test_cancelled_in_line(void **state)
{
    struct fixture *f = *state;
    struct story *a = story_tell('a'), *c = story_tell('c');
    a->leave_at = a->answer_at = 0;
    c->hold_at = 1;
    a->rc[4] = JOB_TURN;
    struct job *job = story_start(f, a, &f->turns[0]);
    story_start(f, c, &f->turns[0]);
    story_run_to_hold(f, c);
    run_to_line(f, job);
    assert_string_equal(a->log, "L+HSDL");
    job_abandon(job, SDD_ECANCELLED);
    story_check(a, "L+HSDL.", SDD_OK, "");
    sem_post(&c->go_on);
    story_run_all(f);
    story_check(c, "LHSDL+.", SDD_OK, "");
}

/* The deadline of a job that lasts is answered, well, and the job goes on. */
static void test_late(void **state)
{
    struct fixture *f = *state;
    struct story *s = story_tell('a');
    s->hold_at = 1;
    struct job *job = story_start_by(f, s, NULL, false, uv_hrtime() + 20000000);
    job->lasts = true;
    story_run_to_hold(f, s);
    while (!s->request.n_answers)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_true(job->late);
    sem_post(&s->go_on);
    story_run_all(f);
    story_check(s, "LH+SDL.", SDD_OK, "");
}

static void test_wait(void **state)
{
    struct fixture *f = *state;
    struct story *woken = story_tell('a'), *late = story_tell('b'), *left = story_tell('c');
    struct story *all[] = {woken, late, left};
    struct job *jobs[3];
    for (int i = 0; i < 3; i++) {
        all[i]->rc[0] = JOB_WAIT;
        jobs[i] = story_start_by(f, all[i], NULL, false, uv_hrtime() + (i == 1 ? 20000000ull : 3600000000000ull));
        jobs[i]->lasts = true;
    }
    job_abandon(jobs[2], SDD_ECANCELLED);
    story_check(left, "L-.", SDD_ECANCELLED, LEFT);
    story_run_to_end(f, late);
    story_check(late, "L+.", SDD_OK, "");
    assert_string_equal(woken->log, "L");
    job_wake(jobs[0]);
    jobs_run(&f->jobs);
    story_run_all(f);
    story_check(woken, "LHSDL+.", SDD_OK, "");
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
static int n_freed;

static void write_nothing(const struct lasting *l, struct text *out)
{
    (void)l;
    (void)out;
}

static void free_record(struct lasting *l)
{
    n_freed++;
    free(l);
}
static const struct lasting_kind kind = {"test", write_nothing, free_record};

static struct lasting *add(struct lastings *s, const char *owner, const char *about, const char *key)
{
    struct lasting *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->kind = &kind;
    snprintf(l->owner, sizeof l->owner, "%s", owner);
    snprintf(l->about, sizeof l->about, "%s", about);
    snprintf(l->key, sizeof l->key, "%s", key);
    lasting_begin(s, l, (struct job *)(void *)s); /* Nobody looks into it. */
    return l;
}

static int find(const struct lastings *s, const char *id, const char *owner, const struct lasting *due)
{
    struct lasting *l;
    struct sdd_error err = {0};
    const int rc = lasting_find(s, id, strlen(id), owner, &l, &err);
    assert_ptr_equal(l, due);
    assert_int_equal(err.code, rc);
    return rc;
}

static void test_records(void **state)
{
    struct lastings s = {0}, other = {0};
    char id[LASTING_ID_SIZE];
    (void)state;
    lastings_init(&s);
    lastings_init(&other);
    struct lasting *a = add(&s, "ann", "m_1", "k"), *b = add(&s, "bob", "m_2", "k"), *c = add(&s, "ann", "m_3", "");
    assert_string_not_equal(a->id, b->id);
    assert_int_equal(find(&s, a->id, "ann", a), SDD_OK);
    assert_int_equal(find(&s, a->id, "bob", NULL), SDD_ENOT_FOUND);
    assert_int_equal(find(&other, a->id, "ann", NULL), SDD_EGONE);
    assert_ptr_equal(lasting_at_work(&s, "m_2"), b);
    assert_null(lasting_at_work(&s, "m_4"));
    assert_ptr_equal(lasting_of_key(&s, "bob", "k"), b);
    assert_ptr_equal(lasting_of_key(&s, "ann", "k"), a);
    struct sdd_error err = {.code = SDD_EMESH};
    lasting_end(&s, a, LASTING_DONE, NULL);
    lasting_end(&s, b, LASTING_FAILED, &err);
    assert_null(a->job);
    assert_int_equal(b->err.code, SDD_EMESH);
    assert_null(lasting_at_work(&s, "m_2"));
    assert_ptr_equal(lasting_of_key(&s, "ann", "k"), a);
    assert_null(lasting_of_key(&s, "bob", "k")); /* It failed, so the request may be tried again. */
    assert_int_equal(find(&s, a->id, "ann", a), SDD_OK);
    snprintf(id, sizeof id, "%s", a->id);
    lastings_expire(&s, a->ended + 3599 * 1000000000ull);
    assert_int_equal(n_freed, 0);
    b->ended = a->ended + 7;
    lastings_expire(&s, a->ended + 3600 * 1000000000ull);
    assert_int_equal(n_freed, 1);
    assert_int_equal(find(&s, id, "ann", NULL), SDD_EGONE);
    id[strlen(id) - 1] = '4'; /* The next one, which has not begun. */
    assert_int_equal(find(&s, id, "ann", NULL), SDD_ENOT_FOUND);
    lasting_end(&s, c, LASTING_CANCELLED, NULL);
    lastings_shed(&s);
    assert_int_equal(n_freed, 1); /* None has a frame. */
    c->frame = (struct cached *)(void *)&s;
    lastings_shed(&s);
    assert_int_equal(n_freed, 2);
    lastings_fini(&s);
    assert_int_equal(n_freed, 3);
}

static void test_most_records(void **state)
{
    struct lastings s = {0};
    (void)state;
    lastings_init(&s);
    n_freed = 0;
    for (int i = 0; i < LASTING_MOST + 5; i++)
        lasting_end(&s, add(&s, "", "m", ""), LASTING_DONE, NULL);
    assert_int_equal(n_freed, 5);
    assert_int_equal(s.n_over, LASTING_MOST);
    lastings_fini(&s);
    assert_int_equal(n_freed, LASTING_MOST + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_back, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_turn, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_cancelled_in_line, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_late, story_set_up, story_tear_down),
        cmocka_unit_test_setup_teardown(test_wait, story_set_up, story_tear_down),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_most_records),
    };
    return cmocka_run_group_tests_name("unit/lasting", tests, NULL, NULL);
}
