/* SPDX-License-Identifier: Apache-2.0 */
/* subd_internal.h: what the files of libsubd share: text, the request under way, the client.
 *
 * A public function fills a struct subd_request and hands it to subd_request_start, which waits for the answer or, in
 * the event-loop form, returns SUBD_PENDING; `finish` then turns the answer into the caller's *out. */
#ifndef SUBD_INTERNAL_H
#define SUBD_INTERNAL_H
#include "subd.h"
#include "subd_frame.h"
#include "subd_matrix.h"
#include <curl/curl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>

/* ---- errors (subd_error.c) ------------------------------------------------------------------------------- */
/* subd_fail: clears *err (may be NULL), records code and sentence, returns code. */
int subd_fail(struct subd_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* subd_copy_text: server text into a fixed array: cut at its end, control characters as '?'. NULL is "". */
void subd_copy_text(char *to, size_t room, const char *from);
/* subd_decode_problem: fills *err from an error answer in JSON or protobuf, whichever it is. Returns SUBD_EHTTP. */
int subd_decode_problem(struct subd_error *err, int status, const char *media_type, const char *body, size_t bytes);

/* ---- text (subd_text.c): grows, remembers failure ---------------------------------------------------------- */
struct subd_text { /* zeroed is empty */
    char *data;
    size_t bytes, room;
    int failed;
};
void subd_text_add(struct subd_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void subd_text_escape(struct subd_text *t, const char *s); /* percent-encoded, safe in a path or a query */
void subd_text_mesh_path(struct subd_text *t, const char *id, const char *leaf); /* /v1/meshes/ID + leaf */
/* One more query parameter; value NULL adds none. */
void subd_text_query(struct subd_text *t, const char *key, const char *value);

/* ---- request (subd_request.c) -------------------------------------------------------------------------------- */
typedef int (*subd_finish_fn)(subd_client *c, void *out, struct subd_error *err);

struct subd_request {
    const char *method;
    struct subd_text path; /* taken over, also on error                       */
    const char *accept;
    struct subd_body body; /* data NULL: no body                              */
    void *owned;           /* freed when the request ends, also on error      */
    int64_t if_version;    /* 0: no If-Match                                  */
    const char *if_none_match, *idempotency_key;
    struct subd_frame *frame; /* not NULL: a 200 answer is parsed into it        */
    const struct subd_refine *refine;
    const struct subd_matrix *matrix; /* not NULL: a 200 answer goes to its sink      */
    subd_finish_fn finish;            /* NULL: nothing to decode                         */
    void *out;
    size_t *out_bytes; /* where the size of a plain answer goes, or NULL  */
    int large;         /* 1: the answer is bulk data: config's limit      */
};

struct subd_call {       /* the request under way */
    int active, failure; /* failure: SUBD_E* of a callback, *err is filled  */
    char *url;
    struct curl_slist *headers;
    void *owned;
    int64_t body_bytes;
    char *answer; /* all but frames, NUL after answer_bytes          */
    size_t answer_bytes, answer_room;
    char etag[136], media_type[64], request_id[72], timing[512]; /* timing: Server-Timing as it came */
    int status, in_frame, conditional;
    int64_t length, received, max_answer_bytes, retry_after_ms;
    struct subd_frame_parser parser;
    struct subd_refine refine;
    struct subd_matrix matrix; /* sink NULL: the answer is not one */
    struct subd_frame *frame;
    subd_finish_fn finish;
    void *out;
    size_t *out_bytes;
    struct subd_error *err;
};

struct subd_client {
    CURL *easy;
    CURLM *multi;
    char *server, *bearer; /* without a trailing slash; "Bearer ..." or NULL      */
    struct subd_config config;
    atomic_int cancel;
    int nonblocking, n_fds;
    struct pollfd fds[SUBD_MAX_FDS];
    int64_t timer_ms; /* when curl wants to be called, -1: no need              */
    char curl_text[CURL_ERROR_SIZE];
    char warnings[8][640]; /* of the last call */
    int n_warnings;
    struct subd_error scratch; /* stands in for err == NULL                              */
    struct subd_call call;
};

int subd_request_start(subd_client *c, struct subd_request *r, struct subd_error *err);
void subd_request_drop(subd_client *c); /* ends the request under way, if any, without a result */
int64_t subd_now_ms(void);
/* subd_loop_attach: makes curl report its sockets and timer to c. */
void subd_loop_attach(subd_client *c);
/* subd_loop_turn: waits at most wait_ms for a socket or the timer, then lets curl work. */
void subd_loop_turn(subd_client *c, int wait_ms);

/* Accept and finish for the routes that answer with one MeshInfo. */
#define SUBD_PROTOBUF "application/protobuf"
int subd_finish_info(subd_client *c, void *out, struct subd_error *err);
int subd_finish_edit(subd_client *c, void *out, struct subd_error *err);
/* subd_primvar_pack: a primvar as message, which borrows it. 0: an array is missing or too long. */
struct Subdd__V1__Primvar;
int subd_primvar_pack(struct Subdd__V1__Primvar *to, const struct subd_primvar *from);
struct Subdd__V1__MeshInfo;
int subd_info_copy(struct subd_mesh_info *to, const struct Subdd__V1__MeshInfo *from);

#endif
