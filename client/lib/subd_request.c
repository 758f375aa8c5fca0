/* SPDX-License-Identifier: Apache-2.0 */
/* subd_request.c: runs one HTTP request from start to result, for every call of the library. No other file tells curl
 * what to do. */
#include "subd_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RECEIVE_BUFFER (512 * 1024)
#define CANCELLED "cancelled by subd_cancel"
#define MAX_PROBLEM ((int64_t)512 << 10) /* It may list the Meshes of a file. */
#define MAX_ANSWER ((int64_t)16 << 20)   /* An answer can unpack to a hundred times its size. */

/* ---- what arrives ------------------------------------------------------------------------------------------ */

static int header_is(const char *line, size_t n, const char *name, char *to, size_t room)
{
    size_t k = strlen(name), end = n;
    char value[1024];
    if (n <= k || line[k] != ':' || strncasecmp(line, name, k) != 0)
        return 0;
    for (k++; k < end && (line[k] == ' ' || line[k] == '\t'); k++)
        ;
    while (end > k && (unsigned char)line[end - 1] <= ' ')
        end--;
    if (end - k >= sizeof value)
        return 0;
    memcpy(value, line + k, end - k);
    value[end - k] = 0;
    subd_copy_text(to, room, value);
    return 1;
}

static size_t on_header(char *line, size_t one, size_t n, void *arg)
{
    subd_client *c = arg;
    struct subd_call *call = &c->call;
    char number[32];
    n *= one;
    if (n > 5 && memcmp(line, "HTTP/", 5) == 0) { /* A "100 Continue" may come before the answer. */
        call->status = 0;
        call->length = -1;
        *call->etag = *call->media_type = *call->timing = 0;
        c->n_warnings = 0;
    } else if (header_is(line, n, "Content-Length", number, sizeof number)) {
        call->length = strtoll(number, NULL, 10);
    } else if (header_is(line, n, "Retry-After", number, sizeof number)) {
        call->retry_after_ms = 1000 * strtol(number, NULL, 10);
    } else if (header_is(line, n, "Content-Type", call->media_type, sizeof call->media_type)) {
        call->media_type[strcspn(call->media_type, "; ")] = 0;
    } else if (c->n_warnings < (int)(sizeof c->warnings / sizeof *c->warnings) &&
               header_is(line, n, "Subdd-Warning", c->warnings[c->n_warnings], sizeof *c->warnings)) {
        c->n_warnings++;
    } else if (!header_is(line, n, "ETag", call->etag, sizeof call->etag) &&
               !header_is(line, n, "Server-Timing", call->timing, sizeof call->timing)) {
        header_is(line, n, "X-Request-Id", call->request_id, sizeof call->request_id);
    }
    return n;
}

/* Reads a Server-Timing header: "refine;dur=0.5, digest;dur=0.1", in milliseconds. Entries of another form are
 * skipped. */
static void read_timings(struct subd_frame *f, const char *line)
{
    f->n_timings = 0;
    while (*line && f->n_timings < (int)(sizeof f->timings / sizeof *f->timings)) {
        struct subd_timing *t = &f->timings[f->n_timings];
        line += strspn(line, " ");
        size_t name = strcspn(line, ";,");
        if (name > 0 && name < sizeof t->phase && strncmp(line + name, ";dur=", 5) == 0) {
            double ms = strtod(line + name + 5, NULL);
            memcpy(t->phase, line, name);
            t->phase[name] = 0;
            t->seconds = ms >= 0 && ms < 1e12 ? ms / 1e3 : 0;
            f->n_timings++;
        }
        line += strcspn(line, ",");
        line += *line == ',';
    }
}

