/* SPDX-License-Identifier: Apache-2.0 */
/* story.h: jobs for tests of jobs/, on a loop of their own: each does as its story says, which keeps what came of it.
 * */
#ifndef TESTS_STORY_H
#define TESTS_STORY_H
#include "server/jobs/jobs.h"
#include <semaphore.h>

#define N_STEPS 5
#define NEVER (-1)
#define LEFT "the client went away"

struct request { /* who waits for a job; jobs/ knows nothing of it */
    int n_answers, code;
    char text[256];
};
/* What one job is to do, and what came of it: it outlives the job. */
struct story {
    struct request request;
    char name;
    struct job_ops ops;
    struct step steps[N_STEPS + 1];
    int rc[N_STEPS]; /* of each step; an error is worded "step 3 failed" */
    int parks;       /* how often JOB_PARK is meant */
    int64_t needed;  /* with it */
    int again;       /* how often JOB_AGAIN, or JOB_BACK, is meant */
    int hold_at;     /* this step waits for `go_on`, once it has said `begun` */
    sem_t begun, go_on;
    int share_at, close_at, answer_at, commit_at; /* steps that call job_share, job_close, job_answer; that commit */
    int settle_at;                                /* this step calls job_settle, for all */
    int leave_at;                                 /* this step calls job_leave_turn */
    uint32_t principal;                           /* who asks; 1 unless it is set before the start */
    int64_t cost_ns;                              /* of the device's step */
    enum settled peeks;
    bool bulk, hands_on;
    bool own;     /* the daemon wants it: it has no request */
    char log[64]; /* the steps in their order by their thread: L H S D; + answered well, - with an error, . freed */
    double phases[N_PHASES];
};
struct work {
    struct job job;
    struct story *story;
};
struct fixture {
    uv_loop_t loop;
    struct jobs jobs;
    struct metrics metrics;
    struct turns turns[2];
    int n_ended, ended[16]; /* results, as the hook is told */
};

int story_set_up(void **state); /* of a cmocka test: *state is a fixture with two turns, and two threads on the host */
int story_tear_down(void **state); /* fails the test when a job, a turn or a handle of the loop is left */

/* story_tell: the story of a job of five steps: on the loop, the host, the store, the device, and the loop. A job of
 * the name s skips the store's. story_check or story_check_answer frees it. */
struct story *story_tell(char name);
struct story *story_of(const struct job *job);
void story_note(struct story *s, char c); /* into its log */
char story_thread(void);                  /* of the thread that this is: L H S D */

struct job *story_start(struct fixture *f, struct story *s, struct turns *turns); /* with an hour for it */
struct job *story_start_by(struct fixture *f, struct story *s, struct turns *turns, bool reader, uint64_t deadline);

void story_run_all(struct fixture *f);                           /* until no job is left */
void story_run_to_end(struct fixture *f, const struct story *s); /* until this one has gone */
void story_run_to_hold(struct fixture *f, struct story *s);      /* until the step that it is held at has begun */
void story_run_until_idle(struct fixture *f, int n_held); /* until no thread works, but for those that are held */
void story_check_answer(struct story *s, int code, const char *text); /* the job has gone, and was answered so, once */
void story_check(struct story *s, const char *log, int code, const char *text); /* the same, after these steps */

#endif
