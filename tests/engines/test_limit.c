/* SPDX-License-Identifier: Apache-2.0 */
/* test_limit.c: surface `limit` is where the points of a level go. Each engine makes limits and normals of levels 1 to
 * 4 of meshes with creases and corners of many sharpnesses, and plain subdivision in double to level 36
 * (oracle/descend.c) says where the points come to and how the surface stands there. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/judge.h"
#include "tests/oracle/kobbelt.h"
#include "tests/oracle/naive.h"
#include "tests/oracle/triangles.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEEP 36       /* Sharpness 9.9 lasts to level 10, and what it leaves goes slowly where many edges meet. */
#define POSITION 2e-6 /* of the box */
#define NORMAL 4e-3   /* The faces there are not quite flat. */
#define MOST_VERTICES 1600

static const float sharpness[] = {0.3f, 1.0f, 2.5f, 3.7f, 7.0f, 9.9f};
enum { N_SHARP = sizeof sharpness / sizeof *sharpness };

static sdd_device *device;
static int64_t n_points, n_normals, n_ran[JUDGE_ENGINES];

/* A level as the witness has it: points of the level in its own order, and what they and the normals become. */
struct deep {
    int64_t n;
    double *points, *limits, *normals;
    unsigned char *flat;
};

static struct deep deep_of(const struct sdd_mesh_desc *d, const float *points, int level)
{
    struct naive_mesh m = naive_control(d, points, NULL);
    for (int i = 0; i < level; i++) {
        struct naive_mesh next = naive_step(&m, i == 0 && d->options.triangle_rule == SDD_TRIANGLE_SMOOTH);
        naive_free(&m);
        m = next;
    }
    struct deep r = {.n = m.n_vertices};
    r.points = xalloc(3 * r.n, sizeof *r.points);
    r.limits = xalloc(3 * r.n, sizeof *r.limits);
    r.normals = xalloc(3 * r.n, sizeof *r.normals);
    r.flat = xalloc(r.n, 1);
    memcpy(r.points, m.points, (size_t)(3 * r.n) * sizeof *r.points);
    for (int32_t v = 0; v < r.n; v++)
        r.flat[v] = (unsigned char)naive_descend(&m, v, DEEP - level, r.limits + 3 * v, r.normals + 3 * v);
    naive_free(&m);
    return r;
}

static void deep_free(struct deep *d)
{
    free(d->points), free(d->limits), free(d->normals), free(d->flat);
}

