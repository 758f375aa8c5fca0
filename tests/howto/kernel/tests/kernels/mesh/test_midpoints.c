/* SPDX-License-Identifier: Apache-2.0 */
/* test_midpoints.c: the sample kernel midpoints against numbers that are exact in floats. */
#include "gpu/mesh/kernels/midpoints.k.h"
#include "tests/kernels/launch.h"

static void test_midpoints(void **state)
{
    static const uint32_t ends[] = {0, 1, 1, 2};
    static const float p[] = {0, 0, 0, 1, 0, 2, 1, 4, 0}, want[] = {0.5f, 0, 1, 1, 2, 1};
    (void)state;
    struct midpoints_args a = {launch_in(ends, 2, 8), launch_in(p, 3, 12), launch_out(2, 12)};
    LAUNCH(midpoints, &a, 2);
    launch_same(a.out, want, "midpoints");
    launch_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_midpoints)};
    return LAUNCH_GROUP("midpoints", tests);
}
