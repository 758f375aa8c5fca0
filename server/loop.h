/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h: the one loop, from ready to closed: signals, draining, failure, and the hooks by which jobs and connections
 * move each other on. */
#ifndef SUBDD_LOOP_H
#define SUBDD_LOOP_H

struct server;
/* loop_start: timers and signals; net and jobs have their handles on the loop already. */
void loop_start(struct server *s);
/* loop_run: serves until a signal or a failure ends it; then lets jobs end and closes all. */
void loop_run(struct server *s);
/* Tells systemd, when it started us with Type=notify: "READY=1", "STOPPING=1", "WATCHDOG=1". */
void loop_notify(const char *state);

/* Hooks of net and jobs. user is the struct service of the server.
 * loop_run_jobs: jobs that got their turn go on. loop_served: sockets were looked at. loop_moved: jobs went on, so
 * connections go on. loop_ended: some work ended as rc says; when it cannot go on the daemon is not ready at once and
 * gone within a second. */
void loop_run_jobs(void *user);
void loop_served(void *user);
void loop_moved(void *user);
void loop_ended(void *user, int rc);

#endif
