/* SPDX-License-Identifier: Apache-2.0 */
/* test_adaptive.c: rows from patches of all levels are those of mesh-matrix, but for rounding: on every shape, odd ones
 * as well, refined and limit; engine tabulated takes them above level 6. Any part of the rows has the bits of the
 * whole, on any number of threads, and they follow the positions. */
#include "gpu/patches/adaptive.h"
#include "gpu/mesh/mesh.h"
#include "tests/env.h"
#include "tests/oracle/dice.h"
#include "tests/oracle/cases.h"
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

#define MOST_VERTICES 200000
#define ULPS 4 /* of the largest coordinate */

static sdd_device *device, *other_device;
static int n_compared;
static double worst; /* ulps */
static uint64_t all_digests;

struct resident {
    sdd_topology *t;
    sdd_mesh *m;
};

static struct resident make(sdd_device *on, const struct shape *s)
{
    struct resident r = {NULL, NULL};
    struct sdd_error err = {0};
    if (sdd_topology_create(on, &s->desc, &r.t, &err) || sdd_mesh_create(r.t, s->points, s->uvs, &r.m, &err))
        fail_msg("%s: %s", s->name, err.text);
    return r;
}

static void drop(struct resident *r)
{
    sdd_mesh_free(r->m);
    sdd_topology_unref(r->t);
}

static const struct sdd_block *refine(sdd_mesh *m, const char *method, int level, int surface, sdd_result **out)
{
    const struct sdd_refine_request r = {
        .level = level, .surface = surface, .include = SDD_POSITIONS, .method = method};
    struct sdd_error err = {0};
    if (refine_once(m, &r, out, &err))
        fail_msg("%s level %d: %s", method, level, err.text);
    return sdd_result_info(*out)->plan.blocks;
}

static struct adaptive *create(const sdd_topology *t, int level, int surface)
{
    struct adaptive *a;
    struct sdd_error err = {0};
    if (adaptive_create(t, level, surface, NULL, &a, &err))
        fail_msg("level %d: %s", level, err.text);
    return a;
}

/* Rows [first, first + n) in host memory. */
static float *rows_of(struct adaptive *a, const sdd_mesh *m, int64_t first, int64_t n)
{
    sdd_device *d = m->topology->device;
    int64_t bytes = 3 * n * (int64_t)sizeof(float),
            scratch = 3 * topology_points(m->topology, 1) * (int64_t)sizeof(float);
    void *level1 = NULL, *to = NULL;
    float *out = xalloc(3 * n, sizeof *out);
    struct sdd_error err = {0};
    if (dev_alloc(d, scratch, &level1, &err) || dev_alloc(d, bytes, &to, &err))
        fail_msg("%s", err.text);
    dev_fill(d, to, 0x7f, bytes);
    adaptive_rows(a, m, level1, first, n, to);
    dev_download(d, out, to, bytes);
    if (dev_finish(d, &err))
        fail_msg("%s", err.text);
    dev_free(d, level1, scratch);
    dev_free(d, to, bytes);
    return out;
}

static double ulp_of(const struct shape *s)
{
    double scale = 0;
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        scale = fmax(scale, fabs((double)s->points[i]));
    return scale > 0 ? scale * 0x1p-23 : 1;
}

static void compare(const struct shape *s, int level, int surface, const float *got, const struct sdd_block *want)
{
    const float *q = want->data;
    double ulp = ulp_of(s);
    for (int64_t i = 0; i < 3 * want->count; i++) {
        double off = fabs((double)got[i] - (double)q[i]) / ulp;
        if (!(off <= ULPS))
            fail_msg("%s level %d surface %d: row %lld of %lld: %.9g and %.9g, %g ulps apart", s->name, level, surface,
                     (long long)(i / 3), (long long)want->count, (double)got[i], (double)q[i], off);
        worst = fmax(worst, off);
    }
    n_compared++;
}

