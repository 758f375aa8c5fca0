/* SPDX-License-Identifier: Apache-2.0 */
/* net.h: the door of net/: the listening socket, connections, requests and answers over libmicrohttpd. How that library
 * reads, sends and calls back is known to net/mhd/, http.c and net.c alone; other rooms use it only to make the body of
 * an answer.
 *
 *   net_listen -> net_start -> [http.c checks a head, collects the body, calls the route's handler] -> http_stop
 *
 * net/ is given the table of endpoints and hooks; it knows no job, no mesh and no device. A handler answers at once
 * with answer_*() of http.h, or later, and then http_answered wakes the connection. Rooms that serve requests may use
 * all of this; base/ and jobs/ may not.
 * Threads  the loop's */
#ifndef SUBDD_NET_H
#define SUBDD_NET_H
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/base/pool.h"
#include "server/base/settings.h"
#include "server/net/mhd/conn.h"
#include "server/net/route.h"
#include <uv.h>

struct MHD_Daemon;

enum net_state {
    NET_READY,
    NET_NOT_READY, /* Requests are served, but the readiness probe fails. */
    NET_FAILED,    /* All requests but those for health are refused. */
    NET_CLOSING    /* The same, and connections are closed after their answer. */
};

/* What net/ calls in the rooms that do the work behind requests. */
struct net_hooks {
    /* Passed to run and served; handlers reach it too. */
    void *user;
    /* Moves on the work that can go on, which may answer requests. */
    void (*run)(void *user);
    /* Called after the sockets were looked at. */
    void (*served)(void *user);
    /* Called four times a second while the request's connection waits for its answer or for more of it. */
    void (*waits)(struct request *r);
    /* The request is over. Its client may have left before there was an answer. */
    void (*left)(struct request *r);
    /* The connection is no more. */
    void (*closed)(void *user, const struct conn *c);
    /* Frees memory that was malloc'ed and that the pool counts, and then gives its bytes back. That of a large body
     * takes longer than the loop may be away. */
    void (*release)(void *user, enum pool_use use, void *memory, int64_t bytes);
};

struct net {
    const struct config *config;
    struct log *log;
    struct metrics *metrics;
    struct routes routes;
    struct net_hooks hooks;
    struct pool *pool; /* Counts the memory of bodies, beside all else. */
    struct auth *auth; /* NULL when everybody may do everything. */
    /* net_listen and net_start make the rest. */
    struct conns conns;
    uv_poll_t poll;
    uv_check_t turn;
    uv_idle_t due; /* It is active while libmicrohttpd has something to do, and keeps the loop from waiting. */
    struct MHD_Daemon *mhd;
    int listen_fd;
    bool woken; /* Connections were resumed, so libmicrohttpd has to run again. */
    enum net_state state;
    const char *not_ready;  /* Why the daemon is not ready, for the answer. */
    const char *held;       /* Why it is not ready from its start on, and requests on meshes are refused; else NULL. */
    int64_t inflight_bytes; /* The memory of all request bodies. */
    uint32_t next_request;
    char id_prefix[16]; /* Random, so that request ids of two runs differ. */
};

/* net_listen: binds the "ADDR:PORT" (or "[ADDR]:PORT") of --listen and fills url[size] with the address that it got.
 * Off loopback it needs tokens or --allow-unauthenticated. Returns false with the reason in *error. */
bool net_listen(struct net *n, char *url, size_t size, struct text *error);
/* net_start: makes everything else, with handles on the loop, which closes them. Nothing is served until the loop runs.
 * Returns false when something is missing, and *error may say what. */
bool net_start(struct net *n, uv_loop_t *loop, struct text *error);
/* net_due: connections may go on. They do so in this turn of the loop, after its timers, signals and finished jobs. */
void net_due(struct net *n);

#endif