static double apart(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* The witness's vertex of each row, found by its refined point; -1 where two points are too near to tell. */
static int32_t *rows_of(const struct deep *d, const struct refined *got, double diagonal)
{
    int32_t *row = xalloc(got->n_vertices, sizeof *row);
    assert_int_equal(got->n_vertices, d->n);
    for (int64_t i = 0; i < d->n; i++) {
        int near = 0;
        for (int32_t v = 0; v < d->n; v++)
            if (apart(got->points + 3 * i, d->points + 3 * v) < 1e-5 * diagonal) {
                row[i] = v;
                near++;
            }
        assert_true(near > 0);
        row[i] = near == 1 ? row[i] : -1;
    }
    return row;
}

static void compare(const char *label, const struct deep *d, const struct refined *got, double diagonal)
{
    int32_t *row = rows_of(d, got, diagonal);
    double t1xt2[3];
    for (int64_t i = 0; i < d->n; i++) {
        if (row[i] < 0)
            continue;
        const double *p = got->limits + 3 * i, *q = d->limits + 3 * row[i], *t = got->tangents + 6 * i;
        const double *a = got->normals + 3 * i, *b = d->normals + 3 * row[i];
        if (!(apart(p, q) <= POSITION * diagonal))
            fail_msg("%s: limit %lld is (%.7g, %.7g, %.7g), expected (%.7g, %.7g, %.7g): %.2g of the box", label,
                     (long long)i, p[0], p[1], p[2], q[0], q[1], q[2], apart(p, q) / diagonal);
        n_points++;
        if (!d->flat[row[i]])
            continue;
        if (!(apart(a, b) <= NORMAL))
            fail_msg("%s: normal %lld is (%.5g, %.5g, %.5g), expected (%.5g, %.5g, %.5g)", label, (long long)i, a[0],
                     a[1], a[2], b[0], b[1], b[2]);
        if (!refined_normal(t, t + 3, 0, t1xt2) || !(apart(t1xt2, b) <= NORMAL))
            fail_msg("%s: tangents %lld do not span the plane", label, (long long)i);
        n_normals++;
    }
    free(row);
}

/* The mesh's primvar, which has the values of the points, goes where these go. */
static void check_primvar(const char *label, sdd_mesh *mesh, const char *method, int level, const struct refined *got,
                          double diagonal)
{
    const struct sdd_refine_request r = {
        .level = level, .surface = SDD_SURFACE_LIMIT, .include = SDD_PRIMVARS, .primvars = 1, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(mesh, &r, &result, &err))
        fail_msg("%s: %s", label, err.text);
    const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
    const float *value = b->data;
    assert_int_equal(b->count, got->n_vertices);
    for (int64_t i = 0; i < 3 * b->count; i++)
        if (!(fabs((double)value[i] - got->limits[i]) <= POSITION * diagonal))
            fail_msg("%s: a primvar of row %lld is %g from the point", label, (long long)(i / 3),
                     fabs((double)value[i] - got->limits[i]));
    sdd_result_free(result);
}

static void check_level(const char *label, const struct shape *s, const struct sdd_mesh_desc *d, sdd_mesh *mesh,
                        int level)
{
    struct deep want = deep_of(d, s->points, level);
    for (int e = 0; sdd_engine(e); e++) {
        struct sdd_error err = {0};
        struct refined got;
        char name[256];
        snprintf(name, sizeof name, "%s level %d, %s", label, level, sdd_engine(e)->name);
        int rc = library_surfaces(mesh, sdd_engine(e)->name, 0, level, SDD_SURFACE_LIMIT, &got, &err);
        if (rc && !judge_may_refuse(&err))
            fail_msg("%s: %s", name, err.text);
        if (rc)
            continue;
        compare(name, &want, &got, s->diagonal);
        if (strcmp(sdd_engine(e)->name, "mesh-matrix-spla") != 0 && strcmp(sdd_engine(e)->name, "edge-friend") != 0)
            check_primvar(name, mesh, sdd_engine(e)->name, level, &got, s->diagonal);
        refined_free(&got);
        n_ran[e]++;
    }
    deep_free(&want);
}

/* The mesh with semi-sharp tags of the sharpnesses above, beginning with number `first`. */
static void check_tags(const struct shape *s, struct sdd_mesh_desc d, int first, const char *how)
{
    float *crease = xalloc(d.n_creases + 1, sizeof *crease), *corner = xalloc(d.n_corner_tags + 1, sizeof *corner);
    struct sdd_error err = {0};
    sdd_mesh *mesh = NULL;
    char label[160];
    snprintf(label, sizeof label, "%s, %s, from %g", s->name, how, (double)sharpness[first % N_SHARP]);
    for (int64_t i = 0; i < d.n_creases; i++)
        crease[i] = d.crease_sharpness[i] < 10 ? sharpness[(i + first) % N_SHARP] : 10;
    for (int64_t i = 0; i < d.n_corner_tags; i++)
        corner[i] = d.corner_sharpness[i] < 10 ? sharpness[(i + first + 1) % N_SHARP] : 10;
    d.crease_sharpness = crease;
    d.corner_sharpness = corner;
    d.n_uvs = 0;
    if (library_mesh(device, &d, s->points, NULL, &mesh, &err))
        fail_msg("%s: %s", label, err.text);
    const struct sdd_primvar same = {.interpolation = SDD_VERTEX, .width = 3, .values = s->points};
    if (sdd_mesh_set_primvars(mesh, 1, &same, &err))
        fail_msg("%s: %s", label, err.text);
    for (int level = 1; level <= level_that_fits(&d, 4, MOST_VERTICES); level++)
        check_level(label, s, &d, mesh, level);
    sdd_mesh_free(mesh);
    free(crease);
    free(corner);
}

static const char *const names[] = {
    "crease_edge_4",        "crease_dart_soft",       "crease_dart",      "crease_loop_2.7",
    "crease_across_1.5",    "crease_across_1.5_edge", "corner_4",         "corner_at_dart",
    "corner_on_boundary",   "corner_on_soft_crease",  "semi_meet3",       "semi_meet4",
    "semi_beside_infinite", "semi_overshoot",         "semi_to_boundary", "semi_to_boundary_edge",
    "semi_valence9",        "mixed_2_0.5_corner",     "mixed_four",       "mixed_open",
    "mixed_open_edge",      "random_creases0",        "random_creases1",  "random_creases2",
    "fan_creases",          "crease_ngons",           "ring_creases",     "crease_chains_meet3",
    "smoothtri_creases",    "semi_triangles",         "random_mixed0",    "random_mixed1",
    "random_open0",         "random_open1",           "valence2_inside",  "crease_chains_meet_corner"};

/* Cut into triangles, a shape may get edges of more than two faces, which the witness does not do. */
static int is_manifold(const struct sdd_mesh_desc *d)
{
    sdd_topology *t = NULL;
    struct sdd_topology_info info;
    struct sdd_error err = {0};
    if (sdd_topology_create(device, d, &t, &err))
        fail_msg("%s", err.text);
    sdd_topology_info(t, &info);
    sdd_topology_unref(t);
    return info.manifold;
}

static void check(int scheme, int method, const char *how)
{
    device = open_device(0);
    n_points = n_normals = 0;
    memset(n_ran, 0, sizeof n_ran);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(test_shapes_dir(), names[i], &s, &err))
            fail_msg("%s: %s", names[i], err.text);
        struct sdd_mesh_desc d = s.desc;
        struct triangles cut = {0};
        d.options.scheme = scheme;
        d.options.crease_method = method;
        if (scheme == SDD_SCHEME_LOOP && !triangles_only(&d))
            cut = triangles_cut(&d);
        for (int first = (int)i; first < (int)i + 6 && is_manifold(&d); first += 3)
            check_tags(&s, d, first, how);
        triangles_free(&cut);
        shape_free(&s);
    }
    sdd_device_close(device);
    print_message("%lld limits, %lld normals;", (long long)n_points, (long long)n_normals);
    for (int e = 0; sdd_engine(e); e++)
        print_message(" %s %lld", sdd_engine(e)->name, (long long)n_ran[e]);
    print_message("\n");
    assert_true(n_points > 10000 && n_normals > 5000);
}

