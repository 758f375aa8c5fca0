/* SPDX-License-Identifier: Apache-2.0 */
/* refine.h: the public header of refine/: what refined, pose, patches, plan and matrix share, from their query to the
 * bytes of a frame.
 *
 *   request.c     the query: level, surface, blocks, method
 *   name.c        primvars by row, cache key and entity tag
 *   frame_plan.c  the plan of a frame, its size, and whether it is made in pieces
 *   level.c       how many elements a level has
 *   range.c       which bytes of a frame are asked for
 *   budget.c      whether limits and memory admit a frame
 *   estimate.c    how long output takes
 *   compute.c     frames of refined and pose, made on the compute thread as a whole, in pieces or in a batch
 *   patches.c     frames of patches, made on the compute thread
 *   carry.c       frames of watchers, made from those of the version before
 *   keep.c        on the loop: the frame goes into the cache, and tables are built for the next ones of its kind
 *   answer.c      sends a frame that is complete or still being copied
 *   stream.h      sends a frame, or a file of another format, that is made while it is sent
 *   file.c        a frame as a file of another format
 *
 * api/ has the handlers and the order of their steps. refine/ uses operation/ and all below it. */
#ifndef SUBDD_REFINE_H
#define SUBDD_REFINE_H
#include "server/operation/operation.h"
#include "server/resident/payload.h"

#define REFINE_PIECE_BYTES (8 << 20) /* Smaller pieces of a frame would wake threads more often than is worth it. */

/* The answers that wait for parts of their frames. Only the loop uses it. */
struct sending {
    struct list streams; /* See stream.h. */
    struct list late;    /* Senders in answer.c that wait for more of their frame. */
    bool cut;            /* Whether the daemon ends: then no sender waits for more, and its answer ends early. */
};
static inline void sending_init(struct sending *s)
{
    *s = (struct sending){0};
    list_init(&s->streams);
    list_init(&s->late);
}

/* ---- what a query asks for ------------------------------------------------------------------------------------- */
/* A job on a mesh whose query asks for a level of it. The jobs of all five routes begin with it. */
struct ask_job {
    struct mesh_job base;
    struct sdd_refine_request request;
    char method[48];
    const char *primvars; /* Names as in the query; NULL when it has none. */
    struct sdd_primvar shapes[SDD_MAX_PRIMVARS];
    char key[CACHE_KEY_SIZE]; /* The key of the answer: mesh, version and request. */
    char etag[48];
    bool watched;                  /* A watcher sends the frame, so all of it has to be in memory. */
    int64_t seen;                  /* The version that the watcher has, which is not made again; 0 for none. */
    bool deltas;                   /* The watcher takes deltas, */
    char base_key[CACHE_KEY_SIZE]; /* of the frame of this key; "" until it is known. */
};
#define ASK_FRAME_BLOCKS (SDD_POSITIONS | SDD_INDICES)
#define ASK_PATCH_BLOCKS (SDD_POSITIONS | SDD_PATCHES | SDD_PATCH_PARAMS | SDD_INDICES | SDD_FACE_PARAMS)
int64_t ask_max_level(const struct config *c);
int64_t ask_max_patch_level(const struct config *c);
/* ask_job_create: makes a job of `bytes` that begins with struct ask_job, and reads its query. The frame has `blocks`
 * unless the query names others. Returns NULL when the request already has an error for an answer. */
void *ask_job_create(struct request *r, size_t bytes, int64_t max_level, int blocks);

/* name_answer: finds the primvars of the query and sets key and entity tag. The version of the mesh is known.
 * Errors  SDD_EINVALID (there is no such primvar)
 * name_by_history: does the same, but where `auto` has built tables by now, the method becomes that of their engine. A
 * client that has a frame, or a part of one, made without them keeps that method.
 * name_stream: makes the tag that of the frame whose header has no digest. */
int name_answer(struct ask_job *a) SDD_MUST_CHECK;
/* name_is_known: whether the client says in If-None-Match that it has the answer of this entity tag. */
bool name_is_known(const struct ask_job *a);
int name_by_history(struct ask_job *a) SDD_MUST_CHECK;
void name_stream(struct ask_job *a);

/* name_past: the key of the frame of another version, made by this method.
 * name_delta: the key of the delta of the frame of a->base_key. It is "" when that is too long. */
