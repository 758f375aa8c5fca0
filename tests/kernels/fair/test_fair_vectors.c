/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair_vectors.c: sums, conjugate gradients and the quaternions of conformal flow, against sums in plain order and
 * products of 4 x 4 matrices. */
#include "gpu/fair/kernels/fair_advance.tile.h"
#include "gpu/fair/kernels/fair_direction.k.h"
#include "gpu/fair/kernels/fair_distortion.k.h"
#include "gpu/fair/kernels/fair_divergence.k.h"
#include "gpu/fair/kernels/fair_dots.tile.h"
#include "gpu/fair/kernels/fair_exact.k.h"
#include "gpu/fair/kernels/fair_guess.k.h"
#include "gpu/fair/kernels/fair_inner.tile.h"
#include "gpu/fair/kernels/fair_iterate.k.h"
#include "gpu/fair/kernels/fair_place.k.h"
#include "gpu/fair/kernels/fair_rho.k.h"
#include "gpu/fair/kernels/fair_scalars.tile.h"
#include "gpu/fair/kernels/fair_start.tile.h"
#include "gpu/fair/kernels/fair_take.k.h"
#include "gpu/fair/kernels/fair_total.tile.h"
#include "gpu/fair/kernels/fair_turn.k.h"
#include "gpu/fair/kernels/fair_unit.k.h"
#include "tests/kernels/fair/fair_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = CASE_ROWS, TILES = (N + FAIR_LANES - 1) / FAIR_LANES };
static struct fair_case c;
static double *numbers[6]; /* Shape [4 N] each, at random. */

static double *in(const double *from, int64_t n)
{
    return launch_in(from, n, sizeof *from);
}

static void test_dots(void **state)
{
    static double want[4 * TILES];
    (void)state;
    for (int plain = 0; plain < 2; plain++) { /* Quaternions under masses; then numbers with nothing. */
        memset(want, 0, sizeof want);
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < N; i++)
                want[j * TILES + i / FAIR_LANES] +=
                    plain ? numbers[0][j * N + i] : c.mass[i] * numbers[0][4 * i + j] * numbers[1][i];
        struct fair_dots_args a = {.mass = plain ? NULL : in(c.mass, N),
                                   .a = in(numbers[0], 4 * N),
                                   .b = plain ? NULL : in(numbers[1], 4 * N),
                                   .part = launch_out(4 * TILES, 8),
                                   .a_step = plain ? 1 : 4,
                                   .a_stride = plain ? N : 1,
                                   .b_step = 1,
                                   .n = N,
                                   .n_tiles = TILES};
        LAUNCH(fair_dots, &a, 4 * TILES);
        fair_near(a.part, want, 4 * TILES, 100, "parts of sums");
        launch_end();
    }
}

static void test_total(void **state)
{
    enum { PARTS = 600 };
    double want[2] = {0};
    (void)state;
    for (int i = 0; i < 2 * PARTS; i++)
        want[i / PARTS] += numbers[2][i];
    struct fair_total_args a = {in(numbers[2], 2 * PARTS), launch_out(2, 8), PARTS};
    LAUNCH(fair_total, &a, 2);
    fair_near(a.out, want, 2, 100, "sums");
    launch_end();
}

