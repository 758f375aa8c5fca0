/* SPDX-License-Identifier: Apache-2.0 */
/* subd_fair.h: conformal flow, which makes a surface fair and does not shear its texture; and the daemon's jobs, which
 * outlive the request that began them. Part of libsubd; subd.h says what holds for every call. */
#ifndef SUBD_FAIR_H
#define SUBD_FAIR_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* How much faces are sheared: 1 where angles are kept. */
struct subd_distortion {
    double mean, p99, largest;
};
/* What is known of a job. What it does not say (yet) is 0. */
struct subd_job {
    char id[64], mesh_id[64];
    char state[16];              /* "running", "cancelling", "done", "failed" or "cancelled". */
    char problem[64], text[400]; /* Of one that failed: the stable code, and one sentence. */
    int64_t step, steps;
    int level;
    int stopped;                  /* 1: no smaller step lowers the energy, so it ended before its last step. */
    double seconds;               /* Since it began. */
    double energy_before, energy; /* At its beginning, and now. */
    double tau;                   /* The size that the last step had. */
    double exactness;             /* How far its edges were from closing, relative. */
    struct subd_distortion distortion, kept;                     /* Of the last step, and of all steps together. */
    int64_t spin_iterations, point_iterations, exact_iterations; /* Of the last step's solves. */
    int64_t version;                                             /* The new version of the mesh. */
    int64_t frame_bytes;                                         /* With a level: the size of its frame. */
    int64_t device_bytes;
    int64_t reserved[8];
};
struct subd_fair {
    size_t size;
    int steps;            /* 1 to 1,000; 0 is 1. */
    double tau;           /* The size of a step, above 0, up to 1; 0 is 0.25. */
    const char *boundary; /* What the rim does: "free" (NULL), "direction" or "fixed". */
    int solves;           /* In a step of a closed surface, 1 to 20; 0 is 3. */
    int no_exactness;     /* 1: closed surfaces with handles may shear around these. */
    int level;            /* 0: the control mesh gets a new version; 1 to SUBD_MAX_LEVEL: the refined mesh flows. */
    const char *idempotency_key;
    /* Called from inside the call when it hears of a step; 0 goes on, anything else cancels the flow. NULL is none. */
    int (*progress)(void *arg, const struct subd_job *job);
    void *progress_arg;
};
/* subd_fair: POST fair, and waits for the end of the job. `version`, which is not 0, is the one that flows. Without a
 * level the mesh gets a new version, and frame is NULL; with one *frame gets the positions of the level's vertices, in
 * the order of subd_refine. out may be NULL.
 *   When the call is cancelled, or times out, the daemon's job is cancelled too, which takes up to five seconds more.
 *   When the connection breaks, the job goes on: *out has its id, for subd_job_state.
 * Errors  SUBD_EUSAGE (version, steps, solves, level, frame); SUBD_EHTTP with what the job failed with: 412 when the
 *         mesh got another version meanwhile, 409 when another flow of it runs, 500 not_converged, 507;
 *         SUBD_ECANCELLED, also when somebody else cancelled the job */
SUBD_API int subd_fair(subd_client *c, const char *id, int64_t version, const struct subd_fair *r, struct subd_job *out,
                       struct subd_frame *frame, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_job_state: GET of a job. Errors  SUBD_EHTTP 404 when there never was one, 410 when it is known no more */
SUBD_API int subd_job_state(subd_client *c, const char *job, struct subd_job *out,
                            struct subd_error *err) SUBD_MUST_CHECK;
/* subd_job_cancel: DELETE of a job: it ends between two iterations; one that is over is forgotten. */
SUBD_API int subd_job_cancel(subd_client *c, const char *job, struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
