/* SPDX-License-Identifier: Apache-2.0 */
/* cases.c: one cmocka test a shape file. */
#include "tests/oracle/cases.h"
#include "tests/env.h"
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
    sdd_device *device;
    int (*is_manifold)(const struct sdd_mesh_desc *);
} run;

static int check_level(const struct shape *s, const struct sdd_mesh_desc *desc, int level)
{
    struct refined got = {0}, want = {0};
    struct sdd_error err = {0};
    char label[160];
    snprintf(label, sizeof label, "%s level %d%s", s->name, level,
             desc->options.orientation == SDD_LEFT_HANDED ? " left-handed" : "");
    if (run.other) {
        run.other(desc, s->points, s->uvs, level, &got);
    } else if (library_refine(run.device, desc, s->points, s->uvs, level, &got, &err) != SDD_OK) {
        printf("%s: refused: %s: %s\n", label, sdd_err_code(err.code), err.text);
        return 1;
    }
    run.witness(desc, s->points, s->uvs, level, &want);
    int bad = compare_refined(label, &got, &want, s->diagonal, 1, run.other ? witness_tolerance : library_tolerance);
    refined_free(&got);
    refined_free(&want);
    return bad;
}

static void test_shape(void **state)
{
    struct shape s;
    struct sdd_error err = {0};
    if (shape_load(run.dir, *state, &s, &err) != SDD_OK)
        fail_msg("%s: not read: %s", s.name, err.text);
    int last = level_that_fits(&s.desc, run.highest, run.max_vertices), bad = 0;
    for (int level = 1; level <= last && !bad; level++)
        bad += check_level(&s, &s.desc, level);
    struct sdd_mesh_desc left = s.desc;
    left.options.orientation = SDD_LEFT_HANDED;
    bad += check_level(&s, &left, last < 2 ? 1 : 2);
    shape_free(&s);
    assert_true(last > 0);
    assert_int_equal(bad, 0);
}

/* A mesh that the witness calls non-manifold is refused, by name of an element. */
static int check_refused(const struct shape *s)
{
    struct sdd_error err = {0};
    sdd_topology *topology = NULL;
    int rc = sdd_topology_create(run.device, &s->desc, &topology, &err);
    printf("%s: %s\n", s->name, rc == SDD_OK ? "taken, though it is not manifold" : err.text);
    sdd_topology_unref(topology);
    return rc != SDD_EMESH || !strstr(err.text, "manifold");
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
    int bad = run.is_manifold(&s.desc) ? check_level(&s, &s.desc, level) : check_refused(&s);
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

int cases_run_pair(const char *group, witness_fn *witness, witness_fn *other, int64_t max_vertices)
{
    run.dir = test_shapes_dir();
    run.witness = witness;
    run.other = other;
    run.max_vertices = max_vertices;
    run.highest = 5;
    return run_files(group, test_shape, 100);
}

int cases_run(const char *group, witness_fn *witness, int64_t max_vertices)
{
    return cases_run_pair(group, witness, NULL, max_vertices);
}

int cases_run_shared(const char *group, witness_fn *witness, int (*is_manifold)(const struct sdd_mesh_desc *),
                     int64_t max_vertices)
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
    run.witness = witness;
    run.other = NULL;
    run.max_vertices = max_vertices;
    run.highest = 6;
    run.is_manifold = is_manifold;
    return run_files(group, test_shared, 1);
}