void name_past(const struct ask_job *a, int64_t version, const char *method, char key[CACHE_KEY_SIZE]);
void name_delta(const struct ask_job *a, char key[CACHE_KEY_SIZE]);

/* ask_cost_ns: about how long the job will work on the device, by what was measured so far. The record of the mesh is
 * known. `bytes_a_point` is what the answer has for a point of the last level; 0 stands for that of its blocks. */
int64_t ask_cost_ns(const struct ask_job *a, int64_t bytes_a_point);

/* level_check: Errors  SDD_EQUERY when there is no such level; 0 is the control mesh.
 * level_counts: the vertices, faces and edges of a resident mesh, or of a level of it, on the compute thread. It keeps
 * the plan of a level in *plan, which the job frees. Returns JOB_AGAIN when the mesh is not resident. */
int level_check(int64_t level, int64_t max_level, struct sdd_error *err) SDD_MUST_CHECK;
int level_counts(struct ask_job *a, int level, sdd_plan **plan, struct sdd_plan_info *out) SDD_MUST_CHECK;

/* ---- the plan of a frame: refined, pose and plan ---------------------------------------------------------------- */
struct frame_plan {
    sdd_plan *plan;                   /* Made once, unless the topology leaves the device meanwhile. */
    int64_t frame_bytes;              /* The size of the whole frame. */
    int64_t block_at;                 /* The byte at which its first block begins. */
    int64_t device_bytes, host_bytes; /* The memory that the plan takes, or the pieces of a streamed frame. */
    int64_t piece_rows;               /* The rows of a piece, for a frame that can have pieces. */
    bool streamed; /* Whether the whole frame is made while it is sent; then its header has no digest. */
};
/* frame_plan_measure: makes the plan and measures the frame, on any thread that holds the mesh. A `posed` frame will
 * not be cached. Returns JOB_AGAIN when the mesh is not resident.
 * frame_plan_make: does the same for a resident mesh on the compute thread, and checks the size against
 * --max-output-bytes. */
int frame_plan_measure(struct ask_job *a, bool posed, struct frame_plan *p) SDD_MUST_CHECK;
int frame_plan_make(struct ask_job *a, bool posed, struct frame_plan *p) SDD_MUST_CHECK;
/* frame_plan_has_pieces: says whether the frame can be made in pieces. */
bool frame_plan_has_pieces(const struct ask_job *a, const struct frame_plan *p);
/* frame_plan_ring: sets device_bytes and host_bytes to those of a ring of pieces of this many rows. */
int frame_plan_ring(struct ask_job *a, struct frame_plan *p, int64_t rows) SDD_MUST_CHECK;
/* frame_plan_begins: says whether the frame is large and copied to host memory. Then it is sent while it is copied,
 * unless it becomes a file, for which all of it is needed. */
bool frame_plan_begins(const struct ask_job *a, const struct frame_plan *p);
/* payload_about_of: returns what the frame's header says. An `undigested` one is sent before the block is made. */
struct payload_about payload_about_of(const struct ask_job *a, bool undigested);
/* frame_measure: gives the size of the frame that has these blocks, and the byte at which the first of them begins. */
int frame_measure(struct ask_job *a, bool undigested, const struct sdd_plan_info *blocks, int64_t *bytes,
                  int64_t *block_at) SDD_MUST_CHECK;

/* ---- a job that answers with a frame: refined, pose and patches ------------------------------------------------- */
struct frame_job {
    struct ask_job base;
    char range[64], unless[64]; /* Range and If-Range; "" when there is none. */
    int ranged;                 /* The result of range_parse. */
    int64_t first, length;      /* The bytes of the frame that the answer has. */
    struct cached *frame;       /* Referenced while the job lives, once adopted. */
    int64_t claim;              /* The bytes of the pool that are taken for a frame or file that is not made yet. */
    bool computed;              /* Whether the job made the frame, rather than found it in the cache. */
    bool adopted;
};
/* range_keep: copies the headers that the compute thread will need.
 * range_asked: finds the bytes that the client asks for, of a frame of `bytes`.
 * Errors  SDD_ERANGE */
void range_keep(struct frame_job *j);
int range_asked(struct frame_job *j, int64_t bytes) SDD_MUST_CHECK;

