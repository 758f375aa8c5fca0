/* SPDX-License-Identifier: Apache-2.0 */
/* test_contract_refused.c: what sdd.h refuses, by which code and by the name of what is wrong: requests, rules for
 * UVs, meshes. */
#include "tests/engines/fixture.h"
#include "tests/env.h"
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

static int refuse(struct fixture *f, struct sdd_refine_request r, struct sdd_error *err)
{
    struct sdd_plan_info plan;
    struct sdd_error twice = {0};
    sdd_result *result = NULL;
    memset(err, 0, sizeof *err);
    int rc = plan_once(f->topology, &r, &plan, err);
    assert_int_equal(rc, err->code);
    assert_int_equal(refine_once(f->mesh, &r, &result, &twice), rc);
    assert_null(result);
    assert_string_equal(err->text, twice.text);
    return rc;
}

static void test_bad_requests(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err;
    fixture_open(&f, "cube54", 0, 0);
    const int bad_levels[] = {0, -1, SDD_MAX_LEVEL + 1, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(refuse(&f, fixture_ask(bad_levels[i], SDD_SURFACE_REFINED, EVERYTHING), &err), SDD_EINVALID);
        assert_string_equal(err.field, "level");
    }
    assert_int_equal(refuse(&f, fixture_ask(1, 7, EVERYTHING), &err), SDD_EINVALID);
    assert_int_equal(refuse(&f, fixture_ask(1, 0, 0), &err), SDD_EINVALID);
    assert_int_equal(refuse(&f, fixture_ask(1, 0, 1 << 12), &err), SDD_EINVALID);
    assert_int_equal(refuse(&f, fixture_ask(1, 0, SDD_UVS), &err), SDD_EINVALID);
    struct sdd_refine_request r = fixture_ask(1, 0, EVERYTHING);
    r.method = "no-such-engine";
    assert_int_equal(refuse(&f, r, &err), SDD_EINVALID);
    assert_string_equal(err.field, "method");
    assert_non_null(strstr(err.text, "mesh-matrix, edge-friend"));
    /* 216 corners at level 13 are 3.6 G vertices and fit 32 bits; at level 15 they do not. */
    assert_int_equal(refuse(&f, fixture_ask(15, 0, SDD_POSITIONS), &err), SDD_ETOO_LARGE);
    assert_true(err.needed > err.available && err.available > 0);
    struct sdd_plan_info plan;
    r = fixture_ask(13, 0, SDD_POSITIONS);
    assert_int_equal(plan_once(f.topology, &r, &plan, &err), SDD_OK);
    assert_int_equal(plan.n_vertices, 54LL * 4096 * 4 * 4096 + 2); /* V = F + 2 on a sphere of quads */
    assert_int_equal(plan.host_bytes, 12 * plan.n_vertices);
    fixture_close(&f);
}

/* What no reader lets through must still stop at the library: it is the only guard of the device. */
struct bad {
    const char *what, *words;
    int code;
    void (*spoil)(struct sdd_mesh_desc *d, int32_t *counts, int32_t *vertices, float *points);
};
#define SPOIL(name, ...)                                                                                               \
    static void name(struct sdd_mesh_desc *d, int32_t *counts, int32_t *vertices, float *points)                       \
    {                                                                                                                  \
        (void)d, (void)counts, (void)vertices, (void)points;                                                           \
        __VA_ARGS__;                                                                                                   \
    }
static const int32_t two_ids[2] = {0, 1}, far_ids[2] = {0, 99}, negative_ids[2] = {-1, 0};
static const float nan_sharp[1] = {NAN}, negative_sharp[1] = {-1}, infinite_sharp[1] = {INFINITY}, plain_sharp[1] = {2};
SPOIL(index_high, vertices[5] = 8)
SPOIL(index_low, vertices[5] = -1)
SPOIL(index_huge, vertices[23] = INT32_MAX)
SPOIL(point_nan, points[3 * 6 + 1] = NAN)
SPOIL(point_infinite, points[3 * 6 + 2] = -INFINITY)
SPOIL(point_huge, points[3 * 6] = 1.1e30f)
SPOIL(count_two, counts[1] = 2; counts[2] = 6)
SPOIL(count_zero, counts[1] = 0; counts[2] = 8)
SPOIL(count_negative, counts[1] = -4; counts[2] = 12)
SPOIL(count_sum, counts[5] = 5)
SPOIL(crease_nan, d->n_creases = 1; d->crease_edges = two_ids; d->crease_sharpness = nan_sharp)
SPOIL(crease_negative, d->n_creases = 1; d->crease_edges = two_ids; d->crease_sharpness = negative_sharp)
SPOIL(crease_far, d->n_creases = 1; d->crease_edges = far_ids; d->crease_sharpness = plain_sharp)
SPOIL(crease_low, d->n_creases = 1; d->crease_edges = negative_ids; d->crease_sharpness = plain_sharp)
SPOIL(corner_far, d->n_corner_tags = 1; d->corner_vertices = far_ids + 1; d->corner_sharpness = plain_sharp)
SPOIL(corner_infinite, d->n_corner_tags = 1; d->corner_vertices = far_ids + 1; d->corner_sharpness = infinite_sharp)
SPOIL(hole_far, d->n_holes = 1; d->hole_faces = far_ids + 1)
SPOIL(hole_low, d->n_holes = 1; d->hole_faces = negative_ids)
SPOIL(sqrt3_chaikin, d->options.scheme = SDD_SCHEME_SQRT3; d->options.crease_method = SDD_CREASE_CHAIKIN)
SPOIL(loop, d->options.scheme = SDD_SCHEME_LOOP)
SPOIL(sqrt3, d->options.scheme = SDD_SCHEME_SQRT3)
SPOIL(no_such_scheme, d->options.scheme = 17)
SPOIL(no_such_boundary, d->options.boundary = -3)

