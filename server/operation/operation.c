/* SPDX-License-Identifier: Apache-2.0 */
/* operation.c: turns a request into a job and the end of the job into an answer, and has the steps that operations on a
 * mesh share, for the handlers of api/ and refine/. */
#include "server/operation/operation.h"
#include "server/base/chars.h"
#include "server/operation/idempotency.h"
#include "server/operation/people.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Estimates for bodies, until a handler knows better. */
#define HOST_NS_A_BYTE 10
#define DEVICE_NS_A_BYTE 5

static uint32_t hash_of(const void *bytes, size_t n)
{
    const uint64_t h = XXH3_64bits(bytes, n);
    return (uint32_t)(h ^ h >> 32) | 1;
}

uint64_t operation_thing(const char *topology_id)
{
    return XXH3_64bits(topology_id, strlen(topology_id)) | 1;
}

/* ---- requests and jobs ------------------------------------------------------------------------------------------- */
void operation_start(struct request *r, struct job *job, const struct job_ops *ops, struct turns *turns)
{
    const char *who = *r->principal ? r->owner : r->conn->address;
    job->request = r;
    job->deadline = r->deadline;
    job->principal = r->route->always ? 0 : hash_of(who, strlen(who)); /* Probes are the daemon's own work. */
    job->connection = hash_of(&r->conn, sizeof r->conn);
    job->bulk = r->bulk;
    r->job = job;
    job_start(service_of(r)->jobs, job, ops, turns);
}

void operation_answer(struct job *job, const struct sdd_error *err)
{
    struct request *r = job->request;
    r->job = NULL;
    if (!atomic_load(&job->cancel) && !job->late) { /* Else a step may still be running and write these. */
        memcpy(r->phases, job->phases, sizeof r->phases);
        r->refined_by = job->refined_by;
        r->prims = job->prims;
        r->conflict = job->conflict;
    }
    if (err && r->failed)
        r->failed(r, err);
    else if (err)
        answer_error(r, err);
    else
        job->ops->answer(job);
    http_answered(r);
}

void operation_waits(struct request *r)
{
    if (conn_gone(r->conn))
        job_abandon(r->job, SDD_ECANCELLED);
}

void operation_left(struct request *r)
{
    if (!r->job)
        return;
    atomic_store(&r->job->cancel, 1);
    r->job->request = NULL;
}

/* ---- jobs on a mesh ---------------------------------------------------------------------------------------------- */
/* Reads If-Match, which is *, or "7" as any representation has it ("7-pb"). The versions of the mesh are the only tags
 * that can match, so a list would be of no use. */
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
        bool whole = parse_integer(value + 1, digits, &j->expected);
        for (int media = MEDIA_JSON; media <= MEDIA_STL && whole; media <<= 1) {
            snprintf(tag, sizeof tag, "%s\"", media_suffix(media));
            if (strcmp(rest, tag) == 0)
                return true;
        }
    }
    answer_fail(r, SDD_EINVALID, "if-match", "If-Match takes one version as a tag, like \"7\", or *");
    return false;
}

/* Tells one kind of work from another, also in the next run of the daemon. */
static uint64_t work_of(const struct request *r)
{
    uint64_t h = XXH3_64bits(r->route->op, strlen(r->route->op));
    for (int i = 0; i < r->query.n; i++) {
        h = XXH3_64bits_withSeed(r->query.items[i].name, strlen(r->query.items[i].name), h);
        h = XXH3_64bits_withSeed(r->query.items[i].value, strlen(r->query.items[i].value), h);
    }
    return h;
}

static int step_number(const struct job *job)
{
    return (int)(job->step - job->ops->steps);
}

/* Before a step on the device: refuses a version in quarantine, and notes what is evaluated. The version is that of the
 * first such step, at which the job has its turn. */
static int evaluation_begin(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    struct evaluation *e = &j->evaluation;
    struct quarantine *q = job_service(job)->quarantine;
    if (!j->slot || j->evaluates == EVALUATES_OTHERS || (!e->version && !j->slot->known))
        return SDD_OK;
    if (!e->version) {
        memcpy(e->id, j->slot->id, sizeof e->id);
        e->version = j->slot->info.version;
    }
    int rc = quarantine_check(q, e->id, e->version, &job->err);
    if (!rc && j->evaluates == EVALUATES_VERSION)
        quarantine_begin(q, e, step_number(job));
    return rc;
}

static void evaluation_end(struct job *job, int rc)
{
    quarantine_end(job_service(job)->quarantine, &((struct mesh_job *)job)->evaluation, step_number(job), rc);
}

static const struct job_guard guard = {evaluation_begin, evaluation_end};

