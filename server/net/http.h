/* SPDX-License-Identifier: Apache-2.0 */
/* http.h: requests and answers over libmicrohttpd.
 *
 *   head -> http.c checks it (route, token, limits) -> the body is collected -> route->handle
 *   The handler answers at once with answer_*, or starts a job. Then the connection sleeps until http_answered wakes
 *   it.
 *
 * Threads  the loop's */
#ifndef SUBDD_HTTP_H
#define SUBDD_HTTP_H
#include "server/net/auth.h"
#include "server/base/metrics.h"
#include "server/net/query.h"
#include "server/base/text.h"

#define REQUEST_ID_SIZE 65
/* The most bytes that one client gets in its turn on the loop. A larger block is faster for it, but each connection
 * with an answer that nobody reads holds one. */
#define ANSWER_BLOCK (192 << 10)
#define REQUEST_NAME_SIZE 129 /* Room for the {id} in a path. */

struct MHD_Connection;
struct MHD_Response;
struct conn;
struct job;
struct route;
struct net;
struct stream;
struct watcher;

struct request {
    struct net *net;
    struct conn *conn;
    struct MHD_Connection *mhd;
    const struct route *route; /* NULL when none matches. */
    struct job *job;           /* Makes the answer, or NULL. net/ leaves it to the hooks. */
    struct stream *stream;     /* Makes the answer while it is sent, or NULL. net/ leaves it to the hooks too. */
    struct watcher *watcher;   /* Sends an answer of many records, or NULL. net/ leaves it to the hooks too. */
    /* Takes the error of a job once the answer has begun and can be no other one; NULL before. */
    void (*failed)(struct request *r, const struct sdd_error *err);
    char id[REQUEST_ID_SIZE];
    char mesh[REQUEST_NAME_SIZE];
    char method[12];
    const char *origin;              /* The header Origin when --allow-origin names it, else NULL. */
    char principal[TOKEN_NAME_SIZE]; /* The name of the token, or "". */
    char workspace[TOKEN_NAME_SIZE]; /* Whose meshes the request can see. */
    char owner[OWNER_SIZE];          /* Who it is for what belongs to callers: NAME, or NAME@WORKSPACE. */
    struct query query;
    int media_in, media_out; /* The enum media bits of body and answer; 0 when there is none. */
    bool bulk;               /* Subdd-Priority says so. */
    bool protobuf_errors;    /* Errors are answered as message Problem, not as JSON. */
    unsigned char *body;     /* A handler may take it over and set NULL here. */
    size_t body_bytes, body_capacity;
    int64_t body_limit;
    int64_t counted;            /* What this body adds to net->inflight_bytes. */
    int64_t claim;              /* What it has of net->pool. Who takes the body over takes this too. */
    uint64_t started, deadline; /* Times of uv_hrtime; the deadline is 0 until it is known. */
    bool dispatched;            /* The handler was called. */
    bool asleep;                /* The connection is suspended. */

    struct MHD_Response *response; /* The answer, or NULL while there is none. */
    int status;
    bool close_after;
    int64_t answer_bytes; /* The bytes of the answer; for a streamed one, those that were read so far. */
    int64_t mesh_version;
    bool streamed;
    const char *code;        /* The code of an error, for the log. */
    double phases[N_PHASES]; /* Seconds. */
    const char *refined_by;  /* A copy of the job's. */
    const char *prims; /* What the answer to an error lists: a line "VERTICES FACES PATH" for each Mesh of a file. */
    const struct conflict *conflict; /* It lists this too, or NULL. */
};

/* ---- for handlers ------------------------------------------------------------------------------------------ */
/* request_header: the value of a header without the blanks behind it, or NULL. */
const char *request_header(const struct request *r, const char *name);
/* request_path: the path, as it came, and its length in *n; no NUL stands behind it. */
const char *request_path(const struct request *r, size_t *n);

/* One of the functions below makes the answer, and a later call replaces it. answer_header and the like then add
 * headers to it. */

