/* SPDX-License-Identifier: Apache-2.0 */
/* conn_deadline.c: closes connections that miss their deadlines, for the loop's tick. The deadlines are absolute, so a
 * client that sends a little now and then cannot put them off. */
#include "server/net/mhd/conn.h"
#include <errno.h>
#include <linux/tcp.h> /* The struct tcp_info of libc lacks tcpi_bytes_acked. */
#include <netinet/in.h>
#include <unistd.h>

#define LINGER_TURN_BYTES (8 << 20) /* What all lingering sockets together have read and dropped in one tick. */

/* How many bytes the peer has acknowledged since the connection began. */
static int64_t acknowledged(const struct conn *c)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &info, &size))
        return 0;
    return (int64_t)info.tcpi_bytes_acked;
}

/* True when a transfer has used up its credit. It begins with as many seconds as a head may take; waiting uses them up,
 * and bytes at the minimum rate earn them back. So a full stall and a steady drip both end, each after a fixed time. */
static bool stalled(struct conn *c, int64_t moved, double seconds)
{
    const struct conns_config *config = &c->all->config;
    if (c->progress >= 0)
        c->credit += (double)(moved - c->progress) / (double)config->min_rate - seconds;
    if (c->credit > config->header_deadline)
        c->credit = config->header_deadline;
    c->progress = moved;
    return c->credit < 0;
}

static bool late(struct conn *c, uint64_t now, double tick)
{
    const struct conns_config *config = &c->all->config;
    double age = (double)(now - c->since) * 1e-9;
    switch (c->phase) {
    case CONN_IDLE: return age > (c->used ? config->idle_timeout : config->header_deadline);
    case CONN_HEAD: return age > config->header_deadline;
    case CONN_BODY: return stalled(c, c->received, tick);
    case CONN_SEND: return stalled(c, acknowledged(c), tick);
    case CONN_DRAIN: return age > (double)CONN_DRAIN_NS * 1e-9;
    default: return false;
    }
}

static void close_late(struct conn *c)
{
    struct sdd_error err = {0};
    bool counts = c->phase != CONN_IDLE && c->phase != CONN_DRAIN;
    if (counts)
        c->all->config.slow(c->all->config.user, c);
    if (c->phase == CONN_HEAD || c->phase == CONN_BODY) {
        sdd_fail(&err, SDD_ETIMEOUT, "", "the request did not arrive in time");
        conn_refuse(c, &err);
    }
    conn_enter(c, CONN_DRAIN);
    shutdown(c->fd, SHUT_RDWR); /* libmicrohttpd sees the end of the connection and cleans up. */
}

static void tick_lingers(struct conns *all, uint64_t now)
{
    const ssize_t most = all->n_lingers ? LINGER_TURN_BYTES / all->n_lingers : 0;
    for (int i = 0; i < all->n_lingers;) {
        char *buffer = all->scratch;
        ssize_t n, total = 0;
        while ((n = recvfrom(all->lingers[i].fd, buffer, all->config.max_head_bytes, MSG_DONTWAIT, NULL, NULL)) > 0 &&
               total < most)
            total += n;
        bool over = n == 0 || (n < 0 && errno != EAGAIN) || now > all->lingers[i].until;
        if (over) {
            close(all->lingers[i].fd);
            all->lingers[i] = all->lingers[--all->n_lingers];
        } else
            i++;
    }
}

void conns_tick(struct conns *all, uint64_t now)
{
    double tick = all->ticked ? (double)(now - all->ticked) * 1e-9 : 0;
    all->ticked = now;
    for (struct conn *c = all->first, *next; c; c = next) {
        next = c->next;
        if (c->phase == CONN_WORK)
            all->config.work_check(all->config.user, c);
        else if (late(c, now, tick))
            close_late(c);
    }
    tick_lingers(all, now);
}

void conns_close_idle(struct conns *all)
{
    for (struct conn *c = all->first; c; c = c->next)
        if (c->phase == CONN_IDLE) {
            conn_enter(c, CONN_DRAIN);
            shutdown(c->fd, SHUT_RDWR);
        }
}
