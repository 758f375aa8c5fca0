/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: sends the answers of refined, pose and patches: a frame from the memory that it was computed to, or one
 * that is made while it is sent. */
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_BYTES (32 << 10) /* Frames up to this size go out in one write with their headers. */

struct sender {              /* The reference of one answer to a frame. */
    struct request *request; /* It lives while the answer is read, and may end before the sender. */
    struct service *service;
    struct cached *frame;
    int64_t first;
    struct list late; /* Linked into sending->late while it waits. */
};

/* Lets the answer sleep until more of its frame arrives. The connection counts as at work meanwhile, because the device
 * is late and not the client. */
static ssize_t wait_for_more(struct sender *s)
{
    if (s->service->sending->cut || s->frame->lost)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    list_append(&s->service->sending->late, &s->late);
    conn_enter(s->request->conn, CONN_WORK);
    http_sleep(s->request);
    return 0;
}

void answers_wake(struct sending *sending)
{
    while (!list_empty(&sending->late)) {
        struct sender *s = CONTAINER(sending->late.next, struct sender, late);
        list_remove(&s->late);
        conn_enter(s->request->conn, CONN_SEND);
        http_answered(s->request);
    }
}

void answers_cut(struct sending *sending)
{
    sending->cut = true;
    answers_wake(sending);
}

static ssize_t sender_read(void *cls, uint64_t at, char *out, size_t max)
{
    struct sender *s = cls;
    const struct payload *f = &s->frame->payload;
    const int64_t first = s->first + (int64_t)at, left = atomic_load(&s->frame->there) - first;
    const size_t n = left > 0 && (uint64_t)left < max ? (size_t)left : max;
    int64_t contiguous;
    if (left <= 0)
        return wait_for_more(s);
    const void *from = payload_span(f, first, &contiguous);
    if (!from || (uint64_t)contiguous < n) {
        payload_read(f, first, out, n);
        from = out;
    }
    const ssize_t given = conn_give(s->request->conn, out, from, n);
    if (given < 0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    s->request->answer_bytes += given;
    return given;
}

static void sender_free(void *cls)
{
    struct sender *s = cls;
    list_remove(&s->late);
    cached_unref(&s->service->memory->cache, s->frame);
    free(s);
}

static struct MHD_Response *copy_response(const struct payload *f, int64_t first, int64_t length)
{
    void *bytes = malloc((size_t)length + 1);
    if (!bytes)
        return NULL;
    payload_read(f, first, bytes, (size_t)length);
    return MHD_create_response_from_buffer((size_t)length, bytes, MHD_RESPMEM_MUST_FREE);
}

static struct MHD_Response *sender_response(struct request *r, struct cached *frame, int64_t first, int64_t length)
{
    struct sender *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct sender){.request = r, .service = service_of(r), .frame = frame, .first = first};
    struct MHD_Response *response =
        MHD_create_response_from_callback((uint64_t)length, ANSWER_BLOCK, sender_read, s, sender_free);
    if (response)
        cached_ref(frame);
    else
        free(s);
    return response;
}

void answer_frame_headers(struct request *r, const struct frame_job *j, int64_t bytes, const char *cache)
{
    char line[96];
    if (cache)
        answer_header(r, "Subdd-Cache", cache);
    answer_header(r, "ETag", j->base.etag);
    if (!bytes)
        return; /* A file whose size is not known: ranges can be asked for, but none was. */
    answer_header(r, "Accept-Ranges", "bytes");
    if (!j->ranged)
        return;
    snprintf(line, sizeof line, "bytes %lld-%lld/%lld", (long long)j->first, (long long)(j->first + j->length - 1),
             (long long)bytes);
    answer_header(r, "Content-Range", line);
}

/* Sends these bytes of a frame. Returns false when the request has an error for an answer. */
static bool send_frame(struct request *r, struct cached *frame, int64_t first, int64_t length, bool ranged)
{
    const bool copy = length <= COPY_BYTES && first + length <= atomic_load(&frame->there);
    struct MHD_Response *response =
        copy ? copy_response(&frame->payload, first, length) : sender_response(r, frame, first, length);
    if (!response) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return false;
    }
    answer_response(r, ranged ? 206 : 200, response, copy ? length : -1);
    answer_header(r, "Content-Type", media_name(MEDIA_FRAME));
    return true;
}

bool answer_whole(struct request *r, struct cached *frame)
{
    return send_frame(r, frame, 0, frame->payload.bytes, false);
}

/* Returns false when the request has an error for an answer. */
static bool answer_frame(struct request *r, struct frame_job *j)
{
    const struct payload *f = &j->frame->payload;
    if (range_asked(j, f->bytes)) {
        answer_error(r, &j->base.base.job.err);
        answer_header(r, "ETag", j->base.etag);
        return false;
    }
    return send_frame(r, j->frame, j->first, j->length, j->ranged);
}

bool answer_stream(struct request *r, const struct frame_job *j, struct stream **stream)
{
    struct MHD_Response *response = stream_response(*stream, j->length, r);
    if (!response) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return false;
    }
    *stream = NULL;
    answer_response(r, j->ranged ? 206 : 200, response, -1);
    answer_header(r, "Content-Type", media_name(MEDIA_FRAME));
    return true;
}

void answer_known(const struct job *job)
{
    answer_empty(job->request, 304);
    answer_header(job->request, "ETag", ((const struct ask_job *)job)->etag);
}

void patches_answer(struct job *job)
{
    struct frame_job *j = (struct frame_job *)job;
    if (!j->frame)
        answer_known(job);
    else if (answer_frame(job->request, j))
        answer_frame_headers(job->request, j, j->frame->payload.bytes, j->computed ? "miss" : "hit");
}

void refine_answer(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    const bool file = !file_skip(job), streams = j->stream != NULL;
    if (!streams && !j->posed) {
        patches_answer(job); /* Frames of patches have the same headers. */
        return;
    }
    if (!(file      ? file_answer(j)
          : streams ? answer_stream(job->request, &j->base, &j->stream)
                    : answer_frame(job->request, &j->base)))
        return;
    if (j->posed)
        answer_header(job->request, "Cache-Control", "no-store");
    else
        answer_frame_headers(job->request, &j->base, file ? j->file_bytes : j->plan.frame_bytes,
                             j->base.computed || !file ? "miss" : "hit");
}
