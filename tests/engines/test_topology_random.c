/* SPDX-License-Identifier: Apache-2.0 */
/* test_topology_random.c: random batches of edits on shapes of all kinds and under all options: the topology that
 * sdd_topology_update makes has every number and every bit of the one that sdd_topology_create makes of the same mesh,
 * and most of them are made without a build. Each batch is applied to what the last one made. */
#include "gpu/mesh/topology.h"
#include "gpu/sdd/sdd_update.h"
#include "server/mesh/formats/codec.h"
#include "tests/engines/same_tables.h"
#include "tests/engines/same_topology.h"
#include "tests/env.h"
#include "tests/oracle/shape.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 150, ROUNDS_OF_LARGE = 25, MOST_MORE = 500, N_OPTIONS = 6 };

static struct mesh *with_primvars(void)
{
    return sample_json(sample_primvars_json);
}

/* A grid whose arrays are several tiles of kernels, with UVs that are one plane. */
static struct mesh *large_grid(void)
{
    struct mesh *plain = sample_grid(90, 70), *m;
    struct sdd_error err = {0};
    float *uvs = malloc(2 * (size_t)plain->n_vertices * sizeof *uvs);
    assert_non_null(uvs);
    for (int64_t v = 0; v < plain->n_vertices; v++) {
        uvs[2 * v] = plain->points[3 * v];
        uvs[2 * v + 1] = plain->points[3 * v + 1];
    }
    const struct mesh_arrays a = {.points = {plain->points, 3 * plain->n_vertices},
                                  .face_counts = {plain->face_counts, plain->n_faces},
                                  .face_vertices = {plain->face_vertices, plain->n_corners},
                                  .uvs = {uvs, 2 * plain->n_vertices}};
    assert_int_equal(mesh_build(&a, &m, &err), SDD_OK);
    mesh_free(plain);
    free(uvs);
    return m;
}

/* The same grid, cut into triangles. */
static struct mesh *large_triangles(void)
{
    static const int at[6] = {0, 1, 2, 0, 2, 3};
    struct mesh *quads = large_grid(), *m;
    const int64_t n = quads->n_faces;
    struct sdd_error err = {0};
    int32_t *counts = malloc(2 * (size_t)n * sizeof *counts), *vertices = malloc(6 * (size_t)n * sizeof *vertices);
    assert_non_null(counts);
    assert_non_null(vertices);
    for (int64_t i = 0; i < 6 * n; i++) {
        counts[i / 3] = 3;
        vertices[i] = quads->face_vertices[4 * (i / 6) + at[i % 6]];
    }
    const struct mesh_arrays a = {.points = {quads->points, 3 * quads->n_vertices},
                                  .face_counts = {counts, 2 * n},
                                  .face_vertices = {vertices, 6 * n},
                                  .uvs = {quads->uvs, 2 * quads->n_uvs}};
    assert_int_equal(mesh_build(&a, &m, &err), SDD_OK);
    mesh_free(quads);
    free(counts);
    free(vertices);
    return m;
}

/* In this order ids and rows differ, so that new rows are not the last ones. */
static struct mesh *reordered(void)
{
    int64_t bandwidth[2];
    struct sdd_error err = {0};
    struct mesh *grid = large_grid(), *m;
    assert_int_equal(mesh_reorder(grid, &m, bandwidth, &err), SDD_OK);
    mesh_free(grid);
    return m;
}

/* Meshes that are no shapes of the folder. */
static const struct {
    const char *name;
    struct mesh *(*make)(void);
} made[] = {{"large grid", large_grid},
            {"large triangles", large_triangles},
            {"reordered", reordered},
            {"primvars", with_primvars}};

static struct mesh *make(const char *name)
{
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strcmp(made[i].name, name) == 0)
            return made[i].make();
    return NULL;
}

