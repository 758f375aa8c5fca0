/* SPDX-License-Identifier: Apache-2.0 */
/* test_ranges.c: a range of rows is the slice of the whole block, bit for bit, of every engine and scheme that takes a
 * shape, refined and limit; the plan says what it takes, and what is no range of the block is refused. */
#include "gpu/device/device.h"
#include "tests/engines/fixture.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 3000

static sdd_device *device;
static int64_t n_ranges;

/* NULL: the engine does not do this mesh. */
static sdd_result *ask(const char *label, sdd_mesh *m, const struct sdd_refine_request *r)
{
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(m, r, &result, &err) && err.code != SDD_EUNSUPPORTED)
        fail_msg("%s: %s", label, err.text);
    return result;
}

static void check_range(const char *label, sdd_mesh *m, const sdd_topology *t, const struct sdd_plan_info *whole,
                        const struct sdd_refine_request *r, int64_t first, int64_t n)
{
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_result *result;
    if (rows_once(m, r, first, n, &result, &err))
        fail_msg("%s: rows %lld + %lld: %s", label, (long long)first, (long long)n, err.text);
    assert_int_equal(plan_rows_once(t, r, first, n, &plan, NULL), SDD_OK);
    const struct sdd_plan_info *p = &sdd_result_info(result)->plan;
    const struct sdd_block *b = p->blocks, *w = whole->blocks;
    const char *slice = (const char *)w->data + 12 * first;
    assert_int_equal(plan.device_bytes, p->device_bytes);
    assert_int_equal(plan.blocks[0].bytes, b->bytes);
    assert_true(p->n_blocks == 1 && b->count == n && b->bytes == 12 * n && p->host_bytes == b->bytes);
    assert_true(p->n_vertices == whole->n_vertices && p->n_faces == whole->n_faces && p->n_edges == whole->n_edges);
    if (memcmp(b->data, slice, (size_t)b->bytes) != 0)
        fail_msg("%s: rows %lld + %lld of %lld differ", label, (long long)first, (long long)n, (long long)w->count);
    assert_true(b->digest == sdd_digest(slice, b->bytes));
    sdd_result_free(result);
    n_ranges++;
}

/* First row, last row, all, all but the ends, a few in the middle, and some that a generator picks. */
static void check_ranges(const char *label, sdd_mesh *m, const sdd_topology *t, const struct sdd_refine_request *r)
{
    sdd_result *result = ask(label, m, r);
    uint64_t seed = 0x9e3779b97f4a7c15u;
    if (!result)
        return;
    const struct sdd_plan_info *whole = &sdd_result_info(result)->plan;
    const int64_t n = whole->blocks[0].count;
    int64_t ranges[8][2] = {{0, 1}, {n - 1, 1}, {0, n}, {1, n > 2 ? n - 2 : 1}, {n / 2, n > 13 ? 7 : 1}};
    for (int i = 5; i < 8; i++) {
        seed = seed * 6364136223846793005u + (uint64_t)n;
        ranges[i][0] = (int64_t)(seed >> 33) % n;
        ranges[i][1] = 1 + (int64_t)(seed >> 40) % (n - ranges[i][0]);
    }
    for (int i = 0; i < 8; i++)
        check_range(label, m, t, whole, r, ranges[i][0], ranges[i][1]);
    sdd_result_free(result);
}

static void check_scheme(const struct shape *s, struct sdd_mesh_desc *d)
{
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    char label[160];
    if (sdd_topology_create(device, d, &t, &err) || sdd_mesh_create(t, s->points, s->uvs, &m, &err))
        fail_msg("%s: %s", s->name, err.text);
    int level = level_that_fits(d, 4, MOST_VERTICES);
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            struct sdd_refine_request r = {
                .level = level, .surface = surface, .include = SDD_POSITIONS, .method = e->name};
            struct sdd_plan_info plan;
            snprintf(label, sizeof label, "%s scheme %d level %d surface %d by %s", s->name, d->options.scheme, level,
                     surface, e->name);
            if (plan_once(t, &r, &plan, NULL) == SDD_OK)
                check_ranges(label, m, t, &r);
        }
    sdd_mesh_free(m);
    sdd_topology_unref(t);
}

static void check_shape(const struct shape *s)
{
    for_each_scheme(s, check_scheme);
}

static void test_shapes(void **state)
{
    (void)state;
    device = open_device(1);
    for_each_shape("", 100, check_shape);
    for_each_shape("nonmanifold", 20, check_shape);
    sdd_device_close(device);
    print_message("%lld ranges\n", (long long)n_ranges);
}

static void refused(const struct fixture *f, const struct sdd_refine_request *r, int64_t first, int64_t n,
                    const char *field)
{
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    assert_int_equal(plan_rows_once(f->topology, r, first, n, &plan, &err), SDD_EINVALID);
    assert_string_equal(err.field, field);
}

static void test_refused(void **state)
{
    struct fixture f;
    struct sdd_plan_info plan;
    (void)state;
    fixture_open(&f, "uv_islands_mixed", 0, 0);
    const struct sdd_refine_request r = fixture_ask(3, SDD_SURFACE_REFINED, SDD_POSITIONS);
    struct sdd_refine_request other = r;
    assert_int_equal(plan_once(f.topology, &r, &plan, NULL), SDD_OK);
    const int64_t n = plan.n_vertices;
    const int64_t bad[][2] = {{-1, 1},        {0, n + 1},     {n, 1},         {1, n},
                              {1, 0},         {0, -1},        {INT64_MAX, 1}, {1, INT64_MAX},
                              {INT64_MIN, 1}, {INT64_MIN, 0}, {0, INT64_MIN}, {INT64_MAX, INT64_MAX},
                              {0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(&f, &r, bad[i][0], bad[i][1], "n_rows");
    for (int include = 1; include <= SDD_UV_INDICES; include <<= 1)
        if (include != SDD_POSITIONS) {
            other.include = include;
            refused(&f, &other, 0, 1, "include");
            other.include = SDD_POSITIONS | include;
            refused(&f, &other, 0, 1, "include");
        }
    other = r;
    other.compact = SDD_POSITIONS;
    refused(&f, &other, 0, 1, "include");
    fixture_close(&f);
}

/* The planned bytes are all that a range takes of the device, once there are tables. */
static void test_memory(void **state)
{
    (void)state;
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++) {
        struct fixture f;
        struct sdd_plan_info plan;
        struct sdd_error err = {0};
        sdd_result *result = NULL;
        struct sdd_refine_request r = fixture_ask(4, SDD_SURFACE_REFINED, SDD_POSITIONS);
        r.method = e->name;
        fixture_open(&f, "genus2", 0, 0);
        for (int run = 0; run < 3; run++) {
            if (run > 0)
                f.device->limit = fixture_used(&f) + plan.device_bytes - (run == 2);
            int rc = run > 0 ? rows_once(f.mesh, &r, 11, 100, &result, &err) : refine_once(f.mesh, &r, &result, &err);
            if (rc != (run == 2 ? SDD_ENO_MEMORY : SDD_OK))
                fail_msg("%s: run %d: %d %s", e->name, run, rc, err.text);
            sdd_result_free(result);
            assert_int_equal(plan_rows_once(f.topology, &r, 11, 100, &plan, &err), SDD_OK);
        }
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
