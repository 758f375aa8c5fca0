/* SPDX-License-Identifier: Apache-2.0 */
/* test_contract.c: what sdd.h promises beside geometry: plans, digests, cancelling, limits, memory, positions. What
 * it refuses is in test_contract_refused.c. */
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

static void test_plan_is_result(void **state)
{
    (void)state;
    const char *names[] = {"box",      "genus2_mixed",    "uv_islands_mixed",    "hole_last",
                           "isolated", "single_triangle", "nonmanifold/soup_uv", "nonmanifold/moebius"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fixture f;
        fixture_open(&f, names[i], 0, 0);
        for (int level = 1; level <= 4; level++) {
            int uvs = f.shape.uvs ? SDD_UVS | SDD_UV_INDICES : 0;
            struct sdd_refine_request r = fixture_ask(level, SDD_SURFACE_REFINED, EVERYTHING | uvs);
            struct sdd_error err = {0};
            struct sdd_plan_info plan;
            sdd_result *result = NULL;
            int64_t bytes = 0;
            assert_int_equal(plan_once(f.topology, &r, &plan, &err), SDD_OK);
            assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_OK);
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
        fixture_close(&f);
    }
}

/* The same bits from run to run, for one thread and two, for one block asked or all. */
static void test_digests_stable(void **state)
{
    (void)state;
    const char *names[] = {"random_mixed0", "random_open1",      "valence60",       "components",
                           "prism40",       "nonmanifold/soup3", "nonmanifold/wall"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            uint64_t want[3] = {0};
            for (int run = 0; run < 6; run++) {
                struct fixture f;
                struct sdd_error err = {0};
                sdd_result *result = NULL;
                fixture_open(&f, names[i], 1 + run % 2, 0);
                struct sdd_refine_request r = fixture_ask(4, surface, run < 4 ? EVERYTHING : SDD_POSITIONS);
                assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_OK);
                const struct sdd_plan_info *p = &sdd_result_info(result)->plan;
                for (int k = 0; k < p->n_blocks; k++) {
                    if (run == 0)
                        want[k] = p->blocks[k].digest;
                    if (p->blocks[k].digest != want[k])
                        fail_msg("%s: block %d differs in run %d with %d threads", names[i], p->blocks[k].semantic, run,
                                 1 + run % 2);
                }
                sdd_result_free(result);
                fixture_close(&f);
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
    const struct sdd_run run = {.cancel = &cancel};
    fixture_open(&f, "cube54", 0, 0);
    int64_t before = fixture_used(&f);
    const struct sdd_refine_request r = fixture_ask(5, SDD_SURFACE_REFINED, EVERYTHING);
    assert_int_equal(run_once(f.mesh, &r, &run, &result, &err), SDD_ECANCELLED);
    assert_int_equal(err.code, SDD_ECANCELLED);
    assert_null(result);
    assert_int_equal(fixture_used(&f), before);
    atomic_store(&cancel, 0);
    assert_int_equal(run_once(f.mesh, &r, &run, &result, &err), SDD_OK);
    sdd_result_free(result);
    fixture_close(&f);
}

/* Too little memory is said before any work, with what is needed and what there is; smaller work goes on. */
static void test_no_memory(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    const int64_t limit = 1 << 20;
    fixture_open(&f, "cube54", 0, limit);
    int64_t before = fixture_used(&f);
    struct sdd_refine_request r = fixture_ask(8, SDD_SURFACE_REFINED, EVERYTHING);
    assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_ENO_MEMORY);
    assert_null(result);
    assert_true(err.needed > err.available);
    assert_true(err.available <= limit - before);
    assert_int_equal(fixture_used(&f), before);
    r.level = 2;
    assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_OK);
    sdd_result_free(result);
    assert_int_equal(fixture_used(&f), before);
    sdd_mesh_free(f.mesh);
    sdd_topology_unref(f.topology);
    sdd_device_close(f.device);

    /* a build takes its memory in parts, and counts them all: with as much as it says it gets further, at last there */
    struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .memory_limit = 4096};
    struct sdd_topology_info info;
    for (;; config.memory_limit = err.needed) {
        assert_int_equal(sdd_device_open(&config, &f.device, &err), SDD_OK);
        int rc = sdd_topology_create(f.device, &f.shape.desc, &f.topology, &err);
        if (!rc)
            break;
        assert_int_equal(rc, SDD_ENO_MEMORY);
        assert_null(f.topology);
        assert_true(err.needed > config.memory_limit && err.available == config.memory_limit);
        assert_int_equal(fixture_used(&f), 0);
        sdd_device_close(f.device);
    }
    sdd_topology_info(f.topology, &info);
    assert_int_equal(config.memory_limit, info.build_bytes);
    f.mesh = NULL;
    fixture_close(&f);
}

static void digest_of(struct fixture *f, uint64_t *out)
{
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    /* Up to this level `auto` stays with one engine while positions change, so that bits can be compared. */
    struct sdd_refine_request r = fixture_ask(2, SDD_SURFACE_REFINED, SDD_POSITIONS);
    assert_int_equal(refine_once(f->mesh, &r, &result, &err), SDD_OK);
    *out = sdd_result_info(result)->plan.blocks[0].digest;
    sdd_result_free(result);
}

static void test_set_points(void **state)
{
    (void)state;
    struct fixture f;
    struct sdd_error err = {0};
    uint64_t first, moved, back, kept;
    fixture_open(&f, "genus1_mixed", 0, 0);
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
    fixture_close(&f);
}

/* A topology outlives the handle of its maker while a mesh uses it. */
static void test_topology_is_counted(void **state)
{
    (void)state;
    struct fixture f;
    uint64_t a, b;
    fixture_open(&f, "box", 0, 0);
    sdd_topology *second = sdd_topology_ref(f.topology);
    digest_of(&f, &a);
    sdd_topology_unref(f.topology);
    sdd_topology_unref(second);
    digest_of(&f, &b);
    assert_true(a == b);
    f.topology = NULL;
    fixture_close(&f);
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
    fixture_open(&f, "box", 0, 0);
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
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_is_result),
        cmocka_unit_test(test_digests_stable),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_set_points),
        cmocka_unit_test(test_topology_is_counted),
        cmocka_unit_test(test_later_crease_wins),
    };
    const struct CMUnitTest smooth[] = {cmocka_unit_test(test_cancel), cmocka_unit_test(test_no_memory),
                                        cmocka_unit_test(test_set_points)};
    const struct CMUnitTest again[] = {
        cmocka_unit_test(test_plan_is_result), cmocka_unit_test(test_digests_stable), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_set_points),
    };
    int failed = cmocka_run_group_tests_name("contract of sdd.h", tests, NULL, NULL);
    fixture_method = "mesh-matrix";
    failed += cmocka_run_group_tests_name("contract of sdd.h, mesh-matrix", again, NULL, NULL);
    fixture_method = "mesh-matrix-spla";
    return failed + cmocka_run_group_tests_name("contract of sdd.h, mesh-matrix-spla", smooth, NULL, NULL);
}
