/* SPDX-License-Identifier: Apache-2.0 */
/* bench_queries.c: neighbours of a grid of a million triangles, row after row and shuffled, on the device that
 * SUBDD_TEST_BACKEND names (default: cuda where there is one). Each relation is written as lists by each way; the ways
 * are first held to each other, byte for byte. Then tiles: how long they take, how large they are, and their ribbons;
 * and neighbours of refined levels. SIDE=n in the environment measures a grid of another side. */
#include "tests/bench/timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/device/device.h"
#include "gpu/queries/internal.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"

enum { RUNS = 11, SIDE = 724 }; /* 1.05 M triangles */

struct grid_mesh {
    int32_t *counts, *vertices;
    struct sdd_mesh_desc desc;
};

static uint32_t random_of(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * n >> 32);
}

static int32_t *permutation(int32_t n, int shuffled)
{
    int32_t *to = xalloc(n, sizeof *to);
    uint32_t state = 1;
    for (int32_t i = 0; i < n; i++) {
        const uint32_t k = shuffled ? random_of(&state, (uint32_t)i + 1) : (uint32_t)i;
        to[i] = to[k];
        to[k] = i;
    }
    return to;
}

static void grid_mesh_init(struct grid_mesh *g, int32_t side, int shuffled)
{
    const int32_t F = 2 * side * side, V = (side + 1) * (side + 1);
    int32_t *vertex = permutation(V, shuffled), *face = permutation(F, shuffled);
    g->counts = xalloc(F, sizeof *g->counts);
    g->vertices = xalloc(3 * (int64_t)F, sizeof *g->vertices);
    for (int32_t f = 0; f < F; f++) {
        const int32_t cell = f / 2, x = cell % side, y = cell / side, v = y * (side + 1) + x;
        const int32_t low[] = {v, v + 1, v + side + 2}, high[] = {v, v + side + 2, v + side + 1};
        for (int k = 0; k < 3; k++)
            g->vertices[3 * face[f] + k] = vertex[f % 2 ? high[k] : low[k]];
        g->counts[f] = 3;
    }
    g->desc = (struct sdd_mesh_desc){.n_vertices = V,
                                     .n_faces = F,
                                     .n_corners = 3 * (int64_t)F,
                                     .face_counts = g->counts,
                                     .face_vertices = g->vertices};
    free(vertex), free(face);
}

static void grid_mesh_fini(struct grid_mesh *g)
{
    free(g->counts), free(g->vertices);
}

static void must(int rc, const struct sdd_error *err)
{
    if (rc)
        oracle_die("%s", err->text);
}

/* The median time of the kernels, in milliseconds; *first gets or is held to the rows. */
static double time_way(sdd_topology *t, struct sdd_query_request r, int way, sdd_rows **first)
{
    double seconds[RUNS];
    sdd_query_plan *plan;
    struct sdd_error err = {0};
    must(query_plan_by(t, &r, way, NULL, &plan, &err), &err);
    const struct sdd_query_info *i = sdd_query_plan_info(plan);
    for (int k = 0; k < RUNS; k++) {
        sdd_rows *rows;
        must(sdd_query(t, plan, 0, i->n_rows, NULL, &rows, &err), &err);
        seconds[k] = sdd_rows_info(rows)->device_seconds;
        if (*first && memcmp(sdd_rows_info(rows)->ids, sdd_rows_info(*first)->ids, (size_t)i->ids_bytes) != 0)
            oracle_die("%s by way %d differs", sdd_relation_name(r.relation), way);
        if (*first)
            sdd_rows_free(rows);
        else
            *first = rows;
    }
    sdd_query_plan_free(plan);
    return 1e3 * median(seconds, RUNS);
}

static void bench_ways(sdd_topology *t)
{
    static const int relations[] = {SDD_VV, SDD_VE, SDD_VF, SDD_EF, SDD_FF};
    printf("  lists, ms      flat  transpose     kept\n");
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++) {
        const struct sdd_query_request r = {.relation = relations[k], .ring = 1, .count = SDD_ALL_ROWS};
        sdd_rows *first = NULL;
        printf("  %s       ", sdd_relation_name(relations[k]));
        for (int way = QUERY_FLAT; way <= QUERY_KEPT; way++)
            printf("  %9.3f", time_way(t, r, way, &first));
        printf("\n");
        sdd_rows_free(first);
    }
}

static void bench_tiles(sdd_topology *t)
{
    const struct tiles *tiles;
    struct sdd_neighbors q;
    struct sdd_error err = {0};
    must(tiles_neighbors(t, &q, &err), &err);
    const int64_t launches = sdd_device_launches(t->device);
    const double start = now_ms();
    must(tiles_get(t, &q, NULL, &tiles, &err), &err);
    const double ms = now_ms() - start, F = (double)t->info.n_faces;
    printf("  %lld tiles in %.1f ms by %lld launches, %.1f bytes a face, ribbons %.1f %%\n", (long long)tiles->n, ms,
           (long long)(sdd_device_launches(t->device) - launches), (double)tiles->block.bytes / F,
           100 * ((double)tiles->n_faces / F - 1));
}

static void bench_levels(sdd_device *d)
{
    struct grid_mesh g;
    sdd_topology *t;
    struct sdd_error err = {0};
    grid_mesh_init(&g, 22, 0);
    must(sdd_topology_create(d, &g.desc, &t, &err), &err);
    for (int level = 4; level <= 6; level += 2) {
        const struct sdd_query_request r = {.relation = SDD_VV, .level = level, .ring = 1, .count = SDD_ALL_ROWS};
        sdd_rows *first = NULL;
        const double ms = time_way(t, r, QUERY_BY_RULE, &first);
        const struct sdd_rows_info *i = sdd_rows_info(first);
        printf("  VV of level %d, %lld vertices: %.3f ms, %.1f GB/s written\n", level, (long long)i->n_rows, ms,
               4e-6 * (double)i->n_ids / ms);
        sdd_rows_free(first);
    }
    sdd_topology_unref(t);
    grid_mesh_fini(&g);
}

int main(void)
{
    const char *backend = getenv("SUBDD_TEST_BACKEND"), *asked = getenv("SIDE");
    const struct sdd_device_config config = {.backend = backend, .module_path = test_module_path()};
    const int32_t side = asked ? (int32_t)strtol(asked, NULL, 10) : SIDE;
    struct sdd_device_info info;
    struct sdd_error err = {0};
    sdd_device *d;
    must(sdd_device_open(&config, &d, &err), &err);
    sdd_device_info(d, &info);
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        struct grid_mesh g;
        sdd_topology *t;
        grid_mesh_init(&g, side, shuffled);
        must(sdd_topology_create(d, &g.desc, &t, &err), &err);
        printf("%s, %d threads: %lld triangles, %s\n", info.name, info.threads, (long long)g.desc.n_faces,
               shuffled ? "shuffled" : "row after row");
        bench_tiles(t);
        bench_ways(t);
        sdd_topology_unref(t);
        grid_mesh_fini(&g);
    }
    bench_levels(d);
    sdd_device_close(d);
    return 0;
}
