/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of the tables of triangles, of classes with all that a class can have, and values that the
 * rules say in words. That they are what a mesh does: tests/engines/test_tabulated_loop.c. */
#include "gpu/engines/tabulated/tri_class.h"
#include "tests/unit/tabulated/sample_classes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_STEPS = 4, MIDDLES = 64 };

struct tables {
    int columns, side, points, rows, pairs; /* rows: the points, then those of the sides */
    float *out, *away;
};

static struct tables tables_of(const struct table_tri_class *c, int steps, int limit)
{
    struct sdd_error err = {0};
    struct tables t = {.columns = table_tri_columns(c), .side = 1 << steps, .pairs = table_tri_pairs(c, steps, limit)};
    t.points = (t.side + 1) * (t.side + 2) / 2, t.rows = t.points + 3 * (t.side + 1);
    size_t n = (size_t)t.columns * (size_t)t.rows;
    t.out = calloc(n, sizeof *t.out), t.away = calloc(2 * n * (size_t)t.pairs, sizeof *t.away);
    assert_true(t.out && t.away);
    assert_int_equal(table_tri_table(c, steps, limit, t.out, t.away, &err), SDD_OK);
    return t;
}

static void tables_free(struct tables *t)
{
    free(t->out), free(t->away);
}

/* Rows of ascending j, in them those of ascending i. */
static int row_of(int side, int i, int j)
{
    int row = i;
    for (int k = 0; k < j; k++)
        row += side + 1 - k;
    return row;
}

static struct table_tri_class corner_class(int sample, int turn)
{
    return (struct table_tri_class){.corner = turn, .fan = sample_classes[sample]};
}

/* Edge i: no triangle across, or not sharp, or more or less so. */
static struct table_tri_class middle_class(int number)
{
    static const float sharp[4] = {10, 0, 0.4f, 2.3f};
    struct table_tri_class c = {.corner = 3};
    for (int i = 0; i < 3; i++) {
        int kind = number >> (2 * i) & 3;
        c.edge[i] = sharp[kind];
        c.has_across[i] = kind > 0;
    }
    return c;
}

static void check_laws(const struct table_tri_class *c, int steps, int limit)
{
    struct tables t = tables_of(c, steps, limit);
    const int rows = c->corner == 3 ? t.points : t.rows;
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int k = 0; k < t.columns; k++) {
            double w = (double)t.out[k * t.rows + row];
            assert_true(w >= 0 && w <= 1);
            sum += w;
        }
        assert_true(fabs(sum - 1) < 1e-6);
    }
    for (int k = 0; k < 2 * t.pairs; k++)
        for (int row = 0; row < rows; row++) {
            double sum = 0, size = 0;
            for (int j = 0; j < t.columns; j++) {
                double w = (double)t.away[(k * t.columns + j) * t.rows + row];
                sum += w, size += fabs(w);
            }
            assert_true(fabs(sum) <= 1e-6 * size && size < 100 && (k > 1 || size > 1e-3));
        }
    tables_free(&t);
}

static void test_laws(void **state)
{
    (void)state;
    for (int steps = 0; steps <= MAX_STEPS; steps++)
        for (int limit = 0; limit < 2; limit++) {
            for (int i = 0; i < N_SAMPLE_CLASSES; i++) {
                struct table_tri_class c = corner_class(i, i % 3);
                check_laws(&c, steps, limit);
            }
            for (int i = 0; i < MIDDLES; i++) {
                struct table_tri_class c = middle_class(i);
                check_laws(&c, steps, limit);
            }
        }
}

/* Before the first step the points are the columns that the header says. */
static void test_start(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLE_CLASSES + MIDDLES; i++) {
        struct table_tri_class c = i < N_SAMPLE_CLASSES ? corner_class(i, 0) : middle_class(i - N_SAMPLE_CLASSES);
        const int ends = c.fan.n + c.fan.open, on = 1 + c.fan.own, off = 1 + (c.fan.own + 1) % (ends ? ends : 1);
        const int corner[3] = {0, on, off}, middle[3] = {0, 2, 1};
        struct tables t = tables_of(&c, 0, 0);
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < t.columns; k++)
                assert_true(t.out[k * t.rows + row] == (float)(k == (c.corner == 3 ? middle : corner)[row]));
        tables_free(&t);
    }
}

