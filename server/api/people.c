/* SPDX-License-Identifier: Apache-2.0 */
/* people.c: answers requests about who is at a mesh: leases, /v1/meshes/{id}/leases and .../leases/{lease}, and
 * presence, /v1/meshes/{id}/presence. */
#include "server/operation/people.h"
#include "server/api/api.h"
#include "server/mesh/formats/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEASE_SECONDS = 60, PRESENCE_SECONDS = 30, FACES_LISTED = 1000, RENEWAL_BYTES = 1024 };
enum { FACES_OF_ALL = 16384 }; /* Of all leases of a mesh that an answer lists, as many each. */

/* ---- leases ------------------------------------------------------------------------------------------------------ */
static void answer_lease(struct request *r, int status, const struct lease *l)
{
    struct text body = {0};
    lease_json(&body, l, FACES_LISTED);
    text_puts(&body, "\n");
    answer_text(r, status, MEDIA_JSON, &body);
    answer_header(r, "Cache-Control", "no-store");
}

struct lease_job {
    struct mesh_job base;
    struct lease_ask ask;
    int64_t next_face_id;
    struct lease *lease;
};

static int lease_parse(struct job *job)
{
    struct lease_job *l = (struct lease_job *)job;
    int rc = decode_begin(&l->base, decode_usual(&l->base));
    if (rc)
        return rc;
    return decode_end(&l->base,
                      lease_from_json(l->base.body, l->base.body_bytes, LEASE_MAX_SECONDS, &l->ask, &job->err));
}

static bool lease_load_skip(const struct job *job)
{
    return ((const struct lease_job *)job)->ask.n_faces ? skip_load(job) : skip_find(job);
}

static int lease_load(struct job *job)
{
    return ((const struct lease_job *)job)->ask.n_faces ? step_load(job) : step_find(job);
}

/* Puts the faces in order, each once, and checks that the mesh has them. */
static int lease_faces(struct job *job)
{
    struct lease_ask *a = &((struct lease_job *)job)->ask;
    const struct mesh *m = slot_of(job)->host;
    int64_t n = 0, found = 0;
    ((struct lease_job *)job)->next_face_id = m->next_face_id;
    qsort(a->faces, (size_t)a->n_faces, sizeof *a->faces, mesh_compare_ids);
    for (int64_t i = 0; i < a->n_faces; i++)
        if (i == 0 || a->faces[i] != a->faces[n - 1])
            a->faces[n++] = a->faces[i];
    a->n_faces = n;
    unsigned char *there = mesh_alloc(n, 1, &job->err);
    if (!there)
        return SDD_ENO_MEMORY;
    memset(there, 0, (size_t)n);
    for (int64_t f = 0; f < m->n_faces; f++) {
        const int32_t *at = bsearch(&m->face_ids[f], a->faces, (size_t)n, sizeof *at, mesh_compare_ids);
        if (at)
            there[at - a->faces] = 1, found++;
    }
    int64_t first = 0;
    while (first < n && there[first])
        first++;
    free(there);
    if (first == n)
        return SDD_OK;
    return job_fail(job, SDD_EQUERY, "faces", "the mesh has no face %d; %lld of the %lld that are named are not there",
                    a->faces[first], (long long)(n - found), (long long)n);
}

static bool lease_faces_skip(const struct job *job)
{
    return !((const struct lease_job *)job)->ask.n_faces;
}

/* Others may hold leases on other faces alone. The turn at the mesh keeps them from taking more until this one is. */
static int lease_check(struct job *job)
{
    return leases_check((struct mesh_job *)job, !((const struct lease_job *)job)->ask.n_faces);
}

static int lease_meet(struct job *job)
{
    const struct lease_ask *a = &((const struct lease_job *)job)->ask;
    return leases_allow((struct mesh_job *)job, slot_of(job)->host,
                        &(struct mesh_changes){.n_faces = a->n_faces, .faces = a->faces});
}

static int lease_take(struct job *job)
{
    struct lease_job *l = (struct lease_job *)job;
    const struct mesh_job *j = &l->base;
    if (!(l->lease = calloc(1, sizeof *l->lease)))
        return job_fail(job, SDD_ENO_MEMORY, "", "out of memory");
    l->lease->refs = 1; /* The job's. */
    memcpy(l->lease->mesh, slot_of(job)->id, sizeof l->lease->mesh);
    memcpy(l->lease->workspace, j->workspace, sizeof l->lease->workspace);
    memcpy(l->lease->principal, j->principal, sizeof l->lease->principal);
    memcpy(l->lease->client, l->ask.client, sizeof l->lease->client);
    l->lease->faces = l->ask.faces;
    l->lease->n_faces = l->ask.n_faces;
    l->lease->next_face_id = l->next_face_id;
    l->ask.faces = NULL;
    return lease_begin(job_service(job)->people, l->lease, l->ask.seconds, &job->err);
}

static void lease_answer(struct job *job)
{
    const struct lease *l = ((const struct lease_job *)job)->lease;
    char location[STORE_ID_SIZE + LEASE_ID_SIZE + 32];
    answer_lease(job->request, 201, l);
    snprintf(location, sizeof location, "/v1/meshes/%s/leases/%s", l->mesh, l->id);
    answer_header(job->request, "Location", location);
}

