/* SPDX-License-Identifier: Apache-2.0 */
/* Same bits on two backends: every shape, manifold or not, by every engine and scheme that takes it, through topology,
 * mesh and refine, step by step on the parity device (CPU against $SUBDD_TEST_BACKEND; against the fake one where that
 * is the CPU), twice with different poison, the second time with references in the place of tuned forms, and end to end
 * on each backend alone. Between them the shapes must launch
 * every kernel there is. SUBDD_TEST_LEVELS limits the levels; SUBDD_TEST_PLAIN=1 leaves the parity device out: its
 * poison would hide from a memory checker what nobody has written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/mesh/mesh.h"
#include "gpu/tiles/tile_arrays.h"
#include "tests/engines/redo_face.h"
#include "tests/env.h"
#include "tests/kernels/parity_device.h"
#include "tests/kernels/parity_record.h"
#include "tests/kernels/tiles/big_mesh.h"
#include "tests/oracle/shape.h"
#include "tests/refine_once.h"

#define MOST_VERTICES 300000 /* of a refined mesh: deeper levels are left out */
#define MOST_OF_MATRIX 500
#define N_PRIMVARS 5
#define OTHER_POISON 0x35
#define WIDE 5          /* floats: more than kernels of three take at a time */
#define N_TAILS 5       /* tests after the shapes */
#define MOST_SCHEMED 60 /* corners of a mesh that is also refined by the other schemes */

static const struct sdd_backend *other;
static char no_other[200];
static int64_t n_launched[SDD_N_KERNELS], n_shapes_run;
static size_t n_shapes;

static void note_result(struct record *r, sdd_result *result)
{
    const struct sdd_plan_info *plan = &sdd_result_info(result)->plan;
    record_note(r, (uint64_t)plan->n_vertices);
    for (int i = 0; i < plan->n_blocks; i++) {
        const struct sdd_block *b = plan->blocks + i;
        assert_true(b->digest == sdd_digest(b->data, b->bytes));
        record_note(r, (uint64_t)b->bytes);
        record_note(r, b->digest);
    }
    sdd_result_free(result);
}

/* The high half of `include` are the primvars that are asked for; COMPACT: what can be is in 16 bits. */
#define COMPACT 0x8000
#define COMPACT_BLOCKS (SDD_POSITIONS | SDD_NORMALS | SDD_UVS)
static int refine_by(sdd_mesh *mesh, const char *method, int level, int surface, int include, struct record *r,
                     const char **ran)
{
    const struct sdd_refine_request request = {.level = level,
                                               .surface = surface,
                                               .include = include & 0x7fff,
                                               .compact = include & COMPACT ? include & COMPACT_BLOCKS : 0,
                                               .primvars = (uint32_t)include >> 16,
                                               .method = method};
    struct sdd_error err = {0};
    sdd_result *result;
    int rc = refine_once(mesh, &request, &result, &err);
    if (rc) {
        assert_null(result);
        record_error(r, rc, &err);
        return rc;
    }
    *ran = sdd_result_info(result)->plan.method;
    note_result(r, result);
    return SDD_OK;
}

/* By every engine: what one refuses is part of the record too. A matrix is made row by row, again for each level and
 * surface: of small frames alone. */
static int refine(sdd_mesh *mesh, int level, int surface, int include, struct record *r)
{
    struct sdd_topology_info info;
    sdd_topology_info(mesh->topology, &info);
    int large = info.n_corners << 2 * level > MOST_OF_MATRIX;
    const char *ran = "", *first;
    int rc = refine_by(mesh, "auto", level, surface, include, r, &first);
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)) && rc == SDD_OK; row++)
        if (strcmp(e->name, first) != 0 && !(large && strcmp(e->name, "subdivision-matrix") == 0))
            (void)refine_by(mesh, e->name, level, surface, include, r, &ran);
    return rc;
}

