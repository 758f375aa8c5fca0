/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h: sees whether the daemon's threads come round: the loop, the device's thread and the store's. It measures
 * their longest pauses for /metrics, and feeds systemd's watchdog while all of them go on.
 * Threads  the loop's */
#ifndef SUBDD_WATCH_H
#define SUBDD_WATCH_H
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct server;

/* What was last seen of a thread, and when that was new. */
struct pulse {
    uint64_t task; /* When its task began; 0 when it has none. */
    int64_t steps; /* How many steps within tasks it has done: launches, edits done again. */
    uint64_t at;
};
struct watch {
    uv_prepare_t round;
    uint64_t round_at, waited; /* The end of the loop's last round, and how long it had waited for events by then. */
    uint64_t patience;         /* How long a thread may show nothing new while it works; 0 when nobody is told. */
    struct pulse device, store;
};

/* watch_start: watches the loop's rounds from here on, with a handle on the loop. */
void watch_start(struct server *s);
/* watch_tick: measures pauses. A timer calls it, so it is not called when the loop leaves out its timers.
 * Result  false when a thread has not gone on for too long, and then systemd must not be told that all is well */
bool watch_tick(struct server *s, uint64_t now);
/* watch_goes_on: true when the thread is idle, or has shown something new within `patience`. */
bool watch_goes_on(struct pulse *p, uint64_t task, int64_t steps, uint64_t now, uint64_t patience);

#endif