/* The same piece at another corner has the same rows elsewhere: those of its turn. */
static void test_turns(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLE_CLASSES; i++)
        for (int turn = 1; turn < 3; turn++) {
            struct table_tri_class from = corner_class(i, 0), to = corner_class(i, turn);
            struct tables a = tables_of(&from, 3, 1), b = tables_of(&to, 3, 1);
            for (int y = 0; y <= a.side; y++)
                for (int x = 0; x + y <= a.side; x++) {
                    int weight[3] = {a.side - x - y, x, y}; /* how near to which corner, seen from the first */
                    int at = row_of(a.side, weight[(turn + 1) % 3], weight[(turn + 2) % 3]);
                    for (int k = 0; k < a.columns; k++)
                        assert_true(b.out[k * b.rows + row_of(a.side, x, y)] == a.out[k * a.rows + at]);
                }
            tables_free(&a), tables_free(&b);
        }
}

static void is_near(const struct tables *t, int column, int row, double want)
{
    assert_true(fabs((double)t->out[column * t->rows + row] - want) < 1e-6);
}

/* Sides: from corner to corner, counterclockwise. */
static void test_sides(void **state)
{
    (void)state;
    struct table_tri_class c = corner_class(1, 1);
    struct tables t = tables_of(&c, 3, 0);
    for (int i = 0; i <= t.side; i++) {
        const int at[3] = {row_of(t.side, i, 0), row_of(t.side, t.side - i, i), row_of(t.side, 0, t.side - i)};
        for (int k = 0; k < 3 * t.columns; k++)
            assert_true(t.out[k / 3 * t.rows + t.points + k % 3 * (t.side + 1) + i] ==
                        t.out[k / 3 * t.rows + at[k % 3]]);
        for (int k = 0; k < 6 * t.pairs * t.columns; k++)
            assert_true(t.away[k / 3 * t.rows + t.points + k % 3 * (t.side + 1) + i] ==
                        t.away[k / 3 * t.rows + at[k % 3]]);
    }
    tables_free(&t);
}

/* Loop's masks: the vertex of six, its limit, the middle of an edge; a corner; a boundary. */
static void test_values(void **state)
{
    struct table_tri_class c = {.corner = 0, .fan = {.n = 6}};
    (void)state;
    struct tables t = tables_of(&c, 1, 0);
    is_near(&t, 0, 0, 10.0 / 16), is_near(&t, 4, 0, 1.0 / 16);
    is_near(&t, 0, 1, 3.0 / 8), is_near(&t, 1, 1, 3.0 / 8), is_near(&t, 2, 1, 1.0 / 8), is_near(&t, 6, 1, 1.0 / 8);
    tables_free(&t);
    t = tables_of(&c, 0, 1);
    is_near(&t, 0, 0, 1.0 / 2), is_near(&t, 3, 0, 1.0 / 12), is_near(&t, 7, 1, 1.0 / 12);
    tables_free(&t);
    c.fan.vertex = 10;
    t = tables_of(&c, 2, 1);
    is_near(&t, 0, 0, 1);
    tables_free(&t);
    c.fan = (struct table_class){.n = 3, .open = 1, .own = 1};
    t = tables_of(&c, 1, 0);
    is_near(&t, 0, 0, 3.0 / 4), is_near(&t, 1, 0, 1.0 / 8), is_near(&t, 4, 0, 1.0 / 8), is_near(&t, 2, 0, 0);
    tables_free(&t);
    c = (struct table_tri_class){.corner = 3, .edge = {0.25f, 0, 0}, .has_across = {1, 1, 1}};
    t = tables_of(&c, 1, 0); /* a quarter of the crease's, three quarters of the smooth rule's */
    is_near(&t, 0, 0, 0.25 * 0.75 + 0.75 * 0.625), is_near(&t, 3, 0, 0.25 * 0.125 + 0.75 * 0.0625);
    tables_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws), cmocka_unit_test(test_start),
                                       cmocka_unit_test(test_turns), cmocka_unit_test(test_sides),
                                       cmocka_unit_test(test_values)};
    return cmocka_run_group_tests_name("tables of triangles", tests, NULL, NULL);
}