static void test_catmull_clark(void **state)
{
    (void)state;
    check(SDD_SCHEME_CATMULL_CLARK, SDD_CREASE_UNIFORM, "uniform");
}

static void test_catmull_clark_chaikin(void **state)
{
    (void)state;
    check(SDD_SCHEME_CATMULL_CLARK, SDD_CREASE_CHAIKIN, "chaikin");
}

static void test_loop(void **state)
{
    (void)state;
    check(SDD_SCHEME_LOOP, SDD_CREASE_UNIFORM, "loop");
}

static void test_loop_chaikin(void **state)
{
    (void)state;
    check(SDD_SCHEME_LOOP, SDD_CREASE_CHAIKIN, "loop, chaikin");
}

/* ---- sqrt3 ------------------------------------------------------------------------------------------------------- */
/* Vertices keep their numbers, so limits and normals of level 6, where no sharpness is left, are those of levels 1 and
 * 2 too. These meshes are closed, and no infinite crease ends on them. */
static const char *const triangle_names[] = {"crease_edge_4", "crease_dart_soft", "crease_loop_2.7", "corner_4",
                                             "semi_meet3",    "semi_meet4",       "mixed_four"};

static void compare_sqrt3(const char *label, const struct refined *got, const struct refined *want, double diagonal)
{
    for (int64_t i = 0; i < got->n_vertices; i++) {
        if (!(apart(got->limits + 3 * i, want->limits + 3 * i) <= POSITION * diagonal))
            fail_msg("%s: limit %lld is off by %.2g of the box", label, (long long)i,
                     apart(got->limits + 3 * i, want->limits + 3 * i) / diagonal);
        n_points++;
        if (!want->normal_ok[i])
            continue;
        if (!(apart(got->normals + 3 * i, want->normals + 3 * i) <= NORMAL))
            fail_msg("%s: normal %lld is off by %.2g", label, (long long)i,
                     apart(got->normals + 3 * i, want->normals + 3 * i));
        n_normals++;
    }
}

