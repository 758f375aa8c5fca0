/* SPDX-License-Identifier: Apache-2.0 */
/* bench_many.c: frames of 1, 8 and 64 poses of a torus of 1,500 quads at level 3 (96,000 vertices each): sdd_refine of
 * each in turn against sdd_refine_many of all; the time of the calls, to host memory, and what of it is the engine's on
 * the device. Arguments are methods; without any, tabulated and mesh-matrix. Medians of 21, the two in turn; digests
 * that differ end it. SUBDD_TEST_BACKEND=cuda leaves the CPU out. */
#include "gpu/sdd_many.h"
#include "tests/bench/timing.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, RUNS = 21, WARM = 5, LEVEL = 3 };

struct sample {
    double call[RUNS], engine[RUNS]; /* ms */
};

static void take(sdd_result *const *results, int n, uint64_t *digests, double *engine_ms)
{
    *engine_ms = 0;
    for (int k = 0; k < n; k++) {
        const struct sdd_result_info *info = sdd_result_info(results[k]);
        *engine_ms += info->refine_seconds * 1e3;
        digests[k] = digests[k] ? digests[k] : info->plan.blocks[0].digest;
        if (digests[k] != info->plan.blocks[0].digest)
            oracle_die("pose %d is not the same alone and together", k);
        sdd_result_free(results[k]);
    }
}

/* One run of each kind; false: the engine does not do it. */
static int run_once(sdd_mesh *const *meshes, int n, const struct sdd_refine_request *r, int i, uint64_t *digests,
                    struct sample *alone, struct sample *together)
{
    struct sdd_error err = {0};
    sdd_result *results[MOST];
    double start = now_ms();
    for (int k = 0; k < n; k++)
        if (sdd_refine(meshes[k], r, results + k, &err)) {
            printf("  skip: %s\n", err.text);
            return 0;
        }
    alone->call[i] = now_ms() - start;
    take(results, n, digests, alone->engine + i);
    start = now_ms();
    if (sdd_refine_many(meshes, n, r, results, &err))
        oracle_die("%s", err.text);
    together->call[i] = now_ms() - start;
    take(results, n, digests, together->engine + i);
    return 1;
}

static void row(const char *device, const char *method, sdd_mesh *const *meshes, int n, uint64_t *digests)
{
    const struct sdd_refine_request r = {.level = LEVEL, .include = SDD_POSITIONS, .method = method};
    struct sample alone, together;
    for (int i = -WARM; i < RUNS; i++)
        if (!run_once(meshes, n, &r, i < 0 ? 0 : i, digests, &alone, &together))
            return;
    const double a = median(alone.call, RUNS), b = median(together.call, RUNS), x = median(alone.engine, RUNS),
                 y = median(together.engine, RUNS);
    printf("  %-12s %2d %10.3f %10.3f %6.2f x %10.4f %10.4f %6.2f x %10.0f\n", method, n, a, b, a / b, x, y, x / y,
           n * 1e3 / b);
    printf(
        "{\"bench\":\"many\",\"device\":\"%s\",\"method\":\"%s\",\"meshes\":%d,\"alone_ms\":%.4f,\"together_ms\":%.4f,"
        "\"engine_alone_ms\":%.5f,\"engine_together_ms\":%.5f,\"frames_per_s\":%.0f}\n",
        device, method, n, a, b, x, y, n * 1e3 / b);
}

static void rows(const char *backend, const struct torus *t, char **methods, int n_methods)
{
    struct sdd_device_config config = {.backend = backend, .module_path = test_module_path()};
    struct sdd_error err = {0};
    struct sdd_device_info info;
    sdd_device *device = NULL;
    sdd_topology *topology = NULL;
    sdd_mesh *meshes[MOST] = {NULL};
    const int64_t n = 3 * t->desc.n_vertices;
    float *points = xalloc(n, sizeof *points);
    if (sdd_device_open(&config, &device, &err)) {
        printf("skip: %s: %s\n", backend, err.text);
        free(points);
        return;
    }
    sdd_device_info(device, &info);
    int rc = sdd_topology_create(device, &t->desc, &topology, &err);
    for (int k = 0; k < MOST && !rc; k++) {
        for (int64_t i = 0; i < n; i++)
            points[i] = t->points[i] * (1 + 0.01f * (float)k);
        rc = sdd_mesh_create(topology, points, NULL, meshes + k, &err);
    }
    if (rc)
        oracle_die("%s", err.text);
    printf(
        "%s, %d threads\n  method        n      alone   together              engine   together           frames/s\n",
        info.name, info.threads);
    for (int m = 0; m < n_methods; m++) {
        uint64_t digests[MOST] = {0};
        for (int k = 1; k <= MOST; k *= 8)
            row(info.name, methods[m], meshes, k, digests);
    }
    for (int k = 0; k < MOST; k++)
        sdd_mesh_free(meshes[k]);
    sdd_topology_unref(topology);
    sdd_device_close(device);
    free(points);
}

int main(int argc, char **argv)
{
    static char tables[] = "tabulated", matrix[] = "mesh-matrix";
    char *all[] = {tables, matrix};
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    struct torus t;
    torus_make(50, 30, &t);
    if (!backend || strcmp(backend, "cuda") != 0)
        rows("cpu", &t, argc > 1 ? argv + 1 : all, argc > 1 ? argc - 1 : 2);
    rows("cuda", &t, argc > 1 ? argv + 1 : all, argc > 1 ? argc - 1 : 2);
    torus_free(&t);
    return 0;
}