/* A mesh, and the options that differ from the defaults. */
static const struct {
    const char *shape, *options[N_OPTIONS];
} cases[] = {
    {"large grid", {NULL}},
    {"large grid", {"all", "chaikin"}},
    {"reordered", {"leftHanded"}},
    {"primvars", {NULL}},
    {"primvars", {"bilinear"}},
    {"box", {NULL}},
    {"grid4x3", {NULL}},
    {"grid_holed", {"edgeOnly"}},
    {"none_grid", {"none"}},
    {"none_mixed", {"none", "leftHanded"}},
    {"genus2_mixed", {NULL}},
    {"crease_all_2.7", {"chaikin"}},
    {"crease_loop_10", {NULL}},
    {"crease_dart", {"chaikin", "leftHanded"}},
    {"crease_on_boundary", {"smooth"}},
    {"isolated", {NULL}},
    {"hole_open", {NULL}},
    {"single_triangle", {NULL}},
    {"single_ngon40", {NULL}},
    {"random_open0", {"leftHanded"}},
    {"random_mixed1", {"bilinear"}},
    {"components", {NULL}},
    {"ring_creases", {"chaikin", "edgeOnly"}},
    {"icosahedron", {"loop"}},
    {"single_triangle", {"loop", "edgeOnly"}},
    {"large triangles", {"loop", "edgeOnly"}},
    {"large triangles", {"loop", "none", "leftHanded"}},
    {"semi_triangles", {"loop"}},
    {"semi_triangles", {"loop", "chaikin"}},
    {"genus1_triangles", {"sqrt3"}},
    {"random_creases0", {NULL}},
    {"uv_seam", {NULL}},
    {"uv_islands_mixed", {"cornersPlus2"}},
    {"uv_darts_creased", {"boundaries"}},
    {"uv_random0", {"all"}},
    {"uv_random1", {"cornersOnly", "leftHanded"}},
    {"uv_random2", {"bilinear"}},
    {"uv_waiting", {"chaikin"}},
    {"uv_triangles", {"loop"}},
    {"uv_triangles_cut", {"loop", "all"}},
    {"uv_hole", {"none", "edgeOnly"}},
    {"uv_unused", {NULL}},
    {"uv_folded", {"all"}},
    {"uv_shared", {NULL}},
    {"nonmanifold/moebius", {NULL}},
};

/* A batch while it is written, and dice. */
struct writer {
    uint64_t x;
    const struct mesh *m;
    int keeps_triangles; /* Whether edits that make other faces are rare. */
    char text[4000];
    size_t used;
};

static int32_t pick(struct writer *w, int64_t n)
{
    w->x ^= w->x << 13, w->x ^= w->x >> 7, w->x ^= w->x << 17;
    return n > 0 ? (int32_t)(w->x % (uint64_t)n) : 0;
}

static void add(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct writer *w, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, ap);
    va_end(ap);
    assert_true(w->used < sizeof w->text);
}

/* n numbers of which many are equal, so that values weld. */
static void add_numbers(struct writer *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        add(w, "%s%d", i ? "," : "", pick(w, 3));
}

static void pick_edge(struct writer *w, int64_t face, int32_t edge[2])
{
    int64_t first = 0, n = w->m->face_counts[face], k = pick(w, n);
    for (int64_t f = 0; f < face; f++)
        first += w->m->face_counts[f];
    edge[0] = w->m->vertex_ids[w->m->face_vertices[first + k]];
    edge[1] = w->m->vertex_ids[w->m->face_vertices[first + (k + 1) % n]];
}

static void add_tag(struct writer *w, int64_t face, const int32_t edge[2])
{
    static const char *const sharp[] = {"0", "1", "2.5", "10"};
    switch (pick(w, 4)) {
    case 0: add(w, "{\"setCorners\":{\"ids\":[%d],\"sharpnesses\":[%s]}}", edge[0], sharp[pick(w, 4)]); break;
    case 1:
        add(w, "{\"setHoles\":{\"ids\":[%d],\"hole\":%s}}", w->m->face_ids[face], pick(w, 2) ? "true" : "false");
        break;
    default: add(w, "{\"setCreases\":{\"edges\":[%d,%d],\"sharpnesses\":[%s]}}", edge[0], edge[1], sharp[pick(w, 4)]);
    }
}

/* A triangle on an edge, which fits where that is a boundary. */
static void add_face(struct writer *w, const int32_t edge[2])
{
    add(w,
        "{\"addVertices\":{\"points\":[3,2,1]}},{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[%d,%d,-"
        "1]",
        edge[1], edge[0]);
    if (w->m->n_uvs) {
        add(w, ",\"st\":[");
        add_numbers(w, 6);
        add(w, "]");
    }
    add(w, "}}");
}

