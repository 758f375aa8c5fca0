/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes on a device, under its memory limit: what loads and shares, who goes when room is short, what is refused
 * without emptying the device, and faults at every call on it. */
#include "server/resident/residency.h"
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "tests/refine_once.h"
#include "tests/unit/sample.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define N_RESIDENTS 4

/* A device, and meshes that are alike but count as different ones: each is loaded under an id of its own. */
struct fixture {
    sdd_device *device;
    struct residency *residency;
    struct metrics metrics;
    struct mesh *mesh;
    struct resident *m[N_RESIDENTS];
    struct sdd_error err;
};

static struct fixture *open_device(const struct sdd_backend *backend, int64_t limit)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_int_equal(sdd_device_wrap(backend, 0, 1, limit, &f->device, &f->err), SDD_OK);
    f->residency = residency_create(f->device, &f->metrics);
    assert_non_null(f->residency);
    f->mesh = sample_grid(12, 12);
    for (int k = 0; k < N_RESIDENTS; k++)
        assert_non_null(f->m[k] = resident_create());
    return f;
}

static int64_t used(const struct fixture *f)
{
    struct sdd_device_info info;
    sdd_device_info(f->device, &info);
    return info.memory_used;
}

static void close_device(struct fixture *f)
{
    for (int k = 0; k < N_RESIDENTS; k++) {
        resident_drop(f->residency, f->m[k]);
        assert_int_equal(resident_bytes(f->m[k]), 0);
        sdd_history_free(f->m[k]->history);
        free(f->m[k]);
    }
    assert_int_equal(f->metrics.values[M_MESHES_DEVICE], 0);
    residency_publish(f->residency);
    assert_int_equal(f->metrics.values[M_DEVICE_TOPOLOGY], 0);
    assert_int_equal(f->metrics.values[M_DEVICE_POSITIONS], 0);
    residency_free(f->residency);
    residency_free(NULL);
    sdd_device_close(f->device);
    mesh_free(f->mesh);
    free(f);
}

static int load_as(struct fixture *f, int k, const char *topology_id)
{
    return resident_load(f->residency, f->m[k], f->mesh, topology_id, 1, NULL, &f->err);
}

static int load(struct fixture *f, int k)
{
    return load_as(f, k, (char[]){(char)('a' + k), 0});
}

/* Exactly these are on the device: "02" are the first and the third. */
static void check_there(const struct fixture *f, const char *which)
{
    for (int k = 0; k < N_RESIDENTS; k++) {
        const bool there = resident_bytes(f->m[k]) > 0;
        if (there != (strchr(which, '0' + k) != NULL))
            fail_msg("mesh %d is %s the device", k, there ? "on" : "off");
        assert_int_equal(f->m[k]->mesh != NULL, there);
    }
    assert_int_equal(f->metrics.values[M_MESHES_DEVICE], strlen(which));
}

/* What one mesh takes while it is there, and at the worst moment of its making. */
static int64_t size_of_one(int64_t *peak)
{
    struct fixture *f = open_device(sdd_backend_cpu(), 0);
    struct sdd_topology_info info;
    assert_int_equal(load(f, 0), SDD_OK);
    sdd_topology_info(resident_topology(f->m[0]), &info);
    const int64_t bytes = resident_bytes(f->m[0]);
    *peak = info.build_bytes > bytes ? info.build_bytes : bytes;
    close_device(f);
    return bytes;
}

/* A device with room for two, and not for three. */
static struct fixture *open_for_two(void)
{
    int64_t peak, bytes = size_of_one(&peak);
    assert_true(peak < 3 * bytes);
    struct fixture *f = open_device(sdd_backend_cpu(), bytes + peak + bytes / 8);
    assert_int_equal(load(f, 0), SDD_OK);
    assert_int_equal(load(f, 1), SDD_OK);
    check_there(f, "01");
    return f;
}

