/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c: the ring of pieces between the thread that makes them and a socket. The loop asks for a piece and sends it;
 * with the next request it returns the pieces that were sent to that thread, which alone may free them. */
#include "server/refine/stream.h"
#include "server/refine/refine.h"
#include <microhttpd.h>
#include <string.h>

/* ---- on the thread that makes pieces -------------------------------------------------------------------------- */
static void free_pieces(struct stream *s, struct stream_pieces *p)
{
    for (int i = 0; i < p->n; i++)
        s->kind->free_piece(p->row[i].made);
    p->n = 0;
}

static void destroy(struct task *task, void *user)
{
    struct stream *s = CONTAINER(task, struct stream, task);
    struct service *service = user;
    free_pieces(s, &s->ready);
    free_pieces(s, &s->drained);
    free_pieces(s, &s->freed);
    s->kind->free_piece(s->made.made);
    pool_give(&service->memory->pool, POOL_FRAMES, s->claim);
    metrics_add(service->metrics, M_STREAMS, -1);
    s->kind->free(s);
}

static void make(struct stream *s, const atomic_int *cancel)
{
    memset(s->phases, 0, sizeof s->phases);
    s->kind->make(s, cancel);
}

static void arrived(struct task *task, void *user);

static void make_next(struct task *task, void *user)
{
    struct stream *s = CONTAINER(task, struct stream, task);
    (void)user;
    free_pieces(s, &s->freed);
    if (s->evaluation.version)
        quarantine_begin(s->service->quarantine, &s->evaluation, QUARANTINE_STREAM);
    make(s, &s->cancel);
    quarantine_end(s->service->quarantine, &s->evaluation, QUARANTINE_STREAM, s->rc);
    s->task.run = arrived;
    jobs_hand_over(s->service->jobs, &s->task);
}

static void take_made(struct stream *s)
{
    s->ready.row[s->ready.n++] = s->made;
    s->made = (struct stream_piece){0};
}

int stream_begin(struct stream *s, struct service *service, struct executor *executor, const atomic_int *cancel,
                 double phases[N_PHASES], struct sdd_error *err)
{
    s->service = service;
    s->executor = executor;
    s->task.claim.cancel = &s->cancel;
    metrics_add(service->metrics, M_STREAMS, 1);
    if (s->kind->take(s)) {
        make(s, cancel);
        take_made(s);
    }
    for (int p = 0; p < N_PHASES; p++)
        phases[p] += s->phases[p];
    if (!s->rc)
        return SDD_OK;
    const int rc = s->rc;
    *err = s->err;
    destroy(&s->task, service);
    return rc;
}

/* ---- on the loop ------------------------------------------------------------------------------------------- */
static void bury(struct stream *s)
{
    list_remove(&s->all);
    if (s->whole && !s->rc)
        quarantine_survived(s->service->quarantine, &s->evaluation);
    if (s->kind->leave)
        s->kind->leave(s);
    s->task.run = destroy;
    s->task.claim = (struct fair_claim){0};
    executor_post(s->executor, &s->task);
}

void stream_close(struct stream *s)
{
    if (!s)
        return;
    s->closed = true;
    atomic_store(&s->cancel, 1);
    if (!s->busy)
        bury(s);
}

/* Requests the next piece, when there is one and the ring has room for it. */
static void ask_next(struct stream *s)
{
    if (s->busy || s->failed || s->ready.n == STREAM_PIECES)
        return;
    if (!s->kind->take(s)) {
        s->whole = true;
        return;
    }
    s->busy = true;
    s->freed = s->drained;
    s->drained.n = 0;
    s->task.run = make_next;
    executor_post(s->executor, &s->task);
}

static void wake(struct stream *s)
{
    struct request *r = s->request;
    if (!r || !r->asleep)
        return;
    conn_enter(r->conn, CONN_SEND);
    http_answered(r);
}

static void arrived(struct task *task, void *user)
{
    struct stream *s = CONTAINER(task, struct stream, task);
    (void)user;
    s->busy = false;
    jobs_report(s->service->jobs, s->rc);
    if (s->rc)
        s->failed = true;
    else
        take_made(s);
    for (int p = 0; p < N_PHASES; p++)
        if (s->phases[p] > 0)
            metrics_phase(s->service->metrics, (enum phase)p, s->phases[p]);
    if (s->closed) {
        bury(s);
        return;
    }
    ask_next(s);
    wake(s);
}

/* Ends the connection before the end of the body. */
static void stream_fail(struct stream *s)
{
    s->failed = true;
    atomic_store(&s->cancel, 1);
    wake(s);
}

void stream_waits(struct stream *s)
{
    struct conn *c = s->request->conn;
    if (conn_gone(c) || (double)(conn_now() - c->since) * 1e-9 > s->service->config->request_deadline)
        stream_fail(s);
}

void streams_fail(struct sending *sending)
{
    for (struct list *at = sending->streams.next; at != &sending->streams; at = at->next)
        stream_fail(CONTAINER(at, struct stream, all));
}

void stream_left(struct stream *s)
{
    s->request = NULL;
    atomic_store(&s->cancel, 1);
}

/* Pieces that have been read whole make room for others. */
static void drain(struct stream *s, int64_t at)
{
    while (s->ready.n && at >= s->ready.row[0].end) {
        s->drained.row[s->drained.n++] = s->ready.row[0];
        memmove(s->ready.row, s->ready.row + 1, (size_t)--s->ready.n * sizeof s->ready.row[0]);
    }
    ask_next(s);
}

static ssize_t read_piece(void *cls, uint64_t offset, char *out, size_t max)
{
    struct stream *s = cls;
    const int64_t at = s->first + (int64_t)offset;
    const unsigned char *from = s->head + at;
    int64_t left = s->head_bytes - at;
    if (left <= 0) {
        drain(s, at);
        const struct stream_piece *p = s->ready.row;
        from = s->ready.n ? p->data + (at - p->at) : NULL;
        left = s->ready.n ? p->end - at : 0;
    }
    if (s->failed)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (left <= 0 && !s->busy)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (left <= 0) { /* The thread that makes pieces is late, not the client. */
        conn_enter(s->request->conn, CONN_WORK);
        http_sleep(s->request);
        return 0;
    }
    const size_t n = (uint64_t)left < max ? (size_t)left : max;
    const ssize_t given = conn_give(s->request->conn, out, from, n);
    if (given < 0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    s->request->answer_bytes += given;
    return given;
}

static void close_response(void *cls)
{
    struct stream *s = cls;
    if (s->request)
        s->request->stream = NULL;
    s->request = NULL;
    stream_close(s);
}

struct MHD_Response *stream_response(struct stream *s, int64_t length, struct request *r)
{
    struct MHD_Response *response = MHD_create_response_from_callback(length < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)length,
                                                                      ANSWER_BLOCK, read_piece, s, close_response);
    if (!response)
        return NULL;
    s->request = r;
    r->stream = s;
    list_append(&s->service->sending->streams, &s->all);
    ask_next(s);
    return response;
}
