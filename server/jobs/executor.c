/* SPDX-License-Identifier: Apache-2.0 */
/* executor.c: threads that share one queue of tasks, for jobs.c and for whoever frees large memory. */
#include "server/jobs/executor.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMALL_RELEASE (4 << 20)

struct executor {
    pthread_mutex_t mutex;
    pthread_cond_t more;
    struct fair queue;
    int n_long; /* The long tasks that run. */
    bool stopping;
    void *user;
    atomic_int depth;
    atomic_ullong stretch_since, longest;
    /* That of the only thread, which alone sets it, under the mutex; others do not pause. */
    struct fair_frame *innermost;
    uint64_t paused_at;
    int n_threads, n_wanted;
    pthread_t threads[];
};

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Takes the next task, and fills its frame before that: the task may be gone once it runs. */
static struct task *take(struct executor *e, struct fair_frame *frame)
{
    struct task *task;
    pthread_mutex_lock(&e->mutex);
    while (!(task = fair_take(&e->queue, e->n_long + 1 < e->n_wanted || !e->n_long)) &&
           !(e->stopping && !e->queue.first))
        pthread_cond_wait(&e->more, &e->mutex);
    if (task) {
        fair_begin(frame, NULL, task, now());
        e->n_long += fair_is_long(&frame->claim);
        if (e->n_wanted == 1)
            e->innermost = frame;
    }
    pthread_mutex_unlock(&e->mutex);
    return task;
}

/* Ends a stretch in which no other task could begin, and begins the next one; 0 begins none. */
static void begin_stretch(struct executor *e, uint64_t at)
{
    const uint64_t since = atomic_exchange(&e->stretch_since, at), end = at ? at : now();
    unsigned long long longest = atomic_load(&e->longest), took = since && end > since ? end - since : 0;
    while (took > longest && !atomic_compare_exchange_weak(&e->longest, &longest, took)) {
    }
}

static void ended(struct executor *e, struct fair_frame *frame)
{
    pthread_mutex_lock(&e->mutex);
    fair_end(&e->queue, frame, now());
    if (e->n_wanted == 1)
        e->innermost = frame->outer;
    if (!frame->outer && fair_is_long(&frame->claim)) {
        e->n_long--;
        pthread_cond_signal(&e->more); /* A long task may have waited for this one. */
    }
    if (e->stopping)
        pthread_cond_broadcast(&e->more);
    pthread_mutex_unlock(&e->mutex);
    atomic_fetch_sub(&e->depth, 1);
}

static void *work(void *arg)
{
    struct executor *e = arg;
    struct fair_frame frame;
    for (struct task *task; (task = take(e, &frame));) {
        begin_stretch(e, frame.began);
        task->run(task, e->user);
        begin_stretch(e, 0);
        ended(e, &frame);
    }
    return NULL;
}

/* Runs one task inside the innermost one, which paused at `since`, when it is the turn of any. */
static bool run_inside(struct executor *e, uint64_t since)
{
    struct fair_frame *outer = e->innermost, frame;
    pthread_mutex_lock(&e->mutex);
    const uint64_t began = now();
    const bool may = (int64_t)(began - since) < fair_inside_ns(outer);
    struct task *task = may ? fair_take_inside(&e->queue, outer, began) : NULL;
    if (task) {
        fair_begin(&frame, outer, task, began);
        e->innermost = &frame;
    }
    pthread_mutex_unlock(&e->mutex);
    if (!task)
        return false;
    begin_stretch(e, began);
    task->run(task, e->user);
    ended(e, &frame);
    return true;
}

bool executor_pause(struct executor *e)
{
    const struct fair_frame *frame = e->innermost;
    const uint64_t at = now();
    if (!frame)
        return false;
    if (fair_is_due(frame, e->paused_at, at)) {
        while (run_inside(e, at)) {
        }
        e->paused_at = now();
        begin_stretch(e, e->paused_at);
    }
    return frame->claim.cancel && atomic_load(frame->claim.cancel);
}

bool executor_is_inside(const struct executor *e)
{
    return e->innermost && e->innermost->outer;
}

bool executor_was_paused(const struct executor *e)
{
    return e->innermost && e->innermost->inside_ns > 0;
}

void executor_keep_on(struct executor *e)
{
    if (e->innermost)
        e->innermost->claim.cancel = NULL;
}

