/* SPDX-License-Identifier: Apache-2.0 */
/* meshes.c: answers the requests for /v1/meshes: create, list, show, rename, delete and read back meshes. */
#include "server/api/api.h"
#include "server/api/events.h"
#include "server/base/clock.h"
#include "server/mesh/formats/codec.h"
#include "server/mesh/topology_id.h"
#include "server/mesh/looks.h"
#include "server/operation/idempotency.h"
#include "server/operation/people.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_DEFAULT 100
#define LIST_MAX 1000
#define CAGE_NS_A_ROW 200   /* An estimate of the time to write a vertex or a face as text. */
#define CAGE_BYTES_A_ROW 64 /* The same of its bytes. */

/* ---- POST /v1/meshes -------------------------------------------------------------------------------------------- */
struct create_job {
    struct mesh_job base;
    struct mesh *mesh;
    struct mesh *authored; /* The mesh before it was reordered, kept until the library has accepted the new one. */
    bool reordered;
    int64_t bandwidth[2];
    struct resident *resident;
    struct store_info info;
    char location[64];
};

static int create_reorder(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    const char *token = query_get(&c->base.query, "reorder");
    if (!token || !strcmp(token, "none"))
        return SDD_OK;
    if (strcmp(token, "rcm"))
        return job_fail(job, SDD_EINVALID, "reorder", "reorder is none or rcm, not \"%.40s\"", token);
    c->authored = c->mesh;
    c->mesh = NULL;
    c->reordered = true;
    const int rc = decode_begin(&c->base, mesh_bytes(c->authored));
    return rc ? rc : decode_end(&c->base, mesh_reorder(c->authored, &c->mesh, c->bandwidth, &job->err));
}

static int create_parse(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    struct mesh_job *j = &c->base;
    struct losses losses = {0};
    const char *name = query_get(&j->query, "name");
    struct usda_ask ask;
    int rc = query_bool(&j->query, "strict", &losses.strict, &job->err);
    if (!rc)
        rc = usda_ask_of(&j->query, j->media_in, &ask, &job->err);
    if (!rc)
        rc = decode_begin(j, decode_usual(j));
    if (rc)
        return rc;
    int (*read)(const void *, size_t, struct mesh **, struct losses *, struct sdd_error *) =
        j->media_in & MEDIA_PROTOBUF ? mesh_from_proto
        : j->media_in & MEDIA_JSON   ? mesh_from_json
                                     : mesh_from_obj;
    rc = decode_end(j, j->media_in & MEDIA_USDA
                           ? mesh_from_usda(j->body, j->body_bytes, &ask, &c->mesh, &j->prims, &losses, &job->err)
                           : read(j->body, j->body_bytes, &c->mesh, &losses, &job->err));
    losses_print(&losses, &j->warnings);
    job->prims = j->prims.data;
    if (rc || (rc = query_options(&j->query, &c->mesh->options, &job->err)) || (rc = idempotency_digest(j)) ||
        (rc = create_reorder(job)))
        return rc;
    if (name && (rc = mesh_name_check(name, &job->err)))
        return rc;
    if (name)
        memcpy(c->mesh->name, name, strlen(name) + 1);
    rc = mesh_topology_id_keep(c->mesh, c->info.topology_id, &job->err);
    job->thing = operation_thing(c->info.topology_id);
    return rc;
}

static int create_find(struct job *job)
{
    return storage_result(job_service(job)->storage, idempotency_find((struct mesh_job *)job));
}
static bool create_skip_find(const struct job *job)
{
    return !((const struct mesh_job *)job)->key;
}

/* Puts the mesh on the device. Errors of the library name rows, and a client knows only the rows that it sent; so when
 * a reordered mesh is refused, the mesh as it was sent is tried for the sake of its error. */
static int create_build(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    struct sdd_error authored = {0};
    int rc = build_resident(job, c->mesh, NULL, c->info.topology_id, 1, &c->resident);
    if (rc == SDD_EMESH && c->authored)
        if (resident_load(memory_of(job)->residency, c->resident, c->authored, c->info.topology_id, 1, NULL,
                          &authored) == rc)
            job->err = authored;
    return rc;
}

static int create_look(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    struct mesh_looks looks;
    mesh_look(c->mesh, &looks);
    mesh_looks_print(&looks, &c->base.warnings);
    job->commit_bytes = mesh_bytes(c->mesh);
    return SDD_OK;
}

