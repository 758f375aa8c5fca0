/* SPDX-License-Identifier: Apache-2.0 */
/* subd_watch.c: takes apart the records of GET watch, which it makes frames of, and the lines of GET events, for users
 * of libsubd. Both are answers that go on, so their bytes are looked at as they come. */
#include "subd_internal.h"
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS ((size_t)512 << 10) /* Of a problem document, or of a line of an event. */
#define WATCH_TYPE "application/vnd.subdd.watch"
#define EVENTS_TYPE "text/event-stream"

enum { BEAT, WHOLE, DELTA, GONE, PROBLEM };

static int next(subd_client *c, int rc);

/* Frees what is left of one that has ended, or that the client is closed in the middle of. */
static void drop(subd_client *c)
{
    struct subd_watching *w = &c->watching;
    if (w->in_frame) {
        w->parser.failure = w->parser.failure ? w->parser.failure : SUBD_ECANCELLED;
        subd_frame_end(&w->parser);
    }
    free(w->path);
    free(w->json);
    free(w->body.data);
    memset(w, 0, sizeof *w);
}

/* Adds to the body, whose memory grows with the bytes that have come, whatever the server says will. */
static int keep(struct subd_watching *w, const char *data, size_t n, size_t most)
{
    struct subd_bytes *b = &w->body;
    size_t room = b->room ? b->room : 4096;
    char *grown;
    if (n > most - b->bytes)
        return subd_fail(w->err, SUBD_EPROTOCOL, "the server's news have more than %zu bytes", most);
    while (room < b->bytes + n + 1)
        room *= 2;
    if (room != b->room) {
        if (!(grown = realloc(b->data, room)))
            return subd_fail(w->err, SUBD_ENO_MEMORY, "no memory for %zu bytes of news", room);
        b->data = grown;
        b->room = room;
    }
    memcpy(b->data + b->bytes, data, n);
    b->bytes += n;
    b->data[b->bytes] = 0;
    return SUBD_OK;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes; i--;)
        v = v << 8 | at[i];
    return v;
}

static int begin_record(struct subd_watching *w, int64_t max_frame_bytes)
{
    const uint64_t bytes = number(w->head, 8), version = number(w->head + 8, 8);
    w->kind = (uint32_t)number(w->head + 16, 4);
    if (bytes > INT64_MAX || version > INT64_MAX || number(w->head + 20, 4))
        return subd_fail(w->err, SUBD_EPROTOCOL, "the head of a record cannot be read");
    w->bytes = w->left = (int64_t)bytes;
    w->version = (int64_t)version;
    w->body.bytes = 0;
    if ((w->kind == WHOLE || w->kind == DELTA) && w->bytes > max_frame_bytes)
        return subd_fail(w->err, SUBD_EPROTOCOL,
                         "a frame has %lld bytes, above this client's limit of %lld (max_frame_bytes)",
                         (long long)w->bytes, (long long)max_frame_bytes);
    if (w->kind != WHOLE)
        return SUBD_OK;
    w->in_frame = 1;
    const int rc = subd_frame_begin(&w->parser, &w->refine, w->bytes, w->frame, w->err);
    w->parser.roomy = !w->watch.no_deltas;
    return rc;
}

/* The frame holds another version. */
static int tell(struct subd_watching *w, int64_t base)
{
    const struct subd_news news = {.version = w->version, .base = base, .bytes = w->bytes};
    if (w->frame->version != w->version)
        return subd_fail(w->err, SUBD_EPROTOCOL, "version %lld was told, the frame has version %lld",
                         (long long)w->version, (long long)w->frame->version);
    w->mistrusted = 0;
    w->ended = w->watch.changed(w->watch.arg, w->frame, &news) != 0;
    return w->ended ? SUBD_ECANCELLED : SUBD_OK;
}

static int end_record(subd_client *c)
{
    struct subd_watching *w = &c->watching;
    const int64_t base = w->frame->version;
    int rc;
    w->head_bytes = 0;
    switch (w->kind) {
    case WHOLE:
        w->in_frame = 0;
        rc = subd_frame_end(&w->parser);
        return rc == SUBD_OK ? tell(w, 0) : rc;
    case DELTA:
        rc = subd_delta_apply(w->frame, &w->refine, w->version, c->config.max_frame_bytes, w->body.data, w->body.bytes,
                              &w->unheard);
        if (rc != SUBD_OK && (rc != SUBD_EDIGEST || w->mistrusted) && w->err)
            *w->err = w->unheard;
        return rc == SUBD_OK ? tell(w, base) : rc;
    case GONE:
        return subd_failed_problem(w->err, 404,
                                   "{\"code\":\"not_found\",\"field\":\"id\",\"detail\":\"the mesh was deleted\"}");
    case PROBLEM: return subd_failed_problem(w->err, 500, w->body.data ? w->body.data : "");
    default: return SUBD_OK; /* A heartbeat, or what later daemons send. */
    }
}

static int take(struct subd_watching *w, const char *data, size_t n, int64_t max_frame_bytes)
{
    if (w->kind == WHOLE)
        return subd_frame_feed(&w->parser, data, n);
    if (w->kind == DELTA)
        return keep(w, data, n, (size_t)max_frame_bytes);
    return w->kind == PROBLEM ? keep(w, data, n, MAX_WORDS) : SUBD_OK;
}

