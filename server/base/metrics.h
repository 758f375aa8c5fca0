/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h: the daemon's counters, gauges and histograms, written as Prometheus text. A label has few values, never
 * the name of a mesh or a user, so the text stays short.
 * Threads  metrics_add and metrics_set may be called on any thread, the others on the loop's */
#ifndef SUBDD_METRICS_H
#define SUBDD_METRICS_H
#include "server/base/text.h"
#include <stdatomic.h>
#include <stdint.h>

enum metric { /* The table in metrics.c has a row for each, in this order. */
              M_REJECTED_QUEUE,
              M_REJECTED_CONNECTIONS,
              M_REJECTED_AUTH,
              M_REJECTED_HOST,
              M_REJECTED_ORIGIN,
              M_REJECTED_FRAMING,
              M_REJECTED_SIZE,
              M_REJECTED_MEMORY,
              M_REJECTED_SLOW,
              M_CANCELLED,
              M_WAITING_MEMORY,
              M_BUDGET_PROGRAM, /* These are in the order of struct budgets, */
              M_BUDGET_CONNECTIONS,
              M_BUDGET_STORE,
              M_BUDGET_SPARE,
              M_BUDGET_CACHE,
              M_BUDGET_DEVICE,
              M_BUDGET_HOST,
              M_POOL_BODIES, /* and these of enum pool_use. */
              M_POOL_DECODING,
              M_POOL_FRAMES,
              M_POOL_MESHES,
              M_QUEUE_HOST,
              M_QUEUE_STORE,
              M_QUEUE_DEVICE,
              M_WAITING_SHORT,
              M_WAITING_LONG,
              M_WAITING_BULK,
              M_WAIT_LONGEST_MS,
              M_INFLIGHT_BYTES,
              M_SESSIONS,
              M_MESHES_DEVICE,
              M_MESHES_HOST,
              M_MESHES_DISK,
              M_HOST_BYTES,
              M_DEVICE_TOPOLOGY,
              M_DEVICE_POSITIONS,
              M_DEVICE_SCRATCH,
              M_DEVICE_LIMIT,
              M_DEVICE_PINNED,
              M_DEVICE_ERRORS_LOST,
              M_DEVICE_ERRORS_MEMORY,
              M_EVICTIONS_DEVICE,
              M_EVICTIONS_HOST,
              M_REFINED_CATMULL_CLARK,
              M_REFINED_LOOP,
              M_REFINED_BILINEAR,
              M_REFINED_SQRT3,
              M_FRAMES_BATCHED,
              M_FRAMES_CARRIED,
              M_LAUNCHES,
              M_STREAM_BYTES,
              M_STREAMS,
              M_WATCHERS,
              M_CACHE_HITS,
              M_CACHE_MISSES,
              M_CACHE_BYTES,
              M_STORE_DATABASE,
              M_STORE_LOG,
              M_STORE_LOST,
              M_STORE_LOST_ACCEPTED,
              M_DEATHS_SUSPECTED,
              M_DEATHS_QUARANTINED,
              M_READY,
              N_METRICS
};

enum phase { /* The phases of a request, in their order. */
             PHASE_QUEUE,
             PHASE_PARSE,
             PHASE_LOAD,
             PHASE_APPLY,
             PHASE_TOPOLOGY,
             PHASE_UPLOAD,
             PHASE_REFINE,
             PHASE_DIGEST,
             PHASE_DOWNLOAD,
             PHASE_ENCODE,
             PHASE_COMMIT,
             N_PHASES
};
extern const char *const phase_names[N_PHASES];

enum pause { /* The threads of which others wait when they are busy with one thing. */
             PAUSE_LOOP,
             PAUSE_DEVICE,
             PAUSE_STORE,
             N_PAUSES
};

#define METRICS_BUCKETS 16
#define METRICS_OPS 64 /* One more than there are routes, or more. */
#define METRICS_CODES 40
struct histogram {
    int64_t buckets[METRICS_BUCKETS + 1], count;
    double sum;
};
struct metrics {
    atomic_llong values[N_METRICS];
    const char *ops[METRICS_OPS]; /* The name of each operation; NULL where there is none. */
    int codes[METRICS_CODES];     /* The HTTP statuses seen so far. */
    int64_t requests[METRICS_OPS][METRICS_CODES];
    struct histogram durations[METRICS_OPS], phases[N_PHASES];
    double pauses[2][N_PAUSES]; /* The longest, in seconds: of the current half minute, and of the one before. */
    double half_began;
};

void metrics_add(struct metrics *m, enum metric which, int64_t n);
void metrics_set(struct metrics *m, enum metric which, int64_t value);
/* metrics_request: counts a request that has been answered. */
void metrics_request(struct metrics *m, int op, int status, double seconds);
/* metrics_phase: counts the time that a request spent in a phase. */
void metrics_phase(struct metrics *m, enum phase phase, double seconds);
/* metrics_pause: tells for how long a thread was busy with one thing; `now` is in seconds, of any clock. */
void metrics_pause(struct metrics *m, enum pause which, double seconds, double now);
/* metrics_write: adds all metrics to *out as Prometheus text. */
void metrics_write(const struct metrics *m, struct text *out);

#endif
