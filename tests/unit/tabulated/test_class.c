/* SPDX-License-Identifier: Apache-2.0 */
/* table_class_table: sums of rows, mirrored classes, B-splines, and masks written out. */
#include "tests/unit/tabulated/sample_classes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_STEPS = 3 };

/* The point at (x, y) has weights w in the columns listed, up to -1, and 0 in the others. */
struct term {
    int column;
    double w;
};

static void expect_mask(const struct table *t, int x, int y, const struct term *terms)
{
    double w[MAX_SAMPLE_COLUMNS] = {0};
    for (; terms->column >= 0; terms++)
        w[terms->column] += terms->w;
    for (int i = 0; i < t->columns; i++)
        expect(t, i, x, y, w[i]);
}

/* ---- laws ------------------------------------------------------------------------------------------------------- */
static void rows_sum_to_one(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLE_CLASSES; i++)
        for (int steps = 0; steps <= 4; steps++) {
            struct table t = table_of(&sample_classes[i], steps, i & 1);
            for (int y = 0; y <= t.side; y++)
                for (int x = 0; x <= t.side; x++) {
                    double sum = 0;
                    for (int j = 0; j < t.columns; j++)
                        sum += weight(&t, j, x, y);
                    assert_true(fabs(sum - 1) <= 1e-6);
                }
            free(t.weight);
        }
}

static int around(int i, int n)
{
    return (i % n + n) % n;
}

/* Seen from the other side of the mesh: edge i is where edge own + own + 1 - i was. */
static void mirrored_classes(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLE_CLASSES; i++) {
        const struct table_class *c = &sample_classes[i];
        struct table_class m = *c;
        int ends = c->n + c->open, first = 1 + ends + c->n, ring = 2 * c->k - 3, column[MAX_SAMPLE_COLUMNS] = {0};
        struct table t = table_of(c, MAX_STEPS, 1), u;
        m.own = c->open ? c->n - 1 - c->own : 0;
        for (int j = 0; j < ends; j++) {
            int other = c->open ? c->n - j : around(1 - j, c->n);
            m.edge[other] = c->edge[j];
            column[1 + j] = 1 + other;
        }
        for (int j = 0; j < c->n; j++)
            column[1 + ends + j] = 1 + ends + (c->open ? c->n - 1 - j : around(-j, c->n));
        for (int j = 0; j < ring; j++)
            column[first + j] = first + ring - 1 - j;
        for (int j = first + ring; j < t.columns; j++)
            column[j] = first + ring + t.columns - 1 - j;
        u = table_of(&m, MAX_STEPS, 1);
        assert_int_equal(u.columns, t.columns);
        for (int j = 0; j < t.columns; j++)
            for (int y = 0; y <= t.side; y++)
                for (int x = 0; x <= t.side; x++)
                    expect(&u, column[j], y, x, weight(&t, j, x, y));
        free(t.weight);
        free(u.weight);
    }
}

