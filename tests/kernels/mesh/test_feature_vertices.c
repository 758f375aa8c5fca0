/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of feature_vertices and feature_flags: sharp edges are counted at both their ends, over the shapes and random
 * meshes, manifold or not, with arrays of zeros and without. */
#include "gpu/mesh/kernels/feature_flags.k.h"
#include "gpu/mesh/kernels/feature_vertices.k.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/poly.h"
#include "tests/kernels/wild.h"
#include <stdlib.h>

static int64_t n_ruled, n_free;

static void check(const struct poly *p)
{
    struct wild_case k;
    wild_case_init(&k, p, 0);
    unsigned char *want = wild_ruled(&k);
    int32_t *flags = xalloc(k.b.V, sizeof *flags);
    for (int64_t v = 0; v < k.b.V; v++)
        flags[v] = want[v];
    for (int no_arrays = 0; no_arrays < 2; no_arrays++) {
        struct feature_vertices_args a = {wild_upload(&k, no_arrays), NULL, launch_out(k.b.V, 1)};
        struct feature_flags_args f = {launch_in(want, k.b.V, 1), launch_out(k.b.V, 4)};
        if (!a.mesh.edge_sharp) /* the library does not ask then */
            a.mesh.edge_sharp = launch_in(k.o.edge_sharp, k.o.E, 4);
        LAUNCH(feature_vertices, &a, k.b.V);
        launch_same(a.is_feature, want, "ruled");
        LAUNCH(feature_flags, &f, k.b.V);
        launch_same(f.flag, flags, "flag");
        launch_end();
    }
    for (int64_t v = 0; v < k.b.V; v++)
        n_ruled += want[v], n_free += !want[v];
    free(want), free(flags);
    wild_case_fini(&k);
}

static void test_ruled(void **state)
{
    (void)state;
    poly_each(100, 100000, check);
    assert_true(n_ruled > 1000 && n_free > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ruled)};
    return LAUNCH_GROUP("feature vertices", tests);
}
