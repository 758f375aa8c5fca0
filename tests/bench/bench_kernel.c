/* SPDX-License-Identifier: Apache-2.0 */
/* bench_kernel.c: measures how much faster the tuned CUDA forms of kernels are than their references. Real refines run
 * on a device that, at the largest launch of each kernel with a tuned form at each level, launches both forms again
 * with the same arguments. The bench prints medians of 11 runs and their ratio. $SUBDD_BENCH_KERNEL names one kernel
 * (make bench K=NAME); by default it measures all. Without a GPU it says so and exits with success. */
#include "gpu/backend/backend.h"
#include "tests/refine_once.h"
#include "gpu/mesh/mesh.h"
#include "tests/bench/timing.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The grids are so large that the first step is a launch of its own, because references do not fuse it
 * (SDD_REFERENCE). */
static const int32_t sides[] = {0, 0, 0, 700, 500, 300, 300}; /* By level. */
enum { FIRST_LEVEL = 3, LAST_LEVEL = 6, RUNS = 11, BEGIN = SDD_N_MARKS - 2, END = SDD_N_MARKS - 1 };

static const struct {
    int kernel;
    const char *name;
} tuned[] = {
#define SDD_KERNEL(name) {SDD_K_##name, #name},
#include "tuned.def"
#undef SDD_KERNEL
};
#define N_TUNED (sizeof tuned / sizeof tuned[0])

static struct {
    int64_t n;
    double tuned_ms, reference_ms;
} seen[LAST_LEVEL + 1][N_TUNED];
static int level;
static const struct sdd_backend *real;

static int time_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n, double *ms)
{
    double each[RUNS];
    int rc = real->launch(device, kernel, args, args_bytes, n); /* This run loads what is loaded at first use. */
    for (int i = 0; i < RUNS && !rc; i++) {
        if ((rc = real->mark(device, BEGIN)) || (rc = real->launch(device, kernel, args, args_bytes, n)) ||
            (rc = real->mark(device, END)) || (rc = real->elapsed(device, BEGIN, END, each + i)))
            break;
        each[i] *= 1e3;
    }
    if (!rc)
        *ms = median(each, RUNS);
    return rc;
}

/* Times both forms. Kernels with tuned forms never read what they write, so they can run again. */
static int launch_and_time(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    const char *only = getenv("SUBDD_BENCH_KERNEL");
    int rc = real->launch(device, kernel, args, args_bytes, n);
    for (size_t i = 0; i < N_TUNED && !rc; i++) {
        if (tuned[i].kernel != kernel || n <= seen[level][i].n || (only && *only && strcmp(only, tuned[i].name) != 0))
            continue;
        seen[level][i].n = n;
        rc = time_launch(device, kernel, args, args_bytes, n, &seen[level][i].tuned_ms);
        if (!rc)
            rc = time_launch(device, kernel | SDD_REFERENCE, args, args_bytes, n, &seen[level][i].reference_ms);
    }
    return rc;
}

/* ---- what runs -------------------------------------------------------------------------------------------------- */
/* A grid of quads, or of two triangles for each quad, with creases on a fifth of the faces and one UV for each
 * vertex. */
struct creased_grid {
    float *points, *uvs, *sharpness;
    int32_t *counts, *vertices, *creases;
    struct sdd_mesh_desc desc;
    int side;
};

static void make_faces(struct creased_grid *g, int triangles)
{
    const int32_t side = g->side, row = side + 1, n = triangles ? 3 : 4;
    for (int32_t f = 0; f < side * side; f++) {
        const int32_t v = f / side * row + f % side, quad[4] = {v, v + 1, v + row + 1, v + row};
        const int32_t two[6] = {v, v + 1, v + row + 1, v, v + row + 1, v + row};
        memcpy(g->vertices + (triangles ? 6 : 4) * f, triangles ? two : quad, triangles ? sizeof two : sizeof quad);
        g->counts[f] = g->counts[side * side + f] = n;
        if (f % 5 == 0) {
            const int64_t c = g->desc.n_creases++;
            g->creases[2 * c] = v, g->creases[2 * c + 1] = v + 1, g->sharpness[c] = (float)(f % 7) * 0.5f;
        }
    }
    g->desc.n_faces = side * side * (triangles ? 2 : 1);
    g->desc.n_corners = g->desc.n_faces * n;
}

