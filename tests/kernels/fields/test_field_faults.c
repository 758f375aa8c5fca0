/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and smoothing on a device whose k-th call fails, for every k until all goes well: a clean error, nothing
 * leaked, and the same values afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "gpu/sdd/sdd_fields.h"

/* Two triangles and a quad, and a vertex without faces. */
static const int32_t counts[] = {3, 3, 4}, vertices[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 4};
static const float points[] = {0, 0, 0, 1, 0, 0.2f, 2, 0, 0, 0, 1, 0, 1.3f, 0.8f, 0.5f, 2, 1, 0, 9, 9, 9};
static const struct sdd_mesh_desc desc = {
    .n_vertices = 7, .n_faces = 3, .n_corners = 10, .face_counts = counts, .face_vertices = vertices};
static const int64_t source = 2;

/* The last two are a field and a smoothing of level 1. */
enum { N_STEPS = SDD_N_FIELDS + SDD_N_SMOOTHINGS + 2, LEVEL_FIELD = N_STEPS - 2, LEVEL_SMOOTHING = N_STEPS - 1 };

static int run_step(sdd_mesh *m, int step, uint64_t *digest, struct sdd_error *err)
{
    sdd_values *v = NULL;
    const int what = step < SDD_N_FIELDS ? step : SDD_FIELD_GAUSSIAN;
    const struct sdd_field_request f = {
        .what = what, .sources = &source, .n_sources = what == SDD_FIELD_GEODESIC, .level = step == LEVEL_FIELD};
    const struct sdd_smooth_request s = {step == LEVEL_SMOOTHING ? SDD_SMOOTH_UNIFORM : step - SDD_N_FIELDS,
                                         3,
                                         0.5f,
                                         SDD_SMOOTH_BOUNDARY_ALONG,
                                         0,
                                         step == LEVEL_SMOOTHING};
    const int smooths = step >= SDD_N_FIELDS && step != LEVEL_FIELD;
    int rc = smooths ? sdd_smooth(m, &s, NULL, &v, err) : sdd_field(m, &f, NULL, &v, err);
    assert_true((rc != SDD_OK) == (v == NULL));
    if (!rc)
        *digest = *digest * 31 + sdd_digest(sdd_values_info(v)->values, sdd_values_info(v)->bytes);
    sdd_values_free(v);
    return rc;
}

/* All that can be asked, until something fails. */
static int run(uint64_t *digest, struct sdd_error *err)
{
    sdd_device *device = NULL;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    struct sdd_device_info info = {0};
    *digest = 0;
    int rc = sdd_device_wrap(sdd_backend_fake(), 0, 1, 0, &device, err);
    if (!rc)
        rc = sdd_topology_create(device, &desc, &t, err);
    if (!rc)
        rc = sdd_mesh_create(t, points, NULL, &m, err);
    for (int step = 0; !rc && step < N_STEPS; step++)
        rc = run_step(m, step, digest, err);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    if (device) {
        sdd_device_info(device, &info);
        sdd_device_close(device);
    }
    assert_int_equal(info.memory_used, 0);
    assert_int_equal(sdd_fake_live(), 0);
    return rc;
}

static void torture(int forever, int sticky)
{
    uint64_t good, digest;
    struct sdd_error err = {0};
    sdd_fake_arm(0, 0, 0);
    assert_int_equal(run(&good, &err), SDD_OK);
    const int64_t calls = sdd_fake_calls();
    for (int64_t k = 1; k <= calls; k++) {
        sdd_fake_arm(k, forever, sticky);
        const int rc = run(&digest, &err);
        if (rc != SDD_ENO_MEMORY && rc != SDD_EDEVICE)
            fail_msg("call %lld failed, and the error is %d: %s", (long long)k, rc, err.text);
        assert_int_equal(err.code, rc);
    }
    sdd_fake_arm(0, 0, 0);
    assert_int_equal(run(&digest, &err), SDD_OK);
    assert_true(digest == good);
    print_message("%lld calls\n", (long long)calls);
}

static void test_once(void **state)
{
    (void)state;
    torture(0, 0);
}

static void test_forever(void **state)
{
    (void)state;
    torture(1, 0);
}

static void test_lost(void **state)
{
    (void)state;
    torture(0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_once), cmocka_unit_test(test_forever),
                                       cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests_name("faults of fields", tests, NULL, NULL);
}
