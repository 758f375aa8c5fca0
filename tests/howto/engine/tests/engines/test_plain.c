/* SPDX-License-Identifier: Apache-2.0 */
/* test_plain.c: the sample engine makes what mesh-matrix makes, of every shape that it takes. */
#include "tests/engines/same_as.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct same_as plain = {.method = "plain", .normals = 2};

/* What the engine's table of features lets through: no creases, and the usual rule for triangles. */
static void check(const struct shape *s)
{
    const struct sdd_mesh_desc *d = &s->desc;
    if (d->n_creases == 0 && d->n_corner_tags == 0 && d->options.triangle_rule == 0 && d->n_corners < 2000)
        same_as_shape(&plain, s, 1, 2);
}

static void test_shapes(void **state)
{
    (void)state;
    for_each_shape("", 100, check);
    assert_true(plain.n_compared > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
    same_as_open(&plain);
    int failed = cmocka_run_group_tests_name("howto/engine", tests, NULL, NULL);
    same_as_close(&plain);
    return failed;
}
