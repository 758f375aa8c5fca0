/* SPDX-License-Identifier: Apache-2.0 */
/* bench_update.c: the topology after an edit, made from the one before it (sdd_topology_update) and built anew
 * (sdd_topology_create), on cages of 3,000, 100,000 and a million quads: a torus, which is closed, and a grid with a
 * border and UVs; and on tori of half as many triangles under Loop. Then come the tables of `tabulated` for level 4,
 * anew and from those of the old topology. Each time is the median of RUNS that alternate between the two, with warm
 * memory. Beside it stands the time of all threads that computed, and what copying the new topology's arrays once would
 * take at the bandwidth that the device reaches in the same run.
 * SUBDD_TEST_BACKEND=cuda leaves the CPU out; THREADS=n is for the CPU; FACES=n leaves cages of fewer quads out, and
 * CAGE=name those of other names, but not the meshes of $SUBDD_SHARED/data. */
#include "gpu/mesh/topology.h"
#include "gpu/sdd/sdd_update.h"
#include "server/mesh/formats/codec.h"
#include "tests/bench/timing.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 11, WARM = 2 };

/* Between the two come the middle face, or two neighbouring vertices of it, or every n-th face. */
static const struct {
    const char *name, *before, *after;
    int of_edge, makes_quads, every;
} edits[] = {{"crease", "setCreases\":{\"edges", ",\"sharpnesses\":[2]", 1, 0, 0},
             {"poke", "pokeFaces\":{\"ids", "", 0, 0, 0},
             {"extrude", "extrudeFaces\":{\"ids", ",\"by\":[1]", 0, 1, 0},
             {"remove", "removeFaces\":{\"ids", "", 0, 0, 0},
             {"poke .1%", "pokeFaces\":{\"ids", "", 0, 0, 1000},
             {"poke .4%", "pokeFaces\":{\"ids", "", 0, 0, 250}};

/* What is edited. */
enum cage { TORUS, GRID, LOOP, N_CAGES };
static const char *const cages[] = {"torus", "grid", "loop"};

/* Cuts n quads into 2 n triangles. */
static void cut(const int32_t *quads, int64_t n, int32_t *to)
{
    static const int at[6] = {0, 1, 2, 0, 2, 3};
    for (int64_t i = 0; i < 6 * n; i++)
        to[i] = quads[4 * (i / 6) + at[i % 6]];
}

/* A torus, or a grid that is a plane in UVs, of side * side quads; or a torus of triangles under Loop, two a quad. */
static struct mesh *make_cage(int side, enum cage cage)
{
    const int64_t n = (int64_t)side * side, row = side + 1;
    const int is_grid = cage == GRID, corners = cage == LOOP ? 6 : 4;
    struct torus torus;
    struct mesh *m;
    struct sdd_error err = {0};
    torus_make(side, side, &torus);
    int32_t *vertices = xalloc(corners * n, sizeof *vertices), *counts = xalloc(2 * n, sizeof *counts);
    float *points = xalloc(3 * row * row, sizeof *points), *uvs = xalloc(2 * row * row, sizeof *uvs);
    for (int64_t i = 0; i < row * row; i++) {
        uvs[2 * i] = points[3 * i] = (float)(i % row);
        uvs[2 * i + 1] = points[3 * i + 1] = (float)(i / row); // NOLINT: whole rows are meant
        points[3 * i + 2] = 0;
    }
    for (int64_t f = 0; f < 2 * n; f++)
        counts[f] = cage == LOOP ? 3 : 4;
    memcpy(vertices, torus.desc.face_vertices, 4 * (size_t)n * sizeof *vertices);
    if (cage == LOOP)
        cut(torus.desc.face_vertices, n, vertices);
    for (int64_t f = 0; f < n && is_grid; f++) {
        const int32_t v = (int32_t)(f / side * row + f % side);
        const int32_t quad[4] = {v, v + 1, v + side + 2, v + side + 1};
        memcpy(vertices + 4 * f, quad, sizeof quad);
    }
    const struct mesh_arrays a = {.points = {is_grid ? points : torus.points, 3 * (is_grid ? row * row : n)},
                                  .face_counts = {counts, cage == LOOP ? 2 * n : n},
                                  .face_vertices = {vertices, corners * n},
                                  .uvs = {uvs, is_grid ? 2 * row * row : 0}};
    if (mesh_build(&a, &m, &err))
        oracle_die("%s", err.text);
    m->options.scheme = cage == LOOP ? SDD_SCHEME_LOOP : SDD_SCHEME_CATMULL_CLARK;
    torus_free(&torus);
    free(vertices);
    free(counts);
    free(points);
    free(uvs);
    return m;
}

