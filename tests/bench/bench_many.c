/* SPDX-License-Identifier: Apache-2.0 */
/* bench_many.c: measures frames of poses of one mesh, made by sdd_refine one after the other and by one call of
 * sdd_refine_batch. It reports the time of the calls with the copy to host memory, and the part of the engine on the
 * device against the rate at which the same device writes in the same run. Arguments are methods; without any they are
 * tabulated and mesh-matrix. Times are medians of 21 rounds that alternate between the two. The bench ends when their
 * digests differ. Real meshes come from $SUBDD_SHARED/data. SUBDD_TEST_BACKEND=cuda leaves the CPU out. */
#include "gpu/sdd/sdd.h"
#include "tests/bench/timing.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, RUNS = 21, WARM = 5, COUNTS = 3 };

struct cage {
    const char *file; /* of the shared folder, or a torus of nx * ny quads */
    int nx, ny, level, n[COUNTS];
};
static const struct cage cages[] = {{NULL, 50, 30, 3, {1, 8, 64}},
                                    {"spot_quadrangulated", 61, 48, 5, {1, 4, 8}},
                                    {"spot_quadrangulated", 61, 48, 6, {1, 4, 8}},
                                    {"beast", 186, 174, 4, {1, 4, 8}}};

struct machine {
    sdd_device *device;
    struct sdd_device_info info;
    double write; /* GB/s */
};

struct sample {
    double call[RUNS], engine[RUNS]; /* ms */
};

static void take(sdd_result *const *results, int n, uint64_t *digests, double *engine_ms, int64_t *bytes)
{
    *engine_ms = 0, *bytes = 0;
    for (int k = 0; k < n; k++) {
        const struct sdd_result_info *info = sdd_result_info(results[k]);
        *engine_ms += info->refine_seconds * 1e3;
        *bytes += info->plan.host_bytes;
        digests[k] = digests[k] ? digests[k] : info->plan.blocks[0].digest;
        if (digests[k] != info->plan.blocks[0].digest)
            oracle_die("pose %d is not the same alone and together", k);
        sdd_result_free(results[k]);
    }
}

/* One run of each kind; false: the engine does not do it. */
static int time_once(sdd_mesh *const *meshes, int n, const struct sdd_refine_request *r, int i, uint64_t *digests,
                     struct sample *alone, struct sample *together, int64_t *bytes)
{
    struct sdd_error err = {0};
    sdd_result *results[MOST];
    double start = now_ms();
    for (int k = 0; k < n; k++)
        if (refine_once(meshes[k], r, results + k, &err)) {
            printf("  skip: %s\n", err.text);
            return 0;
        }
    alone->call[i] = now_ms() - start;
    take(results, n, digests, alone->engine + i, bytes);
    start = now_ms();
    if (batch_once(meshes, n, r, results, &err))
        oracle_die("%s", err.text);
    together->call[i] = now_ms() - start;
    take(results, n, digests, together->engine + i, bytes);
    return 1;
}

static void row(const struct machine *on, const char *mesh, int level, const char *method, sdd_mesh *const *meshes,
                int n, uint64_t *digests)
{
    const struct sdd_refine_request r = {.level = level, .include = SDD_POSITIONS, .method = method};
    struct sample alone, together;
    int64_t bytes = 0;
    for (int i = -WARM; i < RUNS; i++)
        if (!time_once(meshes, n, &r, i < 0 ? 0 : i, digests, &alone, &together, &bytes))
            return;
    const double a = median(alone.call, RUNS), b = median(together.call, RUNS), x = median(alone.engine, RUNS),
                 y = median(together.engine, RUNS), part = 100e-6 * (double)bytes / on->write;
    printf("  %-12s %2d %10.3f %10.3f %6.2f x %10.4f %5.1f %% %10.4f %5.1f %% %6.2f x %10.0f\n", method, n, a, b, a / b,
           x, part / x, y, part / y, x / y, n * 1e3 / b);
    printf("{\"bench\":\"many\",\"device\":\"%s\",\"mesh\":\"%s\",\"level\":%d,\"method\":\"%s\",\"meshes\":%d,"
           "\"bytes\":%lld,\"alone_ms\":%.4f,\"together_ms\":%.4f,\"engine_alone_ms\":%.5f,\"engine_together_ms\":%.5f,"
           "\"write_gb_per_s\":%.1f,\"frames_per_s\":%.0f}\n",
           on->info.name, mesh, level, method, n, (long long)bytes, a, b, x, y, on->write, n * 1e3 / b);
}

static void cage_rows(const struct machine *on, const struct cage *c, char **methods, int n_methods)
{
    struct bench_mesh mesh;
    struct sdd_error err = {0};
    sdd_topology *topology = NULL;
    sdd_mesh *meshes[MOST] = {NULL};
    bench_mesh_open(&mesh, c->file, c->nx, c->ny);
    const int64_t n = 3 * mesh.desc.n_vertices;
    float *points = xalloc(n, sizeof *points);
    int rc = sdd_topology_create(on->device, &mesh.desc, &topology, &err);
    for (int k = 0; k < c->n[COUNTS - 1] && !rc; k++) {
        for (int64_t i = 0; i < n; i++)
            points[i] = mesh.points[i] * (1 + 0.01f * (float)k);
        rc = sdd_mesh_create(topology, points, NULL, meshes + k, &err);
    }
    if (rc)
        oracle_die("%s: %s", mesh.name, err.text);
    printf(" %s to level %d\n", mesh.name, c->level);
    for (int m = 0; m < n_methods; m++) {
        uint64_t digests[MOST] = {0};
        for (int k = 0; k < COUNTS; k++)
            row(on, mesh.name, c->level, methods[m], meshes, c->n[k], digests);
    }
    for (int k = 0; k < MOST; k++)
        sdd_mesh_free(meshes[k]);
    sdd_topology_unref(topology);
    bench_mesh_close(&mesh);
    free(points);
}

static void rows(const char *backend, char **methods, int n_methods)
{
    const struct sdd_device_config config = {.backend = backend, .module_path = test_module_path()};
    struct sdd_error err = {0};
    struct machine on = {NULL};
    if (sdd_device_open(&config, &on.device, &err)) {
        printf("skip: %s: %s\n", backend, err.text);
        return;
    }
    sdd_device_info(on.device, &on.info);
    on.write = strcmp(backend, "cuda") == 0 ? device_bandwidth(on.device, (int64_t)1 << 30).write
                                            : store_bandwidth(on.info.threads, (int64_t)1 << 30);
    printf("%s, %d threads, writes %.1f GB/s\n  method        n      alone   together              engine            "
           "together                     frames/s\n",
           on.info.name, on.info.threads, on.write);
    for (size_t i = 0; i < sizeof cages / sizeof *cages; i++)
        cage_rows(&on, cages + i, methods, n_methods);
    sdd_device_close(on.device);
}

int main(int argc, char **argv)
{
    static char tables[] = "tabulated", matrix[] = "mesh-matrix";
    char *all[] = {tables, matrix};
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    if (!backend || strcmp(backend, "cuda") != 0)
        rows("cpu", argc > 1 ? argv + 1 : all, argc > 1 ? argc - 1 : 2);
    rows("cuda", argc > 1 ? argv + 1 : all, argc > 1 ? argc - 1 : 2);
    return 0;
}
