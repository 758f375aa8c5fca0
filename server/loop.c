/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c: runs the daemon's loop for serve.c: the daemon serves, drains or fails, and ends. */
#include "server/loop.h"
#include "server/net/auth.h"
#include "server/net/http.h"
#include "server/server.h"
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define RECHECK_SECONDS 5 /* So long may a watcher go on whose token has expired. */

#define TICK_MS 250
#define IDLE_SECONDS 5
#define FAIL_MS 100    /* How long a failing daemon still sends its last answers. */
#define LAST_SECONDS 1 /* How long it sends its last answers after --drain-timeout. */
#define STUCK_FACTOR 2 /* The device hangs when it does not pause for this many request deadlines and a minute. */

/* ---- stopping ---------------------------------------------------------------------------------------------------- */
void loop_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof a.sun_path)
        return;
    memcpy(a.sun_path, path, strlen(path));
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (*path == '@')
        a.sun_path[0] = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&a, n);
    close(fd);
}

static struct server *server_of(void *user)
{
    return CONTAINER(user, struct server, service);
}

static void stop_when_idle(struct server *s)
{
    if (s->net.state == NET_CLOSING && s->net.conns.n == 0 && s->jobs.n == 0)
        uv_stop(&s->loop);
}

static void on_close(uv_timer_t *timer)
{
    struct server *s = timer->data;
    if (s->exit_code) {
        uv_stop(&s->loop);
        return;
    }
    s->net.state = NET_CLOSING;
    s->closing_at = uv_hrtime();
    http_quiesce(&s->net);
    conns_close_idle(&s->net.conns);
    net_due(&s->net);
}

static void not_ready(struct server *s, enum net_state state, const char *why)
{
    s->net.state = state;
    s->net.not_ready = why;
    metrics_set(&s->metrics, M_READY, 0);
}

static void fail(struct server *s, enum exit_code code, const char *why)
{
    if (s->exit_code)
        return;
    s->exit_code = code;
    not_ready(s, NET_FAILED, why);
    if (code == EXIT_DEVICE)
        metrics_add(&s->metrics, M_DEVICE_ERRORS_LOST, 1);
    log_event(&s->log, LOG_ERROR, "failed", "%s; the daemon ends with exit code %d", why, (int)code);
    uv_timer_start(&s->drain, on_close, FAIL_MS, 0);
}

void loop_ended(void *user, int rc)
{
    struct server *s = server_of(user);
    if (rc == SDD_EDEVICE)
        fail(s, EXIT_DEVICE, "the compute device was lost");
    if (rc == SDD_ESTORE && atomic_load(&s->storage.broken))
        fail(s, EXIT_STORE, "the store cannot write");
}

