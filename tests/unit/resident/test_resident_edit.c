/* SPDX-License-Identifier: Apache-2.0 */
/* The way of an edit's delta to the device: resident_load_edited hands it to the library while the mesh before the edit
 * is there, and builds from the new mesh alone where it is not. */
#include "gpu/device/device.h"
#include "server/resident/residency.h"
#include "tests/env.h"
#include "tests/refine_once.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct edited {
    sdd_device *device;
    struct metrics *metrics;
    struct residency *residency;
    struct mesh *mesh;
    struct edit_result result;
    struct resident *before, *after;
    char before_id[MESH_TOPOLOGY_ID_SIZE], after_id[MESH_TOPOLOGY_ID_SIZE];
    struct sdd_topology_delta delta;
};

static void open_edited_by(struct edited *e, struct mesh *mesh, const char *edits)
{
    struct sdd_error err = {0};
    struct sdd_device_config config = {.backend = test_backend(), .module_path = test_module_path()};
    *e = (struct edited){.metrics = calloc(1, sizeof *e->metrics)};
    assert_int_equal(sdd_device_open(&config, &e->device, &err), SDD_OK);
    e->residency = residency_create(e->device, e->metrics);
    e->mesh = mesh;
    struct edit_batch *b = sample_edits(edits);
    assert_int_equal(edits_apply(e->mesh, b, &e->result, &err), SDD_OK);
    edit_batch_free(b);
    mesh_delta_desc(&e->result.delta, &e->delta);
    assert_int_equal(mesh_topology_id(e->mesh, e->before_id, &err), SDD_OK);
    assert_int_equal(mesh_topology_id(e->result.mesh, e->after_id, &err), SDD_OK);
    e->before = resident_create();
    e->after = resident_create();
    assert_int_equal(resident_load(e->residency, e->before, e->mesh, e->before_id, 1, NULL, &err), SDD_OK);
}

static void open_edited(struct edited *e)
{
    open_edited_by(e, sample_cube(), "{\"edits\":[{\"removeFaces\":{\"ids\":[1]}}]}");
}

static int load(struct edited *e, struct resident *from, const char *from_id, struct sdd_error *err)
{
    const struct resident_edit edit = {from, from_id, &e->delta};
    memset(err, 0, sizeof *err);
    return resident_load_edited(e->residency, e->after, &edit, e->result.mesh, e->after_id, 2, NULL, err);
}

