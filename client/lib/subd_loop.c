/* SPDX-License-Identifier: Apache-2.0 */
/* subd_loop.c: keeps the sockets and the timer that curl asks for. The blocking form polls them itself, a program that
 * polls gets them from here, and an event loop is told of them, so all three run the same code. */
#include "subd_internal.h"
#include <string.h>
#include <time.h>

int64_t subd_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A cancel from another thread wakes no poll, so it may be noticed as late as this. */
#define LONGEST_WAIT_MS 100

static unsigned events_of(const struct pollfd *fd)
{
    return (fd->events & POLLIN ? SUBD_READABLE : 0u) | (fd->events & POLLOUT ? SUBD_WRITABLE : 0u);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
    subd_client *c = arg;
    int i = 0;
    (void)easy;
    (void)socket_arg;
    while (i < c->n_fds && c->fds[i].fd != fd)
        i++;
    if (what == CURL_POLL_REMOVE) {
        if (i == c->n_fds)
            return 0;
        if (c->loop.watch)
            c->loop.watch(c->loop.arg, fd, 0, &c->states[i]);
        c->n_fds--;
        c->fds[i] = c->fds[c->n_fds];
        c->states[i] = c->states[c->n_fds];
        return 0;
    }
    if (i == SUBD_MAX_FDS)
        return -1; /* curl uses two or three. */
    if (i == c->n_fds) {
        c->n_fds++;
        c->states[i] = NULL;
    }
    c->fds[i].fd = fd;
    c->fds[i].events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
    if (c->loop.watch)
        c->loop.watch(c->loop.arg, fd, events_of(&c->fds[i]), &c->states[i]);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *arg)
{
    (void)multi;
    ((subd_client *)arg)->timer_ms = timeout_ms < 0 ? -1 : subd_now_ms() + timeout_ms;
    return 0;
}

void subd_loop_attach(subd_client *c)
{
    c->timer_ms = -1;
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
}

/* How long to wait until curl or a cancel may want something. */
static int wait_ms(const subd_client *c)
{
    int64_t wait = c->timer_ms < 0 ? LONGEST_WAIT_MS : c->timer_ms - subd_now_ms();
    return wait < 0 ? 0 : wait > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : (int)wait;
}

static void act(subd_client *c, curl_socket_t fd, int mask)
{
    struct subd_sigpipe s;
    int running;
    subd_sigpipe_block(&s);
    curl_multi_socket_action(c->multi, fd, mask, &running);
    subd_sigpipe_restore(&s);
}

static void run_timer(subd_client *c)
{
    if (c->timer_ms < 0 || c->timer_ms > subd_now_ms())
        return;
    c->timer_ms = -1; /* curl sets it again when it wants another call. */
    act(c, CURL_SOCKET_TIMEOUT, 0);
}

/* ---- the program polls ----------------------------------------------------------------------------------------- */

int subd_poll_set(const subd_client *c, struct pollfd *fds, int *timeout_ms)
{
    int rc = SUBD_NEED(NULL, c, fds, timeout_ms);
    if (rc != SUBD_OK)
        return rc;
    for (int i = 0; i < c->n_fds; i++)
        fds[i] = (struct pollfd){.fd = c->fds[i].fd, .events = c->fds[i].events};
    *timeout_ms = wait_ms(c);
    return c->n_fds;
}

void subd_loop_turn(subd_client *c, int most_ms)
{
    struct pollfd fds[SUBD_MAX_FDS];
    int timeout_ms, n = subd_poll_set(c, fds, &timeout_ms);
    int ready = poll(fds, (nfds_t)n, timeout_ms < most_ms ? timeout_ms : most_ms);
    for (int i = 0; i < n && ready > 0; i++) {
        int mask = (fds[i].revents & (POLLIN | POLLHUP) ? CURL_CSELECT_IN : 0) |
                   (fds[i].revents & POLLOUT ? CURL_CSELECT_OUT : 0) |
                   (fds[i].revents & (POLLERR | POLLNVAL) ? CURL_CSELECT_ERR : 0);
        if (mask)
            act(c, fds[i].fd, mask);
    }
    run_timer(c);
}

int subd_step(subd_client *c)
{
    int rc = SUBD_NEED(NULL, c);
    if (rc != SUBD_OK || !c->call.active || c->loop.done)
        return SUBD_EUSAGE;
    subd_loop_turn(c, 0);
    return subd_request_advance(c);
}

/* ---- the program's loop is told ---------------------------------------------------------------------------------- */

void subd_loop_rearm(subd_client *c)
{
    if (c->loop.timer)
        c->loop.timer(c->loop.arg, c->call.active ? wait_ms(c) : -1);
}

void subd_loop_detach(subd_client *c)
{
    for (int i = 0; i < c->n_fds && c->loop.watch; i++)
        c->loop.watch(c->loop.arg, c->fds[i].fd, 0, &c->states[i]);
    subd_loop_rearm(c);
    memset(&c->loop, 0, sizeof c->loop);
}

int subd_attach(subd_client *c, const struct subd_loop *loop, struct subd_error *err)
{
    struct subd_loop own = {0};
    int rc;
    if ((rc = SUBD_NEED(err, c)) || (loop && (rc = SUBD_TAKE(&own, loop, subd_loop, err))))
        return rc;
    if (c->call.active)
        return subd_fail(err, SUBD_EUSAGE, "this client has a call under way");
    if (loop && (!own.watch || !own.timer || !own.done))
        return subd_fail(err, SUBD_EUSAGE, "a callback of struct subd_loop is NULL: it needs watch, timer and done");
    subd_loop_detach(c);
    c->loop = own;
    return SUBD_OK;
}

/* Nothing of the client is touched after `done`, which may have closed it. */
static int tell(subd_client *c)
{
    const struct subd_loop loop = c->loop;
    int rc;
    run_timer(c);
    rc = subd_request_advance(c);
    subd_loop_rearm(c);
    if (rc != SUBD_PENDING)
        loop.done(loop.arg, rc);
    return SUBD_OK;
}

int subd_socket_ready(subd_client *c, int fd, unsigned events)
{
    int rc = SUBD_NEED(NULL, c);
    if (rc != SUBD_OK || !c->loop.done)
        return SUBD_EUSAGE;
    if (!c->call.active)
        return SUBD_OK;
    int mask = (events & SUBD_READABLE ? CURL_CSELECT_IN : 0) | (events & SUBD_WRITABLE ? CURL_CSELECT_OUT : 0) |
               (events & SUBD_BROKEN ? CURL_CSELECT_ERR : 0);
    for (int i = 0; i < c->n_fds && mask; i++)
        if (c->fds[i].fd == fd) {
            act(c, fd, mask);
            break;
        }
    return tell(c);
}

int subd_timeout(subd_client *c)
{
    int rc = SUBD_NEED(NULL, c);
    if (rc != SUBD_OK || !c->loop.done)
        return SUBD_EUSAGE;
    return c->call.active ? tell(c) : SUBD_OK;
}
