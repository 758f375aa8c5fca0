/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c: libuv drives libmicrohttpd through its epoll descriptor, timers, signals and the end of steps. */
#include "server/net/loop.h"
#include "server/net/auth.h"
#include "server/net/door.h"
#include "server/net/http.h"
#include "server/refine/refine.h"
#include "server/server.h"
#include "server/refine/stream.h"
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 250
#define FAIL_MS 100    /* what a failing daemon still has for its last answers   */
#define LAST_SECONDS 1 /* for the last answers, after --drain-timeout */
#define STUCK_FACTOR 2 /* a step may take so many request deadlines, and a minute */

/* ---- stopping -------------------------------------------------------------------------------------------------- */
static void abandon_all(struct server *s, int code)
{
    for (struct list *at = s->jobs.all.next, *next; at != &s->jobs.all; at = next) {
        next = at->next;
        job_abandon(CONTAINER(at, struct job, all), code);
    }
}

static void stop_when_idle(struct server *s)
{
    if (s->state == SERVER_CLOSING && s->conns.n == 0 && s->jobs.n == 0)
        uv_stop(&s->loop);
}

static void on_close(uv_timer_t *timer)
{
    struct server *s = timer->data;
    if (s->exit_code) {
        uv_stop(&s->loop);
        return;
    }
    s->state = SERVER_CLOSING;
    s->closing_at = uv_hrtime();
    http_quiesce(s);
    conns_close_idle(&s->conns);
    http_run(s);
    stop_when_idle(s);
}

static void not_ready(struct server *s, const char *why)
{
    s->state = SERVER_NOT_READY;
    s->not_ready = why;
    metrics_set(&s->metrics, M_READY, 0);
}

void server_fail(struct server *s, enum exit_code code, const char *why)
{
    if (s->exit_code)
        return;
    s->exit_code = code;
    not_ready(s, why);
    if (code == EXIT_DEVICE)
        metrics_add(&s->metrics, M_GPU_ERRORS_LOST, 1);
    log_event(&s->log, LOG_ERROR, "failed", "%s; the daemon ends with exit code %d", why, (int)code);
    uv_timer_start(&s->drain, on_close, FAIL_MS, 0);
}

static void reload(struct server *s)
{
    struct text error = {0};
    if (!log_reopen(&s->log))
        log_event(&s->log, LOG_ERROR, "log", "the log file cannot be opened again");
    if (!s->auth)
        return;
    if (auth_reload(s->auth, &error))
        log_event(&s->log, LOG_ERROR, "tokens", "%s; the old tokens stay", error.data ? error.data : "out of memory");
    else
        log_event(&s->log, LOG_INFO, "tokens", "%d tokens", auth_count(s->auth));
    text_free(&error);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct server *s = handle->data;
    if (number == SIGHUP) {
        reload(s);
        return;
    }
    if (s->state != SERVER_READY) {
        log_event(&s->log, LOG_WARNING, "stop", "second signal: leaving at once");
        log_flush(&s->log);
        _exit(128 + number);
    }
    log_event(&s->log, LOG_INFO, "stop", "signal %d: draining", number);
    loop_notify("STOPPING=1");
    not_ready(s, "the daemon is draining");
    uv_timer_start(&s->drain, on_close, (uint64_t)(s->config->drain_delay * 1e3), 0);
}

/* ---- running ---------------------------------------------------------------------------------------------------- */
static void on_sockets(uv_poll_t *poll, int status, int events)
{
    struct server *s = poll->data;
    (void)status, (void)events;
    http_run(s);
    stop_when_idle(s);
    log_flush(&s->log);
}

/* A step is done: its job goes on, connections are resumed, and MHD has to be told in the same breath, because in
 * external mode a resumed connection wakes nobody. */
static void on_wake(uv_async_t *wake)
{
    struct server *s = wake->data;
    jobs_collect(s);
    http_run(s);
    stop_when_idle(s);
    log_flush(&s->log);
}

static bool is_stuck(const struct server *s, uint64_t now)
{
    uint64_t since = executor_busy_since(s->compute);
    return since && now > since && (double)(now - since) * 1e-9 > STUCK_FACTOR * s->config->request_deadline + 60;
}

static void on_tick(uv_timer_t *timer)
{
    struct server *s = timer->data;
    uint64_t now = uv_hrtime();
    conns_tick(&s->conns, now);
    if (is_stuck(s, now))
        server_fail(s, EXIT_DEVICE, "the compute device does not come back");
    if (s->state == SERVER_CLOSING) {
        conns_close_idle(&s->conns);
        double left = s->config->drain_timeout - (double)(now - s->closing_at) * 1e-9;
        if (left < 0)
            abandon_all(s, SDD_EBUSY);
        if (left < -LAST_SECONDS)
            uv_stop(&s->loop);
    }
    if (!s->exit_code)
        loop_notify("WATCHDOG=1");
    http_run(s);
    stop_when_idle(s);
    log_flush(&s->log);
}

