/* SPDX-License-Identifier: Apache-2.0 */
/* cases.c: one cmocka test a shape file. */
#include "tests/oracle/cases.h"
#include "tests/env.h"
#include "tests/oracle/triangles.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the float path may differ by; normals are made from differences of positions, so they lose three digits more. */
static const struct tolerances library_tolerance = {1e-5, 1e-5, 5e-3};
/* Two witnesses in double: OpenSubdiv keeps sharpness and 1/6 in float. */
static const struct tolerances witness_tolerance = {1e-6, 1e-6, 1e-5};

static struct {
    const char *dir;
    witness_fn *witness, *other; /* other: NULL for the library */
    int64_t max_vertices;
    int highest;
    const char *method;
    int scheme, spla; /* spla: mesh-matrix-spla, which refuses some */
    sdd_device *device;
} run;

/* edge-friend may refuse chaikin, but not where nothing is semi-sharp. */
static int is_uniform_engine(const struct sdd_mesh_desc *d)
{
    int semi = 0;
    for (int64_t i = 0; i < d->n_creases; i++)
        semi |= d->crease_sharpness[i] > 0 && d->crease_sharpness[i] < 10;
    return semi && strcmp(run.method, "edge-friend") == 0;
}

static int check_level(const struct shape *s, const struct sdd_mesh_desc *desc, int level)
{
    struct refined got = {0}, want = {0};
    struct sdd_error err = {0};
    char label[160];
    snprintf(label, sizeof label, "%s level %d%s%s", s->name, level,
             desc->options.orientation == SDD_LEFT_HANDED ? " left-handed" : "",
             desc->options.crease_method == SDD_CREASE_CHAIKIN ? " chaikin" : "");
    if (run.other) {
        run.other(desc, s->points, s->uvs, level, &got);
    } else if (library_refine(run.device, run.method, desc, s->points, s->uvs, level, &got, &err) != SDD_OK) {
        if (is_uniform_engine(desc) && strstr(err.text, "does not do creaseMethod chaikin"))
            return 0;
        printf("%s: refused: %s: %s\n", label, sdd_err_code(err.code), err.text);
        return !(run.spla && (level > 1 || run.scheme == SDD_SCHEME_SQRT3) && /* it looks around limits */
                 strstr(err.text, "two triangles that share all three edges"));
    }
    run.witness(desc, s->points, s->uvs, level, &want);
    int bad = compare_refined(label, &got, &want, s->diagonal, 1, run.other ? witness_tolerance : library_tolerance);
    refined_free(&got);
    refined_free(&want);
    return bad;
}

/* What schemes of triangles cannot take is refused, by its first face. */
static void expect_refused(const struct shape *s)
{
    struct sdd_error err = {0};
    sdd_topology *topology = NULL;
    int rc = sdd_topology_create(run.device, &s->desc, &topology, &err);
    sdd_topology_unref(topology);
    assert_int_equal(rc, SDD_EMESH);
    assert_non_null(strstr(err.text, run.scheme == SDD_SCHEME_LOOP ? "corners; scheme loop takes triangles alone"
                                                                   : "corners; scheme sqrt3 takes triangles alone"));
}

/* mesh-matrix-spla does no tags, no smooth triangles and nothing that is not manifold, and says so; what is left of the
 * shape it does. 0: nothing is left. */
static int left_for_spla(struct sdd_mesh_desc *d)
{
    int smooth = run.scheme == SDD_SCHEME_CATMULL_CLARK && d->options.triangle_rule == SDD_TRIANGLE_SMOOTH;
    const int tags = d->n_creases > 0 || d->n_corner_tags > 0;
    const struct sdd_refine_request r = {
        .level = 1, .surface = SDD_SURFACE_REFINED, .include = SDD_POSITIONS, .method = run.method};
    struct sdd_topology_info info;
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_topology *t;
    if (sdd_topology_create(run.device, d, &t, &err))
        fail_msg("%s", err.text);
    sdd_topology_info(t, &info);
    smooth = smooth && info.min_face_size == 3; /* the rule changes nothing else */
    int rc = plan_once(t, &r, &plan, &err);
    sdd_topology_unref(t);
    if (info.manifold && !tags && !smooth) {
        assert_int_equal(rc, SDD_OK);
        return 1;
    }
    assert_int_equal(rc, SDD_EUNSUPPORTED);
    assert_string_equal(err.field, "method");
    assert_non_null(strstr(err.text, "engine mesh-matrix-spla does not do "));
    d->n_creases = d->n_corner_tags = 0;
    d->options.triangle_rule = SDD_TRIANGLE_CATMULL_CLARK;
    return info.manifold && left_for_spla(d);
}

static void test_shape(void **state)
{
    struct shape s;
    struct sdd_error err = {0};
    if (shape_load(run.dir, *state, &s, &err) != SDD_OK)
        fail_msg("%s: not read: %s", s.name, err.text);
    s.desc.options.scheme = run.scheme;
    struct triangles t = {0};
    if ((run.scheme == SDD_SCHEME_LOOP || run.scheme == SDD_SCHEME_SQRT3) && !triangles_only(&s.desc)) {
        expect_refused(&s);
        t = triangles_cut(&s.desc);
    }
    int last = level_that_fits(&s.desc, run.highest, run.max_vertices), bad = 0;
    int taken = !run.spla || left_for_spla(&s.desc);
    for (int level = 1; level <= last && !bad && taken; level++)
        bad += check_level(&s, &s.desc, level);
    struct sdd_mesh_desc left = s.desc, other = s.desc;
    other.options.crease_method = !s.desc.options.crease_method;
    int has_chaikin = s.desc.n_creases > 0 && run.scheme != SDD_SCHEME_SQRT3;
    for (int level = 1; level <= last && !bad && taken && has_chaikin; level++)
        bad += check_level(&s, &other, level);
    left.options.orientation = SDD_LEFT_HANDED;
    bad += taken ? check_level(&s, &left, last < 2 ? 1 : 2) : 0;
    triangles_free(&t);
    shape_free(&s);
    assert_true(last > 0);
    assert_int_equal(bad, 0);
}

