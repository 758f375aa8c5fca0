/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: a few threads that run tasks in the order that fair.h chooses. Posting never waits, so the caller must
 * limit how much it posts; jobs.c counts jobs against --queue-size. Where there are several threads, long tasks leave
 * one of them free. */
#ifndef SUBDD_EXECUTOR_H
#define SUBDD_EXECUTOR_H
#include "server/jobs/fair.h"

struct executor;
/* executor_start: starts the threads, which pass `user` to every task. Returns NULL when it cannot. */
struct executor *executor_start(const char *name, int n_threads, void *user);
/* executor_post: may be called on any thread. */
void executor_post(struct executor *e, struct task *task);
/* executor_hurry: fair_hurry on the queue and, where there is one thread, on what runs. */
void executor_hurry(struct executor *e, const struct task *task);
/* executor_pause: for a long task to call every few milliseconds, on its thread, where others may run inside it: it
 * runs those whose turn it is once the task has used its slice. They are as if a function had been called: what the
 * task uses must bear them (struct fair_claim, thing).
 * Result  true when the task is cancelled and should end
 * executor_is_inside: whether the task that runs is inside another one.
 * executor_was_paused: whether others have run inside the task that runs, so that its times are not its own.
 * executor_keep_on: the task that runs can no longer be cancelled.
 * executor_outermost: when the outermost task began that is paused on this thread, or 0 when none is.
 * Threads  the executor's one thread */
bool executor_pause(struct executor *e);
bool executor_is_inside(const struct executor *e);
bool executor_was_paused(const struct executor *e);
void executor_keep_on(struct executor *e);
uint64_t executor_outermost(const struct executor *e);
/* executor_fitting: how many tasks wait that fit. A running task may call these two.
 * executor_take: takes the first of them, `most` at most, out of the queue, ahead of their turn. It asks once about
 * each, in the order in which they came.
 * Owner   the tasks in *out are the caller's to run
 * Result  how many they are */
int executor_fitting(struct executor *e, bool (*fits)(const struct task *task, void *cls), void *cls);
int executor_take(struct executor *e, bool (*fits)(const struct task *task, void *cls), void *cls, int most,
                  struct task **out);
/* executor_release: calls release(pointer) on one of the threads, or at once when `bytes` is small. Giving a gigabyte
 * back to the kernel takes longer than the loop may be away. */
void executor_release(struct executor *e, void *pointer, int64_t bytes, void (*release)(void *pointer));
/* executor_end: runs what is posted, then ends the threads. What others still post goes nowhere.
 * executor_stop: the same, and frees it: nobody may post any more. NULL is fine. */
void executor_end(struct executor *e);
void executor_stop(struct executor *e);
/* executor_depth: the number of tasks that wait or run. */
int executor_depth(const struct executor *e);
/* executor_waits: how many tasks of each class wait, in n[], and how many nanoseconds the oldest has waited. Any thread
 * may call it. */
int64_t executor_waits(struct executor *e, int n[FAIR_CLASSES]);
/* executor_busy_since: since when the thread has not been able to take another task, in nanoseconds of CLOCK_MONOTONIC:
 * the beginning of the current one or its last pause; 0 when idle. It is meant for executors with one thread. */
uint64_t executor_busy_since(const struct executor *e);
/* executor_longest: the longest time, in nanoseconds, that the thread has not taken another task since the last call:
 * that of a task, or of a part of it between two pauses; one that still runs counts with what it has taken so far. It
 * is meant for executors with one thread. */
uint64_t executor_longest(struct executor *e);

#endif
