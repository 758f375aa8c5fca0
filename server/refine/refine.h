/* SPDX-License-Identifier: Apache-2.0 */
/* refine.h: the door of refine/: what refined, pose, patches, plan and matrix share, from their query to the bytes of a
 * frame.
 *
 *   request.c     the query: level, surface, blocks, method
 *   name.c        primvars by row, cache key and entity tag
 *   frame_plan.c  the plan of a frame, its size, and whether it is made in pieces
 *   range.c       which bytes of a frame are asked for
 *   budget.c      the limits and the memory that admit it
 *   estimate.c    how long output takes
 *   compute.c     on the compute thread: frames as a whole, in pieces, or a batch of them; patches.c: those of patches
 *   keep.c        on the loop: the frame into the cache, tables for the next ones of its kind
 *   answer.c      a frame that is there, or comes, to its socket; stream.h: one that is made while it is sent
 *
 * api/ has the handlers and the order of their steps. refine/ uses operation/ and all below it. */
#ifndef SUBDD_REFINE_H
#define SUBDD_REFINE_H
#include "server/operation/operation.h"
#include "server/resident/payload.h"

#define REFINE_PIECE_BYTES (8 << 20) /* Smaller pieces of a frame would wake threads more often than is worth it. */

/* Answers that are being made while they are sent. The loop's. */
struct sending {
    struct list streams; /* See stream.h. */
    struct list late;    /* Senders in answer.c that wait for more of their frame. */
    bool cut;            /* The daemon ends: no sender waits for more, its answer ends. */
};
static inline void sending_init(struct sending *s)
{
    *s = (struct sending){0};
    list_init(&s->streams);
    list_init(&s->late);
}

/* ---- what a query asks for ------------------------------------------------------------------------------------- */
/* A job on a mesh whose query asks for a level of it. All five routes have this first. */
struct ask_job {
    struct mesh_job base;
    struct sdd_refine_request request;
    char method[32];
    const char *primvars; /* Names as in the query; NULL when it has none. */
    struct sdd_primvar shapes[SDD_MAX_PRIMVARS];
    char key[CACHE_KEY_SIZE]; /* Of the answer: mesh, version and request. */
    char etag[40];
};
#define ASK_FRAME_BLOCKS (SDD_POSITIONS | SDD_INDICES)
#define ASK_PATCH_BLOCKS (SDD_POSITIONS | SDD_PATCHES | SDD_PATCH_PARAMS | SDD_INDICES | SDD_FACE_PARAMS)
int64_t ask_max_level(const struct config *c);
int64_t ask_max_patch_level(const struct config *c);
/* ask_job_create: makes a job of `bytes` that begins with struct ask_job, and reads its query; `blocks` are those of
 * the frame unless the query says which. NULL: the request has its answer. */
void *ask_job_create(struct request *r, size_t bytes, int64_t max_level, int blocks);

/* name_answer: once the mesh's version is known, finds the rows of the primvars and sets key and entity tag.
 * Errors  SDD_EINVALID: there is no such primvar
 * name_by_history: as name_answer; but where `auto` has tables by now, the method becomes that of the engine that has
 * them. Whoever has a frame that was made without them goes on with it.
 * name_stream: the tag becomes that of the frame whose header has no digest. */
int name_answer(struct ask_job *a) SDD_MUST_CHECK;
int name_by_history(struct ask_job *a) SDD_MUST_CHECK;
void name_stream(struct ask_job *a);

/* ---- the plan of a frame: refined, pose and plan ---------------------------------------------------------------- */
struct frame_plan {
    sdd_plan *plan;                   /* Made once, unless the topology leaves the device meanwhile. */
    int64_t frame_bytes;              /* Of the whole frame. */
    int64_t block_at;                 /* Where its first block begins. */
    int64_t device_bytes, host_bytes; /* What the plan takes, or the pieces of a frame that is made while it is sent. */
    int64_t piece_rows;               /* Of a frame that could be made so. */
    bool streamed; /* The whole frame is made while it is sent, because of its size; so its header has no digest. */
};
/* frame_plan_measure: plan and frame size, from any thread that holds the mesh; posed: the frame will not be kept.
 * JOB_AGAIN when the mesh is not resident.
 * frame_plan_make: the same on the compute thread, the mesh resident; checks the size against --max-output-bytes. */
int frame_plan_measure(struct ask_job *a, bool posed, struct frame_plan *p) SDD_MUST_CHECK;
int frame_plan_make(struct ask_job *a, bool posed, struct frame_plan *p) SDD_MUST_CHECK;
bool frame_plan_has_pieces(const struct ask_job *a, const struct frame_plan *p); /* Could it be made in pieces? */
/* frame_plan_ring: device_bytes and host_bytes become those of pieces of so many rows of the block. */
int frame_plan_ring(struct ask_job *a, struct frame_plan *p, int64_t rows) SDD_MUST_CHECK;
/* frame_plan_begins: is the frame large, and copied to host memory? Then it is sent while that is done. */
bool frame_plan_begins(const struct ask_job *a, const struct frame_plan *p);
/* frame_about_of: what its header says; undigested: it is sent before the block is made. */
struct frame_about frame_about_of(const struct ask_job *a, bool undigested);
/* frame_measure: the size of the frame that has these blocks, and where the first of them begins. */
int frame_measure(struct ask_job *a, bool undigested, const struct sdd_plan_info *blocks, int64_t *bytes,
                  int64_t *block_at) SDD_MUST_CHECK;

