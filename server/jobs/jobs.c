/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c: moves jobs from step to step, for the rooms that start them (jobs.h). Everything here runs on the loop,
 * except what the first part says: job_run_step and what a step may call on its thread. */
#include "server/jobs/steps.h"
#include "server/base/stop.h"
#include <stdarg.h>
#include <stdio.h>

int job_fail(struct job *job, int code, const char *field, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sdd_fail(&job->err, code, field, "%s", text);
}

static int client_left(struct job *job)
{
    return job_fail(job, SDD_ECANCELLED, "", "the client went away");
}

void jobs_hand_over(struct jobs *jobs, struct task *task)
{
    pthread_mutex_lock(&jobs->mutex);
    bool first = !jobs->done;
    task->next = jobs->done;
    jobs->done = task;
    pthread_mutex_unlock(&jobs->mutex);
    if (first)
        uv_async_send(&jobs->wake);
}

struct executor *job_executor(const struct job *job)
{
    const enum queue queue = job->step->queue;
    return queue == ON_HOST ? job->jobs->host : queue == ON_STORE ? job->jobs->disk : job->jobs->compute;
}

/* ---- on a worker thread ------------------------------------------------------------------------------------------ */
static void go_on(struct task *task, void *user);

int job_guard_begin(struct job *job)
{
    return job->guard && job->step->queue == ON_DEVICE ? job->guard->begin(job) : SDD_OK;
}

static void guard_end(struct job *job, int rc)
{
    if (job->guard && job->step->queue == ON_DEVICE)
        job->guard->end(job, rc);
}

int job_do_step(struct job *job)
{
    if (atomic_load(&job->cancel) && !job->committed)
        return client_left(job);
    stop_watch(job->task.claim.cancel);
    int rc = job_guard_begin(job);
    rc = rc ? rc : job->step->run(job);
    stop_watch(NULL);
    return rc;
}

void job_run_step(struct task *task, void *user)
{
    struct job *job = CONTAINER(task, struct job, task);
    uint64_t start = uv_hrtime();
    (void)user;
    job->phases[PHASE_QUEUE] += (double)(start - job->waiting_since) * 1e-9;
    if (job_commit_together(job))
        return;
    const int rc = job_do_step(job);
    if (job->after_commit && job_commits(job))
        job->after_commit(job, rc);
    if (job->step->phase >= 0)
        job->phases[job->step->phase] += (double)(uv_hrtime() - start) * 1e-9;
    if (rc == SDD_ENO_MEMORY && job->err.needed && job->step->queue == ON_DEVICE &&
        executor_is_inside(job->jobs->compute)) {
        job->alone = true; /* The task around it holds memory that could be had otherwise. */
        job_wait(job);
    } else
        job_leave(job, rc);
}

static void wait_for_thread(struct job *job)
{
    const enum queue queue = job->step->queue;
    job->task.run = job_run_step;
    job->task.claim = (struct fair_claim){.principal = job->principal,
                                          .connection = job->connection,
                                          .cost_ns = job->cost_ns[queue],
                                          .thing = job->thing,
                                          .alone = job->alone,
                                          .cancel = job->committed ? NULL : &job->cancel,
                                          .bulk = job->bulk};
    job->waiting_since = uv_hrtime();
    executor_post(job_executor(job), &job->task);
}

static bool hands_on(const struct job *job)
{
    const struct step *next = job->step + 1;
    return job->hands_on && next->run && next->queue != ON_LOOP && !next->skip && !atomic_load(&job->cancel);
}

void job_leave(struct job *job, int rc)
{
    guard_end(job, rc);
    if (rc == SDD_OK && hands_on(job)) {
        job->step++;
        wait_for_thread(job);
        return;
    }
    job->rc = rc;
    job->task.run = go_on;
    jobs_hand_over(job->jobs, &job->task);
}

void job_wait(struct job *job)
{
    guard_end(job, SDD_ENO_MEMORY);
    wait_for_thread(job);
}

/* ---- on the loop ------------------------------------------------------------------------------------------------- */
static bool may_begin(const struct turns *turns, const struct job *job)
{
    return !turns->holder && !turns->closed && (job->reader || !turns->readers);
}

/* Lets the first job in line begin, unless another job is in its way. */
static void let_next(struct jobs *jobs, struct turns *turns)
{
    struct job *next = list_empty(&turns->waiting) ? NULL : CONTAINER(turns->waiting.next, struct job, wait);
    if (!next || !may_begin(turns, next))
        return;
    turns->holder = next;
    next->holds = true;
    next->waits = false;
    list_append(&jobs->runnable, &next->wait);
}

