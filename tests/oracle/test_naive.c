/* SPDX-License-Identifier: Apache-2.0 */
/* test_naive.c: the library against the naive witness; needs no OpenSubdiv. First: does the comparison see anything? */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/naive.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct tolerances tolerance = {1e-5, 1e-5, 5e-3};

static void test_comparison_sees_changes(void **state)
{
    (void)state;
    struct shape s;
    struct refined a, b;
    struct sdd_error err = {0};
    assert_int_equal(shape_load(test_shapes_dir(), "uv_islands", &s, &err), SDD_OK);
    naive_refine(&s.desc, s.points, s.uvs, 2, &a);
    naive_refine(&s.desc, s.points, s.uvs, 2, &b);
    assert_int_equal(compare_refined("same", &a, &b, s.diagonal, 1, tolerance), 0);
    double *values[] = {&a.points[31], &a.uvs[100], &a.limits[5], &a.normals[13]};
    for (int i = 0; i < 4; i++)
        for (int nan = 0; nan < 2; nan++) {
            double keep = *values[i];
            *values[i] = nan ? 0.0 / 0.0 : keep + (i == 3 ? 0.01 : 1e-4);
            assert_int_equal(compare_refined("changed, as it should be", &a, &b, s.diagonal, 1, tolerance), 1);
            *values[i] = keep;
        }
    a.faces[17] ^= 1;
    assert_int_equal(compare_refined("changed, as it should be", &a, &b, s.diagonal, 1, tolerance), 1);
    refined_free(&a);
    refined_free(&b);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comparison_sees_changes)};
    int failed = cmocka_run_group_tests_name("the comparison", tests, NULL, NULL);
    failed += cases_run("edge-friend against the naive witness", "edge-friend", SDD_SCHEME_CATMULL_CLARK, naive_refine,
                        60000);
    return failed + cases_run("mesh-matrix against the naive witness", "mesh-matrix", SDD_SCHEME_CATMULL_CLARK,
                              naive_refine, 60000);
}