/* Writes the answer before the commit, because the commit stores it for the request's Idempotency-Key. */
static void create_describe(struct create_job *c, int64_t now)
{
    const struct mesh *m = c->mesh;
    const struct info_state state = {.residency = "device",
                                     .device_bytes = resident_bytes(c->resident),
                                     .host_bytes = mesh_bytes(m),
                                     .bandwidth = c->reordered ? c->bandwidth : NULL,
                                     .warnings = &c->base.warnings};
    memcpy(c->info.name, m->name, sizeof c->info.name);
    c->info.version = 1;
    store_info_measure(&c->info, m);
    c->info.created_ms = c->info.updated_ms = now;
    snprintf(c->location, sizeof c->location, "/v1/meshes/%s", c->info.id);
    if (c->base.media_out == MEDIA_PROTOBUF)
        info_proto(&c->base.answer, &c->info, &state);
    else {
        info_json(&c->base.answer, &c->info, &state);
        text_puts(&c->base.answer, "\n");
    }
}

static int create_commit(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    struct store_answer record;
    char tag[VERSION_TAG_SIZE];
    int64_t now = now_ms();
    int rc = store_new_id(c->info.id, &job->err);
    if (rc)
        return rc;
    if (!*c->mesh->name)
        memcpy(c->mesh->name, c->info.id, strlen(c->info.id) + 1);
    create_describe(c, now);
    if (c->base.answer.failed)
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    version_tag(tag, 1, c->base.media_out);
    operation_author(&c->base, "create", 0, 0);
    rc = store_create(job_service(job)->storage->store, c->info.id, c->mesh, now,
                      idempotency_record(&c->base, &record, 201, c->location, tag), &c->info, &job->err);
    job->committed = !rc;
    return storage_result(job_service(job)->storage, rc);
}

static int create_adopt(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    struct slot *slot = slot_get(&memory_of(job)->slots, c->info.id, STORE_ANY_VERSION);
    if (!slot)
        return SDD_OK; /* Memory is out, but the mesh is stored, and the next request finds it there. */
    slot_use(&memory_of(job)->slots, slot);
    slot->known = true;
    slot->info = c->info;
    slot->host = c->mesh;
    slot->resident = c->resident;
    c->mesh = NULL;
    c->resident = NULL;
    slot_unuse(&memory_of(job)->slots, slot);
    return SDD_OK;
}

static void create_answer(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    struct request *r = job->request;
    if (idempotency_replay(&c->base)) {
        answer_warnings(r, &c->base.warnings);
        return;
    }
    memcpy(r->mesh, c->info.id, strlen(c->info.id) + 1);
    r->mesh_version = 1;
    answer_text(r, 201, (enum media)r->media_out, &c->base.answer);
    answer_header(r, "Location", c->location);
    answer_etag(r, 1);
    answer_warnings(r, &c->base.warnings);
}

static void create_free(struct job *job)
{
    struct create_job *c = (struct create_job *)job;
    mesh_free(c->mesh);
    mesh_free(c->authored);
    resident_release(job_service(job)->jobs->compute, c->resident);
    mesh_job_free(job);
}

void api_create(struct request *r)
{
    static const struct step steps[] = {{ON_HOST, PHASE_PARSE, create_parse, NULL},
                                        {ON_STORE, PHASE_LOAD, create_find, create_skip_find},
                                        {ON_DEVICE, -1, create_build, NULL},
                                        {ON_HOST, -1, create_look, NULL},
                                        {ON_STORE, PHASE_COMMIT, create_commit, NULL},
                                        {ON_LOOP, -1, create_adopt, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, create_answer, create_free};
    struct create_job *c = mesh_job_create(r, sizeof *c, true);
    if (c)
        operation_start(r, &c->base.job, &ops, NULL);
}

/* ---- GET /v1/meshes --------------------------------------------------------------------------------------------- */
struct list_job {
    struct job job;
    char workspace[TOKEN_NAME_SIZE];
    char name[MESH_NAME_SIZE]; /* "" lists the meshes of all names. */
    char after[STORE_ID_SIZE];
    int limit, n, more;
    struct store_info *infos;
};

static int list_read(struct job *job)
{
    struct list_job *l = (struct list_job *)job;
    return storage_result(job_service(job)->storage,
                          store_list(job_service(job)->storage->store, l->workspace, *l->name ? l->name : NULL,
                                     l->after, l->limit, &l->infos, &l->n, &l->more, &job->err));
}

static void list_answer(struct job *job)
{
    struct list_job *l = (struct list_job *)job;
    info_list(job->request, l->infos, l->n, l->more);
}

static void list_free(struct job *job)
{
    free(((struct list_job *)job)->infos);
    free(job);
}

void api_list(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, list_read, NULL}, {0}};
    static const struct job_ops ops = {steps, list_answer, list_free};
    struct sdd_error err = {0};
    const char *after = query_get(&r->query, "after"), *name = query_get(&r->query, "name");
    int64_t limit = LIST_DEFAULT;
    int rc = query_int(&r->query, "limit", 1, LIST_MAX, &limit, &err);
    if (!rc && after && strlen(after) >= STORE_ID_SIZE)
        rc = sdd_fail(&err, SDD_EINVALID, "after", "after is not a mesh id");
    if (!rc && name)
        rc = mesh_name_check(name, &err);
    struct list_job *l = rc ? NULL : calloc(1, sizeof *l);
    if (!l) {
        if (!rc)
            sdd_fail(&err, SDD_ENO_MEMORY, "", "out of memory");
        answer_error(r, &err);
        return;
    }
    l->limit = (int)limit;
    memcpy(l->workspace, r->workspace, sizeof l->workspace);
    if (after)
        memcpy(l->after, after, strlen(after) + 1);
    if (name)
        memcpy(l->name, name, strlen(name) + 1);
    operation_start(r, &l->job, &ops, NULL);
}

