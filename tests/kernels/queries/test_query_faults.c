/* SPDX-License-Identifier: Apache-2.0 */
/* Queries on a device whose k-th call fails, for every k until all goes well, by each way that rows are made: a clean
 * error, nothing leaked, and the same rows afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "tests/query_once.h"

/* Two triangles and a quad; and the same with a third triangle at one edge. */
static const int32_t counts[] = {3, 3, 4, 3}, vertices[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 4, 1, 4, 6};
static const struct sdd_mesh_desc manifold = {
    .n_vertices = 7, .n_faces = 3, .n_corners = 10, .face_counts = counts, .face_vertices = vertices};
static const struct sdd_mesh_desc fins = {
    .n_vertices = 7, .n_faces = 4, .n_corners = 13, .face_counts = counts, .face_vertices = vertices};
/* Two triangles under loop. */
static const struct sdd_mesh_desc triangles = {.n_vertices = 7,
                                               .n_faces = 2,
                                               .n_corners = 6,
                                               .face_counts = counts,
                                               .face_vertices = vertices,
                                               .options.scheme = SDD_SCHEME_LOOP};
static const int64_t some[] = {2, 5, 2};

static const struct {
    int relation, level, ring, oriented, listed, way;
} asked[] = {{SDD_FE, 0, 1, 0, 0, 0},
             {SDD_FF, 0, 1, 0, 0, 0},
             {SDD_VE, 0, 1, 1, 1, 0},
             {SDD_VV, 0, 2, 0, 1, 0},
             {SDD_FF, 0, 2, 0, 0, 0},
             {SDD_VV, 0, 1, 0, 0, QUERY_TRANSPOSE},
             {SDD_FF, 0, 1, 0, 0, QUERY_TRANSPOSE},
             {SDD_VE, 0, 1, 0, 0, QUERY_KEPT},
             {SDD_VF, 0, 1, 0, 1, QUERY_KEPT},
             {SDD_VV, 0, 2, 0, 1, QUERY_TRANSPOSE},
             {SDD_FF, 0, 2, 0, 0, QUERY_TRANSPOSE},
             {SDD_VV, 2, 1, 0, 0, 0},
             {SDD_FE, 2, 1, 0, 0, 0},
             {SDD_EF, 1, 1, 0, 0, 0}};

static int ask_all(sdd_topology *t, uint64_t *digest, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (size_t k = 0; !rc && k < sizeof asked / sizeof *asked; k++) {
        uint64_t one = 0;
        const struct sdd_query_request r = {.relation = asked[k].relation,
                                            .level = asked[k].level,
                                            .ring = asked[k].ring,
                                            .oriented = asked[k].oriented,
                                            .count = SDD_ALL_ROWS,
                                            .ids = asked[k].listed ? some : NULL,
                                            .n_ids = 3};
        rc = query_once(t, &r, asked[k].way, &one, err);
        *digest = *digest * 31 + one;
    }
    return rc ? rc : sdd_query_keep(t, SDD_EF, NULL, err);
}

static int run(const struct sdd_mesh_desc *desc, uint64_t *digest, struct sdd_error *err)
{
    sdd_device *device = NULL;
    sdd_topology *t = NULL;
    struct sdd_device_info info = {0};
    *digest = 0;
    int rc = sdd_device_wrap(sdd_backend_fake(), 0, 1, 0, &device, err);
    if (!rc)
        rc = sdd_topology_create(device, desc, &t, err);
    if (!rc)
        rc = ask_all(t, digest, err);
    sdd_topology_unref(t);
    if (device) {
        sdd_device_info(device, &info);
        sdd_device_close(device);
    }
    assert_int_equal(info.memory_used, 0);
    assert_int_equal(sdd_fake_live(), 0);
    return rc;
}

static void torture(const struct sdd_mesh_desc *desc, int forever, int sticky)
{
    uint64_t good, digest;
    struct sdd_error err = {0};
    sdd_fake_arm(0, 0, 0);
    assert_int_equal(run(desc, &good, &err), SDD_OK);
    const int64_t calls = sdd_fake_calls();
    for (int64_t k = 1; k <= calls; k++) {
        sdd_fake_arm(k, forever, sticky);
        const int rc = run(desc, &digest, &err);
        if (rc != SDD_ENO_MEMORY && rc != SDD_EDEVICE)
            fail_msg("call %lld failed, and the error is %d: %s", (long long)k, rc, err.text);
        assert_int_equal(err.code, rc);
    }
    sdd_fake_arm(0, 0, 0);
    assert_int_equal(run(desc, &digest, &err), SDD_OK);
    assert_true(digest == good);
    print_message("%lld calls\n", (long long)calls);
}

static void test_once(void **state)
{
    (void)state;
    torture(&manifold, 0, 0);
    torture(&fins, 0, 0);
    torture(&triangles, 0, 0);
}

static void test_forever(void **state)
{
    (void)state;
    torture(&manifold, 1, 0);
    torture(&fins, 1, 0);
    torture(&triangles, 1, 0);
}

static void test_lost(void **state)
{
    (void)state;
    torture(&manifold, 0, 1);
    torture(&fins, 0, 1);
    torture(&triangles, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_once), cmocka_unit_test(test_forever),
                                       cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests_name("faults of queries", tests, NULL, NULL);
}