/* Some rows of the middle, by the engine that makes them without the rest. */
static void part(sdd_mesh *mesh, int surface, struct record *r)
{
    const struct sdd_refine_request request = {
        .level = 2, .surface = surface, .include = SDD_POSITIONS, .method = "tabulated"};
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_result *result;
    int rc = plan_once(mesh->topology, &request, &plan, &err);
    if (!rc)
        rc = rows_once(mesh, &request, plan.n_vertices / 3, plan.n_vertices / 2, &result, &err);
    if (rc)
        record_error(r, rc, &err);
    else
        note_result(r, result);
}

/* The mesh twice, by the engine that makes points of many at once. */
static void batch(sdd_mesh *mesh, int surface, struct record *r)
{
    const struct sdd_refine_request request = {
        .level = 2, .surface = surface, .include = SDD_POSITIONS, .method = "tabulated"};
    struct sdd_error err = {0};
    sdd_mesh *meshes[2] = {mesh, mesh};
    sdd_result *results[2];
    int rc = batch_once(meshes, 2, &request, results, &err);
    if (rc)
        record_error(r, rc, &err);
    for (int k = 0; k < 2 && !rc; k++)
        note_result(r, results[k]);
}

static void patches(sdd_mesh *mesh, int level, int surface, struct record *r)
{
    const struct sdd_patches_request request = {level, surface, 0, NULL};
    struct sdd_error err = {0};
    sdd_result *result;
    int rc = sdd_patches(mesh, &request, &result, &err);
    if (rc)
        record_error(r, rc, &err);
    else
        note_result(r, result);
}

static int64_t most_vertices(const struct sdd_mesh_desc *d, int level)
{
    return d->n_vertices + d->n_corners * ((int64_t)1 << 2 * level);
}

/* Levels, surfaces, includes; then new positions, bad positions. */
static void run_mesh(sdd_mesh *mesh, const struct shape *s, struct record *r)
{
    const int uv = s->desc.n_uvs ? SDD_UVS | SDD_UV_INDICES : 0;
    const int64_t n = s->desc.n_vertices;
    int all = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES | SDD_FACE_PARAMS | uv;
    float *wide = calloc((size_t)n * WIDE + 1, sizeof *wide);
    assert_non_null(wide);
    for (int64_t i = 0; i < WIDE * n; i++)
        wide[i] = s->points[i % (3 * n)];
    const struct sdd_primvar primvars[] = {{SDD_CONSTANT, 3, 0, s->points},
                                           {SDD_UNIFORM, 1, 0, s->desc.face_counts},
                                           {SDD_VARYING, 3, 0, s->points},
                                           {SDD_VERTEX, 1, 0, s->points},
                                           {SDD_VERTEX, WIDE, 0, wide}};
    struct sdd_error none = {0};
    assert_int_equal(sdd_mesh_set_primvars(mesh, N_PRIMVARS, primvars, &none), SDD_OK);
    free(wide);
    for (int k = 0; k < N_PRIMVARS; k++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++)
            (void)refine(mesh, parity_levels() < 2 ? 1 : 2, surface, SDD_PRIMVARS | 1 << (16 + k), r);
    if (uv && refine(mesh, 1, SDD_SURFACE_REFINED, uv, r) == SDD_EUNSUPPORTED)
        all &= ~uv;
    for (int level = 1; level <= parity_levels() && (level == 1 || most_vertices(&s->desc, level) < MOST_VERTICES);
         level++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++)
            (void)refine(mesh, level, surface, all | (surface != SDD_SURFACE_REFINED ? SDD_TANGENTS : 0), r);
    for (int surface = SDD_SURFACE_REFINED; surface <= SDD_SURFACE_LIMIT; surface++)
        (void)refine(mesh, parity_levels() < 2 ? 1 : 2, surface, SDD_NORMAL_INDICES, r);
    const int small[] = {all & ~SDD_FACE_PARAMS, SDD_POSITIONS, SDD_NORMALS};
    for (int k = 0; k < 3; k++)
        (void)refine(mesh, parity_levels() < 2 ? 1 : 2, SDD_SURFACE_LIMIT, small[k] | COMPACT, r);
    part(mesh, SDD_SURFACE_REFINED, r);
    part(mesh, SDD_SURFACE_LIMIT, r);
    batch(mesh, SDD_SURFACE_REFINED, r);
    batch(mesh, SDD_SURFACE_LIMIT, r);
    record_queries(mesh->topology, r);
    record_by_tiles(mesh->topology, r);
    record_fields(mesh, s->desc.n_vertices, r);
    patches(mesh, 1, SDD_SURFACE_REFINED, r);
    patches(mesh, 3, SDD_SURFACE_LIMIT, r);
    if (mesh->topology->info.options.scheme == s->desc.options.scheme)
        record_flow(mesh, &s->desc, r);
    const int level = parity_levels() < 2 || most_vertices(&s->desc, 2) > MOST_VERTICES ? 1 : 2;
    for (int include = SDD_POSITIONS; include <= SDD_TANGENTS; include *= 2)
        for (int surface = SDD_SURFACE_REFINED; surface <= SDD_SURFACE_LIMIT && (include & (all | SDD_TANGENTS));
             surface++)
            (void)refine(mesh, level, surface, include, r);

    float *points = malloc((size_t)n * 3 * sizeof *points);
    struct sdd_error err = {0};
    assert_non_null(points);
    for (int64_t i = 0; i < 3 * n; i++)
        points[i] = s->points[i] * 0.75f + (float)(i % 7) * 0.01f;
    record_note(r, (uint64_t)(int64_t)sdd_mesh_set_points(mesh, n / 2, n - n / 2, points + n / 2 * 3, &err));
    (void)refine(mesh, level, SDD_SURFACE_REFINED, all, r);
    points[n / 2 * 3] = NAN;
    int rc = sdd_mesh_set_points(mesh, 0, n, points, &err);
    assert_int_not_equal(rc, SDD_OK);
    record_error(r, rc, &err);
    (void)refine(mesh, level, SDD_SURFACE_REFINED, all, r);
    free(points);
}

