/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: makes the answers to requests, for handlers and for http.c: bodies, the headers that every answer has, and
 * problem documents. */
#include "server/net/http.h"
#include "server/base/chars.h"
#include "server/net/net.h"
#include "subdd.pb-c.h"
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_AFTER_S 1
#define PROBLEM_TYPE "/docs/errors#" /* The page that api_errors_page makes; its anchors are the codes. */
#define RETRY_TOKEN_S 60             /* Wrong tokens are counted by the minute. */
#define MAX_WARNINGS 8               /* In headers; an answer that has them in its body has all. */
#define SMALL_ANSWER (32 << 10)      /* Bodies up to this size go out in one write with their headers. */

/* After how many seconds the same request may succeed; 0 when only a different request can. */
static int retry_after(const struct sdd_error *err)
{
    if (!sdd_err_retryable(err->code) || (err->code == SDD_ENO_MEMORY && err->needed))
        return 0;
    return err->code == SDD_ETOO_MANY && *err->field ? RETRY_TOKEN_S : RETRY_AFTER_S;
}

void answer_header(struct request *r, const char *name, const char *value)
{
    if (r->response)
        MHD_add_response_header(r->response, name, value);
}

void answer_warnings(struct request *r, const struct text *lines)
{
    char line[WARNING_SIZE];
    int all = 0, n_sent = 0;
    for (const char *s = lines->bytes ? lines->data : ""; *s; s++)
        all += *s == '\n' || !s[1];
    for (const char *s = lines->bytes ? lines->data : ""; *s; n_sent++) {
        size_t n = strcspn(s, "\n");
        if (n_sent == MAX_WARNINGS - 1 && all > MAX_WARNINGS) {
            snprintf(line, sizeof line, "and %d more warnings", all - n_sent);
            answer_header(r, "Subdd-Warning", line);
            return;
        }
        snprintf(line, sizeof line, "%.*s", (int)n, s);
        if (n >= sizeof line)
            memcpy(line + sizeof line - 4, "...", 4);
        answer_header(r, "Subdd-Warning", line);
        s += n + (s[n] == '\n');
    }
}

void version_tag(char tag[VERSION_TAG_SIZE], int64_t version, int media)
{
    snprintf(tag, VERSION_TAG_SIZE, "\"%lld%s\"", (long long)version, media_suffix(media));
}

void answer_etag(struct request *r, int64_t version)
{
    char tag[VERSION_TAG_SIZE];
    version_tag(tag, version, r->status < 400 ? r->media_out : 0);
    answer_header(r, "ETag", tag);
}

bool answer_not_modified(struct request *r, int64_t version)
{
    const char *known = request_header(r, "If-None-Match");
    char tag[VERSION_TAG_SIZE];
    version_tag(tag, version, r->media_out);
    if (!known || !etag_matches(known, tag, true))
        return false;
    answer_empty(r, 304);
    answer_etag(r, version);
    return true;
}

static void add_timing(struct request *r)
{
    char line[64 * N_PHASES];
    size_t at = 0;
    for (int p = 0; p < N_PHASES; p++) {
        if (r->phases[p] > 0)
            at += (size_t)snprintf(line + at, sizeof line - at, "%s%s;dur=%.3f", at ? ", " : "", phase_names[p],
                                   r->phases[p] * 1e3);
        if (r->phases[p] > 0 && p == PHASE_REFINE && r->refined_by)
            at += (size_t)snprintf(line + at, sizeof line - at, ";desc=\"%s\"", r->refined_by);
    }
    if (at)
        answer_header(r, "Server-Timing", line);
}

/* The headers of an answer that a page of another origin may read, besides those that browsers always allow. */
#define EXPOSED                                                                                                        \
    "Accept-Ranges, Allow, Content-Range, ETag, Idempotency-Replayed, Location, Retry-After, Server-Timing, "          \
    "Subdd-Cache, Subdd-Warning, WWW-Authenticate, X-Request-Id"
/* The headers of a request that the daemon reads, so that a page of another origin may send them. */
#define READ                                                                                                           \
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, "                 \
    "Subdd-Lease, Subdd-Priority, Subdd-Rebase, Subdd-Timeout-Ms, X-Request-Id"
#define PREFLIGHT_SECONDS "7200" /* Chromium does not cache a preflight for longer than this. */

/* A browser takes the answer for what its media type says, hands it to no page of another origin (which CORS does not
 * hinder when the page asks without it, as for an image), and tells no other site the address of a mesh. Where the
 * administrator lets other origins in, they may embed answers too. */
