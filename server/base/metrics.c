/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c: the table of the daemon's metrics, and the Prometheus text that GET /metrics answers with. */
#include "server/base/metrics.h"
#include "server/base/process.h"
#include <stdio.h>
#include <string.h>

const char *const phase_names[N_PHASES] = {"queue",  "parse",  "load",     "apply",  "topology", "upload",
                                           "refine", "digest", "download", "encode", "commit"};

static const struct {
    const char *name, *labels, *type, *help;
} rows[N_METRICS] = {
    {"subdd_rejected_total", "reason=\"queue\"", "counter", "Requests refused before work, by reason."},
    {"subdd_rejected_total", "reason=\"connections\"", "counter", ""},
    {"subdd_rejected_total", "reason=\"auth\"", "counter", ""},
    {"subdd_rejected_total", "reason=\"host\"", "counter", ""},
    {"subdd_rejected_total", "reason=\"origin\"", "counter", ""},
    {"subdd_rejected_total", "reason=\"framing\"", "counter", ""},
    {"subdd_rejected_total", "reason=\"size\"", "counter", ""},
    {"subdd_rejected_total", "reason=\"memory\"", "counter", ""},
    {"subdd_rejected_total", "reason=\"slow\"", "counter", ""},
    {"subdd_cancelled_total", "", "counter",
     "Jobs and transfers stopped because the client left or the deadline passed."},
    {"subdd_waiting_for_memory", "", "gauge", "Requests that wait until others give memory back."},
    {"subdd_memory_budget_bytes", "part=\"program\"", "gauge", "How --memory-limit is split."},
    {"subdd_memory_budget_bytes", "part=\"connections\"", "gauge", ""},
    {"subdd_memory_budget_bytes", "part=\"store\"", "gauge", ""},
    {"subdd_memory_budget_bytes", "part=\"spare\"", "gauge", ""},
    {"subdd_memory_budget_bytes", "part=\"cache\"", "gauge", ""},
    {"subdd_memory_budget_bytes", "part=\"device\"", "gauge", ""},
    {"subdd_memory_budget_bytes", "part=\"host\"", "gauge", ""},
    {"subdd_host_budget_used_bytes", "by=\"bodies\"", "gauge", "What is taken of the part \"host\", by use."},
    {"subdd_host_budget_used_bytes", "by=\"decoding\"", "gauge", ""},
    {"subdd_host_budget_used_bytes", "by=\"frames\"", "gauge", ""},
    {"subdd_host_budget_used_bytes", "by=\"meshes\"", "gauge", ""},
    {"subdd_queue_depth", "class=\"host\"", "gauge", "Steps waiting for or on a thread."},
    {"subdd_queue_depth", "class=\"store\"", "gauge", ""},
    {"subdd_queue_depth", "class=\"device\"", "gauge", ""},
    {"subdd_device_waiting", "class=\"short\"", "gauge", "Steps that wait for the device, by how long they will take."},
    {"subdd_device_waiting", "class=\"long\"", "gauge", ""},
    {"subdd_device_waiting", "class=\"bulk\"", "gauge", ""},
    {"subdd_device_longest_wait_milliseconds", "", "gauge", "How long the oldest of them has waited."},
    {"subdd_inflight_body_bytes", "", "gauge", "Request bodies held in memory."},
    {"subdd_sessions", "", "gauge", "Open connections."},
    {"subdd_meshes", "state=\"device\"", "gauge", "Meshes by place; one can be in several."},
    {"subdd_meshes", "state=\"host\"", "gauge", ""},
    {"subdd_meshes", "state=\"disk\"", "gauge", ""},
    {"subdd_host_memory_bytes", "", "gauge", "Host copies of meshes."},
    {"subdd_device_memory_bytes", "kind=\"topology\"", "gauge",
     "Memory held on the device that computes (host memory on the cpu backend), by kind."},
    {"subdd_device_memory_bytes", "kind=\"positions\"", "gauge", ""},
    {"subdd_device_memory_bytes", "kind=\"scratch\"", "gauge", ""},
    {"subdd_device_memory_limit_bytes", "", "gauge", "Memory of the device that may be used."},
    {"subdd_device_pinned_bytes", "", "gauge", "Memory of the device that pinned meshes take."},
    {"subdd_device_errors_total", "kind=\"lost\"", "counter", "Device failures."},
    {"subdd_device_errors_total", "kind=\"memory\"", "counter", ""},
    {"subdd_evictions_total", "from=\"device\",to=\"host\"", "counter", "Meshes moved out of memory to make room."},
    {"subdd_evictions_total", "from=\"host\",to=\"disk\"", "counter", ""},
    {"subdd_refined_vertices_total", "scheme=\"catmullClark\"", "counter", "Vertices computed."},
    {"subdd_refined_vertices_total", "scheme=\"loop\"", "counter", ""},
    {"subdd_refined_vertices_total", "scheme=\"bilinear\"", "counter", ""},
    {"subdd_refined_vertices_total", "scheme=\"sqrt3\"", "counter", ""},
    {"subdd_batched_frames_total", "", "counter", "Refined frames computed together with others of their topology."},
    {"subdd_carried_frames_total", "", "counter", "Frames of watchers made from those of the version before."},
    {"subdd_launches_total", "", "counter", "Kernels launched."},
    {"subdd_stream_bytes_total", "encoding=\"raw\",transport=\"http\"", "counter", "Bytes of refined frames sent."},
    {"subdd_streams", "", "gauge", "Frames that are being made in pieces while they are sent."},
    {"subdd_watchers", "", "gauge", "Requests that are told of each version of a mesh."},
    {"subdd_cache_hits_total", "", "counter", "Refined frames served from the cache."},
    {"subdd_cache_misses_total", "", "counter", "Refined frames that had to be computed."},
    {"subdd_cache_bytes", "", "gauge", "Refined frames kept."},
    {"subdd_store_bytes", "file=\"database\"", "gauge", "The store's files on disk."},
    {"subdd_store_bytes", "file=\"log\"", "gauge", ""},
    {"subdd_store_lost_changes", "state=\"waiting\"", "gauge",
     "Acknowledged changes that damage has taken from the store, by whether --accept-data-loss was given since."},
    {"subdd_store_lost_changes", "state=\"accepted\"", "gauge", ""},
    {"subdd_mesh_versions_that_ended_the_daemon", "state=\"suspected\"", "gauge",
     "Versions of meshes whose evaluation has ended the daemon last, by whether they are refused since."},
    {"subdd_mesh_versions_that_ended_the_daemon", "state=\"quarantined\"", "gauge", ""},
    {"subdd_ready", "", "gauge", "1 when requests are taken."},
};

