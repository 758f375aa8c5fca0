/* SPDX-License-Identifier: Apache-2.0 */
/* events.c: the handler of GET /v1/meshes/{id}/events, and the door by which handlers tell news (events.h). */
#include "server/api/events.h"
#include "server/api/watcher.h"
#include "server/base/chars.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_KEPT 64                   /* How many events of a mesh are kept for those that have to catch up, */
#define EVENTS_KEPT_BYTES (128 << 10)    /* and how many bytes they have together. */
#define VERSIONS_TOLD 100                /* How many versions a client is told of when it connects. */
#define SENT_BYTES (2 * EVENT_MAX_BYTES) /* A client gets no further event while this much waits to be sent to it. */

struct listener {
    struct watcher base;
    struct text out; /* What is being sent: a few events. */
    size_t sent;
    uint64_t next; /* The number of the next event. */
    int64_t seen;  /* The newest version that was told. */
};

/* ---- writing ----------------------------------------------------------------------------------------------------- */
/* An id goes with versions alone: by it a client that connects again says what it knows. */
static void write_event(struct text *out, int64_t id, const char *kind, const char *json)
{
    if (id)
        text_printf(out, "id: %lld\n", (long long)id);
    text_printf(out, "event: %s\ndata: %s\n\n", kind, json);
}

static void write_version(struct text *out, const struct store_version *v, const struct text *touched)
{
    struct text json = {0};
    version_json(&json, v, touched);
    if (json.failed)
        out->failed = true;
    else
        write_event(out, v->version, "version", json.data);
    text_free(&json);
}

/* The client has to look at the mesh itself. */
static void write_missed(struct listener *l)
{
    char json[48];
    snprintf(json, sizeof json, "{\"version\":%lld}", (long long)l->seen);
    write_event(&l->out, 0, "missed", json);
}

/* ---- the events of a mesh ---------------------------------------------------------------------------------------- */
static struct event **last_of(struct watched *m, int *n, size_t *bytes)
{
    struct event **at = &m->events;
    for (*n = 0, *bytes = 0; *at; at = &(*at)->next) {
        ++*n;
        *bytes += (*at)->bytes;
    }
    return at;
}

static const struct watcher_ops ops;

/* Adds an event, which takes the place of the oldest ones. Where memory is out, its number is missing, and all who
 * listen are told that they missed it. */
static void publish(struct watched *m, const struct text *text, int64_t version, bool last)
{
    int n;
    size_t bytes;
    struct event **end = last_of(m, &n, &bytes);
    struct event *e = text->failed ? NULL : malloc(sizeof *e + text->bytes);
    m->told++;
    if (e) {
        *e = (struct event){.number = m->told, .version = version, .last = last, .bytes = text->bytes};
        memcpy(e->text, text->data, text->bytes);
        *end = e;
        n++, bytes += e->bytes;
    }
    while (m->events && (n > EVENTS_KEPT || bytes > EVENTS_KEPT_BYTES)) {
        struct event *oldest = m->events;
        m->events = oldest->next;
        n--, bytes -= oldest->bytes;
        free(oldest);
    }
    for (struct list *at = m->watchers.next; at != &m->watchers; at = at->next)
        if (CONTAINER(at, struct watcher, of_mesh)->ops == &ops)
            watcher_wake(CONTAINER(at, struct watcher, of_mesh));
}

void events_tell(struct watchers *all, const char *mesh, const char *kind, const char *json)
{
    struct watched *m = watched_find(all, mesh);
    struct text text = {0};
    if (!m)
        return;
    if (strlen(json) > EVENT_MAX_BYTES)
        text.failed = true;
    else
        write_event(&text, 0, kind, json);
    publish(m, &text, 0, false);
    text_free(&text);
}

void events_version(struct job *job)
{
    const struct mesh_job *j = (const struct mesh_job *)job;
    const struct store_info *info = &slot_of(job)->info;
    struct watchers *all = job_service(job)->watchers;
    struct watched *m = watched_find(all, slot_of(job)->id);
    struct text text = {0};
    struct store_version v = {.version = info->version,
                              .n_edits = j->change.n_edits,
                              .of = j->change.of,
                              .updated_ms = info->updated_ms,
                              .n_vertices = info->n_vertices,
                              .n_faces = info->n_faces,
                              .edit_kinds = j->change.edit_kinds};
    if (!m)
        return;
    snprintf(v.principal, sizeof v.principal, "%s", j->principal);
    snprintf(v.kind, sizeof v.kind, "%s", j->change.kind);
    write_version(&text, &v, &j->touched);
    publish(m, &text, v.version, false);
    text_free(&text);
    watchers_tell(all, slot_of(job)->id);
}

void events_deleted(struct job *job)
{
    struct watchers *all = job_service(job)->watchers;
    struct watched *m = watched_find(all, slot_of(job)->id);
    struct text text = {0}, json = {0};
    if (!m)
        return;
    text_puts(&json, "{");
    text_member(&json, "principal", ((const struct mesh_job *)job)->principal);
    text_puts(&json, "}");
    write_event(&text, 0, "deleted", json.failed ? "{}" : json.data);
    publish(m, &text, 0, true);
    text_free(&text);
    text_free(&json);
    watchers_tell(all, slot_of(job)->id);
}