static void add_edit(struct writer *w)
{
    static const char *const of_edges[] = {"flipEdges", "splitEdges", "loopCut", "dissolveEdges"};
    static const char *const of_faces[] = {"pokeFaces", "triangulateFaces", "extrudeFaces", "insetFaces"};
    const int64_t face = pick(w, w->m->n_faces);
    const int any = !w->keeps_triangles || pick(w, 10) == 0; /* The first edits of each list keep triangles. */
    int32_t edge[2];
    pick_edge(w, face, edge);
    switch (pick(w, any ? 12 : 10)) {
    case 0:
    case 1:
    case 2: add(w, "{\"%s\":{\"ids\":[%d]}}", of_faces[any ? pick(w, 4) : 0], w->m->face_ids[face]); break;
    case 3:
    case 4: add(w, "{\"%s\":{\"edges\":[%d,%d]}}", of_edges[pick(w, any ? 4 : 2)], edge[0], edge[1]); break;
    case 5: add(w, "{\"removeFaces\":{\"ids\":[%d]}}", w->m->face_ids[face]); break;
    case 6: add_face(w, edge); break;
    case 7:
        if (w->m->n_primvars && pick(w, 2)) {
            add(w, "{\"setPrimvar\":{\"name\":\"map\",\"ids\":[%d],\"values\":[", w->m->face_ids[face]);
            add_numbers(w, 2 * (int64_t)w->m->face_counts[face]);
            add(w, "]}}");
            break;
        }
        if (w->m->n_uvs) {
            add(w, "{\"setUvs\":{\"ids\":[%d],\"st\":[", w->m->face_ids[face]);
            add_numbers(w, 2 * (int64_t)w->m->face_counts[face]);
            add(w, "]}}");
            break;
        } /* fall through */
    case 8:
    case 9: add_tag(w, face, edge); break;
    case 10: add(w, "{\"dissolveVertices\":{\"ids\":[%d]}}", edge[0]); break;
    default:
        if (pick(w, 2))
            add(w, "{\"removeVertices\":{\"ids\":[%d]}}", w->m->vertex_ids[pick(w, w->m->n_vertices)]);
        else
            add(w, "{\"mergeVertices\":{\"ids\":[%d,%d]}}", edge[0], edge[1]);
    }
}

static void write_batch(struct writer *w, const struct mesh *m)
{
    w->m = m;
    w->keeps_triangles = m->options.scheme == SDD_SCHEME_LOOP;
    w->used = 0;
    add(w, "{\"edits\":[");
    for (int e = pick(w, 3); e >= 0; e--) {
        add_edit(w);
        add(w, "%s", e ? "," : "]}");
    }
}

static int apply(const struct mesh *m, const char *json, struct edit_result *r)
{
    struct edit_batch *b;
    struct sdd_error err = {0};
    int rc = edits_from_json(json, strlen(json), &b, &err);
    if (rc)
        fail_msg("%s: %s", json, err.text);
    rc = edits_apply(m, b, r, &err);
    edit_batch_free(b);
    return rc;
}

struct tally {
    int updated, fast, refused, manifold; /* `manifold` are those that are manifold before and after. */
    int tables;                           /* Sets of tables that were made from older ones. */
};

/* Whether `tabulated` makes frames of it. */
static int has_tables(const sdd_topology *t)
{
    const struct sdd_refine_request r = {.level = 1, .include = SDD_POSITIONS, .method = "tabulated"};
    sdd_plan *plan;
    struct sdd_error err = {0};
    const int rc = sdd_plan_create_for_topology(t, &r, &plan, &err);
    sdd_plan_free(rc ? NULL : plan);
    return rc == SDD_OK;
}

/* The topology after the batch, or NULL where there is none. */
static sdd_topology *compare(sdd_device *device, const sdd_topology *old, const struct edit_result *r, const char *what,
                             struct writer *w, struct tally *tally)
{
    struct sdd_mesh_desc desc;
    struct sdd_topology_delta delta;
    struct sdd_error err = {0}, want = {0};
    sdd_topology *created, *updated;
    mesh_desc(r->mesh, &desc);
    mesh_delta_desc(&r->delta, &delta);
    const int wanted = sdd_topology_create(device, &desc, &created, &want);
    const int rc = sdd_topology_update(old, &desc, &delta, &updated, &err);
    if (rc != wanted || strcmp(err.text, want.text) != 0)
        fail_msg("%s: %d %s, not %d %s", what, rc, err.text, wanted, want.text);
    tally->refused += rc != SDD_OK;
    if (rc)
        return NULL;
    same_topology(created, updated, what);
    /* Mostly: so that some edits follow each other before tables are asked for. */
    if (has_tables(created) && pick(w, 4))
        tally->tables += same_tables(created, updated, 1 + pick(w, 2), pick(w, 2), pick(w, 2), what);
    tally->updated++;
    tally->fast += updated->is_updated;
    tally->manifold += old->info.manifold && created->info.manifold;
    sdd_topology_unref(created);
    return updated;
}

