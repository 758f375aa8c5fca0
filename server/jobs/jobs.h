/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h: the door of jobs/: work that is done in steps, each on one thread, and moved on by the loop; and the threads
 * themselves (executor.h). Rooms above start jobs. jobs/ knows no HTTP, no mesh and no device: it does not look into
 * the request that waits for a job or into the thing that jobs take turns at, and calls hooks when something must be
 * done.
 *
 *   job_start -> [wait for its turn] -> step, step, ... -> ops->answer (when a client still waits) -> ops->free
 *
 * A job may take its turn at one thing, which is a mesh, from its first step to its end; or give it back and take it
 * again (job_leave_turn). Jobs on one mesh run one after
 * the other in the order in which they came, except for readers, which run at the same time from job_share on, and for
 * those that find all they need in host memory: they do not wait for what only the device is busy with (job_settle). A
 * step has the job to itself on its thread, unless it lets the loop answer while it goes on (refine/compute.c). The
 * struct of a kind of job has the job as its first member.
 *
 * The client may leave, or its deadline may pass, while a step runs. The request is then answered at once, `cancel` is
 * set, and the job goes on without a request until its step returns.
 * Threads  the loop's, except where a comment names another */
#ifndef SUBDD_JOBS_H
#define SUBDD_JOBS_H
#include "gpu/sdd/sdd.h"
#include "server/jobs/executor.h"
#include "server/jobs/lasting.h"
#include "server/base/metrics.h"
#include "server/base/table.h"
#include <pthread.h>
#include <uv.h>

struct job;
struct jobs;
struct request;

enum queue { ON_LOOP, ON_HOST, ON_STORE, ON_DEVICE };
/* Results of a step: JOB_DONE skips the other steps, and JOB_AGAIN starts over at the first one. JOB_PARK runs the same
 * step again once there is memory: job->err.needed says how much, and job->err is the answer when none comes. JOB_BACK
 * runs the step before this one again. JOB_TURN, of a step on the loop behind job_leave_turn, goes on with the next
 * step once the job has its turn again; JOB_WAIT, of a step on the loop, once lasting_move wakes it. */
enum { JOB_DONE = 1, JOB_AGAIN = 2, JOB_PARK = 3, JOB_BACK = 4, JOB_TURN = 5, JOB_WAIT = 6 };
/* What a job that holds its turn leaves as it is, from job_settle on. */
enum settled { SETTLED_NOTHING, SETTLED_RECORD, SETTLED_HOST };
#define JOB_PRINCIPALS 4096 /* Two principals with the same hash modulo this are counted as one. */
#define JOB_MAX_ROUNDS 8
#define JOB_MOST_JOINED 63
#define JOB_TOGETHER 9                        /* The most steps in one commit. */
#define JOB_TOGETHER_BYTES (INT64_C(4) << 20) /* Their commit_bytes together; a step with more commits alone. */

struct step {
    enum queue queue;
    int phase;                           /* The enum phase to which its time is added, or -1 when it adds it itself. */
    int (*run)(struct job *job);         /* Returns SDD_OK, JOB_DONE, JOB_AGAIN, JOB_PARK, or an error in job->err. */
    bool (*skip)(const struct job *job); /* Called on the loop; true skips the step. NULL never skips. */
};
struct job_ops {
    const struct step *steps;        /* The last one has run NULL. */
    void (*answer)(struct job *job); /* Called on the loop after all steps, when there is a job->request. */
    void (*free)(struct job *job);   /* Called on the loop; it frees the job and what it owns. */
};

/* What is done around each step of a job on the device, on its thread. An error of `begin` ends the step before it
 * runs. `end` is called after each step, and where `begin` failed. */
struct job_guard {
    int (*begin)(struct job *job);
    void (*end)(struct job *job, int rc);
};

/* Jobs on one thing take turns at it. The thing has this struct as a member. */
struct turns {
    struct job *holder;
    int readers;         /* How many jobs only read, at the same time as each other and the holder. */
    int closed;          /* How many jobs have called job_close, so that nobody else may begin. */
    struct list waiting; /* The jobs in line, the next one first. */
};
static inline void turns_init(struct turns *t)
{
    *t = (struct turns){0};
    list_init(&t->waiting);
}