/* These make the answer of such a job (answer.c).
 * answer_stream: a frame that is made while it is sent, or a range of it. Takes the stream over and returns true; else
 * the answer is an error.
 * answer_whole: all of a frame that is there. Returns false when the answer became an error.
 * answer_frame_headers: adds entity tag and range. `cache` says where the frame came from; NULL says nothing.
 * answer_known: 304. */
struct stream;
bool answer_stream(struct request *r, const struct frame_job *j, struct stream **stream);
bool answer_whole(struct request *r, struct cached *frame);
void answer_frame_headers(struct request *r, const struct frame_job *j, int64_t bytes, const char *cache);
void answer_known(const struct job *job);

/* ---- refined and pose ------------------------------------------------------------------------------------------- */
/* Jobs of these two routes share a batch when they request the same, so they have one type. */
struct refine_job {
    struct frame_job base;
    struct frame_plan plan;
    bool posed;             /* Whether positions come in the body and the frame is for this answer alone. */
    struct positions *pose; /* NULL until they are read. */
    bool own_mesh;          /* Whether a host copy of the mesh is needed. */
    bool alone;             /* Whether the job could not be made in a batch. */
    bool carried;           /* Whether the frame was made from the watcher's base, in less time than others take. */
    bool build;             /* Whether tables are built after the answer. */
    struct cached *past;    /* For a watcher: the frame that a delta is made of, and the delta. */
    struct cached *delta;   /* Both are referenced, or NULL. */
    int64_t file_bytes;     /* Of the file that is asked for, once it is known; else 0. */
    struct stream *stream;  /* NULL unless the frame, or a file of it, is made while it is sent. */
    /* The rest serves a frame that is sent while it is copied to host memory. */
    struct task more; /* Tells the loop that more of the frame has arrived. */
    atomic_bool told; /* Whether `more` is on its way to the loop. */
    double rest;      /* The seconds of the work that followed the start of the answer. */
};
/* refine_compute: a step on the compute thread that makes the frame or its first piece, together with the frames of
 * waiting jobs that request the same of meshes of the same topology. Where frame_plan_begins says so, the loop calls
 * refine_adopt once the first bytes have arrived, while the step goes on. From then on the step writes nothing of the
 * job but its error and `rest`, which the loop leaves alone until the step is over.
 * refine_adopt (keep.c): makes the job hold its frame, which may go into the cache. Later calls do nothing.
 * refine_lose: called on the loop when the missing bytes of the frame that the job made will never arrive. */
int refine_compute(struct job *job);
void refine_adopt(struct refine_job *j);
void refine_lose(struct refine_job *j);
void refine_answer(struct job *job); /* Answers with the frame, the requested range of it, or 304. */

/* ---- deltas for watchers (delta_step.c) -------------------------------------------------------------------------- */
/* delta_expect: a step on the loop, before the frame is made, that makes the job hold the base it may be made from.
 * delta_find: whether the delta that the watcher takes is in the cache, which the job then holds. On the loop.
 * delta_could: whether one could be made, as the base is there. On the loop.
 * delta_base: a step on the loop that makes the job hold the base. delta_compare: a step on a worker that makes the
 * delta. delta_keep: a step on the loop that puts it into the cache. delta_skip skips these two.
 * delta_free: gives back what the job holds. */
int delta_expect(struct job *job);
bool delta_find(struct refine_job *j);
bool delta_could(struct ask_job *a);
int delta_base(struct job *job);
int delta_compare(struct job *job);
int delta_keep(struct job *job);
bool delta_skip(const struct job *job);
void delta_free(struct refine_job *j);

/* carry_frame: makes the result from that of the base, on the compute thread. *out is NULL when it has to be made as a
 * whole. Errors  SDD_ECANCELLED, SDD_EDEVICE
 * carry_keep_mesh: has a frame that a watcher takes keep the control mesh, for the next version. */
int carry_frame(struct refine_job *j, sdd_result **out) SDD_MUST_CHECK;
void carry_keep_mesh(struct refine_job *j);

/* ---- refined and pose as files ---------------------------------------------------------------------------------- */
struct surface_format;
/* file_format: the format of proto/files that Accept asks for, or NULL for a frame.
 * file_blocks: makes the request have the blocks that a file needs. The record of the mesh is known.
 * file_admits: checks whether the format can hold what the plan describes, and adds the memory that the file takes.
 * Errors  SDD_ETOO_LARGE, SDD_EUNSUPPORTED
 * file_begin: a step on a worker that makes the first piece of the file of the job's frame.
 * file_skip: skips file_begin when a frame is asked for.
 * file_answer: answers with the file; returns false when the answer became an error. */