const struct header *browser_headers(const struct net *n, const char *origin)
{
    static const struct header own[] = {{"X-Content-Type-Options", "nosniff"},
                                        {"Referrer-Policy", "no-referrer"},
                                        {"Cross-Origin-Resource-Policy", "same-origin"},
                                        {NULL, NULL}};
    static const struct header others[] = {{"X-Content-Type-Options", "nosniff"},
                                           {"Referrer-Policy", "no-referrer"},
                                           {"Cross-Origin-Resource-Policy", "cross-origin"},
                                           {NULL, NULL}};
    return origin || strcmp(n->config->allow_origin, "*") == 0 ? others : own;
}

/* Adds the headers of CORS. A cache must not give the answer for one origin to another, so Vary is there even when the
 * request has no Origin. */
static void add_cors(struct request *r)
{
    if (*r->net->config->allow_origin)
        answer_header(r, "Vary", "Origin");
    if (!r->origin)
        return;
    answer_header(r, "Access-Control-Allow-Origin", r->origin);
    answer_header(r, "Access-Control-Expose-Headers", EXPOSED);
}

void answer_response(struct request *r, int status, struct MHD_Response *response, int64_t bytes)
{
    if (r->response)
        MHD_destroy_response(r->response);
    r->response = response;
    r->status = status;
    r->streamed = bytes < 0;
    r->answer_bytes = r->streamed ? 0 : bytes;
    answer_header(r, "X-Request-Id", r->id);
    if (r->route && r->route->answer & (r->route->answer - 1))
        answer_header(r, "Vary", "Accept");
    for (const struct header *h = browser_headers(r->net, r->origin); h->name; h++)
        answer_header(r, h->name, h->value);
    add_cors(r);
    if (status != 404) /* Else the time that was needed to find nothing would tell of a mesh of another workspace. */
        add_timing(r);
    if (r->close_after || r->net->state == NET_CLOSING)
        answer_header(r, "Connection", "close");
}

static void answer_body(struct request *r, int status, const char *media, void *body, size_t bytes,
                        enum MHD_ResponseMemoryMode mode)
{
    answer_response(r, status, MHD_create_response_from_buffer(bytes, body, mode), (int64_t)bytes);
    if (*media)
        answer_header(r, "Content-Type", media);
}

void answer_copy(struct request *r, int status, const char *media, const void *body, size_t bytes)
{
    void *source = (void *)(uintptr_t)body; /* libmicrohttpd copies the body, but its parameter lacks the const. */
    answer_body(r, status, media, source, bytes, MHD_RESPMEM_MUST_COPY);
}

/* A large body that is sent in blocks. As one piece it would be written until the client's window is full, while all
 * other clients wait. */
struct blob {
    struct request *request; /* It lives longer than the reading. */
    struct net *net;
    size_t bytes;
    char *data;
};