/* edge-friend refuses what is not manifold, by name of an element. */
static void test_odd(void **state)
{
    struct shape s;
    struct refined none;
    struct sdd_error err = {0};
    if (shape_load(run.dir, *state, &s, &err) != SDD_OK)
        fail_msg("%s: not read: %s", s.name, err.text);
    int rc = library_refine(run.device, "edge-friend", &s.desc, s.points, s.uvs, 1, &none, &err);
    refined_free(&none);
    shape_free(&s);
    print_message("%s\n", err.text);
    assert_int_equal(rc, SDD_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "edge-friend does not do meshes that are not manifold"));
    test_shape(state);
}

/* The bigger meshes carry no tags; their UVs are asked for linearly, as every engine has it. */
static void test_shared(void **state)
{
    struct shape s;
    struct sdd_error err = {0};
    if (shape_load(run.dir, *state, &s, &err) != SDD_OK)
        fail_msg("%s: not read: %s", s.name, err.text);
    s.desc.options.fvar = SDD_FVAR_ALL;
    int level = level_that_fits(&s.desc, run.highest, run.max_vertices);
    assert_true(level > 0);
    int bad = check_level(&s, &s.desc, level);
    shape_free(&s);
    assert_int_equal(bad, 0);
}

static void test_absent(void **state)
{
    (void)state;
    printf("skip: the folder of bigger meshes is not here (SUBDD_SHARED)\n");
    skip();
}

static int run_files(const char *group, CMUnitTestFunction test, size_t at_least)
{
    size_t n;
    char **names = shape_list(run.dir, &n);
    if (n < at_least)
        oracle_die("%s has %zu shapes", run.dir, n);
    struct CMUnitTest *tests = xalloc((int64_t)n, sizeof *tests);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = test, .initial_state = names[i]};
    if (!run.other)
        run.device = open_device(0);
    int failed = _cmocka_run_group_tests(group, tests, n, NULL, NULL);
    if (run.device)
        sdd_device_close(run.device);
    run.device = NULL;
    free(tests);
    shape_list_free(names);
    return failed;
}

static int run_shapes(const char *group, const char *dir, CMUnitTestFunction test, size_t at_least,
                      int64_t max_vertices)
{
    run.dir = dir;
    run.max_vertices = max_vertices;
    run.highest = 5;
    return run_files(group, test, at_least);
}

int cases_run_pair(const char *group, witness_fn *witness, witness_fn *other, int64_t max_vertices)
{
    run.witness = witness;
    run.other = other;
    return run_shapes(group, test_shapes_dir(), test_shape, 100, max_vertices);
}

int cases_run(const char *group, const char *method, int scheme, witness_fn *witness, int64_t max_vertices)
{
    run.method = method;
    run.scheme = scheme;
    return cases_run_pair(group, witness, NULL, max_vertices);
}

int cases_run_spla(const char *group, int scheme, witness_fn *witness, int64_t max_vertices)
{
    run.spla = 1;
    int failed = cases_run(group, "mesh-matrix-spla", scheme, witness, max_vertices);
    run.spla = 0;
    return failed;
}

int cases_run_odd(const char *group, int scheme, witness_fn *witness, int64_t max_vertices)
{
    static char dir[4096];
    snprintf(dir, sizeof dir, "%s/nonmanifold", test_shapes_dir());
    run.method = "auto";
    run.scheme = scheme;
    run.witness = witness;
    run.other = NULL;
    return run_shapes(group, dir, test_odd, 8, max_vertices);
}

int cases_run_shared(const char *group, const char *method, witness_fn *witness, int64_t max_vertices)
{
    static char dir[4096];
    const char *shared = test_shared_dir();
    snprintf(dir, sizeof dir, "%s/data", shared ? shared : "");
    size_t n = 0;
    shape_list_free(shared ? shape_list(dir, &n) : NULL);
    if (n == 0) {
        const struct CMUnitTest absent[] = {{.name = "bigger meshes", .test_func = test_absent}};
        return _cmocka_run_group_tests(group, absent, 1, NULL, NULL);
    }
    run.dir = dir;
    run.method = method;
    run.witness = witness;
    run.other = NULL;
    run.max_vertices = max_vertices;
    run.highest = 6;
    return run_files(group, test_shared, 1);
}

void for_each_shape(const char *folder, size_t at_least, void (*check)(const struct shape *s))
{
    size_t n;
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/%s", test_shapes_dir(), folder);
    char **names = shape_list(dir, &n);
    assert_true(names && n > at_least);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(dir, names[i], &s, &err) != SDD_OK)
            fail_msg("%s: %s", names[i], err.text);
        check(&s);
        shape_free(&s);
    }
    shape_list_free(names);
}

void for_each_scheme(const struct shape *s, void (*check)(const struct shape *s, struct sdd_mesh_desc *d))
{
    for (int scheme = SDD_SCHEME_CATMULL_CLARK; scheme <= SDD_SCHEME_SQRT3; scheme++) {
        struct sdd_mesh_desc d = s->desc;
        struct triangles owned = {0};
        if (scheme == SDD_SCHEME_LOOP || scheme == SDD_SCHEME_SQRT3)
            owned = triangles_cut(&d);
        d.options.scheme = scheme;
        if (scheme == SDD_SCHEME_SQRT3)
            d.options.fvar = SDD_FVAR_ALL;
        check(s, &d);
        triangles_free(&owned);
    }
}
