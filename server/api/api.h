/* SPDX-License-Identifier: Apache-2.0 */
/* api.h: the handlers that routes.c names, and what they share. One file a resource: api_*.c. */
#ifndef SUBDD_API_H
#define SUBDD_API_H
#include "server/base/clock.h"
#include "server/net/http.h"
#include "server/jobs/jobs.h"
#include "server/server.h"
#include "server/store/store.h"

/* Each handler answers, or starts a job that will. */
void api_live(struct request *r);
void api_ready(struct request *r);
void api_service(struct request *r);
void api_openapi(struct request *r);
void api_metrics(struct request *r);
void api_create(struct request *r);
void api_list(struct request *r);
void api_show(struct request *r);
void api_delete(struct request *r);
void api_cage(struct request *r);
void api_positions(struct request *r);
void api_edits(struct request *r);
void api_refined(struct request *r);
void api_pose(struct request *r);
void api_patches(struct request *r);
void api_matrix(struct request *r);
void api_plan(struct request *r);

/* ---- steps and pieces that several resources use (api_common.c) ------------------------------------------------- */
/* A job with its own copy of what it needs from the request; kinds of jobs embed it first. */
struct mesh_job {
    struct job job;
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
void mesh_job_fini(struct mesh_job *j); /* what mesh_job owns, not the job itself */
/* mesh_job_start: starts it on the mesh in the path. */
void mesh_job_start(struct request *r, struct mesh_job *j, const struct job_ops *ops);

int step_find(struct job *job); /* ON_STORE: the record of the mesh            */
bool skip_find(const struct job *job);
int step_load(struct job *job);                 /* ON_STORE: record and host copy              */
bool skip_load(const struct job *job);          /* when there is a host copy                   */
bool skip_load_resident(const struct job *job); /* ... or the current version is on the device */
int step_match(struct job *job);                /* ON_LOOP: 412 when If-Match is stale         */
/* On the compute thread: the mesh on the device in its current version. JOB_AGAIN: a host copy is needed first. */
int ensure_resident(struct job *job);
int ensure_resident_record(struct job *job); /* on the loop: slot->resident exists          */

/* MeshInfo (info.c), as JSON object or message. residency and bytes are the caller's to say. */
struct info_state {
    const char *residency;
    int64_t device_bytes, host_bytes;
    const int64_t *bandwidth; /* [2] before and after a reorder; NULL: none was asked for */
};
void info_json(struct text *out, const struct store_info *info, const struct info_state *state);
void info_proto(struct text *out, const struct store_info *info, const struct info_state *state);
/* EditResult: newVertexIds and newFaceIds beside the mesh. */
struct edit_result;
void edit_result_json(struct text *out, const struct store_info *info, const struct info_state *state,
                      const struct edit_result *e);
void edit_result_proto(struct text *out, const struct store_info *info, const struct info_state *state,
                       const struct edit_result *e);
struct info_state info_state_of(const struct slot *slot);
void answer_info(struct request *r, int status, const struct store_info *info, const struct info_state *state);
void info_list(struct request *r, const struct store_info *infos, int n, bool more);

/* positions_read: the body as positions (api_positions.c), with `whole` all of them; *out that is there already stays.
 * Host thread. */
struct positions;
int positions_read(struct mesh_job *j, bool whole, struct positions **out);

/* ---- Idempotency-Key (idempotency.c) ---------------------------------------------------------------------------- */
#define KEY_SIZE 256
struct idempotency {
    char key[KEY_SIZE], principal[TOKEN_NAME_SIZE];
    char *request; /* method and target, part of the digest */
    unsigned char digest[32];
    bool replay; /* found holds the first answer          */
    struct store_answer found;
    void *block;
};
struct idempotency *idempotency_create(struct request *r, const char *key); /* NULL: answered */
void idempotency_free(struct idempotency *i);
int idempotency_digest(struct mesh_job *j); /* any thread; nothing to do without a key */
int idempotency_find(struct mesh_job *j);   /* storage thread: JOB_DONE when the first answer was found */
/* The record to store with the change; NULL without a key. Lives as long as the job. location may be "". */
const struct store_answer *idempotency_record(struct mesh_job *j, struct store_answer *out, int status,
                                              const char *location, const char *etag);
bool idempotency_replay(struct mesh_job *j); /* loop: gives the first answer again; false: there is none */

#endif
