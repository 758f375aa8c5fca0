/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan.c: a plan is made once and serves any mesh of its topology; what it does not fit is refused. Method `auto`
 * learns from the frames of a mesh that tables pay. The engine table is the test's own: copies of the real engines that
 * count what they are asked, of which the one with tables can be told to refuse. */
#include "gpu/device/device.h"
#include "gpu/refine/internal.h"
#include "gpu/sdd/sdd.h"
#include "tests/engines/fixture.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- engines that count -------------------------------------------------------------------------------------- */
extern const struct engine sdd_engine_mesh_matrix, sdd_engine_edge_friend, sdd_engine_mesh_matrix_spla,
    sdd_engine_tabulated, sdd_engine_subdivision_matrix;
static struct engine matrix, tables;
/* The library asks this table in place of its own, for the symbols of a program come before those of its libraries. */
const struct engine *const sdd_engines[] = {&matrix, &sdd_engine_edge_friend,        &sdd_engine_mesh_matrix_spla,
                                            &tables, &sdd_engine_subdivision_matrix, NULL};

/* AddressSanitizer takes the second table for a mistake. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_odr_violation=0";
}

static int n_checks, n_scratches, n_prepares, refusal; /* refusal is what preparing tables ends with. */

static int check_matrix(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err)
{
    n_checks++;
    (void)t, (void)r, (void)err;
    return SDD_OK; /* as mesh-matrix, which takes all */
}

static int64_t scratch_matrix(const sdd_topology *t, const struct sdd_refine_request *r)
{
    n_scratches++;
    return sdd_engine_mesh_matrix.of[SCHEME_QUADS].scratch(t, r);
}

static int prepare_tables(const sdd_topology *t, const struct sdd_refine_request *r, const atomic_int *cancel,
                          struct sdd_error *err)
{
    n_prepares++;
    if (refusal)
        return sdd_fail(err, refusal, "method", "tables cannot be had");
    return sdd_engine_tabulated.prepare(t, r, cancel, err);
}

static int set_up(void **state)
{
    (void)state;
    matrix = sdd_engine_mesh_matrix;
    matrix.of[SCHEME_QUADS].check = check_matrix;
    matrix.of[SCHEME_QUADS].scratch = scratch_matrix;
    tables = sdd_engine_tabulated;
    tables.prepare = prepare_tables;
    n_checks = n_scratches = n_prepares = refusal = 0;
    return 0;
}

/* ---- one plan, many refines ------------------------------------------------------------------------------------ */
static void pose(const struct fixture *f, sdd_mesh *m, int k)
{
    struct sdd_error err = {0};
    const int64_t n = f->shape.desc.n_vertices;
    float *points = xalloc(3 * n, sizeof *points);
    for (int64_t i = 0; i < 3 * n; i++)
        points[i] = f->shape.points[i] * (1 + 0.01f * (float)k);
    if (sdd_mesh_set_points(m, 0, n, points, &err))
        fail_msg("%s", err.text);
    free(points);
}

static sdd_plan *plan_of(sdd_mesh *m, const struct sdd_refine_request *r)
{
    struct sdd_error err = {0};
    sdd_plan *plan;
    if (sdd_plan_create(m, r, &plan, &err))
        fail_msg("%s", err.text);
    return plan;
}

static uint64_t digest_by(sdd_mesh *m, const sdd_plan *plan)
{
    struct sdd_error err = {0};
    sdd_result *result;
    if (sdd_refine(m, plan, NULL, &result, &err))
        fail_msg("%s", err.text);
    const uint64_t digest = sdd_result_info(result)->plan.blocks->digest;
    sdd_result_free(result);
    return digest;
}

