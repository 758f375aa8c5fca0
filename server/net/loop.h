/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h: the one loop: connections, timers, signals, finished work. */
#ifndef SUBDD_LOOP_H
#define SUBDD_LOOP_H
#include "server/base/text.h"
#include <stdint.h>

struct server;
/* loop_start: handles and listener are there, nothing is served yet. s->listen_fd is bound by loop_listen first. */
bool loop_start(struct server *s, struct text *error);
/* loop_run: serves until a signal or server_fail ends it; then lets jobs end and closes all. */
void loop_run(struct server *s);

/* loop_deadline: jobs are looked at when this moment (uv_hrtime) comes. */
void loop_deadline(struct server *s, uint64_t deadline);

/* loop_listen: binds "ADDR:PORT" (or "[ADDR]:PORT") and fills url[size] with what it really is.
 * Off loopback it needs tokens or --allow-unauthenticated. */
bool loop_listen(struct server *s, char *url, size_t size, struct text *error);
/* Tells systemd, when it started us with Type=notify: "READY=1", "STOPPING=1", "WATCHDOG=1". */
void loop_notify(const char *state);

#endif
