/* SPDX-License-Identifier: Apache-2.0 */
/* server.h: the door of the topmost room: the daemon as a whole. serve.c makes each room's part and hands the rooms to
 * each other, loop.c runs them until the daemon ends, config.c has the options, and main.c is the command. No other
 * room includes this header: each is given its own part, and handlers are given struct service. */
#ifndef SUBDD_SERVER_H
#define SUBDD_SERVER_H
#include "server/api/watch.h"
#include "server/operation/operation.h"
#include "server/operation/people.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include "server/serve.h"
#include "server/watch.h"

/* The daemon. It belongs to the loop's thread, except for what the rooms say about their parts. */
struct server {
    const struct config *config;
    open_device_fn *open_device;
    struct log log;
    struct metrics metrics;
    struct net net;
    struct jobs jobs;
    struct memory memory;
    struct storage storage;
    struct sending sending;
    struct estimate estimate;
    struct watchers watchers;
    struct people people;
    struct quarantine quarantine;
    struct service service; /* Pointers to the parts above, for handlers. */

    uv_loop_t loop;
    uv_timer_t tick, drain;
    uv_signal_t signals[3];
    struct watch watch;
    uint64_t closing_at, rechecked_at;
    atomic_ullong given_at; /* When memory was given back last that may still be kept for the next request, or 0. */
    struct task trim_device, trim_heap;
    atomic_int trimming; /* How many of these tasks run. */
    int exit_code;
};

#endif
