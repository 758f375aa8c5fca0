/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/jobs/story.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct story *story_of(const struct job *job)
{
    return ((const struct work *)(const void *)job)->story;
}

static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER; /* Steps note on their threads, and the test looks. */

void story_note(struct story *s, char c)
{
    pthread_mutex_lock(&noting);
    const size_t n = strlen(s->log);
    assert_true(n + 1 < sizeof s->log);
    s->log[n] = c;
    pthread_mutex_unlock(&noting);
}

/* The thread that this is: its executor's, or the loop's, which is the test's own. */
char story_thread(void)
{
    char name[16] = "";
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    return strcmp(name, "subdd-host") == 0      ? 'H'
           : strcmp(name, "subdd-store") == 0   ? 'S'
           : strcmp(name, "subdd-compute") == 0 ? 'D'
                                                : 'L';
}

static int run_step(struct job *job)
{
    struct story *s = story_of(job);
    const int at = (int)(job->step - job->ops->steps);
    story_note(s, story_thread());
    if (at == s->share_at)
        (void)job_share(job);
    if (at == s->leave_at)
        (void)job_leave_turn(job);
    if (at == s->settle_at)
        job_settle(job, SETTLED_HOST);
    if (at == s->close_at)
        job_close(job);
    if (at == s->answer_at)
        job_answer(job);
    if (at == s->commit_at)
        job->committed = true;
    if (at == s->hold_at) {
        sem_post(&s->begun);
        sem_wait(&s->go_on);
    }
    if (s->rc[at] == JOB_PARK) {
        if (s->parks-- <= 0)
            return SDD_OK;
        (void)job_fail(job, SDD_EBUSY, "there", "no memory");
        job->err.needed = s->needed;
        return JOB_PARK;
    }
    if (s->rc[at] < 0)
        return job_fail(job, s->rc[at], "there", "step %d failed", at);
    return (s->rc[at] == JOB_AGAIN || s->rc[at] == JOB_BACK) && s->again-- <= 0 ? SDD_OK : s->rc[at];
}

static void answer_well(struct job *job)
{
    story_note(story_of(job), '+');
}

static void free_job(struct job *job)
{
    struct story *s = story_of(job);
    memcpy(s->phases, job->phases, sizeof s->phases);
    story_note(s, '.');
    free(job);
}

static bool never_here(const struct job *job)
{
    return story_of(job)->name == 's';
}

/* Five steps, on every thread; the one in the store's is skipped by a job of the name s. */
struct story *story_tell(char name)
{
    static const struct step steps[] = {{ON_LOOP, -1, run_step, NULL},
                                        {ON_HOST, PHASE_PARSE, run_step, NULL},
                                        {ON_STORE, PHASE_LOAD, run_step, never_here},
                                        {ON_DEVICE, -1, run_step, NULL},
                                        {ON_LOOP, PHASE_ENCODE, run_step, NULL},
                                        {.run = NULL}};
    struct story *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->name = name;
    memcpy(s->steps, steps, sizeof steps);
    s->ops = (struct job_ops){s->steps, answer_well, free_job};
    s->hold_at = s->share_at = s->close_at = s->answer_at = s->commit_at = s->settle_at = s->leave_at = NEVER;
    s->principal = 1;
    s->request.code = 1;
    sem_init(&s->begun, 0, 0);
    sem_init(&s->go_on, 0, 0);
    return s;
}

struct job *story_start_by(struct fixture *f, struct story *s, struct turns *turns, bool reader, uint64_t deadline)
{
    struct work *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->story = s;
    w->job.request = s->own ? NULL : &s->request;
    w->job.deadline = deadline;
    w->job.reader = reader;
    w->job.principal = s->principal;
    w->job.cost_ns[ON_DEVICE] = s->cost_ns;
    w->job.peeks = s->peeks;
    w->job.bulk = s->bulk;
    w->job.hands_on = s->hands_on;
    job_start(&f->jobs, &w->job, &s->ops, turns);
    return &w->job;
}

struct job *story_start(struct fixture *f, struct story *s, struct turns *turns)
{
    return story_start_by(f, s, turns, false, uv_hrtime() + 3600 * 1000000000ull);
}

/* The job has gone, and its client was told so once. */
void story_check_answer(struct story *s, int code, const char *text)
{
    assert_int_equal(s->request.n_answers, 1);
    assert_int_equal(s->request.code, code);
    assert_string_equal(s->request.text, text);
    sem_destroy(&s->begun);
    sem_destroy(&s->go_on);
    free(s);
}

/* The same, after these steps. */
void story_check(struct story *s, const char *log, int code, const char *text)
{
    assert_string_equal(s->log, log);
    story_check_answer(s, code, text);
}

static void on_answer(struct job *job, const struct sdd_error *err)
{
    struct request *r = job->request;
    r->n_answers++;
    r->code = err ? err->code : SDD_OK;
    (void)snprintf(r->text, sizeof r->text, "%s", err ? err->text : "");
    if (err)
        story_note(story_of(job), '-');
    else
        job->ops->answer(job);
}

static void on_ended(void *user, int rc)
{
    struct fixture *f = user;
    f->ended[f->n_ended++ % 16] = rc;
}

static void on_moved(void *user)
{
    jobs_run(&((struct fixture *)user)->jobs);
}

int story_set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    (void)alarm(60); /* a job that is never moved on would keep the test waiting */
    f->jobs.most = 100;
    f->jobs.hooks = (struct jobs_hooks){on_answer, on_ended, on_moved, NULL, NULL};
    f->jobs.user = f;
    f->jobs.metrics = &f->metrics;
    turns_init(&f->turns[0]);
    turns_init(&f->turns[1]);
    *state = f;
    return uv_loop_init(&f->loop) || !jobs_start(&f->jobs, &f->loop, 2) ? -1 : 0;
}

int story_tear_down(void **state)
{
    struct fixture *f = *state;
    (void)alarm(0);
    jobs_fini(&f->jobs);
    uv_close((uv_handle_t *)&f->jobs.wake, NULL);
    uv_close((uv_handle_t *)&f->jobs.deadline, NULL);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    bool idle = uv_loop_close(&f->loop) == 0 && f->jobs.n == 0 && list_empty(&f->jobs.all);
    for (int k = 0; k < 2; k++)
        idle = idle && !f->turns[k].holder && !f->turns[k].readers && !f->turns[k].closed &&
               list_empty(&f->turns[k].waiting);
    free(f);
    return idle ? 0 : -1;
}

void story_run_all(struct fixture *f)
{
    while (f->jobs.n)
        uv_run(&f->loop, UV_RUN_ONCE);
}

static bool over(const struct story *s)
{
    pthread_mutex_lock(&noting);
    const bool is = strchr(s->log, '.') != NULL;
    pthread_mutex_unlock(&noting);
    return is;
}

void story_run_to_end(struct fixture *f, const struct story *s)
{
    while (!over(s))
        uv_run(&f->loop, UV_RUN_ONCE);
}

/* Until the step that it is held at has begun, which may be on the loop's behalf. */
void story_run_to_hold(struct fixture *f, struct story *s)
{
    while (sem_trywait(&s->begun))
        uv_run(&f->loop, UV_RUN_NOWAIT);
}

/* Whatever can happen now has happened: the threads have nothing to do, and have told the loop. */
void story_run_until_idle(struct fixture *f, int n_held)
{
    do
        uv_run(&f->loop, UV_RUN_NOWAIT);
    while (executor_depth(f->jobs.host) + executor_depth(f->jobs.disk) + executor_depth(f->jobs.compute) > n_held);
    uv_run(&f->loop, UV_RUN_NOWAIT);
}