/* Called at the first byte of a body: checks that it is what was asked for, and begins a frame if it is one. */
static int begin_body(subd_client *c)
{
    struct subd_call *call = &c->call;
    long status = 0;
    curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
    call->status = (int)status;
    if (call->matrix.sink && status == 200 && (strcmp(call->media_type, "text/plain") != 0 || call->length < 0))
        return subd_fail(call->err, SUBD_EPROTOCOL, "a matrix was asked for, the answer is %s of %lld bytes",
                         call->media_type, (long long)call->length);
    if (call->feed && status == 200 && strcmp(call->media_type, call->accept) != 0)
        return subd_fail(call->err, SUBD_EPROTOCOL, "%s was asked for, the answer is %s", call->accept,
                         call->media_type);
    if (!call->frame || status != 200)
        return SUBD_OK;
    if (strcmp(call->media_type, SUBD_FRAME_MEDIA_TYPE) != 0)
        return subd_fail(call->err, SUBD_EPROTOCOL, "a refined frame was asked for, the answer is %s",
                         call->media_type);
    if (call->length > c->config.max_frame_bytes && !call->refine.sink)
        return subd_fail(call->err, SUBD_EPROTOCOL,
                         "the frame has %lld bytes, above this client's limit of %lld (max_frame_bytes)",
                         (long long)call->length, (long long)c->config.max_frame_bytes);
    call->in_frame = 1;
    const int rc = subd_frame_begin(&call->parser, &call->refine, call->length, call->frame, call->err);
    call->parser.relation = *call->relation ? call->relation : NULL;
    return rc;
}

static int pass_to_sink(subd_client *c, const char *data, size_t n)
{
    const struct subd_matrix *m = &c->call.matrix;
    if (m->sink(m->sink_arg, data, n) == 0)
        return SUBD_OK;
    return subd_fail(c->call.err, SUBD_ECANCELLED, "the sink cancelled the call");
}

/* Appends to the answer, within its limit. */
static int keep(subd_client *c, const char *data, size_t n)
{
    struct subd_call *call = &c->call;
    int64_t cap = call->status >= 400 ? MAX_PROBLEM : call->max_answer_bytes;
    size_t room = call->answer_room                        ? call->answer_room
                  : call->length > 0 && call->length < cap ? (size_t)call->length + 1
                                                           : 4096;
    char *grown;
    if ((int64_t)(call->answer_bytes + n) > cap)
        return subd_fail(call->err, SUBD_EPROTOCOL,
                         "the answer has more than the %lld bytes that this client takes of one%s", (long long)cap,
                         cap == c->config.max_answer_bytes ? " (max_answer_bytes)" : "");
    while (room < call->answer_bytes + n + 1)
        room *= 2;
    if (room != call->answer_room) {
        if (!(grown = realloc(call->answer, room)))
            return subd_fail(call->err, SUBD_ENO_MEMORY, "no memory for an answer of %zu bytes", room);
        call->answer = grown;
        call->answer_room = room;
    }
    memcpy(call->answer + call->answer_bytes, data, n);
    call->answer_bytes += n;
    call->answer[call->answer_bytes] = 0;
    return SUBD_OK;
}

/* Asks the progress callback as well. It is called for every piece of a body and not only in every step, as curl may
 * read many megabytes in one step. */
