/* SPDX-License-Identifier: Apache-2.0 */
/* bench_fair.c: a step of conformal flow by its parts, on the device that SUBDD_TEST_BACKEND names (default: cuda where
 * there is one, else the CPU; THREADS=n). It stands between the library and the device: launches tell which part of the
 * step is at work, and only where one part ends does it wait for the device. Then it repeats the assembly of both
 * matrices alone, and holds the bytes that these must move to what copying reaches here. MOST=n leaves out meshes of
 * more vertices. */
#include "tests/bench/fair_mesh.h"
#include "tests/bench/timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/device/device.h"
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_dirac.k.h"
#include "gpu/fair/kernels/fair_scalars.tile.h"
#include "gpu/fair/kernels/fair_vertices.k.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"

enum { RUNS = 7, SLOW_MS = 4000, MOST_SOLVES = 8, LONG_DOWNLOAD = 1024, COPIED = 256 << 20 };
enum part { ASSEMBLY, LEVELS, QUATERNIONS, POSITIONS, REST, N_PARTS };

/* What the launches of a step have told. */
static struct watch {
    const struct sdd_backend *real;
    struct sdd_backend table;
    enum part part, after; /* `after` follows the assembly or the levels. */
    double ms[N_PARTS], since;
    const struct fair_solver *solver; /* On the device. */
    const struct fair_solver *looked; /* Where it is going to be after the next wait. */
    int64_t iterations[MOST_SOLVES];
    int n_solves;
    struct fair_vertices_args vertices; /* The latest of each. */
    struct fair_dirac_args dirac;
    int64_t n_vertices, n_entries;
} watch;

static void enter(void *device, enum part part)
{
    if (part == watch.part)
        return;
    watch.real->sync(device);
    const double now = now_ms();
    watch.ms[watch.part] += now - watch.since;
    watch.since = now;
    watch.part = part;
}

static enum part part_of(int kernel)
{
    if (kernel == SDD_K_fair_vertices || kernel == SDD_K_fair_dirac) {
        watch.after = kernel == SDD_K_fair_dirac ? QUATERNIONS : REST;
        return ASSEMBLY;
    }
    if (watch.part == ASSEMBLY || watch.part == LEVELS)
        return watch.after;
    return kernel == SDD_K_fair_divergence ? POSITIONS : kernel == SDD_K_fair_exact ? REST : watch.part;
}

static int watch_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    enter(device, part_of(kernel));
    if (kernel == SDD_K_fair_vertices) {
        memcpy(&watch.vertices, args, sizeof watch.vertices);
        watch.n_vertices = n;
    }
    if (kernel == SDD_K_fair_dirac) {
        memcpy(&watch.dirac, args, sizeof watch.dirac);
        watch.n_entries = n;
    }
    if (kernel == SDD_K_fair_start && watch.n_solves < MOST_SOLVES - 1)
        watch.n_solves++;
    if (kernel == SDD_K_fair_scalars)
        watch.solver = ((const struct fair_scalars_args *)args)->solver;
    return watch.real->launch(device, kernel, args, args_bytes, n);
}

/* The matrix that levels are made from is all that is ever read back at length. */
static int watch_download(void *device, void *to, const void *from, int64_t bytes)
{
    if (bytes >= LONG_DOWNLOAD)
        enter(device, LEVELS);
    watch.looked = from == watch.solver ? to : watch.looked;
    return watch.real->download(device, to, from, bytes);
}

static int watch_sync(void *device)
{
    const int rc = watch.real->sync(device);
    if (watch.looked)
        watch.iterations[watch.n_solves] = watch.looked->n;
    watch.looked = NULL;
    return rc;
}

static void watch_open(sdd_device *d)
{
    watch.real = d->b;
    watch.table = *d->b;
    watch.table.launch = watch_launch;
    watch.table.download = watch_download;
    watch.table.sync = watch_sync;
    d->b = &watch.table;
}

static void watch_begin(void)
{
    memset(watch.ms, 0, sizeof watch.ms);
    watch.n_solves = -1;
    watch.part = REST;
    watch.since = now_ms();
}

