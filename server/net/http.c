/* SPDX-License-Identifier: Apache-2.0 */
/* http.c: leads a request from its head to its log line, between libmicrohttpd and the handlers of api/: it checks the
 * head, collects the body, calls the handler and sends the answer. */
#include "server/net/http.h"
#include "server/base/chars.h"
#include "server/net/door.h"
#include "server/net/net.h"
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SWALLOW_BYTES (1 << 20) /* A refused body up to this size is read, so that the connection can be kept. */
#define FIRST_CAPACITY 65536
#define CONNECTION_MEMORY 65536

/* libmicrohttpd leaves the blanks between a value and the end of its line. They are cut off in place: the value lies in
 * the connection's memory, where the library has written NULs behind names and values too. */
const char *request_header(const struct request *r, const char *name)
{
    const char *value = MHD_lookup_connection_value(r->mhd, MHD_HEADER_KIND, name);
    size_t n = value ? strlen(value) : 0;
    while (n && (value[n - 1] == ' ' || value[n - 1] == '\t'))
        ((char *)(uintptr_t)value)[--n] = 0;
    return value;
}

const char *request_path(const struct request *r, size_t *n)
{
    *n = r->conn->head.path_bytes;
    return r->conn->target;
}

/* ---- checks that need the head alone ------------------------------------------------------------------------- */
static void name_request(struct request *r)
{
    const char *given = request_header(r, "X-Request-Id");
    size_t n = given ? strspn(given, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") : 0;
    if (n && n < REQUEST_ID_SIZE && !given[n])
        memcpy(r->id, given, n + 1);
    else
        snprintf(r->id, sizeof r->id, "%s%08x", r->net->id_prefix, ++r->net->next_request);
}

/* Checks Host and Origin. This comes before route, token and body, so that a request which a web page makes a browser
 * send cannot even find out what exists here. */
static int check_door(struct request *r, struct sdd_error *err)
{
    const struct config *c = r->net->config;
    const struct door door = {c->allow_host, c->allow_origin, c->listen};
    const struct door_visitor visitor = {request_header(r, "Host"), request_header(r, "Origin"),
                                         request_header(r, "Sec-Fetch-Site"), r->conn->arrived_at};
    if (visitor.origin && door_names_origin(&door, visitor.origin))
        r->origin = visitor.origin; /* Its pages may read refusals too. */
    int rc = door_check(&door, &visitor, err);
    if (rc)
        metrics_add(r->net->metrics, rc == SDD_EORIGIN ? M_REJECTED_ORIGIN : M_REJECTED_HOST, 1);
    return rc;
}

/* Answers a preflight request of CORS. When the path does not exist all methods are allowed, so that the page gets to
 * see the 404. */
static bool is_preflight(struct request *r, const char *method)
{
    struct sdd_error err = {0};
    char allowed[64];
    if (!r->origin || strcmp(method, "OPTIONS") || !request_header(r, "Access-Control-Request-Method"))
        return false;
    routes_find(&r->net->routes, method, r->conn->target, r->conn->head.path_bytes, r->mesh, allowed, &err);
    r->close_after = r->conn->refusal != 0;
    answer_preflight(r, *allowed ? allowed : "GET, HEAD, POST, PUT, PATCH, DELETE");
    return true;
}

static int find_route(struct request *r, const char *method, struct sdd_error *err)
{
    char allowed[64];
    r->route = routes_find(&r->net->routes, method, r->conn->target, r->conn->head.path_bytes, r->mesh, allowed, err);
    if (r->route)
        return SDD_OK;
    if (err->code)
        return err->code;
    if (!*allowed)
        return sdd_fail(err, SDD_ENOT_FOUND, "path", "there is no such path; GET /v1/openapi.yaml lists them");
    sdd_fail(err, SDD_EMETHOD, "method", "this path has %s", allowed);
    answer_error(r, err);
    answer_header(r, "Allow", allowed);
    return err->code;
}

/* The routes that need the store begin with this. */
#define MESHES "/v1/meshes"

static int check_service(struct request *r, struct sdd_error *err)
{
    struct net *n = r->net;
    if (r->route && r->route->always)
        return SDD_OK;
    if (r->conn->refusal) {
        metrics_add(n->metrics, M_REJECTED_CONNECTIONS, 1);
        r->close_after = true;
        return sdd_fail(err, r->conn->refusal, "", "too many connections%s",
                        r->conn->refusal == SDD_ETOO_MANY ? " from this address" : "");
    }
    if (n->state >= NET_FAILED)
        return sdd_fail(err, SDD_EBUSY, "", "%s", n->not_ready);
    if (n->held && r->route && strncmp(r->route->path, MESHES, strlen(MESHES)) == 0)
        return sdd_fail(err, SDD_ESTORE, "store", "%s", n->held);
    return SDD_OK;
}

static int check_body(struct request *r, struct sdd_error *err)
{
    const struct guard_head *head = &r->conn->head;
    const char *type = request_header(r, "Content-Type");
    char list[160];
    if (!r->route->body) {
        if (head->content_length <= 0 && !head->chunked)
            return SDD_OK;
        return sdd_fail(err, SDD_EINVALID, "body", "%s has no body here", r->method);
    }
    r->media_in = type ? media_of(type) & r->route->body : 0;
    if (!r->media_in) {
        media_list(r->route->body, list, sizeof list);
        return sdd_fail(err, SDD_EMEDIA_TYPE, "content-type", "send one of: %s", list);
    }
    r->body_limit = r->media_in & MEDIA_JSON ? r->net->config->max_json_bytes : r->net->config->max_body_bytes;
    if (r->body_limit > r->net->config->max_inflight_bytes)
        r->body_limit = r->net->config->max_inflight_bytes;
    if (r->body_limit > r->net->pool->limit)
        r->body_limit = r->net->pool->limit;
    if (head->content_length > r->body_limit) {
        sdd_fail(err, SDD_ETOO_LARGE, "body", "the body has %lld bytes, the limit is %lld",
                 (long long)head->content_length, (long long)r->body_limit);
        err->needed = head->content_length;
        err->available = r->body_limit;
        return err->code;
    }
    if (head->content_length > r->net->config->max_inflight_bytes - r->net->inflight_bytes)
        return sdd_fail(err, SDD_EBUSY, "body", "too many bytes of request bodies are in flight");
    if (head->content_length > pool_could(r->net->pool))
        return sdd_fail(err, SDD_EBUSY, "body", "others hold the memory that this body needs; try again soon");
    return SDD_OK;
}

static int check_accept(struct request *r, struct sdd_error *err)
{
    const char *accept = request_header(r, "Accept");
    char list[160];
    r->protobuf_errors = accept && media_accepted(accept, MEDIA_JSON | MEDIA_PROTOBUF, MEDIA_JSON) == MEDIA_PROTOBUF;
    if (!r->route || !r->route->answer)
        return SDD_OK;
    r->media_out = media_accepted(accept, r->route->answer, r->route->prefer);
    if (r->media_out)
        return SDD_OK;
    media_list(r->route->answer, list, sizeof list);
    return sdd_fail(err, SDD_ENOT_ACCEPTABLE, "accept", "this can be made: %s", list);
}

static int check_deadline(struct request *r, struct sdd_error *err)
{
    const char *given = request_header(r, "Subdd-Timeout-Ms");
    double seconds = r->net->config->request_deadline;
    int64_t ms;
    if (given) {
        if (!parse_integer(given, strlen(given), &ms) || ms == 0)
            return sdd_fail(err, SDD_EINVALID, "subdd-timeout-ms",
                            "Subdd-Timeout-Ms must be a whole number of milliseconds, 1 or more");
        if ((double)ms * 1e-3 < seconds)
            seconds = (double)ms * 1e-3;
    }
    r->deadline = r->started + (uint64_t)(seconds * 1e9);
    return SDD_OK;
}

static int check_priority(struct request *r, struct sdd_error *err)
{
    const char *given = request_header(r, "Subdd-Priority");
    r->bulk = given && strcmp(given, "bulk") == 0;
    if (!given || r->bulk || strcmp(given, "interactive") == 0)
        return SDD_OK;
    return sdd_fail(err, SDD_EINVALID, "subdd-priority", "Subdd-Priority is interactive or bulk");
}

static void screen(struct request *r, const char *method)
{
    struct sdd_error err = {0};
    const char *mark =
        r->conn->target[r->conn->head.path_bytes] ? r->conn->target + r->conn->head.path_bytes + 1 : NULL;
    name_request(r);
    snprintf(r->method, sizeof r->method, "%s", method);
    int rc = check_accept(r, &err);
    if (!rc)
        rc = check_door(r, &err);
    if (rc) {
        answer_error(r, &err);
        return;
    }
    if (is_preflight(r, method))
        return;
    rc = find_route(r, method, &err);
    if (r->response)
        return; /* find_route has answered 405. */
    if (!rc || rc == SDD_ENOT_FOUND) {
        int service = check_service(r, &err);
        if (service)
            rc = service;
    }
    if (!rc)
        rc = auth_check(r->net->auth, request_header(r, "Authorization"), r->conn->address, r->route->scope, r->started,
                        r->principal, r->workspace, &err);
    snprintf(r->owner, sizeof r->owner, "%s%s%s", r->principal, *r->workspace ? "@" : "", r->workspace);
    if (rc == SDD_EUNAUTHORIZED || rc == SDD_EFORBIDDEN || (rc == SDD_ETOO_MANY && r->route))
        metrics_add(r->net->metrics, M_REJECTED_AUTH, 1);
    if (!rc)
        rc = check_accept(r, &err);
    if (!rc)
        rc = check_body(r, &err);
    if (!rc)
        rc = check_deadline(r, &err);
    if (!rc)
        rc = check_priority(r, &err);
    if (!rc && !r->route->always) /* A health probe may have any query. */
        rc = query_parse(&r->query, mark, r->route->query, r->route->options, &err);
    if (rc == SDD_ETOO_LARGE)
        metrics_add(r->net->metrics, M_REJECTED_SIZE, 1);
    if (rc)
        answer_error(r, &err);
}

/* ---- bodies ---------------------------------------------------------------------------------------------------- */
/* Refuses a request in the middle of its body. libmicrohttpd cannot queue an answer then, so the answer goes straight
 * to the socket and ends the connection. */
static enum MHD_Result refuse_midway(struct request *r, int code, int64_t limit)
{
    struct sdd_error err = {0};
    sdd_fail(&err, code, "body",
             code == SDD_ETOO_LARGE ? "the body is longer than %lld bytes"
                                    : "no memory for the body (%lld bytes so far)",
             (long long)(code == SDD_ETOO_LARGE ? limit : (int64_t)r->body_bytes));
    err.available = limit;
    r->status = sdd_err_http(code);
    r->code = sdd_err_code(code);
    metrics_add(r->net->metrics, code == SDD_ETOO_LARGE ? M_REJECTED_SIZE : M_REJECTED_MEMORY, 1);
    conn_refuse(r->conn, &err);
    r->conn->linger = true;
    return MHD_NO;
}

static bool reserve(struct request *r, size_t more)
{
    size_t capacity = r->body_capacity ? r->body_capacity : FIRST_CAPACITY, most = (size_t)r->body_limit;
    if (r->conn->head.content_length > 0)
        most = (size_t)r->conn->head.content_length;
    while (capacity < r->body_bytes + more)
        capacity *= 2;
    if (capacity > most)
        capacity = most;
    if (capacity <= r->body_capacity)
        return true;
    int64_t extra = (int64_t)(capacity - r->body_capacity);
    if (extra > r->net->config->max_inflight_bytes - r->net->inflight_bytes || extra > pool_could(r->net->pool))
        return false;
    unsigned char *body = realloc(r->body, capacity);
    if (!body)
        return false;
    r->body = body;
    r->body_capacity = capacity;
    r->counted += extra;
    r->claim += extra;
    pool_add(r->net->pool, POOL_BODIES, extra);
    r->net->inflight_bytes += extra;
    return true;
}

static enum MHD_Result collect(struct request *r, const char *data, size_t *n)
{
    if (r->response) { /* The request is refused already, and the body is dropped. */
        *n = 0;
        return MHD_YES;
    }
    if (*n > (size_t)r->body_limit - r->body_bytes)
        return refuse_midway(r, SDD_ETOO_LARGE, r->body_limit);
    if (!reserve(r, *n))
        return refuse_midway(r, SDD_EBUSY, 0);
    memcpy(r->body + r->body_bytes, data, *n);
    r->body_bytes += *n;
    *n = 0;
    return MHD_YES;
}

/* ---- libmicrohttpd's callbacks ------------------------------------------------------------------------------- */
static enum MHD_Result queue(struct request *r)
{
    conn_enter(r->conn, CONN_SEND);
    return MHD_queue_response(r->mhd, (unsigned)r->status, r->response);
}

/* True when a refusal waits for the body to come in. A small body is read so that the connection can be used again; a
 * large one is cut off. */
static bool swallow(const struct request *r)
{
    const struct guard_head *head = &r->conn->head;
    return head->content_length > 0 && head->content_length <= SWALLOW_BYTES && !request_header(r, "Expect") &&
           !r->close_after;
}

static enum MHD_Result begin(struct net *n, struct MHD_Connection *mhd, const char *method, void **state)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct conn *conn = info ? info->socket_context : NULL;
    struct request *r = conn && conn->target ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return MHD_NO;
    *state = r;
    r->net = n;
    r->conn = conn;
    r->mhd = mhd;
    r->started = conn->head_at;
    conn->request = r;
    screen(r, method);
    bool body = conn->head.content_length > 0 || conn->head.chunked;
    if (!r->response || !body || swallow(r))
        return MHD_YES;
    conn->linger = true;
    return queue(r);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                  const char *version, const char *data, size_t *n, void **state)
{
    struct request *r = *state;
    (void)url;
    (void)version;
    if (!r)
        return begin(cls, mhd, method, state);
    if (*n)
        return collect(r, data, n);
    if (!r->dispatched) {
        r->dispatched = true;
        conn_enter(r->conn, CONN_WORK);
        if (!r->response)
            r->route->handle(r);
    }
    if (r->response)
        return queue(r);
    http_sleep(r);
    return MHD_YES;
}

