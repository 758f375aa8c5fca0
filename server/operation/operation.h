/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h: the door of operation/: a request at work on a mesh. Here requests and jobs, which know nothing of each
 * other, come together.
 *
 *   handler -> mesh_job_create -> mesh_job_start -> [steps: find, load, match, ensure_resident, the handler's own]
 *           -> operation_answer -> the handler's answer
 *
 * It has what operations of all kinds share: the job with its copy of the request, the steps that bring a mesh into
 * memory, If-Match, and Idempotency-Key (idempotency.h). refine/ and api/ build on it; it uses net/, jobs/, resident/
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

/* What handlers and steps work with: the rooms below, each of which sees its own part alone. serve.c makes it. */
struct service {
    const struct config *config;
    struct metrics *metrics;
    struct net *net;
    struct jobs *jobs;
    struct memory *memory;
    struct storage *storage;
    struct sending *sending;   /* refine.h */
    struct estimate *estimate; /* refine.h */
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

/* operation_start: job_start for a request. turns may be NULL. */
void operation_start(struct request *r, struct job *job, const struct job_ops *ops, struct turns *turns);
/* operation_answer: the hook of jobs that makes the answer and wakes its connection. */
void operation_answer(struct job *job, const struct sdd_error *err);
/* operation_waits: of a request that has a job: when its client went away, so has the reason for the job. */
void operation_waits(struct request *r);
void operation_left(struct request *r); /* the request ends: its job, if there is one, goes on without it */

/* A job with its own copy of what it needs from the request; kinds of jobs embed it first. */
struct mesh_job {
    struct job job;
    struct slot *slot;   /* of the mesh; it is one of its users; NULL: the request names none */
    unsigned char *body; /* taken from the request */
    size_t body_bytes;
    int media_in, media_out;
    bool any_version; /* If-Match: *, or none   */
    int64_t expected; /* If-Match: the version  */
    struct query query;
    struct idempotency *key; /* NULL: no Idempotency-Key */
    struct text answer;      /* made before the commit, because it is stored with it */
    struct text warnings;    /* lines, which go with the answer as headers        */
};
/* mesh_job_create: takes body and query over. NULL: the request has its answer (out of memory, bad If-Match or key). */
void *mesh_job_create(struct request *r, size_t bytes, bool with_key);
void mesh_job_free(struct job *job); /* what mesh_job owns, and the job */
/* mesh_job_start: starts it on the mesh in the path. */
void mesh_job_start(struct request *r, struct mesh_job *j, const struct job_ops *ops);

static inline struct slot *slot_of(const struct job *job) /* of a mesh_job */
{
    return ((const struct mesh_job *)job)->slot;
}

int step_find(struct job *job); /* ON_STORE: the record of the mesh            */
bool skip_find(const struct job *job);
int step_load(struct job *job);                 /* ON_STORE: record and host copy              */
bool skip_load(const struct job *job);          /* when there is a host copy                   */
bool skip_load_resident(const struct job *job); /* ... or the current version is on the device */
int step_match(struct job *job);                /* ON_LOOP: 412 when If-Match is stale         */
/* On the compute thread: the mesh on the device in its current version. JOB_AGAIN: a host copy is needed first. */
int ensure_resident(struct job *job);
/* build_resident: on the compute thread: makes device state of its own for a mesh that may become the current one, and
 * writes into the mesh what its topology knows of it. edit says which mesh it was made of and what changed; NULL: it is
 * a new mesh. *out is the caller's; after an error it may be there, but not resident. */
int build_resident(struct job *job, struct mesh *mesh, const struct resident_edit *edit, const char *topology_id,
                   int64_t version, struct resident **out);
int ensure_resident_record(struct job *job); /* on the loop: slot->resident exists          */

#endif