static void must(int rc, const struct sdd_error *err)
{
    if (rc)
        oracle_die("%s", err->text);
}

/* ---- the first step ---------------------------------------------------------------------------------------------- */
struct result {
    double ms[N_PARTS], begin_ms;
    int64_t iterations[4], launches;
};

static sdd_fair *run_step(sdd_device *d, sdd_mesh *mesh, struct result *out)
{
    const struct sdd_fair_request ask = {.tau = 0.25, .solves = 3, .exactness = 1};
    struct sdd_fair_report report;
    struct sdd_error err = {0};
    sdd_fair *f;
    const double start = now_ms();
    must(sdd_fair_begin(mesh, &ask, &f, &err), &err);
    out->begin_ms = now_ms() - start;
    const int64_t before = sdd_device_launches(d);
    watch_begin();
    must(sdd_fair_step(f, &report, &err), &err);
    enter(d->dev, N_PARTS);
    out->launches = sdd_device_launches(d) - before;
    if (watch.n_solves != 3 || report.tau != 0.25 || !(report.energy < report.energy_before))
        oracle_die("the step is not one of four solves that lowers the energy");
    memcpy(out->ms, watch.ms, sizeof out->ms);
    memcpy(out->iterations, watch.iterations, sizeof out->iterations);
    return f;
}

/* The medians of several flows; the last one stays. */
static sdd_fair *measure(sdd_device *d, sdd_mesh *mesh, struct result *out)
{
    static struct result all[RUNS + 1]; /* The first warms up. */
    double values[RUNS];
    int n = 0;
    sdd_fair *f = NULL;
    for (double spent = 0; n < RUNS + 1 && spent < SLOW_MS;) {
        sdd_fair_free(f);
        const double start = now_ms();
        f = run_step(d, mesh, all + n++);
        spent += now_ms() - start;
    }
    const int first = n > 1;
    *out = all[n - 1];
    for (int part = 0; part < N_PARTS; part++) {
        for (int i = first; i < n; i++)
            values[i - first] = all[i].ms[part];
        out->ms[part] = median(values, n - first);
    }
    return f;
}

static void print_step(const struct flowing *m, int64_t n_vertices, const struct result *r)
{
    const int64_t *n = r->iterations, spins = n[0] + n[1] + n[2];
    const double step = r->ms[ASSEMBLY] + r->ms[QUATERNIONS] + r->ms[POSITIONS] + r->ms[REST];
    char counts[32];
    snprintf(counts, sizeof counts, "%d %d %d, %d", (int)n[0], (int)n[1], (int)n[2], (int)n[3]);
    printf("%-28s %9d %9.2f %9.2f %11.2f %9.2f %8.2f  %-15s %7.1f %7.1f %9d %9.1f %9.1f\n", m->name, (int)n_vertices,
           step, r->ms[ASSEMBLY], r->ms[QUATERNIONS], r->ms[POSITIONS], r->ms[REST], counts,
           1e3 * r->ms[QUATERNIONS] / (double)spins, 1e3 * r->ms[POSITIONS] / (double)n[3], (int)r->launches,
           r->ms[LEVELS], r->begin_ms);
}

/* ---- assembly ---------------------------------------------------------------------------------------------------- */
static double launch_again(sdd_device *d, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    double times[RUNS];
    struct sdd_error err = {0};
    for (int i = -1; i < RUNS; i++) {
        dev_mark(d, 0);
        dev_launch(d, kernel, args, args_bytes, n);
        dev_mark(d, 1);
        must(dev_finish(d, &err), &err);
        times[i < 0 ? 0 : i] = 1e3 * dev_elapsed(d, 0, 1);
    }
    return median(times, RUNS);
}

/* Each array counts once, however often it is read. L: points, triangles, the pattern; L and its diagonal twice, mass,
 * curvature, four constraints. X: points, rho, mass, triangles, the terms; X. */
struct assembly {
    char name[64];
    double ms[2], bytes[2]; /* Of L and X. */
};

