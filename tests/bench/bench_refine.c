/* SPDX-License-Identifier: Apache-2.0 */
/* bench_refine.c: device time of the edge-friend engine for levels 3 to 6, caches emptied before each run, with the
 * bytes that its structure makes it move and the share of what a plain copy on the same device reaches. A row each for
 * the CPU (one thread, two) and for CUDA where there is one; a level whose digests differ between rows ends it.
 * The floor is 12 bytes written a vertex. */
#include "tests/env.h"
#include "gpu/kernel/kernel.h"
#include "tests/bench/timing.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/naive.h"
#include "tests/refine_once.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 3, LAST = 6, MOST_RUNS = 21 };

/* Levels 1 to level - 1 are written and read once as slots, quads and friends; then positions are written. */
static double bytes_moved(const struct sdd_topology_info *i, int level)
{
    double slots = (double)(i->n_vertices + i->n_faces + i->n_edges + i->n_boundaries), sum = 0;
    double quads = (double)(i->n_corners + i->n_boundary_edges);
    double per_quad =
        sizeof(struct sdd_quad) + sizeof(struct sdd_pair) + (i->has_creases ? sizeof(struct sdd_float2) : 0);
    for (int d = 1; d < level; d++) {
        sum += 2 * (slots * sizeof(struct sdd_slot) + quads * per_quad);
        slots = slots > quads ? 3 * quads + slots : 4 * quads;
        quads *= 4;
    }
    return sum;
}

static uint64_t digests[LAST + 1]; /* of the first row of each level */

static void row(const char *label, sdd_device *device, sdd_mesh *mesh, const struct sdd_topology_info *info, int level,
                struct bandwidth bandwidth, struct cooler *cooler)
{
    struct sdd_refine_request r = {.level = level, .include = SDD_POSITIONS, .method = "edge-friend"};
    struct sdd_device_info d;
    double times[MOST_RUNS];
    int runs = level > 5 ? 11 : MOST_RUNS;
    int64_t n = 0, launches = 0;
    sdd_device_info(device, &d);
    for (int i = -1; i < runs; i++) {
        struct sdd_error err = {0};
        sdd_result *result = NULL;
        cooler_run(cooler);
        if (refine_once(mesh, &r, &result, &err) != SDD_OK) {
            printf("  %-14s %d  skip: %s\n", label, level, err.text);
            return;
        }
        const struct sdd_result_info *out = sdd_result_info(result);
        times[i < 0 ? 0 : i] = out->refine_seconds * 1e3;
        n = out->plan.n_vertices;
        launches = out->n_launches;
        if (digests[level] == 0)
            digests[level] = out->plan.blocks[0].digest;
        if (digests[level] != out->plan.blocks[0].digest)
            oracle_die("%s level %d: the positions differ from those of the first row", label, level);
        sdd_result_free(result);
    }
    double ms = median(times, runs), moved = bytes_moved(info, level) + 12.0 * (double)n, rate = moved / ms * 1e-6;
    double floor_ms = 12.0 * (double)n / bandwidth.write * 1e-6;
    printf("  %-14s %d %11lld %10.3f %8.1f %9.1f %8.0f %% %9.2f x\n", label, level, (long long)n, ms,
           (double)n / ms * 1e-3, rate, 100 * rate / bandwidth.copy, ms / floor_ms);
    printf("{\"bench\":\"refine\",\"row\":\"%s\",\"device\":\"%s\",\"level\":%d,\"vertices\":%lld,\"ms\":%.4f,"
           "\"bytes\":%.0f,\"gb_per_s\":%.1f,"
           "\"copy_gb_per_s\":%.1f,\"write_gb_per_s\":%.1f,\"floor_ms\":%.4f,\"launches\":%lld}\n",
           label, d.name, level, (long long)n, ms, moved, rate, bandwidth.copy, bandwidth.write, floor_ms,
           (long long)launches);
}

static void rows(const char *backend, int threads, const struct bench_mesh *m)
{
    struct sdd_device_config config = {.backend = backend, .module_path = test_module_path(), .threads = threads};
    struct sdd_error err = {0};
    struct sdd_topology_info info;
    struct sdd_device_info d;
    struct cooler cooler;
    char label[32];
    sdd_device *device = NULL;
    sdd_topology *topology = NULL;
    sdd_mesh *mesh = NULL;
    if (sdd_device_open(&config, &device, &err) != SDD_OK) {
        printf("skip: %s: %s\n", backend, err.text);
        return;
    }
    if (sdd_topology_create(device, &m->desc, &topology, &err) != SDD_OK ||
        sdd_mesh_create(topology, m->points, NULL, &mesh, &err) != SDD_OK)
        oracle_die("%s", err.text);
    sdd_topology_info(topology, &info);
    sdd_device_info(device, &d);
    int gpu = strcmp(backend, "cuda") == 0;
    struct bandwidth bandwidth = device_bandwidth(device, gpu ? (int64_t)1 << 30 : (int64_t)1 << 28);
    cooler_open(&cooler, device, gpu ? (int64_t)1 << 28 : (int64_t)1 << 26);
    snprintf(label, sizeof label, gpu ? "cuda" : "cpu, %d thread%s", d.threads, d.threads > 1 ? "s" : "");
    printf("  %s: copy %.1f GB/s (read + write), write %.1f GB/s\n", d.name, bandwidth.copy, bandwidth.write);
    for (int level = FIRST; level <= LAST; level++)
        row(label, device, mesh, &info, level, bandwidth, &cooler);
    cooler_close(&cooler);
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    sdd_device_close(device);
}

static void check(const struct bench_mesh *m)
{
    struct refined got, want;
    struct sdd_error err = {0};
    sdd_device *device = open_device(0);
    if (library_refine(device, "edge-friend", &m->desc, m->points, NULL, FIRST, &got, &err) != SDD_OK)
        oracle_die("%s", err.text);
    naive_refine(&m->desc, m->points, NULL, FIRST, &want);
    double diagonal = refined_diagonal(want.points, want.n_vertices);
    if (compare_refined(m->name, &got, &want, diagonal, 0, (struct tolerances){1e-5, 1e-5, 5e-3}))
        oracle_die("the results differ; nothing is measured");
    refined_free(&got);
    refined_free(&want);
    sdd_device_close(device);
}

int main(void)
{
    struct bench_mesh m;
    bench_mesh_open(&m, "spot_quadrangulated", 61, 48);
    check(&m);
    printf("%s\n  %-14s L    vertices         ms M vert/s moved GB/s  of copy  over floor\n", m.name, "device");
    rows("cpu", 1, &m);
    rows("cpu", 2, &m);
    rows("cuda", 0, &m);
    bench_mesh_close(&m);
    return 0;
}
