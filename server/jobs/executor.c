/* SPDX-License-Identifier: Apache-2.0 */
/* executor.c: threads that share one queue of tasks, for jobs.c and for whoever frees large memory. */
#include "server/jobs/executor.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define SMALL_RELEASE (4 << 20)

struct executor {
    pthread_mutex_t mutex;
    pthread_cond_t more;
    struct task *first, **last;
    bool stopping;
    void *user;
    atomic_int depth;
    atomic_ullong busy_since, longest;
    int n_threads;
    pthread_t threads[];
};

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct task *take(struct executor *e)
{
    pthread_mutex_lock(&e->mutex);
    while (!e->first && !e->stopping)
        pthread_cond_wait(&e->more, &e->mutex);
    struct task *task = e->first;
    if (task && !(e->first = task->next))
        e->last = &e->first;
    pthread_mutex_unlock(&e->mutex);
    return task;
}

static void count_time(struct executor *e, uint64_t began)
{
    unsigned long long longest = atomic_load(&e->longest), took = now() - began;
    while (took > longest && !atomic_compare_exchange_weak(&e->longest, &longest, took)) {
    }
}

static void *work(void *arg)
{
    struct executor *e = arg;
    for (struct task *task; (task = take(e));) {
        const uint64_t began = now();
        atomic_store(&e->busy_since, began);
        task->run(task, e->user);
        atomic_store(&e->busy_since, 0);
        count_time(e, began);
        atomic_fetch_sub(&e->depth, 1);
    }
    return NULL;
}

struct executor *executor_start(const char *name, int n_threads, void *user)
{
    struct executor *e = calloc(1, sizeof *e + (size_t)n_threads * sizeof e->threads[0]);
    sigset_t all, old;
    if (!e)
        return NULL;
    pthread_mutex_init(&e->mutex, NULL);
    pthread_cond_init(&e->more, NULL);
    e->last = &e->first;
    e->user = user;
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
    task->next = NULL;
    atomic_fetch_add(&e->depth, 1);
    pthread_mutex_lock(&e->mutex);
    *e->last = task;
    e->last = &task->next;
    pthread_cond_signal(&e->more);
    pthread_mutex_unlock(&e->mutex);
}

int executor_take(struct executor *e, bool (*fits)(const struct task *task, const void *cls), const void *cls, int most,
                  struct task **out)
{
    int n = 0, waiting = 0;
    pthread_mutex_lock(&e->mutex);
    for (const struct task *task = e->first; task; task = task->next)
        waiting += fits(task, cls);
    for (struct task **at = &e->first;
         *at && n < waiting / 2 && n < most;) { /* *at may become NULL, because a task may no longer fit. */
        if (!fits(*at, cls)) {
            at = &(*at)->next;
            continue;
        }
        out[n] = *at;
        if (!(*at = out[n++]->next))
            e->last = at;
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
    *r = (struct release){{NULL, run_release}, pointer, release};
    executor_post(e, &r->task);
}

void executor_stop(struct executor *e)
{
    if (!e)
        return;
    pthread_mutex_lock(&e->mutex);
    e->stopping = true;
    pthread_cond_broadcast(&e->more);
    pthread_mutex_unlock(&e->mutex);
    for (int i = 0; i < e->n_threads; i++)
        pthread_join(e->threads[i], NULL);
    pthread_cond_destroy(&e->more);
    pthread_mutex_destroy(&e->mutex);
    free(e);
}

int executor_depth(const struct executor *e)
{
    return atomic_load(&e->depth);
}
uint64_t executor_busy_since(const struct executor *e)
{
    return atomic_load(&e->busy_since);
}

uint64_t executor_longest(struct executor *e)
{
    const uint64_t since = executor_busy_since(e), at = now(), longest = atomic_exchange(&e->longest, 0);
    return since && at > since && at - since > longest ? at - since : longest;
}
