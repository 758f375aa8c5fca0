/* SPDX-License-Identifier: Apache-2.0 */
/* test_pause.c: work that pauses (sdd_pause.h). Whatever else the device does meanwhile, the bits are the same; and
 * wherever a pause stops the work, it ends cleanly and the device goes on. */
#include "gpu/sdd/sdd_pause.h"
#include "tests/env.h"
#include "tests/oracle/shape.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const methods[] = {"mesh-matrix", "edge-friend", "tabulated", "subdivision-matrix",
                                      "mesh-matrix-spla"};
enum { N_METHODS = sizeof methods / sizeof methods[0], N_MESHES = 2 };

static struct fixture {
    sdd_device *d;
    struct shape shape[N_MESHES];
    sdd_topology *topology[N_MESHES];
    sdd_mesh *mesh[N_MESHES];
    int n_pauses, stop_at; /* The pause that stops the work; 0 for none. */
    int within;            /* Whether another mesh is refined in each pause, */
    int depth;             /* of which this is one. */
    uint64_t digest;       /* What that must give. */
} f;

static struct sdd_refine_request request_of(int method)
{
    return (struct sdd_refine_request){.level = 3, .include = SDD_POSITIONS | SDD_NORMALS, .method = methods[method]};
}

/* Drops what was made of the mesh before, and makes it again. */
static void load(int k)
{
    struct sdd_error err = {0};
    sdd_mesh_free(f.mesh[k]);
    sdd_topology_unref(f.topology[k]);
    assert_int_equal(sdd_topology_create(f.d, &f.shape[k].desc, f.topology + k, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(f.topology[k], f.shape[k].points, f.shape[k].uvs, f.mesh + k, &err), SDD_OK);
}

static uint64_t digest_of(const sdd_result *r)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    return p->blocks[0].digest ^ 3 * p->blocks[1].digest;
}

static int run(int k, int method, uint64_t *digest)
{
    const struct sdd_refine_request r = request_of(method);
    struct sdd_error err = {0};
    sdd_result *result;
    const int rc = refine_once(f.mesh[k], &r, &result, &err);
    *digest = rc ? 0 : digest_of(result);
    if (rc && rc != SDD_ECANCELLED)
        fail_msg("%s: %s", methods[method], err.text);
    if (!rc)
        assert_true(sdd_result_info(result)->refine_seconds >= 0);
    sdd_result_free(result);
    return rc;
}

static int64_t used(void)
{
    struct sdd_device_info info;
    sdd_device_info(f.d, &info);
    return info.memory_used;
}

static int on_pause(void *user)
{
    uint64_t digest;
    assert_ptr_equal(user, &f);
    if (f.depth)
        return 0;
    f.n_pauses++;
    f.depth++;
    if (f.within) {
        assert_int_equal(run(1, f.n_pauses % N_METHODS, &digest), SDD_OK);
        load(1);
        if (f.n_pauses % N_METHODS == 0)
            assert_true(digest == f.digest);
    }
    f.depth--;
    return f.n_pauses == f.stop_at;
}

static int set_up(void **state)
{
    static const char *const names[N_MESHES] = {"components", "cube54"};
    const struct sdd_device_config config = {.backend = "cpu", .threads = 1};
    struct sdd_error err = {0};
    (void)state;
    assert_int_equal(sdd_device_open(&config, &f.d, &err), SDD_OK);
    for (int k = 0; k < N_MESHES; k++)
        assert_int_equal(shape_load(test_shapes_dir(), names[k], f.shape + k, &err), SDD_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int k = 0; k < N_MESHES; k++) {
        sdd_mesh_free(f.mesh[k]);
        sdd_topology_unref(f.topology[k]);
        shape_free(f.shape + k);
    }
    sdd_device_close(f.d);
    return 0;
}

/* Another mesh, by all engines in turn, within each pause. */
static void test_same_bits(void **state)
{
    (void)state;
    load(1);
    assert_int_equal(run(1, 0, &f.digest), SDD_OK);
    for (int m = 0; m < N_METHODS; m++) {
        uint64_t want, got;
        load(0);
        assert_int_equal(run(0, m, &want), SDD_OK);
        load(0);
        f.within = 1;
        f.n_pauses = 0;
        sdd_device_on_pause(f.d, on_pause, &f);
        assert_int_equal(run(0, m, &got), SDD_OK);
        sdd_device_on_pause(f.d, NULL, NULL);
        f.within = 0;
        assert_true(f.n_pauses > 1);
        assert_true(got == want);
    }
}

/* Each pause in turn stops the work, until none is left to do so. */
static void test_stopping(void **state)
{
    (void)state;
    for (int m = 0; m < N_METHODS; m++) {
        uint64_t want, got;
        int rc = SDD_ECANCELLED;
        load(0);
        assert_int_equal(run(0, m, &want), SDD_OK);
        for (f.stop_at = 1; rc == SDD_ECANCELLED; f.stop_at++) {
            load(0);
            const int64_t before = used();
            f.n_pauses = 0;
            sdd_device_on_pause(f.d, on_pause, &f);
            rc = run(0, m, &got);
            sdd_device_on_pause(f.d, NULL, NULL);
            assert_true(rc ? rc == SDD_ECANCELLED && f.n_pauses == f.stop_at : f.n_pauses < f.stop_at);
            assert_int_equal(run(0, m, &got), SDD_OK); /* It was not left half made. */
            assert_true(got == want);
            load(0);
            assert_int_equal(used(), before); /* Nothing has leaked. */
        }
        assert_true(f.stop_at > 2);
        f.stop_at = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_stopping)};
    return cmocka_run_group_tests_name("pauses", tests, set_up, tear_down);
}
