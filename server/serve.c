/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c: starts and stops the daemon for main.c: it makes what each room works with and hands the rooms to each
 * other. */
#include "server/serve.h"
#include "gpu/sdd/sdd_pause.h"
#include "server/api/events.h"
#include "server/api/pins.h"
#include "server/api/routes.h"
#include "server/base/container.h"
#include "server/loop.h"
#include "server/net/auth.h"
#include "server/server.h"
#include <errno.h>
#include <malloc.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Files besides connections: reserved connections, lingering sockets, store, log and device. */
#define OTHER_FILES 256

/* ---- the device, which is opened and closed on its own thread ---------------------------------------------------- */
struct device_task {
    struct task task;
    struct server *server;
    sem_t done;
    struct sdd_error err;
    int rc;
};

/* Others run on the device while the task that it works for has used its slice. */
static int on_pause(void *user)
{
    struct server *s = user;
    struct residency *r = s->memory.residency;
    const uint64_t before = residency_guard(r, executor_outermost(s->jobs.compute));
    const bool stop = executor_pause(s->jobs.compute);
    residency_guard(r, before);
    return stop;
}

static void open_device(struct task *task, void *user)
{
    struct device_task *t = CONTAINER(task, struct device_task, task);
    struct server *s = t->server;
    struct memory *m = &s->memory;
    struct sdd_device_config config = {.backend = s->config->backend,
                                       .module_path = *s->config->cuda_module ? s->config->cuda_module : NULL,
                                       .threads = (int)s->config->threads,
                                       .memory_limit = s->config->gpu_memory,
                                       .cpu_limit = m->budgets.part[BUDGET_DEVICE],
                                       .spare_bytes = m->budgets.part[BUDGET_SPARE]};
    (void)user;
    t->rc = s->open_device(&config, &m->device, &t->err);
    if (!t->rc) {
        sdd_device_info(m->device, &m->device_info);
        m->residency = residency_create(m->device, &s->metrics);
        if (m->residency) {
            residency_publish(m->residency);
            sdd_device_on_pause(m->device, on_pause, s);
        }
    }
    sem_post(&t->done);
}

static void close_device(struct task *task, void *user)
{
    struct device_task *t = CONTAINER(task, struct device_task, task);
    struct memory *m = &t->server->memory;
    (void)user;
    if (m->device)
        sdd_device_on_pause(m->device, NULL, NULL);
    residency_free(m->residency);
    if (m->device)
        sdd_device_close(m->device);
    sem_post(&t->done);
}

static void pass(struct task *task, void *user)
{
    (void)user;
    sem_post(&CONTAINER(task, struct device_task, task)->done);
}

/* Runs a task on a thread, behind all that was posted there before, and waits for it. */
static int run_on(struct server *s, struct executor *thread, void (*run)(struct task *, void *), struct sdd_error *err)
{
    struct device_task t = {.task.run = run, .server = s};
    sem_init(&t.done, 0, 0);
    executor_post(thread, &t.task);
    while (sem_wait(&t.done) && errno == EINTR) {
    }
    sem_destroy(&t.done);
    *err = t.err;
    return t.rc;
}

/* ---- start ------------------------------------------------------------------------------------------------------- */
static bool raise_file_limit(const struct config *c, struct text *error)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)c->max_connections + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return true;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == wanted)
        return true;
    text_printf(error, "--max-connections %lld needs %llu open files, the limit is %llu", (long long)c->max_connections,
                (unsigned long long)wanted, (unsigned long long)limit.rlim_max);
    return false;
}

/* ---- the rooms, and what they are to each other ------------------------------------------------------------------ */
static void request_waits(struct request *r)
{
    if (r->failed)
        return; /* A watcher that has left does not take its heartbeat. */
    if (r->job)
        operation_waits(r);
    else if (r->stream)
        stream_waits(r->stream);
}

