/* SPDX-License-Identifier: Apache-2.0 */
/* refine.h: the door of refine/: what refined, patches, plan and matrix share, from their query to the bytes of a
 * frame.
 *
 *   request.c   the query, the name and entity tag of a frame, the budgets that admit it
 *   compute.c   on the compute thread: frames as a whole, in pieces, or many together
 *   keep.c      on the loop: the frame into the cache, tables for the next ones of its kind
 *   answer.c    a frame that is there, or comes, to its socket; stream.h: one that is made while it is sent
 *
 * api/ has the handlers and the order of their steps. refine/ uses operation/ and all below it. */
#ifndef SUBDD_REFINE_H
#define SUBDD_REFINE_H
#include "server/operation/operation.h"
#include "server/resident/payload.h"

#define REFINE_PIECE_BYTES (8 << 20) /* smaller pieces of a frame would wake threads more often than is worth it */

/* Answers that are being made while they are sent. The loop's. */
struct sending {
    struct list streams; /* stream.h                                                    */
    struct list late;    /* senders in answer.c that wait for more of their frame       */
    bool cut;            /* the daemon ends: no sender waits for more, its answer ends  */
};
static inline void sending_init(struct sending *s)
{
    *s = (struct sending){0};
    list_init(&s->streams);
    list_init(&s->late);
}

struct refine_job {
    struct mesh_job base;
    bool patches;                      /* sdd_patches makes the frame, not sdd_refine     */
    struct sdd_refine_request request; /* include: the blocks of the frame, in either case */
    char method[32];
    const char *primvars; /* names as in the query; NULL: none */
    struct sdd_primvar shapes[SDD_MAX_PRIMVARS];
    char key[CACHE_KEY_SIZE]; /* of the frame: mesh, version, request        */
    char etag[40];
    struct cached *frame; /* referenced while the job lives, once kept   */
    bool computed;
    bool adopted;
    struct task more; /* tells the loop that more of the frame is there, .. */
    atomic_bool told; /* .. and is on its way                               */
    double rest;      /* seconds that what came after the answer took       */
    /* The frame is made while it is sent: because of its size, or because a part of it was asked for. */
    bool streamed;              /* its size, so its header has no digest           */
    bool own_mesh;              /* a host copy of the mesh is needed               */
    char range[64], unless[64]; /* Range and If-Range; "": none                    */
    int ranged;                 /* as range_parse                                  */
    int64_t first, length;      /* bytes of the frame that the answer has          */
    int64_t piece_rows;         /* of a frame that could be made so                */
    int64_t block_at;           /* where its only block begins                     */
    struct stream *stream;      /* NULL: the frame is there, or nothing is         */
    bool alone;                 /* was to be made together with others, and cannot */
    bool posed;                 /* refined POST: positions come in the body        */
    struct positions *pose;
    bool build;                       /* Tables are built behind the answer. */
    sdd_plan *plan;                   /* Made once, when the mesh is on the device; patches have none. */
    int64_t device_bytes, host_bytes; /* What the plan takes, or the pieces of a frame that is made while it is sent. */
    /* plan only */
    int64_t frame_bytes, available_device_bytes;
    double estimated_ms;
};
/* refine_job_create: reads level and surface, of refined and plan also include, compact,
 * primvars and method. NULL: answered. */
struct refine_job *refine_job_create(struct request *r, size_t bytes, bool patches);
int64_t refine_max_level(const struct config *c, bool patches);
/* refine_name: primvars by their rows, key and entity tag, once the mesh's version is known; and the method, where
 * `auto` has tables by now. Who has a frame that was made without them goes on with it.
 * Errors  SDD_EINVALID: there is no such primvar */
int refine_name(struct refine_job *j);
struct frame_about refine_about(const struct refine_job *j);
/* refine_tag_stream: the tag that refine_name made becomes that of the frame whose header has no digest. */
void refine_tag_stream(struct refine_job *j);
/* refine_ring: device_bytes and host_bytes become those of pieces of so many rows of the block. */
int refine_ring(struct refine_job *j, int64_t rows);
/* refine_asked: which of its bytes are asked for, of a frame that has so many. SDD_ERANGE
 * refine_range: the same of the frame that is planned, and whether they are made while they are sent. */
int refine_asked(struct refine_job *j, int64_t bytes);
int refine_range(struct refine_job *j, bool *pieces);
/* refine_measure: plan and frame size, from any thread; JOB_AGAIN when the mesh is not resident. */
int refine_measure(struct refine_job *j);
/* refine_plan: compute thread, mesh resident: plan and frame size, checked against --max-output-bytes. */
int refine_plan(struct refine_job *j);
/* refine_admit: compute thread: evicts until the planned work fits the device; SDD_ENO_MEMORY when host or device
 * cannot hold it. */
int refine_admit(struct refine_job *j);
/* The frame of patches has a size when it is made, not before. Compute thread.
 * refine_budget: the bytes that it may take now; SDD_EBUSY when frames that are being sent leave none.
 * refine_over: turns an SDD_ETOO_LARGE of sdd_patches over that budget into the refusal of the limit that was passed.
 * refine_check: measures the frame of a result, as refine_plan does that of a plan. */
int refine_budget(struct refine_job *j, int64_t *max_bytes);
int refine_over(struct refine_job *j);
int refine_check(struct refine_job *j, const struct sdd_plan_info *result);
/* refine_together: how many frames such as the one that is planned may be made at once. */
int refine_together(const struct refine_job *j);
/* refine_compute: a step on the compute thread: the frame, or its first piece; and those of jobs that wait there and
 * want the same of meshes of the same topology. */
int refine_compute(struct job *job);
/* refine_begins: is the frame that is planned large, and copied to host memory? Then it is sent while that is done:
 * once its first bytes are there refine_compute lets the loop call refine_adopt, and goes on. From then on it writes
 * nothing of the job but its error and `rest`, which the loop leaves alone until the step is over.
 * refine_adopt (keep.c): the job takes hold of its frame, which may be kept; once. */
bool refine_begins(const struct refine_job *j);
void refine_adopt(struct refine_job *j);
/* refine_lose: on the loop: what has not come of the frame that the job made never will. */
void refine_lose(struct refine_job *j);
void refine_answer(struct job *job); /* answer.c: the frame, what is asked for of it, or 304 */
/* answers_wake: those that wait for more of their frame look again. answers_cut: from now on nobody waits; their
 * connections end before the frame does. Loop. */
void answers_wake(struct sending *s);
void answers_cut(struct sending *s);
/* Seconds that `bytes` of output take, learned (on the compute thread) from what was measured. */
double refine_estimate(int64_t bytes);
void refine_learn(int64_t bytes, double seconds);

#endif
