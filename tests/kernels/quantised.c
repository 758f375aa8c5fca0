/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/quantised.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/compact.h"
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

/* Directions need not be rounded from vectors of length 1. */
static void check_direction(int64_t i, const uint16_t got[2], const float *p)
{
    const double want[3] = {(double)p[0], (double)p[1], (double)p[2]};
    double at[3];
    compact_normal(got, at);
    const int zero = p[0] == 0 && p[1] == 0 && p[2] == 0, is_zero = at[0] == 0 && at[1] == 0 && at[2] == 0;
    if (zero != is_zero || (!zero && !(compact_degrees(at, want) <= COMPACT_DEGREES)))
        fail_msg("%s: row %lld of 16 bits is (%g %g %g), not (%g %g %g)", launch_case(), (long long)i, at[0], at[1],
                 at[2], want[0], want[1], want[2]);
}

void quantised_check(const struct quantised *q, const float *rows, int64_t n)
{
    struct sdd_quantise_facts facts = q->facts;
    const struct sdd_rows_as as = {q->as.format, &facts};
    const int32_t width = as.format == SDD_ROWS_F16 ? 2 : 3;
    float *want = poisoned(n * sdd_rows_words(&as, 3), sizeof *want), *poison = poisoned(3, sizeof *poison);
    const struct sdd_u16x2 *got = as.format == SDD_ROWS_OCT16 ? launch_got(q->to) : NULL;
    for (int64_t i = 0; i < n; i++) {
        const float *p = rows + width * i;
        if (memcmp(p, poison, (size_t)width * sizeof *p) == 0)
            continue;
        if (got) {
            check_direction(i, got[i].v, p);
            memcpy(want + i, got + i, sizeof *want);
        } else {
            sdd_row_out(want, &as, (uint32_t)i, sdd_width_of(width, width),
                        sdd_vec3_of(p[0], p[1], width > 2 ? p[2] : 0));
        }
    }
    launch_same(q->to, want, "rows of 16 bits");
    if (q->as.facts)
        launch_same(q->as.facts, &facts, "facts");
    free(want), free(poison);
}
