/* SPDX-License-Identifier: Apache-2.0 */
/* test_contract.c: what gpu/sdd.h promises beside geometry: plans, digests, cancelling, limits, memory, positions. */
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

enum { EVERYTHING = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES };

struct fixture {
    sdd_device *device;
    sdd_topology *topology;
    sdd_mesh *mesh;
    struct shape shape;
};

static void setup(struct fixture *f, const char *name, int threads, int64_t memory_limit)
{
    struct sdd_error err = {0};
    struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .threads = threads, .memory_limit = memory_limit};
    memset(f, 0, sizeof *f);
    assert_int_equal(shape_load(test_shapes_dir(), name, &f->shape, &err), SDD_OK);
    if (sdd_device_open(&config, &f->device, &err) != SDD_OK ||
        sdd_topology_create(f->device, &f->shape.desc, &f->topology, &err) != SDD_OK ||
        sdd_mesh_create(f->topology, f->shape.points, f->shape.uvs, &f->mesh, &err) != SDD_OK)
        fail_msg("%s: %s", name, err.text);
}

static int64_t used(const struct fixture *f)
{
    struct sdd_device_info info;
    sdd_device_info(f->device, &info);
    return info.memory_used;
}

static void teardown(struct fixture *f)
{
    sdd_mesh_free(f->mesh);
    sdd_topology_unref(f->topology);
    assert_int_equal(used(f), 0);
    sdd_device_close(f->device);
    shape_free(&f->shape);
}

static const char *method = "auto"; /* the engine that is asked for */

static struct sdd_refine_request ask(int level, int surface, int include)
{
    return (struct sdd_refine_request){.level = level, .surface = surface, .include = include, .method = method};
}

static void test_plan_is_result(void **state)
{
    (void)state;
    const char *names[] = {"box",      "genus2_mixed",    "uv_islands_mixed", "hole_last",
                           "isolated", "single_triangle", "odd/soup_uv",      "odd/moebius"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fixture f;
        setup(&f, names[i], 0, 0);
        for (int level = 1; level <= 4; level++) {
            int uvs = f.shape.uvs ? SDD_UVS | SDD_UV_INDICES : 0;
            struct sdd_refine_request r = ask(level, SDD_SURFACE_REFINED, EVERYTHING | uvs);
            struct sdd_error err = {0};
            struct sdd_plan plan;
            sdd_result *result = NULL;
            int64_t bytes = 0;
            assert_int_equal(sdd_plan(f.topology, &r, &plan, &err), SDD_OK);
            assert_int_equal(sdd_refine(f.mesh, &r, &result, &err), SDD_OK);
            const struct sdd_result_info *info = sdd_result_info(result);
            assert_int_equal(plan.n_blocks, uvs ? 5 : 3);
            assert_int_equal(plan.n_vertices, info->plan.n_vertices);
            assert_int_equal(plan.n_faces, info->plan.n_faces);
            assert_int_equal(plan.device_bytes, info->plan.device_bytes);
            assert_string_equal(plan.method, info->plan.method);
            for (int k = 0; k < plan.n_blocks; k++) {
                const struct sdd_block *a = &plan.blocks[k], *b = &info->plan.blocks[k];
                assert_null(a->data);
                assert_true(a->semantic == b->semantic && a->components == b->components && a->count == b->count &&
                            a->bytes == b->bytes);
                assert_int_equal((uintptr_t)b->data % 64, 0);
                assert_true(b->digest == sdd_digest(b->data, b->bytes));
                bytes += b->bytes;
            }
            assert_int_equal(plan.host_bytes, bytes);
            sdd_result_free(result);
        }
        teardown(&f);
    }
}