void http_sleep(struct request *r)
{
    r->asleep = true;
    MHD_suspend_connection(r->mhd);
}

void http_answered(struct request *r)
{
    if (!r->asleep)
        return;
    r->asleep = false;
    r->net->woken = true;
    MHD_resume_connection(r->mhd);
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **state, enum MHD_RequestTerminationCode why)
{
    struct request *r = *state;
    struct net *n = cls;
    (void)mhd;
    *state = NULL;
    if (!r)
        return;
    n->hooks.left(r);
    bool complete = why == MHD_REQUEST_TERMINATED_COMPLETED_OK && conn_is_sent(r->conn);
    if (!r->streamed && (!complete || strcmp(r->method, "HEAD") == 0))
        r->answer_bytes = 0;
    if (r->media_out == MEDIA_FRAME && (r->status == 200 || r->status == 206))
        metrics_add(n->metrics, M_STREAM_BYTES, r->answer_bytes);
    if (!complete && r->status && r->status < 400)
        metrics_add(n->metrics, M_CANCELLED, 1);
    http_log(r, complete);
    n->inflight_bytes -= r->counted;
    conn_done(r->conn);
    if (r->response)
        MHD_destroy_response(r->response);
    query_free(&r->query);
    n->hooks.release(n->hooks.user, POOL_BODIES, r->body, r->claim);
    free(r);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct net *n = cls;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        conn_close(*context);
        *context = NULL;
        return;
    }
    const union MHD_ConnectionInfo *fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    int socket = fd ? fd->connect_fd : -1;
    const union MHD_ConnectionInfo *address = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    *context = socket >= 0 ? conn_open(&n->conns, socket, address ? address->client_addr : NULL) : NULL;
    if (!*context && socket >= 0)
        shutdown(socket, SHUT_RDWR);
}