/* ---- a client ---------------------------------------------------------------------------------------------------- */
/* Writes the next events that the client does not know. */
static void take_events(struct listener *l)
{
    const struct watched *m = l->base.mesh;
    const struct event *e = m->events;
    while (e && e->number < l->next)
        e = e->next;
    for (; l->next <= m->told && l->out.bytes < SENT_BYTES && !l->base.last; l->next++) {
        const bool kept = e && e->number == l->next;
        if (!kept) {
            l->next = e ? e->number - 1 : m->told;
            write_missed(l);
            continue;
        }
        if (!e->version || e->version > l->seen)
            text_add(&l->out, e->text, e->bytes);
        l->seen = e->version > l->seen ? e->version : l->seen;
        l->base.last |= e->last;
        e = e->next;
    }
}

static bool has_more(const struct listener *l)
{
    return l->sent < l->out.bytes || (!l->base.last && l->next <= l->base.mesh->told);
}

static ssize_t read_events(struct watcher *base, char *out, size_t max)
{
    struct listener *l = (struct listener *)base;
    if (l->sent == l->out.bytes) {
        text_clear(&l->out);
        l->sent = 0;
        take_events(l);
        if (l->out.bytes)
            watcher_sends(base);
    }
    base->gone |= l->out.failed; /* Memory is out in the middle of an event. */
    const size_t left = l->out.bytes - l->sent, n = left < max ? left : max;
    if (n)
        memcpy(out, l->out.data + l->sent, n);
    l->sent += n;
    return (ssize_t)n;
}

static bool tick(struct watcher *base)
{
    return has_more((const struct listener *)base);
}

static void beat(struct watcher *base)
{
    text_puts(&((struct listener *)base)->out, ":\n\n");
}

static void fail(struct watcher *base, const struct sdd_error *err)
{
    struct listener *l = (struct listener *)base;
    struct text problem = {0};
    problem_json(&problem, err, NULL, NULL, base->request->id);
    for (size_t i = 0; i < problem.bytes; i++)
        if (problem.data[i] == '\n')
            problem.data[i] = ' ';
    write_event(&l->out, 0, "problem", problem.failed ? "{}" : problem.data);
    text_free(&problem);
    base->last = true;
}

static void free_listener(struct watcher *base)
{
    text_free(&((struct listener *)base)->out);
    free(base);
}

static const struct watcher_ops ops = {MEDIA_EVENTS, read_events, tick, NULL, beat, fail, free_listener};

/* ---- GET /v1/meshes/{id}/events ---------------------------------------------------------------------------------- */
struct events_job {
    struct mesh_job base;
    int64_t since;
    int n, more;
    struct store_version *list; /* The latest first. */
};

static int read_versions(struct job *job)
{
    struct events_job *e = (struct events_job *)job;
    struct storage *storage = job_service(job)->storage;
    const bool known = e->since && e->since <= slot_of(job)->info.version;
    return storage_result(storage, store_history(storage->store, slot_of(job)->id, INT64_MAX, known ? VERSIONS_TOLD : 1,
                                                 &e->list, &e->n, &e->more, &job->err));
}

/* Tells the versions since the one that the client knows, or else the present one. */
static void tell_past(struct listener *l, const struct events_job *e)
{
    const struct store_info *info = &e->base.slot->info;
    const bool known = e->since && e->since <= info->version;
    int n = 0;
    l->seen = known ? e->since : 0;
    while (n < e->n && e->list[n].version > l->seen)
        n++;
    if (known && n && e->list[n - 1].version > l->seen + 1)
        write_missed(l);
    while (n--)
        write_version(&l->out, &e->list[n], NULL);
    l->seen = info->version;
}

static void begin_answer(struct job *job)
{
    struct listener *l = (struct listener *)job->request->watcher;
    job->request->mesh_version = slot_of(job)->info.version;
    tell_past(l, (const struct events_job *)job);
    if (!watcher_begin(&l->base))
        return;
    answer_header(job->request, "X-Accel-Buffering", "no"); /* Proxies of nginx's kind would keep events back. */
}

static void free_job(struct job *job)
{
    free(((struct events_job *)job)->list);
    mesh_job_free(job);
}

static int read_since(struct request *r, int64_t *since, struct sdd_error *err)
{
    const char *id = request_header(r, "Last-Event-ID");
    if (query_int(&r->query, "since", 0, INT64_MAX, since, err))
        return err->code;
    if (id && *id && !parse_integer(id, strlen(id), since))
        return sdd_fail(err, SDD_EINVALID, "last-event-id", "Last-Event-ID is the id of an event, which is a version");
    return SDD_OK;
}

void api_events(struct request *r)
{
    static const struct step steps[] = {
        {ON_STORE, PHASE_LOAD, step_find, skip_find}, {ON_STORE, PHASE_LOAD, read_versions, NULL}, {0}};
    static const struct job_ops job_ops = {steps, begin_answer, free_job};
    struct sdd_error err = {0};
    int64_t since = 0;
    if (read_since(r, &since, &err)) {
        answer_error(r, &err);
        return;
    }
    struct listener *l = watcher_create(r, sizeof *l, &ops);
    struct events_job *e = l ? mesh_job_create(r, sizeof *e, false) : NULL;
    if (!e)
        return;
    l->next = l->base.mesh->told + 1; /* What is told while the job runs is not missed. */
    e->since = since;
    e->base.job.reader = true;
    mesh_job_start(r, &e->base, &job_ops);
}
