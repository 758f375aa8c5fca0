/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c: moves jobs from step to step. All but run_step and the done list is the loop's. */
#include "server/jobs/jobs.h"
#include "server/net/http.h"
#include "server/net/loop.h"
#include "server/server.h"
#include <stdarg.h>
#include <stdio.h>

void jobs_init(struct jobs *jobs)
{
    *jobs = (struct jobs){0};
    list_init(&jobs->all);
    list_init(&jobs->runnable);
    pthread_mutex_init(&jobs->mutex, NULL);
}

void jobs_fini(struct jobs *jobs)
{
    pthread_mutex_destroy(&jobs->mutex);
}

int job_fail(struct job *job, int code, const char *field, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sdd_fail(&job->err, code, field, "%s", text);
}

void jobs_hand_over(struct server *s, struct task *task)
{
    pthread_mutex_lock(&s->jobs.mutex);
    bool first = !s->jobs.done;
    task->next = s->jobs.done;
    s->jobs.done = task;
    pthread_mutex_unlock(&s->jobs.mutex);
    if (first)
        uv_async_send(&s->wake);
}

static struct executor *executor_of(struct server *s, enum queue queue)
{
    return queue == ON_HOST ? s->host : queue == ON_STORE ? s->disk : s->compute;
}

/* ---- on a worker thread --------------------------------------------------------------------------------- */
static void go_on(struct task *task, void *user);

static void run_step(struct task *task, void *user)
{
    struct job *job = CONTAINER(task, struct job, task);
    uint64_t start = uv_hrtime();
    int rc;
    (void)user;
    job->phases[PHASE_QUEUE] += (double)(start - job->waiting_since) * 1e-9;
    if (atomic_load(&job->cancel) && !job->committed)
        rc = job_fail(job, SDD_ECANCELLED, "", "the client went away");
    else
        rc = job->step->run(job);
    if (job->step->phase >= 0)
        job->phases[job->step->phase] += (double)(uv_hrtime() - start) * 1e-9;
    job_leave(job, rc);
}

void job_leave(struct job *job, int rc)
{
    job->rc = rc;
    job->task.run = go_on;
    jobs_hand_over(job->server, &job->task);
}

void job_wait(struct job *job)
{
    job->task.run = run_step;
    job->waiting_since = uv_hrtime();
    executor_post(executor_of(job->server, job->step->queue), &job->task);
}

struct pair {
    const struct job *job;
    bool (*fits)(const struct job *job, const struct job *other);
};

static bool joins(const struct task *task, const void *cls)
{
    const struct pair *p = cls;
    if (task->run != run_step)
        return false;
    const struct job *other = CONTAINER((struct task *)(uintptr_t)task, struct job, task);
    return other->step == p->job->step && !atomic_load(&other->cancel) && p->fits(p->job, other);
}

int job_join(struct job *job, bool (*fits)(const struct job *job, const struct job *other), int most, struct job **out)
{
    const struct pair p = {job, fits};
    struct task *tasks[JOB_MOST_JOINED];
    const int n = executor_take(executor_of(job->server, job->step->queue), joins, &p,
                                most < JOB_MOST_JOINED ? most : JOB_MOST_JOINED, tasks);
    for (int k = 0; k < n; k++) {
        out[k] = CONTAINER(tasks[k], struct job, task);
        out[k]->phases[PHASE_QUEUE] += (double)(uv_hrtime() - out[k]->waiting_since) * 1e-9;
    }
    return n;
}

/* ---- on the loop ------------------------------------------------------------------------------------------ */
static bool may_begin(const struct slot *slot, const struct job *job)
{
    return !slot->holder && !slot->closed && (job->reader || !slot->readers);
}

/* The first in line begins, unless somebody is in its way. */
static void let_next(struct server *s, struct slot *slot)
{
    struct job *next = list_empty(&slot->waiting) ? NULL : CONTAINER(slot->waiting.next, struct job, wait);
    if (!next || !may_begin(slot, next))
        return;
    slot->holder = next;
    next->holds = true;
    list_append(&s->jobs.runnable, &next->wait);
}

static void release_slot(struct job *job)
{
    struct slot *slot = job->slot;
    list_remove(&job->wait);
    job->slot = NULL;
    if (!slot)
        return;
    if (job->holds)
        slot->holder = NULL;
    slot->readers -= job->shares;
    slot->closed -= job->closes;
    let_next(job->server, slot);
    slot_unuse(&job->server->slots, slot);
}

int job_share(struct job *job)
{
    struct slot *slot = job->slot;
    if (job->shares)
        return SDD_OK;
    job->holds = false;
    job->shares = true;
    slot->holder = NULL;
    slot->readers++;
    let_next(job->server, slot);
    return SDD_OK;
}

void job_close(struct job *job)
{
    job->slot->closed += !job->closes;
    job->closes = true;
}

static void answer(struct job *job, bool failed)
{
    struct request *r = job->request;
    if (!r)
        return;
    for (int p = 0; p < N_PHASES; p++)
        r->phases[p] = job->phases[p];
    r->refined_by = job->refined_by;
    r->job = NULL;
    if (failed)
        answer_error(r, &job->err);
    else
        job->ops->answer(job);
    job->request = NULL;
    http_answered(r);
}