static void apply(const struct mesh *m, int edit, struct edit_result *r)
{
    const int64_t face = m->n_faces / 2, every = edits[edit].every ? edits[edit].every : m->n_faces;
    const int32_t *v = m->face_vertices;
    const size_t room = 200 + 12 * (size_t)(m->n_faces / every);
    char *json = xalloc((int64_t)room, 1);
    struct edit_batch *b;
    struct sdd_error err = {0};
    for (int64_t f = 0; f < face; f++)
        v += m->face_counts[f];
    size_t used = (size_t)snprintf(json, room, "{\"edits\":[{\"%s\":[", edits[edit].before);
    for (int64_t f = face % every; f < m->n_faces && !edits[edit].of_edge; f += every)
        used += (size_t)snprintf(json + used, room - used, "%s%d", f < every ? "" : ",", (int32_t)f);
    if (edits[edit].of_edge)
        used += (size_t)snprintf(json + used, room - used, "%d,%d", v[0], v[1]);
    used += (size_t)snprintf(json + used, room - used, "]%s}}]}", edits[edit].after);
    if (edits_from_json(json, used, &b, &err) || edits_apply(m, b, r, &err))
        oracle_die("%s: %s", edits[edit].name, err.text);
    edit_batch_free(b);
    free(json);
}

/* What the process has computed, on all threads: it says more than the clock where other work runs beside it. */
static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The time of the clock and that of all threads, ms. */
struct times {
    double clock[RUNS], cpu[RUNS];
};

/* What `tabulated` makes before its first frame of a topology. */
static void time_tables(sdd_topology *t, const struct mesh *m, struct times *to, int at)
{
    const struct sdd_refine_request r = {
        .level = 4, .surface = SDD_SURFACE_REFINED, .include = SDD_POSITIONS, .method = "tabulated"};
    struct sdd_error err = {0};
    sdd_mesh *mesh;
    if (sdd_mesh_create(t, m->points, m->n_uvs ? m->uvs : NULL, &mesh, &err))
        oracle_die("%s", err.text);
    const double start = now_ms(), cpu = cpu_ms();
    if (prepare_once(mesh, &r, NULL, &err))
        oracle_die("%s", err.text);
    to->clock[at] = now_ms() - start;
    to->cpu[at] = cpu_ms() - cpu;
    sdd_mesh_free(mesh);
}