static void measure_assembly(sdd_device *d, const struct flowing *m, const struct sdd_fair_info *i,
                             struct assembly *out)
{
    const double V = (double)i->n_vertices, T = (double)i->n_triangles, E = (double)watch.n_entries;
    const double terms = 4 * (E + 1 + 9 * T) + 12 * T;
    snprintf(out->name, sizeof out->name, "%s", m->name);
    out->bytes[0] = terms + V * (32 + 4 + 8) + 4 * E + 8 * E + V * 8 * (2 + 2 + 4);
    out->bytes[1] = terms + V * (32 + 16) + 32 * E;
    out->ms[0] = launch_again(d, SDD_K_fair_vertices, &watch.vertices, sizeof watch.vertices, watch.n_vertices);
    out->ms[1] = launch_again(d, SDD_K_fair_dirac, &watch.dirac, sizeof watch.dirac, watch.n_entries);
}

static void print_assembly(sdd_device *d, const struct assembly *all, int n)
{
    const double copy = device_bandwidth(d, COPIED).copy;
    printf("assembly of L and X, against %.0f GB/s that copying reaches\n", copy);
    for (const struct assembly *a = all; a < all + n; a++) {
        printf("%-28s", a->name);
        for (int i = 0; i < 2; i++) {
            const double rate = 1e-6 * a->bytes[i] / a->ms[i];
            printf("  %s %9.3f ms %8.1f MB %7.1f GB/s %4.0f %%", i ? "X" : "L", a->ms[i], 1e-6 * a->bytes[i], rate,
                   100 * rate / copy);
        }
        printf("\n");
    }
}

static void bench_mesh(sdd_device *d, const struct flowing *m, struct assembly *assembly)
{
    const struct sdd_mesh_desc desc = flowing_desc(m);
    struct sdd_error err = {0};
    struct result r;
    sdd_topology *t;
    sdd_mesh *mesh;
    must(sdd_topology_create(d, &desc, &t, &err), &err);
    must(sdd_mesh_create(t, m->points, NULL, &mesh, &err), &err);
    sdd_fair *f = measure(d, mesh, &r);
    print_step(m, sdd_fair_info(f)->n_vertices, &r);
    measure_assembly(d, m, sdd_fair_info(f), assembly);
    sdd_fair_free(f);
    sdd_mesh_free(mesh);
    sdd_topology_unref(t);
}

int main(void)
{
    static const struct {
        const char *file;
        int cuts;
        int32_t side;
    } meshes[] = {{"spot_quadrangulated", 0, 27},
                  {"spot_quadrangulated", 1, 54},
                  {"stanford-bunny", 0, 93},
                  {NULL, 0, 158},
                  {NULL, 0, 500}};
    enum { N_MESHES = sizeof meshes / sizeof *meshes };
    const char *threads = getenv("THREADS"), *most = getenv("MOST");
    const struct sdd_device_config config = {.backend = getenv("SUBDD_TEST_BACKEND"),
                                             .module_path = test_module_path(),
                                             .threads = threads ? (int)strtol(threads, NULL, 10) : 0};
    struct sdd_device_info info;
    struct sdd_error err = {0};
    struct assembly assembly[N_MESHES];
    int n = 0;
    sdd_device *d;
    must(sdd_device_open(&config, &d, &err), &err);
    sdd_device_info(d, &info);
    watch_open(d);
    printf("%s, %d threads; the first step, tau 0.25, medians in ms\n", info.name, info.threads);
    printf("%-28s %9s %9s %9s %11s %9s %8s  %-15s %7s %7s %9s %9s %9s\n", "", "vertices", "step", "L and X",
           "quaternions", "positions", "rest", "iterations", "us", "us", "launches", "+levels", "begin");
    for (int i = 0; i < N_MESHES; i++) {
        struct flowing m;
        flowing_open(&m, meshes[i].file, meshes[i].cuts, meshes[i].side);
        if (!most || m.n_vertices <= strtol(most, NULL, 10))
            bench_mesh(d, &m, assembly + n++);
        flowing_close(&m);
    }
    print_assembly(d, assembly, n);
    d->b = watch.real;
    sdd_device_close(d);
    return 0;
}
