/* SPDX-License-Identifier: Apache-2.0 */
/* test_matrix_cancel.c: who cancels while a subdivision matrix is made does not wait for the product that is under way:
 * none of its parts that come after is begun. */
#include "gpu/device/device.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The CPU, whose nth part of products cancels; 0: none does. */
static atomic_int cancel;
static int n_parts, last_part;

static int launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    if (kernel == SDD_K_matrix_product && n > 0 && ++n_parts == last_part)
        atomic_store(&cancel, 1);
    return sdd_backend_cpu()->launch(device, kernel, args, args_bytes, n);
}

/* Makes the matrix of level 4, the last of a row of products. */
static int prepare(sdd_mesh *mesh, int last)
{
    const struct sdd_refine_request r = {.level = 4, .include = SDD_POSITIONS, .method = "subdivision-matrix"};
    struct sdd_error err = {0};
    atomic_store(&cancel, 0);
    n_parts = 0;
    last_part = last;
    return prepare_once(mesh, &r, &cancel, &err);
}

static void test_parts(void **state)
{
    struct sdd_backend b = *sdd_backend_cpu();
    struct sdd_error err = {0};
    struct shape shape;
    sdd_device *d;
    sdd_topology *t[2];
    sdd_mesh *mesh[2];
    (void)state;
    b.launch = launch;
    assert_int_equal(shape_load(test_shapes_dir(), "components", &shape, &err), SDD_OK);
    assert_int_equal(sdd_device_wrap(&b, 0, 1, 0, &d, &err), SDD_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sdd_topology_create(d, &shape.desc, t + k, &err), SDD_OK);
        assert_int_equal(sdd_mesh_create(t[k], shape.points, shape.uvs, mesh + k, &err), SDD_OK);
    }
    assert_int_equal(prepare(mesh[0], 0), SDD_OK);
    const int all = n_parts;
    assert_true(all > 16); /* counted, then made, three times: level 4 has 25,602 rows, a part 4,096 */
    for (int last = 1; last < all; last++) {
        assert_int_equal(prepare(mesh[1], last), SDD_ECANCELLED);
        assert_int_equal(n_parts, last);
    }
    for (int k = 0; k < 2; k++) {
        sdd_mesh_free(mesh[k]);
        sdd_topology_unref(t[k]);
    }
    sdd_device_close(d);
    shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests_name("cancelled products", tests, NULL, NULL);
}
