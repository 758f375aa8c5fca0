/* SPDX-License-Identifier: Apache-2.0 */
/* bench_queries.c: neighbours of 1.1 and 4.4 million triangles, in Morton order and shuffled, of beast, and of spot at
 * level 6, on the device that SUBDD_TEST_BACKEND names (default: cuda where there is one). Caches are overwritten
 * before each run. Each line of the table is one task, done from
 *   flat       rows of 32-bit offsets and ids; as lists, a copy of them; that is what the ratios are to
 *   directed   directed edges (triangles only), whose rows are in no order
 *   mesh       the control mesh as it is, which is the library's flat way to lists
 *   transpose  tiles, transposed in fast memory
 *   kept       tiles, with rows kept in 16 bits
 * The first two are the bench's own (peers.dev.h). All are held to each other: lists and sums byte for byte, those of
 * directed edges by their sums. CUTS=n measures one size: n cuts of each face in four (2 on a CPU, else 2 and 3). */
#include "tests/bench/timing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/device/device.h"
#include "gpu/fields/internal.h"
#include "gpu/queries/internal.h"
#include "tests/bench/peers.h"
#include "tests/bench/tri_mesh.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"

enum { RUNS = 7, FLAT, DIRECTED, MESH, TRANSPOSE, KEPT, N_COLUMNS };

struct bench {
    sdd_device *d;
    sdd_topology *t;
    sdd_mesh *mesh;
    struct cooler cooler;
    int peers; /* whether their kernels are there */
    char name[64];
};

static void must(int rc, const struct sdd_error *err)
{
    if (rc)
        oracle_die("%s", err->text);
}

static struct device_block take(sdd_device *d, int64_t bytes)
{
    struct device_block b = {0};
    struct sdd_error err = {0};
    must(block_take(d, bytes + 256, &b, &err), &err);
    return b;
}

static void *bring(sdd_device *d, const void *from, int64_t bytes)
{
    struct sdd_error err = {0};
    void *to = xalloc(bytes + 1, 1);
    dev_download(d, to, from, bytes);
    must(dev_finish(d, &err), &err);
    return to;
}