/* The topology after an edit that changes nothing in the end, and two frames of it. The older one has its tables by
 * then, from which those of the newer one are made. */
static void run_update(const sdd_topology *old, const struct shape *s, const struct sdd_mesh_desc *desc,
                       struct record *r)
{
    sdd_topology *topology;
    sdd_mesh *mesh = NULL;
    struct sdd_error err = {0};
    int rc = redo_face(old, desc, 0, &topology, &err);
    if (!rc) {
        record_note(r, (uint64_t)topology->is_updated);
        rc = sdd_mesh_create(topology, s->points, s->uvs, &mesh, &err);
    }
    if (rc)
        record_error(r, rc, &err);
    else {
        const char *ran;
        (void)refine(mesh, 1, SDD_SURFACE_LIMIT, SDD_POSITIONS | SDD_NORMALS | SDD_INDICES, r);
        (void)refine_by(mesh, "tabulated", 2, SDD_SURFACE_REFINED, SDD_POSITIONS | (s->desc.n_uvs ? SDD_UVS : 0), r,
                        &ran);
    }
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
}

static void run_scheme(sdd_device *device, const struct shape *s, const struct sdd_mesh_desc *desc, struct record *r)
{
    sdd_topology *topology;
    sdd_mesh *mesh;
    struct sdd_error err = {0};
    int rc = sdd_topology_create(device, desc, &topology, &err);
    if (rc) {
        assert_null(topology);
        record_error(r, rc, &err);
        return;
    }
    rc = sdd_mesh_create(topology, s->points, s->uvs, &mesh, &err);
    if (rc)
        record_error(r, rc, &err);
    else
        run_mesh(mesh, s, r);
    sdd_mesh_free(rc ? NULL : mesh);
    run_update(topology, s, desc, r);
    sdd_topology_unref(topology);
}