uint64_t executor_outermost(const struct executor *e)
{
    const struct fair_frame *frame = e->innermost;
    while (frame && frame->outer)
        frame = frame->outer;
    return frame ? frame->began : 0;
}

struct executor *executor_start(const char *name, int n_threads, void *user)
{
    struct executor *e = calloc(1, sizeof *e + (size_t)n_threads * sizeof e->threads[0]);
    sigset_t all, old;
    if (!e)
        return NULL;
    pthread_mutex_init(&e->mutex, NULL);
    pthread_cond_init(&e->more, NULL);
    fair_init(&e->queue);
    e->user = user;
    e->n_wanted = n_threads;
    sigfillset(&all); /* The new threads block all signals, which the loop handles. */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (; e->n_threads < n_threads; e->n_threads++) {
        if (pthread_create(&e->threads[e->n_threads], NULL, work, e))
            break;
        pthread_setname_np(e->threads[e->n_threads], name);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (e->n_threads == n_threads)
        return e;
    executor_stop(e);
    return NULL;
}

void executor_post(struct executor *e, struct task *task)
{
    atomic_fetch_add(&e->depth, 1);
    pthread_mutex_lock(&e->mutex);
    fair_post(&e->queue, task, now());
    pthread_mutex_unlock(&e->mutex);
    pthread_cond_signal(&e->more); /* Behind the mutex: who wakes up wants it at once. */
}

void executor_hurry(struct executor *e, const struct task *task)
{
    pthread_mutex_lock(&e->mutex);
    fair_hurry(&e->queue, e->innermost, task);
    pthread_mutex_unlock(&e->mutex);
}

int executor_fitting(struct executor *e, bool (*fits)(const struct task *task, void *cls), void *cls)
{
    int n = 0;
    pthread_mutex_lock(&e->mutex);
    for (const struct task *task = e->queue.first; task; task = task->next)
        n += fits(task, cls);
    pthread_mutex_unlock(&e->mutex);
    return n;
}

int executor_take(struct executor *e, bool (*fits)(const struct task *task, void *cls), void *cls, int most,
                  struct task **out)
{
    int n = 0;
    pthread_mutex_lock(&e->mutex);
    for (struct task **at = &e->queue.first; *at && n < most;) {
        if (!fits(*at, cls)) {
            at = &(*at)->next;
            continue;
        }
        out[n++] = fair_drop(&e->queue, at);
    }
    pthread_mutex_unlock(&e->mutex);
    atomic_fetch_sub(&e->depth, n);
    return n;
}

struct release {
    struct task task;
    void *pointer;
    void (*release)(void *pointer);
};

static void run_release(struct task *task, void *user)
{
    struct release *r = (struct release *)task;
    (void)user;
    r->release(r->pointer);
    free(r);
}

void executor_release(struct executor *e, void *pointer, int64_t bytes, void (*release)(void *pointer))
{
    struct release *r = bytes > SMALL_RELEASE ? malloc(sizeof *r) : NULL;
    if (!r) {
        release(pointer);
        return;
    }
    *r = (struct release){{.run = run_release}, pointer, release};
    executor_post(e, &r->task);
}

void executor_end(struct executor *e)
{
    if (!e)
        return;
    pthread_mutex_lock(&e->mutex);
    e->stopping = true;
    pthread_cond_broadcast(&e->more);
    pthread_mutex_unlock(&e->mutex);
    while (e->n_threads)
        pthread_join(e->threads[--e->n_threads], NULL);
}

void executor_stop(struct executor *e)
{
    executor_end(e);
    if (!e)
        return;
    pthread_cond_destroy(&e->more);
    pthread_mutex_destroy(&e->mutex);
    free(e);
}

int64_t executor_waits(struct executor *e, int n[FAIR_CLASSES])
{
    pthread_mutex_lock(&e->mutex);
    memcpy(n, e->queue.n, sizeof e->queue.n);
    const int64_t longest = fair_longest_wait(&e->queue, now());
    pthread_mutex_unlock(&e->mutex);
    return longest;
}

int executor_depth(const struct executor *e)
{
    return atomic_load(&e->depth);
}
uint64_t executor_busy_since(const struct executor *e)
{
    return atomic_load(&e->stretch_since);
}

uint64_t executor_longest(struct executor *e)
{
    const uint64_t since = atomic_load(&e->stretch_since), at = now(), longest = atomic_exchange(&e->longest, 0);
    return since && at > since && at - since > longest ? at - since : longest;
}
