/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c: the handler of GET /v1/meshes/{id}/watch: an answer that has a record for each version of the mesh. A
 * watcher that waits is a sleeping connection and nothing else. When the mesh changes it starts the job of refined,
 * whose frame comes from the cache for all but the first watcher of a query. It asks only when the record before has
 * been sent, so a slow client passes over the versions that were made meanwhile, and holds one frame at most. */
#include "server/api/watch.h"
#include "server/api/api.h"
#include "server/refine/refine.h"
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 24    /* Length u64, version u64, kind u32, zero u32; little-endian. */
#define BLOCK_BYTES 1024 /* Chunks are written to the buffer of the connection, so libmicrohttpd needs no large one. */

enum record { RECORD_BEAT = 0, RECORD_WHOLE = 1, RECORD_GONE = 3, RECORD_PROBLEM = 4 }; /* 2 is kept for deltas. */

struct watcher {
    struct list all;
    struct request *request; /* NULL when it is over. */
    struct service *service;
    struct MHD_Response *response; /* NULL until the answer has begun. */
    struct cached *frame;          /* The frame that is being sent, referenced, or NULL. */
    struct text problem;           /* The problem document that is being sent. */
    unsigned char head[HEAD_BYTES];
    size_t head_left;  /* How many bytes of the head, */
    int64_t body_left; /* and how many of what follows it are not sent yet. */
    int64_t seen;      /* The newest version that the client has or is being sent; 0 for none. */
    uint64_t sent_at;  /* When the last record began. */
    bool stale;        /* There may be a newer version. */
    bool again;        /* The queue had no place; the next tick sets `stale`. */
    bool asked;        /* A heartbeat asks a peer that has ended its side whether it is there. */
    bool gone;         /* The peer has left. */
    bool last;         /* The answer ends after the record that is being sent. */
};

static void put(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

static void wake(struct watcher *w)
{
    conn_enter(w->request->conn, CONN_SEND);
    http_answered(w->request);
}

/* Begins a record. The one before has been sent. */
static void begin_record(struct watcher *w, enum record kind, int64_t bytes)
{
    put(w->head, (uint64_t)bytes, 8);
    put(w->head + 8, (uint64_t)w->seen, 8);
    put(w->head + 16, kind, 4);
    put(w->head + 20, 0, 4);
    w->head_left = HEAD_BYTES;
    w->body_left = bytes;
    w->sent_at = conn_now();
    conn_enter(w->request->conn, CONN_SEND);
}

static void end_record(struct watcher *w)
{
    if (w->frame)
        cached_unref(&w->service->memory->cache, w->frame);
    w->frame = NULL;
}

/* An error after the answer has begun. What is busy now is tried again; everything else ends the stream. */
static void failed(struct request *r, const struct sdd_error *err)
{
    struct watcher *w = r->watcher;
    if (err->code == SDD_EBUSY || err->code == SDD_ETOO_MANY) {
        w->again = true;
        return;
    }
    w->last = true;
    if (err->code == SDD_ENOT_FOUND) {
        begin_record(w, RECORD_GONE, 0);
        return;
    }
    problem_json(&w->problem, err, NULL, NULL, r->id);
    begin_record(w, RECORD_PROBLEM, w->problem.failed ? 0 : (int64_t)w->problem.bytes);
}

/* Has the frame of the present version made or found, which may have happened when this returns. The job takes the
 * query over, so it is read again each time. */
static void ask(struct watcher *w)
{
    struct request *r = w->request;
    const char *rest = r->conn->target + r->conn->head.path_bytes;
    struct sdd_error err = {0};
    w->stale = false;
    r->deadline = conn_now() + (uint64_t)(r->net->config->request_deadline * 1e9);
    query_free(&r->query);
    if (query_parse(&r->query, *rest ? rest + 1 : NULL, r->route->query, r->route->options, &err))
        failed(r, &err);
    else
        refined_for_watcher(r, w->seen);
    if (r->response != w->response)
        w->last = true; /* Memory was out before there was a job, and the error cannot be sent any more. */
}

static ssize_t give_head(struct watcher *w, char *out, size_t max)
{
    const size_t n = w->head_left < max ? w->head_left : max;
    memcpy(out, w->head + HEAD_BYTES - w->head_left, n);
    w->head_left -= n;
    return (ssize_t)n;
}

static ssize_t give_body(struct watcher *w, char *out, size_t max)
{
    const size_t n = (uint64_t)w->body_left < max ? (size_t)w->body_left : max;
    if (w->frame)
        payload_read(&w->frame->payload, w->frame->payload.bytes - w->body_left, out, n);
    else
        memcpy(out, w->problem.data + (int64_t)w->problem.bytes - w->body_left, n);
    w->body_left -= (int64_t)n;
    return (ssize_t)n;
}

static ssize_t watcher_read(void *cls, uint64_t at, char *out, size_t max)
{
    struct watcher *w = cls;
    struct request *r = w->request;
    (void)at;
    if (w->gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (!w->head_left && !w->body_left) {
        end_record(w);
        if (!w->last && w->stale && !r->job)
            ask(w);
    }
    if (w->head_left || w->body_left) {
        const ssize_t n = w->head_left ? give_head(w, out, max) : give_body(w, out, max);
        r->answer_bytes += n;
        return n;
    }
    if (w->last && !r->job)
        return MHD_CONTENT_READER_END_OF_STREAM;
    conn_enter(r->conn, CONN_WORK); /* The mesh is late and not the client. */
    http_sleep(r);
    return 0;
}

static void watcher_free(void *cls)
{
    struct watcher *w = cls;
    end_record(w);
    text_free(&w->problem);
    free(w);
}

void watcher_left(struct watcher *w)
{
    list_remove(&w->all);
    metrics_add(w->service->metrics, M_WATCHERS, -1);
    w->request = NULL;
    if (!w->response)
        watcher_free(w);
}

static bool begin_answer(struct watcher *w)
{
    struct request *r = w->request;
    w->response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, watcher_read, w, watcher_free);
    if (!w->response) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return false;
    }
    r->close_after = true;
    answer_response(r, 200, w->response, -1);
    answer_header(r, "Content-Type", media_name(MEDIA_WATCH));
    answer_header(r, "Cache-Control", "no-store");
    r->failed = failed;
    return true;
}

