/* SPDX-License-Identifier: Apache-2.0 */
/* edits.c: answers POST /v1/meshes/{id}/edits, by which a batch of edits makes the next version of a mesh, wholly or
 * not at all. The new device state is built beside the old one and then takes its place, so that the next request for a
 * refined surface finds it. */
#include "server/api/api.h"
#include "server/api/watch.h"
#include "server/base/clock.h"
#include "server/mesh/formats/codec.h"
#include "server/operation/idempotency.h"
#include <stdlib.h>
#include <string.h>

struct edit_job {
    struct mesh_job base;
    struct edit_batch *batch;
    struct edit_result result;
    struct resident *resident;
    struct store_info info; /* The record of the new version. */
};

static int parse(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct mesh_job *j = &e->base;
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
    int rc = decode_begin(&e->base, 2 * mesh_bytes(slot_of(job)->host));
    if (!rc)
        rc = decode_end(&e->base, edits_apply(slot_of(job)->host, e->batch, &e->result, &job->err));
    job->thing = operation_thing(slot_of(job)->info.topology_id);
    return rc ? rc : mesh_topology_id(e->result.mesh, e->info.topology_id, &job->err);
}

static int build(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct sdd_topology_delta delta;
    const struct resident_edit edit = {slot_of(job)->resident, slot_of(job)->info.topology_id, &delta};
    mesh_delta_desc(&e->result.delta, &delta);
    int rc =
        build_resident(job, e->result.mesh, &edit, e->info.topology_id, slot_of(job)->info.version + 1, &e->resident);
    if (rc != SDD_ENO_MEMORY)              /* Then the step may run again. */
        mesh_delta_fini(&e->result.delta); /* The loop frees the rest later; this would keep it busy. */
    return rc;
}

static void describe(struct edit_job *e, int64_t now)
{
    const struct mesh *m = e->result.mesh;
    struct info_state state = {"device", resident_bytes(e->resident), mesh_bytes(m), NULL, NULL};
    char topology_id[MESH_TOPOLOGY_ID_SIZE];
    memcpy(topology_id, e->info.topology_id, sizeof topology_id);
    e->info = e->base.slot->info;
    memcpy(e->info.topology_id, topology_id, sizeof topology_id);
    e->info.version++;
    store_info_measure(&e->info, m);
    e->info.updated_ms = now;
    (e->base.media_out == MEDIA_PROTOBUF ? edit_result_proto : edit_result_json)(&e->base.answer, &e->info, &state,
                                                                                 &e->result);
}

static int commit(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct store_answer record;
    char tag[VERSION_TAG_SIZE];
    int64_t now = now_ms();
    describe(e, now);
    if (e->base.answer.failed)
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    version_tag(tag, e->info.version, e->base.media_out);
    int rc =
        store_replace(job_service(job)->storage->store, slot_of(job)->id, slot_of(job)->info.version, e->result.mesh,
                      now, idempotency_record(&e->base, &record, 200, "", tag), &e->info, &job->err);
    job->committed = !rc;
    return storage_result(job_service(job)->storage, rc);
}

static int adopt(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct slot *slot = slot_of(job);
    cache_forget(&memory_of(job)->cache, slot);
    resident_release(job_service(job)->jobs->compute, slot->resident);
    slot->resident = e->resident;
    e->resident = NULL;
    slot_drop_host(&memory_of(job)->slots, slot);
    slot->host = e->result.mesh;
    e->result.mesh = NULL;
    slot->info = e->info;
    watchers_tell(job_service(job)->watchers, slot->id);
    return SDD_OK;
}

static void answer(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct request *r = job->request;
    if (idempotency_replay(&e->base))
        return;
    r->mesh_version = e->info.version;
    answer_text(r, 200, (enum media)r->media_out, &e->base.answer);
    answer_etag(r, e->info.version);
}

static void free_job(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    edit_batch_free(e->batch);
    edit_result_free(&e->result);
    resident_release(job_service(job)->jobs->compute, e->resident);
    mesh_job_free(job);
}

void api_edits(struct request *r)
{
    static const struct step steps[] = {
        {ON_HOST, PHASE_PARSE, parse, NULL},     {ON_STORE, PHASE_LOAD, load, skip},  {ON_LOOP, -1, step_match, NULL},
        {ON_LOOP, -1, step_settle_record, NULL}, {ON_HOST, PHASE_PARSE, apply, NULL}, {ON_DEVICE, -1, build, NULL},
        {ON_STORE, PHASE_COMMIT, commit, NULL},  {ON_LOOP, -1, adopt, NULL},          {0}};
    static const struct job_ops ops = {steps, answer, free_job};
    if (!request_header(r, "If-Match")) {
        answer_fail(r, SDD_EPRECONDITION, "if-match",
                    "send If-Match with the version that the edits were made for, as in its ETag");
        return;
    }
    struct edit_job *e = mesh_job_create(r, sizeof *e, true);
    if (e)
        mesh_job_start(r, &e->base, &ops);
}
