/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and smoothing against loops over all faces in double precision, and by their laws. The kernels behind them are
 * field_normals, field_gaussian, field_mean, field_flat, geodesic_start, geodesic_round, geodesic_values, smooth_rate
 * smooth_mean and smooth_step. */
#include "tests/kernels/launch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/sdd/sdd_fields.h"
#include "tests/kernels/fields/held.h"
#include "tests/kernels/fields/sphere.h"
#include "tests/kernels/poly.h"

enum { MOST_CORNERS = 700, N_RANDOM = 40 };

/* ---- fields by loops over faces ---------------------------------------------------------------------------------- */
/* Columns of `out`: the cotangent Laplacian of the points, the area and the sum of the sizes of what was added. */
static void add_cotangent(const struct held *h, int64_t face, uint32_t x, uint32_t y, uint32_t z, double *out)
{
    double a[3], b[3], n[3], yz[3];
    (void)face;
    held_way(h->p, x, y, a), held_way(h->p, x, z, b), held_way(h->p, z, y, yz);
    held_cross(a, b, n);
    const double w = held_dot(a, b) / held_length(n) / 2;
    for (int k = 0; k < 3; k++) {
        out[5 * y + (uint32_t)k] += w * yz[k];
        out[5 * z + (uint32_t)k] -= w * yz[k];
    }
    out[5 * x + 3] += held_length(n) / 6;
    out[5 * y + 4] += fabs(w) * held_length(yz);
    out[5 * z + 4] += fabs(w) * held_length(yz);
}

static int64_t first_flat(const struct held *h)
{
    for (int64_t f = 0; f < h->n.F; f++)
        for (int64_t c = h->n.first[f] + 1; c + 1 < h->n.first[f + 1]; c++) {
            double a[3], b[3], n[3];
            held_way(h->p, h->n.vert[h->n.first[f]], h->n.vert[c], a);
            held_way(h->p, h->n.vert[h->n.first[f]], h->n.vert[c + 1], b);
            held_cross(a, b, n);
            if (!(held_length(n) > 0))
                return f;
        }
    return -1;
}

/* ---- what the library says --------------------------------------------------------------------------------------- */
static sdd_values *field(const struct held *h, int what)
{
    const struct sdd_field_request r = {.what = what};
    struct sdd_values_info plan;
    struct sdd_error err = {0};
    sdd_values *v;
    assert_int_equal(sdd_field_plan(h->mesh, &r, &plan, &err), SDD_OK);
    if (sdd_field(h->mesh, &r, NULL, &v, &err))
        fail_msg("%s: %s", launch_case(), err.text);
    assert_int_equal(sdd_values_info(v)->bytes, plan.bytes);
    assert_int_equal(plan.bytes, h->n.V * plan.components * 4);
    assert_int_equal(sdd_values_info(v)->n_rows, h->n.V);
    return v;
}

static void check_mean(const struct held *h)
{
    const struct sdd_field_request r = {.what = SDD_FIELD_MEAN};
    struct sdd_error err = {0};
    sdd_values *v;
    const int64_t flat = first_flat(h);
    if (flat >= 0) {
        char name[32];
        (void)snprintf(name, sizeof name, "face %lld has", (long long)flat);
        assert_int_equal(sdd_field(h->mesh, &r, NULL, &v, &err), SDD_EQUERY);
        assert_string_equal(err.field, "triangles");
        assert_non_null(strstr(err.text, name));
        return;
    }
    double *sums = xalloc(5 * h->n.V, sizeof *sums), *normal = xalloc(3 * h->n.V, sizeof *normal);
    double *want = xalloc(h->n.V, sizeof *want), *scale = xalloc(h->n.V, sizeof *scale);
    held_each(h, add_cotangent, sums);
    for (int64_t i = 0; i < 3 * h->n.V; i++) /* of the points, not of their neighbours: the other sign */
        sums[i / 3 * 5 + i % 3] = -sums[i / 3 * 5 + i % 3];
    held_normals(h, normal);
    for (int64_t i = 0; i < h->n.V; i++) {
        const double area = sums[5 * i + 3];
        want[i] = area > 0 ? -held_dot(sums + 5 * i, normal + 3 * i) / (2 * area) : 0;
        scale[i] = area > 0 ? sums[5 * i + 4] / (2 * area) + 1 : 1;
    }
    v = field(h, SDD_FIELD_MEAN);
    held_near("mean", v, want, scale);
    sdd_values_free(v);
    free(sums), free(normal), free(want), free(scale);
}