static void test_take_unit_rho(void **state)
{
    static double taken[N], unit[N], rho[N];
    const double coefficient[3] = {0.5, -2, 3}, square = 6.25, tiny = 1e-30;
    (void)state;
    for (int i = 0; i < N; i++) {
        double along = 0;
        for (int j = 0; j < 3; j++)
            along += coefficient[j] * numbers[0][j * N + i];
        taken[i] = numbers[1][i] - along;
        unit[i] = numbers[1][i] / 2.5;
        rho[i] = c.rim[i] ? 0 : 0.25 * (along - numbers[2][i]);
    }
    const double *basis = in(numbers[0], 3 * N), *k = in(coefficient, 3);
    struct fair_take_args take = {basis, k, launch_inout(numbers[1], N, 8), N, 3};
    struct fair_unit_args scale = {in(&square, 1), launch_inout(numbers[1], N, 8), 1e-3};
    struct fair_unit_args vanish = {in(&tiny, 1), launch_inout(numbers[1], N, 8), 1e-3};
    struct fair_rho_args go = {in(numbers[2], N), basis, k, launch_in(c.rim, N, 4), launch_out(N, 8), N, 0.25, 3};
    LAUNCH(fair_take, &take, N);
    LAUNCH(fair_unit, &scale, N);
    LAUNCH(fair_unit, &vanish, N);
    LAUNCH(fair_rho, &go, N);
    fair_near(take.vector, taken, N, 10, "what is left");
    fair_near(scale.vector, unit, N, 1, "a unit vector");
    memset(unit, 0, sizeof unit);
    fair_near(vanish.vector, unit, N, 0, "nothing");
    fair_near(go.rho, rho, N, 10, "rho");
    launch_end();
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void test_start(void **state)
{
    static double r[4 * N], rr[TILES], bb[TILES];
    (void)state;
    memset(rr, 0, sizeof rr), memset(bb, 0, sizeof bb);
    for (int i = 0; i < 4 * N; i++) {
        r[i] = c.rim[i / 4] && i % 4 ? 0 : numbers[0][i] - numbers[1][i];
        rr[i / 4 / FAIR_LANES] += r[i] * r[i];
        bb[i / 4 / FAIR_LANES] += numbers[0][i] * numbers[0][i];
    }
    struct fair_start_args a = {in(numbers[0], 4 * N),
                                in(numbers[1], 4 * N),
                                launch_in(c.rim, N, 4),
                                launch_out(4 * N, 8),
                                launch_out(TILES, 8),
                                launch_out(TILES, 8),
                                N,
                                0xe};
    LAUNCH(fair_start, &a, TILES);
    fair_near(a.r, r, 4 * N, 10, "r");
    fair_near(a.rr, rr, TILES, 1e4, "r . r");
    fair_near(a.bb, bb, TILES, 1e4, "b . b");
    launch_end();
}

static const double half_products[2] = {1.5, 2.5}; /* The parts of p . q, whose sum is 4. */

/* A step, and the same with a solver that is done: nothing changes. */
static void test_iteration(void **state)
{
    static double x[4 * N], r[4 * N], z[4 * N], p[4 * N], rr[TILES], rz[TILES];
    (void)state;
    memset(rr, 0, sizeof rr), memset(rz, 0, sizeof rz);
    for (int i = 0; i < 4 * N; i++) {
        x[i] = numbers[2][i] + 0.75 * numbers[1][i];
        r[i] = numbers[3][i] - 0.75 * numbers[0][i];
        z[i] = c.rim[i / 4] && i % 4 ? 0 : numbers[4][i];
        p[i] = numbers[4][i] - 0.5 * numbers[1][i];
        rr[i / 4 / FAIR_LANES] += r[i] * r[i];
        rz[i / 4 / FAIR_LANES] += numbers[0][i] * z[i];
    }
    for (int64_t done = 0; done < 2; done++) {
        const struct fair_solver solver = {.rz = 3, .beta = -0.5, .done = done};
        const struct fair_solver *s = launch_in(&solver, 1, sizeof solver);
        struct fair_advance_args a = {.q = in(numbers[0], 4 * N),
                                      .p = in(numbers[1], 4 * N),
                                      .pq = in(half_products, 2),
                                      .x = launch_inout(numbers[2], 4 * N, 8),
                                      .r = launch_inout(numbers[3], 4 * N, 8),
                                      .part = launch_inout(numbers[5], TILES, 8),
                                      .solver = s,
                                      .n = N,
                                      .n_pq = 2};
        struct fair_inner_args inner = {.r = in(numbers[0], 4 * N),
                                        .rim = launch_in(c.rim, N, 4),
                                        .z = launch_inout(numbers[4], 4 * N, 8),
                                        .part = launch_inout(numbers[5], TILES, 8),
                                        .solver = s,
                                        .n = N,
                                        .held = 0xe};
        struct fair_direction_args d = {in(numbers[4], 4 * N), launch_inout(numbers[1], 4 * N, 8), s};
        LAUNCH(fair_advance, &a, TILES);
        LAUNCH(fair_inner, &inner, TILES);
        LAUNCH(fair_direction, &d, N);
        fair_near(a.x, done ? numbers[2] : x, 4 * N, done ? 0 : 10, "x");
        fair_near(a.r, done ? numbers[3] : r, 4 * N, done ? 0 : 10, "r");
        fair_near(a.part, done ? numbers[5] : rr, TILES, done ? 0 : 1e4, "r . r");
        fair_near(inner.z, done ? numbers[4] : z, 4 * N, 0, "z");
        fair_near(inner.part, done ? numbers[5] : rz, TILES, done ? 0 : 1e4, "r . z");
        fair_near(d.p, done ? numbers[1] : p, 4 * N, done ? 0 : 10, "p");
        launch_end();
    }
}

/* Where p . q is not positive nothing moves. */
static void test_no_step(void **state)
{
    const struct fair_solver solver = {.rz = 3};
    const double products[2] = {1, -1};
    double rr[TILES] = {0};
    (void)state;
    for (int i = 0; i < 4 * N; i++)
        rr[i / 4 / FAIR_LANES] += numbers[3][i] * numbers[3][i];
    struct fair_advance_args a = {.q = in(numbers[0], 4 * N),
                                  .p = in(numbers[1], 4 * N),
                                  .pq = in(products, 2),
                                  .x = launch_inout(numbers[2], 4 * N, 8),
                                  .r = launch_inout(numbers[3], 4 * N, 8),
                                  .part = launch_out(TILES, 8),
                                  .solver = launch_in(&solver, 1, sizeof solver),
                                  .n = N,
                                  .n_pq = 2};
    LAUNCH(fair_advance, &a, TILES);
    fair_near(a.x, numbers[2], 4 * N, 0, "x");
    fair_near(a.r, numbers[3], 4 * N, 0, "r");
    fair_near(a.part, rr, TILES, 1e4, "r . r");
    launch_end();
}

/* The last step of the preconditioner, on the whole surface. */
static void test_inner_relaxes(void **state)
{
    static double z[4 * N], rz[TILES];
    double *value = fair_random(c.n_entries, 31), *inverse = fair_random(N, 32);
    const struct fair_solver solver = {0};
    (void)state;
    memset(rz, 0, sizeof rz);
    for (uint32_t i = 0; i < 4 * N; i++) {
        double left = numbers[0][i];
        for (uint32_t e = c.row[i / 4]; e < c.row[i / 4 + 1]; e++)
            left -= value[e] * numbers[1][4 * c.column[e] + i % 4];
        z[i] = c.rim[i / 4] && i % 4 ? 0 : numbers[1][i] + inverse[i / 4] * left;
        rz[i / 4 / FAIR_LANES] += numbers[0][i] * z[i];
    }
    struct fair_inner_args a = {.level = {.row = launch_in(c.row, N + 1, 4),
                                          .column = launch_in(c.column, c.n_entries, 4),
                                          .value = in(value, c.n_entries),
                                          .inverse = in(inverse, N)},
                                .r = in(numbers[0], 4 * N),
                                .x = in(numbers[1], 4 * N),
                                .rim = launch_in(c.rim, N, 4),
                                .z = launch_out(4 * N, 8),
                                .part = launch_out(TILES, 8),
                                .solver = launch_in(&solver, 1, sizeof solver),
                                .n = N,
                                .held = 0xe};
    LAUNCH(fair_inner, &a, TILES);
    fair_near(a.z, z, 4 * N, 100, "z");
    fair_near(a.part, rz, TILES, 1e4, "r . z");
    launch_end();
    free(value), free(inverse);
}

/* The first direction is z, whatever p holds. */
static void test_first_direction(void **state)
{
    const struct fair_solver solver = {.beta = 0};
    (void)state;
    double *p = fair_random(4 * N, 4);
    p[7] = NAN;
    struct fair_direction_args d = {in(numbers[4], 4 * N), launch_inout(p, 4 * N, 8),
                                    launch_in(&solver, 1, sizeof solver)};
    LAUNCH(fair_direction, &d, N);
    fair_near(d.p, numbers[4], 4 * N, 0, "p");
    launch_end();
    free(p);
}

static struct fair_solver scalars(struct fair_solver from, int what, int held, const double sum[3])
{
    double parts[900];
    for (int k = 0; k < 3; k++) /* 300 parts of each. */
        for (int i = 0; i < 300; i++)
            parts[300 * k + i] = i == 271 ? sum[k] - 299 : 1;
    struct fair_scalars_args a = {in(parts, 900), launch_inout(&from, 1, sizeof from), 300, 0.1, what, held};
    LAUNCH(fair_scalars, &a, 1);
    const struct fair_solver out = *(const struct fair_solver *)launch_got(a.solver);
    launch_end();
    return out;
}

static void test_scalars(void **state)
{
    const double begin[3] = {400, 16, 8}, next[3] = {4, 6, 2}, end[3] = {4, 3, 1}, bad[3] = {4, NAN, 1},
                 no[3] = {-1, 6, 2};
    (void)state;
    struct fair_solver s = scalars((struct fair_solver){.n = 77, .done = 1}, FAIR_BEGIN, 0, begin);
    assert_true(s.rr == 16 && s.rz == 8 && s.beta == 0 && fabs(s.goal - 4) < 1e-12 && s.n == 0 && s.done == 0);
    s = scalars(s, FAIR_NEXT, 0, next);
    assert_true(s.beta == 0.25 && s.rz == 2 && s.rr == 6 && s.n == 1 && s.done == 0);
    assert_int_equal(scalars(s, FAIR_NEXT, 0, bad).done, 2);
    const struct fair_solver not_positive = scalars(s, FAIR_NEXT, 0, no);
    assert_true(not_positive.done == 2 && not_positive.n == 1 && not_positive.rr == 6);
    s = scalars(s, FAIR_NEXT, 0, end);
    assert_true(s.n == 2 && s.done == 1);
    s = scalars(s, FAIR_NEXT, 0, next); /* Done is done. */
    assert_true(s.n == 2 && s.rr == 3);
    s = scalars(s, FAIR_BEGIN, 1, begin);
    assert_true(fabs(s.goal - 0.16) < 1e-12);
}

static void test_iterate_and_guess(void **state)
{
    static double x[4 * N], b[4 * N], guess[4 * N], one[4 * N];
    const double sum[5] = {1, 2, 0.5, 0.5, 2};
    (void)state;
    for (int i = 0; i < 4 * N; i++) {
        b[i] = c.mass[i / 4] * numbers[0][i] / 2;
        x[i] = numbers[0][i]; /* Over 2, over the quotient of 2 and 4. */
        guess[i] = numbers[0][i] * c.mass[i / 4] * (c.rim[i / 4] ? 3 : 0.5);
        one[i] = i % 4 == 0 && c.rim[i / 4];
    }
    const uint32_t *rim = launch_in(c.rim, N, 4);
    struct fair_iterate_args a = {in(c.mass, N), in(sum, 5), launch_inout(numbers[0], 4 * N, 8), launch_out(4 * N, 8),
                                  0.1};
    struct fair_iterate_args least = a;
    least.x = launch_inout(numbers[0], 4 * N, 8), least.b = launch_out(4 * N, 8), least.least = 0.5;
    struct fair_guess_args g = {in(numbers[0], 4 * N), in(c.mass, N), rim, launch_out(4 * N, 8), 3, 0.5};
    struct fair_guess_args h = {NULL, NULL, rim, launch_out(4 * N, 8), 1, 0};
    LAUNCH(fair_iterate, &a, N);
    LAUNCH(fair_iterate, &least, N);
    LAUNCH(fair_guess, &g, N);
    LAUNCH(fair_guess, &h, N);
    fair_near(a.x, x, 4 * N, 1, "x");
    fair_near(a.b, b, 4 * N, 10, "b");
    fair_near(least.x, x, 4 * N, 1, "x by the least quotient");
    fair_near(least.b, b, 4 * N, 10, "b");
    fair_near(g.out, guess, 4 * N, 10, "a guess");
    fair_near(h.out, one, 4 * N, 0, "the quaternion 1 on the rim");
    launch_end();
}

/* out = a b of quaternions. */
static void multiply(const double a[4], const double b[4], double out[4])
{
    double m[4][4];
    oracle_left(a, m);
    for (int k = 0; k < 4; k++)
        out[k] = dot4(m[k], b);
}

static void test_turn(void **state)
{
    static double mean[4], mean_after[4], square;
    const double area = 7;
    double sum[8] = {0};
    (void)state;
    for (int i = 0; i < 4 * N; i++) {
        sum[i % 4] += c.mass[i / 4] * c.lambda[i];
        sum[4 + i % 4] += c.mass[i / 4] * c.lambda[i] * c.lambda[i];
    }
    struct fair_turn_args a = {in(sum, 8), launch_inout(c.lambda, 4 * N, 8), area};
    LAUNCH(fair_turn, &a, N);
    const double *got = launch_got(a.lambda);
    memcpy(mean, sum, sizeof mean);
    for (int i = 0; i < 4 * N; i++) {
        mean_after[i % 4] += c.mass[i / 4] * got[i];
        square += c.mass[i / 4] * got[i] * got[i];
    }
    assert_true(fabs(square - area) < 1e-12 * area);
    assert_true(mean_after[0] > 0);
    for (int k = 1; k < 4; k++)
        assert_true(fabs(mean_after[k]) < 1e-12);
    for (int i = 1; i < N; i++) { /* l_i / l_0 stays: conj(l_0) from the left takes the turn off, up to a scale. */
        double before[4], after[4];
        const double l0[4] = {c.lambda[0], -c.lambda[1], -c.lambda[2], -c.lambda[3]};
        const double g0[4] = {got[0], -got[1], -got[2], -got[3]};
        multiply(c.lambda + 4 * i, l0, before);
        multiply(got + 4 * i, g0, after);
        const double scale = dot4(got, got) / dot4(c.lambda, c.lambda);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(after[k] - scale * before[k]) < 1e-12);
    }
    launch_end();
}

