/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair_forms.c: the constraints of handles, against sums over edges and triangles with 4 x 4 matrices. Law: a form
 * that is the difference of its potential is seen by nobody. */
#include "gpu/fair/kernels/fair_adjoint.k.h"
#include "gpu/fair/kernels/fair_constraint.k.h"
#include "gpu/fair/kernels/fair_source.k.h"
#include "tests/kernels/fair/fair_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = CASE_ROWS, FORMS = 3, FIRST = 40 };
static struct fair_case c;
static double laplacian[CASE_TERMS], potential[4 * N];
static int8_t form[FORMS * CASE_TERMS];

static uint32_t entry_at(uint32_t i, uint32_t j)
{
    uint32_t e = c.row[i];
    while (c.column[e] != j)
        e++;
    return e;
}

/* A symmetric matrix and antisymmetric forms, entry by entry. */
static void make_forms(void)
{
    uint64_t random = 5;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++) {
            const uint32_t j = c.column[e];
            laplacian[e] = 2.0 * (double)random_unit(&random) - 1.0;
            if (j < i)
                laplacian[e] = laplacian[entry_at(j, i)];
            for (uint32_t k = 0; k < FORMS; k++) {
                int8_t *f = form + k * c.n_entries;
                f[e] = (int8_t)(j < i ? -f[entry_at(j, i)] : j > i ? random_below(&random, 5) - 2 : 0);
            }
        }
    for (int i = 0; i < 4 * N; i++)
        potential[i] = 2.0 * (double)random_unit(&random) - 1.0;
}

static void test_source(void **state)
{
    static double want[4 * N];
    (void)state;
    memset(want, 0, sizeof want);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++)
            for (uint32_t k = 0; k < FORMS; k++)
                want[4 * i + k] += laplacian[e] * form[k * c.n_entries + e];
    struct fair_source_args a = {.mesh = fair_case_mesh(&c),
                                 .laplacian = launch_in(laplacian, c.n_entries, 8),
                                 .form = launch_in(form, FORMS * c.n_entries, 1),
                                 .out = launch_out(N, 32),
                                 .stride = c.n_entries,
                                 .n_forms = FORMS};
    LAUNCH(fair_source, &a, FIRST);
    a.first = FIRST;
    LAUNCH(fair_source, &a, N - FIRST);
    fair_near(a.out, want, 4 * N, 100, "divergence of forms");
    launch_end();
}

/* Launches it for one axis, with a form and component 2 of a potential. */
static void launch_adjoint(const int8_t *f, const double *p, int axis, const double *want)
{
    struct fair_adjoint_args a = {.mesh = fair_case_mesh(&c),
                                  .laplacian = launch_in(laplacian, c.n_entries, 8),
                                  .form = launch_in(f, c.n_entries, 1),
                                  .potential = launch_in(p, N, 32),
                                  .points = launch_in(c.points, N, 32),
                                  .out = launch_out(N, 32),
                                  .component = 2,
                                  .axis = axis};
    LAUNCH(fair_adjoint, &a, FIRST);
    a.first = FIRST;
    LAUNCH(fair_adjoint, &a, N - FIRST);
    fair_near(a.out, want, 4 * N, 100, "what a form sees");
    launch_end();
}

static void test_adjoint(void **state)
{
    static double g[4 * N], want[4 * N];
    (void)state;
    memset(g, 0, sizeof g);
    for (uint32_t i = 0; i < N; i++) /* Each edge once, from its lower row; both ends get the same. */
        for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++) {
            const uint32_t j = c.column[e];
            const double w = -laplacian[e] * (form[e] - (potential[4 * j + 2] - potential[4 * i + 2]));
            for (uint32_t k = 1; k < 4 && i < j; k++) {
                g[4 * i + k] += w * (c.points[4 * j + k] - c.points[4 * i + k]);
                g[4 * j + k] += w * (c.points[4 * j + k] - c.points[4 * i + k]);
            }
        }
    for (int axis = 1; axis <= 3; axis++) {
        for (int i = 0; i < N; i++) {
            double m[4][4];
            oracle_left(g + 4 * i, m);
            memcpy(want + 4 * i, m[axis], sizeof m[axis]);
        }
        launch_adjoint(form, potential, axis, want);
    }
}

static void test_exact_form(void **state)
{
    static double steps[4 * N];
    static const double nothing[4 * N];
    static int8_t difference[CASE_TERMS];
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        steps[4 * i + 2] = i % 7;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++)
            difference[e] = (int8_t)(c.column[e] % 7 - i % 7);
    launch_adjoint(difference, steps, 1, nothing);
}

static void test_constraint(void **state)
{
    static double want[N];
    (void)state;
    memset(want, 0, sizeof want);
    for (uint32_t k = 0; k < CASE_TRIANGLES; k++) {
        const uint32_t *v = c.triangle + 3 * k;
        const struct oracle_triangle t = oracle_triangle_of(v, c.points);
        double real = 0;
        for (int j = 0; j < 3; j++) { /* The real part of (D x) of the triangle. */
            double m[4][4];
            const double s = -1 / (2 * t.area), *e = t.edge[j], q[4] = {0, s * e[0], s * e[1], s * e[2]};
            oracle_left(q, m);
            for (int x = 0; x < 4; x++)
                real += m[0][x] * c.lambda[4 * v[j] + (uint32_t)x];
        }
        for (int j = 0; j < 3; j++)
            want[v[j]] += t.area * real / 3 / c.mass[v[j]];
    }
    struct fair_constraint_args a = {fair_case_mesh(&c),      launch_in(c.points, N, 32), launch_in(c.lambda, N, 32),
                                     launch_in(c.mass, N, 8), launch_out(N, 8),           0};
    LAUNCH(fair_constraint, &a, FIRST);
    a.first = FIRST;
    LAUNCH(fair_constraint, &a, N - FIRST);
    fair_near(a.out, want, N, 100, "constraints");
    launch_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_source), cmocka_unit_test(test_adjoint),
                                       cmocka_unit_test(test_exact_form), cmocka_unit_test(test_constraint)};
    fair_case_make(&c, 4);
    make_forms();
    return LAUNCH_GROUP("fair forms", tests);
}
