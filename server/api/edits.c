/* SPDX-License-Identifier: Apache-2.0 */
/* edits.c: answers POST /v1/meshes/{id}/edits, by which a batch of edits makes the next version of a mesh, wholly or
 * not at all. */
#include "server/api/others.h"
#include "server/api/replace.h"
#include "server/api/events.h"
#include "server/base/clock.h"
#include "server/base/pool.h"
#include "server/mesh/formats/codec.h"
#include "server/mesh/topology_id.h"
#include "server/operation/idempotency.h"
#include "server/operation/people.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edit_job {
    struct replace_job base;
    struct edit_batch *batch;
    struct edit_result result; /* Without its mesh, which base takes. */
    bool rebase;               /* The batch may be applied to a later version than that it was made for. */
    int64_t passed_over;       /* How many versions came since. */
    struct mesh *made_for;     /* The version that it was made for, when any did. */
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

/* As step_change, but with Subdd-Rebase an earlier version matches, too. There was no version before 1. */
static int match(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    const int64_t behind = slot_of(job)->info.version - e->base.base.expected;
    if (!e->rebase || behind <= 0 || e->base.base.expected < 1)
        return step_change(job);
    e->passed_over = behind;
    others_since(&e->base.base.conflict, e->base.base.expected, slot_of(job)->info.version);
    return leases_check(&e->base.base, false);
}

static bool is_not_behind(const struct job *job)
{
    const struct edit_job *e = (const struct edit_job *)job;
    return !e->passed_over || e->made_for;
}

static int load_made_for(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct mesh_job *j = &e->base.base;
    struct storage *storage = job_service(job)->storage;
    /* Edits that are done again take the mesh before, the working copy and the mesh after. */
    int rc = decode_begin(j, 3 * mesh_bytes(slot_of(job)->host));
    if (rc)
        return rc;
    return decode_end(j, storage_result(storage, store_load(storage->store, slot_of(job)->id, j->expected, &e->made_for,
                                                            NULL, &job->err)));
}

/* Applies the batch to the version that it was made for, to see what it names and changes, and compares that with what
 * others did since. */
static int rebase(struct edit_job *e)
{
    struct job *job = &e->base.base.job;
    struct edit_result mine;
    struct mesh_changes changes = {0};
    struct mesh_named named = {0};
    char sentence[120];
    bool meets = false;
    int rc = edits_apply(e->made_for, e->batch, &mine, &job->err);
    if (rc)
        return rc;
    rc = mesh_changes_find(e->made_for, mine.mesh, &changes, &job->err);
    if (!rc)
        rc = edits_named(e->batch, e->made_for, &named, &changes, &job->err);
    if (!rc)
        rc = others_meet(job, e->made_for, (struct mesh_change){mine.mesh, &changes}, &named, true, slot_of(job)->host,
                         &e->base.base.conflict, &meets);
    free(named.vertices);
    free(named.faces);
    mesh_changes_fini(&changes);
    edit_result_free(&mine);
    if (rc || !meets)
        return rc;
    const int64_t from = e->base.base.expected, to = from + e->passed_over;
    if (e->passed_over == 1)
        snprintf(sentence, sizeof sentence, "the edits for version %lld meet what version %lld did", (long long)from,
                 (long long)to);
    else
        snprintf(sentence, sizeof sentence, "the edits for version %lld meet what versions %lld to %lld did",
                 (long long)from, (long long)from + 1, (long long)to);
    rc = others_fail(job, SDD_ESTALE, "if-match", sentence, "", &e->base.base.conflict);
    job->err.available = slot_of(job)->info.version;
    return rc;
}

/* Spares what others have leased, and keeps the caller's own leases on what the batch has made of their faces. */
static int heed_leases(struct edit_job *e)
{
    const struct edit_result *r = &e->result;
    const struct face_origins made = {r->n_new_faces, r->n_joined, r->new_face_ids, r->origins, r->joined};
    struct mesh_job *j = &e->base.base;
    struct mesh_changes changes = {0};
    int rc = leases_none_of_others(&j->job) ? SDD_OK : mesh_changes_find(j->slot->host, r->mesh, &changes, &j->job.err);
    if (!rc)
        rc = leases_allow(j, j->slot->host, &changes);
    mesh_changes_fini(&changes);
    return rc ? rc : leases_follow(j, j->slot->host, r->mesh, made);
}

