/* SPDX-License-Identifier: Apache-2.0 */
/* together.c: what is done at once for several jobs that wait for a thread: one step that does the work of all, or
 * steps one after the other whose changes one commit makes durable. */
#include "server/jobs/steps.h"

/* ---- one step for several jobs ----------------------------------------------------------------------------------- */
struct pair {
    const struct job *job;
    bool (*fits)(const struct job *job, const struct job *other);
};

static bool joins(const struct task *task, void *cls)
{
    const struct pair *p = cls;
    if (task->run != job_run_step)
        return false;
    const struct job *other = CONTAINER((struct task *)(uintptr_t)task, struct job, task);
    return other->step == p->job->step && !atomic_load(&other->cancel) && p->fits(p->job, other);
}

int job_join(struct job *job, bool (*fits)(const struct job *job, const struct job *other), int most, struct job **out)
{
    struct pair p = {job, fits};
    struct task *tasks[JOB_MOST_JOINED];
    const int half = executor_fitting(job_executor(job), joins, &p) / 2;
    most = most < half ? most : half;
    const int n = executor_take(job_executor(job), joins, &p, most < JOB_MOST_JOINED ? most : JOB_MOST_JOINED, tasks);
    if (n)
        executor_keep_on(job_executor(job)); /* A client that leaves must not stop the others. */
    int joined = 0;
    for (int k = 0; k < n; k++) {
        struct job *other = CONTAINER(tasks[k], struct job, task);
        other->phases[PHASE_QUEUE] += (double)(uv_hrtime() - other->waiting_since) * 1e-9;
        const int rc = job_guard_begin(other);
        if (rc)
            job_leave(other, rc);
        else
            out[joined++] = other;
    }
    return joined;
}

/* ---- one commit for several steps -------------------------------------------------------------------------------- */
bool job_commits(const struct job *job)
{
    return job->step->queue == ON_STORE && job->step->phase == PHASE_COMMIT;
}

/* Whether a job may commit together with those that were taken before; it then takes its bytes of what they leave. */
static bool shares_commit(const struct task *task, void *cls)
{
    int64_t *left = cls;
    if (task->run != job_run_step)
        return false;
    const struct job *job = CONTAINER((struct task *)(uintptr_t)task, struct job, task);
    if (!job->commit_bytes || !job_commits(job) || job->commit_bytes > *left)
        return false;
    *left -= job->commit_bytes;
    return true;
}

static void end_commit(struct job *job, int rc, uint64_t began)
{
    if (job->after_commit)
        job->after_commit(job, rc);
    job->phases[PHASE_COMMIT] += (double)(uv_hrtime() - began) * 1e-9;
    job_leave(job, rc);
}

bool job_commit_together(struct job *job)
{
    const struct jobs_hooks *hooks = &job->jobs->hooks;
    struct job *all[JOB_TOGETHER] = {job};
    struct task *tasks[JOB_TOGETHER - 1];
    uint64_t began[JOB_TOGETHER];
    struct sdd_error err = {0};
    int64_t left = JOB_TOGETHER_BYTES - job->commit_bytes;
    int rc[JOB_TOGETHER], n = 1;
    if (!job->commit_bytes || left < 0 || !job_commits(job))
        return false;
    n += executor_take(job->jobs->disk, shares_commit, &left, JOB_TOGETHER - 1, tasks);
    if (n == 1)
        return false;
    for (int k = 1; k < n; k++)
        all[k] = CONTAINER(tasks[k - 1], struct job, task);
    const bool is_one = hooks->commit_begin(job->jobs->user); /* Else each finds out itself what is wrong. */
    for (int k = 0; k < n; k++) {
        began[k] = uv_hrtime();
        if (k)
            all[k]->phases[PHASE_QUEUE] += (double)(began[k] - all[k]->waiting_since) * 1e-9;
        rc[k] = job_do_step(all[k]);
    }
    const int failed = is_one ? hooks->commit_end(job->jobs->user, &err) : SDD_OK;
    for (int k = 0; k < n; k++) {
        if (failed && (rc[k] == SDD_OK || rc[k] == SDD_ECONFLICT)) { /* What is in its way may have gone, too. */
            rc[k] = failed;
            all[k]->err = err;
            all[k]->committed = false;
        }
        end_commit(all[k], rc[k], began[k]);
    }
    return true;
}
