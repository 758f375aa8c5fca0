/* SPDX-License-Identifier: Apache-2.0 */
/* http.h: requests and answers over libmicrohttpd. Loop thread only.
 *
 *   head -> http.c screens it (route, token, limits) -> body is collected -> route->handle
 *   handle answers at once with answer_*, or starts a job; then the connection sleeps until http_answered wakes it. */
#ifndef SUBDD_HTTP_H
#define SUBDD_HTTP_H
#include "server/net/auth.h"
#include "server/base/metrics.h"
#include "server/net/query.h"
#include "server/base/text.h"

#define REQUEST_ID_SIZE 65
/* Bytes that one client's turn on the loop may take: more is faster for it, less is sooner for the others. */
#define ANSWER_BLOCK (256 << 10)
#define REQUEST_NAME_SIZE 129 /* of the {id} in a path */

struct MHD_Connection;
struct MHD_Response;
struct conn;
struct job;
struct route;
struct net;
struct stream;

struct request {
    struct net *net;
    struct conn *conn;
    struct MHD_Connection *mhd;
    const struct route *route; /* NULL: none matched                          */
    struct job *job;           /* makes the answer; the hooks know it; NULL: none   */
    struct stream *stream;     /* makes the answer while it is sent; NULL: none     */
    char id[REQUEST_ID_SIZE];
    char mesh[REQUEST_NAME_SIZE];
    char method[12];
    const char *origin;              /* its Origin, when --allow-origin names it; NULL: it does not */
    char principal[TOKEN_NAME_SIZE]; /* name of the token, "" without one       */
    struct query query;
    int media_in, media_out; /* enum media bits of body and answer; 0: none */
    bool protobuf_errors;
    unsigned char *body; /* a handler may take it and set NULL          */
    size_t body_bytes, body_capacity;
    int64_t body_limit;
    int64_t counted;            /* of this body in net->inflight_bytes         */
    uint64_t started, deadline; /* uv_hrtime; deadline 0: none                 */
    bool dispatched, asleep;

    struct MHD_Response *response; /* the answer, once there is one            */
    int status;
    bool close_after;
    int64_t answer_bytes; /* sent: of a streamed answer what was read of it so far */
    int64_t mesh_version;
    bool streamed;
    const char *code; /* of an error, for the log                    */
    double phases[N_PHASES];
    const char *refined_by; /* as job's */
};

/* ---- for handlers ------------------------------------------------------------------------------------------ */
const char *request_header(const struct request *r, const char *name); /* or NULL */

/* One of these makes the answer. Bodies are copied, or taken over (text). More headers: answer_header afterwards. */
void answer_text(struct request *r, int status, enum media media, struct text *body); /* takes body's memory */
void answer_copy(struct request *r, int status, const char *media, const void *body, size_t bytes);
void answer_taken(struct request *r, int status, enum media media, void *body,
                  size_t bytes); /* malloc'ed; taken over */
void answer_empty(struct request *r, int status);
void answer_error(struct request *r, const struct sdd_error *err);
/* bytes -1: a stream, whose reader counts what it gives in r->answer_bytes. */
void answer_response(struct request *r, int status, struct MHD_Response *response, int64_t bytes);
void answer_header(struct request *r, const char *name, const char *value);
/* A header Subdd-Warning for each of the lines, which are ASCII; one that is longer ends with "...". */
#define WARNING_SIZE 640
void answer_warnings(struct request *r, const struct text *lines);
/* The tag of a version as JSON is "7"; other representations (a media bit) differ: "7-pb", "7-obj", "7-usda". */
#define VERSION_TAG_SIZE 32
void version_tag(char tag[VERSION_TAG_SIZE], int64_t version, int media);
void answer_etag(struct request *r, int64_t version); /* of the answer that is there */
/* answer_not_modified: 304 when If-None-Match knows this version in this representation; false: no answer yet. */
bool answer_not_modified(struct request *r, int64_t version);
/* answer_fail: answer_error with an error made on the spot. */
void answer_fail(struct request *r, int code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* answer_preflight: CORS. A browser asks by OPTIONS, without a token, whether a page of another origin may send what it
 * is about to; the answer is yes, with `methods`. */
void answer_preflight(struct request *r, const char *methods);
/* The problem document of an error, as JSON or as message Problem. */
void problem_json(struct text *out, const struct sdd_error *err, const char *request_id);

/* ---- for the loop and those who make answers ------------------------------------------------------------------- */
bool http_start(struct net *n, struct text *error); /* opens the listener; n->listen_fd is set */
void http_stop(struct net *n);                      /* every connection must be awake */
void http_quiesce(struct net *n);                   /* closes the listener */
void http_run(struct net *n);                       /* lets MHD do what is ready; arms its timer */
void http_sleep(struct request *r);                 /* inside MHD's callbacks alone: until http_answered */
void http_answered(struct request *r);              /* wakes the request's connection, when it sleeps */
void http_log(struct request *r, bool complete);

#endif
