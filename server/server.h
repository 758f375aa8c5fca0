/* SPDX-License-Identifier: Apache-2.0 */
/* server.h: the door of the topmost room: the daemon as a whole. serve.c makes each room's part and hands the rooms to
 * each other; loop.c runs them until the daemon ends; config.c has the options; main.c is the command. No other room
 * includes this header: a room is handed its own part, and handlers are handed struct service. */
#ifndef SUBDD_SERVER_H
#define SUBDD_SERVER_H
#include "server/operation/operation.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include "server/serve.h"

struct server { /* the loop thread's, but for what the rooms say of theirs */
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
    struct service service; /* these, for handlers */

    uv_loop_t loop;
    uv_timer_t tick, drain;
    uv_signal_t signals[3];
    uint64_t closing_at;
    int exit_code;
};

#endif
