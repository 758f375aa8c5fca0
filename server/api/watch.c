/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c: the handler of GET /v1/meshes/{id}/watch: an answer that has a record for each version of the mesh. A
 * watcher that waits is a sleeping connection and nothing else. When the mesh changes it starts the job of refined,
 * whose frame comes from the cache for all but the first watcher of a query. It asks only when the record before has
 * been sent, so a slow client passes over the versions that were made meanwhile, and holds one frame at most. */
#include "server/api/watcher.h"
#include "server/refine/refine.h"
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 24 /* Length u64, version u64, kind u32, zero u32; little-endian. */

enum record { RECORD_BEAT, RECORD_WHOLE, RECORD_DELTA, RECORD_GONE, RECORD_PROBLEM };

struct frame_watcher {
    struct watcher base;
    struct cached *frame; /* The frame or delta that is being sent, referenced, or NULL. */
    struct text problem;  /* The problem document that is being sent. */
    unsigned char head[HEAD_BYTES];
    size_t head_left;              /* How many bytes of the head, */
    int64_t body_left;             /* and how many of what follows it are not sent yet. */
    int64_t seen;                  /* The newest version that the client has or is being sent; 0 for none. */
    bool deltas;                   /* The client takes deltas, */
    char base_key[CACHE_KEY_SIZE]; /* and has the frame of this key in the cache; "" at first. */
    bool stale;                    /* There may be a newer version. */
    bool again;                    /* The queue had no place; the next tick sets `stale`. */
};

static void put(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

/* Begins a record. The one before has been sent. */
static void begin_record(struct frame_watcher *w, enum record kind, int64_t bytes)
{
    put(w->head, (uint64_t)bytes, 8);
    put(w->head + 8, (uint64_t)w->seen, 8);
    put(w->head + 16, kind, 4);
    put(w->head + 20, 0, 4);
    w->head_left = HEAD_BYTES;
    w->body_left = bytes;
    watcher_sends(&w->base);
}

static void end_record(struct frame_watcher *w)
{
    if (w->frame)
        cached_unref(&w->base.service->memory->cache, w->frame);
    w->frame = NULL;
}

/* What is busy now is tried again; everything else ends the stream. A frame that is being sent is cut off. */
static void fail(struct watcher *base, const struct sdd_error *err)
{
    struct frame_watcher *w = (struct frame_watcher *)base;
    if (err->code == SDD_EBUSY || err->code == SDD_ETOO_MANY) {
        w->again = true;
        return;
    }
    if (w->head_left || w->body_left) {
        base->gone |= !base->last;
        return;
    }
    end_record(w);
    base->last = true;
    if (err->code == SDD_ENOT_FOUND) {
        begin_record(w, RECORD_GONE, 0);
        return;
    }
    problem_json(&w->problem, err, NULL, NULL, base->request->id);
    begin_record(w, RECORD_PROBLEM, w->problem.failed ? 0 : (int64_t)w->problem.bytes);
}

/* Has the frame of the present version made or found, which may have happened when this returns. The job takes the
 * query over, so it is read again each time. */
static void ask(struct frame_watcher *w)
{
    struct request *r = w->base.request;
    const char *rest = r->conn->target + r->conn->head.path_bytes;
    struct sdd_error err = {0};
    w->stale = false;
    r->deadline = conn_now() + (uint64_t)(r->net->config->request_deadline * 1e9);
    query_free(&r->query);
    if (query_parse(&r->query, *rest ? rest + 1 : NULL, r->route->query, r->route->options, &err))
        fail(&w->base, &err);
    else
        refined_for_watcher(r, w->seen, w->deltas, w->base_key);
    if (r->response != w->base.response)
        w->base.last = true; /* Memory was out before there was a job, and the error cannot be sent any more. */
}

static ssize_t give_head(struct frame_watcher *w, char *out, size_t max)
{
    const size_t n = w->head_left < max ? w->head_left : max;
    memcpy(out, w->head + HEAD_BYTES - w->head_left, n);
    w->head_left -= n;
    return (ssize_t)n;
}

static ssize_t give_body(struct frame_watcher *w, char *out, size_t max)
{
    const size_t n = (uint64_t)w->body_left < max ? (size_t)w->body_left : max;
    if (w->frame)
        payload_read(&w->frame->payload, w->frame->payload.bytes - w->body_left, out, n);
    else
        memcpy(out, w->problem.data + (int64_t)w->problem.bytes - w->body_left, n);
    w->body_left -= (int64_t)n;
    return (ssize_t)n;
}

static ssize_t read_record(struct watcher *base, char *out, size_t max)
{
    struct frame_watcher *w = (struct frame_watcher *)base;
    if (!w->head_left && !w->body_left) {
        end_record(w);
        if (!base->last && w->stale && !base->request->job)
            ask(w);
    }
    if (w->head_left)
        return give_head(w, out, max);
    return w->body_left ? give_body(w, out, max) : 0;
}

static void beat(struct watcher *base)
{
    begin_record((struct frame_watcher *)base, RECORD_BEAT, 0);
}

static bool tick(struct watcher *base)
{
    struct frame_watcher *w = (struct frame_watcher *)base;
    w->stale |= w->again;
    w->again = false;
    return w->stale || w->head_left;
}

static void changed(struct watcher *base)
{
    ((struct frame_watcher *)base)->stale = true;
}

static void free_watcher(struct watcher *base)
{
    struct frame_watcher *w = (struct frame_watcher *)base;
    end_record(w);
    text_free(&w->problem);
    free(w);
}

void watcher_answer(struct job *job)
{
    const struct refine_job *refine = (const struct refine_job *)job;
    const struct frame_job *j = &refine->base;
    struct watcher *base = job->request->watcher;
    struct frame_watcher *w = (struct frame_watcher *)base;
    if ((!base->response && !watcher_begin(base)) || !j->frame || base->last)
        return;
    w->frame = refine->delta ? refine->delta : j->frame;
    cached_ref(w->frame);
    w->seen = slot_of(job)->info.version;
    if (w->deltas) {
        j->frame->based = true;
        memcpy(w->base_key, j->frame->key, sizeof w->base_key);
    }
    begin_record(w, refine->delta ? RECORD_DELTA : RECORD_WHOLE, w->frame->payload.bytes);
}

void api_watch(struct request *r)
{
    static const struct watcher_ops ops = {MEDIA_WATCH, read_record, tick, changed, beat, fail, free_watcher};
    struct sdd_error err = {0};
    int64_t since = 0;
    bool deltas = false;
    if (query_int(&r->query, "since", 0, INT64_MAX, &since, &err) || query_bool(&r->query, "deltas", &deltas, &err)) {
        answer_error(r, &err);
        return;
    }
    struct frame_watcher *w = watcher_create(r, sizeof *w, &ops);
    if (!w)
        return;
    w->seen = since;
    w->deltas = deltas;
    refined_for_watcher(r, since, deltas, "");
}