/* The edge from i to j that the quaternions make: the integral of conj(l) e l, l linear, by Simpson's rule, which is
 * exact for squares. */
static void oracle_spin(uint32_t i, uint32_t j, double out[4])
{
    static const double weight[3] = {1. / 6, 4. / 6, 1. / 6};
    double e[4];
    memset(out, 0, 4 * sizeof *out);
    for (int k = 0; k < 4; k++)
        e[k] = c.points[4 * j + (uint32_t)k] - c.points[4 * i + (uint32_t)k];
    for (int s = 0; s < 3; s++) {
        double l[4], back[4], el[4], value[4];
        for (int k = 0; k < 4; k++) {
            l[k] = c.lambda[4 * i + (uint32_t)k] * (1 - s / 2.) + c.lambda[4 * j + (uint32_t)k] * (s / 2.);
            back[k] = k ? -l[k] : l[k];
        }
        multiply(e, l, el);
        multiply(back, el, value);
        for (int k = 1; k < 4; k++)
            out[k] += weight[s] * value[k];
    }
}

static void test_divergence_and_exact(void **state)
{
    static double divergence[4 * N], exact[2 * N];
    double *laplacian = fair_random(c.n_entries, 3);
    (void)state;
    memset(divergence, 0, sizeof divergence);
    memset(exact, 0, sizeof exact);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++) {
            double edge[4];
            const uint32_t j = c.column[e];
            oracle_spin(i, j, edge);
            for (uint32_t k = 0; k < 4; k++) {
                divergence[4 * i + k] += laplacian[e] * edge[k];
                const double off = numbers[0][4 * j + k] - numbers[0][4 * i + k] - edge[k];
                exact[2 * i] += fabs(laplacian[e]) * off * off;
                exact[2 * i + 1] += fabs(laplacian[e]) * edge[k] * edge[k];
            }
        }
    struct fair_divergence_args d = {fair_case_mesh(&c),  in(laplacian, c.n_entries), in(c.points, 4 * N),
                                     in(c.lambda, 4 * N), launch_out(4 * N, 8),       0};
    struct fair_exact_args x = {d.mesh,   d.laplacian,          d.points, in(numbers[0], 4 * N),
                                d.lambda, launch_out(2 * N, 8), 0};
    LAUNCH(fair_divergence, &d, N);
    LAUNCH(fair_exact, &x, N);
    fair_near(d.out, divergence, 4 * N, 100, "divergence");
    fair_near(x.out, exact, 2 * N, 1e3, "exactness");
    launch_end();
    free(laplacian);
}

