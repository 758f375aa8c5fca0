/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair_cycle.c: the parts of the preconditioner of conformal flow, against dense products in plain order. */
#include "gpu/fair/kernels/fair_coarse.tile.h"
#include "gpu/fair/kernels/fair_correct.k.h"
#include "gpu/fair/kernels/fair_restrict.tile.h"
#include "gpu/fair/kernels/fair_smooth.k.h"
#include "tests/kernels/fair/fair_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = CASE_ROWS, GROUPS = 50, BASE = 1000 };
static struct fair_case c;
static uint32_t group[N], begin[GROUPS + 1], member[N], column[CASE_TERMS];
static double *value, *inverse, *b, *x, *coarse, *dense;

/* Rows are in groups at random; columns are counted from BASE. */
static void make_level(void)
{
    uint64_t random = 9;
    uint32_t n = 0;
    for (uint32_t i = 0; i < N; i++)
        group[i] = (uint32_t)random_below(&random, GROUPS);
    for (uint32_t g = 0; g < GROUPS; g++) {
        begin[g] = n;
        for (uint32_t i = 0; i < N; i++)
            if (group[i] == g)
                member[n++] = i;
    }
    begin[GROUPS] = n;
    for (uint32_t e = 0; e < c.n_entries; e++)
        column[e] = c.column[e] + BASE;
    value = fair_random(c.n_entries, 20), inverse = fair_random(N, 21);
    b = fair_random(4 * N, 22), x = fair_random(4 * N, 23), coarse = fair_random(4 * GROUPS, 24);
    dense = fair_random(GROUPS * GROUPS, 25);
}

static struct fair_level upload_level(void)
{
    return (struct fair_level){launch_in(c.row, N + 1, 4),
                               launch_in(column, c.n_entries, 4),
                               launch_in(value, c.n_entries, 8),
                               launch_in(inverse, N, 8),
                               launch_in(group, N, 4),
                               BASE,
                               N};
}

static const struct fair_solver *solver_that_is(int64_t done)
{
    const struct fair_solver s = {.done = done};
    return launch_in(&s, 1, sizeof s);
}

/* With a solver that is done a kernel leaves its output as it was. */
#define STAYS(kernel, args, output, rows, launches)                                                                    \
    do {                                                                                                               \
        struct kernel##_args idle = (args);                                                                            \
        idle.output = launch_inout(x, rows, 32);                                                                       \
        idle.solver = solver_that_is(1);                                                                               \
        LAUNCH(kernel, &idle, launches);                                                                               \
        fair_near(idle.output, x, 4 * (rows), 0, "nothing once it is done");                                           \
    } while (0)

/* out = b - A y */
static void residual(const double *y, double *out)
{
    memcpy(out, b, 4 * N * sizeof *b);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++)
            for (uint32_t k = 0; k < 4; k++)
                out[4 * i + k] -= value[e] * y[4 * c.column[e] + k];
}

/* y += d (b - A y) */
static void jacobi(double *y)
{
    static double r[4 * N];
    residual(y, r);
    for (int i = 0; i < 4 * N; i++)
        y[i] += inverse[i / 4] * r[i];
}

static void test_smooth(void **state)
{
    static double want[4 * N];
    (void)state;
    memset(want, 0, sizeof want);
    jacobi(want);
    jacobi(want);
    struct fair_smooth_args a = {upload_level(), launch_in(b, N, 32), launch_out(N, 32), solver_that_is(0)};
    LAUNCH(fair_smooth, &a, N);
    fair_near(a.x, want, 4 * N, 100, "two steps from zero");
    STAYS(fair_smooth, a, x, N, N);
    launch_end();
}

/* want = the sums of b - A y over groups */
static void restricted(const double *y, double *want)
{
    static double r[4 * N];
    memset(want, 0, 4 * GROUPS * sizeof *want);
    residual(y, r);
    for (uint32_t i = 0; i < 4 * N; i++)
        want[4 * group[i / 4] + i % 4] += r[i];
}

static void test_restrict(void **state)
{
    static double r[4 * N], want[4 * GROUPS];
    const int64_t tiles = (GROUPS + FAIR_GROUPS - 1) / FAIR_GROUPS;
    (void)state;
    residual(x, r);
    restricted(x, want);
    struct fair_restrict_args a = {.level = upload_level(),
                                   .b = launch_in(b, N, 32),
                                   .x = launch_in(x, N, 32),
                                   .begin = launch_in(begin, GROUPS + 1, 4),
                                   .member = launch_in(member, N, 4),
                                   .left = launch_out(N, 32),
                                   .out = launch_out(GROUPS, 32),
                                   .solver = solver_that_is(0),
                                   .n_groups = GROUPS};
    LAUNCH(fair_restrict, &a, tiles);
    fair_near(a.left, r, 4 * N, 100, "what is left");
    fair_near(a.out, want, 4 * GROUPS, 100, "sums over groups");
    STAYS(fair_restrict, a, out, GROUPS, tiles);
    STAYS(fair_restrict, a, left, N, tiles);
    launch_end();
}