static void test_loaded(void **state)
{
    struct fixture *f = open_device(sdd_backend_cpu(), 0);
    double phases[N_PHASES] = {0};
    (void)state;
    check_there(f, "");
    const int64_t before = used(f);
    assert_int_equal(resident_load(f->residency, f->m[0], f->mesh, "a", 5, phases, &f->err), SDD_OK);
    check_there(f, "0");
    assert_int_equal(f->m[0]->version, 5);
    assert_int_equal(resident_bytes(f->m[0]), used(f) - before);
    assert_true(phases[PHASE_TOPOLOGY] > 0 && phases[PHASE_UPLOAD] > 0);
    assert_int_equal(resident_load(f->residency, f->m[0], f->mesh, "b", 6, NULL, &f->err), SDD_OK);
    check_there(f, "0");
    assert_int_equal(f->m[0]->version, 6);
    resident_drop(f->residency, f->m[0]);
    resident_drop(f->residency, f->m[0]); /* a second time is nothing */
    assert_int_equal(used(f), before);
    check_there(f, "");
    close_device(f);
}

/* Meshes of one topology share it: it is there once, until the last of them has gone. */
static void test_shared(void **state)
{
    struct fixture *f = open_device(sdd_backend_cpu(), 0);
    const int64_t before = used(f);
    (void)state;
    assert_int_equal(load_as(f, 0, "same"), SDD_OK);
    const int64_t one = used(f) - before, points = sdd_mesh_bytes(f->m[0]->mesh);
    assert_int_equal(load_as(f, 1, "same"), SDD_OK);
    assert_int_equal(load_as(f, 2, "other"), SDD_OK);
    assert_ptr_equal(resident_topology(f->m[0]), resident_topology(f->m[1]));
    assert_ptr_not_equal(resident_topology(f->m[0]), resident_topology(f->m[2]));
    assert_int_equal(used(f) - before, 2 * one + points);
    residency_publish(f->residency);
    assert_int_equal(f->metrics.values[M_DEVICE_TOPOLOGY], 2 * (one - points));
    assert_int_equal(f->metrics.values[M_DEVICE_POSITIONS], 3 * points);
    resident_drop(f->residency, f->m[0]);
    check_there(f, "12");
    assert_int_equal(used(f) - before, 2 * one);
    resident_drop(f->residency, f->m[1]);
    assert_int_equal(used(f) - before, one);
    close_device(f);
}

static void test_eviction(void **state)
{
    struct fixture *f = open_for_two();
    (void)state;
    assert_int_equal(load(f, 2), SDD_OK); /* the first goes: unused longest */
    check_there(f, "12");
    resident_touch(f->residency, f->m[1]);
    assert_int_equal(load(f, 0), SDD_OK);
    check_there(f, "01");
    assert_int_equal(f->metrics.values[M_EVICTIONS_DEVICE], 2);
    assert_int_equal(load(f, 1), SDD_OK); /* again: in its own place */
    check_there(f, "01");
    assert_int_equal(f->metrics.values[M_EVICTIONS_DEVICE], 2);
    close_device(f);
}

/* Who works with a mesh keeps it, though it may be the one unused longest. */
static void test_kept(void **state)
{
    struct fixture *f = open_for_two();
    (void)state;
    assert_true(residency_make_room(f->residency, f->m[0], 0));
    check_there(f, "0");
    assert_false(residency_make_room(f->residency, f->m[0], 0));
    check_there(f, "0");
    assert_true(residency_make_room(f->residency, NULL, 1));
    check_there(f, "");
    assert_false(residency_make_room(f->residency, NULL, 0));
    assert_int_equal(f->metrics.values[M_EVICTIONS_DEVICE], 2);
    close_device(f);
}

/* What would not fit an empty device is refused, and the device is not emptied for it. */
static void test_admission(void **state)
{
    struct fixture *f = open_for_two();
    struct sdd_device_info info;
    struct mesh *large = sample_grid(60, 60);
    (void)state;
    sdd_device_info(f->device, &info);
    assert_int_equal(residency_available(f->residency, NULL), info.memory_limit);
    const int64_t beside = info.memory_limit - resident_bytes(f->m[1]);
    assert_int_equal(residency_available(f->residency, f->m[1]), beside);
    assert_false(residency_make_room(f->residency, f->m[1], beside + 1));
    assert_false(residency_make_room(f->residency, NULL, info.memory_limit + 1));
    check_there(f, "01");
    assert_int_equal(resident_load(f->residency, f->m[2], large, "large", 1, NULL, &f->err), SDD_ENO_MEMORY);
    assert_true(f->err.needed > info.memory_limit);
    check_there(f, "01");
    assert_int_equal(f->metrics.values[M_EVICTIONS_DEVICE], 0);
    assert_true(residency_make_room(f->residency, f->m[1], beside));
    check_there(f, "1");
    residency_publish(f->residency);
    assert_int_equal(residency_published(f->residency, NULL), info.memory_limit);
    assert_int_equal(residency_published(f->residency, f->m[1]), beside);
    assert_int_equal(f->metrics.values[M_DEVICE_LIMIT], info.memory_limit);
    mesh_free(large);
    close_device(f);
}