static void check_sqrt3(const struct shape *s, struct sdd_mesh_desc d, int first)
{
    float *crease = xalloc(d.n_creases + 1, sizeof *crease), *corner = xalloc(d.n_corner_tags + 1, sizeof *corner);
    struct refined want, got;
    struct sdd_error err = {0};
    sdd_mesh *mesh = NULL;
    for (int64_t i = 0; i < d.n_creases; i++) /* These four have gone by level 6. */
        crease[i] = d.crease_sharpness[i] < 10 ? sharpness[(i + first) % 4] : 10;
    for (int64_t i = 0; i < d.n_corner_tags; i++)
        corner[i] = d.corner_sharpness[i] < 10 ? sharpness[(i + first + 1) % 4] : 10;
    d.crease_sharpness = crease;
    d.corner_sharpness = corner;
    d.n_uvs = 0;
    kobbelt_refine(&d, s->points, NULL, 6, &want);
    if (library_mesh(device, &d, s->points, NULL, &mesh, &err))
        fail_msg("%s: %s", s->name, err.text);
    for (int level = 1; level <= 2; level++)
        for (int e = 0; sdd_engine(e); e++) {
            char label[200];
            snprintf(label, sizeof label, "%s level %d, %s, from %g", s->name, level, sdd_engine(e)->name,
                     (double)sharpness[first]);
            int rc = library_surfaces(mesh, sdd_engine(e)->name, 0, level, SDD_SURFACE_LIMIT, &got, &err);
            if (rc && !judge_may_refuse(&err))
                fail_msg("%s: %s", label, err.text);
            if (rc)
                continue;
            compare_sqrt3(label, &got, &want, s->diagonal);
            refined_free(&got);
        }
    sdd_mesh_free(mesh);
    refined_free(&want);
    free(crease);
    free(corner);
}

static void test_sqrt3(void **state)
{
    (void)state;
    device = open_device(0);
    n_points = n_normals = 0;
    for (size_t i = 0; i < sizeof triangle_names / sizeof *triangle_names; i++)
        for (int first = 0; first < 4; first++) {
            struct shape s;
            struct sdd_error err = {0};
            if (shape_load(test_shapes_dir(), triangle_names[i], &s, &err))
                fail_msg("%s: %s", triangle_names[i], err.text);
            struct sdd_mesh_desc d = s.desc;
            d.options.scheme = SDD_SCHEME_SQRT3;
            d.options.fvar = SDD_FVAR_ALL;
            struct triangles cut = triangles_cut(&d);
            check_sqrt3(&s, d, first);
            triangles_free(&cut);
            shape_free(&s);
        }
    sdd_device_close(device);
    print_message("%lld limits, %lld normals\n", (long long)n_points, (long long)n_normals);
    assert_true(n_points > 1000 && n_normals > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_catmull_clark),
                                       cmocka_unit_test(test_catmull_clark_chaikin), cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_loop_chaikin), cmocka_unit_test(test_sqrt3)};
    return cmocka_run_group_tests_name("limits, and plain subdivision to level 36", tests, NULL, NULL);
}
