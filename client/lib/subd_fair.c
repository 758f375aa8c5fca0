/* SPDX-License-Identifier: Apache-2.0 */
/* subd_fair.c: begins conformal flows, follows their jobs step by step, and cancels them, for users of libsubd. */
#include "subd_internal.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JSON_TYPE "application/json"

/* ---- what the daemon says of a job ------------------------------------------------------------------------------- */
static struct subd_distortion distortion(const cJSON *o, const char *name)
{
    const cJSON *d = cJSON_GetObjectItemCaseSensitive(o, name);
    return (struct subd_distortion){subd_json_number(d, "mean"), subd_json_number(d, "p99"),
                                    subd_json_number(d, "largest")};
}

static void read_job(struct subd_job *j, const cJSON *o)
{
    const cJSON *d = cJSON_GetObjectItemCaseSensitive(o, "distortion"),
                *n = cJSON_GetObjectItemCaseSensitive(o, "iterations");
    *j = (struct subd_job){.step = subd_json_count(o, "step"),
                           .steps = subd_json_count(o, "steps"),
                           .level = (int)fmin(subd_json_number(o, "level"), SUBD_MAX_LEVEL),
                           .stopped = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "stopped")),
                           .seconds = subd_json_number(o, "seconds"),
                           .energy_before = subd_json_number(o, "energyBefore"),
                           .energy = subd_json_number(o, "energy"),
                           .tau = subd_json_number(o, "tau"),
                           .exactness = subd_json_number(o, "exactness"),
                           .distortion = distortion(d, "step"),
                           .kept = distortion(d, "all"),
                           .spin_iterations = subd_json_count(n, "spin"),
                           .point_iterations = subd_json_count(n, "points"),
                           .exact_iterations = subd_json_count(n, "exactness"),
                           .version = subd_json_count(o, "version"),
                           .frame_bytes = subd_json_count(o, "frameBytes"),
                           .device_bytes = subd_json_count(o, "deviceBytes")};
    subd_json_copy(j->id, sizeof j->id, o, "job");
    subd_json_copy(j->mesh_id, sizeof j->mesh_id, o, "mesh");
    subd_json_copy(j->state, sizeof j->state, o, "state");
    o = cJSON_GetObjectItemCaseSensitive(o, "error");
    subd_json_copy(j->problem, sizeof j->problem, o, "code");
    subd_json_copy(j->text, sizeof j->text, o, "detail");
}

/* Turns the problem of a job that failed into the error of the call. */
static int failed(const cJSON *o, struct subd_error *err)
{
    const cJSON *problem = cJSON_GetObjectItemCaseSensitive(o, "error");
    char *said = problem ? cJSON_PrintUnformatted(problem) : NULL;
    subd_failed_problem(err, 0, said ? said : "");
    free(said);
    return SUBD_EHTTP;
}

/* Reads an answer about a job. One that failed is no error here. Owner  the caller deletes *tree */
static int parse(subd_client *c, struct subd_job *job, cJSON **tree, struct subd_error *err)
{
    const struct subd_call *call = &c->call;
    cJSON *o = *tree = strcmp(call->media_type, JSON_TYPE) == 0 && call->answer
                           ? cJSON_ParseWithLength(call->answer, call->answer_bytes)
                           : NULL;
    if (!o)
        return subd_fail_stranger(c, err);
    read_job(job, o);
    if (!*job->state && job->version) { /* The answer to a repeated request: the mesh as it became. */
        subd_copy_text(job->state, sizeof job->state, "done");
        subd_json_copy(job->mesh_id, sizeof job->mesh_id, o, "id");
    }
    return *job->state && (*job->id || job->version) ? SUBD_OK : subd_fail_stranger(c, err);
}

static int finish_state(subd_client *c, void *out, struct subd_error *err)
{
    cJSON *o;
    const int rc = parse(c, out, &o, err);
    cJSON_Delete(o);
    return rc;
}

static int finish_flow(subd_client *c, void *out, struct subd_error *err)
{
    const struct subd_job *job = out;
    cJSON *o;
    int rc = parse(c, out, &o, err);
    if (rc == SUBD_OK && strcmp(job->state, "failed") == 0)
        rc = failed(o, err);
    cJSON_Delete(o);
    return rc;
}

static void job_path(struct subd_text *path, const char *job, const char *leaf)
{
    subd_text_add(path, "/v1/jobs/");
    subd_text_escape(path, job);
    subd_text_add(path, "%s", leaf);
}

int subd_job_state(subd_client *c, const char *job, struct subd_job *out, struct subd_error *err)
{
    struct subd_request q = {.method = "GET", .accept = JSON_TYPE, .finish = finish_state, .out = out};
    int rc = SUBD_NEED(err, c, job, out);
    if (rc != SUBD_OK)
        return rc;
    job_path(&q.path, job, "");
    return subd_request_start(c, &q, err);
}

int subd_job_cancel(subd_client *c, const char *job, struct subd_error *err)
{
    struct subd_request q = {.method = "DELETE", .accept = JSON_TYPE};
    int rc = SUBD_NEED(err, c, job);
    if (rc != SUBD_OK)
        return rc;
    job_path(&q.path, job, "");
    return subd_request_start(c, &q, err);
}