/* answer_text: takes the memory of `body` over and empties it. */
void answer_text(struct request *r, int status, enum media media, struct text *body);
/* answer_copy: copies the body. */
void answer_copy(struct request *r, int status, const char *media, const void *body, size_t bytes);
/* answer_taken: takes over a body that was malloc'ed. */
void answer_taken(struct request *r, int status, enum media media, void *body, size_t bytes);
void answer_empty(struct request *r, int status);
void answer_error(struct request *r, const struct sdd_error *err);
/* answer_response: takes over a response of libmicrohttpd. With bytes -1 it is streamed, and its reader counts in
 * r->answer_bytes what it gives. */
void answer_response(struct request *r, int status, struct MHD_Response *response, int64_t bytes);
void answer_header(struct request *r, const char *name, const char *value);
/* answer_warnings: adds a header Subdd-Warning for each line, which must be ASCII; of many lines the first, as proxies
 * take no long heads, and one that counts the others. A line that is too long ends with "...". */
#define WARNING_SIZE 640
void answer_warnings(struct request *r, const struct text *lines);
/* version_tag: writes the entity tag of a version in a representation (a media bit): "7" as JSON, and "7-pb", "7-obj"
 * and "7-usda" in others. */
#define VERSION_TAG_SIZE 32
void version_tag(char tag[VERSION_TAG_SIZE], int64_t version, int media);
/* answer_etag: adds the entity tag of this version to the answer. */
void answer_etag(struct request *r, int64_t version);
/* answer_not_modified: answers 304 when If-None-Match has this version in this representation. Returns false, without
 * an answer, when it has not. */
bool answer_not_modified(struct request *r, int64_t version);
/* answer_fail: answers with an error made of these arguments. */
void answer_fail(struct request *r, int code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* answer_preflight: answers a preflight request of CORS, by which a browser asks, with OPTIONS and without a token,
 * whether a page of another origin may send a request. The answer allows `methods`. */
void answer_preflight(struct request *r, const char *methods);
/* What others have done to a mesh since that is in the way of a change. */
#define CONFLICT_LISTED 64
struct conflict {
    int64_t n_versions, n_vertices, n_faces;
    int64_t versions[CONFLICT_LISTED]; /* Those in which they may have done it, the latest first; the first of them. */
    int32_t vertices[CONFLICT_LISTED], faces[CONFLICT_LISTED]; /* Ids; the first of them. */
    char what[80];                                             /* What else is, such as "primvar heat", or "". */
};
/* problem_json: writes the problem document of an error as JSON. `prims` and `conflict` are as in struct request, or
 * NULL. */
void problem_json(struct text *out, const struct sdd_error *err, const char *prims, const struct conflict *conflict,
                  const char *request_id);

/* browser_headers: the headers of every answer that tell browsers what they must not do with it, up to one without a
 * name. `origin` is that of the page that gets it when --allow-origin names it, else NULL. */
struct header {
    const char *name, *value;
};
const struct header *browser_headers(const struct net *n, const char *origin);

/* ---- for the loop and those who make answers ------------------------------------------------------------------- */
/* http_start: starts libmicrohttpd on n->listen_fd, which net_listen has opened. Returns false with *error. */
bool http_start(struct net *n, struct text *error);
/* http_stop: ends libmicrohttpd and its connections, all of which must be awake. */
void http_stop(struct net *n);
/* http_quiesce: closes the listener; connections go on. */
void http_quiesce(struct net *n);
/* http_run: lets libmicrohttpd give each connection that is ready one turn, and the jobs what they can do then. Returns
 * true when there is more to do at once. */
bool http_run(struct net *n);
/* http_sleep: suspends the connection until http_answered. Only callbacks of libmicrohttpd may call it. */
void http_sleep(struct request *r);
/* http_answered: wakes the connection of a request when it sleeps. */
void http_answered(struct request *r);
/* http_log: writes the log line of a request and counts it. `complete` says that the client got the whole answer. */
void http_log(struct request *r, bool complete);

#endif