/* ---- GET /v1/meshes/{id} ---------------------------------------------------------------------------------------- */
static void show_answer(struct job *job)
{
    struct request *r = job->request;
    struct info_state state = info_state_of(job_service(job), &slot_of(job)->info, slot_of(job));
    r->mesh_version = slot_of(job)->info.version;
    if (!answer_not_modified(r, r->mesh_version))
        answer_info(r, 200, &slot_of(job)->info, &state);
}

void api_show(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find}, {0}};
    static const struct job_ops ops = {steps, show_answer, mesh_job_free};
    struct mesh_job *j = mesh_job_create(r, sizeof *j, false);
    if (!j)
        return;
    j->job.peeks = SETTLED_RECORD;
    mesh_job_start(r, j, &ops);
}

/* ---- PATCH /v1/meshes/{id} -------------------------------------------------------------------------------------- */
struct rename_job {
    struct mesh_job base;
    bool given; /* The patch has a name. */
    char name[MESH_NAME_SIZE];
    struct store_info info; /* The record as it is afterwards. */
};

static int rename_parse(struct job *job)
{
    struct rename_job *n = (struct rename_job *)job;
    job->commit_bytes = sizeof n->info; /* The row of the mesh. */
    return name_from_json(n->base.body, n->base.body_bytes, n->name, &n->given, &job->err);
}

static bool rename_nothing(const struct job *job)
{
    return !((const struct rename_job *)job)->given;
}

static int rename_commit(struct job *job)
{
    struct rename_job *n = (struct rename_job *)job;
    operation_author(&n->base, "rename", 0, 0);
    int rc = store_rename(job_service(job)->storage->store, slot_of(job)->id, slot_of(job)->info.version, n->name,
                          now_ms(), &n->info, &job->err);
    job->committed = !rc;
    return storage_result(job_service(job)->storage, rc);
}

/* The new version has the geometry of the old one, so what is on the device stays there. */
static int rename_adopt(struct job *job)
{
    const struct store_info *info = &((const struct rename_job *)job)->info;
    struct slot *slot = slot_of(job);
    if (info->version == slot->info.version)
        return SDD_OK; /* The mesh had this name already. */
    if (slot->resident && slot->resident->version == slot->info.version)
        slot->resident->version = info->version;
    if (slot->host)
        memcpy(slot->host->name, info->name, sizeof info->name);
    slot->info = *info;
    cache_supersede(&memory_of(job)->cache, slot);
    operation_adopted(job);
    events_version(job);
    return SDD_OK;
}

static void rename_answer(struct job *job)
{
    struct info_state state = info_state_of(job_service(job), &slot_of(job)->info, slot_of(job));
    answer_info(job->request, 200, &slot_of(job)->info, &state);
}

void api_rename(struct request *r)
{
    static const struct step steps[] = {
        {ON_STORE, PHASE_LOAD, step_find, skip_find}, {ON_LOOP, -1, step_change, NULL},
        {ON_HOST, PHASE_PARSE, rename_parse, NULL},   {ON_STORE, PHASE_COMMIT, rename_commit, rename_nothing},
        {ON_LOOP, -1, rename_adopt, rename_nothing},  {0}};
    static const struct job_ops ops = {steps, rename_answer, mesh_job_free};
    struct rename_job *n = mesh_job_create(r, sizeof *n, false);
    if (n)
        mesh_job_start(r, &n->base, &ops);
}

/* ---- DELETE /v1/meshes/{id} ------------------------------------------------------------------------------------- */
/* A damaged mesh can be deleted, by a request that names no version. As its workspace is not known, that is for those
 * who are in none of a name. */
static int delete_find(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    int rc = idempotency_digest(j);
    if (!rc)
        rc = storage_result(job_service(job)->storage, idempotency_find(j));
    if (rc || skip_find(job))
        return rc;
    rc = step_find(job);
    return rc == SDD_ESTORE && j->any_version && !*j->workspace && !atomic_load(&job_service(job)->storage->broken)
               ? SDD_OK
               : rc;
}

