/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit mean curvature flow: against a dense matrix that is made by loops over triangles, and by its laws. The
 * kernels behind it are fair_shrink and fair_arrive. */
#include "tests/kernels/launch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/kernels/fields/held.h"
#include "tests/kernels/fields/sphere.h"
#include "tests/kernels/poly.h"

enum { N_RANDOM = 60, MOST_CORNERS = 400 };

static const double four_pi = 12.566370614359172;

/* ---- a dense matrix ---------------------------------------------------------------------------------------------- */
struct dense {
    int64_t n;
    double area, *mass, *matrix, *way; /* [n], [n][n], [n][3] */
    int32_t *uses;                     /* [n][n]: the triangles at each edge */
    unsigned char *rim;                /* [n] */
};

/* L = the sum over triangles of the cotangent at x times the difference of y and z. */
static void add_triangle(const struct held *h, int64_t face, uint32_t x, uint32_t y, uint32_t z, double *out)
{
    struct dense *d = (struct dense *)(void *)out;
    double a[3], b[3], n[3];
    (void)face;
    held_way(h->p, x, y, a), held_way(h->p, x, z, b);
    held_cross(a, b, n);
    const double w = held_dot(a, b) / held_length(n) / 2;
    d->matrix[y * d->n + z] -= w, d->matrix[z * d->n + y] -= w;
    d->matrix[y * d->n + y] += w, d->matrix[z * d->n + z] += w;
    d->mass[x] += held_length(n) / 6;
    d->area += held_length(n) / 6;
    d->uses[y * d->n + z]++, d->uses[z * d->n + y]++;
}

/* What each vertex on the rim does: nothing, or it goes towards the mean of its neighbours along the rim. */
static void move_rim(const struct held *h, struct dense *d, double strength, int along)
{
    for (int64_t v = 0; v < d->n; v++) {
        double count = 0, sum[3] = {0};
        for (int64_t w = 0; w < d->n; w++)
            if (d->uses[v * d->n + w] == 1) {
                double way[3];
                held_way(h->p, (uint32_t)v, (uint32_t)w, way);
                for (int k = 0; k < 3; k++)
                    sum[k] += way[k];
                count++;
            }
        d->rim[v] = count > 0;
        for (int k = 0; k < 3; k++)
            d->way[3 * v + k] = along && count > 0 ? strength * sum[k] / count : 0;
    }
}

/* Gauss and Jordan, without pivots, because the matrix is positive definite. Rows that are held have the identity. */
static void eliminate(struct dense *d, double (*b)[3])
{
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t j = 0; j < d->n; j++) {
            const double f = i == j ? 0 : d->matrix[j * d->n + i] / d->matrix[i * d->n + i];
            for (int64_t k = i; k < d->n && f != 0; k++)
                d->matrix[j * d->n + k] -= f * d->matrix[i * d->n + k];
            for (int k = 0; k < 3; k++)
                b[j][k] -= f * b[i][k];
        }
    for (int64_t i = 0; i < d->n; i++)
        for (int k = 0; k < 3; k++)
            d->way[3 * i + k] = b[i][k] / d->matrix[i * d->n + i];
}

/* d->way = what solves (M + t L) (p + way) = M p inside. */
static void solve(const struct held *h, struct dense *d, double strength, int along)
{
    const double t = strength * d->area / four_pi;
    double(*b)[3] = xalloc(d->n, sizeof *b);
    move_rim(h, d, strength, along);
    for (int64_t i = 0; i < d->n; i++) {
        const int held = d->rim[i] || d->mass[i] <= 0;
        for (int64_t j = 0; j < d->n; j++) {
            double *at = d->matrix + i * d->n + j;
            for (int k = 0; k < 3 && !held; k++)
                b[i][k] -= t * *at * ((double)h->p[3 * j + k] + (d->rim[j] ? d->way[3 * j + k] : 0));
            *at = held || d->rim[j] ? i == j : t * *at + (i == j ? d->mass[i] : 0);
        }
        for (int k = 0; k < 3 && held; k++)
            b[i][k] = d->way[3 * i + k];
    }
    eliminate(d, b);
    free(b);
}

static int is_flat(const struct held *h)
{
    for (int64_t f = 0; f < h->n.F; f++)
        for (int64_t c = h->n.first[f] + 1; c + 1 < h->n.first[f + 1]; c++) {
            double a[3], b[3], n[3];
            held_way(h->p, h->n.vert[h->n.first[f]], h->n.vert[c], a);
            held_way(h->p, h->n.vert[h->n.first[f]], h->n.vert[c + 1], b);
            held_cross(a, b, n);
            if (!(held_length(n) > 1e-9))
                return 1;
        }
    return 0;
}