static void end_turn(struct job *job)
{
    struct turns *turns = job->turns;
    list_remove(&job->wait);
    job->turns = NULL;
    if (!turns)
        return;
    if (job->holds)
        turns->holder = NULL;
    turns->readers -= job->shares;
    turns->closed -= job->closes;
    let_next(job->jobs, turns);
}

int job_share(struct job *job)
{
    struct turns *turns = job->turns;
    if (job->shares)
        return SDD_OK;
    job->holds = false;
    job->shares = true;
    turns->holder = NULL;
    turns->readers++;
    let_next(job->jobs, turns);
    return SDD_OK;
}

int job_leave_turn(struct job *job)
{
    job->holds = false;
    job->settled = SETTLED_NOTHING;
    job->turns->holder = NULL;
    let_next(job->jobs, job->turns);
    return SDD_OK;
}

/* What has or wants the same turn before a job that is not bulk no longer is, either. */
static void hurry(struct jobs *jobs, const struct turns *turns)
{
    for (struct list *at = jobs->all.next; at != &jobs->all; at = at->next) {
        struct job *job = CONTAINER(at, struct job, all);
        if (job->turns != turns || !job->bulk || !(job->holds || job->shares || job->waits))
            continue;
        job->bulk = false;
        if (job->step->queue != ON_LOOP && !job->waits)
            executor_hurry(job_executor(job), &job->task);
    }
}

/* Takes the turn, or a place in line. Returns whether the job may go on. */
static bool take_turn(struct job *job)
{
    struct turns *turns = job->turns;
    if (turns && (!list_empty(&turns->waiting) || !may_begin(turns, job))) {
        job->waits = true;
        job->waiting_since = uv_hrtime();
        list_append(&turns->waiting, &job->wait);
        if (!job->bulk)
            hurry(job->jobs, turns);
        return false;
    }
    if (turns)
        turns->holder = job;
    job->holds = turns != NULL;
    return true;
}

void job_settle(struct job *job, enum settled what)
{
    job->settled = what;
}

bool job_may_peek(const struct turns *turns, enum settled what)
{
    return turns->holder ? turns->holder->settled >= what : turns->readers > 0 || list_empty(&turns->waiting);
}

void job_close(struct job *job)
{
    job->turns->closed += !job->closes;
    job->closes = true;
}

static void answer(struct job *job, const struct sdd_error *err)
{
    if (job->request)
        job->jobs->hooks.answer(job, err);
    job->request = NULL;
}

void job_answer(struct job *job)
{
    answer(job, NULL);
}

void jobs_report(struct jobs *jobs, int rc)
{
    jobs->hooks.ended(jobs->user, rc);
}

static void finish(struct job *job)
{
    struct jobs *jobs = job->jobs;
    jobs_report(jobs, job->rc);
    if (job->rc == SDD_ENO_MEMORY)
        metrics_add(jobs->metrics, M_REJECTED_MEMORY, 1);
    for (int p = 0; p < N_PHASES; p++)
        if (job->phases[p] > 0)
            metrics_phase(jobs->metrics, (enum phase)p, job->phases[p]);
    answer(job, job->rc < 0 ? &job->err : NULL);
    end_turn(job);
    list_remove(&job->all);
    jobs->n--;
    jobs->n_light -= !job->on_device;
    jobs->of_principal[job->principal % JOB_PRINCIPALS] -= job->on_device;
    job->ops->free(job);
}

/* Chooses the next step by the result of the last one. Returns true when the job is over. */
static bool judge(struct job *job)
{
    if (job->rc == JOB_PARK) /* Only a cancelled job comes here with it. */
        job->rc = client_left(job);
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
        job->settled = SETTLED_NOTHING;
    } else
        job->step += job->rc == JOB_BACK ? -1 : 1;
    return false;
}

static void wait_to_be_woken(struct job *job)
{
    job->waits = true;
    job->waiting_since = uv_hrtime();
}

void job_wake(struct job *job)
{
    job->waits = false;
    list_append(&job->jobs->runnable, &job->wait);
}