struct job {
    struct task task;
    struct list
        wait; /* In the line of its turns, in jobs->runnable, in jobs->parked, or in the list of a job watched. */
    struct list all; /* In jobs->all. */
    const struct job_ops *ops;
    const struct step *step;
    const struct job_guard *guard; /* Or NULL. */
    struct jobs *jobs;
    struct request *request; /* The loop's. It waits for the answer; NULL when nobody waits any more. */
    struct turns *turns;     /* The turns that it holds or waits for, or NULL. */
    bool holds;
    bool reader; /* It will call job_share. */
    bool shares; /* It has called job_share. */
    bool waits;  /* It is in the line of its turns, or waits to be woken. */
    /* What it needs to be left as it is: it finds all there, and only reads. Set before job_start; SETTLED_NOTHING for
     * a job that waits for its turn. */
    enum settled peeks;
    enum settled settled; /* What it has called job_settle with. */
    bool closes;          /* It has called job_close. */
    bool alone;     /* It was inside another task on the device and found no memory, so it is not inside one again. */
    bool on_device; /* It has a step for the device. */
    uint32_t principal, connection; /* Hashes of who asks; 0 for the daemon itself. */
    atomic_bool bulk;               /* It waits for jobs that are not, as long as none of them waits for it. */
    int64_t cost_ns[ON_DEVICE + 1]; /* The estimated time of a step on each thread. */
    uint64_t thing;                 /* The hash of what the step on the device works on, such as a topology. */
    bool lasts;    /* A passed deadline does not end it: its client then gets the answer of job->ops, and it goes on. */
    bool late;     /* This has happened, maybe in the middle of a step. */
    int64_t after; /* With JOB_WAIT: the job that it watches has to take more steps than this. */
    bool parked;   /* It waits for memory, or has waited and is to get it before others. */
    /* A step on another thread follows the one before it without the loop, where it has no `skip`: nothing on the loop
     * looks at the job meanwhile. Not where the job is bulk, as the loop may hurry it. */
    bool hands_on;
    bool committed; /* A durable change was made, so the job can no longer be cancelled. */
    /* About how many bytes the step on the store's thread of PHASE_COMMIT writes at most, as a step before has set it;
     * what history keeps may double them. Such steps that wait there are run one after the other, in one commit. 0: it
     * commits alone. */
    int64_t commit_bytes;
    /* Called after such a step with its result, on its thread: nothing is durable before that. Or NULL. */
    void (*after_commit)(struct job *job, int rc);
    atomic_int cancel;
    uint64_t deadline, waiting_since; /* Times of uv_hrtime. */
    int rc, rounds;
    const char *prims;               /* What the answer to an error lists besides (struct request), or NULL. */
    const struct conflict *conflict; /* Likewise. */
    struct sdd_error err;
    double phases[N_PHASES]; /* Seconds. */
    const char *refined_by;  /* "tables" or "patches" (the `by` of sdd_result_info), or NULL. */
};

/* What jobs/ calls in the rooms that use it, on the loop unless a comment names another thread. */
struct jobs_hooks {
    /* Answers job->request: with err, or by job->ops->answer when err is NULL. The job then forgets the request. */
    void (*answer)(struct job *job, const struct sdd_error *err);
    /* Some work ended with this result, which may be one that the daemon cannot survive. */
    void (*ended)(void *user, int rc);
    /* Jobs went on, and requests may have been answered. */
    void (*moved)(void *user);
    /* On the store's thread: what the steps change between the two is one commit, which commit_end makes durable, or
     * fails to. Returns false where that cannot be: then each commits alone. */
    bool (*commit_begin)(void *user);
    int (*commit_end)(void *user, struct sdd_error *err);
};
struct jobs {
    int64_t most; /* The value of --queue-size. */
    struct jobs_hooks hooks;
    void *user; /* Passed to hooks and tasks; steps reach it too. */
    struct metrics *metrics;
    /* jobs_start makes the rest. */
    struct executor *host, *disk, *compute; /* Any thread may post to them. */
    struct executor *reaper;                /* It only frees memory, which so never waits behind work. */
    int n, n_light;                         /* All jobs, and those of them that need no device. */
    int of_principal[JOB_PRINCIPALS];       /* The jobs of each principal that need the device. */
    struct list all;
    struct list runnable;  /* Jobs that got their turn and wait for jobs_run. */
    struct list parked;    /* Jobs that wait for memory, the first one in line first. */
    atomic_int n_parked;   /* How many; any thread may read it. */
    uint64_t moved_at;     /* When memory moved last, or the device was seen at work. */
    pthread_mutex_t mutex; /* Guards `done` alone. */
    struct task *done;     /* Tasks for the loop, the newest one first. */
    uv_async_t wake;
    uv_timer_t deadline;
    struct lastings lasting; /* The jobs that clients ask about by an id. */
    uint64_t deadline_at;    /* For which time of uv_hrtime `deadline` is armed; 0 when it is not. */
};
/* jobs_start: starts the threads, and makes handles on the loop, which closes them. Returns false when it cannot. */
bool jobs_start(struct jobs *jobs, uv_loop_t *loop, int host_workers);
/* jobs_fini: runs what is posted, then ends the threads. */
void jobs_fini(struct jobs *jobs);