/* Writes down for the store what was done. What cannot be, for want of memory or as it does not fit into a message, is
 * stored as the mesh that it made. */
static void record(struct edit_job *e)
{
    struct edit_result *r = &e->result;
    struct sdd_error why;
    if (r->primitives && edits_to_proto(r->primitives, &e->base.batch, &e->base.batch_bytes, &why))
        claim_excuse();
    edit_batch_free(r->primitives);
    r->primitives = NULL;
}

static int apply(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    struct mesh_job *j = &e->base.base;
    int rc = decode_begin(j, (e->passed_over ? 4 : 2) * mesh_bytes(slot_of(job)->host));
    if (rc)
        return rc;
    rc = e->passed_over ? rebase(e) : SDD_OK;
    rc = rc ? rc : edits_apply(slot_of(job)->host, e->batch, &e->result, &job->err);
    if (!rc) {
        touched_by_edits(&j->touched, e->batch, &e->result, e->result.mesh);
        rc = leases_none(job) ? SDD_OK : heed_leases(e);
        if (rc) /* Then the step may run again. */
            edit_result_free(&e->result);
        else
            record(e);
    }
    rc = decode_end(j, rc);
    job->thing = operation_thing(slot_of(job)->info.topology_id);
    if (rc)
        return rc;
    e->base.mesh = e->result.mesh;
    e->result.mesh = NULL;
    return mesh_topology_id_update(slot_of(job)->host, e->base.mesh, &e->result.delta, e->base.info.topology_id,
                                   &job->err);
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
    const struct store_change change = {
        .principal = j->principal, .kind = "edits", .n_edits = e->batch->n_edits, .edit_kinds = edit_kinds(e->batch)};
    const struct info_state state = replace_describe(&e->base, now_ms());
    (j->media_out == MEDIA_PROTOBUF ? edit_result_proto : edit_result_json)(&j->answer, &e->base.info, &state,
                                                                            &e->result, e->passed_over);
    return replace_commit(&e->base, &change);
}

static void free_job(struct job *job)
{
    struct edit_job *e = (struct edit_job *)job;
    edit_batch_free(e->batch);
    edit_result_free(&e->result);
    mesh_free(e->made_for);
    replace_free(job);
}

/* Reads the header Subdd-Rebase. Returns false when it has answered the request with an error. */
static bool read_rebase(struct request *r, bool *out)
{
    const char *way = request_header(r, "Subdd-Rebase"), *version = request_header(r, "If-Match");
    *out = way != NULL;
    if (way && strcmp(way, "disjoint") != 0)
        answer_fail(r, SDD_EINVALID, "subdd-rebase", "Subdd-Rebase takes disjoint and nothing else");
    else if (way && strcmp(version, "*") == 0)
        answer_fail(r, SDD_EINVALID, "if-match", "Subdd-Rebase needs the version that the edits were made for, not *");
    else
        return true;
    return false;
}

void api_edits(struct request *r)
{
    static const struct step steps[] = {{ON_HOST, PHASE_PARSE, parse, NULL},
                                        {ON_STORE, PHASE_LOAD, load, skip},
                                        {ON_LOOP, -1, match, NULL},
                                        {ON_STORE, PHASE_LOAD, load_made_for, is_not_behind},
                                        {ON_LOOP, -1, step_settle_record, NULL},
                                        {ON_HOST, PHASE_APPLY, apply, NULL},
                                        {ON_DEVICE, -1, build, NULL},
                                        {ON_STORE, PHASE_COMMIT, commit, NULL},
                                        {ON_LOOP, -1, replace_adopt, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, replace_answer, free_job};
    if (!request_header(r, "If-Match")) {
        answer_fail(r, SDD_EPRECONDITION, "if-match",
                    "send If-Match with the version that the edits were made for, as in its ETag");
        return;
    }
    bool rebases;
    if (!read_rebase(r, &rebases))
        return;
    struct edit_job *e = mesh_job_create(r, sizeof *e, true);
    if (!e)
        return;
    e->rebase = rebases;
    e->base.base.evaluates = EVALUATES_EDITED;
    e->base.base.job.hands_on = true;
    mesh_job_start(r, &e->base.base, &ops);
}