/* ---- a flow, from its beginning to its end ----------------------------------------------------------------------- */
enum { BEGIN, WATCH, CANCEL, FRAME };

static int next(subd_client *c, int rc);

/* The flow is given up: its job is cancelled, by a request that nothing stops, and then the call ends with rc. */
static int give_up(subd_client *c, int rc)
{
    struct subd_flow *f = &c->flow;
    struct subd_request q = {.method = "DELETE", .accept = JSON_TYPE, .then = next, .last = 1};
    f->stage = CANCEL;
    f->rc = rc;
    job_path(&q.path, f->job.id, "");
    rc = subd_request_start(c, &q, &f->unheard);
    return rc == SUBD_PENDING ? rc : f->rc;
}

static int watch(subd_client *c)
{
    struct subd_flow *f = &c->flow;
    struct subd_request q = {.method = "GET", .accept = JSON_TYPE, .finish = finish_flow, .out = &f->job, .then = next};
    f->stage = WATCH;
    job_path(&q.path, f->job.id, "");
    subd_text_add(&q.path, "?after=%lld", (long long)f->job.step);
    const int rc = subd_request_start(c, &q, f->err);
    return rc == SUBD_ECANCELLED ? give_up(c, rc) : rc;
}

static int fetch(subd_client *c)
{
    struct subd_flow *f = &c->flow;
    const struct subd_refine refine = SUBD_INIT(subd_refine, .level = f->fair.level, .include = SUBD_POSITIONS);
    struct subd_request q = {
        .method = "GET", .accept = SUBD_FRAME_MEDIA_TYPE, .frame = f->frame, .refine = &refine, .then = next};
    f->stage = FRAME;
    job_path(&q.path, f->job.id, "/frame");
    return subd_request_start(c, &q, f->err);
}

/* Takes what was heard of the job, and says what comes next. */
static int heard(subd_client *c)
{
    struct subd_flow *f = &c->flow;
    if (f->out)
        *f->out = f->job;
    if (f->fair.progress && *f->job.id && f->fair.progress(f->fair.progress_arg, &f->job))
        return give_up(c, subd_fail(f->err, SUBD_ECANCELLED, "the progress callback cancelled the flow"));
    if (strcmp(f->job.state, "cancelled") == 0)
        return subd_fail(f->err, SUBD_ECANCELLED, "the flow was cancelled at step %lld", (long long)f->job.step);
    if (strcmp(f->job.state, "done") == 0)
        return f->frame ? fetch(c) : SUBD_OK;
    return watch(c);
}

static int next(subd_client *c, int rc)
{
    struct subd_flow *f = &c->flow;
    if (f->stage == CANCEL)
        return f->rc;
    if (f->stage == FRAME)
        return rc;
    if (rc == SUBD_OK)
        return heard(c);
    if (f->stage == WATCH && (rc == SUBD_ECANCELLED || rc == SUBD_ETIMEOUT))
        return give_up(c, rc);
    if (f->out)
        *f->out = f->job;
    return rc;
}

/* Makes the body of the request, which the request frees. */
static int take_body(struct subd_request *q, const struct subd_fair *r, struct subd_error *err)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "steps", r->steps ? r->steps : 1);
    cJSON_AddNumberToObject(o, "tau", r->tau != 0 ? r->tau : 0.25);
    cJSON_AddStringToObject(o, "boundary", r->boundary ? r->boundary : "free");
    cJSON_AddNumberToObject(o, "solves", r->solves ? r->solves : 3);
    cJSON_AddBoolToObject(o, "exactness", !r->no_exactness);
    cJSON_AddNumberToObject(o, "level", r->level);
    char *body = cJSON_PrintUnformatted(o);
    cJSON_Delete(o);
    if (!body)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a request");
    q->owned = body;
    q->body = (struct subd_body){JSON_TYPE, body, strlen(body)};
    return SUBD_OK;
}

int subd_fair(subd_client *c, const char *id, int64_t version, const struct subd_fair *r, struct subd_job *out,
              struct subd_frame *frame, struct subd_error *err)
{
    struct subd_fair own;
    struct subd_request q = {
        .method = "POST", .accept = JSON_TYPE, .if_version = version, .finish = finish_flow, .then = next, .async = 1};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r)) || (rc = SUBD_TAKE(&own, r, subd_fair, err)) ||
        (rc = subd_check_version(version, err)))
        return rc;
    if (c->call.active)
        return subd_fail(err, SUBD_EUSAGE, "this client has a call under way");
    if (version == 0)
        return subd_fail(err, SUBD_EUSAGE, "a new version is made of one that is named; version is 0");
    if (own.level < 0 || own.level > SUBD_MAX_LEVEL || (own.level > 0) != (frame != NULL))
        return subd_fail(err, SUBD_EUSAGE, "level is %d; it is 0 without a frame, and 1 to %d with one", own.level,
                         SUBD_MAX_LEVEL);
    if ((rc = take_body(&q, &own, err)))
        return rc;
    c->flow = (struct subd_flow){.stage = BEGIN, .fair = own, .out = out, .frame = frame, .err = err};
    q.out = &c->flow.job;
    q.idempotency_key = own.idempotency_key;
    subd_text_mesh_path(&q.path, id, "/fair");
    return subd_request_start(c, &q, err);
}