static int cancelled(subd_client *c)
{
    struct subd_call *call = &c->call;
    curl_off_t sent = 0;
    if (call->last)
        return 0;
    int asked = atomic_load(&c->cancel), stop = asked;
    if (!stop && c->config.progress) {
        if (call->body_bytes && !call->received)
            curl_easy_getinfo(c->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
        if (call->received)
            stop = c->config.progress(c->config.progress_arg, SUBD_RECEIVING, call->received, call->length);
        else if (sent < call->body_bytes)
            stop = c->config.progress(c->config.progress_arg, SUBD_SENDING, sent, call->body_bytes);
        else
            stop = c->config.progress(c->config.progress_arg, SUBD_WAITING, 0, -1);
    }
    if (stop)
        subd_fail(call->err, SUBD_ECANCELLED, asked ? CANCELLED : "the progress callback cancelled the call");
    return stop;
}

static size_t on_body(char *data, size_t one, size_t n, void *arg)
{
    subd_client *c = arg;
    struct subd_call *call = &c->call;
    n *= one;
    if (!call->failure && call->received == 0)
        call->failure = begin_body(c);
    call->received += (int64_t)n;
    if (!call->failure)
        call->failure = call->in_frame                             ? subd_frame_feed(&call->parser, data, n)
                        : call->feed && call->status == 200        ? call->feed(c, data, n)
                        : call->matrix.sink && call->status == 200 ? pass_to_sink(c, data, n)
                                                                   : keep(c, data, n);
    if (!call->failure && cancelled(c))
        call->failure = SUBD_ECANCELLED;
    return call->failure ? 0 : n;
}

/* ---- start --------------------------------------------------------------------------------------------------- */

static int header(struct subd_call *call, const char *name, const char *value)
{
    struct curl_slist *grown = NULL;
    struct subd_text t = {0};
    if (!value)
        return SUBD_OK;
    for (const char *p = value; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            return subd_fail(call->err, SUBD_EUSAGE, "%s holds a control character", name);
    subd_text_add(&t, "%s: %s", name, value);
    if (!t.failed)
        grown = curl_slist_append(call->headers, t.data);
    free(t.data);
    if (!grown)
        return subd_fail(call->err, SUBD_ENO_MEMORY, "no memory for a request");
    call->headers = grown;
    return SUBD_OK;
}

static int set_headers(subd_client *c, const struct subd_request *r)
{
    struct subd_call *call = &c->call;
    char version[32], timeout[24];
    int rc;
    snprintf(version, sizeof version, r->if_version == SUBD_IF_ANY ? "*" : "\"%lld\"", (long long)r->if_version);
    snprintf(timeout, sizeof timeout, "%lld", (long long)c->config.request_timeout_ms);
    if ((rc = header(call, "Authorization", c->bearer)) || (rc = header(call, "Accept", r->accept)) ||
        (r->body.data && (rc = header(call, "Content-Type", r->body.media_type))) ||
        (rc = header(call, "If-None-Match", r->if_none_match)) ||
        (rc = header(call, "Idempotency-Key", r->idempotency_key)) ||
        (rc = header(call, "Prefer", r->async ? "respond-async" : NULL)) ||
        (rc = header(call, "If-Match", r->if_version ? version : NULL)) ||
        (rc = header(call, "Subdd-Rebase", r->rebases ? "disjoint" : NULL)) ||
        (rc = header(call, "Subdd-Lease", *c->lease ? c->lease : NULL)) ||
        (rc = header(call, "Subdd-Priority", c->bulk ? "bulk" : NULL)) ||
        (rc = header(call, "Subdd-Timeout-Ms", c->config.request_timeout_ms ? timeout : NULL)))
        return rc;
    return SUBD_OK;
}

static void set_transfer(subd_client *c, const struct subd_request *r)
{
    CURL *e = c->easy;
    curl_easy_reset(e);
    curl_easy_setopt(e, CURLOPT_URL, c->call.url);
    if (c->socket)
        curl_easy_setopt(e, CURLOPT_UNIX_SOCKET_PATH, c->socket);
    if (c->ca_file) {
        curl_easy_setopt(e, CURLOPT_CAINFO, c->ca_file);
        curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
    }
    curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L); /* The server must see an id of ".." to refuse it. */
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, c->call.headers);
    if (r->body.data) {
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.bytes);
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body.data); /* curl sends it without a copy. */
    }
    curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, r->method);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, c);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, c);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, c->curl_text);
    curl_easy_setopt(e, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
    curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, r->body.bytes > RECEIVE_BUFFER ? (long)RECEIVE_BUFFER : 65536L);
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_PROXY, ""); /* Proxies in the environment are meant for the web. */
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_USERAGENT, "libsubd");
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)c->config.connect_timeout_ms);
    curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, r->last ? SUBD_LAST_MS : r->feed ? 0L : (long)c->config.request_timeout_ms);
    curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long)((c->config.stall_timeout_ms + 999) / 1000));
}

static int prepare(subd_client *c, const struct subd_request *r)
{
    struct subd_call *call = &c->call;
    struct subd_text url = {0};
    int rc;
    subd_text_add(&url, "%s%s", c->socket ? "http://localhost" : c->server, r->path.data ? r->path.data : "");
    call->url = url.data;
    if (url.failed || r->path.failed)
        return subd_fail(call->err, SUBD_EUSAGE, "the request's address is too long");
    if ((rc = set_headers(c, r)) != SUBD_OK)
        return rc;
    set_transfer(c, r);
    *c->curl_text = 0;
    if (curl_multi_add_handle(c->multi, c->easy) != CURLM_OK)
        return subd_fail(call->err, SUBD_ENO_MEMORY, "libcurl does not take the request");
    call->active = 1;
    return SUBD_OK;
}

static void release(subd_client *c)
{
    struct subd_call *call = &c->call;
    if (call->in_frame) { /* The frame was cut off, and *err says why. */
        call->parser.failure = SUBD_ECANCELLED;
        subd_frame_end(&call->parser);
    }
    if (call->active) {
        struct subd_sigpipe s;
        subd_sigpipe_block(&s);
        curl_multi_remove_handle(c->multi, c->easy);
        subd_sigpipe_restore(&s);
    }
    curl_slist_free_all(call->headers);
    free(call->url);
    free(call->owned);
    free(call->answer);
    memset(call, 0, sizeof *call);
}