/* job_start: starts a job whose request, deadline, principal and costs are set. With `turns` (which may be NULL) it
 * first waits for its turn there.
 *   `most` jobs may need the device, and `most` others need none, so these never wait for a place. Of the places that
 * are left, a principal may hold three times as many as stay free for others, or as many, with long work: one alone
 * gets three quarters of all or one half, and whoever comes next finds a place. A job that is not admitted is freed,
 * and its request answered with SDD_EBUSY when all places are taken, else with SDD_ETOO_MANY.
 * Owner   jobs/ takes the job over */
void job_start(struct jobs *jobs, struct job *job, const struct job_ops *ops, struct turns *turns);
/* job_share: for a step on the loop of a job that holds its turn. From here on the job only reads, and has left in
 * place all that the next reader needs; so that one may begin. Returns SDD_OK. */
int job_share(struct job *job);
/* job_leave_turn: for a step on the loop of a job that holds its turn: gives it back, so that other jobs begin while
 * this one goes on. Returns SDD_OK. */
int job_leave_turn(struct job *job);
/* job_settle: for a step on the loop of a job that holds its turn. Until it is called again, or the steps start over,
 * the job leaves this as it is: jobs that peek begin meanwhile, ahead of the line. */
void job_settle(struct job *job, enum settled what);
/* job_may_peek: whether a job that peeks at this much would begin at once. */
bool job_may_peek(const struct turns *turns, enum settled what);
/* job_close: for a step on the loop of a job that holds or shares its turn. No other job begins there until it ends,
 * but for those that peek. */
void job_close(struct job *job);
/* job_join: takes over other jobs that wait for the same step and fit, so that one step can do the work of several:
 * the first half of them, `most` at most, so that the other half is left to work on while the caller is busy.
 * Threads  a worker thread, in a step
 * Owner    the caller runs the step for each of these jobs, and then calls job_leave with how it ended, or
 *          job_wait to queue it again
 * Result   how many they are */
int job_join(struct job *job, bool (*fits)(const struct job *job, const struct job *other), int most, struct job **out);
void job_leave(struct job *job, int rc);
void job_wait(struct job *job);
/* job_answer: answers the request now, because all has gone well, and the job goes on without it. On the loop, in a
 * step or while a step that asked for it goes on elsewhere. */
void job_answer(struct job *job);
/* job_wake: for a job that has returned JOB_WAIT: it goes on soon. */
void job_wake(struct job *job);
/* job_late: answers the request of a job that lasts, whose deadline has passed. The job goes on, unless it waited for
 * something to tell its client. */
void job_late(struct job *job);
/* job_abandon: cancels the job and answers its request with an error of this code. */
void job_abandon(struct job *job, int code);
/* jobs_abandon: abandons all jobs. */
void jobs_abandon(struct jobs *jobs, int code);
/* jobs_hand_over: has the loop call task->run soon. Any thread may call it. */
void jobs_hand_over(struct jobs *jobs, struct task *task);
/* jobs_collect: runs the tasks that were handed over, and so moves on the jobs whose step is done. */
void jobs_collect(struct jobs *jobs);
/* jobs_run: runs the jobs that got their turn. */
void jobs_run(struct jobs *jobs);
/* jobs_unpark: lets the first parked jobs go on that fit into `room` bytes together. It ends the others when no memory
 * has `moved` for JOBS_PATIENCE seconds while nothing was made on the device either: clients then have it for long.
 * Result  the bytes that the next one in line needs, or 0 when none waits */
#define JOBS_PATIENCE 5.0
int64_t jobs_unpark(struct jobs *jobs, int64_t room, bool moved);
/* jobs_wake: has the loop look soon whether jobs can go on. Any thread may call it. */
void jobs_wake(struct jobs *jobs);
/* jobs_report: tells the hook `ended` how work that is not a job has ended. */
void jobs_report(struct jobs *jobs, int rc);
/* jobs_deadline: has the deadlines of all jobs looked at when this time of uv_hrtime comes, unless that happens earlier
 * anyway. */
void jobs_deadline(struct jobs *jobs, uint64_t at);
/* job_fail: fills job->err and returns code. */
int job_fail(struct job *job, int code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
