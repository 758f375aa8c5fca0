/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h: the clients that follow a mesh on one connection, those of watch, which get frames, and those of events,
 * which get news, for the handlers that change meshes and for the loop. What the two have in common is in watcher.h.
 * Threads  the loop's */
#ifndef SUBDD_API_WATCH_H
#define SUBDD_API_WATCH_H
#include "server/base/table.h"
#include <stdbool.h>
#include <stdint.h>

#define WATCH_BEAT_SECONDS 15

struct auth;
struct watcher;
struct watchers {
    struct list all;     /* The watchers whose request is not over. */
    struct table meshes; /* Each mesh that has watchers: struct watched. */
};

void watchers_init(struct watchers *all);
/* watchers_fini: frees the table, when all requests are over. */
void watchers_fini(struct watchers *all);
/* watchers_tell: the mesh has another version, or is gone. Handlers call events_version or events_deleted (events.h),
 * which call this. */
void watchers_tell(struct watchers *all, const char *mesh);
/* watchers_tick: sends heartbeats and asks again for frames that the queue had no place for; the loop calls it every
 * 250 ms. With `ending` all streams end as soon as the record that they send is complete. */
void watchers_tick(struct watchers *all, uint64_t now, bool ending);
/* watchers_recheck: ends the streams whose token is not valid any more, after the tokens have changed. */
void watchers_recheck(struct watchers *all, const struct auth *auth);
/* watcher_left: the request of the watcher is over. */
void watcher_left(struct watcher *w);

#endif