static void lease_free(struct job *job)
{
    struct lease_job *l = (struct lease_job *)job;
    free(l->ask.faces);
    lease_unref(l->lease);
    mesh_job_free(job);
}

void api_lease(struct request *r)
{
    static const struct step steps[] = {{ON_HOST, PHASE_PARSE, lease_parse, NULL},
                                        {ON_STORE, PHASE_LOAD, lease_load, lease_load_skip},
                                        {ON_HOST, PHASE_PARSE, lease_faces, lease_faces_skip},
                                        {ON_LOOP, -1, lease_check, NULL},
                                        {ON_HOST, PHASE_PARSE, lease_meet, leases_none_of_others},
                                        {ON_LOOP, -1, lease_take, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, lease_answer, lease_free};
    struct lease_job *l = mesh_job_create(r, sizeof *l, false);
    if (!l)
        return;
    l->ask.seconds = LEASE_SECONDS;
    mesh_job_start(r, &l->base, &ops);
}

static bool is_lease_of(const struct lease *l, const char *mesh)
{
    return strcmp(l->mesh, mesh) == 0 && lease_seconds_left(l);
}

static void leases_answer(struct job *job)
{
    const struct people *p = job_service(job)->people;
    const char *mesh = slot_of(job)->id;
    struct text body = {0};
    bool first = true;
    int64_t n = 0;
    for (struct list *at = p->leases.next; at != &p->leases; at = at->next)
        n += is_lease_of(CONTAINER(at, struct lease, all), mesh);
    const int64_t listed = n * FACES_LISTED > FACES_OF_ALL ? FACES_OF_ALL / n : FACES_LISTED;
    text_puts(&body, "{\"leases\":[");
    for (struct list *at = p->leases.next; at != &p->leases; at = at->next) {
        const struct lease *l = CONTAINER(at, struct lease, all);
        if (!is_lease_of(l, mesh))
            continue;
        text_puts(&body, first ? "" : ",");
        lease_json(&body, l, listed);
        first = false;
    }
    text_puts(&body, "]}\n");
    answer_text(job->request, 200, MEDIA_JSON, &body);
    answer_header(job->request, "Cache-Control", "no-store");
}

/* Answers a question that needs nothing of the mesh but that it is there. */
static void ask(struct request *r, const struct job_ops *ops)
{
    struct mesh_job *j = mesh_job_create(r, sizeof *j, false);
    if (!j)
        return;
    j->job.peeks = SETTLED_RECORD;
    j->job.reader = true;
    mesh_job_start(r, j, ops);
}

void api_leases(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find}, {0}};
    static const struct job_ops ops = {steps, leases_answer, mesh_job_free};
    ask(r, &ops);
}

/* The lease in the request's path, if the caller holds it; else it answers with an error. */
static struct lease *held(struct request *r)
{
    size_t n;
    const char *path = request_path(r, &n), *slash = memrchr(path, '/', n);
    const size_t id_bytes = n - (size_t)(slash + 1 - path);
    struct lease *l = lease_find(service_of(r)->people, r->mesh, slash + 1, id_bytes);
    if (!l || !lease_seconds_left(l) || strcmp(l->workspace, r->workspace) != 0)
        answer_fail(r, SDD_ENOT_FOUND, "lease", "mesh %s has no lease of this id; it may have ended", r->mesh);
    else if (strcmp(l->principal, r->principal) != 0)
        answer_fail(r, SDD_EFORBIDDEN, "lease", "lease %s belongs to %s", l->id, l->principal);
    else
        return l;
    return NULL;
}

void api_lease_renew(struct request *r)
{
    struct lease_ask ask = {.seconds = LEASE_SECONDS};
    struct sdd_error err = {0};
    struct lease *l = held(r);
    int rc = SDD_OK;
    if (!l)
        return;
    if (r->body_bytes > RENEWAL_BYTES) {
        rc = sdd_fail(&err, SDD_ETOO_LARGE, "body", "a renewal says seconds and has at most %d bytes", RENEWAL_BYTES);
        err.needed = (int64_t)r->body_bytes;
        err.available = RENEWAL_BYTES;
    } else
        rc = lease_from_json(r->body, r->body_bytes, LEASE_MAX_SECONDS, &ask, &err);
    if (!rc && (ask.faces || *ask.client))
        rc = sdd_fail(&err, SDD_EINVALID, ask.faces ? "faces" : "client",
                      "a renewal says seconds alone; take another lease for other faces");
    free(ask.faces);
    if (rc) {
        answer_error(r, &err);
        return;
    }
    lease_renew(service_of(r)->people, l, ask.seconds);
    answer_lease(r, 200, l);
}

void api_lease_end(struct request *r)
{
    struct lease *l = held(r);
    if (!l)
        return;
    lease_end(service_of(r)->people, l);
    answer_empty(r, 204);
}

/* ---- presence ---------------------------------------------------------------------------------------------------- */
struct presence_job {
    struct mesh_job base;
    struct present told;
};