/* The same bits from run to run, for one thread and two, for one block asked or all. */
static void test_digests_stable(void **state)
{
    (void)state;
    const char *names[] = {"random_mixed0", "random_open1", "valence60", "components",
                           "prism40",       "odd/soup3",    "odd/wall"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int surface = SDD_SURFACE_REFINED; surface <= SDD_SURFACE_LIMIT; surface++) {
            uint64_t want[3] = {0};
            for (int run = 0; run < 6; run++) {
                struct fixture f;
                struct sdd_error err = {0};
                sdd_result *result = NULL;
                setup(&f, names[i], 1 + run % 2, 0);
                struct sdd_refine_request r = ask(4, surface, run < 4 ? EVERYTHING : SDD_POSITIONS);
                assert_int_equal(sdd_refine(f.mesh, &r, &result, &err), SDD_OK);
                const struct sdd_plan *p = &sdd_result_info(result)->plan;
                for (int k = 0; k < p->n_blocks; k++) {
                    if (run == 0)
                        want[k] = p->blocks[k].digest;
                    if (p->blocks[k].digest != want[k])
                        fail_msg("%s: block %d differs in run %d with %d threads", names[i], p->blocks[k].semantic, run,
                                 1 + run % 2);
                }
                sdd_result_free(result);
                teardown(&f);
            }
        }
}

static void test_cancel(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    atomic_int cancel = 1;
    setup(&f, "cube54", 0, 0);
    int64_t before = used(&f);
    struct sdd_refine_request r = ask(5, SDD_SURFACE_REFINED, EVERYTHING);
    r.cancel = &cancel;
    assert_int_equal(sdd_refine(f.mesh, &r, &result, &err), SDD_ECANCELLED);
    assert_int_equal(err.code, SDD_ECANCELLED);
    assert_null(result);
    assert_int_equal(used(&f), before);
    atomic_store(&cancel, 0);
    assert_int_equal(sdd_refine(f.mesh, &r, &result, &err), SDD_OK);
    sdd_result_free(result);
    teardown(&f);
}

static int refuse(struct fixture *f, struct sdd_refine_request r, struct sdd_error *err)
{
    struct sdd_plan plan;
    struct sdd_error twice = {0};
    sdd_result *result = NULL;
    memset(err, 0, sizeof *err);
    int rc = sdd_plan(f->topology, &r, &plan, err);
    assert_int_equal(rc, err->code);
    assert_int_equal(sdd_refine(f->mesh, &r, &result, &twice), rc);
    assert_null(result);
    assert_string_equal(err->text, twice.text);
    return rc;
}

static void test_bad_requests(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err;
    setup(&f, "cube54", 0, 0);
    const int bad_levels[] = {0, -1, SDD_MAX_LEVEL + 1, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(refuse(&f, ask(bad_levels[i], SDD_SURFACE_REFINED, EVERYTHING), &err), SDD_EINVALID);
        assert_string_equal(err.field, "level");
    }
    assert_int_equal(refuse(&f, ask(1, 7, EVERYTHING), &err), SDD_EINVALID);
    assert_int_equal(refuse(&f, ask(1, 0, 0), &err), SDD_EINVALID);
    assert_int_equal(refuse(&f, ask(1, 0, 1 << 12), &err), SDD_EINVALID);
    assert_int_equal(refuse(&f, ask(1, 0, SDD_UVS), &err), SDD_EINVALID);
    struct sdd_refine_request r = ask(1, 0, EVERYTHING);
    r.method = "no-such-engine";
    assert_int_equal(refuse(&f, r, &err), SDD_EINVALID);
    assert_string_equal(err.field, "method");
    assert_non_null(strstr(err.text, "edge-friend, mesh-matrix"));
    /* 216 corners at level 13 are 3.6 G vertices and fit 32 bits; at level 15 they do not. */
    assert_int_equal(refuse(&f, ask(15, 0, SDD_POSITIONS), &err), SDD_ETOO_LARGE);
    assert_true(err.needed > err.available && err.available > 0);
    struct sdd_plan plan;
    r = ask(13, 0, SDD_POSITIONS);
    assert_int_equal(sdd_plan(f.topology, &r, &plan, &err), SDD_OK);
    assert_int_equal(plan.n_vertices, 54LL * 4096 * 4 * 4096 + 2); /* V = F + 2 on a sphere of quads */
    assert_int_equal(plan.host_bytes, 12 * plan.n_vertices);
    teardown(&f);
}