/* ---- the log line ----------------------------------------------------------------------------------------------- */
void http_log(struct request *r, bool complete)
{
    struct net *net = r->net;
    double seconds = (double)(uv_hrtime() - r->started) * 1e-9;
    const enum log_level usual = r->route && r->route->always ? LOG_DEBUG : LOG_INFO; /* Probes come every second. */
    struct text *line = log_begin(net->log, r->status >= 500 ? LOG_WARNING : usual, "request");
    char path[256];
    size_t n = r->conn->head.path_bytes < sizeof path - 1 ? r->conn->head.path_bytes : sizeof path - 1;
    memcpy(path, r->conn->target, n);
    path[n] = 0;
    text_member(line, "id", r->id);
    text_member(line, "address", r->conn->address);
    if (*r->principal)
        text_member(line, "principal", r->principal);
    text_member(line, "method", r->method);
    text_member(line, "path", path);
    text_member(line, "op", r->route ? r->route->op : "none");
    if (*r->mesh)
        text_member(line, "mesh", r->mesh);
    if (r->mesh_version)
        text_member_int(line, "version", r->mesh_version);
    text_member_int(line, "status", r->status);
    if (r->code)
        text_member(line, "code", r->code);
    text_member_int(line, "bytesIn", r->conn->received);
    text_member_int(line, "bytesOut", r->answer_bytes);
    text_member_real(line, "ms", seconds * 1e3, 3);
    for (int p = 0; p < N_PHASES; p++)
        if (r->phases[p] > 0)
            text_member_real(line, phase_names[p], r->phases[p] * 1e3, 3);
    if (!complete)
        text_puts(line, ",\"aborted\":true");
    log_end(net->log);
    metrics_request(net->metrics, r->route ? (int)(r->route - net->routes.rows) : METRICS_OPS - 1, r->status, seconds);
}