static ssize_t blob_read(void *cls, uint64_t at, char *out, size_t max)
{
    const struct blob *b = cls;
    size_t n = b->bytes - at < max ? b->bytes - at : max;
    const ssize_t given = conn_give(b->request->conn, out, b->data + at, n);
    if (given < 0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    b->request->answer_bytes += given;
    return given;
}

static void blob_free(void *cls)
{
    struct blob *b = cls;
    b->net->hooks.release(b->net->hooks.user, POOL_FRAMES, b->data, (int64_t)b->bytes);
    free(b);
}

static struct MHD_Response *blob_response(struct request *r, void *body, size_t bytes)
{
    struct blob *b = malloc(sizeof *b);
    struct MHD_Response *response = NULL;
    if (b) {
        *b = (struct blob){r, r->net, bytes, body};
        response = MHD_create_response_from_callback(bytes, ANSWER_BLOCK, blob_read, b, blob_free);
    }
    if (response) {
        pool_add(r->net->pool, POOL_FRAMES, (int64_t)bytes);
        return response;
    }
    free(b);
    free(body);
    return NULL;
}

void answer_taken(struct request *r, int status, enum media media, void *body, size_t bytes)
{
    if (bytes <= SMALL_ANSWER) {
        answer_body(r, status, media_name(media), body, bytes, MHD_RESPMEM_MUST_FREE);
        return;
    }
    struct MHD_Response *response = blob_response(r, body, bytes);
    if (!response) {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return;
    }
    answer_response(r, status, response, -1);
    answer_header(r, "Content-Type", media_name(media));
}

void answer_text(struct request *r, int status, enum media media, struct text *body)
{
    if (body->failed) {
        text_free(body);
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return;
    }
    answer_taken(r, status, media, body->data, body->bytes);
    *body = (struct text){0};
}

void answer_empty(struct request *r, int status)
{
    answer_copy(r, status, "", "", 0);
}

void answer_preflight(struct request *r, const char *methods)
{
    const char *private_network = request_header(r, "Access-Control-Request-Private-Network");
    answer_empty(r, 204);
    answer_header(r, "Access-Control-Allow-Methods", methods);
    answer_header(r, "Access-Control-Allow-Headers", READ);
    answer_header(r, "Access-Control-Max-Age", PREFLIGHT_SECONDS);
    if (private_network && strcmp(private_network, "true") == 0)
        answer_header(r, "Access-Control-Allow-Private-Network", "true");
}

/* Reads a line "VERTICES FACES PATH" of request->prims. Returns the next line, or NULL at the end. `path` gets a
 * copy. */
static const char *read_prim(const char *line, long long *vertices, long long *faces, struct text *path)
{
    char *end;
    if (!line || !*line)
        return NULL;
    *vertices = strtoll(line, &end, 10);
    *faces = strtoll(end, &end, 10);
    end += *end == ' ';
    const size_t n = strcspn(end, "\n");
    text_clear(path);
    text_add(path, end, n);
    return end + n + (end[n] == '\n');
}

static void add_prims(struct text *out, const char *prims)
{
    struct text path = {0};
    long long vertices, faces;
    bool first = true;
    text_puts(out, ",\"prims\":[");
    for (const char *line = prims; (line = read_prim(line, &vertices, &faces, &path)) && !path.failed;) {
        text_puts(out, first ? "{" : ",{");
        first = false;
        text_member(out, "path", path.data);
        text_member_int(out, "vertices", vertices);
        text_member_int(out, "faces", faces);
        text_puts(out, "}");
    }
    text_puts(out, "]");
    text_free(&path);
}

static int64_t listed(int64_t n)
{
    return n < CONFLICT_LISTED ? n : CONFLICT_LISTED;
}

static void add_ids(struct text *out, const char *name, const int32_t *ids, int64_t n)
{
    text_printf(out, ",\"%s\":[", name);
    for (int64_t i = 0; i < listed(n); i++)
        text_printf(out, "%s%d", i ? "," : "", ids[i]);
    text_puts(out, "]");
}

static void add_conflict(struct text *out, const struct conflict *c)
{
    text_puts(out, ",\"conflict\":{\"versions\":[");
    for (int64_t i = listed(c->n_versions); i > 0; i--)
        text_printf(out, "%lld%s", (long long)c->versions[i - 1], i > 1 ? "," : "");
    text_puts(out, "]");
    text_member_int(out, "vertices", c->n_vertices);
    add_ids(out, "vertexIds", c->vertices, c->n_vertices);
    text_member_int(out, "faces", c->n_faces);
    add_ids(out, "faceIds", c->faces, c->n_faces);
    if (*c->what)
        text_member(out, "what", c->what);
    text_puts(out, "}");
}

void problem_json(struct text *out, const struct sdd_error *err, const char *prims, const struct conflict *conflict,
                  const char *request_id)
{
    const char *code = sdd_err_code(err->code);
    text_printf(out, "{\"type\":\"" PROBLEM_TYPE "%s\"", code);
    text_member(out, "title", sdd_err_title(err->code));
    text_member_int(out, "status", sdd_err_http(err->code));
    text_member(out, "detail", err->text);
    text_member(out, "instance", request_id);
    text_member(out, "code", code);
    if (*err->field)
        text_member(out, "field", err->field);
    if (err->code == SDD_ESTALE)
        text_member_int(out, "currentVersion", err->available);
    else if (err->code == SDD_EGONE) {
        if (err->available)
            text_member_int(out, "oldestVersion", err->available);
    } else if (err->code == SDD_ENO_MEMORY && err->needed) {
        text_member_int(out, "needed", err->needed);
        text_member_int(out, "available", err->available);
    } else if (err->available) {
        if (err->needed)
            text_member_int(out, "needed", err->needed);
        text_member_int(out, "limit", err->available);
    }
    if (retry_after(err))
        text_member_int(out, "retryAfterMs", retry_after(err) * 1000);
    if (prims)
        add_prims(out, prims);
    if (conflict)
        add_conflict(out, conflict);
    text_puts(out, "}\n");
}

/* Makes messages of the lines of request->prims. Returns NULL, with *n = 0, when there are none, or no memory; *paths
 * has the text that they borrow. */
static Subdd__V1__MeshPrim *pack_prims(const char *prims, Subdd__V1__MeshPrim ***pointers, size_t *n, char **paths)
{
    size_t lines = 0, i = 0;
    for (const char *s = prims; s && (s = strchr(s, '\n')); s++)
        lines++;
    Subdd__V1__MeshPrim *rows = lines ? malloc(lines * sizeof *rows) : NULL;
    *pointers = rows ? malloc(lines * sizeof **pointers) : NULL;
    *paths = rows ? strdup(prims) : NULL;
    *n = *pointers && *paths ? lines : 0;
    for (char *s = *paths, *end; i < *n; i++, s = end + 1) {
        subdd__v1__mesh_prim__init(&rows[i]);
        rows[i].vertices = strtoll(s, &s, 10);
        rows[i].faces = strtoll(s, &s, 10);
        rows[i].path = s + (*s == ' ');
        end = strchr(s, '\n');
        *end = 0;
        (*pointers)[i] = &rows[i];
    }
    return rows;
}

/* Fills *out, which borrows from c but for its versions, which the caller frees. */
static Subdd__V1__Conflict *pack_conflict(const struct conflict *c, Subdd__V1__Conflict *out)
{
    const int64_t n = listed(c->n_versions);
    out->versions = calloc((size_t)n + 1, sizeof *out->versions);
    out->n_versions = out->versions ? (size_t)n : 0;
    for (size_t i = 0; i < out->n_versions; i++)
        out->versions[i] = (uint64_t)c->versions[(size_t)n - 1 - i];
    out->vertices = c->n_vertices;
    out->faces = c->n_faces;
    out->n_vertex_ids = (size_t)listed(c->n_vertices);
    out->n_face_ids = (size_t)listed(c->n_faces);
    out->vertex_ids = (int32_t *)c->vertices; /* protobuf-c wants pointers without const, although it only reads. */
    out->face_ids = (int32_t *)c->faces;
    out->what = chars_proto(c->what);
    return out;
}

static bool answer_problem_protobuf(struct request *r, const struct sdd_error *err)
{
    Subdd__V1__Problem p = SUBDD__V1__PROBLEM__INIT;
    char type[96];
    struct sdd_error e = *err; /* protobuf-c wants char * without const, although it only reads. */
    snprintf(type, sizeof type, PROBLEM_TYPE "%s", sdd_err_code(e.code));
    p.type = type;
    p.title = chars_proto(sdd_err_title(e.code));
    p.code = chars_proto(sdd_err_code(e.code));
    p.status = (uint32_t)sdd_err_http(e.code);
    p.detail = e.text;
    p.instance = r->id;
    p.field = e.field;
    bool stale = e.code == SDD_ESTALE, memory = e.code == SDD_ENO_MEMORY;
    p.needed = e.needed;
    if (stale)
        p.current_version = (uint64_t)e.available;
    else if (memory)
        p.available = e.available;
    else
        p.limit = e.available;
    char *paths = NULL;
    Subdd__V1__MeshPrim *prims = pack_prims(r->prims, &p.prims, &p.n_prims, &paths);
    Subdd__V1__Conflict conflict = SUBDD__V1__CONFLICT__INIT;
    if (r->conflict)
        p.conflict = pack_conflict(r->conflict, &conflict);
    size_t bytes = subdd__v1__problem__get_packed_size(&p);
    unsigned char *body = malloc(bytes + 1);
    if (body) {
        subdd__v1__problem__pack(&p, body);
        answer_taken(r, sdd_err_http(e.code), MEDIA_PROTOBUF, body, bytes);
    }
    free(p.prims);
    free(prims);
    free(paths);
    free(conflict.versions);
    return body;
}

static void answer_problem_json(struct request *r, const struct sdd_error *err)
{
    struct text body = {0};
    problem_json(&body, err, r->prims, r->conflict, r->id);
    if (body.failed)
        answer_copy(r, sdd_err_http(err->code), "application/problem+json", "{}\n", 3);
    else
        answer_copy(r, sdd_err_http(err->code), "application/problem+json", body.data, body.bytes);
    text_free(&body);
}

void answer_error(struct request *r, const struct sdd_error *err)
{
    char number[24];
    r->code = sdd_err_code(err->code);
    if (!r->protobuf_errors || !answer_problem_protobuf(r, err))
        answer_problem_json(r, err);
    if (retry_after(err)) {
        snprintf(number, sizeof number, "%d", retry_after(err));
        answer_header(r, "Retry-After", number);
    }
    if (err->code == SDD_EUNAUTHORIZED)
        answer_header(r, "WWW-Authenticate", "Bearer");
    if (err->code == SDD_ESTALE)
        answer_etag(r, err->available);
    if (err->code == SDD_ERANGE) {
        snprintf(number, sizeof number, "bytes */%lld", (long long)err->available);
        answer_header(r, "Content-Range", number);
    }
}

void answer_fail(struct request *r, int code, const char *field, const char *format, ...)
{
    struct sdd_error err = {0};
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    answer_error(r, (sdd_fail(&err, code, field, "%s", text), &err));
}
