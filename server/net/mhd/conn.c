/* SPDX-License-Identifier: Apache-2.0 */
/* conn.c: keeps the connections for http.c, and lets only those bytes through to libmicrohttpd that guard.c has
 * accepted. */
#include "server/net/mhd/conn.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define HEAD_NS 250000000ull /* By then a head is there, unless its client takes its time. */
#define DRAIN_BYTES (64 << 20)
#define DRAIN_TURN_BYTES (256 << 10) /* Of that in one turn of the loop. */

/* The connections of the loop thread. recv() on any other thread goes straight to the kernel. */
static _Thread_local struct conns *watched;

bool conns_init(struct conns *all, const struct conns_config *config)
{
    *all = (struct conns){.config = *config};
    all->scratch = malloc(config->max_head_bytes);
    watched = all;
    return all->scratch != NULL;
}

void conns_fini(struct conns *all)
{
    for (struct conn *c = all->first, *next; c; c = next) {
        next = c->next;
        conn_close(c);
    }
    for (int i = 0; i < all->n_lingers; i++)
        close(all->lingers[i].fd);
    free(all->by_fd);
    free(all->scratch);
    watched = NULL;
}

static bool make_room(struct conns *all, int fd)
{
    if (fd < all->n_fds)
        return true;
    int n = fd + 64;
    struct conn **grown = realloc(all->by_fd, (size_t)n * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + all->n_fds, 0, (size_t)(n - all->n_fds) * sizeof *grown);
    all->by_fd = grown;
    all->n_fds = n;
    return true;
}

static void name_address(char out[CONN_ADDRESS_SIZE], const struct sockaddr *a)
{
    if (a && a->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, out, CONN_ADDRESS_SIZE);
    if (a && a->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)a)->sin6_addr, out, CONN_ADDRESS_SIZE);
}

/* In which order connections are closed to make room, the first ones first; -1 for one that is not closed. A head takes
 * one round trip: who has not sent one for longer than that goes before connections that are kept for the next request.
 * Newcomers go last, or they would close each other. */
static int eviction_order(const struct conn *c, uint64_t now)
{
    if (c->phase != CONN_IDLE && c->phase != CONN_HEAD)
        return -1;
    if (c->phase == CONN_IDLE && c->used)
        return 1;
    return now - c->since > HEAD_NS ? 0 : 2;
}

/* Closes a connection without a request, so that neither idle sockets nor half heads can lock others out. Returns false
 * when there is none. */
static bool evict(struct conns *all)
{
    struct conn *first = NULL;
    const uint64_t now = uv_hrtime();
    for (struct conn *c = all->first; c; c = c->next) {
        const int order = eviction_order(c, now), least = first ? eviction_order(first, now) : order;
        if (order >= 0 && (!first || order < least || (order == least && c->since < first->since)))
            first = c;
    }
    if (!first)
        return false;
    conn_enter(first, CONN_DRAIN);
    shutdown(first->fd, SHUT_RDWR);
    return true;
}

struct conn *conn_open(struct conns *all, int fd, const struct sockaddr *address)
{
    struct conn *c = calloc(1, sizeof *c);
    struct sockaddr_storage own = {0};
    socklen_t own_bytes = sizeof own;
    int one = 1, same = 0;
    if (!c || !make_room(all, fd)) {
        free(c);
        return NULL;
    }
    c->all = all;
    c->fd = fd;
    name_address(c->address, address);
    if (getsockname(fd, (struct sockaddr *)&own, &own_bytes) == 0)
        name_address(c->arrived_at, (struct sockaddr *)&own);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    for (struct conn *o = all->first; o; o = o->next)
        same += strcmp(o->address, c->address) == 0;
    if (all->config.max_per_address && same >= all->config.max_per_address)
        c->refusal = SDD_ETOO_MANY;
    if (all->n >= all->config.max_connections && !evict(all))
        c->refusal = SDD_EBUSY;
    c->next = all->first;
    if (c->next)
        c->next->previous = c;
    all->first = c;
    all->n++;
    all->by_fd[fd] = c;
    conn_enter(c, CONN_IDLE);
    return c;
}

/* Keeps the socket open for a while and reads it. Input that nobody reads would turn the close into a reset, and the
 * client might never see the answer. */
