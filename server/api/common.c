/* SPDX-License-Identifier: Apache-2.0 */
/* api_common.c: steps that several resources share. */
#include "server/api/api.h"
#include "server/base/chars.h"
#include "server/resident/residency.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If-Match: "7" (or as another representation has it, "7-pb") or *. Mesh versions are the only tags that can match, so
 * a list has no use here. */
static bool read_match(struct request *r, struct mesh_job *j)
{
    const char *value = request_header(r, "If-Match");
    size_t n = value ? strlen(value) : 0;
    j->any_version = !value || strcmp(value, "*") == 0;
    if (j->any_version)
        return true;
    if (n > 2 && value[0] == '"' && value[n - 1] == '"') {
        size_t digits = strspn(value + 1, "0123456789");
        const char *rest = value + 1 + digits;
        char tag[VERSION_TAG_SIZE];
        bool whole = parse_whole(value + 1, digits, &j->expected);
        for (int media = MEDIA_JSON; media <= MEDIA_USDA && whole; media <<= 1) {
            snprintf(tag, sizeof tag, "%s\"", media_suffix(media));
            if (strcmp(rest, tag) == 0)
                return true;
        }
    }
    answer_fail(r, SDD_EINVALID, "if-match", "If-Match takes one version as a tag, like \"7\", or *");
    return false;
}

void *mesh_job_create(struct request *r, size_t bytes, bool with_key)
{
    const char *key = with_key ? request_header(r, "Idempotency-Key") : NULL;
    struct mesh_job *j = calloc(1, bytes);
    if (!j) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return NULL;
    }
    if (!read_match(r, j) || (key && !(j->key = idempotency_create(r, key)))) {
        free(j);
        return NULL;
    }
    j->job.server = r->server;
    j->media_in = r->media_in;
    j->media_out = r->media_out;
    j->body = r->body;
    j->body_bytes = r->body_bytes;
    j->query = r->query;
    r->body = NULL; /* still counted in flight until the request ends */
    r->query = (struct query){0};
    return j;
}

void mesh_job_fini(struct mesh_job *j)
{
    executor_release(j->job.server->host, j->body, (int64_t)j->body_bytes, free);
    query_free(&j->query);
    idempotency_free(j->key);
    text_free(&j->answer);
    text_free(&j->warnings);
}

void mesh_job_start(struct request *r, struct mesh_job *j, const struct job_ops *ops)
{
    struct slot *slot = slot_get(&r->server->slots, r->mesh);
    if (slot) {
        job_start(r->server, &j->job, ops, r, slot);
        return;
    }
    if (strlen(r->mesh) < STORE_ID_SIZE)
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
    else
        answer_fail(r, SDD_ENOT_FOUND, "id", "there is no mesh %s", r->mesh);
    ops->free(&j->job);
}

int step_find(struct job *job)
{
    int rc = storage_result(&job->server->storage,
                            store_find(job->server->storage.store, job->slot->id, &job->slot->info, &job->err));
    job->slot->known = !rc;
    return rc;
}

bool skip_find(const struct job *job)
{
    return job->slot->known;
}

int step_load(struct job *job)
{
    struct slot *slot = job->slot;
    int rc = storage_result(&job->server->storage,
                            store_load(job->server->storage.store, slot->id, &slot->host, &slot->info, &job->err));
    slot->known = !rc;
    return rc;
}

static bool is_current(const struct slot *slot)
{
    return slot->resident && resident_bytes(slot->resident) && slot->resident->version == slot->info.version;
}

bool skip_load(const struct job *job)
{
    return job->slot->known && job->slot->host;
}
bool skip_load_resident(const struct job *job)
{
    return job->slot->known && (job->slot->host || is_current(job->slot));
}

int step_match(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    int64_t version = job->slot->info.version;
    if (job->request)
        job->request->mesh_version = version;
    if (j->any_version || j->expected == version)
        return SDD_OK;
    metrics_add(&job->server->metrics, M_EDIT_CONFLICTS, 1);
    int rc = job_fail(job, SDD_ESTALE, "if-match", "the mesh is at version %lld, not %lld", (long long)version,
                      (long long)j->expected);
    job->err.available = version;
    return rc;
}

int ensure_resident_record(struct job *job)
{
    if (job->slot->resident || (job->slot->resident = resident_create()))
        return SDD_OK;
    return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
}

int ensure_resident(struct job *job)
{
    struct slot *slot = job->slot;
    struct residency *residency = job->server->residency;
    if (slot->resident->mesh && slot->resident->version == slot->info.version) {
        resident_touch(residency, slot->resident);
        return SDD_OK;
    }
    if (!slot->host)
        return JOB_AGAIN;
    return resident_load(residency, slot->resident, slot->host, slot->info.topology_id, slot->info.version, job->phases,
                         &job->err);
}
