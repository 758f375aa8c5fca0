/* SPDX-License-Identifier: Apache-2.0 */
/* test_tabulated.c: points from tables are those of mesh-matrix, but for rounding: on every shape, at levels 1 to 6,
 * refined and limit; the same bits on any number of threads, and again when another level was asked for between. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 200000
#define ULPS 4 /* of the coordinates' scale */

static sdd_device *device, *other_device;
static int n_refused, n_compared;
static double worst; /* ulps */
static uint64_t all_digests;

/* NULL: refused for its forms. */
static sdd_result *refine(sdd_mesh *mesh, const char *method, int level, int surface, const struct shape *s)
{
    const struct sdd_refine_request r = {
        .level = level, .surface = surface, .include = SDD_POSITIONS, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    int rc = sdd_refine(mesh, &r, &result, &err);
    if (rc == SDD_ETOO_LARGE && strcmp(method, "tabulated") == 0 && strcmp(err.field, "method") == 0)
        return NULL;
    if (rc != SDD_OK)
        fail_msg("%s level %d by %s: %s", s->name, level, method, err.text);
    assert_string_equal(sdd_result_info(result)->plan.method, method);
    return result;
}

static const struct sdd_block *positions(const sdd_result *r)
{
    return sdd_result_info(r)->plan.blocks;
}

/* One ulp of the largest coordinate. */
static double ulp_of(const struct shape *s)
{
    double scale = 0;
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        scale = fmax(scale, fabs((double)s->points[i]));
    return scale > 0 ? scale * 0x1p-23 : 1;
}

static void compare(const struct shape *s, int level, int surface, const sdd_result *got, const sdd_result *want)
{
    const float *p = positions(got)->data, *q = positions(want)->data;
    double ulp = ulp_of(s);
    assert_int_equal(positions(got)->count, positions(want)->count);
    for (int64_t i = 0; i < 3 * positions(got)->count; i++) {
        double off = fabs((double)p[i] - (double)q[i]) / ulp;
        if (!(off <= ULPS))
            fail_msg("%s level %d surface %d: point %lld of %lld is %.9g and %.9g, %g ulps apart", s->name, level,
                     surface, (long long)(i / 3), (long long)positions(got)->count, (double)p[i], (double)q[i], off);
        worst = fmax(worst, off);
    }
    n_compared++;
}

static void make(sdd_device *on, const struct shape *s, sdd_topology **t, sdd_mesh **m)
{
    struct sdd_error err = {0};
    if (sdd_topology_create(on, &s->desc, t, &err) || sdd_mesh_create(*t, s->points, s->uvs, m, &err))
        fail_msg("%s: %s", s->name, err.text);
}

static void check_shape(const struct shape *s)
{
    sdd_topology *t = NULL, *other_t = NULL;
    sdd_mesh *m = NULL, *other = NULL;
    make(device, s, &t, &m);
    make(other_device, s, &other_t, &other);
    int last = level_that_fits(&s->desc, 6, MOST_VERTICES);
    for (int level = 1; level <= last; level++)
        for (int surface = SDD_SURFACE_REFINED; surface <= SDD_SURFACE_LIMIT; surface++) {
            sdd_result *a = refine(m, "tabulated", level, surface, s);
            if (!a) {
                n_refused++;
                continue;
            }
            sdd_result *b = refine(m, "mesh-matrix", level, surface, s),
                       *c = refine(other, "tabulated", level, surface, s);
            compare(s, level, surface, a, b);
            if (positions(a)->digest != positions(c)->digest)
                fail_msg("%s level %d surface %d: other bits on two threads", s->name, level, surface);
            all_digests = all_digests * 31 + positions(a)->digest;
            sdd_result_free(a);
            sdd_result_free(b);
            sdd_result_free(c);
        }
    sdd_mesh_free(m);
    sdd_mesh_free(other);
    sdd_topology_unref(t);
    sdd_topology_unref(other_t);
    assert_true(last > 0);
}

static void for_each_in(const char *folder, size_t at_least)
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
        if (s.desc.options.crease_method == SDD_CREASE_UNIFORM)
            check_shape(&s);
        shape_free(&s);
    }
    shape_list_free(names);
}

static void test_points(void **state)
{
    (void)state;
    for_each_in("", 100);
    for_each_in("odd", 20);
    print_message("%d frames compared, at most %.2f ulps apart; %d refused; digest of all %016llx\n", n_compared, worst,
                  n_refused, (unsigned long long)all_digests);
    assert_true(n_compared > 2500 && n_refused < 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points)};
    device = open_device(1);
    other_device = open_device(2);
    int failed = cmocka_run_group_tests_name("tabulated", tests, NULL, NULL);
    sdd_device_close(device);
    sdd_device_close(other_device);
    return failed;
}
