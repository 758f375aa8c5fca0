/* SPDX-License-Identifier: Apache-2.0 */
/* watcher.c: answers without an end, for watch.c and events.c (watcher.h): who watches which mesh, heartbeats, and how
 * the answers begin and end. */
#include "server/api/watcher.h"
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 1024 /* Chunks are written to the buffer of the connection, so libmicrohttpd needs no large one. */

void watchers_init(struct watchers *all)
{
    *all = (struct watchers){0};
    list_init(&all->all);
}

void watchers_fini(struct watchers *all)
{
    table_fini(&all->meshes);
}

/* ---- which mesh is watched --------------------------------------------------------------------------------------- */
struct watched *watched_find(const struct watchers *all, const char *mesh)
{
    struct table_node *node = table_find(&all->meshes, mesh);
    return node ? CONTAINER(node, struct watched, node) : NULL;
}

static struct watched *watched_get(struct watchers *all, const char *mesh)
{
    struct watched *m = watched_find(all, mesh);
    if (m || !(m = calloc(1, sizeof *m)))
        return m;
    snprintf(m->id, sizeof m->id, "%s", mesh);
    list_init(&m->watchers);
    if (table_add(&all->meshes, &m->node, m->id))
        return m;
    free(m);
    return NULL;
}

static void watched_left(struct watchers *all, struct watched *m)
{
    if (!list_empty(&m->watchers))
        return;
    table_remove(&all->meshes, &m->node);
    for (struct event *e = m->events; e; e = m->events) {
        m->events = e->next;
        free(e);
    }
    free(m);
}

/* ---- one watcher ------------------------------------------------------------------------------------------------- */
void *watcher_create(struct request *r, size_t bytes, const struct watcher_ops *ops)
{
    struct watcher *w = calloc(1, bytes);
    struct watchers *all = service_of(r)->watchers;
    if (!w || !(w->mesh = watched_get(all, r->mesh))) {
        free(w);
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return NULL;
    }
    w->ops = ops;
    w->request = r;
    w->service = service_of(r);
    w->sent_at = conn_now();
    r->watcher = w;
    list_append(&all->all, &w->all);
    list_append(&w->mesh->watchers, &w->of_mesh);
    metrics_add(w->service->metrics, M_WATCHERS, 1);
    return w;
}

void watcher_left(struct watcher *w)
{
    list_remove(&w->all);
    list_remove(&w->of_mesh);
    watched_left(w->service->watchers, w->mesh);
    w->mesh = NULL;
    metrics_add(w->service->metrics, M_WATCHERS, -1);
    w->request = NULL;
    if (!w->response)
        w->ops->free(w);
}

void watcher_sends(struct watcher *w)
{
    w->sent_at = conn_now();
    conn_enter(w->request->conn, CONN_SEND);
}

void watcher_wake(struct watcher *w)
{
    if (!w->response || !w->request->asleep || w->request->job)
        return;
    conn_enter(w->request->conn, CONN_SEND);
    http_answered(w->request);
}

static ssize_t give(void *cls, uint64_t at, char *out, size_t max)
{
    struct watcher *w = cls;
    struct request *r = w->request;
    (void)at;
    const ssize_t n = w->gone ? 0 : w->ops->read(w, out, max);
    if (w->gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    r->answer_bytes += n;
    if (n)
        return n;
    if (w->last && !r->job)
        return MHD_CONTENT_READER_END_OF_STREAM;
    conn_enter(r->conn, CONN_WORK); /* The mesh is late and not the client. */
    http_sleep(r);
    return 0;
}

static void release(void *cls)
{
    struct watcher *w = cls;
    w->ops->free(w);
}

/* An error after the answer has begun. */
static void failed(struct request *r, const struct sdd_error *err)
{
    r->watcher->ops->fail(r->watcher, err);
}

bool watcher_begin(struct watcher *w)
{
    struct request *r = w->request;
    w->response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, give, w, release);
    if (!w->response) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return false;
    }
    r->close_after = true;
    conn_hold_little(r->conn);
    answer_response(r, 200, w->response, -1);
    answer_header(r, "Content-Type", media_name(w->ops->media));
    answer_header(r, "Cache-Control", "no-store");
    r->failed = failed;
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */
void watchers_tell(struct watchers *all, const char *mesh)
{
    struct watched *m = watched_find(all, mesh);
    for (struct list *at = m ? m->watchers.next : NULL; m && at != &m->watchers; at = at->next) {
        struct watcher *w = CONTAINER(at, struct watcher, of_mesh);
        if (!w->ops->changed)
            continue;
        w->ops->changed(w);
        watcher_wake(w);
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
        bool sends = w->ops->tick(w);
        if (!w->response || !w->request->asleep || w->request->job)
            continue;
        if (!w->last && !sends && wants_beat(w, now)) {
            w->ops->beat(w);
            watcher_sends(w);
            sends = true;
        }
        if (w->last || sends || w->gone)
            watcher_wake(w);
    }
}

void watchers_recheck(struct watchers *all, const struct auth *auth)
{
    struct sdd_error err = {0};
    sdd_fail(&err, SDD_EUNAUTHORIZED, "authorization", "the token is not valid any more; ask again with one that is");
    for (struct list *at = all->all.next; at != &all->all; at = at->next) {
        struct watcher *w = CONTAINER(at, struct watcher, all);
        if (w->last || auth_knows(auth, request_header(w->request, "Authorization"), w->request->workspace,
                                  w->request->route->scope))
            continue;
        if (w->response)
            w->ops->fail(w, &err);
        w->last = true;
        watcher_wake(w);
    }
}
