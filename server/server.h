/* SPDX-License-Identifier: Apache-2.0 */
/* server.h: the daemon's one object. The loop thread owns all of it but what is marked. */
#ifndef SUBDD_SERVER_H
#define SUBDD_SERVER_H
#include "gpu/sdd/sdd.h"
#include "server/resident/cache.h"
#include "server/config.h"
#include "server/net/mhd/conn.h"
#include "server/net/route.h"
#include "server/jobs/executor.h"
#include "server/jobs/jobs.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/serve.h"
#include "server/jobs/slots.h"
#include "server/store/storage.h"
#include <uv.h>

struct MHD_Daemon;
struct auth;
struct residency;

enum server_state { SERVER_READY, SERVER_NOT_READY, SERVER_CLOSING };

struct server {
    const struct config *config;
    open_device_fn *open_device;
    struct log log;
    struct metrics metrics; /* partly any thread, see metrics.h */
    struct routes routes;
    struct auth *auth; /* NULL: everybody may do everything */
    struct conns conns;
    struct jobs jobs;
    struct list streams; /* answers that are made while they are sent */
    struct list late;    /* .. that wait for more of a frame to be there (refine_answer.c), .. */
    bool cut;            /* .. and wait no more */
    struct slots slots;
    struct cache cache;

    struct executor *host, *disk, *compute; /* any thread may post                          */
    struct storage storage;
    sdd_device *device;                 /* compute thread                               */
    struct residency *residency;        /* compute thread                               */
    struct sdd_device_info device_info; /* as it was at start                           */
    int64_t host_memory;                /* --host-memory, or what 0 stands for          */
    atomic_llong frames_sending;        /* bytes of frames that answers still hold      */

    uv_loop_t loop;
    uv_poll_t mhd_poll;
    uv_timer_t mhd_timer, reaper, drain, deadline;
    uint64_t deadline_at; /* uv_hrtime for which `deadline` is armed; 0: it is not */
    uv_async_t wake;
    uv_signal_t signals[3];
    struct MHD_Daemon *mhd;
    int listen_fd;
    bool woken; /* connections were resumed: MHD has to run again */
    enum server_state state;
    const char *not_ready; /* why, for the readiness answer */
    uint64_t started_at, closing_at;
    int exit_code;
    int64_t inflight_bytes; /* of request bodies             */
    uint32_t next_request;
    char id_prefix[16];
};

/* server_fail: the daemon can no longer do its work: not ready at once, gone within a second, exit code as given. */
void server_fail(struct server *s, enum exit_code code, const char *why);

#endif