static void make_grid(struct creased_grid *g, int triangles)
{
    const int32_t side = sides[level], row = side + 1, n_vertices = row * row, n_faces = side * side;
    memset(g, 0, sizeof *g);
    g->side = side;
    g->points = xalloc(3 * n_vertices, sizeof *g->points), g->uvs = xalloc(2 * n_vertices, sizeof *g->uvs);
    g->counts = xalloc(2 * n_faces, sizeof *g->counts), g->vertices = xalloc(6 * n_faces, sizeof *g->vertices);
    g->creases = xalloc(2 * n_faces, sizeof *g->creases), g->sharpness = xalloc(n_faces, sizeof *g->sharpness);
    for (int32_t v = 0; v < n_vertices; v++) {
        const int32_t line = v / row;
        const float x = (float)(v % row), y = (float)line;
        g->points[3 * v] = x, g->points[3 * v + 1] = y, g->points[3 * v + 2] = (float)(v * 37 % 101) * 0.01f;
        g->uvs[2 * v] = x / (float)row, g->uvs[2 * v + 1] = y / (float)row;
    }
    make_faces(g, triangles);
    g->desc.n_vertices = g->desc.n_uvs = n_vertices;
    g->desc.face_counts = g->counts, g->desc.face_vertices = g->desc.uv_indices = g->vertices;
    g->desc.crease_edges = g->creases, g->desc.crease_sharpness = g->sharpness;
    g->desc.options.scheme = triangles ? SDD_SCHEME_LOOP : SDD_SCHEME_CATMULL_CLARK;
}

static void free_grid(struct creased_grid *g)
{
    free(g->points), free(g->uvs), free(g->sharpness), free(g->counts), free(g->vertices), free(g->creases);
}

static void refine(sdd_mesh *mesh, int include, int compact, uint32_t primvars)
{
    const struct sdd_refine_request r = {.level = level,
                                         .surface = SDD_SURFACE_LIMIT,
                                         .include = include,
                                         .compact = compact,
                                         .primvars = primvars,
                                         .method = "tabulated"};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(mesh, &r, &result, &err))
        oracle_die("refine: %s", err.text);
    sdd_result_free(result);
}

static void refine_two(sdd_mesh *mesh)
{
    const struct sdd_refine_request r = {
        .level = level, .surface = SDD_SURFACE_LIMIT, .include = SDD_POSITIONS, .method = "tabulated"};
    struct sdd_error err = {0};
    sdd_mesh *two[2] = {mesh, mesh};
    sdd_result *results[2] = {NULL, NULL};
    if (batch_once(two, 2, &r, results, &err))
        oracle_die("refine: %s", err.text);
    sdd_result_free(results[0]);
    sdd_result_free(results[1]);
}

static void run_grid(sdd_device *device, int triangles)
{
    static const int blocks[] = {SDD_POSITIONS, SDD_NORMALS, SDD_POSITIONS | SDD_NORMALS, SDD_UVS | SDD_UV_INDICES};
    struct creased_grid g;
    struct sdd_error err = {0};
    sdd_topology *topology = NULL;
    sdd_mesh *mesh = NULL;
    make_grid(&g, triangles);
    const struct sdd_primvar primvars[] = {{SDD_VERTEX, 1, 0, g.points}, {SDD_VARYING, 2, 0, g.uvs}};
    if (sdd_topology_create(device, &g.desc, &topology, &err) ||
        sdd_mesh_create(topology, g.points, g.uvs, &mesh, &err) || sdd_mesh_set_primvars(mesh, 2, primvars, &err))
        oracle_die("mesh: %s", err.text);
    for (int i = 0; i < 4; i++) {
        refine(mesh, blocks[i], 0, 0);
        refine(mesh, blocks[i], blocks[i] & (SDD_POSITIONS | SDD_NORMALS | SDD_UVS), 0);
    }
    refine(mesh, SDD_PRIMVARS, 0, 1);
    refine(mesh, SDD_PRIMVARS, 0, 2);
    refine_two(mesh);
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    free_grid(&g);
}

static int print_level(size_t i)
{
    if (seen[level][i].n > 0)
        printf("%-24s level %d  n %9lld  tuned %9.4f ms  reference %9.4f ms  ratio %.3f\n", tuned[i].name, level,
               (long long)seen[level][i].n, seen[level][i].tuned_ms, seen[level][i].reference_ms,
               seen[level][i].tuned_ms / seen[level][i].reference_ms);
    return seen[level][i].n > 0;
}

static int print_rows(const char *only)
{
    int known = !only || !*only;
    for (size_t i = 0; i < N_TUNED; i++) {
        const int asked = only && strcmp(only, tuned[i].name) == 0;
        known |= asked;
        int launched = 0;
        for (level = FIRST_LEVEL; level <= LAST_LEVEL; level++)
            launched |= print_level(i);
        if (!launched && (asked || !only || !*only))
            printf("%-24s was not launched\n", tuned[i].name);
    }
    if (!known)
        printf("%s has no tuned form\n", only);
    return known ? 0 : 1;
}

int main(void)
{
    static struct sdd_backend timed;
    char reason[200] = "no CUDA module beside the binaries";
    struct sdd_error err = {0};
    sdd_device *device = NULL;
    real = test_module_path() ? sdd_backend_load(test_module_path(), reason, sizeof reason) : NULL;
    if (!real || real->probe(reason, sizeof reason) <= 0) {
        printf("skip: %s\n", reason);
        return 0;
    }
    timed = *real;
    timed.launch = launch_and_time;
    if (sdd_device_wrap(&timed, 0, 0, 0, &device, &err))
        oracle_die("%s", err.text);
    for (level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
        run_grid(device, 0);
        run_grid(device, 1);
    }
    sdd_device_close(device);
    return print_rows(getenv("SUBDD_BENCH_KERNEL"));
}
