/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c: the ring of pieces between the compute thread and a socket, for frames that are made while they are sent.
 * The loop asks the compute thread for a piece and sends it; with the next request it returns the pieces that were
 * sent to the compute thread, which alone may free them. */
#include "server/refine/stream.h"
#include "server/refine/refine.h"
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    sdd_result *result; /* NULL when there is no piece. */
    int64_t at, end;    /* The piece has bytes [at, end) of the frame. */
    const unsigned char *data;
};
struct pieces {
    int n;
    struct piece row[STREAM_PIECES];
};

struct stream {
    struct task task; /* The task that makes a piece, and at last the one that frees the stream. */
    struct list all;
    struct service *service;
    struct request *request; /* NULL before the answer begins and after it is over. */
    struct payload payload;
    int64_t first, ring_bytes; /* The byte of the frame that the answer begins with, and what frames_sending counts. */
    int64_t rows;              /* The rows of a piece. */
    int64_t next_row, end_row; /* Rows [next_row, end_row) have not been requested yet. */
    struct pieces ready, drained;
    bool busy, closed, failed;
    atomic_int cancel;
    /* The compute thread owns the rest while `busy` is set. */
    sdd_mesh *mesh;
    sdd_plan *plan; /* The plan of the whole block, from which each piece derives a plan of its rows. */
    int64_t first_row, n_rows;
    struct pieces freed;
    struct piece made;
    enum metric vertices;
    double phases[N_PHASES];
    struct sdd_error err;
    int rc;
};

/* ---- on the compute thread --------------------------------------------------------------------------------- */
static void free_pieces(struct pieces *p)
{
    for (int i = 0; i < p->n; i++)
        sdd_result_free(p->row[i].result);
    p->n = 0;
}

static void destroy(struct task *task, void *user)
{
    struct stream *s = CONTAINER(task, struct stream, task);
    struct service *service = user;
    free_pieces(&s->ready);
    free_pieces(&s->drained);
    free_pieces(&s->freed);
    sdd_result_free(s->made.result);
    sdd_mesh_free(s->mesh);
    sdd_plan_free(s->plan);
    payload_fini(&s->payload);
    residency_publish(service->memory->residency);
    atomic_fetch_sub(&service->memory->frames_sending, s->ring_bytes);
    metrics_add(service->metrics, M_STREAMS, -1);
    free(s);
}

