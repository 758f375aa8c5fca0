/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h: the daemon's one loop, from ready to closed: signals, draining, failure, and the hooks by which jobs and
 * connections move each other on. */
#ifndef SUBDD_LOOP_H
#define SUBDD_LOOP_H

struct server;
/* loop_start: adds timers and signals to the loop, on which net and jobs have their handles already. */
void loop_start(struct server *s);
/* loop_run: serves until a signal or a failure ends it, then lets jobs end and closes everything. */
void loop_run(struct server *s);
/* loop_notify: tells systemd the state "READY=1", "STOPPING=1" or "WATCHDOG=1", if it started the daemon with
 * Type=notify. */
void loop_notify(const char *state);

/* The functions below are the hooks of net and jobs. `user` is the struct service of the server. */

/* loop_run_jobs: moves on the jobs that got their turn. */
void loop_run_jobs(void *user);
/* loop_served: called after the sockets were looked at. */
void loop_served(void *user);
/* loop_moved: called when jobs went on, so that connections go on. */
void loop_moved(void *user);
/* loop_ended: called with the result of any work. When the daemon cannot survive it, it stops being ready at once and
 * ends within a second. */
void loop_ended(void *user, int rc);

#endif
