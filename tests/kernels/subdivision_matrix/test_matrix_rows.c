/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of matrix_quads and matrix_triangles: a matrix row times any points is what the rule makes of these points.
 * The points are random on every level, so that nothing is smooth, and what the rules make of them is the oracle's
 * (wild.h, loop.h): double precision, manifold or not. Rows of points sum to one, of tangents to zero. */
#include "tests/kernels/launch.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_quads.k.h"
#include "gpu/levels/matrix_triangles.k.h"
#include "tests/kernels/loop.h"
#include "tests/kernels/rows.h"
#include "tests/kernels/wild.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 40
#define N_SOUPS 100

static uint64_t seed = 20261122;
static const struct wild_case *the_case; /* that is looked at */
static int64_t n_tangents;

/* In [-1, 1), the same as floats. */
static void shake(double *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        p[i] = (double)(2 * random_unit(&seed) - 1);
}

/* Rows [first, end) of points, which are `want`, by the numbers of `row`. */
static void check_points(const struct rows *r, const float *x, const double *want, int64_t first, int64_t end,
                         const char *what)
{
    for (int64_t i = first; i < end; i++) {
        double got[3], sum, most;
        rows_times(r, i, x, got, &sum, &most);
        for (int c = 0; c < 3; c++)
            if (!(fabs(got[c] - want[3 * i + c]) <= 1e-6 && fabs(sum - 1) <= 1e-6))
                fail_msg("%s: %s %lld of weight %.9g is %.9g, not %.9g", launch_case(), what, (long long)i, sum, got[c],
                         want[3 * i + c]);
    }
}

static double *in_rows(const double *p, const int32_t *row, int64_t n)
{
    double *out = xalloc(3 * n, sizeof *out);
    for (int64_t v = 0; v < n; v++)
        memcpy(out + 3 * (int64_t)row[v], p + 3 * v, 24);
    return out;
}

/* ---- quads ----------------------------------------------------------------------------------------------------- */
static void quads_pass(void *context, struct sdd_matrix_rows to)
{
    struct matrix_quads_args *a = context;
    int64_t V = a->mesh.n_vertices, F = a->mesh.n_faces, E = a->mesh.n_edges, C = a->mesh.n_corners;
    int64_t along = ((int64_t)1 << (a->level + (a->kind == SDD_MATRIX_STEP && !a->linear))) / 2 - 1;
    a->to = to;
    LAUNCH(matrix_quads, a, V + F + (a->kind == SDD_MATRIX_FACES ? 0 : E + (2 * E + C) * along + C * along * along));
}

/* The rows of FACES, then those of level 1 over them. */
static void check_first(const struct wild_case *k, const struct wild *w, const struct wild *to, int no_arrays)
{
    const int64_t V = k->b.V, F = k->b.F;
    struct matrix_quads_args a = {.smooth_triangles = k->smooth_triangles, .linear = k->linear, .level = k->linear};
    float *control = wild_points(w), *both = wild_points(to);
    double *want = in_rows(to->p, to->row, to->V);
    struct rows r;
    a.mesh = wild_upload(k, no_arrays);
    a.kind = SDD_MATRIX_FACES;
    rows_make(&r, V + F, V, quads_pass, &a);
    check_points(&r, control, want, V, V + F, "face point");
    for (int64_t v = 0; v < V; v++)
        assert_true(r.end[v] == v + 1 && r.column[v] == v && r.weight[v] == 1.0);
    rows_free(&r);
    memcpy(both, control, (size_t)V * 12);
    a.mesh = wild_upload(k, no_arrays);
    a.kind = SDD_MATRIX_STEP;
    rows_make(&r, to->V, V + F, quads_pass, &a);
    check_points(&r, both, want, 0, to->V, "point of level 1");
    rows_free(&r);
    free(control), free(both), free(want);
}

static void check_step(const struct wild_case *k, const struct wild *w, const struct wild *to, int no_arrays)
{
    struct matrix_quads_args a = {.kind = SDD_MATRIX_STEP, .level = w->level};
    float *from = wild_points(w);
    double *want = in_rows(to->p, to->row, to->V);
    struct rows r;
    a.mesh = wild_upload(k, no_arrays);
    rows_make(&r, to->V, w->V, quads_pass, &a);
    check_points(&r, from, want, 0, to->V, "point of a later level");
    rows_free(&r);
    free(from), free(want);
}