/* ---- B-splines -------------------------------------------------------------------------------------------------- */
/* Weights of the four points at -1 .. 2 of a line, for place x of side = 2^steps. */
static void spline(int steps, int limit, int x, double *w)
{
    double t = (double)x / (1 << steps), s = 1 - t;
    if (limit) {
        w[0] = s * s * s / 6;
        w[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
        w[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
        w[3] = t * t * t / 6;
        return;
    }
    for (int i = 0; i < 4; i++) {
        double at[16] = {0}, next[16]; /* places -1 .. side + 1 */
        at[i] = 1;
        for (int level = 0; level < steps; level++) {
            for (int j = 0; j < (2 << level) + 3; j++)
                next[j] = j & 1 ? (at[j / 2] + 6 * at[j / 2 + 1] + at[j / 2 + 2]) / 8 : (at[j / 2] + at[j / 2 + 1]) / 2;
            memcpy(at, next, sizeof at);
        }
        w[i] = at[x + 1];
    }
}

static void regular_is_the_product_of_splines(void **state)
{
    static const int place[16][2] = {{0, 0},  {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1},
                                     {1, -1}, {2, 0}, {2, 1}, {2, 2},  {1, 2},  {0, 2}, {2, -1}, {-1, 2}};
    (void)state;
    assert_int_equal(table_class_columns(&sample_classes[0]), 16);
    for (int steps = 0; steps <= MAX_STEPS; steps++)
        for (int limit = 0; limit < 2; limit++) {
            struct table t = table_of(&sample_classes[0], steps, limit);
            for (int y = 0; y <= t.side; y++)
                for (int x = 0; x <= t.side; x++) {
                    double wx[4], wy[4];
                    spline(steps, limit, x, wx);
                    spline(steps, limit, y, wy);
                    for (int i = 0; i < 16; i++)
                        expect(&t, i, x, y, wx[place[i][0] + 1] * wy[place[i][1] + 1]);
                }
            free(t.weight);
        }
}

/* Along a crease that never decays, and along a boundary, the points of that line are all that counts. */
static void creases_are_splines(void **state)
{
    static const struct {
        struct table_class c;
        int line[4]; /* columns of (-1, 0) .. (2, 0) */
    } lines[] = {{{.n = 4, .k = 4, .edge = {10, 0, 10}}, {3, 0, 1, 9}},
                 {{.n = 2, .k = 4, .open = 1}, {3, 0, 1, 6}},
                 {{.n = 4, .k = 3, .open = 1, .edge = {0}}, {5, 0, 1, 10}}};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int limit = 0; limit < 2; limit++) {
            struct table t = table_of(&lines[i].c, MAX_STEPS, limit);
            for (int x = 0; x <= t.side; x++) {
                double w[4];
                spline(MAX_STEPS, limit, x, w);
                struct term terms[5] = {{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
                for (int j = 0; j < 4; j++)
                    terms[j] = (struct term){lines[i].line[j], w[j]};
                expect_mask(&t, x, 0, terms);
            }
            free(t.weight);
        }
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */
/* Columns of a closed fan of 5 around a face of 3: the vertex, ends 1 .. 5, quads 6 .. 10, v1 e1 v2 at 11 .. 13. */
static void masks_of_one_step(void **state)
{
    static const struct table_class smooth = {.n = 5, .k = 3};
    static const struct table_class crease = {.n = 5, .k = 3, .edge = {10, 0, 0.5f}};
    static const struct table_class corner = {.n = 5, .k = 3, .vertex = 0.25f, .edge = {10, 0, 10, 0.75f}};
    (void)state;
    struct table t = table_of(&smooth, 1, 0);
    expect_mask(&t, 0, 0,
                (struct term[]){{0, 0.65},
                                {1, 0.06},
                                {2, 0.06},
                                {3, 0.06},
                                {4, 0.06},
                                {5, 0.06},
                                {6, 0.01},
                                {7, 0.01},
                                {8, 0.01},
                                {9, 0.01},
                                {10, 0.01},
                                {-1, 0}});
    expect_mask(&t, 1, 0,
                (struct term[]){{0, 0.375}, {1, 0.375}, {5, 0.0625}, {10, 0.0625}, {2, 0.0625}, {6, 0.0625}, {-1, 0}});
    expect_mask(&t, 1, 1, (struct term[]){{0, 0.25}, {1, 0.25}, {6, 0.25}, {2, 0.25}, {-1, 0}});
    expect_mask(&t, 2, 2,
                (struct term[]){{6, 5.0 / 12},
                                {1, 1.0 / 6},
                                {2, 1.0 / 6},
                                {12, 1.0 / 6},
                                {0, 1.0 / 36},
                                {11, 1.0 / 36},
                                {13, 1.0 / 36},
                                {-1, 0}});
    free(t.weight);
    t = table_of(&crease, 1, 0); /* half crease, half dart */
    expect_mask(&t, 0, 0,
                (struct term[]){{0, 0.7},
                                {1, 0.0925},
                                {2, 0.03},
                                {3, 0.0925},
                                {4, 0.03},
                                {5, 0.03},
                                {6, 0.005},
                                {7, 0.005},
                                {8, 0.005},
                                {9, 0.005},
                                {10, 0.005},
                                {-1, 0}});
    expect_mask(&t, 1, 0, (struct term[]){{0, 0.5}, {1, 0.5}, {-1, 0}});
    expect_mask(&t, 2, 0, (struct term[]){{1, 0.75}, {0, 0.125}, {11, 0.125}, {-1, 0}});
    free(t.weight);
    t = table_of(&corner, 1, 0); /* half corner, half crease: 0.25 and 0.75 fade */
    expect_mask(&t, 0, 0, (struct term[]){{0, 0.875}, {1, 0.0625}, {3, 0.0625}, {-1, 0}});
    free(t.weight);
}

static void masks_of_limits(void **state)
{
    static const struct table_class smooth = {.n = 3, .k = 5}, two = {.n = 2, .k = 4};
    static const struct table_class crease = {.n = 3, .k = 4, .edge = {0.1f, 0, 2}};
    (void)state;
    struct table t = table_of(&smooth, 0, SDD_LIMIT_AT_LEVEL);
    expect_mask(&t, 0, 0,
                (struct term[]){{0, 9.0 / 24},
                                {1, 4.0 / 24},
                                {2, 4.0 / 24},
                                {3, 4.0 / 24},
                                {4, 1.0 / 24},
                                {5, 1.0 / 24},
                                {6, 1.0 / 24},
                                {-1, 0}});
    expect_mask(&t, 1, 1, /* v1 e1 v2 e2 v3 e3 v4 at 7 .. 13 */
                (struct term[]){{4, 0.5},
                                {1, 0.08},
                                {2, 0.08},
                                {8, 0.08},
                                {10, 0.08},
                                {12, 0.08},
                                {0, 0.02},
                                {7, 0.02},
                                {9, 0.02},
                                {11, 0.02},
                                {13, 0.02},
                                {-1, 0}});
    free(t.weight);
    t = table_of(&two, 0, SDD_LIMIT_AT_LEVEL);
    expect_mask(&t, 0, 0, (struct term[]){{0, 1}, {-1, 0}});
    free(t.weight);
    t = table_of(&two, 0, SDD_LIMIT);
    expect_mask(&t, 0, 0,
                (struct term[]){{0, 4.0 / 14}, {1, 4.0 / 14}, {2, 4.0 / 14}, {3, 1.0 / 14}, {4, 1.0 / 14}, {-1, 0}});
    free(t.weight);
    t = table_of(&crease, 0, SDD_LIMIT_AT_LEVEL);
    expect_mask(&t, 0, 0, (struct term[]){{0, 4.0 / 6}, {1, 1.0 / 6}, {3, 1.0 / 6}, {-1, 0}});
    expect_mask(&t, 1, 0, (struct term[]){{1, 4.0 / 6}, {0, 1.0 / 6}, {7, 1.0 / 6}, {-1, 0}});
    free(t.weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_sum_to_one),
        cmocka_unit_test(mirrored_classes),
        cmocka_unit_test(regular_is_the_product_of_splines),
        cmocka_unit_test(creases_are_splines),
        cmocka_unit_test(masks_of_one_step),
        cmocka_unit_test(masks_of_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