static void check_uniform(const struct held *h)
{
    const struct sdd_smooth_request r = {SDD_SMOOTH_UNIFORM, 1, 0.5f, SDD_SMOOTH_BOUNDARY_KEPT, 0, 0};
    struct sdd_error err = {0};
    sdd_values *v;
    double *want = xalloc(3 * h->n.V, sizeof *want), *scale = xalloc(3 * h->n.V, sizeof *scale);
    int32_t *uses = xalloc(h->n.E, sizeof *uses);
    uint32_t *row = xalloc(naive_most(&h->n), sizeof *row);
    unsigned char *rim = xalloc(h->n.V, 1);
    for (int64_t c = 0; c < h->n.C; c++)
        uses[h->n.edge[c]]++;
    for (int64_t e = 0; e < h->n.E; e++)
        for (int k = 0; k < 2; k++)
            rim[h->n.end[e][k]] |= uses[e] == 1;
    for (int64_t i = 0; i < h->n.V; i++) {
        const int64_t n = naive_row(&h->n, SDD_VV, i, row);
        for (int k = 0; k < 3; k++) {
            double mean = 0, most = fabs((double)h->p[3 * i + k]);
            for (int64_t j = 0; j < n; j++) {
                mean += (double)h->p[3 * row[j] + (uint32_t)k] / (double)n;
                most = fmax(most, fabs((double)h->p[3 * row[j] + (uint32_t)k]));
            }
            want[3 * i + k] = rim[i] || n == 0 ? (double)h->p[3 * i + k] : ((double)h->p[3 * i + k] + mean) / 2;
            scale[3 * i + k] = most;
        }
    }
    assert_int_equal(sdd_smooth(h->mesh, &r, NULL, &v, &err), SDD_OK);
    held_near("smoothing", v, want, scale);
    for (int64_t i = 0; i < h->n.V; i++)
        if (rim[i])
            assert_memory_equal(sdd_values_info(v)->values + 3 * i, h->p + 3 * i, 12);
    sdd_values_free(v);
    free(want), free(scale), free(uses), free(row), free(rim);
}

/* On a mesh that keeps its boundary nothing on it moves, by any method. */
static void check_rim(const struct held *h)
{
    double *gaussian = xalloc(h->n.V, sizeof *gaussian);
    int32_t *uses = xalloc(h->n.E, sizeof *uses);
    for (int64_t c = 0; c < h->n.C; c++)
        uses[h->n.edge[c]]++;
    for (int method = 0; method < SDD_N_SMOOTHINGS; method++) {
        const struct sdd_smooth_request r = {method, 3, 1.0f, SDD_SMOOTH_BOUNDARY_KEPT, 0, 0};
        struct sdd_error err = {0};
        sdd_values *v;
        int rc = sdd_smooth(h->mesh, &r, NULL, &v, &err);
        if (method == SDD_SMOOTH_IMPLICIT_FLOW && !held_is_manifold(h)) {
            assert_int_equal(rc, SDD_EQUERY);
            assert_string_equal(err.field, "method");
            continue;
        }
        if (rc && first_flat(h) >= 0) {
            assert_int_equal(rc, SDD_EQUERY);
            assert_string_equal(err.field, "triangles");
            continue;
        }
        assert_int_equal(rc, SDD_OK);
        for (int64_t e = 0; e < h->n.E; e++)
            for (int k = 0; k < 2 && uses[e] == 1; k++)
                assert_memory_equal(sdd_values_info(v)->values + 3 * h->n.end[e][k], h->p + 3 * h->n.end[e][k], 12);
        for (int64_t i = 0; i < 3 * h->n.V; i++)
            assert_true(isfinite(sdd_values_info(v)->values[i]));
        sdd_values_free(v);
    }
    free(gaussian), free(uses);
}