/* Tangents are seen by their normal; without a plane there may be none. */
static void check_plane(const struct rows *t1, const struct rows *t2, int64_t i, const float *x, const double *normal)
{
    double t[2][3], n[3], sum[2], most[2];
    rows_times(t1, i, x, t[0], &sum[0], &most[0]);
    rows_times(t2, i, x, t[1], &sum[1], &most[1]);
    for (int c = 0; c < 3; c++)
        n[c] = t[0][(c + 1) % 3] * t[1][(c + 2) % 3] - t[0][(c + 2) % 3] * t[1][(c + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 2; k++)
        if (!(fabs(sum[k]) <= 2e-6 * most[k]))
            fail_msg("%s: tangent %d of %lld has the weight %g", launch_case(), k, (long long)i, sum[k]);
    for (int c = 0; c < 3 && normal; c++)
        if (!(fabs(n[c] / length - normal[c]) <= 1e-3))
            fail_msg("%s: normal %lld is (%g, %g, %g), not (%g, %g, %g)", launch_case(), (long long)i, n[0] / length,
                     n[1] / length, n[2] / length, normal[0], normal[1], normal[2]);
    n_tangents += normal != NULL;
}

static void quads_limits_pass(void *context, struct sdd_matrix_rows to)
{
    struct matrix_quads_args *a = context;
    a->mesh = wild_upload(the_case, 1);
    a->angle = a->kind == SDD_MATRIX_LIMIT ? NULL : wild_upload_angles(the_case);
    quads_pass(a, to);
}

/* row: of the level's points. */
static void check_limits(const struct wild_limits *limits, const float *from, const int32_t *row, int64_t n,
                         rows_pass *pass, void *args, int32_t *kind)
{
    struct rows r[3];
    double *want = in_rows(limits->p, row, n);
    for (int i = 0; i < 3; i++) {
        *kind = SDD_MATRIX_LIMIT + i;
        rows_make(&r[i], n, n, pass, args);
    }
    check_points(&r[0], from, want, 0, n, "limit");
    for (int64_t v = 0; v < n; v++)
        check_plane(&r[1], &r[2], row[v], from, limits->normal_ok[v] == 1 ? limits->normal + 3 * v : NULL);
    for (int i = 0; i < 3; i++)
        rows_free(&r[i]);
    free(want), free(limits->p), free(limits->normal), free(limits->normal_ok);
}

static void check_quad_limits(const struct wild *w)
{
    struct matrix_quads_args a = {.level = w->level, .limit = SDD_LIMIT_AT_LEVEL};
    struct wild_limits limits;
    float *from = wild_points(w);
    wild_limits(the_case, w, &limits);
    check_limits(&limits, from, w->row, w->V, quads_limits_pass, &a, &a.kind);
    free(from);
}

static void check_quads(const struct poly *p)
{
    const int last = p->desc.n_corners <= 60 ? 4 : p->desc.n_corners <= 200 ? 3 : 2;
    struct wild_case k;
    struct wild w, next;
    wild_case_init(&k, p, 0);
    the_case = &k;
    wild_control(&k, &w);
    for (; w.level < last; w = next) {
        shake(w.p, 3 * w.V);
        wild_next(&k, &w, &next);
        if (w.level == 0)
            check_first(&k, &w, &next, 1), check_first(&k, &w, &next, 0);
        else
            check_step(&k, &w, &next, w.level % 2), check_quad_limits(&w);
        wild_fini(&w);
    }
    wild_fini(&w);
    wild_case_fini(&k);
}

static void check_linear(const struct poly *p)
{
    struct wild_case k;
    struct wild w, next;
    wild_case_init(&k, p, 1);
    wild_control(&k, &w);
    shake(w.p, 3 * w.V);
    wild_next(&k, &w, &next);
    check_first(&k, &w, &next, 1);
    wild_fini(&w);
    wild_fini(&next);
    wild_case_fini(&k);
}

/* ---- triangles ------------------------------------------------------------------------------------------------- */
static void triangles_pass(void *context, struct sdd_matrix_rows to)
{
    struct matrix_triangles_args *a = context;
    int64_t m = (int64_t)1 << (a->step.level + (a->kind == SDD_MATRIX_STEP));
    a->step.mesh = wild_upload(the_case, 1);
    a->step.weights = loop_upload_weights(the_case);
    a->angle = a->kind <= SDD_MATRIX_LIMIT ? NULL : wild_upload_angles(the_case);
    a->to = to;
    const int64_t n =
        a->step.mesh.n_vertices + a->step.mesh.n_edges * (m - 1) + a->step.mesh.n_faces * ((m - 1) * (m - 2) / 2);
    uint32_t *row = xalloc(n, sizeof *row);
    for (int64_t i = 0; i < n; i++)
        row[i] = (uint32_t)(n - 1 - i);
    a->row = n % 2 ? launch_in(row, n, sizeof *row) : NULL; /* All rows either way, in another order. */
    LAUNCH(matrix_triangles, a, n);
    free(row);
}

static void check_triangle_level(const struct loop *w, const struct loop *to)
{
    struct matrix_triangles_args a = {.kind = SDD_MATRIX_STEP, .step = {.level = w->level}};
    float *from = loop_points(w);
    double *want = loop_rows(to);
    struct wild_limits limits;
    struct rows r;
    rows_make(&r, to->V, w->V, triangles_pass, &a);
    check_points(&r, from, want, 0, to->V, "point");
    rows_free(&r);
    if (w->level > 0) {
        loop_limits(the_case, w, &limits);
        check_limits(&limits, from, w->row, w->V, triangles_pass, &a, &a.kind);
    }
    free(from), free(want);
}

static void check_triangles(const struct poly *p)
{
    const int last = p->desc.n_corners <= 60 ? 4 : p->desc.n_corners <= 200 ? 3 : 2;
    struct wild_case k;
    struct loop w, next;
    wild_case_init(&k, p, 0);
    the_case = &k;
    loop_control(&k, &w);
    for (; w.level < last; w = next) {
        shake(w.p, 3 * w.V);
        loop_next(&k, &w, &next);
        check_triangle_level(&w, &next);
        loop_fini(&w);
    }
    loop_fini(&w);
    wild_case_fini(&k);
}

static void test_triangles(void **state)
{
    (void)state;
    n_tangents = 0;
    loop_each(N_RANDOM, 300, check_triangles);
    loop_each_odd(N_SOUPS, 300, check_triangles);
    loop_valences(9, check_triangles);
    assert_true(n_tangents > 10000);
}

static void test_quads(void **state)
{
    (void)state, poly_each(N_RANDOM, 300, check_quads);
    assert_true(n_tangents > 10000);
}

static void test_quads_odd(void **state)
{
    (void)state, soup_each(N_SOUPS, 300, check_quads);
}

static void test_linear(void **state)
{
    (void)state, poly_each(N_RANDOM, 300, check_linear), soup_each(N_SOUPS, 300, check_linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quads), cmocka_unit_test(test_quads_odd),
                                       cmocka_unit_test(test_linear), cmocka_unit_test(test_triangles)};
    return LAUNCH_GROUP("rows of subdivision matrices", tests);
}
