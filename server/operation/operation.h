/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h: the door of operation/: a request that works on a mesh. Here requests and jobs, which do not know each
 * other, come together.
 *
 *   handler -> mesh_job_create -> mesh_job_start -> [steps: find, load, match, ensure_resident, the handler's own]
 *           -> operation_answer -> the handler's answer
 *
 * It has what all kinds of operations share: the job with its copy of the request, the steps that bring a mesh into
 * memory, If-Match, and Idempotency-Key (idempotency.h). refine/ and api/ build on it. It uses net/, jobs/, resident/
 * and store/, and none of these knows it.
 * Threads  the loop's, except for steps, whose comments name their thread */
#ifndef SUBDD_OPERATION_H
#define SUBDD_OPERATION_H
#include "server/jobs/jobs.h"
#include "server/net/http.h"
#include "server/net/net.h"
#include "server/operation/quarantine.h"
#include "server/resident/resident.h"
#include "server/operation/storage.h"

struct sending;
struct estimate;
struct idempotency;
struct watchers;
struct people;
struct job_lease;

/* What handlers and steps work with: a pointer to what each room below has. serve.c makes it, and owns what it points
 * to. */
struct service {
    const struct config *config;
    struct metrics *metrics;
    struct net *net;
    struct jobs *jobs;
    struct memory *memory;
    struct storage *storage;
    struct sending *sending;   /* It is defined in refine/refine.h. */
    struct estimate *estimate; /* It is defined in refine/refine.h. */
    struct watchers *watchers; /* It is defined in api/watch.h. */
    struct people *people;     /* It is defined in people.h. */
    struct quarantine *quarantine;
};
static inline struct service *service_of(const struct request *r)
{
    return r->net->hooks.user;
}
static inline struct service *job_service(const struct job *job)
{
    return job->jobs->user;
}
static inline struct memory *memory_of(const struct job *job)
{
    return job_service(job)->memory;
}

/* operation_start: makes the request wait for the job, and starts it (job_start). With turns NULL the job takes no
 * turns. */
void operation_start(struct request *r, struct job *job, const struct job_ops *ops, struct turns *turns);
/* operation_answer: the hook `answer` of jobs/ (struct jobs_hooks). It makes the answer and wakes the connection. */
void operation_answer(struct job *job, const struct sdd_error *err);
/* operation_waits: for the hook `waits` of net/ (struct net_hooks), when the request has a job. It abandons the job
 * when the client has left. */
void operation_waits(struct request *r);
/* operation_left: for the hook `left` of net/, when the request is over. If the request still has a job, that is
 * cancelled and goes on without it. */
void operation_left(struct request *r);

/* What a job does on the device with the version of its slot. Edits make a mesh of it that is not stored yet. */
enum evaluates { EVALUATES_VERSION, EVALUATES_EDITED, EVALUATES_OTHERS };

/* A job with its own copy of what it needs from the request. The struct of a kind of job has it as its first member. */
struct mesh_job {
    struct job job;
    struct slot *slot;   /* The slot of the mesh, of which the job is a user; NULL when the request names no mesh. */
    unsigned char *body; /* Taken from the request, and freed by mesh_job_free. */
    size_t body_bytes;
    int64_t body_claim;      /* The bytes of the body in the pool. */
    struct claim claim;      /* What was read from the body, and meshes that the job makes or loads. */
    int media_in, media_out; /* As in struct request. */
    /* With job.peeks: also says whether all is there, on the loop; it may set what a later step sets again. Or NULL. */
    bool (*finds)(struct job *job);
    bool any_version; /* If-Match is * or absent. */
    int64_t expected; /* The version in If-Match, unless any_version is set. */
    struct query query;
    char principal[TOKEN_NAME_SIZE]; /* The name of the caller's token, or "". */
    char workspace[TOKEN_NAME_SIZE]; /* The one that the caller can see. */
    struct idempotency *key;         /* NULL without an Idempotency-Key. */
    struct store_change change;      /* What the commit said of the change that it made. */
    const struct positions *moved;   /* What a commit of positions does to the mesh, and when, once it is durable. */
    int64_t moved_ms;
    struct text touched;      /* What news say of it besides: members of a JSON object, or nothing (api/events.h). */
    struct text answer;       /* The body of the answer to a change, made before the commit that stores both. */
    struct text warnings;     /* Lines for answer_warnings. */
    struct text prims;        /* What a refusal lists (struct request), */
    struct conflict conflict; /* and this too, when job.conflict is set. */
    enum evaluates evaluates;
    struct evaluation evaluation;
    char *named_leases; /* The header Subdd-Lease, or NULL. */
    int n_leases;
    struct job_lease *leases; /* On faces of the mesh (leases_check). */
    int64_t lease_room;       /* How many more faces those of the caller may have had then. */
};
/* mesh_job_create: allocates a job of `bytes` and takes over the request's body and query. Returns NULL when it has
 * answered the request with an error: no memory, or a bad If-Match or key. */
void *mesh_job_create(struct request *r, size_t bytes, bool with_key);
/* mesh_job_own: a job that the daemon itself wants, and that nobody waits for; it is bulk. `op` names it. Returns NULL
 * when memory is out. mesh_job_start_own starts it on a mesh, and takes it over. */
void *mesh_job_own(struct service *s, size_t bytes, const char *op, const char *workspace);
void mesh_job_start_own(struct mesh_job *j, struct slot *slot, const struct job_ops *ops);
/* mesh_job_free: frees the job and what struct mesh_job owns. */
void mesh_job_free(struct job *job);
/* mesh_job_start: starts the job on the mesh in the request's path and takes the job over. When memory is out or
 * the path's id is too long to be one, it answers with an error and frees the job. */
void mesh_job_start(struct request *r, struct mesh_job *j, const struct job_ops *ops);

/* decode_begin: for a step that reads the body or makes a mesh, on its thread: reserves what this usually takes, and
 * counts what mesh/ allocates until decode_end. `usual` is in bytes.
 * Errors  JOB_PARK when others hold the memory; then the step returns it
 * decode_end: returns rc, or where the pool had no more memory the error that says so. */
int decode_begin(struct mesh_job *j, int64_t usual) SDD_MUST_CHECK;
int decode_end(struct mesh_job *j, int rc);
/* decode_usual: what reading the body usually takes. */
int64_t decode_usual(const struct mesh_job *j);

/* slot_of: the slot of a job, which must be the first member of a struct mesh_job. */
static inline struct slot *slot_of(const struct job *job)
{
    return ((const struct mesh_job *)job)->slot;
}

/* step_find: a step on the storage thread that reads the record of the mesh into slot->info. */
int step_find(struct job *job);
/* skip_find: skips step_find when the record is known. A mesh of another workspace is found by neither: each step says
 * that it is not there. */
bool skip_find(const struct job *job);
/* step_load: a step on the storage thread that reads the record and the host copy of the mesh into the slot. */
int step_load(struct job *job);
/* skip_load: skips step_load when the record is known and there is a host copy. */
bool skip_load(const struct job *job);
/* skip_load_resident: skips step_load when the record is known, and there is a host copy or the device has the current
 * version. */
bool skip_load_resident(const struct job *job);
/* step_settle: a step on the loop, from which on the record and the host copy stay as they are until the job ends;
 * step_settle_record: only the record does. step_unsettle: a step on the loop before they change after all. */
int step_settle(struct job *job);
int step_settle_record(struct job *job);
int step_unsettle(struct job *job);
/* operation_thing: what steps on the device work on, for job->thing: two that work on one topology are never inside
 * each other. */
uint64_t operation_thing(const char *topology_id);
/* operation_adopted: must follow on the loop when a slot has become that of a new version: an earlier one that is not
 * kept any more for it can no longer be read. */
void operation_adopted(struct job *job);
/* operation_author: says who makes the change that a step is about to commit (store_author). On the storage thread. */
void operation_author(struct mesh_job *j, const char *kind, int64_t n_edits, int64_t of);
/* step_match: a step on the loop that fails with SDD_ESTALE when If-Match does not name the current version. */
int step_match(struct job *job);
/* ensure_resident: a step on the compute thread that brings the current version of the mesh onto the device.
 * ensure_resident_record must come before it. Returns JOB_AGAIN when it needs a host copy first. */
int ensure_resident(struct job *job);
/* build_resident: puts a mesh that may become the current version onto the device, as a resident of its own beside that
 * of the slot, and copies n_edges and manifold from its topology into the mesh. `edit` says which mesh it was made of
 * and what changed; it is NULL for a new mesh.
 * Threads  the compute thread
 * Owner    *out is NULL or from an earlier try, and is the caller's, after an error too, when it is either NULL or a
 *          resident without a mesh
 * Errors   those of resident_load, in job->err */
int build_resident(struct job *job, struct mesh *mesh, const struct resident_edit *edit, const char *topology_id,
                   int64_t version, struct resident **out);
/* ensure_resident_record: a step on the loop that makes slot->resident if there is none, with nothing on the device
 * yet. */
int ensure_resident_record(struct job *job);

#endif