void *mesh_job_own(struct service *s, size_t bytes, const char *op, const char *workspace)
{
    struct mesh_job *j = calloc(1, bytes);
    if (!j)
        return NULL;
    j->job.jobs = s->jobs;
    j->job.guard = &guard;
    j->job.bulk = true;
    j->job.principal = hash_of(op, strlen(op));
    j->job.deadline = UINT64_MAX;
    j->evaluation.work = XXH3_64bits(op, strlen(op));
    snprintf(j->workspace, sizeof j->workspace, "%s", workspace);
    return j;
}

void mesh_job_start_own(struct mesh_job *j, struct slot *slot, const struct job_ops *ops)
{
    j->slot = slot;
    slot_use(&memory_of(&j->job)->slots, slot);
    job_start(j->job.jobs, &j->job, ops, &slot->turns);
}

/* Copies the header Subdd-Lease, if there is one. Returns false when it has answered the request with an error. */
static bool read_leases(struct request *r, char **out)
{
    const char *named = request_header(r, "Subdd-Lease");
    if (!named || !named[strspn(named, " \t")])
        return true;
    if (!leases_are_ids(named))
        answer_fail(r, SDD_EINVALID, "subdd-lease",
                    "Subdd-Lease takes ids of leases, l_ and 16 hexadecimal digits, with commas between");
    else if (!(*out = strdup(named)))
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
    else
        return true;
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
    if (!read_leases(r, &j->named_leases)) {
        idempotency_free(j->key);
        free(j);
        return NULL;
    }
    j->job.jobs = service_of(r)->jobs;
    j->job.guard = &guard;
    j->evaluation.work = work_of(r);
    j->media_in = r->media_in;
    j->media_out = r->media_out;
    j->body = r->body;
    j->body_bytes = r->body_bytes;
    memcpy(j->principal, r->principal, sizeof j->principal);
    memcpy(j->workspace, r->workspace, sizeof j->workspace);
    j->job.cost_ns[ON_HOST] = HOST_NS_A_BYTE * (int64_t)r->body_bytes;
    j->job.cost_ns[ON_DEVICE] = DEVICE_NS_A_BYTE * (int64_t)r->body_bytes;
    j->query = r->query;
    j->body_claim = r->claim;
    r->claim = 0;
    r->body = NULL; /* net/ counts it as in flight until the request ends. */
    r->query = (struct query){0};
    return j;
}

void mesh_job_free(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    struct service *s = job_service(job);
    if (job->rc >= 0)
        quarantine_survived(s->quarantine, &j->evaluation);
    claim_end(&j->claim); /* From here on the slot counts the mesh that the job made. */
    if (j->slot)
        slot_unuse(&s->memory->slots, j->slot);
    pool_release(s->jobs->reaper, &s->memory->pool, POOL_BODIES, j->body_claim, j->body, free);
    query_free(&j->query);
    idempotency_free(j->key);
    text_free(&j->touched);
    text_free(&j->answer);
    text_free(&j->warnings);
    text_free(&j->prims);
    leases_forget(j);
    free(j->named_leases);
    free(j);
}

/* Whether a record that was read is that of a mesh in another workspace. */
static bool is_hidden(const struct mesh_job *j)
{
    return j->slot->known && strcmp(j->slot->info.workspace, j->workspace) != 0;
}

/* Whether the record is known and the caller can see it. */
static bool is_known(const struct job *job)
{
    return slot_of(job)->known && !is_hidden((const struct mesh_job *)job);
}

/* Another's mesh is answered as one that is not there is by the store. */
static int hide(struct job *job)
{
    return job_fail(job, SDD_ENOT_FOUND, "id", "there is no such mesh");
}

/* Is all there that the job wants to peek at? The order matters: only what is settled may be looked at. */
static bool finds_all(struct mesh_job *j)
{
    const struct slot *slot = j->slot;
    if (!job_may_peek(&slot->turns, j->job.peeks) || !is_known(&j->job) ||
        (j->job.peeks == SETTLED_HOST && !slot->host))
        return false;
    return !j->finds || j->finds(&j->job);
}

