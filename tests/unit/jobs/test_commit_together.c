/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that commit and wait for the store's thread share one commit, as far as they fit: who fails goes alone, and
 * nobody is answered before the commit; where that fails, all of them do. */
#include "tests/unit/jobs/story.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char ran[64];     /* names, as the store's thread came to their step; ( and ) around one commit */
static bool may_begin;   /* what commit_begin says */
static int commit_fails; /* what commit_end says */

static void note(char c)
{
    ran[strlen(ran)] = c;
}

static bool commit_begin(void *user)
{
    (void)user;
    assert_int_equal(story_thread(), 'S');
    note('(');
    return may_begin;
}

static int commit_end(void *user, struct sdd_error *err)
{
    (void)user;
    note(')');
    return commit_fails ? sdd_fail(err, commit_fails, "there", "the commit failed") : SDD_OK;
}

static int run_commit(struct job *job)
{
    struct story *s = story_of(job);
    note(s->name);
    if (s->name == 't') {
        sem_post(&s->begun);
        sem_wait(&s->go_on);
    }
    if (s->name == 'x')
        return job_fail(job, SDD_EMESH, "", "not with this one");
    if (s->name == 'y')
        return job_fail(job, SDD_ECONFLICT, "", "what came before it has this key");
    job->committed = true;
    return SDD_OK;
}

static void after_commit(struct job *job, int rc)
{
    assert_int_equal(story_thread(), 'S');
    story_note(story_of(job), rc ? 'f' : 'a');
    assert_int_equal(job->committed, !rc);
}

static int adopt(struct job *job)
{
    story_note(story_of(job), 'L');
    return SDD_OK;
}

static const struct step steps[] = {{ON_STORE, PHASE_COMMIT, run_commit, NULL}, {ON_LOOP, -1, adopt, NULL}, {0}};
static const struct step reads[] = {{ON_STORE, PHASE_LOAD, run_commit, NULL}, {0}};

/* Runs jobs that come while t holds the store's thread. Capital ones commit alone, r reads, b writes half of what may
 * be written together; the client of l leaves while it waits. */
static void run(struct fixture *f, const char *names, struct story **stories)
{
    struct story *holder = story_tell('t');
    memset(ran, 0, sizeof ran);
    f->jobs.hooks.commit_begin = commit_begin;
    f->jobs.hooks.commit_end = commit_end;
    holder->ops.steps = reads;
    story_start(f, holder, NULL);
    story_run_to_hold(f, holder);
    for (int i = 0; names[i]; i++) {
        stories[i] = story_tell(names[i]);
        stories[i]->ops.steps = names[i] == 'r' ? reads : steps;
        struct job *job = story_start(f, stories[i], NULL); /* It waits for the thread, so nobody looks at it. */
        job->commit_bytes = names[i] == 'b' ? JOB_TOGETHER_BYTES / 2 : names[i] >= 'a' ? 10 : 0;
        job->after_commit = after_commit;
        if (names[i] == 'l')
            job_abandon(job, SDD_ECANCELLED);
    }
    sem_post(&holder->go_on);
    story_run_all(f);
    story_check(holder, "+.", SDD_OK, "");
}

static void test_together(void **state)
{
    struct story *s[32];
    may_begin = true;
    commit_fails = 0;
    run(*state, "cxrAde", s);
    assert_string_equal(ran, "t(cxde)rA");
    story_check(s[0], "aL+.", SDD_OK, "");
    story_check(s[1], "f-.", SDD_EMESH, "not with this one");
    story_check(s[2], "+.", SDD_OK, "");
    for (int i = 3; i < 6; i++)
        story_check(s[i], "aL+.", SDD_OK, "");
}

/* The bound of jobs, and that of bytes: the second large one does not fit, and does not keep others up. */
static void test_bounds(void **state)
{
    struct story *s[32];
    may_begin = true;
    commit_fails = 0;
    run(*state, "abcbdefghijk", s);
    assert_string_equal(ran, "t(abcdefghi)(bjk)");
    for (int i = 0; i < 12; i++)
        story_check(s[i], "aL+.", SDD_OK, "");
}

static void test_lone(void **state)
{
    struct story *s[32];
    may_begin = true;
    run(*state, "A", s);
    assert_string_equal(ran, "tA");
    story_check(s[0], "aL+.", SDD_OK, "");
    run(*state, "a", s);
    assert_string_equal(ran, "ta");
    story_check(s[0], "aL+.", SDD_OK, "");
}

static void test_commit_fails(void **state)
{
    struct story *s[32];
    may_begin = true;
    commit_fails = SDD_ESTORE_FULL;
    run(*state, "cxdyA", s);
    assert_string_equal(ran, "t(cxdy)A");
    story_check(s[0], "f-.", SDD_ESTORE_FULL, "the commit failed");
    story_check(s[1], "f-.", SDD_EMESH, "not with this one");
    story_check(s[2], "f-.", SDD_ESTORE_FULL, "the commit failed");
    story_check(s[3], "f-.", SDD_ESTORE_FULL, "the commit failed");
    story_check(s[4], "aL+.", SDD_OK, "");
}

/* Where the store cannot begin, each finds out by itself. */
static void test_cannot_begin(void **state)
{
    struct story *s[32];
    may_begin = false;
    commit_fails = SDD_ESTORE;
    run(*state, "cxd", s);
    assert_string_equal(ran, "t(cxd");
    story_check(s[0], "aL+.", SDD_OK, "");
    story_check(s[1], "f-.", SDD_EMESH, "not with this one");
    story_check(s[2], "aL+.", SDD_OK, "");
}

static void test_left(void **state)
{
    struct story *s[32];
    may_begin = true;
    commit_fails = 0;
    run(*state, "clel", s);
    assert_string_equal(ran, "t(ce)");
    story_check(s[0], "aL+.", SDD_OK, "");
    story_check(s[1], "-f.", SDD_ECANCELLED, LEFT);
    story_check(s[2], "aL+.", SDD_OK, "");
    story_check(s[3], "-f.", SDD_ECANCELLED, LEFT);
}

int main(void)
{
#define ON_A_LOOP(test) cmocka_unit_test_setup_teardown(test, story_set_up, story_tear_down)
    const struct CMUnitTest tests[] = {ON_A_LOOP(test_together),     ON_A_LOOP(test_bounds),
                                       ON_A_LOOP(test_lone),         ON_A_LOOP(test_commit_fails),
                                       ON_A_LOOP(test_cannot_begin), ON_A_LOOP(test_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