static void print_row(const struct bench *b, const char *task, const double *ms)
{
    printf("  %-18s %-14s", b->name, task);
    for (int k = FLAT; k < N_COLUMNS; k++)
        if (ms[k] > 0 && ms[FLAT] > 0)
            printf(" %9.4f %5.2fx", ms[k], ms[k] / ms[FLAT]);
        else if (ms[k] > 0)
            printf(" %9.4f       ", ms[k]);
        else
            printf("         -       ");
    printf("\n");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* The flat rows of a relation on the device, with a copy on the host. */
struct flat {
    struct device_block block;
    struct sdd_query_rows rows;
    int64_t n, n_ids;
    sdd_query_plan *plan;
    sdd_rows *host;
};

static void flat_open(const struct bench *b, int relation, struct flat *f)
{
    const struct sdd_query_request r = {.relation = relation, .ring = 1, .count = SDD_ALL_ROWS};
    struct sdd_error err = {0};
    *f = (struct flat){0};
    must(query_plan_by(b->t, &r, QUERY_FLAT, NULL, &f->plan, &err), &err);
    f->n = f->plan->info.n_rows;
    f->n_ids = f->plan->info.n_ids;
    must(sdd_query(b->t, f->plan, 0, f->n, NULL, &f->host, &err), &err);
    f->block = take(b->d, 4 * (f->n + 1 + f->n_ids));
    uint32_t *offset = f->block.memory, *ids = offset + f->n + 1;
    dev_upload(b->d, offset, sdd_rows_info(f->host)->offsets, 4 * (f->n + 1));
    dev_upload(b->d, ids, sdd_rows_info(f->host)->ids, 4 * f->n_ids);
    f->rows.first = (struct sdd_rows_of){offset, ids};
    must(dev_finish(b->d, &err), &err);
}

static void flat_close(const struct bench *b, struct flat *f)
{
    block_give(b->d, &f->block);
    sdd_rows_free(f->host);
    sdd_query_plan_free(f->plan);
}

static double time_peer(struct bench *b, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    double seconds[RUNS];
    for (int k = 0; k < RUNS; k++) {
        cooler_run(&b->cooler);
        seconds[k] = peer_seconds(b->d, kernel, args, args_bytes, n);
    }
    return 1e3 * median(seconds, RUNS);
}

/* The median time of the library's kernels that write lists; the lists are held to `want`. */
static double time_lists(struct bench *b, const struct sdd_query_request *r, int way, const sdd_rows *want,
                         int64_t *n_rows, int64_t *n_ids)
{
    double seconds[RUNS];
    struct sdd_error err = {0};
    sdd_query_plan *plan;
    must(query_plan_by(b->t, r, way, NULL, &plan, &err), &err);
    const struct sdd_query_info *i = sdd_query_plan_info(plan);
    for (int k = 0; k < RUNS; k++) {
        sdd_rows *rows;
        cooler_run(&b->cooler);
        must(sdd_query(b->t, plan, 0, i->n_rows, NULL, &rows, &err), &err);
        seconds[k] = sdd_rows_info(rows)->device_seconds;
        if (want && memcmp(sdd_rows_info(rows)->ids, sdd_rows_info(want)->ids, (size_t)i->ids_bytes) != 0)
            oracle_die("%s by way %d differs", sdd_relation_name(r->relation), way);
        sdd_rows_free(rows);
    }
    *n_rows = i->n_rows;
    *n_ids = i->n_ids;
    sdd_query_plan_free(plan);
    return 1e3 * median(seconds, RUNS);
}

/* ---- directed edges ---------------------------------------------------------------------------------------------- */
struct directed {
    struct device_block block;
    struct peer_directed_args args;
};

static int directed_open(const struct bench *b, struct directed *x)
{
    const struct sdd_control m = topology_control(b->t);
    const int64_t V = m.n_vertices;
    struct sdd_error err = {0};
    if (!b->peers || !b->t->info.manifold || m.faces.size != 3)
        return 0;
    uint32_t *first = xalloc(V, 4), *begin = bring(b->d, m.begin, 4 * V), *end = bring(b->d, m.end, 4 * V);
    uint32_t *corner = bring(b->d, m.corner, 4 * (int64_t)m.n_corners),
             *twin = bring(b->d, m.twin, 4 * (int64_t)m.n_corners);
    for (int64_t v = 0; v < V; v++) {
        first[v] = begin[v] < end[v] ? corner[begin[v]] : SDD_NONE;
        for (uint32_t k = begin[v]; k < end[v]; k++)
            if (twin[corner[k]] >= m.n_corners)
                first[v] = corner[k];
    }
    x->block = take(b->d, 4 * V);
    dev_upload(b->d, x->block.memory, first, 4 * V);
    must(dev_finish(b->d, &err), &err);
    x->args = (struct peer_directed_args){.vert = m.vert,
                                          .twin = m.twin,
                                          .edge = m.edge,
                                          .first = x->block.memory,
                                          .edge_corner = m.edge_corner,
                                          .n_corners = m.n_corners};
    free(first), free(begin), free(end), free(corner), free(twin);
    return 1;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */
static double time_copies(struct bench *b, const struct flat *f, uint32_t *to)
{
    struct peer_copy_args copy = {f->rows, to};
    const double ms = time_peer(b, PEER_COPY, &copy, sizeof copy, f->n);
    uint32_t *ids = bring(b->d, to, 4 * f->n_ids);
    if (memcmp(ids, sdd_rows_info(f->host)->ids, 4 * (size_t)f->n_ids) != 0)
        oracle_die("a copy has other ids");
    free(ids);
    return ms;
}

static double time_directed(struct bench *b, const struct directed *x, int relation, const struct flat *f, uint32_t *to)
{
    struct peer_directed_args a = x->args;
    a.offset = f->rows.first.offset;
    a.ids = to;
    a.relation = relation;
    const double ms = time_peer(b, PEER_DIRECTED, &a, sizeof a, f->n);
    uint32_t *ids = bring(b->d, to, 4 * f->n_ids);
    uint64_t sum = 0;
    for (int64_t i = 0; i < f->n_ids; i++)
        sum += (uint64_t)sdd_rows_info(f->host)->ids[i] - ids[i];
    if (sum)
        oracle_die("%s by directed edges has other ids", sdd_relation_name(relation));
    free(ids);
    return ms;
}

static void bench_lists(struct bench *b, const struct directed *x)
{
    static const int relations[] = {SDD_VV, SDD_VE, SDD_VF, SDD_EF, SDD_FF};
    static const int ways[N_COLUMNS] = {[MESH] = QUERY_FLAT, [TRANSPOSE] = QUERY_TRANSPOSE, [KEPT] = QUERY_KEPT};
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++) {
        const struct sdd_query_request r = {.relation = relations[k], .ring = 1, .count = SDD_ALL_ROWS};
        double ms[N_COLUMNS] = {0};
        struct flat f;
        char task[32];
        int64_t n, n_ids;
        flat_open(b, relations[k], &f);
        struct device_block to = take(b->d, 4 * f.n_ids);
        if (b->peers)
            ms[FLAT] = time_copies(b, &f, to.memory);
        if (x)
            ms[DIRECTED] = time_directed(b, x, relations[k], &f, to.memory);
        for (int c = MESH; c < N_COLUMNS; c++)
            ms[c] = time_lists(b, &r, ways[c], f.host, &n, &n_ids);
        snprintf(task, sizeof task, "%s lists", sdd_relation_name(relations[k]));
        print_row(b, task, ms);
        block_give(b->d, &to);
        flat_close(b, &f);
    }
}

/* A tenth of the vertices, as a list in no order and as a range. In the column `flat`: nothing, so no ratios. */
static void bench_some(struct bench *b)
{
    static const int ways[N_COLUMNS] = {[MESH] = QUERY_FLAT, [TRANSPOSE] = QUERY_TRANSPOSE, [KEPT] = QUERY_KEPT};
    const int64_t V = b->t->info.n_vertices, n = V / 10;
    int64_t *ids = xalloc(n, sizeof *ids), n_rows, n_ids;
    for (int64_t i = 0; i < n; i++)
        ids[i] = (int64_t)((uint64_t)i * 2654435761u % (uint64_t)V);
    for (int list = 0; list < 2; list++) {
        const struct sdd_query_request r = {
            .relation = SDD_VV, .ring = 1, .first = V / 3, .count = n, .ids = list ? ids : NULL, .n_ids = n};
        double ms[N_COLUMNS] = {0};
        sdd_query_plan *plan;
        sdd_rows *want;
        struct sdd_error err = {0};
        must(query_plan_by(b->t, &r, QUERY_FLAT, NULL, &plan, &err), &err);
        must(sdd_query(b->t, plan, 0, n, NULL, &want, &err), &err);
        for (int c = MESH; c < N_COLUMNS; c++)
            ms[c] = time_lists(b, &r, ways[c], want, &n_rows, &n_ids);
        print_row(b, list ? "a tenth, list" : "a tenth, range", ms);
        sdd_rows_free(want);
        sdd_query_plan_free(plan);
    }
    free(ids);
}

/* Two steps, round by round and by tiles, on the device and in all: the host puts the rows of both together. */
static void bench_two_rings(struct bench *b)
{
    for (int k = 0; k < 2; k++) {
        const struct sdd_query_request r = {.relation = k ? SDD_FF : SDD_VV, .ring = 2, .count = SDD_ALL_ROWS};
        double ms[2], all[2];
        int64_t n_rest = 0;
        sdd_rows *want = NULL, *rows;
        struct sdd_error err = {0};
        for (int by_tiles = 0; by_tiles < 2; by_tiles++) {
            double device[3], wall[3];
            sdd_query_plan *plan;
            must(query_plan_by(b->t, &r, by_tiles ? QUERY_TRANSPOSE : QUERY_FLAT, NULL, &plan, &err), &err);
            n_rest = plan->n_rest;
            for (int i = 0; i < 3; i++) {
                const double start = now_ms();
                must(sdd_query(b->t, plan, 0, plan->info.n_rows, NULL, &rows, &err), &err);
                wall[i] = now_ms() - start;
                device[i] = 1e3 * sdd_rows_info(rows)->device_seconds;
                if (want && memcmp(sdd_rows_info(rows)->ids, sdd_rows_info(want)->ids, (size_t)plan->info.ids_bytes))
                    oracle_die("two rings of %s differ", sdd_relation_name(r.relation));
                if (want)
                    sdd_rows_free(rows);
                else
                    want = rows;
            }
            ms[by_tiles] = median(device, 3);
            all[by_tiles] = median(wall, 3);
            sdd_query_plan_free(plan);
        }
        printf("  %-18s %s two rings: rounds %.2f ms (%.2f in all), tiles %.2f (%.2f in all), %.1f %% of the rows by "
               "rounds\n",
               b->name, sdd_relation_name(r.relation), ms[0], all[0], ms[1], all[1],
               100.0 * (double)n_rest / (double)sdd_rows_info(want)->n_rows);
        sdd_rows_free(want);
    }
}

/* Holds the result of a run to `want`, which the first run makes; sums in another order nearly. */
static void hold(const struct bench *b, const void *to, int64_t n, int nearly, float **want)
{
    float *got = bring(b->d, to, 4 * n);
    if (!*want) {
        *want = got;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (nearly ? fabsf(got[i] - (*want)[i]) > 1e-4f * (1 + fabsf(got[i])) : got[i] != (*want)[i])
            oracle_die("sum %lld is %g here and %g there", (long long)i, (double)got[i], (double)(*want)[i]);
    free(got);
}

/* Sums over a relation: of points for VV, else of a number. With `step`, a step of smoothing instead. */
static void bench_sums(struct bench *b, const struct directed *x, int relation, int step)
{
    static const int ways[N_COLUMNS] = {[TRANSPOSE] = QUERY_TRANSPOSE, [KEPT] = QUERY_KEPT};
    static const int kernels[N_COLUMNS] = {[TRANSPOSE] = PEER_GATHER_STAGED, [KEPT] = PEER_GATHER_KEPT};
    double ms[N_COLUMNS] = {0};
    struct flat f;
    struct sdd_error err = {0};
    char task[32];
    float *want = NULL;
    flat_open(b, relation, &f);
    const int width = relation == SDD_VV ? 3 : 1;
    struct device_block to = take(b->d, 4 * width * f.n);
    struct peer_gather_args a = {f.rows, b->mesh->points, to.memory, width, step};
    ms[FLAT] = time_peer(b, PEER_GATHER, &a, sizeof a, f.n);
    hold(b, to.memory, width * f.n, 0, &want);
    if (x && !step) {
        struct peer_directed_args e = x->args;
        e.value = b->mesh->points;
        e.to = to.memory;
        e.relation = relation;
        ms[DIRECTED] = time_peer(b, PEER_DIRECTED, &e, sizeof e, f.n);
        hold(b, to.memory, width * f.n, 1, &want);
    }
    for (int c = TRANSPOSE; c < N_COLUMNS; c++) {
        struct device_rows rows;
        if (relation == SDD_FF && c == TRANSPOSE)
            continue; /* there is no such form */
        must(queries_rows(b->t, relation, ways[c], 1, NULL, &rows, &err), &err);
        a.rows = rows.rows;
        if (rows.way == ways[c]) {
            ms[c] = time_peer(b, kernels[c], &a, sizeof a, rows.n);
            hold(b, to.memory, width * f.n, 0, &want);
        }
        block_give(b->d, &rows.block);
    }
    snprintf(task, sizeof task, step ? "step of a half" : "%s sum of %s", sdd_relation_name(relation),
             width == 3 ? "points" : "a number");
    print_row(b, task, ms);
    free(want);
    block_give(b->d, &to);
    flat_close(b, &f);
}

/* The library's own step of uniform smoothing, which knows boundaries and is in double precision, by each way. */
static void bench_smoothing(struct bench *b)
{
    static const int ways[N_COLUMNS] = {[FLAT] = QUERY_FLAT, [TRANSPOSE] = QUERY_TRANSPOSE, [KEPT] = QUERY_KEPT};
    const struct sdd_smooth_request r = {.method = SDD_SMOOTH_UNIFORM, .iterations = 1, .strength = 0.5f};
    struct sdd_error err = {0};
    double ms[N_COLUMNS] = {0}, seconds[RUNS];
    for (int c = FLAT; c < N_COLUMNS; c++) {
        for (int k = 0; ways[c] && k < RUNS; k++) {
            sdd_values *v;
            cooler_run(&b->cooler);
            must(smooth_by(b->mesh, &r, ways[c], NULL, &v, &err), &err);
            seconds[k] = sdd_values_info(v)->device_seconds;
            sdd_values_free(v);
        }
        ms[c] = ways[c] ? 1e3 * median(seconds, RUNS) : 0;
    }
    print_row(b, "sdd_smooth", ms);
}

/* In the column `mesh`: sdd_field, which gathers over the corners of each vertex. */
static void bench_normals(struct bench *b)
{
    const struct sdd_control m = topology_control(b->t);
    const struct sdd_field_request r = {.what = SDD_FIELD_NORMALS};
    struct sdd_error err = {0};
    double ms[N_COLUMNS] = {0}, seconds[RUNS];
    float *want = NULL;
    struct flat f;
    flat_open(b, SDD_VF, &f);
    struct device_block to = take(b->d, 12 * f.n);
    struct peer_normals_args a = {f.rows, m.vert, b->mesh->points, to.memory};
    ms[FLAT] = m.faces.size == 3 && b->peers ? time_peer(b, PEER_NORMALS, &a, sizeof a, f.n) : 0;
    for (int k = 0; k < RUNS; k++) {
        sdd_values *v;
        cooler_run(&b->cooler);
        must(sdd_field(b->mesh, &r, NULL, &v, &err), &err);
        seconds[k] = sdd_values_info(v)->device_seconds;
        if (k == 0 && ms[FLAT] > 0) {
            want = xalloc(3 * f.n, sizeof *want);
            memcpy(want, sdd_values_info(v)->values, 12 * (size_t)f.n);
            hold(b, to.memory, 3 * f.n, 1, &want);
        }
        sdd_values_free(v);
    }
    ms[MESH] = 1e3 * median(seconds, RUNS);
    print_row(b, "vertex normals", ms);
    free(want);
    block_give(b->d, &to);
    flat_close(b, &f);
}

static void bench_tiles(struct bench *b)
{
    const struct tiles *tiles;
    struct sdd_neighbors q;
    struct sdd_error err = {0};
    must(tiles_neighbors(b->t, &q, &err), &err);
    const int64_t launches = sdd_device_launches(b->d);
    const double start = now_ms();
    must(tiles_get(b->t, &q, NULL, &tiles, &err), &err);
    const double ms = now_ms() - start, F = (double)b->t->info.n_faces;
    printf("  %-18s %lld faces: %lld tiles in %.1f ms by %lld launches, %.1f bytes a face, ribbons %.1f %%\n", b->name,
           (long long)b->t->info.n_faces, (long long)tiles->n, ms, (long long)(sdd_device_launches(b->d) - launches),
           (double)tiles->block.bytes / F, 100 * ((double)tiles->n_faces / F - 1));
}

/* What flat rows take that are made for kernels of queries, the host's part included: `made` of gpu/queries/rule.c. */
static void bench_making(const struct bench *b)
{
    static const int relations[] = {SDD_VV, SDD_VE, SDD_VF, SDD_EF};
    struct sdd_error err = {0};
    printf("  %-18s flat rows are made in, ms:", b->name);
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++) {
        double ms[RUNS];
        for (int i = 0; i < RUNS; i++) {
            struct device_rows rows;
            const double start = now_ms();
            must(queries_rows(b->t, relations[k], QUERY_FLAT, 1, NULL, &rows, &err), &err);
            ms[i] = now_ms() - start;
            block_give(b->d, &rows.block);
        }
        printf(" %s %.2f", sdd_relation_name(relations[k]), median(ms, RUNS));
    }
    printf("\n");
}

static void bench_all(struct bench *b, const struct sdd_mesh_desc *desc, const float *points)
{
    struct sdd_error err = {0};
    struct directed x = {0};
    must(sdd_topology_create(b->d, desc, &b->t, &err), &err);
    must(sdd_mesh_create(b->t, points, NULL, &b->mesh, &err), &err);
    bench_tiles(b);
    bench_making(b);
    const int is_directed = directed_open(b, &x);
    bench_lists(b, is_directed ? &x : NULL);
    bench_some(b);
    bench_two_rings(b);
    if (b->peers) {
        bench_sums(b, is_directed ? &x : NULL, SDD_VV, 0);
        bench_sums(b, is_directed ? &x : NULL, SDD_EF, 0);
        bench_sums(b, is_directed ? &x : NULL, SDD_FF, 0);
        bench_sums(b, NULL, SDD_VV, 1);
    }
    bench_smoothing(b);
    bench_normals(b);
    block_give(b->d, &x.block);
    sdd_mesh_free(b->mesh);
    sdd_topology_unref(b->t);
}

static void bench_triangles(struct bench *b, int cuts)
{
    struct tri_mesh m;
    tri_mesh_cut(&m, b->d, cuts);
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        if (shuffled)
            tri_mesh_shuffle(&m);
        else
            tri_mesh_sort(&m);
        snprintf(b->name, sizeof b->name, "%.8s %d k %s", m.name, (int)(m.desc.n_faces / 1000),
                 shuffled ? "shuf." : "Mort.");
        bench_all(b, &m.desc, m.points);
    }
    tri_mesh_free(&m);
}

