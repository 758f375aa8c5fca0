/* SPDX-License-Identifier: Apache-2.0 */
/* edits.c: answers POST /v1/meshes/{id}/edits, by which a batch of edits makes the next version of a mesh, wholly or
 * not at all. */
#include "server/api/replace.h"
#include "server/api/events.h"
#include "server/base/clock.h"
#include "server/mesh/formats/codec.h"
#include "server/operation/idempotency.h"

struct edit_job {
    struct replace_job base;
    struct edit_batch *batch;
    struct edit_result result; /* Without its mesh, which base takes. */
};

static int parse(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct mesh_job *j = &e->base.base;
    int rc = idempotency_digest(j);
    if (!rc)
        rc = decode_begin(j, decode_usual(j));
    if (rc)
        return rc;
    return decode_end(j, (j->media_in & MEDIA_JSON ? edits_from_json : edits_from_proto)(j->body, j->body_bytes,
                                                                                         &e->batch, &job->err));
}

static int load(struct job *job)
{
    int rc = storage_result(job_service(job)->storage, idempotency_find((struct mesh_job *)job));
    return rc || skip_load(job) ? rc : step_load(job);
}

static bool skip(const struct job *job)
{
    return skip_load(job) && !((const struct mesh_job *)job)->key;
}

static int apply(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct mesh_job *j = &e->base.base;
    int rc = decode_begin(j, 2 * mesh_bytes(slot_of(job)->host));
    if (!rc)
        rc = decode_end(j, edits_apply(slot_of(job)->host, e->batch, &e->result, &job->err));
    job->thing = operation_thing(slot_of(job)->info.topology_id);
    if (rc)
        return rc;
    e->base.mesh = e->result.mesh;
    e->result.mesh = NULL;
    touched_by_edits(&j->touched, e->batch, &e->result, e->base.mesh);
    return mesh_topology_id(e->base.mesh, e->base.info.topology_id, &job->err);
}

static int build(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct sdd_topology_delta delta;
    const struct resident_edit edit = {slot_of(job)->resident, slot_of(job)->info.topology_id, &delta};
    mesh_delta_desc(&e->result.delta, &delta);
    int rc = replace_build(&e->base, &edit);
    if (rc != SDD_ENO_MEMORY)              /* Then the step may run again. */
        mesh_delta_fini(&e->result.delta); /* The loop frees the rest later; this would keep it busy. */
    return rc;
}

static int commit(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct mesh_job *j = &e->base.base;
    const struct store_change change = {j->principal, "edits", e->batch->n_edits, 0};
    const struct info_state state = replace_describe(&e->base, now_ms());
    (j->media_out == MEDIA_PROTOBUF ? edit_result_proto : edit_result_json)(&j->answer, &e->base.info, &state,
                                                                            &e->result);
    return replace_commit(&e->base, &change);
}

static void free_job(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    edit_batch_free(e->batch);
    edit_result_free(&e->result);
    replace_free(job);
}

void api_edits(struct request *r)
{
    static const struct step steps[] = {
        {ON_HOST, PHASE_PARSE, parse, NULL},     {ON_STORE, PHASE_LOAD, load, skip},  {ON_LOOP, -1, step_match, NULL},
        {ON_LOOP, -1, step_settle_record, NULL}, {ON_HOST, PHASE_PARSE, apply, NULL}, {ON_DEVICE, -1, build, NULL},
        {ON_STORE, PHASE_COMMIT, commit, NULL},  {ON_LOOP, -1, replace_adopt, NULL},  {0}};
    static const struct job_ops ops = {steps, replace_answer, free_job};
    if (!request_header(r, "If-Match")) {
        answer_fail(r, SDD_EPRECONDITION, "if-match",
                    "send If-Match with the version that the edits were made for, as in its ETag");
        return;
    }
    struct edit_job *e = mesh_job_create(r, sizeof *e, true);
    if (e)
        mesh_job_start(r, &e->base.base, &ops);
}
