/* SPDX-License-Identifier: Apache-2.0 */
/* conn_send.c: sends bodies from where they lie, for answers that are made while they are sent. libmicrohttpd copies
 * such a body into a buffer of its own and sends that by send() or sendmsg(). Both are dynamic symbols, as recv() is,
 * and are replaced here: what it would send of the buffer is sent from its source instead. This saves the loop a copy
 * of every byte. */
#include "server/net/mhd/conn.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_PARTS 4 /* The parts of a message; libmicrohttpd has two, a head and a body. */

bool conn_is_sent(const struct conn *c)
{
    return !c->body.left || c->body.from == c->body.out;
}

/* Without a budget many fast readers would keep the loop from its timers, its signals and the work that is done. A
 * connection that has given waits until all others have that can, because libmicrohttpd goes over them in an order that
 * stays the same. */
void conns_begin_turn(struct conns *all)
{
    const uint64_t round = all->turn.round + !all->turn.waiting;
    all->turn = (struct conns_turn){.began = conn_now(), .round = round};
}

static bool has_turn(struct conn *c)
{
    struct conns_turn *t = &c->all->turn;
    if (c->gave == t->round)
        return false;
    t->waiting = t->given >= CONNS_TURN_BYTES || conn_now() - t->began > CONNS_TURN_NS;
    return !t->waiting;
}

ssize_t conn_give(struct conn *c, char *out, const void *from, size_t n)
{
    struct conn_body *b = &c->body;
    if (!conn_is_sent(c))
        return -1;
    if (!has_turn(c))
        return 0;
    c->gave = c->all->turn.round;
    c->all->turn.given += (int64_t)n;
    /* Nothing is copied when the buffer holds only older bytes of this answer. Should libmicrohttpd send it by another
     * way than send(), no bytes of another client get out. */
    const bool in_place = b->n && b->left == 0 && out == b->out && n <= b->filled;
    const size_t filled = out == b->out && b->filled > n ? b->filled : n;
    if (from != out && !in_place)
        memcpy(out, from, n);
    *b = (struct conn_body){out, in_place ? from : out, n, n, filled};
    return (ssize_t)n;
}

void conn_hold_little(struct conn *c)
{
    const int bytes = CONN_UNSENT_BYTES;
    (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes); /* Without it more is held. */
}

/* Where the bytes really lie that `bytes` of the buffer stand for, or NULL when they are not in the buffer. */
static const void *source(const struct conn_body *b, const void *bytes, size_t n)
{
    const uintptr_t at = (uintptr_t)bytes - (uintptr_t)b->out;
    return at < b->n && n <= b->n - at ? b->from + at : NULL;
}

static void count(struct conn_body *b, size_t n)
{
    b->left -= n < b->left ? n : b->left;
}

__attribute__((visibility("default"))) ssize_t send(int fd, const void *buffer, size_t n, int flags)
{
    struct conn *c = conn_watched(fd);
    const void *from = c ? source(&c->body, buffer, n) : NULL;
    const ssize_t sent = sendto(fd, from ? from : buffer, n, flags, NULL, 0);
    if (from && sent > 0)
        count(&c->body, (size_t)sent);
    return sent;
}

__attribute__((visibility("default"))) ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct conn *c = conn_watched(fd);
    struct msghdr real = *message;
    struct iovec parts[MOST_PARTS];
    size_t before = 0, own = 0, n = 0;
    for (; c && n < (size_t)message->msg_iovlen && n < MOST_PARTS; n++) {
        parts[n] = message->msg_iov[n];
        const void *from = source(&c->body, parts[n].iov_base, parts[n].iov_len);
        own += from ? parts[n].iov_len : 0;
        before += from || own ? 0 : parts[n].iov_len;
        parts[n].iov_base = from ? (void *)(uintptr_t)from : parts[n].iov_base; /* It is only read, despite its type. */
    }
    if (own)
        real.msg_iov = parts, real.msg_iovlen = n;
    const ssize_t sent = (ssize_t)syscall(SYS_sendmsg, fd, &real, flags);
    if (own && sent > (ssize_t)before)
        count(&c->body, (size_t)sent - before < own ? (size_t)sent - before : own);
    return sent;
}