static void ignore_log(void *cls, const char *format, va_list args)
{
    /* A port scan would fill the log with it, and what matters is logged by this file. */
    (void)cls, (void)format, (void)args;
}

bool http_start(struct net *n, struct text *error)
{
    /* Half of it is the buffer for reading. The rest must hold a second copy of the cookies, which can be nearly the
     * whole head. */
    size_t memory = CONNECTION_MEMORY + 2 * (size_t)n->config->max_header_bytes;
    n->mhd = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, n,
                              MHD_OPTION_LISTEN_SOCKET, n->listen_fd, MHD_OPTION_CONNECTION_LIMIT,
                              (unsigned)(n->config->max_connections + CONN_RESERVE), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                              memory, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                              MHD_OPTION_NOTIFY_CONNECTION, on_connection, n, MHD_OPTION_NOTIFY_COMPLETED, on_completed,
                              n, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL, MHD_OPTION_END);
    if (!n->mhd)
        text_puts(error, "libmicrohttpd does not start");
    return n->mhd != NULL;
}

void http_stop(struct net *n)
{
    if (n->mhd)
        MHD_stop_daemon(n->mhd);
    n->mhd = NULL;
}

void http_quiesce(struct net *n)
{
    int fd = MHD_quiesce_daemon(n->mhd);
    if (fd >= 0)
        close(fd);
}

bool http_run(struct net *n)
{
    MHD_UNSIGNED_LONG_LONG ms;
    if (!n->mhd)
        return false;
    conns_begin_turn(&n->conns);
    n->woken = false;
    MHD_run(n->mhd);
    n->hooks.run(n->hooks.user); /* A job that ends here wakes its connection for the next turn. */
    return n->woken || (MHD_get_timeout(n->mhd, &ms) == MHD_YES && ms == 0);
}
