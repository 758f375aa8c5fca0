/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c: measures how long the daemon's threads are away, for loop.c. */
#include "server/watch.h"
#include "server/server.h"
#include <stdlib.h>

/* A thread that does not go on for half of systemd's time ends the feeding, and systemd ends the daemon one whole time
 * later. Unit: WATCHDOG_USEC has microseconds. */
static uint64_t patience(void)
{
    const char *given = getenv("WATCHDOG_USEC");
    return given ? strtoull(given, NULL, 10) * 1000 / 2 : 0;
}

/* Called before the loop waits for events. What it did not wait since the last time, it worked. */
static void on_round(uv_prepare_t *round)
{
    struct server *s = round->data;
    struct watch *w = &s->watch;
    const uint64_t now = uv_hrtime(), waited = uv_metrics_idle_time(&s->loop);
    const uint64_t worked = now - w->round_at - (waited - w->waited);
    metrics_pause(&s->metrics, PAUSE_LOOP, (double)worked * 1e-9, (double)now * 1e-9);
    w->round_at = now;
    w->waited = waited;
}

void watch_start(struct server *s)
{
    uv_loop_configure(&s->loop, UV_METRICS_IDLE_TIME);
    uv_prepare_init(&s->loop, &s->watch.round);
    s->watch.round.data = s;
    s->watch.round_at = uv_hrtime();
    s->watch.patience = patience();
    uv_prepare_start(&s->watch.round, on_round);
}

bool watch_goes_on(struct pulse *p, uint64_t task, int64_t steps, uint64_t now, uint64_t patience)
{
    if (!task || task != p->task || steps != p->steps)
        *p = (struct pulse){task, steps, now};
    return now - p->at < patience;
}

bool watch_tick(struct server *s, uint64_t now)
{
    struct watch *w = &s->watch;
    struct executor *device = s->jobs.compute, *store = s->jobs.disk;
    metrics_pause(&s->metrics, PAUSE_DEVICE, (double)executor_longest(device) * 1e-9, (double)now * 1e-9);
    metrics_pause(&s->metrics, PAUSE_STORE, (double)executor_longest(store) * 1e-9, (double)now * 1e-9);
    /* A request may have the device for as long as its deadline, and goes on with every kernel. */
    const bool device_goes_on =
        watch_goes_on(&w->device, executor_busy_since(device), sdd_device_launches(s->memory.device), now, w->patience);
    return watch_goes_on(&w->store, executor_busy_since(store), store_applied(s->storage.store), now, w->patience) &&
           device_goes_on;
}