static void test_once(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_mesh *other;
    sdd_result *results[2];
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    assert_int_equal(sdd_mesh_create(f.topology, f.shape.points, f.shape.uvs, &other, &err), SDD_OK);
    char method[] = "mesh-matrix";
    struct sdd_refine_request r = {.level = 3, .include = EVERYTHING, .method = method};
    sdd_plan *plan = plan_of(f.mesh, &r);
    memset(method, 'x', sizeof method - 1); /* The plan has its own copy of the request. */
    r.level = 1;
    assert_string_equal(sdd_plan_info(plan)->method, "mesh-matrix");
    assert_int_equal(n_checks, 1);
    assert_int_equal(n_scratches, 1);
    const uint64_t digest = digest_by(f.mesh, plan);
    assert_true(digest_by(other, plan) == digest);
    for (int k = 1; k < 5; k++) {
        pose(&f, other, k);
        assert_true(digest_by(other, plan) != digest);
    }
    assert_int_equal(sdd_refine_batch((sdd_mesh *[]){f.mesh, other}, 2, plan, NULL, results, &err), SDD_OK);
    assert_true(sdd_result_info(results[0])->plan.blocks->digest == digest);
    sdd_result_free(results[0]);
    sdd_result_free(results[1]);
    assert_int_equal(sdd_refine_begin(f.mesh, plan, NULL, results, &err), SDD_OK);
    sdd_result_free(results[0]);
    assert_int_equal(sdd_prepare(f.mesh, plan, NULL, &err), SDD_OK);
    assert_int_equal(n_checks, 1); /* None of these planned again. */
    assert_int_equal(n_scratches, 1);
    sdd_mesh_free(other);
    fixture_close(&f);
    assert_int_equal(sdd_plan_info(plan)->n_blocks, 3); /* It outlives its device. */
    sdd_plan_free(plan);
}

static void test_rows(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_plan *rows;
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    const struct sdd_refine_request r = {.level = 3, .include = SDD_POSITIONS};
    sdd_plan *whole = plan_of(f.mesh, &r);
    const int checks = n_checks;
    for (int k = 0; k < 4; k++) {
        assert_int_equal(sdd_plan_create_for_rows(whole, 5 * k, 5, &rows, &err), SDD_OK);
        assert_int_equal(sdd_plan_info(rows)->host_bytes, 5 * 12);
        assert_int_equal(sdd_plan_info(rows)->n_vertices, sdd_plan_info(whole)->n_vertices);
        (void)digest_by(f.mesh, rows);
        sdd_plan_free(rows);
    }
    assert_int_equal(n_checks, checks);
    sdd_plan_free(whole);
    fixture_close(&f);
}

/* ---- what a plan does not fit ---------------------------------------------------------------------------------- */
static void refuse(sdd_mesh *m, const sdd_plan *plan, const char *field)
{
    struct sdd_error err = {0};
    sdd_result *result;
    assert_int_equal(sdd_refine(m, plan, NULL, &result, &err), SDD_EINVALID);
    assert_null(result);
    assert_string_equal(err.field, field);
    assert_true(*err.text);
    assert_int_equal(sdd_prepare(m, plan, NULL, &err), SDD_EINVALID);
}

static void test_other_topology(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_topology *twin;
    sdd_mesh *mesh;
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    sdd_plan *plan = plan_of(f.mesh, &(struct sdd_refine_request){.level = 2, .include = SDD_POSITIONS});
    assert_int_equal(sdd_topology_create(f.device, &f.shape.desc, &twin, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(twin, f.shape.points, f.shape.uvs, &mesh, &err), SDD_OK);
    refuse(mesh, plan, "meshes");
    assert_true(sdd_plan_is_of(plan, f.topology) && !sdd_plan_is_of(plan, twin));
    sdd_mesh_free(mesh);
    sdd_topology_unref(twin);
    for (int k = 0; k < 8;
         k++) { /* A topology may get the memory of one that is gone; the plan is still not its own. */
        sdd_mesh_free(f.mesh);
        sdd_topology_unref(f.topology);
        assert_int_equal(sdd_topology_create(f.device, &f.shape.desc, &f.topology, &err), SDD_OK);
        assert_int_equal(sdd_mesh_create(f.topology, f.shape.points, f.shape.uvs, &f.mesh, &err), SDD_OK);
        refuse(f.mesh, plan, "meshes");
    }
    sdd_plan_free(plan);
    fixture_close(&f);
}

static void test_other_primvars(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    float *values = xalloc(4 * f.shape.desc.n_vertices, sizeof *values);
    const struct sdd_primvar two[] = {{SDD_VERTEX, 3, 0, values}, {SDD_VARYING, 2, 0, values}};
    const struct sdd_primvar others[] = {{SDD_VERTEX, 4, 0, values}, {SDD_VERTEX, 2, 0, values}};
    struct sdd_refine_request r = {.level = 2, .include = SDD_POSITIONS | SDD_PRIMVARS, .primvars = 1};
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, 2, two, &err), SDD_OK);
    sdd_plan *first = plan_of(f.mesh, &r);
    r.primvars = 2;
    sdd_plan *second = plan_of(f.mesh, &r);
    r.include = SDD_POSITIONS;
    sdd_plan *none = plan_of(f.mesh, &r);
    (void)digest_by(f.mesh, first);
    (void)digest_by(f.mesh, second);
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, 1, two, &err), SDD_OK);
    (void)digest_by(f.mesh, first); /* What the plan does not ask for may change. */
    refuse(f.mesh, second, "primvars");
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, 2, others, &err), SDD_OK);
    refuse(f.mesh, first, "primvars");
    refuse(f.mesh, second, "primvars");
    (void)digest_by(f.mesh, none);
    sdd_plan_free(first);
    sdd_plan_free(second);
    sdd_plan_free(none);
    free(values);
    fixture_close(&f);
}