static void reload(struct server *s)
{
    struct text error = {0};
    if (!log_reopen(&s->log))
        log_event(&s->log, LOG_ERROR, "log", "the log file cannot be opened again");
    if (!s->net.auth)
        return;
    if (auth_reload(s->net.auth, &error))
        log_event(&s->log, LOG_ERROR, "tokens", "%s; the old tokens stay", error.data ? error.data : "out of memory");
    else {
        log_event(&s->log, LOG_INFO, "tokens", "%d tokens", auth_count(s->net.auth));
        watchers_recheck(&s->watchers, s->net.auth);
        net_due(&s->net);
    }
    text_free(&error);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct server *s = handle->data;
    if (number == SIGHUP) {
        reload(s);
        return;
    }
    if (s->net.state != NET_READY) {
        log_event(&s->log, LOG_WARNING, "stop", "second signal: leaving at once");
        log_flush(&s->log);
        quarantine_close(&s->quarantine, false);
        _exit(128 + number);
    }
    log_event(&s->log, LOG_INFO, "stop", "signal %d: draining", number);
    loop_notify("STOPPING=1");
    not_ready(s, NET_NOT_READY, "the daemon is draining");
    uv_timer_start(&s->drain, on_close, (uint64_t)(s->config->drain_delay * 1e3), 0);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
void loop_served(void *user)
{
    struct server *s = server_of(user);
    stop_when_idle(s);
    log_flush(&s->log);
}

/* Lets jobs go on that wait for memory, and drops host copies of meshes that nobody uses where those are in the way. */
static void share_memory(struct server *s)
{
    struct pool *pool = &s->memory.pool;
    const int64_t wanted = jobs_unpark(&s->jobs, pool_left(pool), atomic_exchange(&pool->moved, false)),
                  short_of = wanted - pool_left(pool);
    metrics_set(&s->metrics, M_WAITING_MEMORY, atomic_load(&s->jobs.n_parked));
    if (short_of > 0)
        slots_evict(&s->memory.slots, short_of);
    if (wanted > pool_could(pool))
        lastings_shed(&s->jobs.lasting);
}

/* Answers resume connections, and libmicrohttpd must run afterwards: it uses an external loop, so a resumed connection
 * wakes nobody. */
void loop_moved(void *user)
{
    share_memory(server_of(user));
    net_due(&server_of(user)->net);
}

void loop_run_jobs(void *user)
{
    jobs_run(&server_of(user)->jobs);
}

static bool is_stuck(const struct server *s, uint64_t now)
{
    uint64_t since = executor_busy_since(s->jobs.compute);
    return since && now > since && (double)(now - since) * 1e-9 > STUCK_FACTOR * s->config->request_deadline + 60;
}

static void trim_device(struct task *task, void *user)
{
    struct server *s = CONTAINER(task, struct server, trim_device);
    (void)user;
    sdd_device_trim(s->memory.device);
    atomic_fetch_sub(&s->trimming, 1);
}

static void trim_heap(struct task *task, void *user)
{
    struct server *s = CONTAINER(task, struct server, trim_heap);
    (void)user;
    (void)malloc_trim(0);
    atomic_fetch_sub(&s->trimming, 1);
}

/* Gives blocks that were kept for the next request back to the system once no more come. */
static void trim_when_idle(struct server *s, uint64_t now)
{
    const uint64_t given = atomic_load(&s->given_at);
    if (!given || now < given || (double)(now - given) * 1e-9 < IDLE_SECONDS || s->jobs.n || atomic_load(&s->trimming))
        return;
    atomic_store(&s->given_at, 0);
    atomic_store(&s->trimming, 2);
    s->trim_device.run = trim_device;
    s->trim_heap.run = trim_heap;
    executor_post(s->jobs.compute, &s->trim_device);
    executor_post(s->jobs.reaper, &s->trim_heap);
}

static void on_tick(uv_timer_t *timer)
{
    struct server *s = timer->data;
    uint64_t now = uv_hrtime();
    conns_tick(&s->net.conns, now);
    trim_when_idle(s, now);
    lastings_expire(&s->jobs.lasting, now);
    if (is_stuck(s, now))
        fail(s, EXIT_DEVICE, "the compute device does not come back");
    if (s->net.state == NET_CLOSING) {
        conns_close_idle(&s->net.conns);
        double left = s->config->drain_timeout - (double)(now - s->closing_at) * 1e-9;
        if (left < 0)
            jobs_abandon(&s->jobs, SDD_EBUSY);
        if (left < -LAST_SECONDS)
            uv_stop(&s->loop);
    }
    watchers_tick(&s->watchers, now, s->net.state >= NET_FAILED);
    if (s->net.auth && (double)(now - s->rechecked_at) * 1e-9 >= RECHECK_SECONDS) { /* Tokens expire. */
        watchers_recheck(&s->watchers, s->net.auth);
        s->rechecked_at = now;
    }
    people_tick(&s->people, now);
    if (watch_tick(s, now) && !s->exit_code)
        loop_notify("WATCHDOG=1");
    loop_moved(&s->service);
}

/* ---- from start to end ------------------------------------------------------------------------------------------- */
void loop_start(struct server *s)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    uv_timer_init(&s->loop, &s->tick);
    uv_timer_init(&s->loop, &s->drain);
    s->tick.data = s->drain.data = s;
    for (int i = 0; i < 3; i++) {
        uv_signal_init(&s->loop, &s->signals[i]);
        s->signals[i].data = s;
        uv_signal_start(&s->signals[i], on_signal, numbers[i]);
    }
    uv_timer_start(&s->tick, on_tick, TICK_MS, TICK_MS);
    watch_start(s);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* Waits up to a second for work on other threads, which may not come back when the device hangs. Streams end with their
 * connections, so they are waited for when these are closed. */
static void wait_for_work(struct server *s)
{
    for (int ms = 0; (s->jobs.n || (!s->net.mhd && !list_empty(&s->sending.streams))) && ms < 1000; ms++) {
        jobs_collect(&s->jobs);
        jobs_run(&s->jobs);
        usleep(1000);
    }
}

void loop_run(struct server *s)
{
    metrics_set(&s->metrics, M_READY, !s->net.held);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    s->net.state = NET_CLOSING;
    jobs_abandon(&s->jobs, SDD_EBUSY);
    streams_fail(&s->sending);
    answers_cut(&s->sending);
    watchers_tick(&s->watchers, uv_hrtime(), true);
    for (int i = 0; i < 3; i++)
        http_run(&s->net); /* This wakes all connections and sends the last bytes. */
    wait_for_work(s);
    http_stop(&s->net);
    wait_for_work(s);
    watchers_fini(&s->watchers);
    conns_fini(&s->net.conns);
    uv_walk(&s->loop, close_handle, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_loop_close(&s->loop);
}
