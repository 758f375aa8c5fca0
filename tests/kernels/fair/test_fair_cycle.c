/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair_cycle.c: the parts of the preconditioner of conformal flow, against dense products in plain order. */
#include "gpu/fair/kernels/fair_coarsest.k.h"
#include "gpu/fair/kernels/fair_correct.k.h"
#include "gpu/fair/kernels/fair_relax.k.h"
#include "gpu/fair/kernels/fair_restrict.k.h"
#include "gpu/fair/kernels/fair_smooth.k.h"
#include "tests/kernels/fair/fair_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = CASE_ROWS, GROUPS = 50, BASE = 1000 };
static struct fair_case c;
static uint32_t group[N], begin[GROUPS + 1], member[N], column[CASE_TERMS];
static double *value, *inverse, *b, *x, *coarse;

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
}

static struct fair_level upload_level(void)
{
    return (struct fair_level){launch_in(c.row, N + 1, 4),       launch_in(column, c.n_entries, 4),
                               launch_in(value, c.n_entries, 8), launch_in(inverse, N, 8),
                               launch_in(group, N, 4),           BASE};
}

static const struct fair_solver *solver_that_is(int64_t done)
{
    const struct fair_solver s = {.done = done};
    return launch_in(&s, 1, sizeof s);
}

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
    struct fair_smooth_args idle = {a.level, a.b, launch_inout(x, N, 32), solver_that_is(1)};
    LAUNCH(fair_smooth, &a, N);
    LAUNCH(fair_smooth, &idle, N);
    fair_near(a.x, want, 4 * N, 100, "two steps from zero");
    fair_near(idle.x, x, 4 * N, 0, "nothing once it is done");
    launch_end();
}

static void test_restrict(void **state)
{
    static double r[4 * N], want[4 * GROUPS];
    (void)state;
    memset(want, 0, sizeof want);
    residual(x, r);
    for (uint32_t i = 0; i < 4 * N; i++)
        want[4 * group[i / 4] + i % 4] += r[i];
    struct fair_restrict_args a = {.level = upload_level(),
                                   .b = launch_in(b, N, 32),
                                   .x = launch_in(x, N, 32),
                                   .begin = launch_in(begin, GROUPS + 1, 4),
                                   .member = launch_in(member, N, 4),
                                   .out = launch_out(GROUPS, 32),
                                   .solver = solver_that_is(0)};
    struct fair_restrict_args idle = a;
    idle.out = launch_inout(coarse, GROUPS, 32), idle.solver = solver_that_is(1);
    LAUNCH(fair_restrict, &a, GROUPS);
    LAUNCH(fair_restrict, &idle, GROUPS);
    fair_near(a.out, want, 4 * GROUPS, 100, "sums over groups");
    fair_near(idle.out, coarse, 4 * GROUPS, 0, "nothing once it is done");
    launch_end();
}

static void test_correct_and_relax(void **state)
{
    static double corrected[4 * N], relaxed[4 * N];
    (void)state;
    for (uint32_t i = 0; i < 4 * N; i++)
        corrected[i] = x[i] + 1.6 * coarse[4 * group[i / 4] + i % 4];
    memcpy(relaxed, x, sizeof relaxed);
    jacobi(corrected);
    jacobi(relaxed);
    struct fair_relax_args r = {upload_level(), launch_in(b, N, 32), launch_in(x, N, 32), launch_out(N, 32),
                                solver_that_is(0)};
    struct fair_correct_args a = {r.level, r.b, r.x, launch_in(coarse, GROUPS, 32), launch_out(N, 32), r.solver};
    struct fair_relax_args idle = {r.level, r.b, r.x, launch_inout(b, N, 32), solver_that_is(1)};
    struct fair_correct_args idle_too = {r.level, r.b, r.x, a.coarse, launch_inout(b, N, 32), idle.solver};
    LAUNCH(fair_relax, &r, N);
    LAUNCH(fair_correct, &a, N);
    LAUNCH(fair_relax, &idle, N);
    LAUNCH(fair_correct, &idle_too, N);
    fair_near(r.out, relaxed, 4 * N, 100, "a step");
    fair_near(a.out, corrected, 4 * N, 100, "a step after the correction");
    fair_near(idle.out, b, 4 * N, 0, "nothing once it is done");
    fair_near(idle_too.out, b, 4 * N, 0, "nothing once it is done");
    launch_end();
}

static void test_coarsest(void **state)
{
    static double want[4 * GROUPS];
    double *dense = fair_random(GROUPS * GROUPS, 30);
    (void)state;
    memset(want, 0, sizeof want);
    for (int i = 0; i < GROUPS; i++)
        for (int k = 0; k < 4 * GROUPS; k++)
            want[4 * i + k % 4] += dense[i * GROUPS + k / 4] * coarse[k];
    struct fair_coarsest_args a = {launch_in(dense, GROUPS * GROUPS, 8), launch_in(coarse, GROUPS, 32),
                                   launch_out(GROUPS, 32), solver_that_is(0), GROUPS};
    struct fair_coarsest_args idle = {a.inverse, a.b, launch_inout(b, GROUPS, 32), solver_that_is(1), GROUPS};
    LAUNCH(fair_coarsest, &a, GROUPS);
    LAUNCH(fair_coarsest, &idle, GROUPS);
    fair_near(a.x, want, 4 * GROUPS, 100, "the inverse times b");
    fair_near(idle.x, b, 4 * GROUPS, 0, "nothing once it is done");
    launch_end();
    free(dense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth), cmocka_unit_test(test_restrict),
                                       cmocka_unit_test(test_correct_and_relax), cmocka_unit_test(test_coarsest)};
    fair_case_make(&c, 3);
    make_level();
    const int failed = LAUNCH_GROUP("fair cycle", tests);
    free(value), free(inverse), free(b), free(x), free(coarse);
    return failed;
}