static const struct bad bad_meshes[] = {
    {"index_high", "face 1", SDD_EMESH, index_high},
    {"index_low", "face 1", SDD_EMESH, index_low},
    {"index_huge", "face 5", SDD_EMESH, index_huge},
    {"point_nan", "vertex 6", SDD_EMESH, point_nan},
    {"point_infinite", "vertex 6", SDD_EMESH, point_infinite},
    {"point_huge", "vertex 6", SDD_EMESH, point_huge},
    {"count_two", "face 1", SDD_EMESH, count_two},
    {"count_zero", "face 1", SDD_EMESH, count_zero},
    {"count_negative", "face 1", SDD_EMESH, count_negative},
    {"count_sum", "", SDD_EMESH, count_sum},
    {"crease_nan", "sharpness 0 is nan", SDD_EMESH, crease_nan},
    {"crease_negative", "sharpness 0 is -1", SDD_EMESH, crease_negative},
    {"crease_far", "(0, 99)", SDD_EMESH, crease_far},
    {"crease_low", "(-1, 0)", SDD_EMESH, crease_low},
    {"corner_far", "99", SDD_EMESH, corner_far},
    {"corner_infinite", "sharpness 0 is inf", SDD_EMESH, corner_infinite},
    {"hole_far", "99", SDD_EMESH, hole_far},
    {"hole_low", "-1", SDD_EMESH, hole_low},
    {"sqrt3_chaikin", "scheme sqrt3 has no chaikin", SDD_EUNSUPPORTED, sqrt3_chaikin},
    {"loop", "scheme loop takes triangles alone", SDD_EMESH, loop},
    {"sqrt3", "scheme sqrt3 takes triangles alone", SDD_EMESH, sqrt3},
    {"no_such_scheme", "", SDD_EINVALID, no_such_scheme},
    {"no_such_boundary", "", SDD_EINVALID, no_such_boundary},
};

static void test_bad_meshes(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, "box", 0, 0);
    int64_t before = fixture_used(&f);
    int failed = 0;
    for (size_t i = 0; i < sizeof bad_meshes / sizeof *bad_meshes; i++) {
        const struct bad *b = &bad_meshes[i];
        struct sdd_mesh_desc d = f.shape.desc;
        struct sdd_error err = {0};
        sdd_topology *topology = NULL;
        sdd_mesh *mesh = NULL;
        int32_t counts[6], vertices[24];
        float points[24];
        memcpy(counts, d.face_counts, sizeof counts);
        memcpy(vertices, d.face_vertices, sizeof vertices);
        memcpy(points, f.shape.points, sizeof points);
        d.face_counts = counts;
        d.face_vertices = vertices;
        b->spoil(&d, counts, vertices, points);
        int rc = sdd_topology_create(f.device, &d, &topology, &err);
        if (rc == SDD_OK)
            rc = sdd_mesh_create(topology, points, NULL, &mesh, &err);
        if (rc != b->code || !strstr(err.text, b->words)) {
            printf("%s: got %d \"%s\", expected %d \"...%s...\"\n", b->what, rc, err.text, b->code, b->words);
            failed++;
        }
        sdd_mesh_free(mesh);
        sdd_topology_unref(topology);
        assert_int_equal(fixture_used(&f), before);
    }
    assert_int_equal(failed, 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_bad_meshes),
    };
    return cmocka_run_group_tests_name("what sdd.h refuses", tests, NULL, NULL);
}