/* A mesh that the device refuses is not there, and nobody goes for it. */
static void test_refused(void **state)
{
    struct fixture *f = open_for_two();
    const int64_t before = used(f);
    (void)state;
    f->mesh->points[7] = INFINITY;
    assert_int_equal(load(f, 0), SDD_EMESH); /* the version that was there has gone before */
    check_there(f, "1");
    f->mesh->points[7] = 0;
    f->mesh->face_vertices[5] = 100000;
    assert_int_equal(load(f, 2), SDD_EMESH);
    check_there(f, "1");
    assert_int_equal(used(f), before - resident_bytes(f->m[1]));
    assert_int_equal(f->metrics.values[M_EVICTIONS_DEVICE], 0);
    close_device(f);
}

static void test_plans(void **state)
{
    struct fixture *f = open_device(sdd_backend_cpu(), 0);
    struct sdd_refine_request request = {.level = 3, .include = SDD_POSITIONS, .method = "auto"};
    sdd_plan *plan = NULL, *none = NULL;
    int rc;
    (void)state;
    assert_false(resident_plan(f->residency, NULL, &request, &plan, &rc, &f->err));
    assert_false(resident_plan(f->residency, f->m[0], &request, &plan, &rc, &f->err));
    assert_int_equal(load(f, 0), SDD_OK);
    assert_true(resident_plan(f->residency, f->m[0], &request, &plan, &rc, &f->err));
    assert_int_equal(rc, SDD_OK);
    assert_int_equal(sdd_plan_info(plan)->n_vertices, (12 * 8 + 1) * (12 * 8 + 1));
    const sdd_plan *made = plan;
    assert_true(resident_plan(f->residency, f->m[0], &request, &plan, &rc, &f->err));
    assert_ptr_equal(plan, made); /* a request plans once */
    request.level = 99;
    assert_true(resident_plan(f->residency, f->m[0], &request, &none, &rc, &f->err));
    assert_int_equal(rc, SDD_EINVALID);
    resident_drop(f->residency, f->m[0]);
    assert_false(resident_plan(f->residency, f->m[0], &request, &plan, &rc, &f->err));
    sdd_plan_free(plan);
    close_device(f);
}

static void check_first_point(sdd_mesh *mesh, float want)
{
    const struct sdd_refine_request request = {.level = 1, .include = SDD_POSITIONS, .method = "auto"};
    struct sdd_error err = {0};
    sdd_result *result;
    assert_int_equal(refine_once(mesh, &request, &result, &err), SDD_OK);
    const float *points = sdd_result_info(result)->plan.blocks[0].data;
    assert_true(points[2] == want); /* z: the corner of the grid stays where it is */
    sdd_result_free(result);
}

/* A copy holds what it was made of, whatever comes of the mesh; others make room for it, the mesh does not. */
static void test_copies(void **state)
{
    struct fixture *f = open_for_two();
    sdd_mesh *copies[4000] = {0};
    int n = 0, rc;
    (void)state;
    const size_t bytes = (size_t)f->mesh->n_vertices * 12;
    float *points = malloc(bytes);
    memcpy(points, f->mesh->points, bytes);
    for (int64_t v = 0; v < f->mesh->n_vertices; v++)
        points[3 * v + 2] = 5;
    assert_int_equal(resident_copy(f->residency, f->m[0], f->mesh, NULL, &copies[n++], &f->err), SDD_OK);
    assert_int_equal(resident_copy(f->residency, f->m[0], f->mesh, points, &copies[n++], &f->err), SDD_OK);
    assert_int_equal(sdd_mesh_set_points(f->m[0]->mesh, 0, f->mesh->n_vertices, points, &f->err), SDD_OK);
    check_first_point(copies[0], 0);
    check_first_point(copies[1], 5);
    do
        rc = resident_copy(f->residency, f->m[0], f->mesh, NULL, &copies[n], &f->err);
    while (!rc && ++n < 4000);
    assert_int_equal(rc, SDD_ENO_MEMORY);
    check_there(f, "0");
    for (int k = 0; k < n; k++)
        sdd_mesh_free(copies[k]);
    free(points);
    close_device(f);
}

