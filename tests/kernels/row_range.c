/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/row_range.h"
#include "tests/kernels/launch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void row_range_init(struct row_range *r, const struct grid *g, int level, int64_t most, uint64_t *seed)
{
    int64_t m = (int64_t)1 << (level - 1), rows = grid_n_vertices(g, level);
    int64_t inside = g->triangles ? g->n_faces * (2 * m - 1) * (m - 1) : g->n_corners * (m - 1) * (m - 1);
    int64_t first_inside = rows - inside;
    int kind = random_below(seed, 5);
    *r = (struct row_range){.first = 0, .n = rows, .pad = random_below(seed, 9)};
    if (kind > 0) {
        int64_t low = kind % 2 && first_inside < rows ? first_inside : 0;
        r->first = low + random_below(seed, rows - low);
        int64_t left = rows - r->first, some = random_below(seed, 2) && left > 300 ? 300 : left;
        r->n = kind < 3 ? 1 : 1 + random_below(seed, some);
    }
    r->n = r->n < most ? r->n : most;
    r->inside = r->first >= first_inside;
    const int32_t each[] = {1, 1 + random_below(seed, 7), 1 + random_below(seed, 300), (int32_t)r->n + 5};
    r->each = each[random_below(seed, 4)];
    r->items = (r->n + r->each - 1) / r->each;
    r->out = launch_out(3 * (r->n + 2 * r->pad), sizeof *r->out);
    r->to = r->out + 3 * (ptrdiff_t)r->pad;
    r->is = xalloc(r->n, 1);
}

void row_range_got(struct row_range *r)
{
    const float *out = launch_got(r->out);
    size_t pad_bytes = 3 * (size_t)r->pad * sizeof *out;
    float *untouched = poisoned(3 * (int64_t)r->pad, sizeof *untouched);
    r->got = out + 3 * (ptrdiff_t)r->pad;
    if (memcmp(out, untouched, pad_bytes) != 0 || memcmp(r->got + 3 * r->n, untouched, pad_bytes) != 0)
        fail_msg("%s: rows outside [%lld, %lld) were written, each %d", launch_case(), (long long)r->first,
                 (long long)(r->first + r->n), r->each);
    free(untouched);
}

int row_range_has(const struct row_range *r, int64_t row)
{
    return row >= r->first && row < r->first + r->n;
}

void row_range_offer(struct row_range *r, int64_t row, const double *value, const double *most)
{
    const float *p = r->got + 3 * (row - r->first);
    int near = 1;
    for (int x = 0; x < 3; x++)
        near = near && fabs((double)p[x] - value[x]) <= most[x];
    r->is[row - r->first] |= (unsigned char)near;
}

static void fail_row(const struct row_range *r, int64_t i, const char *what)
{
    const float *p = r->got + 3 * i;
    fail_msg("%s: row %lld of [%lld, %lld), each %d, is (%.9g, %.9g, %.9g): %s", launch_case(),
             (long long)(r->first + i), (long long)r->first, (long long)(r->first + r->n), r->each, (double)p[0],
             (double)p[1], (double)p[2], what);
}

void row_range_same(const struct row_range *r, int64_t i, const float *p)
{
    if (memcmp(r->got + 3 * i, p, 3 * sizeof *p) != 0)
        fail_row(r, i, "by itself it has other bits");
}

void row_range_fini(struct row_range *r)
{
    for (int64_t i = 0; i < r->n; i++)
        if (!r->is[i])
            fail_row(r, i, "nothing there makes that");
    free(r->is);
}
