/* SPDX-License-Identifier: Apache-2.0 */
/* test_begin.c: results whose blocks come piece by piece: the digests and, whatever the pieces, the bytes of
 * sdd_refine; what is not brought costs nothing but memory, which is given back. */
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "gpu/sdd/sdd.h"
#include "tests/engines/fixture.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = EVERYTHING | SDD_UVS | SDD_UV_INDICES | SDD_FACE_PARAMS };
static const char SHAPE[] = "uv_islands_mixed";

struct scene {
    sdd_device *device;
    sdd_topology *topology;
    sdd_mesh *mesh;
    struct shape shape;
};

static int64_t used(const struct scene *s)
{
    struct sdd_device_info info;
    sdd_device_info(s->device, &info);
    return info.memory_used;
}

static void scene_open(struct scene *s, sdd_device *d)
{
    struct sdd_error err = {0};
    s->device = d;
    if (shape_load(test_shapes_dir(), SHAPE, &s->shape, &err) ||
        sdd_topology_create(d, &s->shape.desc, &s->topology, &err) ||
        sdd_mesh_create(s->topology, s->shape.points, s->shape.uvs, &s->mesh, &err))
        fail_msg("%s: %s", SHAPE, err.text);
}

static void scene_close(struct scene *s)
{
    sdd_mesh_free(s->mesh);
    sdd_topology_unref(s->topology);
    assert_int_equal(used(s), 0);
    sdd_device_close(s->device);
    shape_free(&s->shape);
}

static sdd_result *begin(const struct scene *s, const struct sdd_refine_request *r)
{
    struct sdd_error err = {0};
    sdd_result *result;
    if (begin_once(s->mesh, r, &result, &err))
        fail_msg("%s: %s", r->method, err.text);
    return result;
}

static int64_t bring(sdd_result *result, int64_t bytes)
{
    struct sdd_error err = {0};
    int64_t left = -1;
    if (sdd_result_bring(result, bytes, &left, &err))
        fail_msg("%s", err.text);
    return left;
}

/* Are the first n bytes of its blocks what sdd_refine gives, and the digests of all? */
static void expect_same(const char *label, const sdd_result *got, const sdd_result *want, int64_t n)
{
    const struct sdd_plan_info *g = &sdd_result_info(got)->plan, *w = &sdd_result_info(want)->plan;
    assert_true(g->n_blocks == w->n_blocks && g->host_bytes == w->host_bytes && g->n_vertices == w->n_vertices);
    for (int k = 0; k < w->n_blocks; k++) {
        const struct sdd_block *a = g->blocks + k, *b = w->blocks + k;
        const int64_t here = n < b->bytes ? n : b->bytes;
        if (a->digest != b->digest || a->bytes != b->bytes || memcmp(a->low, b->low, sizeof a->low) != 0 ||
            memcmp(a->data, b->data, (size_t)here) != 0)
            fail_msg("%s: the first %lld bytes of block %d differ", label, (long long)here, b->semantic);
        n -= here;
    }
}

/* In pieces of these sizes, again and again until all is there. */
static void check_pieces(const struct scene *s, const struct sdd_refine_request *r, const int64_t *sizes, int n_sizes)
{
    struct sdd_error err = {0};
    sdd_result *want;
    if (refine_once(s->mesh, r, &want, &err))
        fail_msg("%s: %s", r->method, err.text);
    const int64_t all = sdd_result_info(want)->plan.host_bytes, before = used(s);
    sdd_result *got = begin(s, r);
    int64_t left = bring(got, 0), there = all - left;
    const int unified = s->device->b->unified;
    assert_int_equal(left, unified ? 0 : all);
    assert_int_equal(used(s) > before, !unified);
    for (int i = 0; left; i++) {
        left = bring(got, sizes[i % n_sizes]);
        there = there + sizes[i % n_sizes] < all ? there + sizes[i % n_sizes] : all;
        assert_int_equal(left, all - there);
        expect_same(r->method, got, want, there);
    }
    expect_same(r->method, got, want, all);
    assert_int_equal(bring(got, 1), 0);
    assert_int_equal(used(s), before);
    sdd_result_free(got);
    sdd_result_free(want);
}