#define HALF_SECONDS 30 /* A gauge that begins anew with each scrape would be wrong for a second scraper. */

static const double bounds[METRICS_BUCKETS] = {0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01,
                                               0.025,   0.05,   0.1,    0.25,   0.5,   1,     5,     30};

void metrics_add(struct metrics *m, enum metric which, int64_t n)
{
    atomic_fetch_add_explicit(&m->values[which], n, memory_order_relaxed);
}

void metrics_set(struct metrics *m, enum metric which, int64_t value)
{
    atomic_store_explicit(&m->values[which], value, memory_order_relaxed);
}

static void observe(struct histogram *h, double seconds)
{
    int b = 0;
    while (b < METRICS_BUCKETS && seconds > bounds[b])
        b++;
    h->buckets[b]++;
    h->count++;
    h->sum += seconds;
}

void metrics_request(struct metrics *m, int op, int status, double seconds)
{
    int c = 0;
    if (op < 0 || op >= METRICS_OPS)
        return;
    if (status == 0) /* The client left before it had an answer; and 0 is a free place in the table. */
        status = 499;
    while (c < METRICS_CODES - 1 && m->codes[c] && m->codes[c] != status)
        c++;
    m->codes[c] = status;
    m->requests[op][c]++;
    observe(&m->durations[op], seconds);
}

void metrics_phase(struct metrics *m, enum phase phase, double seconds)
{
    observe(&m->phases[phase], seconds);
}

void metrics_pause(struct metrics *m, enum pause which, double seconds, double now)
{
    if (now - m->half_began > HALF_SECONDS) {
        memcpy(m->pauses[1], m->pauses[0], sizeof m->pauses[1]);
        memset(m->pauses[0], 0, sizeof m->pauses[0]);
        m->half_began = now;
    }
    if (seconds > m->pauses[0][which])
        m->pauses[0][which] = seconds;
}

