/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c: start to stop. */
#include "server/serve.h"
#include "server/api/api.h"
#include "server/net/auth.h"
#include "server/net/http.h"
#include "server/net/loop.h"
#include "server/resident/residency.h"
#include "server/api/routes.h"
#include "server/server.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#define OTHER_FILES 256 /* reserve, lingering sockets, store, log, device */

/* ---- the device lives on its thread from first to last ------------------------------------------------------- */
struct device_task {
    struct task task;
    sem_t done;
    struct sdd_error err;
    int rc;
};

static void open_device(struct task *task, void *user)
{
    struct device_task *t = CONTAINER(task, struct device_task, task);
    struct server *s = user;
    struct sdd_device_config config = {.backend = s->config->backend,
                                       .module_path = *s->config->cuda_module ? s->config->cuda_module : NULL,
                                       .threads = (int)s->config->threads,
                                       .memory_limit = s->config->gpu_memory};
    t->rc = s->open_device(&config, &s->device, &t->err);
    if (!t->rc) {
        sdd_device_info(s->device, &s->device_info);
        s->residency = residency_create(s->device, &s->metrics);
        if (s->residency)
            residency_publish(s->residency);
    }
    sem_post(&t->done);
}

static void close_device(struct task *task, void *user)
{
    struct device_task *t = CONTAINER(task, struct device_task, task);
    struct server *s = user;
    residency_free(s->residency);
    if (s->device)
        sdd_device_close(s->device);
    sem_post(&t->done);
}

static int on_compute(struct server *s, void (*run)(struct task *, void *), struct sdd_error *err)
{
    struct device_task t = {.task.run = run};
    sem_init(&t.done, 0, 0);
    executor_post(s->compute, &t.task);
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

static void name_requests(struct server *s)
{
    unsigned char random[4] = {0};
    (void)!getrandom(random, sizeof random, 0);
    snprintf(s->id_prefix, sizeof s->id_prefix, "%02x%02x%02x%02x-", random[0], random[1], random[2], random[3]);
}

static bool start_threads(struct server *s, struct text *error)
{
    struct sdd_error err = {0};
    s->host = executor_start("subdd-host", (int)s->config->host_workers, s);
    s->disk = executor_start("subdd-store", 1, s);
    s->compute = executor_start("subdd-compute", 1, s);
    if (!s->host || !s->disk || !s->compute) {
        text_puts(error, "threads cannot be started");
        return false;
    }
    if (store_open(s->config->data_dir, &s->storage.store, &err) || on_compute(s, open_device, &err)) {
        text_puts(error, err.text);
        return false;
    }
    storage_measure(&s->storage);
    if (!s->residency)
        text_puts(error, "out of memory");
    return s->residency != NULL;
}

static bool start(struct server *s, char *url, size_t size, struct text *error)
{
    int64_t half = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2;
    s->started_at = uv_hrtime();
    s->listen_fd = -1;
    s->host_memory = s->config->host_memory ? s->config->host_memory : half;
    name_requests(s);
    s->storage.metrics = &s->metrics;
    jobs_init(&s->jobs);
    list_init(&s->streams);
    list_init(&s->late);
    s->routes = (struct routes){routes, n_routes};
    for (int i = 0; i < n_routes; i++)
        s->metrics.ops[i] = routes[i].op;
    s->metrics.ops[METRICS_OPS - 1] = "none";
    if (!raise_file_limit(s->config, error))
        return false;
    if (*s->config->tokens_file && !(s->auth = auth_create(s->config->tokens_file, error)))
        return false;
    if (!loop_listen(s, url, size, error) || !start_threads(s, error))
        return false;
    slots_init(&s->slots, s->host_memory, &s->metrics, s->compute, s->host);
    cache_init(&s->cache, s->config->cache_bytes, &s->frames_sending, &s->metrics, s->compute);
    return loop_start(s, error);
}

static void finish(struct server *s)
{
    struct sdd_error err;
    /* The device or the disk may never answer again; what was acknowledged is on disk. */
    if (s->exit_code || s->jobs.n || !list_empty(&s->streams)) {
        log_close(&s->log);
        _exit(s->exit_code ? s->exit_code : 0);
    }
    cache_fini(&s->cache);
    slots_fini(&s->slots);
    on_compute(s, close_device, &err);
    executor_stop(s->host);
    executor_stop(s->disk);
    executor_stop(s->compute);
    store_close(s->storage.store);
    jobs_fini(&s->jobs);
    auth_free(s->auth);
    log_event(&s->log, LOG_INFO, "stopped", "all is written");
    log_close(&s->log);
}

static int cannot_start(const char *why)
{
    fprintf(stderr, "subdd: %s\n", why ? why : "out of memory");
    return EXIT_CANNOT_START;
}

int serve(const struct config *config, open_device_fn *open_device)
{
    static struct server s; /* some 100 KB, zeroed */
    struct text error = {0};
    char url[96];
    s.config = config;
    s.open_device = open_device;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write past a limit is an error of that write */
    if (!log_open(&s.log, config->log_file))
        return cannot_start("the log file cannot be opened");
    if (!start(&s, url, sizeof url, &error)) {
        _exit(cannot_start(error.data)); /* threads may be up */
    }
    fprintf(stdout, "subdd listening on %s backend=%s\n", url, s.device_info.backend);
    fflush(stdout);
    if (*s.device_info.detail)
        log_event(&s.log, LOG_WARNING, "backend", "%s", s.device_info.detail);
    log_event(&s.log, LOG_INFO, "started", "%s backend %s (%s), %d threads", url, s.device_info.backend,
              s.device_info.name, s.device_info.threads);
    log_flush(&s.log);
    loop_notify("READY=1");
    loop_run(&s);
    finish(&s);
    return s.exit_code;
}