void watcher_answer(struct job *job)
{
    const struct frame_job *j = (const struct frame_job *)job;
    struct watcher *w = job->request->watcher;
    if ((!w->response && !begin_answer(w)) || !j->frame)
        return;
    cached_ref(j->frame);
    w->frame = j->frame;
    w->seen = slot_of(job)->info.version;
    begin_record(w, RECORD_WHOLE, w->frame->payload.bytes);
}

void api_watch(struct request *r)
{
    struct sdd_error err = {0};
    int64_t since = 0;
    if (query_int(&r->query, "since", 0, INT64_MAX, &since, &err)) {
        answer_error(r, &err);
        return;
    }
    struct watcher *w = calloc(1, sizeof *w);
    if (!w) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return;
    }
    w->request = r;
    w->service = service_of(r);
    w->seen = since;
    w->sent_at = conn_now();
    r->watcher = w;
    list_append(&w->service->watchers->all, &w->all);
    metrics_add(w->service->metrics, M_WATCHERS, 1);
    refined_for_watcher(r, since);
}

/* ---- news ------------------------------------------------------------------------------------------------------- */
void watchers_tell(struct watchers *all, const char *mesh)
{
    for (struct list *at = all->all.next; at != &all->all; at = at->next) {
        struct watcher *w = CONTAINER(at, struct watcher, all);
        if (strcmp(w->request->mesh, mesh) != 0)
            continue;
        w->stale = true;
        if (w->response && w->request->asleep && !w->request->job)
            wake(w);
    }
}

/* A client that closes its socket looks like one that has only ended its own side, until it answers bytes with a reset.
 * So it gets a heartbeat at once. */
static bool wants_beat(struct watcher *w, uint64_t now)
{
    const bool ended = conn_ended(w->request->conn, &w->gone), asks = ended && !w->asked;
    w->asked = ended;
    return asks || (double)(now - w->sent_at) * 1e-9 >= WATCH_BEAT_SECONDS;
}

void watchers_tick(struct watchers *all, uint64_t now, bool ending)
{
    for (struct list *at = all->all.next; at != &all->all; at = at->next) {
        struct watcher *w = CONTAINER(at, struct watcher, all);
        w->last |= ending;
        w->stale |= w->again;
        w->again = false;
        if (!w->response || !w->request->asleep || w->request->job)
            continue;
        if (!w->last && !w->stale && wants_beat(w, now))
            begin_record(w, RECORD_BEAT, 0);
        if (w->last || w->stale || w->gone || w->head_left)
            wake(w);
    }
}