/* Too little memory is said before any work, with what is needed and what there is; smaller work goes on. */
static void test_no_memory(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    const int64_t limit = 1 << 20;
    setup(&f, "cube54", 0, limit);
    int64_t before = used(&f);
    struct sdd_refine_request r = ask(8, SDD_SURFACE_REFINED, EVERYTHING);
    assert_int_equal(sdd_refine(f.mesh, &r, &result, &err), SDD_ENO_MEMORY);
    assert_null(result);
    assert_true(err.needed > err.available);
    assert_true(err.available <= limit - before);
    assert_int_equal(used(&f), before);
    r.level = 2;
    assert_int_equal(sdd_refine(f.mesh, &r, &result, &err), SDD_OK);
    sdd_result_free(result);
    assert_int_equal(used(&f), before);
    sdd_mesh_free(f.mesh);
    sdd_topology_unref(f.topology);
    sdd_device_close(f.device);

    struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .memory_limit = 4096};
    assert_int_equal(sdd_device_open(&config, &f.device, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(f.device, &f.shape.desc, &f.topology, &err), SDD_ENO_MEMORY);
    assert_null(f.topology);
    assert_true(err.needed > err.available);
    f.mesh = NULL;
    teardown(&f);
}

static void digest_of(struct fixture *f, uint64_t *out)
{
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    struct sdd_refine_request r = ask(3, SDD_SURFACE_REFINED, SDD_POSITIONS);
    assert_int_equal(sdd_refine(f->mesh, &r, &result, &err), SDD_OK);
    *out = sdd_result_info(result)->plan.blocks[0].digest;
    sdd_result_free(result);
}

static void test_set_points(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err = {0};
    uint64_t first, moved, back, kept;
    setup(&f, "genus1_mixed", 0, 0);
    int64_t n = f.shape.desc.n_vertices;
    digest_of(&f, &first);
    float some[6] = {9, 8, 7, 6, 5, 4};
    assert_int_equal(sdd_mesh_set_points(f.mesh, n - 2, 2, some, &err), SDD_OK);
    digest_of(&f, &moved);
    assert_true(moved != first);
    some[4] = NAN;
    assert_int_equal(sdd_mesh_set_points(f.mesh, 3, 2, some, &err), SDD_EMESH);
    assert_non_null(strstr(err.text, "vertex 4"));
    some[4] = 2e30f;
    assert_int_equal(sdd_mesh_set_points(f.mesh, 3, 2, some, &err), SDD_EMESH);
    some[4] = 1;
    assert_int_not_equal(sdd_mesh_set_points(f.mesh, n - 1, 2, some, &err), SDD_OK);
    assert_int_not_equal(sdd_mesh_set_points(f.mesh, -1, 2, some, &err), SDD_OK);
    assert_int_not_equal(sdd_mesh_set_points(f.mesh, INT64_MAX, 2, some, &err), SDD_OK);
    digest_of(&f, &kept);
    assert_true(kept == moved);
    assert_int_equal(sdd_mesh_set_points(f.mesh, 0, n, f.shape.points, &err), SDD_OK);
    digest_of(&f, &back);
    assert_true(back == first);
    teardown(&f);
}

/* A topology outlives the handle of its maker while a mesh uses it. */
static void test_topology_is_counted(void **state)
{
    (void)state;
    struct fixture f;
    uint64_t a, b;
    setup(&f, "box", 0, 0);
    sdd_topology *second = sdd_topology_ref(f.topology);
    digest_of(&f, &a);
    sdd_topology_unref(f.topology);
    sdd_topology_unref(second);
    digest_of(&f, &b);
    assert_true(a == b);
    f.topology = NULL;
    teardown(&f);
}

