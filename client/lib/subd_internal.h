/* SPDX-License-Identifier: Apache-2.0 */
/* subd_internal.h: what the files of libsubd share: errors, growing text, the request under way, the client. Users of
 * the library never see it.
 *
 * A public function fills a struct subd_request and hands it to subd_request_start, which waits for the answer or, in
 * the event-loop form, returns SUBD_PENDING. In the end `finish` turns the answer into the caller's *out. */
#ifndef SUBD_INTERNAL_H
#define SUBD_INTERNAL_H
#include "subd.h"
#include "subd_fair.h"
#include "subd_frame.h"
#include "subd_matrix.h"
#include "subd_watch.h"
#include <signal.h>
#include <curl/curl.h>
#include <poll.h>
#include <protobuf-c/protobuf-c.h>
#include <stdarg.h>
#include <stdatomic.h>

/* ---- errors (subd_error.c) ------------------------------------------------------------------------------- */
/* subd_fail: clears *err (may be NULL), records code and sentence, returns code. */
int subd_fail(struct subd_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* subd_fail_stranger: says that another kind of server has answered, as one may with any status and media type. Returns
 * SUBD_EPROTOCOL. */
int subd_fail_stranger(const subd_client *c, struct subd_error *err);
/* subd_network_error: what went wrong between this client and its server, by curl's code. Fills the error of the call
 * and returns its code. */
int subd_network_error(subd_client *c, CURLcode cc);
/* subd_copy_text: copies text from the server into an array of `room` bytes. It cuts what does not fit and writes '?'
 * for control characters; NULL reads as "". */
void subd_copy_text(char *to, size_t room, const char *from);
/* subd_decode_problem: fills *err from an error answer, in JSON or protobuf by its media type. Returns SUBD_EHTTP. */
int subd_decode_problem(struct subd_error *err, int status, const char *media_type, const char *body, size_t bytes);
/* subd_decode_prims: the Meshes that such an answer lists, or NULL with *n = 0. Owner  subd_prims_free frees them */
struct subd_prim *subd_decode_prims(const char *media_type, const char *body, size_t bytes, int *n);
void subd_prims_free(struct subd_prim *prims, int n);

/* ---- arguments (subd_arguments.c) ------------------------------------------------------------------------------ */
/* SUBD_NEED: returns SUBD_EUSAGE, and names the argument, when one of these arguments of the public function that it
 * stands in is NULL. */
#define SUBD_NEED(err, ...) subd_need(err, __func__, #__VA_ARGS__, __VA_ARGS__)
/* subd_need: `names` are those of the pointers that follow, with commas between them. */
int subd_need(struct subd_error *err, const char *function, const char *names, ...);
/* subd_take: copies a struct that begins with its size, of which this library knows `known` bytes. Members that it
 * lacks become 0, as all do when `from` is NULL.
 * Errors  SUBD_EUSAGE when the size was never set, or a member that is not known here is not 0 */
int subd_take(void *to, size_t known, const void *from, const char *name, struct subd_error *err);
#define SUBD_TAKE(to, from, type, err) subd_take(to, sizeof(struct type), from, #type, err)
/* subd_check_version: a version that a mesh may have, or 0 for any.
 * Errors  SUBD_EUSAGE */
int subd_check_version(int64_t version, struct subd_error *err);
/* subd_points_body: a body that borrows an array of positions.
 * Errors  SUBD_EUSAGE when no mesh has this many vertices */
int subd_points_body(struct subd_body *to, const float *points, int64_t n_vertices, struct subd_error *err);
/* subd_take_body: copies a body, of which `data` then is not NULL. */
int subd_take_body(struct subd_body *to, const struct subd_body *from, const char *function, struct subd_error *err);

/* ---- text (subd_text.c) ------------------------------------------------------------------------------------- */
/* Text that grows as it is added to. A zeroed struct is empty text. The owner frees `data`. */
struct subd_text {
    char *data;
    size_t bytes, room;
    int failed; /* 1 once memory ran out or the text got too long; later additions do nothing. */
};
void subd_text_add(struct subd_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* subd_text_escape: adds s percent-encoded, so that it is safe in a path or a query. */
void subd_text_escape(struct subd_text *t, const char *s);
/* subd_text_mesh_path: adds /v1/meshes/ID and the leaf, which is "" or starts with a slash. */
void subd_text_mesh_path(struct subd_text *t, const char *id, const char *leaf);
/* subd_text_list_path: adds /v1/meshes and its query; name and after may be NULL, limit 0. */
void subd_text_list_path(struct subd_text *t, const char *name, const char *after, int limit);
/* subd_text_query: adds one more query parameter, or nothing when the value is NULL. */
void subd_text_query(struct subd_text *t, const char *key, const char *value);

/* subd_json_number, subd_json_count: a member of an answer in JSON; 0 when it is not there, or is no number from 0 to
 * 9e15. subd_json_copy: a member that is text, by subd_copy_text. */
struct cJSON;
double subd_json_number(const struct cJSON *o, const char *key);
int64_t subd_json_count(const struct cJSON *o, const char *key);
void subd_json_copy(char *to, size_t room, const struct cJSON *o, const char *key);

/* Memory for an answer that is unpacked, within what one of its size can need: many empty parts would unpack to a
 * hundred times it. A budget must not move. */
struct subd_budget {
    ProtobufCAllocator allocator;
    size_t left;
};
/* subd_budget_begin: a budget for an answer of so many bytes. What it gives is freed with free_unpacked(m, NULL). */
ProtobufCAllocator *subd_budget_begin(struct subd_budget *b, size_t answer_bytes);

/* ---- request (subd_request.c) -------------------------------------------------------------------------------- */
typedef int (*subd_finish_fn)(subd_client *c, void *out, struct subd_error *err);

/* What a call of several requests does when one has ended with rc: it returns the result of the call, or starts the
 * next request and returns what that gives. */
typedef int (*subd_then_fn)(subd_client *c, int rc);

#define SUBD_IF_ANY (-1)
struct subd_request {
    const char *method;
    struct subd_text path; /* subd_request_start takes it over, even when it fails. */
    const char *accept;
    struct subd_body body; /* data NULL sends no body. */
    void *owned;           /* Freed when the request ends, even when it fails. */
    int64_t if_version;    /* Sent as If-Match; 0 sends none, SUBD_IF_ANY "*". */
    const char *if_none_match, *idempotency_key;
    struct subd_frame *frame;         /* If it is not NULL, an answer of status 200 is parsed into it. */
    const struct subd_refine *refine; /* What the frame must match. */
    const char *relation;             /* That of neighbours, which the frame must have; NULL of other frames. */
    const struct subd_matrix *matrix; /* If it is not NULL, an answer of status 200 goes to its sink. */
    subd_finish_fn finish;            /* NULL when there is nothing to decode. */
    void *out;
    size_t *out_bytes; /* Receives the size of an undecoded answer; may be NULL. */
    int large;         /* 1 limits the answer by config.max_answer_bytes, 0 by 16 MiB. */
    subd_then_fn then; /* NULL when the call ends with this request. */
    int rebases;       /* 1: edits may be applied to a later version. */
    int async;         /* 1 prefers to be answered at once, with the job that goes on. */
    int last;          /* 1: nothing cancels it, and it has SUBD_LAST_MS. */
    int (*feed)(subd_client *c, const char *data, size_t n); /* Gets the body of an answer that goes on; else NULL. */
};
#define SUBD_LAST_MS 5000

/* The request under way. It is all zero between requests. */
struct subd_call {
    int active;  /* 1 while curl has the request. */
    int failure; /* The SUBD_E* that a curl callback met; *err is filled already. */
    char *url;
    struct curl_slist *headers;
    void *owned;
    int64_t body_bytes;
    char *answer; /* The body, unless it goes into a frame or to a sink; a NUL follows it. */
    size_t answer_bytes, answer_room;
    char etag[136], media_type[64], request_id[72];
    char timing[512]; /* The Server-Timing header as it came. */
    int status;
    int last;                                                /* That of the request. */
    const char *accept;                                      /* The media type of an answer that goes on, */
    int (*feed)(subd_client *c, const char *data, size_t n); /* and what takes it; NULL for all others. */
    int in_frame;    /* 1 once `parser` has begun a frame that it has not ended yet. */
    int conditional; /* 1 when If-None-Match was sent, so that status 304 is an answer. */
    int64_t length;  /* Content-Length, or -1. */
    int64_t received, max_answer_bytes, retry_after_ms;
    struct subd_frame_parser parser;
    struct subd_refine refine;
    char relation[8];          /* "" of frames of other routes. */
    struct subd_matrix matrix; /* Its sink is NULL unless the answer is a matrix. */
    struct subd_frame *frame;
    subd_finish_fn finish;
    subd_then_fn then;
    void *out;
    size_t *out_bytes;
    struct subd_error *err;
};

/* A subd_find under way (subd_names.c). A step that finds nothing is no error of the call, so the steps have an error
 * record of their own. */
struct subd_search {
    int step;
    char text[256];
    struct subd_mesh_list list;
    struct subd_mesh_info *out;
    struct subd_error *err, own;
};

/* A subd_fair under way (subd_fair.c). */
struct subd_flow {
    int stage, rc;
    struct subd_fair fair; /* Its strings are not looked at after the first request. */
    struct subd_job job;
    struct subd_job *out;
    struct subd_frame *frame;
    struct subd_error *err, unheard;
};

/* A subd_watch or subd_events under way (subd_watch.c). */
struct subd_watching {
    struct subd_refine refine; /* Its strings are borrowed. */
    struct subd_watch watch;
    struct subd_events events;
    struct subd_frame *frame;
    struct subd_error *err, unheard; /* unheard: that of a delta after which the whole frame is asked for. */
    char *path;                      /* Of the request, without `since`. */
    int ended;                       /* The callback has ended it. */
    int mistrusted;                  /* A delta did not match, and no frame has come since. */
    unsigned char head[24];          /* Of the record that comes, */
    size_t head_bytes;               /* and how much of it there is. */
    uint32_t kind;
    int64_t bytes, left, version; /* The record's length, what of it is still to come, its version. */
    int in_frame;
    struct subd_frame_parser parser;
    struct subd_bytes {
        char *data;
        size_t bytes, room;
    } body; /* Of a record that is no frame, or a line of an event; a NUL follows. */
    struct subd_mesh_event event;
    char *json;
    void (*drop)(subd_client *c); /* Frees what it holds; NULL when there is none. */
};
/* subd_delta_apply: makes the frame that of `version`, in place (subd_delta.c). The body is aligned to 4 bytes.
 * Errors  SUBD_EDIGEST when the delta does not fit the frame, or does not make what it says: the whole frame is needed;
 *         SUBD_EPROTOCOL; SUBD_EUSAGE (place). The frame has no blocks when it was being changed */
int subd_delta_apply(struct subd_frame *frame, const struct subd_refine *refine, int64_t version,
                     int64_t max_frame_bytes, const void *body, size_t bytes, struct subd_error *err);
/* subd_refine_take: copies what was asked for to *r, and makes the path of it (subd_refine.c). */
int subd_refine_take(struct subd_refine *r, const struct subd_refine *asked, struct subd_text *t, const char *id,
                     const char *leaf, struct subd_error *err);
/* subd_failed_problem: fills *err from a problem document in JSON, as an error of status `status` unless it has one. */
int subd_failed_problem(struct subd_error *err, int status, const char *json);

#define SUBD_MAX_WARNINGS 72 /* Of one answer. The daemon has at most 65 of a mesh. */

struct subd_client {
    CURL *easy;
    CURLM *multi;
    char *server;       /* What the caller calls it, without a slash at its end. */
    const char *socket; /* The path in it, where that is a Unix socket; NULL where it is a URL. */
    char *ca_file;      /* NULL for the system's authorities. */
    char *bearer;       /* "Bearer " and the token; NULL without a token. */
    char lease[24];     /* What subd_use_lease has set, or "". */
    int rebases;        /* What subd_rebase has set, */
    int bulk;           /* and subd_bulk. */
    struct subd_config config;
    atomic_int cancel;
    int nonblocking, n_fds;
    struct pollfd fds[SUBD_MAX_FDS];
    void *states[SUBD_MAX_FDS]; /* What the program's loop keeps with each of them. */
    struct subd_loop loop;      /* Its callbacks are NULL unless subd_attach has set them. */
    int64_t timer_ms;           /* When curl wants to be called, by subd_now_ms; -1 when it does not. */
    char curl_text[CURL_ERROR_SIZE];
    char warnings[SUBD_MAX_WARNINGS][640]; /* Those in the last answer, or its Subdd-Warning headers. */
    int n_warnings, n_prims;
    struct subd_prim *prims;   /* The Meshes that the last refusal lists. */
    struct subd_error scratch; /* Takes the error when the caller's err is NULL. */
    struct subd_call call;
    struct subd_search search;
    struct subd_flow flow;
    struct subd_watching watching;
    int waits; /* 1 while a blocking call waits: the requests that follow its first one do not wait themselves. */
};

/* subd_request_start: sends the request and waits for its result; in the event-loop form it returns SUBD_PENDING. */
int subd_request_start(subd_client *c, struct subd_request *r, struct subd_error *err);
/* subd_request_drop: ends the request under way, if there is one, without a result. */
void subd_request_drop(subd_client *c);
/* subd_now_ms: milliseconds on a clock that never goes back. */
int64_t subd_now_ms(void);
/* subd_sigpipe_block: blocks SIGPIPE in this thread, around calls of libcurl that may write to a socket.
 * subd_sigpipe_restore: takes back a SIGPIPE that came meanwhile and lets the thread have the signal again. */
struct subd_sigpipe {
    sigset_t before;
    int was_pending;
};
void subd_sigpipe_block(struct subd_sigpipe *s);
void subd_sigpipe_restore(const struct subd_sigpipe *s);
/* subd_loop_attach: makes curl report its sockets and timer to c. */
void subd_loop_attach(subd_client *c);
/* subd_loop_detach: ends what the program's loop watches for c, if there is one, and forgets it. */
void subd_loop_detach(subd_client *c);
/* subd_loop_turn: waits at most wait_ms for a socket or for curl's timer, then lets curl work. */
void subd_loop_turn(subd_client *c, int wait_ms);
/* subd_loop_rearm: tells the program's loop, if there is one, when the client wants to be called next. */
void subd_loop_rearm(subd_client *c);
/* subd_request_advance: the call's result once it is there, and the call has ended then; SUBD_PENDING before. */
int subd_request_advance(subd_client *c);

#define SUBD_PROTOBUF "application/protobuf"
/* subd_is_protobuf: whether the answer is. One in another format may unpack as garbage. */
int subd_is_protobuf(const subd_client *c);
/* subd_finish_info: the `finish` of routes that answer with a MeshInfo. `out` is a struct subd_mesh_info or NULL. */
int subd_finish_info(subd_client *c, void *out, struct subd_error *err);
/* subd_finish_list: the `finish` of lists. `out` is a struct subd_mesh_list, which is empty. */
int subd_finish_list(subd_client *c, void *out, struct subd_error *err);
/* subd_finish_edit: the `finish` of edits. `out` is a struct subd_edit_result or NULL. */
int subd_finish_edit(subd_client *c, void *out, struct subd_error *err);
/* subd_primvar_pack: makes a message of a primvar, whose arrays it borrows. Returns 0 when an array is missing or too
 * long, else 1. */
struct Subdd__V1__Primvar;
int subd_primvar_pack(struct Subdd__V1__Primvar *to, const struct subd_primvar *from);
/* subd_info_copy: copies the description of a mesh out of its message. Returns SUBD_OK or SUBD_EPROTOCOL. */
struct Subdd__V1__MeshInfo;
int subd_info_copy(struct subd_mesh_info *to, const struct Subdd__V1__MeshInfo *from);

#endif