void job_answer(struct job *job)
{
    answer(job, false);
}

static void finish(struct job *job)
{
    struct server *s = job->server;
    if (job->rc == SDD_EDEVICE)
        server_fail(s, EXIT_DEVICE, "the compute device was lost");
    if (job->rc == SDD_ESTORE && atomic_load(&s->storage.broken))
        server_fail(s, EXIT_STORE, "the store cannot write");
    if (job->rc == SDD_ENO_MEMORY)
        metrics_add(&s->metrics, M_REJECTED_MEMORY, 1);
    for (int p = 0; p < N_PHASES; p++)
        if (job->phases[p] > 0)
            metrics_phase(&s->metrics, (enum phase)p, job->phases[p]);
    answer(job, job->rc < 0);
    release_slot(job);
    list_remove(&job->all);
    s->jobs.n--;
    job->ops->free(job);
}

/* What a step's result means for the next step; true: the job is over. */
static bool judge(struct job *job)
{
    if (job->rc < 0) {
        job->err.code = job->rc;
        return true;
    }
    if (job->rc == JOB_DONE)
        return true;
    if (job->rc == JOB_AGAIN) {
        if (++job->rounds >= JOB_MAX_ROUNDS) {
            job->rc = job_fail(job, SDD_ENO_MEMORY, "",
                               "the mesh is evicted as often as it is loaded: too many big meshes at once");
            return true;
        }
        job->step = job->ops->steps;
    } else
        job->step++;
    return false;
}

static void advance(struct job *job)
{
    for (;;) {
        if (!job->step->run || (job->step->queue == ON_LOOP && atomic_load(&job->cancel) && !job->committed)) {
            if (job->step->run)
                job->rc = job_fail(job, SDD_ECANCELLED, "", "the client went away");
            finish(job);
            return;
        }
        if (job->step->skip && job->step->skip(job)) {
            job->step++;
            continue;
        }
        if (job->step->queue != ON_LOOP) {
            job_wait(job);
            return;
        }
        job->rc = job->step->run(job);
        if (judge(job)) {
            finish(job);
            return;
        }
    }
}

static void go_on(struct task *task, void *user)
{
    struct job *job = CONTAINER(task, struct job, task);
    (void)user;
    if (judge(job))
        finish(job);
    else
        advance(job);
}

void job_start(struct server *s, struct job *job, const struct job_ops *ops, struct request *request, struct slot *slot)
{
    job->server = s;
    job->ops = ops;
    job->step = ops->steps;
    job->request = request;
    job->slot = slot;
    job->deadline = request->deadline;
    request->job = job;
    list_append(&s->jobs.all, &job->all);
    loop_deadline(s, job->deadline);
    if (slot)
        slot_use(slot);
    if (++s->jobs.n > s->config->queue_size) {
        metrics_add(&s->metrics, M_REJECTED_QUEUE, 1);
        job->rc = job_fail(job, SDD_EBUSY, "", "%d requests are being worked on, the limit is %d", s->jobs.n - 1,
                           (int)s->config->queue_size);
        job->err.code = job->rc;
        finish(job);
    } else if (slot && (!list_empty(&slot->waiting) || !may_begin(slot, job))) {
        job->waiting_since = uv_hrtime();
        list_append(&slot->waiting, &job->wait);
    } else {
        if (slot)
            slot->holder = job;
        job->holds = slot != NULL;
        advance(job);
    }
}

void job_abandon(struct job *job, int code)
{
    struct request *r = job->request;
    struct sdd_error err = {0};
    atomic_store(&job->cancel, 1); /* also of what goes on behind an answer */
    if (!r)
        return;
    metrics_add(&job->server->metrics, M_CANCELLED, 1);
    sdd_fail(&err, code, "",
             code == SDD_EDEADLINE ? "the work did not finish before the request's deadline" : "the client went away");
    job->request = NULL;
    r->job = NULL;
    answer_error(r, &err);
    http_answered(r);
    if (job->slot && !job->holds && !job->shares) { /* still waiting: nothing of it runs anywhere */
        job->rc = SDD_ECANCELLED;
        finish(job);
    }
}

void jobs_run(struct server *s)
{
    while (!list_empty(&s->jobs.runnable)) {
        struct job *job = CONTAINER(s->jobs.runnable.next, struct job, wait);
        list_remove(&job->wait);
        job->phases[PHASE_QUEUE] += (double)(uv_hrtime() - job->waiting_since) * 1e-9;
        advance(job);
    }
}

void jobs_collect(struct server *s)
{
    pthread_mutex_lock(&s->jobs.mutex);
    struct task *done = s->jobs.done, *in_order = NULL;
    s->jobs.done = NULL;
    pthread_mutex_unlock(&s->jobs.mutex);
    for (struct task *next; done; done = next) {
        next = done->next;
        done->next = in_order;
        in_order = done;
    }
    for (struct task *next; in_order; in_order = next) {
        next = in_order->next;
        in_order->run(in_order, s);
    }
}