static void advance(struct job *job)
{
    for (;;) {
        if (!job->step->run || (job->step->queue == ON_LOOP && atomic_load(&job->cancel) && !job->committed)) {
            if (job->step->run)
                job->rc = client_left(job);
            finish(job);
            return;
        }
        if (job->step->skip && job->step->skip(job)) {
            job->step++;
            continue;
        }
        if (job->step->queue != ON_LOOP) {
            wait_for_thread(job);
            return;
        }
        job->rc = job->step->run(job);
        if (judge(job)) {
            finish(job);
            return;
        }
        if (job->rc == JOB_WAIT)
            wait_to_be_woken(job);
        if (job->rc == JOB_WAIT || (job->rc == JOB_TURN && !take_turn(job)))
            return;
    }
}

/* ---- jobs that wait for memory ----------------------------------------------------------------------------------- */
/* A job that was first in line, and whose memory somebody else took meanwhile, is first again. */
static void park(struct job *job)
{
    struct jobs *jobs = job->jobs;
    job->waiting_since = uv_hrtime();
    list_append(job->parked ? jobs->parked.next : &jobs->parked, &job->wait);
    job->parked = true;
    atomic_fetch_add(&jobs->n_parked, 1);
}

static void leave_park(struct job *job)
{
    list_remove(&job->wait);
    atomic_fetch_sub(&job->jobs->n_parked, 1);
    job->phases[PHASE_QUEUE] += (double)(uv_hrtime() - job->waiting_since) * 1e-9;
}

static void give_up(struct job *job, int code)
{
    leave_park(job);
    job->rc = code;
    finish(job);
}

int64_t jobs_unpark(struct jobs *jobs, int64_t room, bool moved)
{
    const uint64_t now = uv_hrtime();
    if (moved || executor_busy_since(jobs->compute))
        jobs->moved_at = now;
    for (struct list *at = jobs->parked.next; at != &jobs->parked; at = jobs->parked.next) {
        struct job *job = CONTAINER(at, struct job, wait);
        if (job->err.needed > room)
            break;
        room -= job->err.needed;
        leave_park(job);
        wait_for_thread(job);
    }
    for (struct list *at = jobs->parked.next, *next; at != &jobs->parked; at = next) {
        struct job *job = CONTAINER(at, struct job, wait);
        next = at->next;
        if (atomic_load(&job->cancel))
            give_up(job, client_left(job));
        else if ((double)(now - jobs->moved_at) * 1e-9 > JOBS_PATIENCE)
            give_up(job, job->err.code);
    }
    return list_empty(&jobs->parked) ? 0 : CONTAINER(jobs->parked.next, struct job, wait)->err.needed;
}

void jobs_wake(struct jobs *jobs)
{
    uv_async_send(&jobs->wake);
}

static bool is_parked(const struct job *job)
{
    return job->parked && job->wait.next; /* It may have gone on since it was parked. */
}

static void go_on(struct task *task, void *user)
{
    struct job *job = CONTAINER(task, struct job, task);
    (void)user;
    if (job->rc == JOB_PARK && !atomic_load(&job->cancel))
        park(job);
    else if (judge(job))
        finish(job);
    else
        advance(job);
}

static bool needs_device(const struct job_ops *ops)
{
    for (const struct step *step = ops->steps; step->run; step++)
        if (step->queue == ON_DEVICE)
            return true;
    return false;
}

static int refuse(struct job *job, int code, const char *whose, int n)
{
    metrics_add(job->jobs->metrics, M_REJECTED_QUEUE, 1);
    return job_fail(
        job, code, "",
        "%d requests%s are being worked on, and the daemon takes %d (--queue-size): wait for answers before "
        "sending more",
        n, whose, (int)job->jobs->most);
}

/* Counts the job, and says whether there is room for it. What the daemon itself wants has always room. */
static int admit(struct job *job)
{
    struct jobs *jobs = job->jobs;
    int *mine = jobs->of_principal + job->principal % JOB_PRINCIPALS;
    const int others = jobs->n - jobs->n_light, before = *mine;
    job->on_device = !job->peeks && needs_device(job->ops);
    jobs->n++;
    jobs->n_light += !job->on_device;
    *mine += job->on_device;
    if (!job->request || !job->principal) /* Probes have no principal. */
        return SDD_OK;
    if (!job->on_device)
        return jobs->n_light > jobs->most ? refuse(job, SDD_EBUSY, "", jobs->n_light - 1) : SDD_OK;
    if (others >= jobs->most)
        return refuse(job, SDD_EBUSY, "", others);
    const int times = job->bulk || job->cost_ns[ON_DEVICE] > FAIR_SHORT_NS ? 1 : 3;
    return before >= times * (jobs->most - others)
               ? refuse(job, SDD_ETOO_MANY, " of this token, or without one of this address,", before)
               : SDD_OK;
}