void subd_request_drop(subd_client *c)
{
    release(c);
}

int subd_request_start(subd_client *c, struct subd_request *r, struct subd_error *err)
{
    struct subd_call *call = &c->call;
    int rc;
    if (call->active || (atomic_load(&c->cancel) && !r->last)) {
        free(r->path.data);
        free(r->owned);
        return call->active ? subd_fail(err, SUBD_EUSAGE, "this client has a call under way")
                            : subd_fail(err, SUBD_ECANCELLED, CANCELLED);
    }
    c->n_warnings = 0;
    subd_prims_free(c->prims, c->n_prims);
    c->prims = NULL;
    c->n_prims = 0;
    call->owned = r->owned;
    call->body_bytes = r->body.data ? (int64_t)r->body.bytes : 0;
    call->finish = r->finish;
    call->then = r->then;
    call->last = r->last;
    call->accept = r->accept;
    call->feed = r->feed;
    call->out = r->out;
    call->out_bytes = r->out_bytes;
    call->err = err ? err : &c->scratch;
    call->frame = r->frame;
    if (r->refine)
        call->refine = *r->refine;
    subd_copy_text(call->relation, sizeof call->relation, r->relation);
    if (r->matrix)
        call->matrix = *r->matrix;
    call->max_answer_bytes = r->large ? c->config.max_answer_bytes : MAX_ANSWER;
    call->conditional = r->if_none_match != NULL;
    call->length = -1;
    rc = prepare(c, r);
    free(r->path.data);
    if (rc != SUBD_OK) {
        release(c);
        return rc;
    }
    if (c->nonblocking || c->loop.done || c->waits) {
        subd_loop_rearm(c);
        return SUBD_PENDING;
    }
    c->waits = 1;
    do {
        subd_loop_turn(c, 100);
        rc = subd_request_advance(c);
    } while (rc == SUBD_PENDING);
    c->waits = 0;
    return rc;
}

/* ---- result -------------------------------------------------------------------------------------------------- */

static int conclude(subd_client *c, CURLcode cc)
{
    struct subd_call *call = &c->call;
    long status = 0;
    curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
    call->status = (int)status;
    if (call->failure)
        return call->failure;
    /* A refusal may come before the whole body was sent. Then it matters more than the broken connection. */
    if (status >= 400) {
        c->prims =
            subd_decode_prims(call->media_type, call->answer ? call->answer : "", call->answer_bytes, &c->n_prims);
        return subd_decode_problem(call->err, (int)status, call->media_type, call->answer ? call->answer : "",
                                   call->answer_bytes);
    }
    if (cc != CURLE_OK)
        return subd_network_error(c, cc);
    if (status == 304 && call->conditional)
        return SUBD_UNCHANGED;
    if (status < 200 || status > 299)
        return subd_fail(call->err, SUBD_EPROTOCOL, "the answer has status %ld, which has no meaning here", status);
    if (call->frame) {
        if (!call->in_frame)
            return subd_fail(call->err, SUBD_EPROTOCOL, "the refined frame is empty");
        call->in_frame = 0;
        memcpy(call->frame->etag, call->etag, sizeof call->frame->etag);
        read_timings(call->frame, call->timing);
        return subd_frame_end(&call->parser);
    }
    return call->finish ? call->finish(c, call->out, call->err) : SUBD_OK;
}

/* Adds what the headers of the answer say to an error, so that the request can be found in the server's log. */
static void add_request_id(struct subd_call *call, int rc)
{
    if (rc >= 0)
        return;
    if (!*call->err->request_id)
        memcpy(call->err->request_id, call->request_id, sizeof call->request_id);
    if (!call->err->retry_after_ms)
        call->err->retry_after_ms = call->retry_after_ms;
}

int subd_request_advance(subd_client *c)
{
    struct subd_call *call = &c->call;
    int left, rc = SUBD_PENDING;
    for (CURLMsg *m; rc == SUBD_PENDING && (m = curl_multi_info_read(c->multi, &left));)
        if (m->msg == CURLMSG_DONE)
            rc = conclude(c, m->data.result);
    if (rc == SUBD_PENDING && cancelled(c))
        rc = SUBD_ECANCELLED;
    if (rc == SUBD_PENDING)
        return rc;
    subd_then_fn then = call->then;
    add_request_id(call, rc);
    release(c);
    return then ? then(c, rc) : rc;
}