static void request_left(struct request *r)
{
    operation_left(r);
    if (r->stream)
        stream_left(r->stream);
    if (r->watcher)
        watcher_left(r->watcher);
}

static void news_of_people(void *user, const char *mesh, const char *kind, const char *json)
{
    const struct service *service = user;
    events_tell(service->watchers, mesh, kind, json);
}

static void conn_closed(void *user, const struct conn *c)
{
    const struct service *service = user;
    people_conn_closed(service->people, c);
}

static void release(void *user, enum pool_use use, void *memory, int64_t bytes)
{
    const struct service *service = user;
    pool_release(service->jobs->reaper, &service->memory->pool, use, bytes, memory, free);
}

static bool commit_begin(void *user)
{
    return storage_commit_begin(((const struct service *)user)->storage);
}

static int commit_end(void *user, struct sdd_error *err)
{
    return storage_commit_end(((const struct service *)user)->storage, err);
}

static void make_rooms(struct server *s)
{
    void *user = &s->service;
    s->service = (struct service){s->config,   &s->metrics,  &s->net,      &s->jobs,   &s->memory,    &s->storage,
                                  &s->sending, &s->estimate, &s->watchers, &s->people, &s->quarantine};
    s->net =
        (struct net){.config = s->config,
                     .log = &s->log,
                     .metrics = &s->metrics,
                     .pool = &s->memory.pool,
                     .routes = {routes, n_routes},
                     .hooks = {user, loop_run_jobs, loop_served, request_waits, request_left, conn_closed, release},
                     .listen_fd = -1};
    s->jobs = (struct jobs){.most = s->config->queue_size,
                            .hooks = {operation_answer, loop_ended, loop_moved, commit_begin, commit_end},
                            .user = user,
                            .metrics = &s->metrics};
    s->storage.metrics = &s->metrics;
    sending_init(&s->sending);
    estimate_init(&s->estimate);
    watchers_init(&s->watchers);
    people_init(&s->people);
    s->people.news = news_of_people;
    s->people.user = user;
    for (int i = 0; i < n_routes; i++)
        s->metrics.ops[i] = routes[i].op;
    s->metrics.ops[METRICS_OPS - 1] = "none";
}

static void memory_given(void *user)
{
    struct server *s = user;
    atomic_store(&s->given_at, uv_hrtime());
    if (atomic_load(&s->jobs.n_parked))
        jobs_wake(&s->jobs);
}

/* Splits the memory once more when the device has memory of its own, whose part then goes to the others. */
static bool split_memory(struct server *s, bool unified, struct text *error)
{
    struct memory *m = &s->memory;
    if (!budgets_split(s->config, container_memory(), unified, &m->budgets, error))
        return false;
    m->pool.limit = m->budgets.part[BUDGET_HOST];
    m->pool.given = memory_given;
    m->pool.user = s;
    for (int i = 0; i < BUDGET_PARTS; i++)
        metrics_set(&s->metrics, (enum metric)(M_BUDGET_PROGRAM + i), m->budgets.part[i]);
    return true;
}

static bool start_work(struct server *s, struct text *error)
{
    struct sdd_error err = {0};
    struct memory *m = &s->memory;
    if (!jobs_start(&s->jobs, &s->loop, (int)s->config->host_workers)) {
        text_puts(error, "threads cannot be started");
        return false;
    }
    if (storage_open(&s->storage, s->config, &s->log, &err) ||
        quarantine_open(&s->quarantine, s->config->data_dir, &s->log, &s->metrics, &err) ||
        run_on(s, s->jobs.compute, open_device, &err)) {
        text_printf(error, "%s%s", strcmp(err.field, "memory_limit") == 0 ? "--gpu-memory: " : "", err.text);
        return false;
    }
    storage_measure(&s->storage);
    s->quarantine.thread = s->jobs.disk;
    s->net.held = store_loss(s->storage.store)->waits ? store_loss(s->storage.store)->text : NULL;
    if (!m->residency)
        text_puts(error, "out of memory");
    if (!split_memory(s, strcmp(m->device_info.backend, "cuda") != 0, error))
        return false;
    /* Half of the pool is left to those who cannot wait until idle copies have gone. */
    slots_init(&m->slots, m->budgets.part[BUDGET_HOST] / 2, &m->pool, &s->metrics, s->jobs.compute, s->jobs.reaper);
    cache_init(&m->cache, m->budgets.part[BUDGET_CACHE], &m->pool, &s->metrics, s->jobs.compute, s->jobs.reaper);
    if (pins_restore(&s->service, &err)) {
        text_puts(error, err.text);
        return false;
    }
    return m->residency != NULL;
}