static void run_case(sdd_device *device, size_t row, struct writer *w, struct tally *tally)
{
    struct shape shape;
    struct sdd_mesh_desc desc;
    struct sdd_error err = {0};
    sdd_topology *first, *old;
    struct mesh *m;
    struct mesh *own = make(cases[row].shape);
    if (own)
        shape = (struct shape){.mesh = own};
    else
        assert_int_equal(shape_load(test_shapes_dir(), cases[row].shape, &shape, &err), SDD_OK);
    for (int k = 0; cases[row].options[k]; k++)
        for (int o = 0, rc = 1; o < sdd_n_options && rc; o++) {
            rc = sdd_option_set(&shape.mesh->options, sdd_option_table[o].name, cases[row].options[k], &err);
            assert_true(!rc || o + 1 < sdd_n_options);
        }
    mesh_desc(shape.mesh, &desc);
    if (sdd_topology_create(device, &desc, &first, &err))
        fail_msg("%s: %s", cases[row].shape, err.text);
    m = shape.mesh;
    old = sdd_topology_ref(first);
    const int64_t n_faces = m->n_faces;
    for (int round = 0; round < (n_faces > MOST_MORE ? ROUNDS_OF_LARGE : ROUNDS); round++) {
        struct edit_result r;
        char what[4200];
        write_batch(w, m);
        (void)snprintf(what, sizeof what, "%s round %d %s", cases[row].shape, round, w->text);
        if (apply(m, w->text, &r))
            continue;
        sdd_topology *next = compare(device, old, &r, what, w, tally);
        const int again = !next || r.mesh->n_faces > n_faces + MOST_MORE || !next->info.manifold;
        sdd_topology_unref(old);
        if (m != shape.mesh)
            mesh_free(m);
        old = again ? sdd_topology_ref(first) : next;
        m = again ? shape.mesh : r.mesh;
        if (again)
            sdd_topology_unref(next);
        else
            r.mesh = NULL;
        edit_result_free(&r);
    }
    if (m != shape.mesh)
        mesh_free(m);
    sdd_topology_unref(old);
    sdd_topology_unref(first);
    mesh_free(own);
    if (!own)
        shape_free(&shape);
}

static void run_all(int threads)
{
    struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .threads = threads};
    struct sdd_error err = {0};
    struct sdd_device_info info;
    struct writer w = {.x = 88172645463325252u + (uint64_t)threads};
    struct tally all = {0};
    sdd_device *device;
    assert_int_equal(sdd_device_open(&config, &device, &err), SDD_OK);
    for (size_t row = 0; row < sizeof cases / sizeof *cases; row++) {
        struct tally t = {0};
        run_case(device, row, &w, &t);
        print_message(
            "%-24s %d topologies, %d manifold as before, %d without a build, %d refused; %d tables from older\n",
            cases[row].shape, t.updated, t.manifold, t.fast, t.refused, t.tables);
        all.updated += t.updated;
        all.manifold += t.manifold;
        all.fast += t.fast;
        all.tables += t.tables;
    }
    sdd_device_info(device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(device);
    print_message("%d topologies, %d manifold as before, %d without a build\n", all.updated, all.manifold, all.fast);
    print_message("%d tables from older ones\n", all.tables);
    assert_true(all.updated > 3000 && all.fast > all.manifold / 10 * 9 && all.tables > 1000);
}

static void test_one_thread(void **state)
{
    (void)state;
    run_all(1);
}

static void test_three_threads(void **state)
{
    (void)state;
    run_all(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thread), cmocka_unit_test(test_three_threads)};
    return cmocka_run_group_tests_name("random updates of topologies", tests, NULL, NULL);
}
