/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of compact and compact_keys: rows that are flagged, in their order, by plain loops. */
#include "tests/kernels/launch.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/kernel/compact_keys.k.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>

static void test_compact(void **state)
{
    const int64_t sizes[] = {1, 2, 63, 3000, 9001};
    uint64_t r = 99;
    (void)state;
    for (int i = 0; i < 25; i++) {
        int64_t n = sizes[i / 5], found = 0;
        int32_t *flag = xalloc(n, sizeof *flag), *rank = xalloc(n, sizeof *rank);
        uint32_t *list = xalloc(n, sizeof *list);
        uint64_t *key = xalloc(n, sizeof *key), *some = xalloc(n, sizeof *some);
        for (int64_t k = 0; k < n; k++) {
            flag[k] = i % 5 == 0 ? 0 : i % 5 == 1 ? 1 : random_below(&r, 1 << i % 5) == 0;
            key[k] = (uint64_t)k << 41 | (uint64_t)random_below(&r, 1 << 30);
            if (flag[k]) {
                some[found] = key[k];
                list[found++] = (uint32_t)k;
            }
            rank[k] = (int32_t)found;
        }
        launch_say("%lld flags, %lld set", (long long)n, (long long)found);
        struct compact_args a = {launch_in(flag, n, 4), launch_in(rank, n, 4), launch_out(found, 4)};
        LAUNCH(compact, &a, n);
        launch_same(a.list, list, "list");
        struct compact_keys_args keys = {launch_in(key, n, 8), launch_in(flag, n, 4), launch_in(rank, n, 4),
                                         launch_out(found, 8)};
        LAUNCH(compact_keys, &keys, n);
        launch_same(keys.out, some, "out");
        launch_end();
        free(flag), free(rank), free(list), free(key), free(some);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compact)};
    return LAUNCH_GROUP("lists of what is flagged", tests);
}