static int presence_set(struct job *job)
{
    struct presence_job *p = (struct presence_job *)job;
    if (p->told.conn && !job->request)
        return SDD_OK; /* The connection is gone already. */
    if (p->told.conn)
        job->request->conn->tied = true;
    memcpy(p->told.mesh, slot_of(job)->id, sizeof p->told.mesh);
    return present_set(job_service(job)->people, &p->told, &job->err);
}

static void presence_answer(struct job *job)
{
    answer_empty(job->request, 204);
}

/* Reads the name that a client gives itself. */
static int read_client(const struct query *q, char client[PEOPLE_CLIENT_SIZE], struct sdd_error *err)
{
    const char *name = query_get(q, "client");
    const size_t n = name ? strlen(name) : 0;
    if (n < PEOPLE_CLIENT_SIZE) {
        memcpy(client, name ? name : "", n + 1);
        return SDD_OK;
    }
    int rc = sdd_fail(err, SDD_EINVALID, "client", "client has at most %d bytes", PEOPLE_CLIENT_SIZE - 1);
    err->available = PEOPLE_CLIENT_SIZE - 1;
    return rc;
}

static int read_presence(struct request *r, struct present *out, struct sdd_error *err)
{
    int64_t seconds = PRESENCE_SECONDS;
    const char *tied = query_get(&r->query, "connection");
    int rc = read_client(&r->query, out->client, err);
    if (!rc)
        rc = query_int(&r->query, "seconds", 1, PRESENCE_MAX_SECONDS, &seconds, err);
    if (!rc && tied && strcmp(tied, "true") != 0 && strcmp(tied, "false") != 0)
        rc = sdd_fail(err, SDD_EINVALID, "connection", "connection takes true or false");
    if (!rc && r->body_bytes > PRESENCE_MAX_BYTES) {
        rc = sdd_fail(err, SDD_ETOO_LARGE, "body", "presence has at most %d bytes of JSON", PRESENCE_MAX_BYTES);
        err->needed = (int64_t)r->body_bytes;
        err->available = PRESENCE_MAX_BYTES;
    }
    if (!rc)
        rc = json_line(r->body, r->body_bytes, out->state, err);
    out->until = uv_hrtime() + (uint64_t)seconds * 1000000000u;
    out->conn = tied && strcmp(tied, "true") == 0 ? r->conn : NULL;
    memcpy(out->principal, r->principal, sizeof out->principal);
    return rc;
}

void api_presence_set(struct request *r)
{
    static const struct step steps[] = {
        {ON_STORE, PHASE_LOAD, step_find, skip_find}, {ON_LOOP, -1, presence_set, NULL}, {0}};
    static const struct job_ops ops = {steps, presence_answer, mesh_job_free};
    struct present told = {0};
    struct sdd_error err = {0};
    if (read_presence(r, &told, &err)) {
        answer_error(r, &err);
        return;
    }
    struct presence_job *p = mesh_job_create(r, sizeof *p, false);
    if (!p)
        return;
    p->told = told;
    p->base.job.reader = true;
    mesh_job_start(r, &p->base, &ops);
}

static void presence_list(struct job *job)
{
    const struct people *p = job_service(job)->people;
    const uint64_t now = uv_hrtime();
    struct text body = {0};
    bool first = true;
    text_puts(&body, "{\"present\":[");
    for (struct list *at = p->present.next; at != &p->present; at = at->next) {
        const struct present *x = CONTAINER(at, struct present, all);
        if (strcmp(x->mesh, slot_of(job)->id) != 0 || x->until <= now)
            continue;
        text_puts(&body, first ? "{" : ",{");
        text_member(&body, "principal", x->principal);
        text_member(&body, "client", x->client);
        text_member_int(&body, "seconds", (int64_t)((x->until - now + 999999999u) / 1000000000u));
        text_key(&body, "state");
        text_puts(&body, x->state);
        text_puts(&body, "}");
        first = false;
    }
    text_puts(&body, "]}\n");
    answer_text(job->request, 200, MEDIA_JSON, &body);
    answer_header(job->request, "Cache-Control", "no-store");
}

void api_presence(struct request *r)
{
    static const struct step steps[] = {{ON_STORE, PHASE_LOAD, step_find, skip_find}, {0}};
    static const struct job_ops ops = {steps, presence_list, mesh_job_free};
    ask(r, &ops);
}

void api_presence_end(struct request *r)
{
    struct people *p = service_of(r)->people;
    char client[PEOPLE_CLIENT_SIZE];
    struct sdd_error err = {0};
    if (read_client(&r->query, client, &err)) {
        answer_error(r, &err);
        return;
    }
    for (struct list *at = p->present.next; at != &p->present; at = at->next) {
        struct present *x = CONTAINER(at, struct present, all);
        if (strcmp(x->mesh, r->mesh) != 0 || strcmp(x->principal, r->principal) != 0 || strcmp(x->client, client) != 0)
            continue;
        present_end(p, x);
        answer_empty(r, 204);
        return;
    }
    answer_fail(r, SDD_ENOT_FOUND, "client", "nobody of this name is at mesh %s", r->mesh);
}