static int feed_records(subd_client *c, const char *data, size_t bytes)
{
    struct subd_watching *w = &c->watching;
    int rc = SUBD_OK;
    while (bytes && rc == SUBD_OK) {
        const int in_head = w->head_bytes < sizeof w->head;
        const uint64_t want = in_head ? sizeof w->head - w->head_bytes : (uint64_t)w->left;
        const size_t n = bytes < want ? bytes : (size_t)want;
        if (in_head) {
            memcpy(w->head + w->head_bytes, data, n);
            w->head_bytes += n;
            if (w->head_bytes == sizeof w->head)
                rc = begin_record(w, c->config.max_frame_bytes);
        } else {
            rc = take(w, data, n, c->config.max_frame_bytes);
            w->left -= (int64_t)n;
        }
        if (rc == SUBD_OK && w->head_bytes == sizeof w->head && !w->left)
            rc = end_record(c);
        data += n;
        bytes -= n;
    }
    return rc;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */
static int take_line(struct subd_watching *w, const char *line)
{
    struct subd_mesh_event *e = &w->event;
    if (strncmp(line, "id: ", 4) == 0)
        e->version = strtoll(line + 4, NULL, 10);
    else if (strncmp(line, "event: ", 7) == 0)
        subd_copy_text(e->kind, sizeof e->kind, line + 7);
    else if (strncmp(line, "data: ", 6) == 0) {
        free(w->json);
        if (!(w->json = strdup(line + 6)))
            return subd_fail(w->err, SUBD_ENO_MEMORY, "no memory for an event");
        subd_copy_text(w->json, strlen(line + 6) + 1, line + 6);
    }
    if (*line || !w->json)
        return SUBD_OK;
    e->json = w->json;
    w->ended = w->events.heard(w->events.arg, e) != 0;
    *e = (struct subd_mesh_event){0};
    free(w->json);
    w->json = NULL;
    return w->ended ? SUBD_ECANCELLED : SUBD_OK;
}

static int feed_events(subd_client *c, const char *data, size_t bytes)
{
    struct subd_watching *w = &c->watching;
    while (bytes) {
        const char *end = memchr(data, '\n', bytes);
        const size_t n = end ? (size_t)(end - data) : bytes;
        int rc = keep(w, data, n, MAX_WORDS);
        if (rc == SUBD_OK && end)
            rc = take_line(w, w->body.data);
        if (rc != SUBD_OK)
            return rc;
        if (end)
            w->body.bytes = 0;
        data += n + (end != NULL);
        bytes -= n + (end != NULL);
    }
    return SUBD_OK;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */
static int begin_watch(subd_client *c)
{
    struct subd_watching *w = &c->watching;
    struct subd_request q = {.method = "GET", .accept = WATCH_TYPE, .feed = feed_records, .then = next};
    subd_text_add(&q.path, "%s%s", w->path, w->watch.no_deltas ? "" : "&deltas=true");
    if (w->frame->n_blocks)
        subd_text_add(&q.path, "&since=%lld", (long long)w->frame->version);
    w->head_bytes = 0;
    return subd_request_start(c, &q, w->err);
}

static int next(subd_client *c, int rc)
{
    struct subd_watching *w = &c->watching;
    struct subd_error *err = w->err;
    const int ended = w->ended;
    if (rc == SUBD_EDIGEST && w->kind == DELTA && !w->mistrusted) {
        w->mistrusted = 1;
        w->frame->n_blocks = 0;
        rc = begin_watch(c);
        if (rc == SUBD_PENDING)
            return rc;
    }
    drop(c);
    if (ended)
        return SUBD_OK;
    return rc == SUBD_OK ? subd_fail(err, SUBD_ENETWORK, "the daemon ended the stream; ask again") : rc;
}

/* What has no request that `next` could follow is dropped here. */
static int ended(subd_client *c, int rc)
{
    if (rc < 0 && !c->call.active)
        drop(c);
    return rc;
}

int subd_watch(subd_client *c, const char *id, const struct subd_refine *r, const struct subd_watch *watch,
               struct subd_frame *frame, struct subd_error *err)
{
    struct subd_text path = {0};
    struct subd_refine refine;
    struct subd_watch own;
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r, watch, frame)) || (rc = SUBD_TAKE(&own, watch, subd_watch, err)))
        return rc;
    if (c->call.active)
        return subd_fail(err, SUBD_EUSAGE, "this client has a call under way");
    if (!own.changed)
        return subd_fail(err, SUBD_EUSAGE, "changed is NULL; nobody would hear of new versions");
    if ((rc = subd_refine_take(&refine, r, &path, id, "/watch", err)))
        return rc;
    if (refine.sink || refine.at || refine.if_none_match) {
        free(path.data);
        return subd_fail(err, SUBD_EUSAGE, "a watch has no sink, no if_none_match and no earlier version");
    }
    if (path.failed) {
        free(path.data);
        return subd_fail(err, SUBD_EUSAGE, "the request's address is too long");
    }
    c->watching = (struct subd_watching){
        .refine = refine, .watch = own, .frame = frame, .err = err, .path = path.data, .drop = drop};
    return ended(c, begin_watch(c));
}

int subd_events(subd_client *c, const char *id, const struct subd_events *events, struct subd_error *err)
{
    struct subd_request q = {.method = "GET", .accept = EVENTS_TYPE, .feed = feed_events, .then = next};
    struct subd_events own;
    int rc;
    if ((rc = SUBD_NEED(err, c, id, events)) || (rc = SUBD_TAKE(&own, events, subd_events, err)) ||
        (rc = subd_check_version(own.since, err)))
        return rc;
    if (c->call.active)
        return subd_fail(err, SUBD_EUSAGE, "this client has a call under way");
    if (!own.heard)
        return subd_fail(err, SUBD_EUSAGE, "heard is NULL; nobody would hear of events");
    subd_text_mesh_path(&q.path, id, "/events");
    if (own.since)
        subd_text_add(&q.path, "?since=%lld", (long long)own.since);
    c->watching = (struct subd_watching){.events = own, .err = err, .drop = drop};
    return ended(c, subd_request_start(c, &q, err));
}