/* Of two rows for one edge the later one holds, whichever way round they are written. */
static void test_later_crease_wins(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err = {0};
    uint64_t want, got;
    const int32_t edges[4] = {0, 1, 1, 0};
    const float sharpness[2] = {10, 1.5f};
    setup(&f, "box", 0, 0);
    for (int twice = 0; twice < 2; twice++) {
        struct sdd_mesh_desc d = f.shape.desc;
        d.n_creases = 1 + twice;
        d.crease_edges = twice ? edges : edges + 2;
        d.crease_sharpness = twice ? sharpness : sharpness + 1;
        sdd_mesh_free(f.mesh);
        sdd_topology_unref(f.topology);
        assert_int_equal(sdd_topology_create(f.device, &d, &f.topology, &err), SDD_OK);
        assert_int_equal(sdd_mesh_create(f.topology, f.shape.points, NULL, &f.mesh, &err), SDD_OK);
        digest_of(&f, twice ? &got : &want);
    }
    assert_true(got == want);
    teardown(&f);
}

/* UVs by rules that no engine has are refused by the option's name; positions of the same mesh are not. */
static void test_uv_rules(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err = {0};
    setup(&f, "uv_islands", 0, 0);
    for (int rule = SDD_FVAR_CORNERS_PLUS1; rule <= SDD_FVAR_ALL; rule++) {
        struct sdd_mesh_desc d = f.shape.desc;
        sdd_topology *topology = NULL;
        struct sdd_plan plan;
        struct sdd_refine_request with = ask(2, 0, EVERYTHING | SDD_UVS), without = ask(2, 0, EVERYTHING);
        d.options.fvar = rule;
        assert_int_equal(sdd_topology_create(f.device, &d, &topology, &err), SDD_OK);
        assert_int_equal(sdd_plan(topology, &without, &plan, &err), SDD_OK);
        int rc = sdd_plan(topology, &with, &plan, &err);
        assert_int_equal(rc, rule == SDD_FVAR_ALL ? SDD_OK : SDD_EUNSUPPORTED);
        if (rc)
            assert_string_equal(err.field, "faceVaryingLinearInterpolation");
        sdd_topology_unref(topology);
    }
    teardown(&f);
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
SPOIL(chaikin, d->options.crease_method = SDD_CREASE_CHAIKIN; d->n_creases = 1; d->crease_edges = two_ids;
      d->crease_sharpness = plain_sharp)
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
    {"chaikin", "chaikin", SDD_EUNSUPPORTED, chaikin},
    {"loop", "scheme loop takes triangles alone", SDD_EMESH, loop},
    {"sqrt3", "scheme sqrt3 takes triangles alone", SDD_EMESH, sqrt3},
    {"no_such_scheme", "", SDD_EINVALID, no_such_scheme},
    {"no_such_boundary", "", SDD_EINVALID, no_such_boundary},
};

static void test_bad_meshes(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, "box", 0, 0);
    int64_t before = used(&f);
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
        assert_int_equal(used(&f), before);
    }
    assert_int_equal(failed, 0);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_is_result),
        cmocka_unit_test(test_digests_stable),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_set_points),
        cmocka_unit_test(test_topology_is_counted),
        cmocka_unit_test(test_later_crease_wins),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_uv_rules),
    };
    const struct CMUnitTest smooth[] = {cmocka_unit_test(test_cancel), cmocka_unit_test(test_no_memory),
                                        cmocka_unit_test(test_set_points)};
    const struct CMUnitTest again[] = {
        cmocka_unit_test(test_plan_is_result), cmocka_unit_test(test_digests_stable), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_set_points),
    };
    int failed = cmocka_run_group_tests_name("contract of sdd.h", tests, NULL, NULL);
    method = "mesh-matrix";
    failed += cmocka_run_group_tests_name("contract of sdd.h, mesh-matrix", again, NULL, NULL);
    method = "mesh-matrix-spla";
    return failed + cmocka_run_group_tests_name("contract of sdd.h, mesh-matrix-spla", smooth, NULL, NULL);
}