/* y += 1.6 of its group's correction */
static void raise(double *y, const double *by)
{
    for (uint32_t i = 0; i < 4 * N; i++)
        y[i] += 1.6 * by[4 * group[i / 4] + i % 4];
}

static void test_correct(void **state)
{
    static double want[4 * N];
    (void)state;
    memcpy(want, x, sizeof want);
    raise(want, coarse);
    jacobi(want);
    struct fair_correct_args a = {upload_level(),      launch_in(b, N, 32),
                                  launch_in(x, N, 32), launch_in(coarse, GROUPS, 32),
                                  launch_out(N, 32),   solver_that_is(0)};
    LAUNCH(fair_correct, &a, N);
    fair_near(a.out, want, 4 * N, 100, "a step after the correction");
    STAYS(fair_correct, a, out, N, N);
    launch_end();
}

/* out = the inverse times b of groups */
static void invert(const double *from, double *out)
{
    memset(out, 0, 4 * GROUPS * sizeof *out);
    for (int i = 0; i < GROUPS; i++)
        for (int k = 0; k < 4 * GROUPS; k++)
            out[4 * i + k % 4] += dense[i * GROUPS + k / 4] * from[k];
}

static struct fair_on_level upload_on_level(void)
{
    return (struct fair_on_level){.level = upload_level(),
                                  .b = launch_in(b, N, 32),
                                  .out = launch_out(N, 32),
                                  .begin = launch_in(begin, GROUPS + 1, 4),
                                  .member = launch_in(member, N, 4)};
}

/* Two levels, the last by its inverse. */
static void test_coarse(void **state)
{
    static double want[4 * N], smoothed[4 * N], once[4 * N], sums[4 * GROUPS], correction[4 * GROUPS];
    (void)state;
    memset(want, 0, sizeof want);
    jacobi(want);
    jacobi(want);
    memcpy(smoothed, want, sizeof want);
    restricted(want, sums);
    invert(sums, correction);
    raise(want, correction);
    jacobi(want);
    memcpy(once, want, sizeof want);
    jacobi(want);
    struct fair_coarse_args a = {
        .dense = launch_in(dense, GROUPS * GROUPS, 8), .solver = solver_that_is(0), .n_levels = 1};
    a.level[0] = upload_on_level();
    a.level[0].x = launch_out(N, 32);
    a.level[0].y = launch_out(N, 32);
    a.level[1].level.n = GROUPS;
    a.level[1].b = launch_out(GROUPS, 32);
    a.level[1].out = launch_out(GROUPS, 32);
    LAUNCH(fair_coarse, &a, 1);
    fair_near(a.level[0].x, smoothed, 4 * N, 100, "two steps from zero");
    fair_near(a.level[1].b, sums, 4 * GROUPS, 1e3, "sums over groups");
    fair_near(a.level[1].out, correction, 4 * GROUPS, 1e4, "the inverse times these");
    fair_near(a.level[0].y, once, 4 * N, 1e5, "a step after the correction");
    fair_near(a.level[0].out, want, 4 * N, 1e5, "a cycle of two levels");
    STAYS(fair_coarse, a, level[0].out, N, 1);
    STAYS(fair_coarse, a, level[1].out, GROUPS, 1);
    launch_end();
}

/* One level: by its inverse, and by two steps where there is none. */
static void test_last_level(void **state)
{
    static double want[4 * N], inverted[4 * GROUPS];
    (void)state;
    memset(want, 0, sizeof want);
    jacobi(want);
    jacobi(want);
    invert(coarse, inverted);
    struct fair_coarse_args a = {.solver = solver_that_is(0)}, by_inverse = a;
    a.level[0] = upload_on_level();
    by_inverse.dense = launch_in(dense, GROUPS * GROUPS, 8);
    by_inverse.level[0].level.n = GROUPS;
    by_inverse.level[0].b = launch_in(coarse, GROUPS, 32);
    by_inverse.level[0].out = launch_out(GROUPS, 32);
    LAUNCH(fair_coarse, &a, 1);
    LAUNCH(fair_coarse, &by_inverse, 1);
    fair_near(a.level[0].out, want, 4 * N, 100, "two steps from zero");
    fair_near(by_inverse.level[0].out, inverted, 4 * GROUPS, 100, "the inverse times b");
    launch_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth), cmocka_unit_test(test_restrict),
                                       cmocka_unit_test(test_correct), cmocka_unit_test(test_coarse),
                                       cmocka_unit_test(test_last_level)};
    fair_case_make(&c, 3);
    make_level();
    const int failed = LAUNCH_GROUP("fair cycle", tests);
    free(value), free(inverse), free(b), free(x), free(coarse), free(dense);
    return failed;
}