static void row(sdd_device *device, const char *cage, const struct mesh *m, sdd_topology *old, int edit, double copy)
{
    struct edit_result r;
    struct sdd_mesh_desc desc;
    struct sdd_topology_delta delta;
    struct sdd_topology_info info;
    struct sdd_error err = {0};
    double built[RUNS], updated[RUNS], built_cpu[RUNS], updated_cpu[RUNS];
    struct times anew, from_old;
    int is_updated = 0;
    apply(m, edit, &r);
    mesh_desc(r.mesh, &desc);
    mesh_delta_desc(&r.delta, &delta);
    for (int i = -WARM; i < RUNS; i++) {
        const int at = i < 0 ? 0 : i;
        sdd_topology *t;
        double start = now_ms(), cpu = cpu_ms();
        int rc = sdd_topology_create(device, &desc, &t, &err);
        built[at] = now_ms() - start;
        built_cpu[at] = cpu_ms() - cpu;
        if (!rc)
            time_tables(t, r.mesh, &anew, at);
        sdd_topology_unref(t);
        start = now_ms(), cpu = cpu_ms();
        rc = rc ? rc : sdd_topology_update(old, &desc, &delta, &t, &err);
        updated[at] = now_ms() - start;
        updated_cpu[at] = cpu_ms() - cpu;
        if (rc)
            oracle_die("%s", err.text);
        is_updated = t->is_updated;
        time_tables(t, r.mesh, &from_old, at);
        sdd_topology_info(t, &info);
        sdd_topology_unref(t);
    }
    const double b = median(built, RUNS), u = median(updated, RUNS), c = 2e-6 * (double)info.device_bytes / copy;
    const double b_cpu = median(built_cpu, RUNS), u_cpu = median(updated_cpu, RUNS);
    const double a = median(anew.clock, RUNS), o = median(from_old.clock, RUNS);
    const double a_cpu = median(anew.cpu, RUNS), o_cpu = median(from_old.cpu, RUNS);
    printf("  %-6s %8lld %-8s %9.3f %9.3f %6.1f x %9.3f %9.3f %6.1f x %9.3f%s\n", cage, (long long)m->n_faces,
           edits[edit].name, b, u, b / u, b_cpu, u_cpu, b_cpu / u_cpu, c, is_updated ? "" : "  built anew");
    printf("{\"bench\":\"update\",\"cage\":\"%s\",\"faces\":%lld,\"edit\":\"%s\",\"create_ms\":%.4f,\"update_ms\":%.4f,"
           "\"create_cpu_ms\":%.4f,\"update_cpu_ms\":%.4f,\"copy_ms\":%.4f,\"bytes\":%lld}\n",
           cage, (long long)m->n_faces, edits[edit].name, b, u, b_cpu, u_cpu, c, (long long)info.device_bytes);
    printf("         tables: %9.3f %9.3f %6.1f x %9.3f %9.3f %6.1f x\n", a, o, a / o, a_cpu, o_cpu, a_cpu / o_cpu);
    edit_result_free(&r);
}

static void edit_all(sdd_device *device, const char *cage, const struct mesh *m, double copy)
{
    struct sdd_mesh_desc desc;
    struct sdd_error err = {0};
    struct times unused;
    sdd_topology *old;
    mesh_desc(m, &desc);
    if (sdd_topology_create(device, &desc, &old, &err))
        oracle_die("%s", err.text);
    time_tables(old, m, &unused, 0);
    for (size_t e = 0; e < sizeof edits / sizeof *edits; e++)
        if (m->options.scheme != SDD_SCHEME_LOOP || !edits[e].makes_quads)
            row(device, cage, m, old, (int)e, copy);
    sdd_topology_unref(old);
}

static void rows(const char *backend)
{
    static const char *const files[] = {"spot_quadrangulated", "beast"};
    static const int sides[] = {55, 316, 1000};
    const struct sdd_device_config config = {.backend = backend,
                                             .module_path = test_module_path(),
                                             .threads =
                                                 getenv("THREADS") ? (int)strtol(getenv("THREADS"), NULL, 10) : 0};
    const char *only = getenv("CAGE");
    const int64_t least = getenv("FACES") ? strtoll(getenv("FACES"), NULL, 10) : 0;
    struct sdd_device_info info;
    struct sdd_error err = {0};
    sdd_device *device = NULL;
    if (sdd_device_open(&config, &device, &err)) {
        printf("skip: %s: %s\n", backend, err.text);
        return;
    }
    sdd_device_info(device, &info);
    const double copy = device_bandwidth(device, (int64_t)256 << 20).copy;
    printf("%s, copies %.1f GB/s\n  cage      faces edit        create    update             cpu: create    update     "
           "       one "
           "copy, ms\n",
           info.name, copy);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int cage = 0; cage < N_CAGES && (int64_t)sides[i] * sides[i] >= least; cage++) {
            if (only && strcmp(only, cages[cage]) != 0)
                continue;
            struct mesh *m = make_cage(cage == LOOP ? sides[i] / 2 : sides[i], cage);
            edit_all(device, cages[cage], m, copy);
            mesh_free(m);
        }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct bench_mesh m;
        bench_mesh_open(&m, files[i], 3, 3);
        if (m.shape.mesh)
            edit_all(device, m.name, m.shape.mesh, copy);
        bench_mesh_close(&m);
    }
    sdd_device_close(device);
}

int main(void)
{
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    if (!backend || strcmp(backend, "cuda") != 0)
        rows("cpu");
    rows("cuda");
    return 0;
}
