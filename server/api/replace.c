/* SPDX-License-Identifier: Apache-2.0 */
/* replace.c: what jobs that make a whole new version of a mesh have in common (replace.h). */
#include "server/api/replace.h"
#include "server/api/events.h"
#include "server/operation/idempotency.h"
#include "server/operation/people.h"
#include <stdlib.h>
#include <string.h>

int replace_build(struct replace_job *r, const struct resident_edit *edit)
{
    const struct resident *now = r->base.slot->resident;
    int rc =
        build_resident(&r->base.job, r->mesh, edit, r->info.topology_id, r->base.slot->info.version + 1, &r->resident);
    r->base.job.commit_bytes = mesh_bytes(r->mesh);
    r->unpinned = !rc && now && atomic_load(&now->pinned) && !atomic_load(&r->resident->pinned);
    return rc;
}

struct info_state replace_describe(struct replace_job *r, int64_t now)
{
    const struct mesh *m = r->mesh;
    char topology_id[MESH_TOPOLOGY_ID_SIZE];
    memcpy(topology_id, r->info.topology_id, sizeof topology_id);
    r->info = r->base.slot->info;
    memcpy(r->info.topology_id, topology_id, sizeof topology_id);
    memcpy(r->info.name, m->name, sizeof r->info.name);
    r->info.version++;
    store_info_measure(&r->info, m);
    r->info.updated_ms = now;
    return (struct info_state){.pinned = r->base.slot->pinned && !r->unpinned,
                               .residency = "device",
                               .device_bytes = resident_bytes(r->resident),
                               .host_bytes = mesh_bytes(m)};
}

int replace_commit(struct replace_job *r, const struct store_change *change)
{
    struct job *job = &r->base.job;
    struct store *store = job_service(job)->storage->store;
    struct store_answer record;
    char tag[VERSION_TAG_SIZE];
    if (r->base.answer.failed)
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    version_tag(tag, r->info.version, r->base.media_out);
    r->base.change = *change;
    store_author(store, change);
    const struct store_edit edit = {r->mesh, r->info.topology_id, r->batch, (int64_t)r->batch_bytes, r->as};
    int rc = store_edit(store, slot_of(job)->id, slot_of(job)->info.version, &edit, r->info.updated_ms,
                        idempotency_record(&r->base, &record, 200, "", tag), &r->info, &job->err);
    job->committed = !rc;
    rc = storage_result(job_service(job)->storage, rc);
    if (!rc && r->unpinned) /* Where that fails it is pinned again after a restart, if there is room. */
        (void)storage_result(job_service(job)->storage,
                             store_pin(store, slot_of(job)->id, false, &(bool){false}, &(struct sdd_error){0}));
    return rc;
}

int replace_adopt(struct job *job)
{
    struct replace_job *r = (struct replace_job *)job;
    struct slot *slot = slot_of(job);
    cache_supersede(&memory_of(job)->cache, slot);
    resident_release(job_service(job)->jobs->compute, slot->resident);
    slot->resident = r->resident;
    r->resident = NULL;
    slot_drop_host(&memory_of(job)->slots, slot);
    slot->host = r->mesh;
    r->mesh = NULL;
    slot->info = r->info;
    if (r->unpinned) {
        slot->pinned = false;
        log_event(job_service(job)->net->log, LOG_WARNING, "pins",
                  "mesh %s is no longer pinned: its version %lld takes more of the device than --pinned-percent leaves",
                  slot->id, (long long)slot->info.version);
    }
    operation_adopted(job);
    events_version(job);
    leases_adopt(&r->base);
    return SDD_OK;
}

void replace_answer(struct job *job)
{
    struct replace_job *r = (struct replace_job *)job;
    struct request *request = job->request;
    if (idempotency_replay(&r->base))
        return;
    request->mesh_version = r->info.version;
    answer_text(request, 200, (enum media)request->media_out, &r->base.answer);
    answer_etag(request, r->info.version);
}

void replace_free(struct job *job)
{
    struct replace_job *r = (struct replace_job *)job;
    mesh_free(r->mesh);
    free(r->batch);
    resident_release(job_service(job)->jobs->compute, r->resident);
    mesh_job_free(job);
}
