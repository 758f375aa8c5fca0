/* SPDX-License-Identifier: Apache-2.0 */
/* test_laws.c: what must hold whatever the rules are: weights sum to one, affine maps commute with refining, names of
 * elements do not matter, counts obey Euler, surfaces are watertight, a limit point does not depend on the level. */
#include "tests/engines/renamed.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/triangles.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sdd_device *device;
static const char *method; /* the engine that is judged */
static int scheme;
static struct triangles cut; /* what the loaded shape became for scheme loop */

/* The shape under the scheme at hand, without what the engine does not do. */
static void adapt(struct shape *s)
{
    s->desc.options.scheme = scheme;
    cut = (struct triangles){0};
    if (scheme == SDD_SCHEME_LOOP && !triangles_only(&s->desc))
        cut = triangles_cut(&s->desc);
    if (strcmp(method, "mesh-matrix-spla") == 0) { /* which does none of these */
        s->desc.n_creases = s->desc.n_corner_tags = 0;
        s->desc.options.triangle_rule = SDD_TRIANGLE_CATMULL_CLARK;
    }
}

static void load(const char *name, struct shape *s)
{
    struct sdd_error err = {0};
    if (shape_load(test_shapes_dir(), name, s, &err) != SDD_OK)
        fail_msg("%s: %s", name, err.text);
    adapt(s);
}

static void unload(struct shape *s)
{
    triangles_free(&cut);
    shape_free(s);
}

static void refine(const struct shape *s, const float *points, int level, struct refined *out)
{
    struct sdd_error err = {0};
    if (library_refine(device, method, &s->desc, points, s->uvs, level, out, &err) != SDD_OK)
        fail_msg("%s level %d: %s", s->name, level, err.text);
}

static void near(const char *name, const char *what, int64_t row, const double *got, const double *want,
                 double tolerance)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(got[k] - want[k]) <= tolerance))
            fail_msg("%s: %s %lld is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", name, what, (long long)row, got[0],
                     got[1], got[2], want[0], want[1], want[2]);
}

/* The law at hand, on shapes that are not large. */
static void (*the_law)(const struct shape *s);

static void where_small(const struct shape *s)
{
    struct shape own = *s;
    adapt(&own);
    if (own.desc.n_corners < 400)
        the_law(&own);
    triangles_free(&cut);
}

static void for_small_shapes(void (*law)(const struct shape *s))
{
    the_law = law;
    for_each_shape("", 100, where_small);
}

/* Also shapes that are not manifold, where the engine takes them. */
static void for_any_shape(void (*law)(const struct shape *s))
{
    for_small_shapes(law);
    if (strcmp(method, "mesh-matrix") == 0)
        for_each_shape("nonmanifold", 20, where_small);
}

/* Every row of weights sums to one: a mesh that is a single place stays that place. */
static void law_constant(const struct shape *s)
{
    const double place[3] = {0.3f, -1.7f, 2.9f};
    float *points = xalloc(3 * s->desc.n_vertices, sizeof *points);
    struct refined r;
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        points[i] = (float)place[i % 3];
    refine(s, points, 4, &r);
    for (int64_t v = 0; v < r.n_vertices; v++) {
        near(s->name, "vertex", v, &r.points[3 * v], place, 2e-6);
        near(s->name, "limit", v, &r.limits[3 * v], place, 3e-6);
    }
    refined_free(&r);
    free(points);
}

static const double affine[3][4] = {{0.8, -0.3, 0.2, 4}, {0.5, 1.1, -0.4, -2}, {-0.1, 0.6, 0.9, 1}};

static void apply(const double *p, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = affine[k][0] * p[0] + affine[k][1] * p[1] + affine[k][2] * p[2] + affine[k][3];
}

static void law_affine(const struct shape *s)
{
    float *moved = xalloc(3 * s->desc.n_vertices, sizeof *moved);
    struct refined a, b;
    for (int64_t v = 0; v < s->desc.n_vertices; v++) {
        double p[3] = {(double)s->points[3 * v], (double)s->points[3 * v + 1], (double)s->points[3 * v + 2]}, q[3];
        apply(p, q);
        for (int k = 0; k < 3; k++)
            moved[3 * v + k] = (float)q[k];
    }
    refine(s, s->points, 3, &a);
    refine(s, moved, 3, &b);
    double tolerance = 1e-5 * (s->diagonal + 4);
    for (int64_t v = 0; v < a.n_vertices; v++) {
        double q[3];
        apply(&a.points[3 * v], q);
        near(s->name, "vertex", v, &b.points[3 * v], q, tolerance);
        apply(&a.limits[3 * v], q);
        near(s->name, "limit", v, &b.limits[3 * v], q, tolerance);
    }
    refined_free(&a);
    refined_free(&b);
    free(moved);
}

/* ---- other names ------------------------------------------------------------------------------------------------- */
/* Point (i, j) of corner c: of its level-1 quad or, i + j up to twice as far, of its triangle. */
static int64_t row_of(const struct grid *g, int level, int64_t c, int i, int j)
{
    return g->triangles ? tri_vertex(g, level, c, i, j) : grid_vertex(g, level, c, i, j);
}