static void close_edited(struct edited *e)
{
    resident_drop(e->residency, e->before);
    resident_drop(e->residency, e->after);
    struct sdd_device_info info;
    sdd_device_info(e->device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_history_free(e->before->history);
    sdd_history_free(e->after->history);
    free(e->before);
    free(e->after);
    residency_free(e->residency);
    edit_result_free(&e->result);
    mesh_free(e->mesh);
    sdd_device_close(e->device);
    free(e->metrics);
}

static void test_update(void **state)
{
    struct edited e;
    struct sdd_error err;
    struct sdd_topology_info info;
    (void)state;
    open_edited(&e);
    assert_int_equal(load(&e, e.before, e.before_id, &err), SDD_OK);
    sdd_topology_info(resident_topology(e.after), &info);
    assert_int_equal(info.n_faces, 5);
    assert_int_equal(e.after->version, 2);
    assert_true(resident_bytes(e.after) > 0 && resident_bytes(e.before) > 0);
    close_edited(&e);
}

/* A delta that does not fit is refused where it is looked at, and only there. */
static void test_delta_is_used(void **state)
{
    struct edited e;
    struct sdd_error err;
    (void)state;
    open_edited(&e);
    e.delta.faces.n_old++;
    assert_int_equal(load(&e, e.before, e.before_id, &err), SDD_EINVALID);
    assert_string_equal(err.field, "delta");
    assert_int_equal(resident_bytes(e.after), 0);
    assert_int_equal(load(&e, e.before, e.after_id, &err), SDD_OK); /* made for another topology */
    assert_int_equal(load(&e, NULL, e.before_id, &err), SDD_OK);
    resident_drop(e.residency, e.before);
    assert_int_equal(load(&e, e.before, e.before_id, &err), SDD_OK); /* no longer on the device */
    close_edited(&e);
}

/* An edit that leaves the topology as it is shares it: there is nothing to update. */
static void test_same_topology(void **state)
{
    struct edited e;
    struct sdd_error err = {0};
    (void)state;
    open_edited(&e);
    const struct resident_edit edit = {e.before, e.before_id, &e.delta};
    e.delta.faces.n_old++;
    assert_int_equal(resident_load_edited(e.residency, e.after, &edit, e.mesh, e.before_id, 2, NULL, &err), SDD_OK);
    assert_ptr_equal(resident_topology(e.after), resident_topology(e.before));
    close_edited(&e);
}

/* What is counted is what there is, and all of it can be evicted but `pinned` bytes. */
static void expect_counts(struct edited *e, int64_t pinned)
{
    struct sdd_device_info info;
    sdd_device_info(e->device, &info);
    residency_publish(e->residency);
    assert_int_equal(e->metrics->values[M_DEVICE_SCRATCH], 0);
    assert_int_equal(e->metrics->values[M_DEVICE_TOPOLOGY] + e->metrics->values[M_DEVICE_POSITIONS], info.memory_used);
    assert_int_equal(e->metrics->values[M_DEVICE_PINNED], pinned);
    assert_int_equal(residency_available(e->residency, NULL), info.memory_limit - pinned);
}

/* An edit of tags leaves most of the topology as it is. What both meshes have counts once, whichever goes first. */
static void test_shared_parts(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct edited e;
        struct sdd_error err;
        struct sdd_device_info info;
        open_edited_by(&e, sample_grid(4, 4), "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[3]}}]}");
        struct resident *m[] = {e.before, e.after};
        expect_counts(&e, 0);
        assert_int_equal(load(&e, e.before, e.before_id, &err), SDD_OK);
        expect_counts(&e, 0);
        sdd_device_info(e.device, &info);
        assert_true(resident_bytes(m[0]) + resident_bytes(m[1]) > info.memory_used);
        for (int i = 0; i < 2; i++)
            assert_int_equal(residency_available(e.residency, m[i]), info.memory_limit - resident_bytes(m[i]));
        assert_int_equal(resident_pin(e.residency, m[first], 100, &err), SDD_OK);
        expect_counts(&e, resident_bytes(m[first]));
        assert_int_equal(residency_available(e.residency, m[!first]), info.memory_limit - info.memory_used);
        assert_int_equal(resident_pin(e.residency, m[!first], 100, &err), SDD_OK);
        expect_counts(&e, info.memory_used);
        resident_unpin(e.residency, m[!first]);
        e.device->limit = info.memory_used; /* There is no more than both take. */
        expect_counts(&e, resident_bytes(m[first]));
        assert_int_equal(residency_published(e.residency, m[!first]), 0);
        resident_drop(e.residency, m[first]);
        resident_unpin(e.residency, m[first]);
        expect_counts(&e, 0);
        assert_int_equal(e.device->used, resident_bytes(m[!first]));
        close_edited(&e);
    }
}

/* What edits leave of tables is counted once, whoever of the meshes after them is there, and can be had back before
 * any mesh is evicted. */
static void test_left_tables(void **state)
{
    const struct sdd_refine_request tables = {.level = 3, .include = SDD_POSITIONS, .method = "tabulated"};
    struct edited e;
    struct sdd_error err;
    sdd_result *frame;
    (void)state;
    open_edited_by(&e, sample_grid(12, 12), "{\"edits\":[{\"pokeFaces\":{\"ids\":[70]}}]}");
    assert_int_equal(refine_once(e.before->mesh, &tables, &frame, &err), SDD_OK);
    sdd_result_free(frame);
    resident_measure(e.residency, e.before);
    expect_counts(&e, 0);
    assert_int_equal(load(&e, e.before, e.before_id, &err), SDD_OK);
    struct resident *twin = resident_create();
    const struct resident_edit edit = {e.before, e.before_id, &e.delta};
    assert_int_equal(resident_load_edited(e.residency, twin, &edit, e.result.mesh, "twin", 2, NULL, &err), SDD_OK);
    expect_counts(&e, 0);
    resident_drop(e.residency, e.before);
    expect_counts(&e, 0);
    resident_measure(e.residency, e.after);
    expect_counts(&e, 0);
    assert_int_equal(resident_pin(e.residency, e.after, 100, &err), SDD_OK);
    expect_counts(&e, resident_bytes(e.after));
    const int64_t used = e.device->used;
    assert_true(residency_make_room(e.residency, NULL, 0));
    assert_true(e.device->used < used);
    expect_counts(&e, resident_bytes(e.after));
    assert_int_equal(resident_bytes(e.after) + resident_bytes(twin), e.device->used);
    resident_drop(e.residency, twin);
    sdd_history_free(twin->history);
    free(twin);
    close_edited(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_update), cmocka_unit_test(test_delta_is_used),
                                       cmocka_unit_test(test_same_topology), cmocka_unit_test(test_shared_parts),
                                       cmocka_unit_test(test_left_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