static int n_solved;

static void check_dense(const struct held *h, int along)
{
    const struct sdd_smooth_request r = {
        .method = SDD_SMOOTH_IMPLICIT_FLOW, .iterations = 1, .strength = along ? 1.0f : 0.3f, .boundary = along};
    const int64_t n = h->n.V;
    struct dense d = {.n = n,
                      .mass = xalloc(n, sizeof *d.mass),
                      .matrix = xalloc(n * n, sizeof *d.matrix),
                      .way = xalloc(3 * n, sizeof *d.way),
                      .uses = xalloc(n * n, sizeof *d.uses),
                      .rim = xalloc(n, 1)};
    struct sdd_error err = {0};
    sdd_values *v;
    double *scale = xalloc(3 * n, sizeof *scale), size = 0;
    held_each(h, add_triangle, (double *)(void *)&d);
    solve(h, &d, (double)r.strength, along);
    if (sdd_smooth(h->mesh, &r, NULL, &v, &err))
        fail_msg("%s: %s", launch_case(), err.text);
    for (int64_t i = 0; i < 3 * n; i++) {
        d.way[i] += (double)h->p[i];
        size = fmax(size, fabs((double)h->p[i]));
    }
    for (int64_t i = 0; i < 3 * n; i++)
        scale[i] = size;
    held_near("flow", v, d.way, scale);
    n_solved++;
    sdd_values_free(v);
    free(d.mass), free(d.matrix), free(d.way), free(d.uses), free(d.rim), free(scale);
}

static void check_poly(const struct poly *p)
{
    struct held h;
    held_init(&h, &p->desc, p->points, p->uvs, 2);
    if (held_is_manifold(&h) && !is_flat(&h)) {
        check_dense(&h, 0);
        check_dense(&h, 1);
    }
    held_fini(&h);
}

static void test_dense(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_poly);
    assert_true(n_solved > 60);
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */
static sdd_values *flow(const struct held *h, int iterations, float strength)
{
    const struct sdd_smooth_request r = {
        .method = SDD_SMOOTH_IMPLICIT_FLOW, .iterations = iterations, .strength = strength};
    struct sdd_error err = {0};
    sdd_values *v;
    if (sdd_smooth(h->mesh, &r, NULL, &v, &err))
        fail_msg("%s", err.text);
    return v;
}

static void add_area(const struct held *h, int64_t face, uint32_t x, uint32_t y, uint32_t z, double *out)
{
    double a[3], b[3], n[3];
    (void)face;
    held_way(h->p, x, y, a), held_way(h->p, x, z, b);
    held_cross(a, b, n);
    out[x] += held_length(n) / 6;
}

/* A sphere stays one, and each step leaves 1 / (1 + 2 s) of its radius. */
static void test_sphere(void **state)
{
    struct sphere s;
    struct held h;
    (void)state;
    sphere_init(&s, SPHERE_SIDE);
    held_init(&h, &s.desc, s.points, NULL, 3);
    for (int steps = 1; steps <= 3; steps++) {
        sdd_values *v = flow(&h, steps, 0.25f);
        const double due = 2 * pow(1 / 1.5, steps);
        for (int64_t i = 0; i < h.n.V; i++) {
            double q[3];
            held_point(sdd_values_info(v)->values, (uint32_t)i, q);
            if (!(fabs(held_length(q) - due) < 2e-3 * due))
                fail_msg("after %d steps vertex %lld is %.6g from the middle, not %.6g", steps, (long long)i,
                         held_length(q), due);
        }
        assert_true(sdd_values_info(v)->device_bytes > 0);
        sdd_values_free(v);
    }
    held_fini(&h);
    sphere_fini(&s);
}

