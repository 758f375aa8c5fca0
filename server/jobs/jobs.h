/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h: the door of jobs/: work that is done in steps, each on one thread, moved on by the loop; the threads
 * (executor.h) are in here too. Rooms above hand jobs in; jobs/ knows no HTTP, no mesh and no device: who waits for a
 * job and what jobs take turns at is opaque here, and hooks say what is to be done with either.
 *
 *   job_start -> [wait for its turn] -> step, step, ... -> ops->answer (when a client still waits) -> ops->free
 *
 * A job may take its turn at one thing, a mesh, from its first step to its end; jobs on one mesh run one after the
 * other, in the order in which they came, but for readers, which run beside each other from job_share on. A step runs
 * on its thread with the job to itself, unless it lets the loop answer while it goes on (refine/compute.c). Jobs are
 * embedded first in the struct of their kind. The client may leave, or its deadline may pass, while a step runs: the
 * request is answered at once, `cancel` is set, and the job goes on without a request until its step returns. */
#ifndef SUBDD_JOBS_H
#define SUBDD_JOBS_H
#include "gpu/sdd/sdd.h"
#include "server/jobs/executor.h"
#include "server/base/metrics.h"
#include "server/base/table.h"
#include <pthread.h>
#include <uv.h>

struct job;
struct jobs;
struct request;

enum queue { ON_LOOP, ON_HOST, ON_STORE, ON_DEVICE };
enum { JOB_DONE = 1 /* skip the other steps */, JOB_AGAIN = 2 /* start over at the first step */ };
#define JOB_MAX_ROUNDS 8
#define JOB_MOST_JOINED 63

struct step {
    enum queue queue;
    int phase;                           /* enum phase that its time counts for; -1: it counts itself   */
    int (*run)(struct job *job);         /* SDD_OK, JOB_DONE, JOB_AGAIN, or an error in job->err        */
    bool (*skip)(const struct job *job); /* asked on the loop; NULL: never                            */
};
struct job_ops {
    const struct step *steps;        /* ends with run NULL                                          */
    void (*answer)(struct job *job); /* on the loop, all steps done, job->request is there          */
    void (*free)(struct job *job);   /* on the loop; frees what the job owns, and the job           */
};

/* Jobs that want one thing take turns at it; whoever has the thing has its struct turns. */
struct turns {
    struct job *holder;
    int readers;         /* jobs beside the holder that only read what is there */
    int closed;          /* of the readers, those that let nobody in            */
    struct list waiting; /* jobs, the next one first                            */
};
static inline void turns_init(struct turns *t)
{
    *t = (struct turns){0};
    list_init(&t->waiting);
}

struct job {
    struct task task;
    struct list wait, all; /* in its turns' line; in jobs->all                            */
    const struct job_ops *ops;
    const struct step *step;
    struct jobs *jobs;
    struct request *request; /* who waits; loop only; NULL when nobody does any more        */
    struct turns *turns;     /* held, or waited for; NULL: none                             */
    bool holds;
    bool reader, shares, closes; /* it will call job_share; it has; job_close */
    bool committed;              /* a durable change was made: cancelling can no longer undo it */
    atomic_int cancel;
    uint64_t deadline, waiting_since;
    int rc, rounds;
    struct sdd_error err;
    double phases[N_PHASES]; /* seconds                                                     */
    const char *refined_by;  /* what the engine made points of (sdd_result_info), or NULL   */
};

/* What jobs leave to their users. All are called on the loop.
 * answer  answers job->request: with err, or by job->ops when err is NULL. Then the job lets go of it.
 * ended   some work ended with this result, which may be one that the daemon cannot go on after.
 * moved   jobs went on, and requests may have been answered. */
struct jobs_hooks {
    void (*answer)(struct job *job, const struct sdd_error *err);
    void (*ended)(void *user, int rc);
    void (*moved)(void *user);
};
struct jobs {
    int64_t most; /* --queue-size */
    struct jobs_hooks hooks;
    void *user; /* what hooks, tasks and steps work with */
    struct metrics *metrics;
    /* The rest is made by jobs_start. */
    struct executor *host, *disk, *compute; /* any thread may post */
    int n;
    struct list all, runnable; /* runnable: got their turn, wait for jobs_run                 */
    pthread_mutex_t mutex;     /* of `done` alone                                             */
    struct task *done;         /* for the loop, newest first                                  */
    uv_async_t wake;
    uv_timer_t deadline;
    uint64_t deadline_at; /* uv_hrtime for which `deadline` is armed; 0: it is not */
};
/* jobs_start: the threads, and handles on the loop, which closes them. false: threads cannot be made. */
bool jobs_start(struct jobs *jobs, uv_loop_t *loop, int host_workers);
void jobs_fini(struct jobs *jobs); /* runs what is posted, then ends the threads */

/* job_start: takes the job over, whose request and deadline are set. turns (may be NULL): it waits for its turn there.
 * When `most` jobs are there already the request is answered SDD_EBUSY and the job freed. */
void job_start(struct jobs *jobs, struct job *job, const struct job_ops *ops, struct turns *turns);
/* job_share: on the loop, in a step: from here on the job only reads what is there, and the next reader may begin,
 * which finds all that it needs. */
int job_share(struct job *job);
/* job_close: on the loop, in a step of a job that holds or shares its turn: nobody else begins there until it ends. */
void job_close(struct job *job);
/* job_join: on a worker thread, in a step: jobs that wait there for the same step and fit, as executor_take picks them.
 * Who takes them runs the step for each, and says with job_leave how it ended, or lets it wait for its turn again.
 * Returns how many. */
int job_join(struct job *job, bool (*fits)(const struct job *job, const struct job *other), int most, struct job **out);
void job_leave(struct job *job, int rc);
void job_wait(struct job *job);
/* job_answer: on the loop, in a step, or while one goes on elsewhere that asked for it: answers the request now, as all
 * has gone well; the job goes on without it. */
void job_answer(struct job *job);
void job_abandon(struct job *job, int code);    /* SDD_ECANCELLED or SDD_EDEADLINE: answers and detaches the request */
void jobs_abandon(struct jobs *jobs, int code); /* all of them */
/* jobs_hand_over: task->run on the loop, soon; from any thread. */
void jobs_hand_over(struct jobs *jobs, struct task *task);
void jobs_collect(struct jobs *jobs);        /* runs what was handed over: moves on the jobs whose step is done */
void jobs_run(struct jobs *jobs);            /* runs the jobs that got their turn */
void jobs_report(struct jobs *jobs, int rc); /* on the loop: work that is no job ended with this result */
void jobs_deadline(struct jobs *jobs, uint64_t at); /* jobs are looked at when this moment (uv_hrtime) comes */
int job_fail(struct job *job, int code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