/* ---- what `auto` learns ---------------------------------------------------------------------------------------- */
/* Refines frame k by auto, as a caller does who plans each frame; positions are new unless k is that of before. */
static void frame(const struct fixture *f, const struct sdd_refine_request *r, const char *engine)
{
    struct sdd_error err = {0};
    sdd_result *got, *want;
    struct sdd_refine_request named = *r;
    if (refine_once(f->mesh, r, &got, &err))
        fail_msg("%s", err.text);
    const struct sdd_plan_info *p = &sdd_result_info(got)->plan;
    assert_string_equal(p->method, engine);
    named.method = engine;
    const int before = refusal;
    refusal = 0; /* The frame to compare with must be made by the engine that is named. */
    if (refine_once(f->mesh, &named, &want, &err))
        fail_msg("%s", err.text);
    refusal = before;
    assert_true(p->blocks->digest == sdd_result_info(want)->plan.blocks->digest);
    sdd_result_free(got);
    sdd_result_free(want);
}

static void test_auto(void **state)
{
    struct fixture f;
    const struct sdd_refine_request r = {.level = 4, .include = SDD_POSITIONS},
                                    around = {.level = 4, .include = SDD_POSITIONS | SDD_NORMALS},
                                    low = {.level = 2, .include = SDD_POSITIONS};
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    frame(&f, &r, "mesh-matrix");
    frame(&f, &r, "mesh-matrix"); /* The same positions. */
    pose(&f, f.mesh, 1);
    frame(&f, &r, "mesh-matrix");
    assert_int_equal(n_prepares, 0);
    pose(&f, f.mesh, 2);
    frame(&f, &r, "tabulated"); /* The third moving frame; its own refine has built the tables. */
    assert_true(n_prepares > 0);
    frame(&f, &r, "tabulated");
    frame(&f, &around, "mesh-matrix"); /* This is another kind of frame. */
    pose(&f, f.mesh, 3);
    frame(&f, &around, "mesh-matrix");
    frame(&f, &around, "tabulated");
    for (int k = 0; k < 4; k++) { /* For these the steps are faster than tables. */
        pose(&f, f.mesh, k);
        frame(&f, &low, "mesh-matrix");
    }
    fixture_close(&f);
}

/* Frames of other meshes by a plan are frames with other positions; a plan stays what it is. */
static void test_auto_poses(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_mesh *posed;
    const struct sdd_refine_request r = {.level = 4, .include = SDD_POSITIONS};
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    assert_int_equal(sdd_mesh_create(f.topology, f.shape.points, f.shape.uvs, &posed, &err), SDD_OK);
    sdd_plan *plan = plan_of(f.mesh, &r);
    (void)digest_by(f.mesh, plan);
    (void)digest_by(posed, plan);
    sdd_plan *next = plan_of(f.mesh, &r), *of_posed = plan_of(posed, &r);
    assert_string_equal(sdd_plan_info(plan)->method, "mesh-matrix");
    assert_string_equal(sdd_plan_info(next)->method, "tabulated");
    assert_string_equal(sdd_plan_info(of_posed)->method, "mesh-matrix"); /* It has a history of its own. */
    sdd_mesh_free(posed);
    sdd_plan_free(of_posed); /* The plan may outlive its mesh. */
    sdd_plan_free(next);
    sdd_plan_free(plan);
    fixture_close(&f);
}

/* Tables that cannot be had leave the frame as it was. Only lack of memory is tried again. */
static void test_auto_refused(void **state)
{
    static const int codes[] = {SDD_EUNSUPPORTED, SDD_ETOO_LARGE, SDD_ENO_MEMORY};
    const struct sdd_refine_request r = {.level = 4, .include = SDD_POSITIONS};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        fixture_open(&f, "cube54", 1, 0);
        n_prepares = 0;
        refusal = codes[i];
        for (int k = 0; k < 6; k++) {
            pose(&f, f.mesh, k);
            frame(&f, &r, "mesh-matrix");
        }
        assert_int_equal(n_prepares, codes[i] == SDD_ENO_MEMORY ? 4 : 1);
        refusal = 0;
        frame(&f, &r, codes[i] == SDD_ENO_MEMORY ? "tabulated" : "mesh-matrix");
        fixture_close(&f);
    }
}

