/* SPDX-License-Identifier: Apache-2.0 */
/* test_subdivision_matrix.c: points and normals from matrices are those of mesh-matrix, but for rounding: on every
 * shape, under every scheme that takes it, refined and limit, positions, UVs and a primvar; the same bits on any number
 * of threads. */
#include "tests/engines/same_as.h"
#include "tests/oracle/triangles.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 4000
#define MOST_CUT 300 /* corners of faces that are cut into triangles for the schemes of those */

static struct same_as by_matrices = {.method = "subdivision-matrix"};
static int odd; /* the shapes are */

static void check_scheme(const struct shape *s, int scheme)
{
    struct shape other = *s;
    other.desc.options.scheme = scheme;
    snprintf(other.name, sizeof other.name, "%.50s, scheme %d", s->name, scheme);
    /* The oracles have those of the others; where faces fold onto each other rounding decides. */
    by_matrices.normals = scheme == SDD_SCHEME_SQRT3 && !odd ? 3 : 0;
    int last = level_that_fits(&other.desc, 4, MOST_VERTICES);
    same_as_shape(&by_matrices, &other, 1, last > 2 ? last : 2);
}

static void check_shape(const struct shape *s)
{
    struct shape cut = *s;
    check_scheme(s, SDD_SCHEME_CATMULL_CLARK);
    check_scheme(s, SDD_SCHEME_BILINEAR);
    if (s->desc.n_corners > MOST_CUT && !triangles_only(&s->desc))
        return;
    struct triangles t = triangles_cut(&cut.desc);
    check_scheme(&cut, SDD_SCHEME_LOOP);
    cut.desc.options.crease_method = SDD_CREASE_UNIFORM;
    cut.desc.options.fvar = SDD_FVAR_ALL;
    check_scheme(&cut, SDD_SCHEME_SQRT3);
    triangles_free(&t);
}

static void test_points(void **state)
{
    (void)state;
    for_each_shape("", 100, check_shape);
    odd = 1;
    for_each_shape("nonmanifold", 20, check_shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points)};
    same_as_open(&by_matrices);
    int failed = cmocka_run_group_tests_name("subdivision matrix", tests, NULL, NULL);
    same_as_close(&by_matrices);
    return failed;
}
