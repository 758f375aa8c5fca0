/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h: the door of operation/: a request that works on a mesh. Here requests and jobs, which do not know each
 * other, come together.
 *
 *   handler -> mesh_job_create -> mesh_job_start -> [steps: find, load, match, ensure_resident, the handler's own]
 *           -> operation_answer -> the handler's answer
 *
 * It has what all kinds of operations share: the job with its copy of the request, the steps that bring a mesh into
 * memory, If-Match, and Idempotency-Key (idempotency.h). refine/ and api/ build on it. It uses net/, jobs/, resident/
 * and store/, and none of these knows it. */
#ifndef SUBDD_OPERATION_H
#define SUBDD_OPERATION_H
#include "server/jobs/jobs.h"
#include "server/net/http.h"
#include "server/net/net.h"
#include "server/resident/resident.h"
#include "server/operation/storage.h"

struct sending;
struct estimate;
struct idempotency;

/* What handlers and steps work with: the parts of all rooms below. serve.c makes it. */
struct service {
    const struct config *config;
    struct metrics *metrics;
    struct net *net;
    struct jobs *jobs;
    struct memory *memory;
    struct storage *storage;
    struct sending *sending;   /* It is defined in refine/refine.h. */
    struct estimate *estimate; /* It is defined in refine/refine.h. */
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

/* operation_start: starts a job (job_start) for a request. turns may be NULL. */
void operation_start(struct request *r, struct job *job, const struct job_ops *ops, struct turns *turns);
/* operation_answer: the hook `answer` of jobs/. It makes the answer and wakes the connection. */
void operation_answer(struct job *job, const struct sdd_error *err);
/* operation_waits: abandons the request's job when its client has left. The request must have a job. */
void operation_waits(struct request *r);
/* operation_left: the request is over; its job, if it has one, is cancelled and goes on without it. */
void operation_left(struct request *r);

/* A job with its own copy of what it needs from the request. The struct of a kind of job has it as its first member. */
struct mesh_job {
    struct job job;
    struct slot *slot;   /* The slot of the mesh, of which the job is a user; NULL when the request names no mesh. */
    unsigned char *body; /* Taken from the request. */
    size_t body_bytes;
    int media_in, media_out;
    bool any_version; /* If-Match is * or absent. */
    int64_t expected; /* The version in If-Match. */
    struct query query;
    struct idempotency *key; /* NULL without an Idempotency-Key. */
    struct text answer;      /* Made before the commit, because it is stored with it. */
    struct text warnings;    /* Lines that the answer has as headers. */
};
/* mesh_job_create: allocates a job of `bytes` and takes over the request's body and query. Returns NULL when it has
 * answered the request with an error: no memory, or a bad If-Match or key. */
void *mesh_job_create(struct request *r, size_t bytes, bool with_key);
/* mesh_job_free: frees the job and what struct mesh_job owns. */
void mesh_job_free(struct job *job);
/* mesh_job_start: starts the job on the mesh in the request's path. */
void mesh_job_start(struct request *r, struct mesh_job *j, const struct job_ops *ops);

/* slot_of: the slot of a job that is a mesh_job. */
static inline struct slot *slot_of(const struct job *job)
{
    return ((const struct mesh_job *)job)->slot;
}

/* step_find: a step on the storage thread that finds the record of the mesh. */
int step_find(struct job *job);
bool skip_find(const struct job *job);
/* step_load: a step on the storage thread that loads the record and the host copy of the mesh. */
int step_load(struct job *job);
/* skip_load: skips step_load when there is a host copy. */
bool skip_load(const struct job *job);
/* skip_load_resident: skips step_load when there is a host copy or the device has the current version. */
bool skip_load_resident(const struct job *job);
/* step_match: a step on the loop that fails with SDD_ESTALE when If-Match does not name the current version. */
int step_match(struct job *job);
/* ensure_resident: a step on the compute thread that brings the current version of the mesh onto the device. Returns
 * JOB_AGAIN when it needs a host copy first. */
int ensure_resident(struct job *job);
/* build_resident: makes device state of its own for a mesh that may become the current version, and copies what its
 * topology knows (n_edges, manifold) into the mesh. `edit` says which mesh it was made of and what changed; it is NULL
 * for a new mesh.
 * Threads  the compute thread
 * Owner    *out is the caller's; after an error it can still be there, without the mesh on the device
 * Errors   those of resident_load, in job->err */
int build_resident(struct job *job, struct mesh *mesh, const struct resident_edit *edit, const char *topology_id,
                   int64_t version, struct resident **out);
/* ensure_resident_record: a step on the loop that makes slot->resident, empty, if there is none. */
int ensure_resident_record(struct job *job);

#endif
