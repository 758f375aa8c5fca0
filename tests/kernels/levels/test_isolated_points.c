/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of isolated_points: a vertex of no face stays where it is, and has neither normal nor tangents. */
#include "tests/kernels/launch.h"
#include "gpu/levels/isolated_points.k.h"
#include <stdlib.h>

static void test_isolated(void **state)
{
    const uint32_t list[] = {0, 7, 8, 99};
    float p[300], *out = poisoned(300, sizeof *out), *normal = poisoned(300, sizeof *normal);
    float *tangents = poisoned(600, sizeof *tangents);
    uint64_t r = 11;
    (void)state;
    for (int i = 0; i < 300; i++)
        p[i] = random_unit(&r);
    for (int i = 0; i < 12; i++) {
        out[3 * list[i / 3] + (uint32_t)i % 3] = p[3 * list[i / 3] + (uint32_t)i % 3];
        normal[3 * list[i / 3] + (uint32_t)i % 3] = 0;
        tangents[6 * list[i / 3] + (uint32_t)i % 3] = tangents[6 * list[i / 3] + 3 + (uint32_t)i % 3] = 0;
    }
    for (int k = 0; k < 8; k++) {
        struct isolated_points_args a = {.list = launch_in(list, 4, 4), .p = launch_in(p, 300, 4)};
        a.out = k & 1 ? launch_out(300, 4) : NULL;
        a.normal = k & 2 ? launch_out(300, 4) : NULL;
        a.tangents = k & 4 ? launch_out(600, 4) : NULL;
        launch_say("isolated vertices, %d", k);
        LAUNCH(isolated_points, &a, 4);
        if (a.out)
            launch_same(a.out, out, "out");
        if (a.normal)
            launch_same(a.normal, normal, "normal");
        if (a.tangents)
            launch_same(a.tangents, tangents, "tangents");
        launch_end();
    }
    free(out), free(normal), free(tangents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_isolated)};
    return LAUNCH_GROUP("isolated vertices", tests);
}