static bool delete_find_skip(const struct job *job)
{
    return skip_find(job) && !((const struct mesh_job *)job)->key;
}

static int delete_commit(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    struct store_answer record;
    int rc = store_delete(job_service(job)->storage->store, slot_of(job)->id,
                          j->any_version ? STORE_ANY_VERSION : j->expected, idempotency_record(j, &record, 204, "", ""),
                          now_ms(), &job->err);
    job->committed = !rc;
    return storage_result(job_service(job)->storage, rc);
}

static int delete_forget(struct job *job)
{
    struct slots *slots = &memory_of(job)->slots;
    cache_forget(&memory_of(job)->cache, slot_of(job));
    slot_forget(slots, slot_of(job));
    slots_forget_versions(slots, &memory_of(job)->cache, slot_of(job)->id, INT64_MAX);
    people_forget_mesh(job_service(job)->people, slot_of(job)->id);
    (void)quarantine_lift(job_service(job)->quarantine, slot_of(job)->id, false);
    events_deleted(job);
    return SDD_OK;
}

static void delete_answer(struct job *job)
{
    if (!idempotency_replay((struct mesh_job *)job))
        answer_empty(job->request, 204);
}

void api_delete(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, delete_find, delete_find_skip},
                                        {ON_LOOP, -1, step_change_all, NULL},
                                        {ON_STORE, PHASE_COMMIT, delete_commit, NULL},
                                        {ON_LOOP, -1, delete_forget, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, delete_answer, mesh_job_free};
    struct mesh_job *j = mesh_job_create(r, sizeof *j, true);
    if (j)
        mesh_job_start(r, j, &ops);
}

/* ---- GET /v1/meshes/{id}/cage ----------------------------------------------------------------------------------- */
struct cage_job {
    struct mesh_job base;
    void *body;
    size_t bytes;
};

static int64_t cage_rows(const struct job *job)
{
    const struct store_info *info = &slot_of(job)->info;
    return (int64_t)info->n_vertices + info->n_faces;
}

static int cage_write(struct job *job)
{
    struct cage_job *c = (struct cage_job *)job;
    const struct mesh *m = slot_of(job)->host;
    int media = c->base.media_out;
    if (media == MEDIA_PROTOBUF || media == MEDIA_JSON)
        return (media == MEDIA_JSON ? mesh_to_json : mesh_to_proto)(m, &c->body, &c->bytes, &job->err);
    if (media & (MEDIA_PLY | MEDIA_GLB | MEDIA_STL))
        return mesh_to_surface(m, media_name((enum media)media), &c->body, &c->bytes, &c->base.warnings, &job->err);
    return (media == MEDIA_OBJ ? mesh_to_obj : mesh_to_usda)(m, &c->body, &c->bytes, &c->base.warnings, &job->err);
}

static int cage_encode(struct job *job)
{
    struct cage_job *c = (struct cage_job *)job;
    int rc = decode_begin(&c->base, CAGE_BYTES_A_ROW * cage_rows(job));
    if (rc)
        return rc;
    rc = cage_write(job);
    if (!rc && !claim_draw((int64_t)c->bytes))
        rc = job_fail(job, SDD_ENO_MEMORY, "", "no memory for the cage");
    return decode_end(&c->base, rc);
}

/* From here on the host copy is only read, as by a pose. */
static int cage_share(struct job *job)
{
    job->cost_ns[ON_HOST] = CAGE_NS_A_ROW * cage_rows(job);
    return job_share(job);
}

static void cage_answer(struct job *job)
{
    struct cage_job *c = (struct cage_job *)job;
    struct request *r = job->request;
    r->mesh_version = slot_of(job)->info.version;
    if (answer_not_modified(r, r->mesh_version))
        return;
    answer_taken(r, 200, (enum media)r->media_out, c->body, c->bytes);
    answer_etag(r, r->mesh_version);
    answer_warnings(r, &c->base.warnings);
    c->body = NULL;
}

static void cage_free(struct job *job)
{
    free(((struct cage_job *)job)->body);
    mesh_job_free(job);
}

void api_cage(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_load, skip_load},
                                        {ON_LOOP, -1, cage_share, NULL},
                                        {ON_HOST, PHASE_ENCODE, cage_encode, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, cage_answer, cage_free};
    struct cage_job *c = mesh_job_create(r, sizeof *c, false);
    if (!c)
        return;
    c->base.job.reader = true;
    c->base.job.peeks = SETTLED_HOST;
    mesh_job_start(r, &c->base, &ops);
}