static void head(struct text *out, const char *name, const char *type, const char *help)
{
    text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_pauses(struct text *out, const struct metrics *m)
{
    static const char *const names[N_PAUSES] = {"loop", "device", "store"};
    head(out, "subdd_longest_pause_seconds", "gauge",
         "Longest time that a thread was busy with one thing, in the last 30 to 60 seconds.");
    for (int i = 0; i < N_PAUSES; i++) {
        const double a = m->pauses[0][i], b = m->pauses[1][i];
        text_printf(out, "subdd_longest_pause_seconds{thread=\"%s\"} %.6f\n", names[i], a > b ? a : b);
    }
}

static void write_histogram(struct text *out, const char *name, const char *label, const char *value,
                            const struct histogram *h)
{
    char pair[96] = "", only[96] = "";
    if (*label) {
        snprintf(pair, sizeof pair, "%s=\"%s\",", label, value);
        snprintf(only, sizeof only, "{%s=\"%s\"}", label, value);
    }
    int64_t sum = 0;
    for (int b = 0; b < METRICS_BUCKETS; b++) {
        sum += h->buckets[b];
        text_printf(out, "%s_bucket{%sle=\"%g\"} %lld\n", name, pair, bounds[b], (long long)sum);
    }
    text_printf(out, "%s_bucket{%sle=\"+Inf\"} %lld\n", name, pair, (long long)h->count);
    text_printf(out, "%s_sum%s %.9g\n%s_count%s %lld\n", name, only, h->sum, name, only, (long long)h->count);
}

static void write_process(struct text *out)
{
    struct process p;
    process_read(&p);
    head(out, "process_cpu_seconds_total", "counter", "CPU time of all threads, in user and system mode.");
    text_printf(out, "process_cpu_seconds_total %.3f\n", p.cpu_seconds);
    head(out, "process_start_time_seconds", "gauge", "When the process started, in seconds since 1970.");
    text_printf(out, "process_start_time_seconds %.2f\n", p.start_seconds);
    head(out, "process_open_fds", "gauge", "Open file descriptors.");
    text_printf(out, "process_open_fds %lld\n", (long long)p.open_fds);
    head(out, "process_max_fds", "gauge", "The most file descriptors that may be open.");
    text_printf(out, "process_max_fds %lld\n", (long long)p.max_fds);
    head(out, "process_virtual_memory_bytes", "gauge", "Virtual memory.");
    text_printf(out, "process_virtual_memory_bytes %lld\n", (long long)p.virtual_bytes);
    head(out, "process_resident_memory_bytes", "gauge", "Resident memory.");
    text_printf(out, "process_resident_memory_bytes %lld\n", (long long)p.resident_bytes);
}

void metrics_write(const struct metrics *m, struct text *out)
{
    for (int i = 0; i < N_METRICS; i++) {
        if (i == 0 || strcmp(rows[i].name, rows[i - 1].name))
            head(out, rows[i].name, rows[i].type, rows[i].help);
        text_printf(out, *rows[i].labels ? "%s{%s} %lld\n" : "%s%s %lld\n", rows[i].name, rows[i].labels,
                    (long long)atomic_load_explicit(&m->values[i], memory_order_relaxed));
    }
    head(out, "subdd_requests_total", "counter", "Requests answered.");
    for (int op = 0; op < METRICS_OPS; op++)
        for (int c = 0; m->ops[op] && c < METRICS_CODES; c++)
            if (m->requests[op][c])
                text_printf(out, "subdd_requests_total{op=\"%s\",code=\"%d\"} %lld\n", m->ops[op], m->codes[c],
                            (long long)m->requests[op][c]);
    head(out, "subdd_request_duration_seconds", "histogram", "From the whole request head to the end of the answer.");
    for (int op = 0; op < METRICS_OPS; op++)
        if (m->ops[op] && m->durations[op].count)
            write_histogram(out, "subdd_request_duration_seconds", "op", m->ops[op], &m->durations[op]);
    head(out, "subdd_phase_duration_seconds", "histogram", "Time in each phase of a request.");
    for (int p = 0; p < N_PHASES; p++)
        if (m->phases[p].count)
            write_histogram(out, "subdd_phase_duration_seconds", "phase", phase_names[p], &m->phases[p]);
    write_pauses(out, m);
    write_process(out);
}