/* ---- a history of the caller's own ----------------------------------------------------------------------------- */
static void expect_method(sdd_history *h, const struct sdd_refine_request *r, const char *method)
{
    assert_string_equal(sdd_history_method(h, r), method);
}

/* Tables are built when the caller says so; until then no plan has them. */
static void test_history(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_plan *plan;
    sdd_history *h = sdd_history_create();
    const struct sdd_refine_request r = {.level = 4, .include = SDD_POSITIONS, .method = "auto"},
                                    indices = {.level = 4, .include = SDD_INDICES, .method = "auto"},
                                    named = {.level = 4, .include = SDD_POSITIONS, .method = "edge-friend"};
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    assert_int_equal(sdd_plan_create_for_topology(f.topology, &r, &plan, &err), SDD_OK);
    assert_int_equal(sdd_history_note(h, plan, 1, 0), 0);
    assert_int_equal(sdd_history_note(h, plan, 1, 0), 0);
    assert_int_equal(sdd_history_note(h, plan, 1, 1), 1); /* A pose has other positions. */
    assert_int_equal(sdd_history_note(h, plan, 1, 0), 0); /* Those of the mesh are still the same. */
    assert_int_equal(sdd_history_note(h, plan, 2, 0), 1);
    expect_method(h, &r, "auto");
    (void)digest_by(f.mesh, plan);
    assert_int_equal(n_prepares, 0);
    assert_int_equal(sdd_history_build(h, f.mesh, plan, NULL, &err), SDD_OK);
    assert_int_equal(n_prepares, 1);
    expect_method(h, &r, "tabulated");
    expect_method(h, &indices, "auto");
    expect_method(h, &named, "edge-friend");
    assert_int_equal(sdd_history_note(h, plan, 3, 0), 0); /* They are there. */
    sdd_history_forget(h);
    expect_method(h, &r, "auto");
    assert_int_equal(sdd_history_note(h, plan, 3, 0), 0);
    assert_int_equal(sdd_history_note(h, plan, 4, 0), 1);
    refusal = SDD_EUNSUPPORTED;
    assert_int_equal(sdd_history_build(h, f.mesh, plan, NULL, &err), SDD_EUNSUPPORTED);
    assert_int_equal(sdd_history_note(h, plan, 5, 0), 0); /* They cannot be had. */
    expect_method(h, &r, "auto");
    sdd_plan_free(plan);
    sdd_history_free(h);
    fixture_close(&f);
}

/* The fifth kind takes the place of the one that was not asked for longest. */
static void test_kinds(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_plan *plans[5];
    sdd_history *h = sdd_history_create();
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    for (int k = 0; k < 5; k++) {
        const struct sdd_refine_request r = {
            .level = 3 + k / 2, .surface = k % 2, .include = SDD_POSITIONS, .method = "auto"};
        assert_int_equal(sdd_plan_create_for_topology(f.topology, &r, plans + k, &err), SDD_OK);
    }
    for (int k = 0; k < 4; k++)
        assert_int_equal(sdd_history_note(h, plans[k], 1, 0), 0);
    assert_int_equal(sdd_history_note(h, plans[0], 1, 0), 0); /* The second is now the oldest. */
    assert_int_equal(sdd_history_note(h, plans[4], 1, 0), 0);
    assert_int_equal(sdd_history_note(h, plans[0], 2, 0), 1);
    assert_int_equal(sdd_history_note(h, plans[1], 2, 0), 0); /* It is begun anew, in the place of the third. */
    assert_int_equal(sdd_history_note(h, plans[3], 2, 0), 1);
    for (int k = 0; k < 5; k++)
        sdd_plan_free(plans[k]);
    sdd_history_free(h);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_once, set_up),           cmocka_unit_test_setup(test_rows, set_up),
        cmocka_unit_test_setup(test_other_topology, set_up), cmocka_unit_test_setup(test_other_primvars, set_up),
        cmocka_unit_test_setup(test_auto, set_up),           cmocka_unit_test_setup(test_auto_poses, set_up),
        cmocka_unit_test_setup(test_auto_refused, set_up),   cmocka_unit_test_setup(test_history, set_up),
        cmocka_unit_test_setup(test_kinds, set_up),
    };
    return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
