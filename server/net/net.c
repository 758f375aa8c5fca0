/* SPDX-License-Identifier: Apache-2.0 */
/* net.c: starts net/ for serve.c. It lets libuv's loop drive libmicrohttpd through its epoll descriptor, and answers
 * what the connections of mhd/ ask: the text of a refusal, and what to do when a client is slow or has left. */
#include "server/net/net.h"
#include "server/net/door.h"
#include "server/net/http.h"
#include <microhttpd.h>
#include <stdio.h>
#include <sys/random.h>

static size_t refused(void *user, struct conn *c, const struct sdd_error *err, char *answer, size_t size)
{
    struct net *n = user;
    struct text body = {0}, fields = {0}, *line;
    char id[REQUEST_ID_SIZE];
    int status = sdd_err_http(err->code);
    const char *origin = c->request ? c->request->origin : NULL;
    for (const struct header *h = browser_headers(n, origin); h->name; h++)
        text_printf(&fields, "%s: %s\r\n", h->name, h->value);
    if (origin)
        text_printf(&fields,
                    "Access-Control-Allow-Origin: %s\r\nAccess-Control-Expose-Headers: X-Request-Id\r\n"
                    "Vary: Origin\r\n",
                    origin);
    snprintf(id, sizeof id, "%s%08x", n->id_prefix, ++n->next_request);
    problem_json(&body, err, NULL, NULL, id);
    int bytes =
        snprintf(answer, size,
                 "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: application/problem+json\r\nX-Request-Id: %s\r\n"
                 "%sContent-Length: %zu\r\n\r\n%s",
                 status, MHD_get_reason_phrase_for((unsigned)status), id, fields.data ? fields.data : "", body.bytes,
                 body.data ? body.data : "");
    if (!c->request) { /* A request writes a log line of its own. */
        line = log_begin(n->log, LOG_INFO, "refused");
        text_member(line, "id", id);
        text_member(line, "address", c->address);
        text_member_int(line, "status", status);
        text_member(line, "code", sdd_err_code(err->code));
        text_member(line, "message", err->text);
        log_end(n->log);
        metrics_add(n->metrics, M_REJECTED_FRAMING, 1);
        metrics_request(n->metrics, METRICS_OPS - 1, status, 0);
    }
    text_free(&body);
    text_free(&fields);
    return bytes < 0 ? 0 : (size_t)bytes < size ? (size_t)bytes : size - 1;
}

static void slow(void *user, struct conn *c)
{
    struct net *n = user;
    static const char *const what[] = {"idle", "head", "body", "work", "send", "drain"};
    metrics_add(n->metrics, M_REJECTED_SLOW, 1);
    log_event(n->log, LOG_INFO, "slow", "%s is too slow (%s): closed", c->address, what[c->phase]);
}

static void closed(void *user, const struct conn *c)
{
    const struct net *n = user;
    n->hooks.closed(n->hooks.user, c);
}

static void work_check(void *user, struct conn *c)
{
    const struct net *n = user;
    if (c->request)
        n->hooks.waits(c->request);
}

static void nothing(uv_idle_t *due)
{
    (void)due;
}

void net_due(struct net *n)
{
    uv_idle_start(&n->due, nothing);
}

static void on_sockets(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    net_due(poll->data);
}

/* libuv calls this last in each turn of its loop. However much the sockets could take, they get one turn in each of the
 * loop's, so that they cannot keep it from anything else. */
static void on_turn(uv_check_t *turn)
{
    struct net *n = turn->data;
    if (!uv_is_active((uv_handle_t *)&n->due))
        return;
    if (!http_run(n))
        uv_idle_stop(&n->due);
    n->hooks.served(n->hooks.user);
}

static void name_requests(struct net *n)
{
    unsigned char random[4] = {0};
    (void)!getrandom(random, sizeof random, 0);
    snprintf(n->id_prefix, sizeof n->id_prefix, "%02x%02x%02x%02x-", random[0], random[1], random[2], random[3]);
}

bool net_start(struct net *n, uv_loop_t *loop, struct text *error)
{
    struct conns_config conns = {.max_head_bytes = (size_t)n->config->max_header_bytes,
                                 .max_connections = n->config->max_connections,
                                 .max_per_address = n->config->max_connections_per_address,
                                 .min_rate = n->config->min_rate,
                                 .header_deadline = n->config->header_deadline,
                                 .idle_timeout = n->config->idle_timeout,
                                 .user = n,
                                 .refused = refused,
                                 .slow = slow,
                                 .closed = closed,
                                 .work_check = work_check};
    name_requests(n);
    if (!conns_init(&n->conns, &conns) || !http_start(n, error))
        return false;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(n->mhd, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info || uv_poll_init(loop, &n->poll, info->epoll_fd))
        return false;
    uv_idle_init(loop, &n->due);
    uv_check_init(loop, &n->turn);
    n->poll.data = n->turn.data = n;
    uv_check_start(&n->turn, on_turn);
    uv_poll_start(&n->poll, UV_READABLE, on_sockets);
    return true;
}