void mesh_job_start(struct request *r, struct mesh_job *j, const struct job_ops *ops)
{
    struct sdd_error err = {0};
    int64_t version = STORE_ANY_VERSION;
    if (query_int(&j->query, "version", 1, INT64_MAX, &version, &err)) {
        answer_error(r, &err);
        ops->free(&j->job);
        return;
    }
    j->slot = slot_get(&service_of(r)->memory->slots, r->mesh, version);
    if (j->slot) {
        slot_use(&service_of(r)->memory->slots, j->slot);
        j->job.request = r;
        if (j->job.peeks && !finds_all(j))
            j->job.peeks = SETTLED_NOTHING;
        operation_start(r, &j->job, ops, &j->slot->turns);
        return;
    }
    if (strlen(r->mesh) < STORE_ID_SIZE)
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
    else
        answer_fail(r, SDD_ENOT_FOUND, "id", "there is no mesh %s", r->mesh);
    ops->free(&j->job);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */
/* Whether the caller may know what versions a mesh has of which the one that is asked for is not there. */
static bool may_see(const struct mesh_job *j)
{
    struct storage *storage = job_service(&j->job)->storage;
    struct store_info now;
    struct sdd_error none;
    return !storage_result(storage, store_find(storage->store, j->slot->id, STORE_ANY_VERSION, &now, &none)) &&
           strcmp(now.workspace, j->workspace) == 0;
}

int step_find(struct job *job)
{
    const struct mesh_job *j = (const struct mesh_job *)job;
    struct storage *storage = job_service(job)->storage;
    if (is_hidden(j))
        return hide(job);
    int rc =
        storage_result(storage, store_find(storage->store, j->slot->id, j->slot->version, &j->slot->info, &job->err));
    j->slot->known = !rc;
    return is_hidden(j) || (rc && j->slot->version != STORE_ANY_VERSION && !may_see(j)) ? hide(job) : rc;
}

bool skip_find(const struct job *job)
{
    return is_known(job);
}

int step_load(struct job *job)
{
    struct slot *slot = slot_of(job);
    int rc = is_known(job) ? SDD_OK : step_find(job);
    if (!rc)
        rc = decode_begin((struct mesh_job *)job, 0);
    if (rc)
        return rc;
    rc = storage_result(job_service(job)->storage, store_load(job_service(job)->storage->store, slot->id, slot->version,
                                                              &slot->host, &slot->info, &job->err));
    slot->known = !rc;
    return decode_end((struct mesh_job *)job, rc);
}

static bool is_current(const struct slot *slot)
{
    return slot->resident && resident_bytes(slot->resident) && slot->resident->version == slot->info.version;
}

bool skip_load(const struct job *job)
{
    return is_known(job) && slot_of(job)->host;
}
bool skip_load_resident(const struct job *job)
{
    return is_known(job) && (slot_of(job)->host || is_current(slot_of(job)));
}

int step_match(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    int64_t version = slot_of(job)->info.version;
    if (job->request)
        job->request->mesh_version = version;
    if (j->any_version || j->expected == version)
        return SDD_OK;
    int rc = job_fail(job, SDD_ESTALE, "if-match", "the mesh is at version %lld, not %lld", (long long)version,
                      (long long)j->expected);
    job->err.available = version;
    return rc;
}

void operation_author(struct mesh_job *j, const char *kind, int64_t n_edits, int64_t of)
{
    j->change = (struct store_change){j->principal, kind, n_edits, of, j->workspace, 0};
    store_author(job_service(&j->job)->storage->store, &j->change);
}

void operation_adopted(struct job *job)
{
    const struct slot *slot = slot_of(job);
    slots_forget_versions(&memory_of(job)->slots, &memory_of(job)->cache, slot->id,
                          slot->info.version + 1 - job_service(job)->config->history_versions);
}

int step_settle_record(struct job *job)
{
    job_settle(job, SETTLED_RECORD);
    return SDD_OK;
}

int step_settle(struct job *job)
{
    job_settle(job, SETTLED_HOST);
    return SDD_OK;
}

int step_unsettle(struct job *job)
{
    job_settle(job, SETTLED_NOTHING);
    return SDD_OK;
}

int ensure_resident_record(struct job *job)
{
    job->thing = operation_thing(slot_of(job)->info.topology_id);
    if (slot_of(job)->resident || (slot_of(job)->resident = resident_create()))
        return SDD_OK;
    return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
}

int ensure_resident(struct job *job)
{
    struct slot *slot = slot_of(job);
    struct residency *residency = memory_of(job)->residency;
    if (slot->resident->mesh && slot->resident->version == slot->info.version) {
        resident_touch(residency, slot->resident);
        return SDD_OK;
    }
    if (!slot->host)
        return JOB_AGAIN;
    return resident_load(residency, slot->resident, slot->host, slot->info.topology_id, slot->info.version, job->phases,
                         &job->err);
}

int build_resident(struct job *job, struct mesh *mesh, const struct resident_edit *edit, const char *topology_id,
                   int64_t version, struct resident **out)
{
    struct residency *residency = memory_of(job)->residency;
    struct sdd_topology_info topology;
    struct resident *now = slot_of(job) ? slot_of(job)->resident : NULL;
    if (!*out && !(*out = resident_create()))
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    atomic_store(&(*out)->pinned, false);
    int rc = resident_load_edited(residency, *out, edit, mesh, topology_id, version, job->phases, &job->err);
    if (rc)
        return rc;
    sdd_topology_info(resident_topology(*out), &topology);
    mesh->n_edges = topology.n_edges;
    mesh->manifold = topology.manifold;
    if (now)
        resident_inherit_pin(residency, *out, now, (int)job_service(job)->config->pinned_percent);
    residency_publish(residency);
    return SDD_OK;
}