/* A part of the rows is a slice of all of them. */
static void check_parts(const struct shape *s, struct adaptive *a, const sdd_mesh *m, const float *all, int64_t n)
{
    static struct dice dice = {4711};
    for (int k = 0; k < 5; k++) {
        int64_t first = k == 0 ? 0 : k == 1 ? n - 1 : dice_from(&dice, 0, (int)n - 1);
        int64_t some = k < 2 ? 1 : dice_from(&dice, 1, (int)(n - first));
        float *part = rows_of(a, m, first, some);
        if (memcmp(part, all + 3 * first, (size_t)some * 3 * sizeof *part) != 0)
            fail_msg("%s: rows %lld to %lld are not those of the whole", s->name, (long long)first,
                     (long long)(first + some));
        free(part);
    }
}

static void check_surface(const struct shape *s, const struct resident *r, const struct resident *other, int level,
                          int surface)
{
    sdd_result *result;
    const struct sdd_block *want = refine(r->m, "mesh-matrix", level, surface, &result);
    struct adaptive *a = create(r->t, level, surface), *b = create(other->t, level, surface);
    float *one = rows_of(a, r->m, 0, want->count), *two = rows_of(b, other->m, 0, want->count);
    compare(s, level, surface, one, want);
    if (memcmp(one, two, (size_t)want->bytes) != 0)
        fail_msg("%s level %d: other bits on two threads", s->name, level);
    all_digests = all_digests * 31 + sdd_digest(one, want->bytes);
    check_parts(s, a, r->m, one, want->count);
    free(one), free(two);
    adaptive_free(a), adaptive_free(b);
    sdd_result_free(result);
}

static void check_shape(const struct shape *s)
{
    if (s->desc.options.crease_method != SDD_CREASE_UNIFORM)
        return;
    struct resident r = make(device, s), other = make(other_device, s);
    int last = level_that_fits(&s->desc, 8, MOST_VERTICES);
    for (int level = 1; level <= last; level++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++)
            check_surface(s, &r, &other, level, surface);
    drop(&r), drop(&other);
}

static void test_shapes(void **state)
{
    (void)state;
    for_each_shape("", 100, check_shape);
    for_each_shape("nonmanifold", 20, check_shape);
    print_message("%d frames compared, at most %.2f ulps apart; digest of all %016llx\n", n_compared, worst,
                  (unsigned long long)all_digests);
    assert_true(n_compared > 2500);
}

/* Above the levels of tables the engine takes patches; new positions make new rows, old ones the old. */
static void test_engine(void **state)
{
    struct shape s;
    struct sdd_error err = {0};
    sdd_result *one, *two, *three, *other;
    (void)state;
    if (shape_load(test_shapes_dir(), "box", &s, &err))
        fail_msg("%s", err.text);
    struct resident r = make(device, &s);
    const float moved[3] = {s.points[0] + 0.25f, s.points[1], s.points[2]};
    for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
        const struct sdd_block *want = refine(r.m, "mesh-matrix", 8, surface, &other);
        const struct sdd_block *first = refine(r.m, "tabulated", 8, surface, &one);
        compare(&s, 8, surface, first->data, want);
        assert_int_equal(sdd_mesh_set_points(r.m, 0, 1, moved, &err), SDD_OK);
        const struct sdd_block *second = refine(r.m, "tabulated", 8, surface, &two);
        sdd_result_free(other);
        compare(&s, 8, surface, second->data, refine(r.m, "mesh-matrix", 8, surface, &other));
        assert_true(first->digest != second->digest);
        assert_int_equal(sdd_mesh_set_points(r.m, 0, 1, s.points, &err), SDD_OK);
        assert_true(refine(r.m, "tabulated", 8, surface, &three)->digest == first->digest);
        sdd_result_free(one), sdd_result_free(two), sdd_result_free(three), sdd_result_free(other);
    }
    const struct sdd_refine_request too_high = {.level = 11, .include = SDD_POSITIONS, .method = "tabulated"};
    assert_int_equal(refine_once(r.m, &too_high, &one, &err), SDD_ETOO_LARGE);
    assert_string_equal(err.field, "level");
    drop(&r);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_engine)};
    device = open_device(1);
    other_device = open_device(2);
    int failed = cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
    sdd_device_close(device);
    sdd_device_close(other_device);
    return failed;
}