static void bench_level(struct bench *b)
{
    const struct sdd_query_request r = {.relation = SDD_VV, .level = 6, .ring = 1, .count = SDD_ALL_ROWS};
    const struct bandwidth w = device_bandwidth(b->d, (int64_t)256 << 20);
    struct bench_mesh m;
    struct sdd_error err = {0};
    int64_t n_rows, n_ids;
    bench_mesh_open(&m, "spot_quadrangulated", 61, 48);
    must(sdd_topology_create(b->d, &m.desc, &b->t, &err), &err);
    const double ms = time_lists(b, &r, QUERY_BY_RULE, NULL, &n_rows, &n_ids);
    const double rate = 4e-6 * (double)n_ids / ms;
    printf("  %s, VV lists of level 6, %.1f M vertices: %.3f ms, %.1f GB/s written, %.0f %% of %.0f (copy %.0f)\n",
           m.name, 1e-6 * (double)n_rows, ms, rate, 100 * rate / w.write, w.write, w.copy);
    sdd_topology_unref(b->t);
    bench_mesh_close(&m);
}

int main(void)
{
    const char *backend = getenv("SUBDD_TEST_BACKEND"), *cuts = getenv("CUTS");
    const struct sdd_device_config config = {.backend = backend, .module_path = test_module_path()};
    struct sdd_device_info info;
    struct sdd_error err = {0};
    struct bench b = {0};
    struct bench_mesh beast;
    must(sdd_device_open(&config, &b.d, &err), &err);
    sdd_device_info(b.d, &info);
    const int on_cpu = b.d->b->unified;
    b.peers = peers_open(b.d);
    cooler_open(&b.cooler, b.d, (int64_t)(on_cpu ? 64 : 256) << 20);
    printf("%s, %d threads; milliseconds, and times of flat\n", info.name, info.threads);
    printf("  %-33s %16s %16s %16s %16s %16s\n", "", "flat", "directed", "mesh", "transpose", "kept");
    bench_mesh_open(&beast, "beast", 200, 150);
    snprintf(b.name, sizeof b.name, "%.16s", beast.name);
    bench_all(&b, &beast.desc, beast.points);
    bench_mesh_close(&beast);
    bench_level(&b);
    for (int n = 2; n <= 3; n++)
        if (cuts ? strtol(cuts, NULL, 10) == n : n == 2 || !on_cpu)
            bench_triangles(&b, n);
    cooler_close(&b.cooler);
    sdd_device_close(b.d);
    return 0;
}
