/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h: work that a request needs done: a list of steps, each on one thread, moved on by the loop.
 *
 *   job_start -> [wait for the mesh] -> step, step, ... -> ops->answer (when a client still waits) -> ops->free
 *
 * A job may hold one mesh slot from its first step to its end; jobs on one mesh run one after the other, in the
 * order in which they came, but for readers, which run beside each other from job_share on. A step runs on its thread
 * with the job to itself, unless it lets the loop answer while it goes on (refine_compute.c). Jobs are embedded first
 * in the struct of their kind. The client may leave, or its deadline may pass, while a step runs: the request is
 * answered at once, `cancel` is set, and the job goes on without a request until its step returns. */
#ifndef SUBDD_JOBS_H
#define SUBDD_JOBS_H
#include "gpu/sdd/sdd.h"
#include "server/jobs/executor.h"
#include "server/base/metrics.h"
#include "server/base/table.h"
#include <pthread.h>

struct job;
struct request;
struct server;
struct slot;

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

struct job {
    struct task task;
    struct list wait, all; /* in the slot's queue; in jobs->all                           */
    const struct job_ops *ops;
    const struct step *step;
    struct server *server;
    struct request *request; /* loop only; NULL when nobody waits any more                  */
    struct slot *slot;       /* held, or waited for; NULL: none                             */
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

struct jobs {
    int n;
    struct list all, runnable; /* runnable: got their slot, wait for jobs_run                 */
    pthread_mutex_t mutex;     /* of `done` alone                                             */
    struct task *done;         /* for the loop, newest first                                  */
};
void jobs_init(struct jobs *jobs);
void jobs_fini(struct jobs *jobs);

/* job_start: takes the job over. slot (may be NULL) is the mesh it needs; the job is one of slot's users until it ends.
 * When --queue-size jobs are there already the request is answered SDD_EBUSY and the job freed. */
void job_start(struct server *s, struct job *job, const struct job_ops *ops, struct request *request,
               struct slot *slot);
/* job_share: on the loop, in a step: from here on the job only reads what its slot has, and the next reader may begin,
 * which finds all that it needs there. */
int job_share(struct job *job);
/* job_close: on the loop, in a step of a job that holds or shares its slot: nobody else begins there until it ends. */
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
void job_abandon(struct job *job, int code); /* SDD_ECANCELLED or SDD_EDEADLINE: answers and detaches the request */
/* jobs_hand_over: task->run on the loop, soon; from any thread. */
void jobs_hand_over(struct server *s, struct task *task);
void jobs_collect(struct server *s); /* runs what was handed over: moves on the jobs whose step is done */
void jobs_run(struct server *s);     /* runs the jobs that got their slot    */
int job_fail(struct job *job, int code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
