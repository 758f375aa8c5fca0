/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: a few threads that run tasks in the order posted. Posting never waits; how much may be posted is
 * decided by who posts (jobs.c counts jobs against --queue-size). */
#ifndef SUBDD_EXECUTOR_H
#define SUBDD_EXECUTOR_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct task { /* embedded in what it works on; belongs to the executor until run is called, then to run */
    struct task *next;
    void (*run)(struct task *task, void *user);
};
struct executor;
/* executor_start: NULL when threads cannot be made. `user` is handed to every task. */
struct executor *executor_start(const char *name, int n_threads, void *user);
void executor_post(struct executor *e, struct task *task); /* any thread */
/* executor_take: from a task that runs: the first half of those waiting that fit, `most` at most, out of their turn;
 * they are the caller's to run. The other half is there to work on while these go on elsewhere. Returns how many. */
int executor_take(struct executor *e, bool (*fits)(const struct task *task, const void *cls), const void *cls, int most,
                  struct task **out);
/* executor_release: release(pointer) on one of its threads, or here when `bytes` is small: giving a gigabyte back
 * to the kernel takes longer than the loop should be away. */
void executor_release(struct executor *e, void *pointer, int64_t bytes, void (*release)(void *pointer));
/* Runs what is posted, then ends the threads. NULL is fine. */
void executor_stop(struct executor *e);
int executor_depth(const struct executor *e); /* tasks waiting or running */
/* Nanoseconds (CLOCK_MONOTONIC) since which a task has been running on the first thread; 0: idle. */
uint64_t executor_busy_since(const struct executor *e);

#endif
