/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/quantised.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include <stdlib.h>
#include <string.h>

struct quantised quantised_begin(int32_t format, int64_t n)
{
    struct quantised q = {.facts = {.low = {-1, -0.75f, -1}, .high = {0.75f, 1, 1}}};
    for (int k = 0; k < 3; k++)
        q.facts.scale[k] = 65535 / (q.facts.high[k] - q.facts.low[k]);
    q.as.format = format;
    q.as.facts = format == SDD_ROWS_OCT16 ? NULL : launch_inout(&q.facts, 1, sizeof q.facts);
    q.to = launch_out(n * sdd_rows_words(&q.as, 3), sizeof *q.to);
    return q;
}

void quantised_check(const struct quantised *q, const float *rows, int64_t n)
{
    struct sdd_quantise_facts facts = q->facts;
    const struct sdd_rows_as as = {q->as.format, &facts};
    const int32_t width = as.format == SDD_ROWS_F16 ? 2 : 3;
    float *want = poisoned(n * sdd_rows_words(&as, 3), sizeof *want), *poison = poisoned(3, sizeof *poison);
    for (int64_t i = 0; i < n; i++) {
        const float *p = rows + width * i;
        if (memcmp(p, poison, (size_t)width * sizeof *p) != 0)
            sdd_row_out(want, &as, (uint32_t)i, sdd_width_of(width, width),
                        sdd_vec3_of(p[0], p[1], width > 2 ? p[2] : 0));
    }
    launch_same(q->to, want, "rows of 16 bits");
    if (q->as.facts)
        launch_same(q->as.facts, &facts, "facts");
    free(want), free(poison);
}
