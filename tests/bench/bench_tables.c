/* SPDX-License-Identifier: Apache-2.0 */
/* bench_tables.c: what `tabulated` needs before its first frame of a mesh: pieces told and listed, tables made. Of a
 * mesh whose classes are new to the device, which is opened for it, and of the same mesh again as another topology,
 * when the device has them: time of sdd_prepare, positions to level 4, the only one of the first, the median of 9 of
 * the others. SUBDD_TEST_BACKEND=cuda leaves the CPU out. Real meshes come from $SUBDD_SHARED/data. */
#include "tests/bench/timing.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 9, LEVEL = 4 };

/* ms */
static double build_once(sdd_device *device, const struct bench_mesh *m)
{
    const struct sdd_refine_request r = {
        .level = LEVEL, .surface = SDD_SURFACE_REFINED, .include = SDD_POSITIONS, .method = "tabulated"};
    struct sdd_error err = {0};
    sdd_topology *topology = NULL;
    sdd_mesh *mesh = NULL;
    if (sdd_topology_create(device, &m->desc, &topology, &err) ||
        sdd_mesh_create(topology, m->points, NULL, &mesh, &err))
        oracle_die("%s: %s", m->name, err.text);
    const double start = now_ms();
    if (prepare_once(mesh, &r, NULL, &err))
        oracle_die("%s: %s", m->name, err.text);
    const double ms = now_ms() - start;
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    return ms;
}

static void row(const char *backend, const struct bench_mesh *m)
{
    struct sdd_device_config config = {.backend = backend, .module_path = test_module_path()};
    struct sdd_error err = {0};
    struct sdd_device_info info;
    sdd_device *device = NULL;
    double again[RUNS];
    if (sdd_device_open(&config, &device, &err)) {
        printf("skip: %s: %s\n", backend, err.text);
        return;
    }
    sdd_device_info(device, &info);
    const double first = build_once(device, m);
    for (int i = 0; i < RUNS; i++)
        again[i] = build_once(device, m);
    const double cached = median(again, RUNS);
    printf("%-4s %-24s %9lld faces  new %9.3f ms  cached %9.3f ms\n", backend, m->name, (long long)m->desc.n_faces,
           first, cached);
    printf(
        "{\"bench\":\"tables\",\"device\":\"%s\",\"mesh\":\"%s\",\"faces\":%lld,\"new_ms\":%.4f,\"cached_ms\":%.4f}\n",
        info.name, m->name, (long long)m->desc.n_faces, first, cached);
    sdd_device_close(device);
}

int main(void)
{
    static const char *const files[] = {NULL, "spot_quadrangulated", "beast"};
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    for (int i = 0; i < 3; i++) {
        struct bench_mesh m;
        bench_mesh_open(&m, files[i], 1000, 1000);
        if (!backend || strcmp(backend, "cuda") != 0)
            row("cpu", &m);
        row("cuda", &m);
        bench_mesh_close(&m);
    }
    return 0;
}
