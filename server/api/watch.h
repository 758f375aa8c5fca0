/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h: who is told of new versions of meshes, for the handlers that make them and for the loop.
 * Threads  the loop's */
#ifndef SUBDD_API_WATCH_H
#define SUBDD_API_WATCH_H
#include "server/base/table.h"
#include <stdbool.h>
#include <stdint.h>

#define WATCH_BEAT_SECONDS 15

struct watcher;
struct watchers {
    struct list all; /* The watchers whose request is not over. */
};

/* watchers_tell: the mesh has another version, or is gone. */
void watchers_tell(struct watchers *all, const char *mesh);
/* watchers_tick: sends heartbeats and asks again for frames that the queue had no place for; the loop calls it every
 * 250 ms. With `ending` all streams end as soon as the record that they send is complete. */
void watchers_tick(struct watchers *all, uint64_t now, bool ending);
/* watcher_left: the request of the watcher is over. */
void watcher_left(struct watcher *w);

#endif