static void run_shape(const struct sdd_backend *b, int threads, const struct shape *s, struct record *r)
{
    sdd_device *device;
    struct sdd_error err = {0};
    struct sdd_device_info info;
    memset(r, 0, sizeof *r);
    if (sdd_device_wrap(b, 0, threads, (int64_t)4 << 30, &device, &err))
        fail_msg("%s: %s", b->name, err.text);
    run_scheme(device, s, &s->desc, r);
    for (int scheme = 0; scheme <= SDD_SCHEME_SQRT3 && s->desc.n_corners <= MOST_SCHEMED; scheme++) {
        struct sdd_mesh_desc other_scheme = s->desc;
        other_scheme.options.scheme = scheme;
        if (scheme == SDD_SCHEME_LOOP)
            other_scheme.options.crease_method = SDD_CREASE_CHAIKIN;
        if (scheme != s->desc.options.scheme)
            run_scheme(device, s, &other_scheme, r);
    }
    if (s->desc.n_creases > 0 && (s->desc.n_corners <= MOST_SCHEMED || s->desc.n_uvs > 0)) {
        struct sdd_mesh_desc other_method = s->desc;
        other_method.options.crease_method = !s->desc.options.crease_method;
        run_scheme(device, s, &other_method, r);
    }
    sdd_device_info(device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(device);
}

static void expect_same(const char *what, const struct shape *s, const struct record *got, const struct record *want)
{
    if (got->n != want->n || memcmp(got->value, want->value, (size_t)got->n * sizeof got->value[0]) != 0)
        fail_msg("%s: %s gives other results than the CPU backend (%s | %s)", s->name, what, got->error, want->error);
    assert_string_equal(got->error, want->error);
}

static void run_on_pair(const struct shape *s, int poison, const struct record *want)
{
    static struct record r;
    const struct sdd_backend *pair = parity_backend(sdd_backend_cpu(), other, poison);
    if (poison == OTHER_POISON) /* once each backend's own forms, once the references that they are held to */
        parity_reference();
    run_shape(pair, 2, s, &r);
    const struct parity_report *report = parity_report();
    if (report->n_differences)
        fail_msg("%s: %s", s->name, report->first);
    for (int k = 0; k < SDD_N_KERNELS; k++)
        n_launched[k] += report->n_launched[k];
    expect_same(poison == 0xCD ? "the parity device" : "the parity device with other poison", s, &r, want);
}

static void check_shape(const struct shape *s)
{
    static struct record want, r;
    const char *plain = getenv("SUBDD_TEST_PLAIN");
    run_shape(sdd_backend_cpu(), 1, s, &want);
    run_shape(sdd_backend_cpu(), 3, s, &r);
    expect_same("another number of threads", s, &r, &want);
    if (!plain || strcmp(plain, "1") != 0) { /* These first, as they tell at which kernel results begin to differ. */
        run_on_pair(s, 0xCD, &want);
        run_on_pair(s, OTHER_POISON, &want);
    }
    run_shape(other, 2, s, &r);
    expect_same(other->name, s, &r, &want);
}

static void need_other(void)
{
    if (!other) {
        printf("skip: %s\n", no_other);
        skip();
    }
}

static void test_shape(void **state)
{
    struct shape s;
    struct sdd_error err;
    need_other();
    if (shape_load(test_shapes_dir(), *state, &s, &err))
        fail_msg("%s: %s", (const char *)*state, err.text);
    check_shape(&s);
    shape_free(&s);
    n_shapes_run++;
}

static void test_refused(void **state)
{
    char dir[4096];
    size_t n;
    (void)state;
    need_other();
    snprintf(dir, sizeof dir, "%s/refused", test_shapes_dir());
    char **names = shape_list(dir, &n);
    assert_non_null(names);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err;
        if (shape_load(dir, names[i], &s, &err) == SDD_OK) {
            check_shape(&s);
            shape_free(&s);
        }
    }
    shape_list_free(names);
}

/* A grid with tags at random, of a size at which parallel loops, and sorts of many tiles, take other ways than for
 * a few faces. */