void job_start(struct jobs *jobs, struct job *job, const struct job_ops *ops, struct turns *turns)
{
    job->jobs = jobs;
    job->ops = ops;
    job->step = ops->steps;
    job->hands_on = job->hands_on && !job->bulk;
    list_append(&jobs->all, &job->all);
    jobs_deadline(jobs, job->deadline);
    job->rc = admit(job);
    if (job->rc) {
        job->err.code = job->rc;
        finish(job);
        return;
    }
    job->turns = turns;
    if (turns && job->peeks && job_may_peek(turns, job->peeks)) {
        job->shares = true;
        turns->readers++;
        advance(job);
    } else if (take_turn(job))
        advance(job);
}

void job_late(struct job *job)
{
    job->late = true;
    job_answer(job);
    if (job->waits && !job->turns) {
        job->rc = SDD_OK;
        finish(job);
    }
}

void job_abandon(struct job *job, int code)
{
    struct sdd_error err = {0};
    atomic_store(&job->cancel, 1); /* Even without a request the job may go on after its answer. */
    if (job->request) {
        metrics_add(job->jobs->metrics, M_CANCELLED, 1);
        sdd_fail(&err, code, "",
                 code == SDD_EDEADLINE ? "the work did not finish before the request's deadline"
                                       : "the client went away");
        answer(job, &err);
    }
    if (is_parked(job)) {
        give_up(job, SDD_ECANCELLED);
    } else if (job->waits) { /* It still waits for its turn, so nothing of it runs. */
        job->rc = SDD_ECANCELLED;
        finish(job);
    }
}

void jobs_abandon(struct jobs *jobs, int code)
{
    for (struct list *at = jobs->all.next, *next; at != &jobs->all; at = next) {
        next = at->next;
        job_abandon(CONTAINER(at, struct job, all), code);
    }
}

void jobs_run(struct jobs *jobs)
{
    while (!list_empty(&jobs->runnable)) {
        struct job *job = CONTAINER(jobs->runnable.next, struct job, wait);
        list_remove(&job->wait);
        job->phases[PHASE_QUEUE] += (double)(uv_hrtime() - job->waiting_since) * 1e-9;
        advance(job);
    }
}

void jobs_collect(struct jobs *jobs)
{
    pthread_mutex_lock(&jobs->mutex);
    struct task *done = jobs->done, *in_order = NULL;
    jobs->done = NULL;
    pthread_mutex_unlock(&jobs->mutex);
    for (struct task *next; done; done = next) {
        next = done->next;
        done->next = in_order;
        in_order = done;
    }
    for (struct task *next; in_order; in_order = next) {
        next = in_order->next;
        in_order->run(in_order, jobs->user);
    }
}

/* ---- start and end ----------------------------------------------------------------------------------------------- */
static void on_wake(uv_async_t *wake)
{
    struct jobs *jobs = wake->data;
    jobs_collect(jobs);
    jobs->hooks.moved(jobs->user);
}

bool jobs_start(struct jobs *jobs, uv_loop_t *loop, int host_workers)
{
    list_init(&jobs->all);
    list_init(&jobs->runnable);
    list_init(&jobs->parked);
    pthread_mutex_init(&jobs->mutex, NULL);
    uv_async_init(loop, &jobs->wake, on_wake);
    uv_timer_init(loop, &jobs->deadline);
    jobs->wake.data = jobs->deadline.data = jobs;
    lastings_init(&jobs->lasting);
    jobs->host = executor_start("subdd-host", host_workers, jobs->user);
    jobs->disk = executor_start("subdd-store", 1, jobs->user);
    jobs->compute = executor_start("subdd-compute", 1, jobs->user);
    jobs->reaper = executor_start("subdd-reaper", 1, jobs->user);
    return jobs->host && jobs->disk && jobs->compute && jobs->reaper;
}

void jobs_fini(struct jobs *jobs)
{
    struct executor *const all[] = {jobs->host, jobs->disk, jobs->compute, jobs->reaper};
    for (int i = 0; i < 4; i++) /* They post to each other. */
        executor_end(all[i]);
    for (int i = 0; i < 4; i++)
        executor_stop(all[i]);
    pthread_mutex_destroy(&jobs->mutex);
}