/* Makes the piece that begins with first_row. */
static void make(struct stream *s, const atomic_int *cancel)
{
    struct service *service = s->service;
    const int64_t at = s->payload.blocks[0].offset + s->first_row * STREAM_ROW_BYTES;
    const struct sdd_run how = {cancel, 1};
    sdd_plan *rows;
    memset(s->phases, 0, sizeof s->phases);
    s->rc = sdd_plan_create_for_rows(s->plan, s->first_row, s->n_rows, &rows, &s->err);
    if (s->rc)
        return;
    do
        s->rc = sdd_refine(s->mesh, rows, &how, &s->made.result, &s->err);
    while (s->rc == SDD_ENO_MEMORY && residency_make_room(service->memory->residency, NULL, s->err.needed));
    sdd_plan_free(rows);
    if (s->rc == SDD_ENO_MEMORY)
        metrics_add(service->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    residency_publish(service->memory->residency);
    if (s->rc)
        return;
    const struct sdd_result_info *info = sdd_result_info(s->made.result);
    s->made.at = at;
    s->made.end = at + info->plan.blocks[0].bytes;
    s->made.data = info->plan.blocks[0].data;
    s->phases[PHASE_REFINE] = info->refine_seconds;
    s->phases[PHASE_DIGEST] = info->digest_seconds;
    s->phases[PHASE_DOWNLOAD] = info->download_seconds;
    metrics_add(service->metrics, s->vertices, s->n_rows);
    if (executor_was_paused(service->jobs->compute))
        return;
    estimate_learn(service->estimate, info->plan.method, info->plan.blocks[0].bytes,
                   info->refine_seconds + info->digest_seconds + info->download_seconds);
}

static void arrived(struct task *task, void *user);

static void make_next(struct task *task, void *user)
{
    struct stream *s = CONTAINER(task, struct stream, task);
    (void)user;
    free_pieces(&s->freed);
    make(s, &s->cancel);
    s->task.run = arrived;
    jobs_hand_over(s->service->jobs, &s->task);
}

/* Takes the next rows, at most those of a piece. Returns false when there are none. */
static bool take_rows(struct stream *s)
{
    const int64_t left = s->end_row - s->next_row;
    s->first_row = s->next_row;
    s->n_rows = left < s->rows ? left : s->rows;
    s->next_row += s->n_rows;
    return s->n_rows > 0;
}

static void take_made(struct stream *s)
{
    s->ready.row[s->ready.n++] = s->made;
    s->made = (struct piece){0};
}

static void lay_out(struct stream *s, int64_t first, int64_t length, int64_t rows)
{
    const int64_t block = s->payload.blocks[0].offset, begin = first > block ? first - block : 0;
    const int64_t end = first + length > block ? first + length - block : 0;
    s->first = first;
    s->rows = rows;
    s->next_row = begin / STREAM_ROW_BYTES;
    s->end_row = (end + STREAM_ROW_BYTES - 1) / STREAM_ROW_BYTES;
    s->ring_bytes = (s->end_row - s->next_row) * STREAM_ROW_BYTES;
    if (s->ring_bytes > STREAM_PIECES * rows * STREAM_ROW_BYTES)
        s->ring_bytes = STREAM_PIECES * rows * STREAM_ROW_BYTES;
}

int stream_create(struct service *service, const struct stream_ask *ask, double phases[N_PHASES], const char **by,
                  struct stream **out, struct sdd_error *err)
{
    struct stream *s = calloc(1, sizeof *s);
    struct payload payload = ask->payload;
    *out = NULL;
    if (!s) {
        sdd_mesh_free(ask->mesh);
        sdd_plan_free(ask->plan);
        payload_fini(&payload);
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    }
    s->service = service;
    s->mesh = ask->mesh;
    s->payload = payload;
    s->plan = ask->plan;
    s->task.claim = ask->claim;
    s->task.claim.cancel = &s->cancel;
    s->task.claim.cost_ns = (int64_t)(1e9 * estimate_any(service->estimate, ask->rows * STREAM_ROW_BYTES));
    s->vertices = (enum metric)(M_REFINED_CATMULL_CLARK + ask->scheme);
    lay_out(s, ask->first, ask->length, ask->rows);
    atomic_fetch_add(&service->memory->frames_sending, s->ring_bytes);
    metrics_add(service->metrics, M_STREAMS, 1);
    if (take_rows(s)) {
        make(s, ask->cancel);
        *by = s->rc ? NULL : sdd_result_info(s->made.result)->by;
        take_made(s);
    }
    for (int p = 0; p < N_PHASES; p++)
        phases[p] += s->phases[p];
    if (s->rc) {
        const int rc = s->rc;
        *err = s->err;
        destroy(&s->task, service);
        return rc;
    }
    *out = s;
    return SDD_OK;
}

/* ---- on the loop ------------------------------------------------------------------------------------------- */
static void bury(struct stream *s)
{
    list_remove(&s->all);
    s->task.run = destroy;
    s->task.claim = (struct fair_claim){0};
    executor_post(s->service->jobs->compute, &s->task);
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
    if (s->busy || s->failed || s->ready.n == STREAM_PIECES || !take_rows(s))
        return;
    s->busy = true;
    s->freed = s->drained;
    s->drained.n = 0;
    s->task.run = make_next;
    executor_post(s->service->jobs->compute, &s->task);
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

void stream_fail(struct stream *s)
{
    s->failed = true;
    atomic_store(&s->cancel, 1);
    wake(s);
}

void stream_waits(struct stream *s)
{
    const struct conn *c = s->request->conn;
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
    const int64_t at = s->first + (int64_t)offset, block = s->payload.blocks[0].offset;
    const unsigned char *from = s->payload.head + at;
    int64_t left = block - at;
    if (left <= 0) {
        drain(s, at);
        const struct piece *p = s->ready.row;
        from = s->ready.n ? p->data + (at - p->at) : NULL;
        left = s->ready.n ? p->end - at : 0;
    }
    if (s->failed)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (left <= 0) { /* The device is late, not the client. */
        conn_enter(s->request->conn, CONN_WORK);
        http_sleep(s->request);
        return 0;
    }
    const size_t n = (uint64_t)left < max ? (size_t)left : max;
    if (!conn_give(s->request->conn, out, from, n))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    s->request->answer_bytes += (int64_t)n;
    return (ssize_t)n;
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
    struct MHD_Response *response =
        MHD_create_response_from_callback((uint64_t)length, ANSWER_BLOCK, read_piece, s, close_response);
    if (!response)
        return NULL;
    s->request = r;
    r->stream = s;
    list_append(&s->service->sending->streams, &s->all);
    ask_next(s);
    return response;
}
