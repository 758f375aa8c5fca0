/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/tabulated/sample_classes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

const struct table_class sample_classes[N_SAMPLE_CLASSES] = {
    {.n = 4, .k = 4},
    {.n = 3, .k = 5},
    {.n = 5, .k = 3},
    {.n = 7, .k = 4},
    {.n = 2, .k = 4},
    {.n = 1, .k = 4},
    {.n = 2, .k = 3, .edge = {1.5f, 10}},
    {.n = 1, .k = 5, .edge = {0.3f}},
    {.n = 4, .k = 4, .edge = {10, 0, 10}},
    {.n = 4, .k = 4, .edge = {0, 1.5f, 0, 1.5f}},
    {.n = 5, .k = 4, .edge = {0.3f, 0, 0.3f}},
    {.n = 5, .k = 3, .edge = {0, 0, 10}},
    {.n = 5, .k = 5, .edge = {2.5f}},
    {.n = 6, .k = 4, .edge = {10, 0.3f, 1.5f, 0, 2}},
    {.n = 3, .k = 4, .edge = {10, 10, 0.5f}},
    {.n = 4, .k = 5, .edge = {2, 0.5f}},
    {.n = 4, .k = 4, .edge = {3, 3, 3, 0.25f}},
    {.n = 6, .k = 3, .vertex = 1.7f},
    {.n = 4, .k = 4, .vertex = 0.4f, .edge = {1.5f, 0, 0.75f}},
    {.n = 5, .k = 4, .vertex = 10, .edge = {0.75f}},
    {.n = 1, .k = 4, .open = 1},
    {.n = 1, .k = 5, .open = 1, .vertex = 10},
    {.n = 2, .k = 4, .open = 1},
    {.n = 2, .k = 3, .open = 1, .own = 1, .edge = {0, 1.5f}},
    {.n = 3, .k = 4, .open = 1, .own = 1},
    {.n = 3, .k = 5, .open = 1, .edge = {0, 0.3f, 2}},
    {.n = 4, .k = 4, .open = 1, .own = 2, .vertex = 1.7f, .edge = {0, 0, 10, 0.5f}},
    {.n = 4, .k = 4, .open = 1, .own = 3, .edge = {0, 0.6f, 0, 0.8f}},
    {.n = 4, .k = 4, .several = 1, .vertex = 10},
    {.n = 1, .k = 5, .open = 1, .several = 1, .vertex = 10},
    {.n = 3, .k = 4, .open = 1, .own = 1, .several = 1, .vertex = 10},
};

struct table table_of(const struct table_class *c, int steps, int limit)
{
    struct table t = {1 << steps, table_class_columns(c), NULL};
    struct sdd_error err = {0};
    t.weight = calloc((size_t)t.columns * (size_t)(t.side + 1) * (size_t)(t.side + 1), sizeof *t.weight);
    assert_non_null(t.weight);
    if (table_class_table(c, steps, limit, t.weight, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return t;
}

double weight(const struct table *t, int column, int x, int y)
{
    return (double)t->weight[(column * (t->side + 1) + y) * (t->side + 1) + x];
}

void expect(const struct table *t, int column, int x, int y, double w)
{
    double is = weight(t, column, x, y);
    if (!(fabs(is - w) <= 1e-7))
        fail_msg("column %d at (%d, %d) of %d: %.9f, not %.9f", column, x, y, t->side, is, w);
}