/* The same point of the same face has the same place under both names; sums may run in another order: a few ulp. */
static void law_names(const struct shape *s)
{
    const int level = 3, m = scheme == SDD_SCHEME_LOOP ? 8 : 4;
    struct renamed other;
    struct refined a, b;
    struct grid g, h;
    renamed_init(s, &other);
    refine(s, s->points, level, &a);
    refine(&other.shape, other.shape.points, level, &b);
    grid_init(&g, &s->desc);
    grid_init(&h, &other.shape.desc);
    assert_int_equal(a.n_vertices, b.n_vertices);
    assert_int_equal(a.n_faces, b.n_faces);
    for (int64_t c = 0; c < s->desc.n_corners; c++)
        for (int i = 0; i <= m; i++)
            for (int j = 0; j <= (g.triangles ? m - i : m); j++) {
                int64_t v = row_of(&g, level, c, i, j), w = row_of(&h, level, other.corner[c], i, j);
                near(s->name, "vertex", v, &b.points[3 * w], &a.points[3 * v], 2e-6 * (s->diagonal + 1));
                near(s->name, "limit", v, &b.limits[3 * w], &a.limits[3 * v], 4e-6 * (s->diagonal + 1));
            }
    grid_fini(&g);
    grid_fini(&h);
    refined_free(&a);
    refined_free(&b);
    renamed_free(&other);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */
static int pair_order(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

/* Where two triangles alone meet in a vertex inside, the points beside it on both of their edges are joined twice. */
static int64_t n_joined_twice(const struct sdd_mesh_desc *d)
{
    int32_t *n = xalloc(d->n_vertices, sizeof *n), *ends = xalloc(d->n_vertices, sizeof *ends);
    int64_t twice = 0;
    for (int64_t c = 0; c < d->n_corners; c++)
        for (int64_t k = 1; k < 3;
             k++) { /* with two faces that share an edge, nothing is left only if they share both */
            n[d->face_vertices[c]]++;
            ends[d->face_vertices[c]] ^= d->face_vertices[c - c % 3 + (c + k) % 3];
        }
    for (int64_t v = 0; v < d->n_vertices; v++)
        twice += n[v] == 4 && ends[v] == 0;
    free(n);
    free(ends);
    return twice;
}

/* Every directed edge once; edges without their opposite are the boundary, whose edges double at every level; the
 * number of different edges is the plan's, and V - E + F is the control mesh's. */
static void law_counts(const struct shape *s)
{
    const int level = 3, size = scheme == SDD_SCHEME_LOOP ? 3 : 4;
    const int64_t all =
        scheme == SDD_SCHEME_LOOP ? s->desc.n_faces << (2 * level) : s->desc.n_corners << (2 * (level - 1));
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    struct sdd_topology_info info;
    struct sdd_plan_info plan;
    struct sdd_refine_request request = {.level = level, .include = SDD_INDICES, .method = method};
    assert_int_equal(sdd_topology_create(device, &s->desc, &t, &err), SDD_OK);
    sdd_topology_info(t, &info);
    assert_int_equal(plan_once(t, &request, &plan, &err), SDD_OK);
    sdd_topology_unref(t);
    if (plan.n_faces < all || !info.manifold)
        return; /* the edges of holes are not output; cutting a pillow may give an edge of four faces */
    struct refined r;
    refine(s, s->points, level, &r);
    uint32_t(*edges)[2] = xalloc(size * r.n_faces, sizeof *edges);
    unsigned char *used = xalloc(r.n_vertices, 1);
    int64_t n = size * r.n_faces, open = 0, isolated = 0, twice = 0;
    int64_t most_twice = scheme == SDD_SCHEME_LOOP ? 2 * n_joined_twice(&s->desc) : 0;
    for (int64_t c = 0; c < n; c++) {
        edges[c][0] = r.faces[c];
        edges[c][1] = r.faces[c % size == size - 1 ? c - size + 1 : c + 1];
        assert_true(edges[c][0] < r.n_vertices);
        used[edges[c][0]] = 1;
    }
    qsort(edges, (size_t)n, sizeof *edges, pair_order);
    for (int64_t c = 0; c < n; c++) {
        uint32_t back[2] = {edges[c][1], edges[c][0]};
        if (c > 0 && pair_order(edges[c], edges[c - 1]) == 0 && twice++ >= most_twice)
            fail_msg("%s: edge %u-%u is run twice the same way", s->name, edges[c][0], edges[c][1]);
        open += !bsearch(back, edges, (size_t)n, sizeof *edges, pair_order);
    }
    for (int64_t v = 0; v < r.n_vertices; v++)
        isolated += !used[v];
    assert_int_equal(twice, most_twice);
    assert_int_equal(isolated, info.n_isolated);
    assert_int_equal(open, info.n_boundary_edges << level);
    assert_int_equal((n - open) / 2 + open, plan.n_edges);
    assert_int_equal(r.n_vertices, plan.n_vertices);
    assert_int_equal(r.n_vertices - plan.n_edges + r.n_faces, info.n_vertices - info.n_edges + info.n_faces);
    free(edges);
    free(used);
    refined_free(&r);
}

/* Without creases the limit of a vertex is the same from every level that has the vertex (beside a dart or a semi-sharp
 * edge it is not, there the mask is only a rule). */
static void law_limit(const struct shape *s)
{
    const int m = scheme == SDD_SCHEME_LOOP ? 2 : 1;
    struct refined a, b;
    struct grid g;
    if (s->desc.n_creases > 0)
        return;
    for (int64_t i = 0; i < s->desc.n_corner_tags; i++)
        if (s->desc.corner_sharpness[i] < 10)
            return;
    refine(s, s->points, 1, &a);
    refine(s, s->points, 4, &b);
    grid_init(&g, &s->desc);
    for (int64_t c = 0; c < s->desc.n_corners; c++)
        for (int i = 0; i <= m; i++)
            for (int j = 0; j <= (g.triangles ? m - i : m); j++) {
                int64_t v = row_of(&g, 1, c, i, j), w = row_of(&g, 4, c, 8 * i, 8 * j);
                const double *limit = &a.limits[3 * v];
                int stays = memcmp(limit, &a.points[3 * v], 3 * sizeof *limit) == 0; /* valence 2: at every level */
                if (!stays)
                    near(s->name, "limit", v, &b.limits[3 * w], limit, 1e-5 * s->diagonal);
            }
    grid_fini(&g);
    refined_free(&a);
    refined_free(&b);
}

static void test_constant(void **state)
{
    (void)state, for_any_shape(law_constant);
}
static void test_affine(void **state)
{
    (void)state, for_any_shape(law_affine);
}
static void test_names(void **state)
{
    (void)state, for_any_shape(law_names);
}
static void test_counts(void **state)
{
    (void)state, for_small_shapes(law_counts);
}
static void test_limit(void **state)
{
    (void)state, for_small_shapes(law_limit);
}

/* Normals do not depend on the unit of length: the same at 1e-12 and at 1e25 as at 1, for both surfaces. */
static void test_normals_any_scale(void **state)
{
    static const float scales[] = {1.0f, 1e-12f, 1e12f, 1e25f};
    struct shape s;
    (void)state;
    load("crease_edge_1.5", &s);
    for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
        float *first = NULL;
        for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
            struct sdd_refine_request r = {.level = 4, .surface = surface, .include = SDD_NORMALS, .method = method};
            float *points = malloc((size_t)s.desc.n_vertices * 3 * sizeof *points);
            struct sdd_error err = {0};
            sdd_topology *topology;
            sdd_mesh *mesh;
            sdd_result *result;
            assert_non_null(points);
            for (int64_t i = 0; i < 3 * s.desc.n_vertices; i++)
                points[i] = s.points[i] * scales[k];
            assert_int_equal(sdd_topology_create(device, &s.desc, &topology, &err), SDD_OK);
            assert_int_equal(sdd_mesh_create(topology, points, NULL, &mesh, &err), SDD_OK);
            assert_int_equal(refine_once(mesh, &r, &result, &err), SDD_OK);
            const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
            const float *n = b->data;
            first = first ? first : memcpy(malloc((size_t)b->bytes), n, (size_t)b->bytes);
            for (int64_t i = 0; i < b->count; i++) {
                const float *v = n + 3 * i, *w = first + 3 * i;
                double length = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
                double along = (double)v[0] * w[0] + (double)v[1] * w[1] + (double)v[2] * w[2];
                if (!(fabs(length - 1.0) < 1e-6) || !(along > 0.9999))
                    fail_msg("scale %g: normal %lld is (%g, %g, %g), at scale 1 (%g, %g, %g)", (double)scales[k],
                             (long long)i, (double)v[0], (double)v[1], (double)v[2], (double)w[0], (double)w[1],
                             (double)w[2]);
            }
            sdd_result_free(result);
            sdd_mesh_free(mesh);
            sdd_topology_unref(topology);
            free(points);
        }
        free(first);
    }
    unload(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_constant), cmocka_unit_test(test_affine),
                                       cmocka_unit_test(test_names),    cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_limit),    cmocka_unit_test(test_normals_any_scale)};
    device = open_device(0);
    method = "edge-friend";
    int failed = cmocka_run_group_tests_name("laws, edge-friend", tests, NULL, NULL);
    method = "mesh-matrix";
    failed += cmocka_run_group_tests_name("laws, mesh-matrix", tests, NULL, NULL);
    method = "mesh-matrix-spla";
    failed += cmocka_run_group_tests_name("laws, mesh-matrix-spla", tests, NULL, NULL);
    method = "mesh-matrix";
    scheme = SDD_SCHEME_BILINEAR;
    failed += cmocka_run_group_tests_name("laws, bilinear", tests, NULL, NULL);
    scheme = SDD_SCHEME_LOOP;
    failed += cmocka_run_group_tests_name("laws, loop", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
