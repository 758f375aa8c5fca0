/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: a few threads that run tasks in the order in which they were posted. Posting never waits, so the caller
 * must limit how much it posts; jobs.c counts jobs against --queue-size. */
#ifndef SUBDD_EXECUTOR_H
#define SUBDD_EXECUTOR_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A task is embedded in the struct that it works on. The executor owns it until `run` is called, and then `run` does.
 * */
struct task {
    struct task *next;
    void (*run)(struct task *task, void *user);
};
struct executor;
/* executor_start: starts the threads, which pass `user` to every task. Returns NULL when it cannot. */
struct executor *executor_start(const char *name, int n_threads, void *user);
/* executor_post: may be called on any thread. */
void executor_post(struct executor *e, struct task *task);
/* executor_take: takes waiting tasks that fit out of the queue, ahead of their turn; a running task may call it. It
 * takes the first half of those that fit, and `most` at most, so that the other half is left to work on while the
 * caller is busy with these.
 * Owner   the tasks in *out are the caller's to run
 * Result  how many they are */
int executor_take(struct executor *e, bool (*fits)(const struct task *task, const void *cls), const void *cls, int most,
                  struct task **out);
/* executor_release: calls release(pointer) on one of the threads, or at once when `bytes` is small. Giving a gigabyte
 * back to the kernel takes longer than the loop may be away. */
void executor_release(struct executor *e, void *pointer, int64_t bytes, void (*release)(void *pointer));
/* executor_stop: runs what is posted, then ends the threads. NULL is fine. */
void executor_stop(struct executor *e);
/* executor_depth: the number of tasks that wait or run. */
int executor_depth(const struct executor *e);
/* executor_busy_since: when the current task began, in nanoseconds of CLOCK_MONOTONIC, or 0 when idle. It is meant for
 * executors with one thread. */
uint64_t executor_busy_since(const struct executor *e);
/* executor_longest: the longest time, in nanoseconds, that a thread has spent on one task since the last call; a task
 * that still runs counts with what it has taken so far. */
uint64_t executor_longest(struct executor *e);

#endif