/* ---- what the connections ask for -------------------------------------------------------------------------------- */
static size_t refused(void *user, struct conn *c, const struct sdd_error *err, char *answer, size_t size)
{
    struct server *s = user;
    struct text body = {0}, *line;
    char id[REQUEST_ID_SIZE], cors[DOOR_ORIGIN_SIZE + 128] = "";
    int status = sdd_err_http(err->code);
    if (c->request && c->request->origin)
        snprintf(cors, sizeof cors,
                 "Access-Control-Allow-Origin: %s\r\nAccess-Control-Expose-Headers: X-Request-Id\r\nVary: Origin\r\n",
                 c->request->origin);
    snprintf(id, sizeof id, "%s%08x", s->id_prefix, ++s->next_request);
    problem_json(&body, err, id);
    int n =
        snprintf(answer, size,
                 "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: application/problem+json\r\nX-Request-Id: %s\r\n"
                 "%sContent-Length: %zu\r\n\r\n%s",
                 status, MHD_get_reason_phrase_for((unsigned)status), id, cors, body.bytes, body.data ? body.data : "");
    if (!c->request) { /* else its own log line tells */
        line = log_begin(&s->log, LOG_INFO, "refused");
        text_member(line, "id", id);
        text_member(line, "address", c->address);
        text_member_int(line, "status", status);
        text_member(line, "code", sdd_err_code(err->code));
        text_member(line, "message", err->text);
        log_end(&s->log);
        metrics_add(&s->metrics, M_REJECTED_FRAMING, 1);
        metrics_request(&s->metrics, METRICS_OPS - 1, status, 0);
    }
    text_free(&body);
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

static void slow(void *user, struct conn *c)
{
    struct server *s = user;
    static const char *const what[] = {"idle", "head", "body", "work", "send", "drain"};
    metrics_add(&s->metrics, M_REJECTED_SLOW, 1);
    log_event(&s->log, LOG_INFO, "slow", "%s is too slow (%s): closed", c->address, what[c->phase]);
}

static void work_check(void *user, struct conn *c)
{
    const struct server *s = user;
    struct request *r = c->request;
    if (r && r->job && conn_gone(c))
        job_abandon(r->job, SDD_ECANCELLED);
    else if (r && r->stream && /* it waits for the next piece */
             (conn_gone(c) || (double)(conn_now() - c->since) * 1e-9 > s->config->request_deadline))
        stream_fail(r->stream);
}

/* ---- deadlines of requests --------------------------------------------------------------------------------------- */
static void on_deadline(uv_timer_t *timer)
{
    struct server *s = timer->data;
    uint64_t now = uv_hrtime(), nearest = 0;
    s->deadline_at = 0;
    for (struct list *at = s->jobs.all.next, *next; at != &s->jobs.all; at = next) {
        struct job *job = CONTAINER(at, struct job, all);
        next = at->next;
        if (!job->request)
            continue;
        if (now >= job->deadline)
            job_abandon(job, SDD_EDEADLINE);
        else if (!nearest || job->deadline < nearest)
            nearest = job->deadline;
    }
    if (nearest)
        loop_deadline(s, nearest);
    http_run(s);
    stop_when_idle(s);
    log_flush(&s->log);
}

void loop_deadline(struct server *s, uint64_t deadline)
{
    uint64_t now = uv_hrtime();
    if (s->deadline_at && s->deadline_at <= deadline)
        return;
    s->deadline_at = deadline;
    uv_update_time(&s->loop);
    uv_timer_start(&s->deadline, on_deadline, deadline > now ? (deadline - now) / 1000000 + 1 : 0, 0);
}

bool loop_start(struct server *s, struct text *error)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    struct conns_config conns = {.max_head_bytes = (size_t)s->config->max_header_bytes,
                                 .max_connections = s->config->max_connections,
                                 .max_per_address = s->config->max_connections_per_address,
                                 .min_rate = s->config->min_rate,
                                 .header_deadline = s->config->header_deadline,
                                 .idle_timeout = s->config->idle_timeout,
                                 .user = s,
                                 .refused = refused,
                                 .slow = slow,
                                 .work_check = work_check};
    if (!conns_init(&s->conns, &conns) || uv_loop_init(&s->loop) || !http_start(s, error))
        return false;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->mhd, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info || uv_poll_init(&s->loop, &s->mhd_poll, info->epoll_fd))
        return false;
    uv_async_init(&s->loop, &s->wake, on_wake);
    uv_timer_init(&s->loop, &s->mhd_timer);
    uv_timer_init(&s->loop, &s->reaper);
    uv_timer_init(&s->loop, &s->drain);
    uv_timer_init(&s->loop, &s->deadline);
    s->mhd_poll.data = s->wake.data = s->mhd_timer.data = s->reaper.data = s->drain.data = s->deadline.data = s;
    for (int i = 0; i < 3; i++) {
        uv_signal_init(&s->loop, &s->signals[i]);
        s->signals[i].data = s;
        uv_signal_start(&s->signals[i], on_signal, numbers[i]);
    }
    uv_poll_start(&s->mhd_poll, UV_READABLE, on_sockets);
    uv_timer_start(&s->reaper, on_tick, TICK_MS, TICK_MS);
    return true;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* What runs on other threads comes back, unless a device hangs. Streams end with their connections. */
static void wait_for_work(struct server *s)
{
    for (int ms = 0; (s->jobs.n || (!s->mhd && !list_empty(&s->streams))) && ms < 1000; ms++) {
        jobs_collect(s);
        jobs_run(s);
        usleep(1000);
    }
}

void loop_run(struct server *s)
{
    metrics_set(&s->metrics, M_READY, 1);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    s->state = SERVER_CLOSING;
    abandon_all(s, SDD_EBUSY);
    streams_fail(s);
    answers_cut(s);
    for (int i = 0; i < 3; i++)
        http_run(s); /* everybody awake, last bytes out */
    wait_for_work(s);
    http_stop(s);
    wait_for_work(s);
    conns_fini(&s->conns);
    uv_walk(&s->loop, close_handle, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_loop_close(&s->loop);
}
