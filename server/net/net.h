/* SPDX-License-Identifier: Apache-2.0 */
/* net.h: the door of net/: the listening socket, connections, requests and answers, over libmicrohttpd, whose ways are
 * known to net/mhd/ and to http.c. Loop thread only.
 *
 *   net_listen -> net_start -> [http.c screens a head, collects the body, calls the route's handler] -> http_stop
 *
 * net/ is handed the endpoint table and hooks; it knows no job, no mesh and no device. A handler answers with
 * answer_*() of http.h at once, or later: then http_answered wakes the connection. Rooms that serve requests may use
 * all of this; base/ and jobs/ may not. */
#ifndef SUBDD_NET_H
#define SUBDD_NET_H
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/base/settings.h"
#include "server/net/mhd/conn.h"
#include "server/net/route.h"
#include <uv.h>

struct MHD_Daemon;

enum net_state {
    NET_READY,
    NET_NOT_READY, /* requests are served, but readiness says no                   */
    NET_FAILED,    /* requests are refused, but those of health                    */
    NET_CLOSING    /* requests are refused likewise, and connections are closed    */
};

/* What net/ leaves to those who do the work behind the requests. user is theirs, and what handlers work with.
 * run     moves on the work that can go on; that may answer requests.
 * served  the sockets were looked at.
 * waits   comes four times a second while the request's connection waits for its answer, or for more of it.
 * left    the request is over; its client may have left before there was an answer. */
struct net_hooks {
    void *user;
    void (*run)(void *user);
    void (*served)(void *user);
    void (*waits)(struct request *r);
    void (*left)(struct request *r);
};

struct net {
    const struct config *config;
    struct log *log;
    struct metrics *metrics;
    struct routes routes;
    struct net_hooks hooks;
    struct auth *auth; /* NULL: everybody may do everything */
    /* The rest is made by net_listen and net_start. */
    struct conns conns;
    uv_poll_t poll;
    uv_timer_t timer;
    struct MHD_Daemon *mhd;
    int listen_fd;
    bool woken; /* connections were resumed: MHD has to run again */
    enum net_state state;
    const char *not_ready;  /* why, for the readiness answer */
    int64_t inflight_bytes; /* of request bodies             */
    uint32_t next_request;
    char id_prefix[16];
};

/* net_listen: binds "ADDR:PORT" (or "[ADDR]:PORT") of --listen and fills url[size] with what it really is.
 * Off loopback it needs tokens or --allow-unauthenticated. */
bool net_listen(struct net *n, char *url, size_t size, struct text *error);
/* net_start: everything is there, with handles on the loop, which closes them; nothing is served yet. */
bool net_start(struct net *n, uv_loop_t *loop, struct text *error);

#endif