static void check_device(sdd_device *d)
{
    static const int64_t one[] = {1 << 30}, odd[] = {1, 7, 4096, 65537, 12}, some[] = {100000};
    struct scene s;
    scene_open(&s, d);
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++) {
        struct sdd_refine_request r = {.level = 3, .include = ALL, .method = e->name};
        struct sdd_plan_info plan;
        if (plan_once(s.topology, &r, &plan, NULL))
            continue;
        check_pieces(&s, &r, one, 1);
        check_pieces(&s, &r, odd, 5);
        r.compact = SDD_POSITIONS | SDD_NORMALS;
        check_pieces(&s, &r, some, 1);
        /* none of it, or a part, is wanted after all */
        const int64_t before = used(&s);
        sdd_result_free(begin(&s, &r));
        sdd_result *part = begin(&s, &r), *other = begin(&s, &r);
        bring(part, 1000);
        bring(other, 1000);
        sdd_result_free(other);
        sdd_result_free(part);
        assert_int_equal(used(&s), before);
    }
    scene_close(&s);
}

static void test_pieces(void **state)
{
    (void)state;
    check_device(open_device(1));
}

static sdd_device *open_fake(void)
{
    sdd_device *d;
    struct sdd_error err = {0};
    sdd_fake_arm(0, 0, 0);
    if (sdd_device_wrap(sdd_backend_fake(), 0, 1, 0, &d, &err))
        fail_msg("%s", err.text);
    return d;
}

static void test_pieces_of_a_copy(void **state)
{
    (void)state;
    check_device(open_fake());
}

/* What work runs between the pieces of a result does it no harm. */
static void test_work_between(void **state)
{
    struct scene s;
    struct sdd_error err = {0};
    struct sdd_refine_request r = {.level = 3, .include = EVERYTHING, .method = "mesh-matrix"}, other = r;
    sdd_result *want, *got, *between;
    (void)state;
    scene_open(&s, open_fake());
    other.surface = SDD_SURFACE_LIMIT;
    assert_int_equal(refine_once(s.mesh, &r, &want, &err), SDD_OK);
    got = begin(&s, &r);
    do {
        assert_int_equal(refine_once(s.mesh, &other, &between, &err), SDD_OK);
        sdd_result_free(between);
    } while (bring(got, 50000));
    expect_same("work between", got, want, sdd_result_info(want)->plan.host_bytes);
    sdd_result_free(got);
    sdd_result_free(want);
    scene_close(&s);
}

/* A device that is lost on the way: said so, what had come is there, nothing stays. */
static void test_lost(void **state)
{
    struct scene s;
    struct sdd_error err = {0};
    struct sdd_refine_request r = {.level = 3, .include = EVERYTHING, .method = "mesh-matrix"};
    sdd_result *want, *got;
    int64_t left;
    (void)state;
    scene_open(&s, open_fake());
    assert_int_equal(refine_once(s.mesh, &r, &want, &err), SDD_OK);
    for (int k = 1; k <= 5; k++) { /* two marks, the download, the time, the wait */
        got = begin(&s, &r);
        (void)bring(got, 1000);
        sdd_fake_arm(k, 1, 0);
        assert_int_equal(sdd_result_bring(got, 1000, &left, &err), SDD_EDEVICE);
        sdd_fake_arm(0, 0, 0);
        s.device->status = SDD_OK;
        expect_same("lost", got, want, 1000);
        sdd_result_free(got);
    }
    sdd_result_free(want);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_pieces_of_a_copy),
                                       cmocka_unit_test(test_work_between), cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests_name("engines/begin", tests, NULL, NULL);
}