static bool start(struct server *s, char *url, size_t size, struct text *error)
{
    make_rooms(s);
    if (!split_memory(s, strcmp(s->config->backend, "cuda") != 0, error) || !raise_file_limit(s->config, error))
        return false;
    if (*s->config->tokens_file && !(s->net.auth = auth_create(s->config->tokens_file, error)))
        return false;
    if (!net_listen(&s->net, url, size, error) || uv_loop_init(&s->loop) || !start_work(s, error) ||
        !net_start(&s->net, &s->loop, error))
        return false;
    loop_start(s);
    return true;
}

static void finish(struct server *s)
{
    struct sdd_error err;
    quarantine_close(&s->quarantine, s->exit_code == EXIT_DEVICE);
    /* The device or the disk may never answer again, so nothing waits for them. What was acknowledged is on disk. */
    if (s->exit_code || s->jobs.n || !list_empty(&s->sending.streams)) {
        log_close(&s->log);
        _exit(s->exit_code ? s->exit_code : 0);
    }
    lastings_fini(&s->jobs.lasting);
    people_fini(&s->people);
    cache_fini(&s->memory.cache);
    slots_fini(&s->memory.slots);
    run_on(s, s->jobs.reaper, pass, &err); /* The results of the device go before it does. */
    run_on(s, s->jobs.compute, close_device, &err);
    jobs_fini(&s->jobs);
    store_close(s->storage.store);
    auth_free(s->net.auth);
    log_event(&s->log, LOG_INFO, "stopped", "all is written");
    log_close(&s->log);
}

static int cannot_start(const char *why)
{
    fprintf(stderr, "subdd: %s\n", why ? why : "out of memory");
    return EXIT_CANNOT_START;
}

/* Has the C library give memory back when it is freed. It would otherwise keep ever larger blocks after the first of
 * their size, and the many small ones of a JSON body until some later call puts them together. */
static void return_freed_memory(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
    (void)mallopt(M_MXFAST, 0);
}

int serve(const struct config *config, open_device_fn *open_device)
{
    static struct server s; /* It is static because it has some 100 KB and must be zeroed. */
    struct text error = {0};
    char url[96];
    return_freed_memory();
    s.config = config;
    s.open_device = open_device;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* A write past a limit then fails, and does not end the process. */
    if (!log_open(&s.log, config->log_file, config->log_level, config->log_format))
        return cannot_start("the log file cannot be opened");
    if (!start(&s, url, sizeof url, &error)) {
        _exit(cannot_start(error.data)); /* Threads may be running already, and exit handlers could wait for them. */
    }
    const struct sdd_device_info *device = &s.memory.device_info;
    fprintf(stdout, "subdd listening on %s backend=%s\n", url, device->backend);
    fflush(stdout);
    if (*device->detail)
        log_event(&s.log, LOG_WARNING, "backend", "%s", device->detail);
    log_event(&s.log, LOG_INFO, "started", "%s backend %s (%s), %d threads", url, device->backend, device->name,
              device->threads);
    log_flush(&s.log);
    loop_notify("READY=1");
    loop_run(&s);
    finish(&s);
    return s.exit_code;
}