struct big {
    float *points, *uvs, *sharpness;
    int32_t *counts, *vertices, *uv_indices, *creases, *holes;
    struct sdd_mesh_desc desc;
};

static void *array(int64_t n, size_t item)
{
    void *p = calloc((size_t)n, item);
    assert_non_null(p);
    return p;
}

/* Of quads, or of the two triangles of each. */
static void make_big(struct big *g, int32_t side, int triangles)
{
    const int32_t row = side + 1, n_vertices = row * row, n_faces = side * side;
    uint32_t random = 12345;
    g->points = array(3 * n_vertices, sizeof *g->points), g->uvs = array(2 * n_vertices, sizeof *g->uvs);
    g->counts = array(2 * n_faces, sizeof *g->counts), g->vertices = array(6 * n_faces, sizeof *g->vertices);
    g->creases = array(2 * n_faces, sizeof *g->creases), g->sharpness = array(n_faces, sizeof *g->sharpness);
    g->holes = array(n_faces, sizeof *g->holes);
    for (int32_t v = 0; v < n_vertices; v++) {
        const int32_t column = v % row, line = v / row;
        const float x = (float)column, y = (float)line;
        random = random * 1664525u + 1013904223u;
        g->points[3 * v] = x, g->points[3 * v + 1] = y, g->points[3 * v + 2] = (float)(random >> 16) * 1e-5f;
        g->uvs[2 * v] = x / (float)row, g->uvs[2 * v + 1] = y / (float)row;
    }
    g->desc.n_vertices = g->desc.n_uvs = n_vertices;
    g->desc.n_faces = triangles ? 2 * n_faces : n_faces, g->desc.n_corners = (triangles ? 6 : 4) * n_faces;
    for (int32_t f = 0; f < n_faces; f++) {
        const int32_t v = f / side * row + f % side, quad[4] = {v, v + 1, v + row + 1, v + row};
        const int32_t two[6] = {v, v + 1, v + row + 1, v, v + row + 1, v + row};
        g->counts[f] = triangles ? 3 : 4;
        g->counts[n_faces + f] = 3;
        memcpy(g->vertices + (triangles ? 6 : 4) * f, triangles ? two : quad, triangles ? sizeof two : sizeof quad);
        random = random * 1664525u + 1013904223u;
        if (random % 5 == 0) {
            const int64_t c = g->desc.n_creases++;
            g->creases[2 * c] = v, g->creases[2 * c + 1] = v + 1, g->sharpness[c] = (float)(random >> 8 & 127) * 0.1f;
        }
        if (random % 37 == 0)
            g->holes[g->desc.n_holes++] = f;
    }
    g->desc.face_counts = g->counts, g->desc.face_vertices = g->desc.uv_indices = g->vertices;
    g->desc.crease_edges = g->creases, g->desc.crease_sharpness = g->sharpness, g->desc.hole_faces = g->holes;
    g->desc.options.fvar = SDD_FVAR_ALL;
}

static void check_big(int32_t side, int scheme)
{
    struct big g = {0};
    make_big(&g, side, scheme == SDD_SCHEME_LOOP || scheme == SDD_SCHEME_SQRT3);
    g.desc.options.scheme = scheme;
    const struct shape s = {.name = "big grid", .desc = g.desc, .points = g.points, .uvs = g.uvs};
    check_shape(&s);
    free(g.points), free(g.uvs), free(g.counts), free(g.vertices), free(g.creases), free(g.sharpness), free(g.holes);
}

static void test_big(void **state)
{
    (void)state;
    need_other();
    check_big(parity_levels() < 4 ? 70 : 130, SDD_SCHEME_CATMULL_CLARK);
    check_big(20, SDD_SCHEME_BILINEAR); /* It flows, with more than one level of the preconditioner. */
    check_big(70, SDD_SCHEME_LOOP);
    check_big(70, SDD_SCHEME_BILINEAR);
    check_big(70, SDD_SCHEME_SQRT3);
}