/* A bumpy sphere: its mean by masses stays, its area falls, and a similar one far away does the same. */
static void test_laws(void **state)
{
    struct sphere s;
    struct held h, far, after;
    (void)state;
    sphere_init(&s, 11);
    for (int64_t i = 0; i < 3 * s.desc.n_vertices; i++)
        s.points[i] *= 1 + 0.25f * sinf(5 * s.points[i - i % 3]) * s.points[i - i % 3 + 1];
    held_init(&h, &s.desc, s.points, NULL, 1);
    sdd_values *v = flow(&h, 1, 0.1f);
    const float *p = sdd_values_info(v)->values;
    double *before = xalloc(h.n.V, sizeof *before), *now = xalloc(h.n.V, sizeof *now);
    held_each(&h, add_area, before);
    held_init(&after, &s.desc, p, NULL, 1);
    held_each(&after, add_area, now);
    double area[2] = {0}, mean[3] = {0};
    for (int64_t i = 0; i < h.n.V; i++) {
        area[0] += before[i], area[1] += now[i];
        for (int k = 0; k < 3; k++)
            mean[k] += before[i] * ((double)p[3 * i + k] - (double)s.points[3 * i + k]);
    }
    assert_true(area[1] < 0.8 * area[0]);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(mean[k]) < 1e-5 * area[0]);
    float *moved = xalloc(3 * h.n.V, sizeof *moved);
    for (int64_t i = 0; i < h.n.V; i++) { /* turned, four times as large, and elsewhere */
        moved[3 * i] = 4 * s.points[3 * i + 1] + 64;
        moved[3 * i + 1] = 4 * s.points[3 * i + 2] - 32;
        moved[3 * i + 2] = 4 * s.points[3 * i];
    }
    held_init(&far, &s.desc, moved, NULL, 3);
    sdd_values *w = flow(&far, 1, 0.1f);
    const float *q = sdd_values_info(w)->values;
    for (int64_t i = 0; i < h.n.V; i++) {
        assert_true(fabs(4 * (double)p[3 * i + 1] + 64 - (double)q[3 * i]) < 1e-4);
        assert_true(fabs(4 * (double)p[3 * i + 2] - 32 - (double)q[3 * i + 1]) < 1e-4);
        assert_true(fabs(4 * (double)p[3 * i] - (double)q[3 * i + 2]) < 1e-4);
    }
    free(before), free(now), free(moved);
    sdd_values_free(w), held_fini(&far);
    held_fini(&after), sdd_values_free(v), held_fini(&h);
    sphere_fini(&s);
}

/* One thread and four make the same bits, over steps that make the preconditioner again or not. */
static void test_bits(void **state)
{
    struct sphere s;
    struct held one, four;
    (void)state;
    sphere_init(&s, 15);
    s.points[0] *= 1.5f;
    held_init(&one, &s.desc, s.points, NULL, 1);
    held_init(&four, &s.desc, s.points, NULL, 4);
    sdd_values *v = flow(&one, 4, 0.7f), *w = flow(&four, 4, 0.7f);
    assert_memory_equal(sdd_values_info(v)->values, sdd_values_info(w)->values, (size_t)sdd_values_info(v)->bytes);
    sdd_values_free(v), sdd_values_free(w);
    held_fini(&one), held_fini(&four);
    sphere_fini(&s);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */
static void refused(const struct sdd_mesh_desc *desc, const float *points, int iterations, const struct sdd_run *run,
                    int code, const char *field, const char *text)
{
    const struct sdd_smooth_request r = {
        .method = SDD_SMOOTH_IMPLICIT_FLOW, .iterations = iterations, .strength = 1.0f};
    struct held h;
    struct sdd_error err = {0};
    sdd_values *v;
    held_init(&h, desc, points, NULL, 1);
    assert_int_equal(sdd_smooth(h.mesh, &r, run, &v, &err), code);
    assert_null(v);
    assert_string_equal(err.field, field);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" does not say \"%s\"", err.text, text);
    held_fini(&h);
}

static void test_refused(void **state)
{
    static const int32_t counts[] = {3, 3, 3}, fins[] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, flat[] = {0, 1, 2, 0, 2, 5};
    static const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 2, 0};
    static const int32_t tetrahedron[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}, four[] = {3, 3, 3, 3};
    const struct sdd_mesh_desc three = {
        .n_vertices = 6, .n_faces = 3, .n_corners = 9, .face_counts = counts, .face_vertices = fins};
    const struct sdd_mesh_desc thin = {
        .n_vertices = 6, .n_faces = 2, .n_corners = 6, .face_counts = counts, .face_vertices = flat};
    static const float middle[] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}; /* the origin */
    const struct sdd_mesh_desc closed = {
        .n_vertices = 4, .n_faces = 4, .n_corners = 12, .face_counts = four, .face_vertices = tetrahedron};
    const atomic_int set = 1;
    const struct sdd_run cancelled = {.cancel = &set};
    (void)state;
    refused(&three, points, 1, NULL, SDD_EQUERY, "method", "curvatureFlow for all");
    refused(&thin, points, 1, NULL, SDD_EQUERY, "triangles", "face 1 has");
    refused(&closed, middle, SDD_MAX_SMOOTHINGS, NULL, SDD_EQUERY, "iterations", "take fewer");
    refused(&closed, middle, 1, &cancelled, SDD_ECANCELLED, "", "cancelled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense), cmocka_unit_test(test_sphere),
                                       cmocka_unit_test(test_laws), cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_refused)};
    return LAUNCH_GROUP("implicit flow", tests);
}