static void check_poly(const struct poly *p)
{
    struct held h;
    held_init(&h, &p->desc, p->points, p->uvs, 2);
    double *want = xalloc(3 * h.n.V, sizeof *want);
    held_normals(&h, want);
    sdd_values *v = field(&h, SDD_FIELD_NORMALS);
    held_near("normal", v, want, NULL);
    sdd_values_free(v);
    held_gaussian(&h, want);
    v = field(&h, SDD_FIELD_GAUSSIAN);
    held_near("angle defect", v, want, NULL);
    sdd_values_free(v);
    check_mean(&h);
    check_uniform(&h);
    check_rim(&h);
    free(want);
    held_fini(&h);
}

static void test_polygons(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_poly);
}

/* ---- a sphere ---------------------------------------------------------------------------------------------------- */
/* Distances along edges, by rounds until nothing changes. */
static double *along_edges(const struct sphere *s, int32_t source)
{
    double *d = xalloc(s->desc.n_vertices, sizeof *d);
    for (int64_t v = 0; v < s->desc.n_vertices; v++)
        d[v] = v == source ? 0 : INFINITY;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int64_t c = 0; c < s->desc.n_corners; c++) {
            const uint32_t a = (uint32_t)s->vertices[c], b = (uint32_t)s->vertices[c / 3 * 3 + (c + 1) % 3];
            double way[3];
            held_way(s->points, a, b, way);
            const double l = held_length(way);
            if (d[a] + l < d[b])
                d[b] = d[a] + l, changed = 1;
            if (d[b] + l < d[a])
                d[a] = d[b] + l, changed = 1;
        }
    }
    return d;
}

static void check_distances(const struct held *h, const struct sphere *s)
{
    const int64_t source = 17;
    const struct sdd_field_request r = {.what = SDD_FIELD_GEODESIC, .sources = &source, .n_sources = 1};
    struct sdd_error err = {0};
    sdd_values *v;
    double a[3], b[3], n[3];
    assert_int_equal(sdd_field(h->mesh, &r, NULL, &v, &err), SDD_OK);
    double *edges = along_edges(s, (int32_t)source);
    held_point(s->points, (uint32_t)source, a);
    for (int64_t i = 0; i < s->desc.n_vertices; i++) {
        const double got = (double)sdd_values_info(v)->values[i];
        held_point(s->points, (uint32_t)i, b);
        held_cross(a, b, n);
        const double circle = 2 * atan2(held_length(n), held_dot(a, b));
        assert_true(got <= edges[i] * (1 + 1e-5));
        if (circle > 0.3 && !(fabs(got - circle) <= 0.02 * circle))
            fail_msg("the distance of vertex %lld is %g, its great circle %g", (long long)i, got, circle);
    }
    assert_int_equal(sdd_values_info(v)->n_unreached, 0);
    free(edges);
    sdd_values_free(v);
}