const struct surface_format *file_format(const struct ask_job *a);
void file_blocks(struct ask_job *a);
/* file_takes: whether the answer is a file that has this primvar of the mesh though nobody asks for primvars. */
bool file_takes(const struct ask_job *a, int primvar);
int file_admits(struct ask_job *a, struct frame_plan *p) SDD_MUST_CHECK;
int file_begin(struct job *job);
bool file_skip(const struct job *job);
bool file_answer(struct refine_job *j);

/* ---- patches: struct frame_job alone ---------------------------------------------------------------------------- */
int patches_compute(struct job *job); /* This step runs on the compute thread. */
int patches_adopt(struct job *job);   /* This step runs on the loop and does the same as refine_adopt. */
void patches_answer(struct job *job);
/* These make a frame from a result, on the compute thread.
 * compute_frame: takes the result and makes its frame in host memory. Of a result of sdd_refine_begin only the first
 * piece has arrived then.
 * compute_is_there: says whether all of the frame has arrived. */
int compute_frame(struct frame_job *j, bool undigested, sdd_result *result) SDD_MUST_CHECK;
bool compute_is_there(const struct cached *c);

/* These run on the loop.
 * answers_wake: makes the answers that wait for more of their frame look again.
 * answers_cut: lets no answer wait any longer, so their connections end before their frames do. */
void answers_wake(struct sending *s);
void answers_cut(struct sending *s);

/* ---- limits and memory ------------------------------------------------------------------------------------------ */
/* budget_limit: returns SDD_ETOO_LARGE when an answer of `bytes` exceeds --max-output-bytes. `least` is "" or
 * "at least ".
 * budget_admit: takes the bytes of the frame from the pool, and evicts meshes until the planned work fits the device.
 * It runs on the compute thread and returns SDD_ENO_MEMORY when host or device cannot hold the work, and JOB_PARK when
 * the host can soon. The frame takes the bytes over.
 * budget_claim: takes bytes from the pool for what the job makes next, in place of those that it has taken before.
 * Where frames that are being made or sent hold them, it returns JOB_PARK.
 * budget_give: gives the bytes back of what was not made.
 * budget_batch: returns how many frames with this plan may be made at once. */
int budget_limit(struct job *job, const char *least, int64_t bytes) SDD_MUST_CHECK;
int budget_admit(struct frame_job *j, const struct frame_plan *p) SDD_MUST_CHECK;
int budget_claim(struct frame_job *j, int64_t bytes) SDD_MUST_CHECK;
void budget_give(struct frame_job *j);
int budget_batch(const struct job *job, const struct frame_plan *p);
/* These serve patches and matrices, whose size is known only once they are made, on the compute thread.
 * budget_left: gives the bytes that they may take now, or SDD_EBUSY when frames that are being sent leave none.
 * budget_over: turns an SDD_ETOO_LARGE for that budget into the error of the limit that was exceeded. */
int budget_left(struct job *job, int64_t *max_bytes) SDD_MUST_CHECK;
int budget_over(struct job *job) SDD_MUST_CHECK;

/* ---- time ------------------------------------------------------------------------------------------------------- */
/* How long output takes, as measured since the start: seconds a byte of each engine, in the order of sdd_engine, for
 * each power of two that frames have as their size; 0 where nothing was measured. Any thread may read it; only the
 * compute thread writes it. */
enum { ESTIMATE_ENGINES = 16, ESTIMATE_SIZES = 48 };
struct estimate {
    _Atomic double seconds_a_byte[ESTIMATE_ENGINES][ESTIMATE_SIZES];
};
void estimate_init(struct estimate *e);
/* estimate_seconds: the time of this many bytes by this engine; 0 when nothing of about that size was measured. */
double estimate_seconds(const struct estimate *e, const char *method, int64_t bytes);
/* estimate_any: does the same where the engine is not known yet, by the slowest that was measured, or by a guess. */
double estimate_any(const struct estimate *e, int64_t bytes);
/* estimate_learn: adds a measurement: this many bytes took this many seconds. */
void estimate_learn(struct estimate *e, const char *method, int64_t bytes, double seconds);

#endif