/* ---- a job that answers with a frame: refined, pose and patches ------------------------------------------------- */
struct frame_job {
    struct ask_job base;
    char range[64], unless[64]; /* Range and If-Range; "" when there is none. */
    int ranged;                 /* As range_parse says. */
    int64_t first, length;      /* The bytes of the frame that the answer has. */
    struct cached *frame;       /* Referenced while the job lives, once adopted. */
    bool computed;              /* The job has made it, rather than found it in the cache. */
    bool adopted;
};
/* range_keep: keeps what the device thread will need of the headers.
 * range_asked: finds the bytes that are asked for of a frame that has so many. SDD_ERANGE */
void range_keep(struct frame_job *j);
int range_asked(struct frame_job *j, int64_t bytes) SDD_MUST_CHECK;

/* ---- refined and pose ------------------------------------------------------------------------------------------- */
/* These two are made together when they ask for the same, so they are one kind of job. */
struct refine_job {
    struct frame_job base;
    struct frame_plan plan;
    bool posed;             /* Positions come in the body, and the frame is for this answer alone. */
    struct positions *pose; /* NULL until they are read. */
    bool own_mesh;          /* A host copy of the mesh is needed. */
    bool alone;             /* It was to be made in a batch, and cannot. */
    bool build;             /* Tables are built behind the answer. */
    struct stream *stream;  /* NULL: the frame is there, or nothing is. */
    /* While the frame comes to host memory. */
    struct task more; /* Tells the loop that more of it is there. */
    atomic_bool told; /* `more` is on its way. */
    double rest;      /* Seconds that what came after the answer took. */
};
/* refine_compute: a step on the compute thread: the frame, or its first piece; and those of jobs that wait there and
 * want the same of meshes of the same topology. Where frame_plan_begins says so it lets the loop call refine_adopt once
 * the first bytes are there, and goes on. From then on it writes nothing of the job but its error and `rest`, which the
 * loop leaves alone until the step is over.
 * refine_adopt (keep.c): the job takes hold of its frame, which may be kept; once.
 * refine_lose: on the loop: what has not come of the frame that the job made never will. */
int refine_compute(struct job *job);
void refine_adopt(struct refine_job *j);
void refine_lose(struct refine_job *j);
void refine_answer(struct job *job); /* The frame, what is asked for of it, or 304. */

/* ---- patches: struct frame_job alone ---------------------------------------------------------------------------- */
int patches_compute(struct job *job); /* A step on the compute thread. */
int patches_adopt(struct job *job);   /* A step on the loop: as refine_adopt. */
void patches_answer(struct job *job);
/* What makes a frame of a result; compute thread.
 * compute_frame: takes the result of what has been measured in host memory; of one that sdd_refine_begin gave only the
 * first piece is there then. compute_more: brings the next piece. compute_is_there: has all of it come? */
int compute_frame(struct frame_job *j, bool undigested, sdd_result *result) SDD_MUST_CHECK;
int compute_more(struct frame_job *j) SDD_MUST_CHECK;
bool compute_is_there(const struct cached *c);

/* answers_wake: those that wait for more of their frame look again. answers_cut: from now on nobody waits; their
 * connections end before the frame does. Loop. */
void answers_wake(struct sending *s);
void answers_cut(struct sending *s);

/* ---- limits and memory ------------------------------------------------------------------------------------------ */
/* budget_limit: SDD_ETOO_LARGE when an answer of so many bytes is over --max-output-bytes; `least` is "" or
 * "at least ".
 * budget_admit: compute thread: evicts until the planned work fits the device; SDD_ENO_MEMORY when host or device
 * cannot hold it.
 * budget_batch: how many frames such as the one that is planned may be made at once. */
int budget_limit(struct job *job, const char *least, int64_t bytes) SDD_MUST_CHECK;
int budget_admit(struct job *job, const struct frame_plan *p) SDD_MUST_CHECK;
int budget_batch(const struct job *job, const struct frame_plan *p);
/* Patches and matrices have a size when they are made, not before. Compute thread.
 * budget_left: the bytes that they may take now; SDD_EBUSY when frames that are being sent leave none.
 * budget_over: turns an SDD_ETOO_LARGE over that budget into the refusal of the limit that was passed. */
int budget_left(struct job *job, int64_t *max_bytes) SDD_MUST_CHECK;
int budget_over(struct job *job) SDD_MUST_CHECK;

/* ---- time ------------------------------------------------------------------------------------------------------- */
/* What is known of how long output takes. Any thread may read it; the compute thread alone writes. */
struct estimate {
    _Atomic double seconds_a_byte;
};
void estimate_init(struct estimate *e);
double estimate_seconds(const struct estimate *e, int64_t bytes);
void estimate_learn(struct estimate *e, int64_t bytes, double seconds); /* So long did so many bytes take. */

#endif