/* What engines leave with a topology is counted, and goes with it. */
static void test_measured(void **state)
{
    const struct sdd_refine_request request = {.level = 3, .include = SDD_POSITIONS, .method = "tabulated"};
    struct fixture *f = open_device(sdd_backend_cpu(), 0);
    (void)state;
    resident_measure(f->residency, f->m[0]); /* not there */
    assert_int_equal(load(f, 0), SDD_OK);
    const int64_t before = resident_bytes(f->m[0]);
    assert_int_equal(prepare_once(f->m[0]->mesh, &request, NULL, &f->err), SDD_OK);
    assert_int_equal(resident_bytes(f->m[0]), before);
    resident_measure(f->residency, f->m[0]);
    assert_true(resident_bytes(f->m[0]) > before);
    residency_publish(f->residency);
    assert_int_equal(f->metrics.values[M_DEVICE_TOPOLOGY] + f->metrics.values[M_DEVICE_POSITIONS],
                     resident_bytes(f->m[0]));
    assert_true(f->metrics.values[M_LAUNCHES] > 0);
    close_device(f);
}

static void test_primvars(void **state)
{
    struct fixture *f = open_device(sdd_backend_cpu(), 0);
    struct mesh *with = sample_json(sample_primvars_json);
    int n = 0;
    (void)state;
    assert_int_equal(resident_load(f->residency, f->m[0], with, "p", 1, NULL, &f->err), SDD_OK);
    const struct sdd_primvar *primvars = sdd_mesh_primvars(f->m[0]->mesh, &n);
    assert_int_equal(n, 5);
    for (int i = 0; i < n; i++)
        assert_int_equal(primvars[i].width, with->primvars[i].info.width);
    mesh_free(with);
    close_device(f);
}

/* A resident is freed behind all that was posted before, and leaves the device then. */
static void test_released(void **state)
{
    struct fixture *f = open_device(sdd_backend_cpu(), 0);
    struct executor *compute = executor_start("test", 1, NULL);
    (void)state;
    assert_non_null(compute);
    assert_int_equal(load(f, 0), SDD_OK);
    assert_int_equal(load(f, 1), SDD_OK);
    resident_release(compute, f->m[0]);
    resident_release(compute, f->m[2]); /* one that never was there */
    resident_release(compute, NULL);
    executor_stop(compute);
    f->m[0] = resident_create();
    f->m[2] = resident_create();
    check_there(f, "1");
    close_device(f);
}

/* The k-th call on the device fails, for every k: a load that says so has left nothing, one that found room by evicting
 * has done all, and what was there before is still there or has been evicted. */
static void torture(int forever)
{
    for (int64_t k = 1;; k++) {
        struct fixture *f = open_device(sdd_backend_fake(), 0);
        assert_int_equal(load(f, 0), SDD_OK);
        const int64_t before = used(f);
        sdd_fake_arm(k, forever, 0);
        const int rc = load(f, 1);
        const int64_t calls = sdd_fake_calls();
        sdd_fake_arm(0, 0, 0);
        const bool first = resident_bytes(f->m[0]) > 0;
        assert_int_equal(f->metrics.values[M_EVICTIONS_DEVICE], !first);
        check_there(f, rc ? (first ? "0" : "") : (first ? "01" : "1"));
        if (rc) {
            assert_true(rc == SDD_ENO_MEMORY || rc == SDD_EDEVICE);
            assert_string_not_equal(f->err.text, "");
            assert_int_equal(used(f), first ? before : 0);
        }
        const bool lost = f->device->status == SDD_EDEVICE; /* for good, and whoever comes next is told */
        assert_true(lost || rc != SDD_EDEVICE);
        assert_int_equal(load(f, 1), lost ? SDD_EDEVICE : SDD_OK);
        if (!lost)
            check_first_point(f->m[1]->mesh, 0);
        close_device(f);
        assert_int_equal(sdd_fake_live(), 0);
        if (calls < k)
            return;
    }
}

static void test_torture(void **state)
{
    (void)state;
    torture(0);
    torture(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loaded),   cmocka_unit_test(test_shared),    cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_kept),     cmocka_unit_test(test_admission), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_plans),    cmocka_unit_test(test_copies),    cmocka_unit_test(test_measured),
        cmocka_unit_test(test_primvars), cmocka_unit_test(test_released),  cmocka_unit_test(test_torture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