static void test_place(void **state)
{
    static double want[4 * N];
    (void)state;
    for (int i = 0; i < 4 * N; i++)
        want[i] = 3 * c.points[i] + (i % 4 ? i % 4 - 2 : 0);
    struct fair_place_args a = {launch_inout(c.points, 4 * N, 8), 3, {-1, 0, 1}};
    LAUNCH(fair_place, &a, N);
    fair_near(a.points, want, 4 * N, 100, "places");
    launch_end();
}

/* A linear map of known singular values shears all triangles of a plane alike, and a turn in space shears none. */
static void test_distortion(void **state)
{
    static double flat[4 * N], sheared[4 * N], turned[4 * N], area[CASE_TRIANGLES];
    (void)state;
    memset(flat, 0, sizeof flat), memset(sheared, 0, sizeof sheared), memset(turned, 0, sizeof turned);
    for (int i = 0; i < N; i++) {
        const double x = c.points[4 * i + 1], y = c.points[4 * i + 2];
        flat[4 * i + 1] = x, flat[4 * i + 2] = y;
        sheared[4 * i + 1] = 0.6 * 3 * x - 0.8 * 2 * y, sheared[4 * i + 3] = 0.8 * 3 * x + 0.6 * 2 * y;
        turned[4 * i + 1] = 5 * y, turned[4 * i + 2] = 5 * x;
    }
    for (int i = 0; i < CASE_TRIANGLES; i++)
        area[i] = oracle_triangle_of(c.triangle + 3 * i, flat).area;
    for (int k = 0; k < 2; k++) {
        struct fair_distortion_args a = {launch_in(c.triangle, CASE_TRIANGLES, 12),
                                         in(flat, 4 * N),
                                         in(k ? sheared : turned, 4 * N),
                                         launch_out(CASE_TRIANGLES, 8),
                                         launch_out(CASE_TRIANGLES, 8),
                                         launch_out(CASE_TRIANGLES, 8)};
        LAUNCH(fair_distortion, &a, CASE_TRIANGLES);
        const double *ratio = launch_got(a.ratio);
        for (int i = 0; i < CASE_TRIANGLES; i++)
            assert_true(fabs(ratio[i] - (k ? 1.5 : 1)) < 1e-6);
        launch_same(a.key, ratio, "the bits of ratios");
        fair_near(a.area, area, CASE_TRIANGLES, 10, "areas");
        launch_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dots),          cmocka_unit_test(test_total),
        cmocka_unit_test(test_take_unit_rho), cmocka_unit_test(test_start),
        cmocka_unit_test(test_iteration),     cmocka_unit_test(test_no_step),
        cmocka_unit_test(test_inner_relaxes), cmocka_unit_test(test_first_direction),
        cmocka_unit_test(test_scalars),       cmocka_unit_test(test_iterate_and_guess),
        cmocka_unit_test(test_turn),          cmocka_unit_test(test_divergence_and_exact),
        cmocka_unit_test(test_place),         cmocka_unit_test(test_distortion)};
    fair_case_make(&c, 2);
    for (uint64_t i = 0; i < 6; i++)
        numbers[i] = fair_random(4 * N, 10 + i);
    const int failed = LAUNCH_GROUP("fair vectors", tests);
    for (int i = 0; i < 6; i++)
        free(numbers[i]);
    return failed;
}
