/* SPDX-License-Identifier: Apache-2.0 */
/* test_tangents.c: limit tangents under every scheme by every engine, on every shape, manifold or not: of length 1,
 * their cross product along the normal, zero where that is; neither they nor the normals depend on what else is asked
 * for. Engines whose normals agree (test_engines_agree) so agree on the planes. Against OpenSubdiv they are held by the
 * oracles. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/planes.h"
#include "tests/oracle/triangles.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 20000

static sdd_device *device;
static int64_t n_planes, n_clear, n_zero; /* rows; those whose tangents are far from one line; those without a plane */
static int n_runs[4];                     /* by scheme */

static sdd_result *refine(sdd_mesh *mesh, const char *label, const char *method, int level, int include)
{
    const struct sdd_refine_request r = {
        .level = level, .surface = SDD_SURFACE_LIMIT, .include = include, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    int rc = refine_once(mesh, &r, &result, &err);
    if (rc && rc != SDD_EUNSUPPORTED)
        fail_msg("%s level %d by %s: %s", label, level, method, err.text);
    return result;
}

/* The same block of a request for nothing else. */
static void same_alone(sdd_mesh *mesh, const char *label, int level, const sdd_result *both, int semantic)
{
    sdd_result *alone = refine(mesh, label, sdd_result_info(both)->plan.method, level, semantic);
    assert_non_null(alone);
    assert_int_equal(sdd_result_info(alone)->plan.n_blocks, 1);
    const struct sdd_block *a = block_of(alone, semantic), *b = block_of(both, semantic);
    if (a->bytes != b->bytes || memcmp(a->data, b->data, (size_t)a->bytes) != 0)
        fail_msg("%s level %d by %s: block %d is another when it is asked for alone", label, level,
                 sdd_result_info(both)->plan.method, semantic);
    sdd_result_free(alone);
}

static void check_planes(const char *label, int level, const sdd_result *r)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    const struct sdd_block *n = block_of(r, SDD_NORMALS), *t = block_of(r, SDD_TANGENTS);
    const float *normal = n->data, *tangents = t->data;
    assert_true(t->components == 6 && t->count == p->n_vertices && t->bytes == 24 * p->n_vertices);
    for (int64_t v = 0; v < t->count; v++, normal += 3, tangents += 6) {
        const char *fault = plane_fault(tangents, normal);
        if (fault)
            fail_msg("%s level %d by %s: tangents %lld: %s: (%g, %g, %g) (%g, %g, %g), normal (%g, %g, %g)", label,
                     level, p->method, (long long)v, fault, (double)tangents[0], (double)tangents[1],
                     (double)tangents[2], (double)tangents[3], (double)tangents[4], (double)tangents[5],
                     (double)normal[0], (double)normal[1], (double)normal[2]);
        double dot = 0;
        for (int x = 0; x < 3; x++)
            dot += (double)tangents[x] * (double)tangents[3 + x];
        n_planes++;
        n_clear += fabs(dot) < 0.99;
        n_zero += normal[0] == 0 && normal[1] == 0 && normal[2] == 0;
    }
}

static void check_scheme(const struct shape *s, int scheme)
{
    struct sdd_mesh_desc d = s->desc;
    struct sdd_error err = {0};
    struct triangles cut = {0};
    sdd_mesh *mesh = NULL;
    int only_triangles = scheme == SDD_SCHEME_LOOP || scheme == SDD_SCHEME_SQRT3;
    d.options.scheme = scheme;
    if (only_triangles && !triangles_only(&d))
        cut = triangles_cut(&d);
    if (library_mesh(device, &d, s->points, s->uvs, &mesh, &err))
        fail_msg("%s: %s", s->name, err.text);
    int last = level_that_fits(&d, 3, MOST_VERTICES);
    const struct sdd_engine_info *e;
    for (int level = 1; level <= last; level++)
        for (int row = 0; (e = sdd_engine(row)); row++) {
            int asked = SDD_POSITIONS | SDD_NORMALS | SDD_TANGENTS | SDD_INDICES;
            sdd_result *all = refine(mesh, s->name, e->name, level, asked);
            if (!all)
                continue;
            n_runs[scheme]++;
            check_planes(s->name, level, all);
            same_alone(mesh, s->name, level, all, SDD_NORMALS);
            same_alone(mesh, s->name, level, all, SDD_TANGENTS);
            same_alone(mesh, s->name, level, all, SDD_POSITIONS);
            sdd_result_free(all);
        }
    sdd_mesh_free(mesh);
    triangles_free(&cut);
}

static void check_folder(const char *folder, int scheme)
{
    size_t n;
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/%s", test_shapes_dir(), folder);
    char **names = shape_list(dir, &n);
    assert_true(names && n > 20);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(dir, names[i], &s, &err) != SDD_OK)
            fail_msg("%s: %s", names[i], err.text);
        check_scheme(&s, scheme);
        shape_free(&s);
    }
    shape_list_free(names);
}

static void test_planes(void **state)
{
    (void)state;
    for (int scheme = 0; scheme <= SDD_SCHEME_SQRT3; scheme++) {
        check_folder("", scheme);
        check_folder("nonmanifold", scheme);
        assert_true(n_runs[scheme] > 300);
    }
    print_message("%lld planes, %lld clear, %lld without one\n", (long long)n_planes, (long long)n_clear,
                  (long long)n_zero);
    assert_true(n_clear > n_planes / 10 * 9 && n_zero > 0);
}

/* Only the limit surface has them. */
static void test_refined(void **state)
{
    (void)state;
    struct shape s;
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    struct sdd_plan_info plan;
    struct sdd_refine_request r = {.level = 2, .include = SDD_POSITIONS | SDD_TANGENTS};
    assert_int_equal(shape_load(test_shapes_dir(), "cube", &s, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(device, &s.desc, &t, &err), SDD_OK);
    assert_int_equal(plan_once(t, &r, &plan, &err), SDD_EINVALID);
    assert_string_equal(err.field, "include");
    assert_string_equal(err.text, "tangents are the limit surface's; ask for surface=limit");
    r.surface = SDD_SURFACE_LIMIT;
    assert_int_equal(plan_once(t, &r, &plan, &err), SDD_OK);
    assert_int_equal(plan.n_blocks, 2);
    assert_int_equal(plan.host_bytes, 36 * plan.n_vertices);
    sdd_topology_unref(t);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes), cmocka_unit_test(test_refined)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("limit tangents", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