/* A face with more neighbours than a tile may own, whose cluster falls apart. */
static void star_on(const struct sdd_backend *b, struct record *r)
{
    struct big_mesh star;
    sdd_device *device;
    sdd_topology *t;
    struct sdd_error err = {0};
    memset(r, 0, sizeof *r);
    big_star(&star, SDD_TILE_OWNED + 100);
    assert_int_equal(sdd_device_wrap(b, 0, 2, (int64_t)1 << 30, &device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &star.desc, &t, &err), SDD_OK);
    record_by_tiles(t, r);
    sdd_topology_unref(t);
    sdd_device_close(device);
    big_mesh_free(&star);
}

static void test_star(void **state)
{
    static struct record want, got;
    const struct shape s = {.name = "star"};
    (void)state;
    need_other();
    star_on(sdd_backend_cpu(), &want);
    star_on(other, &got);
    expect_same(other->name, &s, &got, &want);
    star_on(parity_backend(sdd_backend_cpu(), other, 0xCD), &got);
    const struct parity_report *report = parity_report();
    if (report->n_differences)
        fail_msg("%s", report->first);
    for (int k = 0; k < SDD_N_KERNELS; k++)
        n_launched[k] += report->n_launched[k];
    expect_same("the parity device", &s, &got, &want);
}

static void test_device_probe(void **state)
{
    sdd_device *device;
    struct sdd_error err = {0};
    (void)state;
    need_other();
    assert_int_equal(sdd_device_wrap(other, 0, 0, 0, &device, &err), SDD_OK);
    assert_int_equal(sdd_device_probe(device, &err), SDD_OK);
    sdd_device_trim(device);
    assert_int_equal(sdd_device_probe(device, &err), SDD_OK);
    sdd_device_close(device);
}

static void test_every_kernel_ran(void **state)
{
    int missing = 0;
    (void)state;
    if (n_shapes_run < (int64_t)n_shapes || parity_levels() < 3 || getenv("SUBDD_TEST_PLAIN")) {
        printf("skip: not all shapes were run on the parity device\n");
        skip();
    }
    for (int k = 0; k < SDD_N_KERNELS; k++) {
        if (n_launched[k] == 0 && (other->in_order || k != SDD_K_table_order)) { /* a CPU goes by corners anyway */
            print_error("kernel %s was never launched\n", parity_kernel_name(k));
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

/* The names in a folder of shapes, with the folder before each; freed as shape_list's are. */
static char **names_in(const char *folder, size_t *n)
{
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/%s", test_shapes_dir(), folder);
    char **names = shape_list(dir, n);
    for (size_t i = 0; names && i < *n; i++) {
        char *name = names[i];
        snprintf(dir, sizeof dir, "%s%s", folder, name);
        names[i] = strdup(dir);
        free(name);
    }
    return names;
}

int main(void)
{
    size_t n_good, n_odd;
    char **names = names_in("", &n_good), **odd = names_in("nonmanifold/", &n_odd);
    n_shapes = n_good + n_odd;
    other = parity_other(no_other, sizeof no_other);
    struct CMUnitTest *tests = calloc(n_shapes + N_TAILS, sizeof *tests);
    if (!names || !odd || !tests) {
        printf("no shapes in %s\n", test_shapes_dir());
        free(tests);
        return 1;
    }
    const struct CMUnitTest tails[N_TAILS] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_big),
                                              cmocka_unit_test(test_star), cmocka_unit_test(test_device_probe),
                                              cmocka_unit_test(test_every_kernel_ran)};
    for (size_t i = 0; i < n_shapes; i++) {
        char *name = i < n_good ? names[i] : odd[i - n_good];
        tests[i] = (struct CMUnitTest){name, test_shape, NULL, NULL, name};
    }
    memcpy(tests + n_shapes, tails, sizeof tails);
    int failed = _cmocka_run_group_tests("parity", tests, n_shapes + N_TAILS, NULL, NULL);
    shape_list_free(names);
    shape_list_free(odd);
    free(tests);
    return failed;
}