static void keep_for_a_while(struct conn *c)
{
    struct conns *all = c->all;
    int fd = all->n_lingers < CONN_LINGERS ? fcntl(c->fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (fd < 0)
        return;
    all->lingers[all->n_lingers].fd = fd;
    all->lingers[all->n_lingers++].until = uv_hrtime() + CONN_DRAIN_NS;
}

void conn_close(struct conn *c)
{
    if (!c)
        return;
    if (c->linger)
        keep_for_a_while(c);
    if (c->previous)
        c->previous->next = c->next;
    else
        c->all->first = c->next;
    if (c->next)
        c->next->previous = c->previous;
    c->all->n--;
    c->all->by_fd[c->fd] = NULL;
    if (c->tied && c->all->config.closed)
        c->all->config.closed(c->all->config.user, c);
    free(c->target);
    free(c);
}

void conn_enter(struct conn *c, enum conn_phase phase)
{
    c->phase = phase;
    c->since = uv_hrtime();
    c->credit = c->all->config.header_deadline;
    c->progress = -1;
}

/* True when there is something to read, even if it is only the end. */
static bool is_readable(const struct conn *c)
{
    struct pollfd p = {c->fd, POLLIN, 0};
    return poll(&p, 1, 0) == 1;
}

/* Makes epoll report the socket again if it is readable. In edge-triggered mode epoll reports waiting bytes once, and
 * libmicrohttpd takes a short read to mean that nothing is left. When bytes were held back, or the end came with them,
 * setting the low-water mark to the value that it has makes the kernel report again: tcp_set_rcvlowat ends in the same
 * call as an arriving segment. */
static void tell_again(struct conn *c)
{
    int one = 1;
    if (is_readable(c))
        setsockopt(c->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
}

void conn_done(struct conn *c)
{
    c->request = NULL;
    c->body = (struct conn_body){0};
    c->used = true;
    c->asked = false;
    if (c->phase == CONN_DRAIN)
        return;
    conn_enter(c, CONN_IDLE);
    tell_again(c);
}

/* ---- the receive path ------------------------------------------------------------------------------------ */
static ssize_t kernel_recv(int fd, void *buffer, size_t n, int flags)
{
    return recvfrom(fd, buffer, n, flags, NULL, NULL);
}

static ssize_t later(void)
{
    errno = EAGAIN;
    return -1;
}

static ssize_t drain(struct conn *c, void *buffer, size_t n)
{
    ssize_t got, sum = 0;
    while ((got = kernel_recv(c->fd, buffer, n, 0)) > 0) {
        if ((c->drained += got) > DRAIN_BYTES)
            return 0;
        if ((sum += got) < DRAIN_TURN_BYTES)
            continue;
        tell_again(c);
        return later();
    }
    return got;
}

void conn_refuse(struct conn *c, const struct sdd_error *err)
{
    char answer[2048];
    size_t bytes = c->all->config.refused(c->all->config.user, c, err, answer, sizeof answer);
    conn_enter(c, CONN_DRAIN);
    /* An empty socket buffer takes 2 KiB at once. A peer that does not read does not get the reason. */
    (void)!send(c->fd, answer, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(c->fd, SHUT_WR);
}

static ssize_t refuse(struct conn *c, const struct sdd_error *err, void *buffer, size_t n)
{
    conn_refuse(c, err);
    return drain(c, buffer, n);
}

static bool begin_message(struct conn *c, struct sdd_error *err)
{
    const struct guard_head *h = &c->head;
    if (h->target_bytes >= c->target_capacity) {
        char *grown = realloc(c->target, h->target_bytes + 1);
        if (!grown)
            return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory") == SDD_OK;
        c->target = grown;
        c->target_capacity = h->target_bytes + 1;
    }
    memcpy(c->target, c->all->scratch + h->target, h->target_bytes);
    c->target[h->target_bytes] = 0;
    c->head_left = (int64_t)h->bytes;
    c->body_left = h->content_length > 0 ? h->content_length : 0;
    c->chunks = (struct guard_chunks){.done = !h->chunked};
    c->received = 0;
    conn_enter(c, CONN_BODY);
    c->head_at = c->since;
    return true;
}

/* True when the peer will send no more than what is waiting. */
static bool has_ended(const struct conn *c)
{
    struct pollfd p = {c->fd, POLLRDHUP, 0};
    return poll(&p, 1, 0) == 1;
}

/* Looks at what has come of the next head without taking it from the socket. Returns guard_head's result; or 0 with
 * *result, which is what recv() returns, 0 or less when there is nothing. */
static int peek_head(struct conn *c, ssize_t *result, struct sdd_error *err)
{
    size_t max = c->all->config.max_head_bytes;
    char *bytes = c->all->scratch;
    *result = kernel_recv(c->fd, bytes, max, MSG_PEEK);
    /* RFC 9112 2.2: an empty line before a request is dropped. */
    if (*result >= 2 && !memcmp(bytes, "\r\n", 2)) {
        kernel_recv(c->fd, bytes, 2, 0);
        *result = kernel_recv(c->fd, bytes, max, MSG_PEEK);
    }
    return *result <= 0 ? 0 : guard_head(bytes, (size_t)*result, max, &c->head, err);
}

/* Returns true when the next head is complete and good; else *result is what recv() returns. */
static bool next_head(struct conn *c, void *buffer, size_t n, ssize_t *result)
{
    struct sdd_error err = {0};
    int rc = peek_head(c, result, &err);
    /* The rest of a head and the end may arrive between the look at the bytes and the look for the end. */
    const bool ended = rc == 0 && *result > 0 && has_ended(c);
    if (ended)
        rc = peek_head(c, result, &err);
    if (rc == 1 && begin_message(c, &err))
        return true;
    if (rc)
        *result = refuse(c, &err, buffer, n);
    else if (*result > 0) {
        if (c->phase == CONN_IDLE)
            conn_enter(c, CONN_HEAD);
        *result = ended ? 0 : later();
    }
    return false;
}

/* Counts the bytes that libmicrohttpd got. When it got fewer than it has room for in the middle of a message, it must
 * be told of the next ones. */
static void account(struct conn *c, int64_t got, size_t room)
{
    int64_t head = got < c->head_left ? got : c->head_left;
    c->head_left -= head;
    c->received += got - head;
    if (!c->head.chunked)
        c->body_left -= got - head;
    bool complete = c->head_left == 0 && c->body_left == 0 && c->chunks.done;
    if (!complete && (uint64_t)got < room)
        tell_again(c);
}

static ssize_t receive_chunked(struct conn *c, void *buffer, size_t n)
{
    struct sdd_error err = {0};
    ssize_t got = kernel_recv(c->fd, buffer, n, MSG_PEEK);
    if (got <= 0)
        return got;
    int64_t head = got < c->head_left ? got : c->head_left;
    int64_t body = guard_chunks(&c->chunks, (char *)buffer + head, (size_t)(got - head));
    if (body < 0) {
        sdd_fail(&err, SDD_EMALFORMED, "transfer-encoding", "the chunked body is broken");
        return refuse(c, &err, buffer, n);
    }
    got = kernel_recv(c->fd, buffer, (size_t)(head + body), 0);
    if (got > 0)
        account(c, got, n);
    return got;
}

static ssize_t receive(struct conn *c, void *buffer, size_t n)
{
    ssize_t got;
    if (c->phase == CONN_DRAIN)
        return drain(c, buffer, n);
    if (c->phase == CONN_WORK || c->phase == CONN_SEND)
        return later(); /* The next request waits until this one is answered. */
    if ((c->phase == CONN_IDLE || c->phase == CONN_HEAD) && !next_head(c, buffer, n, &got))
        return got;
    if (c->head.chunked)
        return c->chunks.done && !c->head_left ? later() : receive_chunked(c, buffer, n);
    int64_t left = c->head_left + c->body_left;
    if (left == 0)
        return later();
    got = kernel_recv(c->fd, buffer, n < (uint64_t)left ? n : (size_t)left, 0);
    if (got > 0)
        account(c, got, n);
    return got;
}

struct conn *conn_watched(int fd)
{
    return watched && fd >= 0 && fd < watched->n_fds ? watched->by_fd[fd] : NULL;
}

/* This replaces libc's recv(), by which libmicrohttpd reads; conn.h says why. */
__attribute__((visibility("default"))) ssize_t recv(int fd, void *buffer, size_t n, int flags)
{
    struct conn *c = conn_watched(fd);
    if (!c || flags || n == 0)
        return kernel_recv(fd, buffer, n, flags);
    return receive(c, buffer, n);
}

bool conn_ended(const struct conn *c, bool *gone)
{
    struct pollfd p = {c->fd, POLLRDHUP, 0};
    const bool ended = poll(&p, 1, 0) == 1;
    *gone = (p.revents & (POLLHUP | POLLERR)) != 0 || (ended && c->head.http10);
    return ended;
}

bool conn_gone(struct conn *c)
{
    static const char ask[] = "HTTP/1.1 100 Continue\r\n\r\n";
    bool gone;
    if (!conn_ended(c, &gone) || gone)
        return gone;
    /* In the middle of an answer, which has given parts of its body, the next part asks. */
    if (!c->asked && !c->body.out) {
        c->asked = true;
        (void)!send(c->fd, ask, sizeof ask - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)conn_ended(c, &gone);
    }
    return gone;
}

uint64_t conn_now(void)
{
    return uv_hrtime();
}
