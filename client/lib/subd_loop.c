/* SPDX-License-Identifier: Apache-2.0 */
/* subd_loop.c: keeps the sockets and the timer that curl asks for. The blocking form polls them itself, and in the
 * event-loop form the caller does, so both run the same code. */
#include "subd_internal.h"
#include <time.h>

int64_t subd_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
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
        if (i < c->n_fds)
            c->fds[i] = c->fds[--c->n_fds];
        return 0;
    }
    if (i == SUBD_MAX_FDS)
        return -1; /* curl uses two or three. */
    c->n_fds = i == c->n_fds ? i + 1 : c->n_fds;
    c->fds[i].fd = fd;
    c->fds[i].events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
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

/* A cancel from another thread wakes no poll, so it may be noticed as late as this limit of 100 ms. */
int subd_poll_set(const subd_client *c, struct pollfd *fds, int *timeout_ms)
{
    int64_t wait = c->timer_ms < 0 ? 100 : c->timer_ms - subd_now_ms();
    for (int i = 0; i < c->n_fds; i++)
        fds[i] = (struct pollfd){.fd = c->fds[i].fd, .events = c->fds[i].events};
    *timeout_ms = wait < 0 ? 0 : wait > 100 ? 100 : (int)wait;
    return c->n_fds;
}

void subd_loop_turn(subd_client *c, int wait_ms)
{
    struct pollfd fds[SUBD_MAX_FDS];
    int timeout_ms, running, n = subd_poll_set(c, fds, &timeout_ms);
    int ready = poll(fds, (nfds_t)n, timeout_ms < wait_ms ? timeout_ms : wait_ms);
    for (int i = 0; i < n && ready > 0; i++) {
        int mask = (fds[i].revents & (POLLIN | POLLHUP) ? CURL_CSELECT_IN : 0) |
                   (fds[i].revents & POLLOUT ? CURL_CSELECT_OUT : 0) |
                   (fds[i].revents & (POLLERR | POLLNVAL) ? CURL_CSELECT_ERR : 0);
        if (mask)
            curl_multi_socket_action(c->multi, fds[i].fd, mask, &running);
    }
    if (c->timer_ms >= 0 && c->timer_ms <= subd_now_ms()) {
        c->timer_ms = -1; /* curl sets it again when it wants another call. */
        curl_multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}