static void test_sphere(void **state)
{
    struct sphere s;
    struct held h;
    (void)state;
    sphere_init(&s, SPHERE_SIDE);
    held_init(&h, &s.desc, s.points, NULL, 3);
    assert_int_equal(s.desc.n_vertices, 6 * (SPHERE_SIDE - 2) * (SPHERE_SIDE - 2) + 12 * (SPHERE_SIDE - 2) + 8);
    sdd_values *normals = field(&h, SDD_FIELD_NORMALS), *mean = field(&h, SDD_FIELD_MEAN);
    sdd_values *gaussian = field(&h, SDD_FIELD_GAUSSIAN);
    double total = 0, curvature = 0, *sums = xalloc(5 * h.n.V, sizeof *sums);
    int64_t n_near = 0;
    held_each(&h, add_cotangent, sums);
    for (int64_t i = 0; i < h.n.V; i++) {
        const double got = (double)sdd_values_info(mean)->values[i];
        for (int k = 0; k < 3; k++)
            assert_true(fabs((double)sdd_values_info(normals)->values[3 * i + k] - (double)s.points[3 * i + k] / 2) <
                        1e-2);
        n_near += fabs(got - 0.5) < 0.025; /* one over the radius */
        curvature += got * sums[5 * i + 3];
        total += (double)sdd_values_info(gaussian)->values[i];
    }
    assert_true(fabs(total - 4 * acos(-1)) < 1e-3); /* Gauss and Bonnet */
    /* A third of the area around is not what belongs to a vertex whose faces are uneven, but the sum is right. */
    assert_true(n_near > h.n.V * 9 / 10);
    assert_true(fabs(curvature - 8 * acos(-1)) < 0.05);
    free(sums);
    check_distances(&h, &s);
    sdd_values_free(normals), sdd_values_free(mean), sdd_values_free(gaussian);
    const struct sdd_smooth_request flow = {SDD_SMOOTH_CURVATURE_FLOW, 5, 1.0f, SDD_SMOOTH_BOUNDARY_KEPT, 0, 0};
    struct sdd_error err = {0};
    sdd_values *v;
    assert_int_equal(sdd_smooth(h.mesh, &flow, NULL, &v, &err), SDD_OK);
    for (int64_t i = 0; i < h.n.V; i++) {
        double q[3];
        held_point(sdd_values_info(v)->values, (uint32_t)i, q);
        assert_true(held_length(q) < 2 && held_length(q) > 1.9); /* it shrinks, and stays round */
    }
    sdd_values_free(v);
    held_fini(&h);
    sphere_fini(&s);
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */
/* A plane with an uneven grid of points. */
static const float plane[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1.3f, 0.8f, 0, 2, 1, 0, 0, 2, 0, 0.9f, 2, 0, 2, 2, 0};
static const int32_t plane_counts[] = {3, 3, 4, 4, 3, 3};
static const int32_t plane_vertices[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 4, 3, 4, 7, 6, 4, 5, 8, 4, 8, 7};
static const struct sdd_mesh_desc plane_desc = {
    .n_vertices = 9, .n_faces = 6, .n_corners = 20, .face_counts = plane_counts, .face_vertices = plane_vertices};

static void test_plane(void **state)
{
    static const int still[] = {SDD_SMOOTH_BILATERAL, SDD_SMOOTH_COTANGENT, SDD_SMOOTH_CURVATURE_FLOW};
    struct held h;
    struct sdd_error err = {0};
    (void)state;
    held_init(&h, &plane_desc, plane, NULL, 1);
    for (int k = 0; k < 3; k++) { /* cotangents keep what is linear, and a plane has no heights */
        const struct sdd_smooth_request r = {still[k], 4, 0.8f, SDD_SMOOTH_BOUNDARY_KEPT, 0, 0};
        sdd_values *v;
        assert_int_equal(sdd_smooth(h.mesh, &r, NULL, &v, &err), SDD_OK);
        for (int i = 0; i < 27; i++)
            assert_true(fabs((double)sdd_values_info(v)->values[i] - (double)plane[i]) < 1e-6);
        sdd_values_free(v);
    }
    sdd_values *v;
    const struct sdd_smooth_request along = {SDD_SMOOTH_UNIFORM, 1, 1.0f, SDD_SMOOTH_BOUNDARY_ALONG, 0, 0};
    assert_int_equal(sdd_smooth(h.mesh, &along, NULL, &v, &err), SDD_OK);
    const float *p = sdd_values_info(v)->values;
    assert_true(p[0] == 0.5f && p[1] == 0.5f); /* a corner: between 1 and 3 */
    assert_true(p[3] == 1.0f && p[4] == 0.0f); /* on an edge: between 0 and 2 */
    assert_true(fabs((double)p[21] - 1) < 1e-7 && p[22] == 2.0f);
    sdd_values_free(v);
    held_fini(&h);
}

/* Smoothing and an affine map can change places. */
static void test_affine(void **state)
{
    struct sphere s;
    struct held h, g;
    struct sdd_error err = {0};
    const struct sdd_smooth_request r = {SDD_SMOOTH_UNIFORM, 7, 0.6f, SDD_SMOOTH_BOUNDARY_KEPT, 0, 0};
    sdd_values *v, *w;
    (void)state;
    sphere_init(&s, SPHERE_SIDE);
    float *moved = xalloc(3 * s.desc.n_vertices, 4);
    for (int64_t i = 0; i < s.desc.n_vertices; i++) {
        moved[3 * i] = 2 * s.points[3 * i] + s.points[3 * i + 1] - 1;
        moved[3 * i + 1] = 0.5f * s.points[3 * i + 1] + 3;
        moved[3 * i + 2] = s.points[3 * i] - s.points[3 * i + 2];
    }
    held_init(&h, &s.desc, s.points, NULL, 1);
    held_init(&g, &s.desc, moved, NULL, 3);
    assert_int_equal(sdd_smooth(h.mesh, &r, NULL, &v, &err), SDD_OK);
    assert_int_equal(sdd_smooth(g.mesh, &r, NULL, &w, &err), SDD_OK);
    const float *p = sdd_values_info(v)->values, *q = sdd_values_info(w)->values;
    for (int64_t i = 0; i < s.desc.n_vertices; i++) {
        assert_true(fabs(2 * (double)p[3 * i] + (double)p[3 * i + 1] - 1 - (double)q[3 * i]) < 1e-5);
        assert_true(fabs(0.5 * (double)p[3 * i + 1] + 3 - (double)q[3 * i + 1]) < 1e-5);
        assert_true(fabs((double)p[3 * i] - (double)p[3 * i + 2] - (double)q[3 * i + 2]) < 1e-5);
    }
    sdd_values_free(v), sdd_values_free(w);
    held_fini(&h), held_fini(&g);
    free(moved);
    sphere_fini(&s);
}

static void test_unreached(void **state)
{
    static const int32_t counts[] = {3, 3}, vertices[] = {0, 1, 2, 3, 4, 5};
    static const float points[] = {0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 9, 9, 9};
    static const struct sdd_mesh_desc desc = {
        .n_vertices = 7, .n_faces = 2, .n_corners = 6, .face_counts = counts, .face_vertices = vertices};
    const int64_t sources[] = {0, 0};
    const struct sdd_field_request r = {.what = SDD_FIELD_GEODESIC, .sources = sources, .n_sources = 2};
    struct held h;
    struct sdd_error err = {0};
    sdd_values *v;
    (void)state;
    held_init(&h, &desc, points, NULL, 1);
    assert_int_equal(sdd_field(h.mesh, &r, NULL, &v, &err), SDD_OK);
    const float *d = sdd_values_info(v)->values;
    assert_true(d[0] == 0 && d[1] == 3 && d[2] == 4 && isinf(d[3]) && isinf(d[4]) && isinf(d[5]) && isinf(d[6]));
    assert_int_equal(sdd_values_info(v)->n_unreached, 4);
    sdd_values_free(v);
    held_fini(&h);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */
static const int64_t far_sources[] = {8, 9, 40};
static const struct {
    const char *field, *text;
    struct sdd_field_request r;
} bad_fields[] = {
    {"what", "4 is not a field", {4, NULL, 0, 0, 0}},
    {"sources", "no source", {SDD_FIELD_GEODESIC, NULL, 0, 0, 0}},
    {"sources", "source 9 is out of range; there are 9 vertices", {SDD_FIELD_GEODESIC, far_sources, 3, 0, 0}},
    {"sources", "normals has no sources", {SDD_FIELD_NORMALS, far_sources, 1, 0, 0}},
    {"max_bytes", "0 is no limit", {SDD_FIELD_MEAN, NULL, 0, -1, 0}},
    {"level", "0 to 15", {SDD_FIELD_MEAN, NULL, 0, 0, 16}},
};
static const struct {
    const char *field, *text;
    struct sdd_smooth_request r;
} bad_smoothings[] = {
    {"method", "-1 is not", {-1, 1, 0.5f, 0, 0, 0}},
    {"iterations", "1 to 1000", {SDD_SMOOTH_UNIFORM, 0, 0.5f, 0, 0, 0}},
    {"iterations", "1 to 1000", {SDD_SMOOTH_UNIFORM, 1001, 0.5f, 0, 0, 0}},
    {"strength", "above 0", {SDD_SMOOTH_UNIFORM, 1, 0.0f, 0, 0, 0}},
    {"strength", "at most 1", {SDD_SMOOTH_UNIFORM, 1, 1.5f, 0, 0, 0}},
    {"strength", "a strength of", {SDD_SMOOTH_UNIFORM, 1, NAN, 0, 0, 0}},
    {"boundary", "2 is not", {SDD_SMOOTH_UNIFORM, 1, 0.5f, 2, 0, 0}},
    {"max_bytes", "0 is no limit", {SDD_SMOOTH_UNIFORM, 1, 0.5f, 0, -1, 0}},
    {"level", "0 to 15", {SDD_SMOOTH_UNIFORM, 1, 0.5f, 0, 0, 16}},
    {"level", "level -1", {SDD_SMOOTH_UNIFORM, 1, 0.5f, 0, 0, -1}},
};

static void says(const struct sdd_error *err, const char *field, const char *text)
{
    assert_string_equal(err->field, field);
    if (!strstr(err->text, text))
        fail_msg("\"%s\" does not say \"%s\"", err->text, text);
}

static void test_refused(void **state)
{
    struct held h;
    struct sdd_error err = {0};
    sdd_values *v;
    int found = 7;
    (void)state;
    held_init(&h, &plane_desc, plane, NULL, 1);
    for (size_t k = 0; k < sizeof bad_fields / sizeof *bad_fields; k++) {
        assert_int_equal(sdd_field(h.mesh, &bad_fields[k].r, NULL, &v, &err), SDD_EQUERY);
        assert_null(v);
        says(&err, bad_fields[k].field, bad_fields[k].text);
    }
    for (size_t k = 0; k < sizeof bad_smoothings / sizeof *bad_smoothings; k++) {
        assert_int_equal(sdd_smooth(h.mesh, &bad_smoothings[k].r, NULL, &v, &err), SDD_EQUERY);
        assert_null(v);
        says(&err, bad_smoothings[k].field, bad_smoothings[k].text);
    }
    const struct sdd_field_request large = {.what = SDD_FIELD_NORMALS, .max_bytes = 107};
    assert_int_equal(sdd_field(h.mesh, &large, NULL, &v, &err), SDD_ETOO_LARGE);
    assert_int_equal(err.needed, 108);
    const struct sdd_smooth_request large_too = {SDD_SMOOTH_UNIFORM, 1, 0.5f, 0, 107, 0};
    assert_int_equal(sdd_smooth(h.mesh, &large_too, NULL, &v, &err), SDD_ETOO_LARGE);
    assert_int_equal(err.needed, 108);
    assert_int_equal(sdd_field_find("gauss", &found, &err), SDD_EQUERY);
    says(&err, "what", "gaussian");
    assert_int_equal(sdd_smoothing_find("", &found, &err), SDD_EQUERY);
    says(&err, "method", "curvatureFlow");
    assert_int_equal(found, 7);
    for (int k = 0; k < SDD_N_FIELDS; k++) {
        assert_int_equal(sdd_field_find(sdd_field_name(k), &found, &err), SDD_OK);
        assert_int_equal(found, k);
    }
    for (int k = 0; k < SDD_N_SMOOTHINGS; k++) {
        assert_int_equal(sdd_smoothing_find(sdd_smoothing_name(k), &found, &err), SDD_OK);
        assert_int_equal(found, k);
    }
    held_fini(&h);
}

static void test_cancelled(void **state)
{
    const atomic_int set = 1;
    const struct sdd_run run = {.cancel = &set};
    const struct sdd_field_request f = {.what = SDD_FIELD_GAUSSIAN};
    const struct sdd_smooth_request s = {SDD_SMOOTH_BILATERAL, 5, 0.5f, 0, 0, 0};
    struct held h;
    struct sdd_error err = {0};
    sdd_values *v;
    (void)state;
    held_init(&h, &plane_desc, plane, NULL, 1);
    assert_int_equal(sdd_field(h.mesh, &f, &run, &v, &err), SDD_ECANCELLED);
    assert_null(v);
    assert_int_equal(sdd_smooth(h.mesh, &s, &run, &v, &err), SDD_ECANCELLED);
    assert_null(v);
    sdd_values_free(NULL);
    held_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_polygons),  cmocka_unit_test(test_sphere),
                                       cmocka_unit_test(test_plane),     cmocka_unit_test(test_affine),
                                       cmocka_unit_test(test_unreached), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_cancelled)};
    return LAUNCH_GROUP("fields", tests);
}
