/* SPDX-License-Identifier: Apache-2.0 */
/* test_sqrt3.c: laws of scheme sqrt3 on every shape of triangles, by both engines that make it: weights sum to one,
 * affine maps commute with refining, names do not matter, Euler's counts are the plan's, limits do not depend on the
 * level and are where twelve levels come to; UVs with seams anywhere: constants, affine maps, areas, no new seams, a
 * plane's own coordinates; what it refuses. */
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
static const char *method = "auto";

static void refine(const struct sdd_mesh_desc *d, const float *points, int level, const char *name, struct refined *out)
{
    struct sdd_error err = {0};
    if (library_refine(device, method, d, points, NULL, level, out, &err) != SDD_OK)
        fail_msg("%s level %d: %s", name, level, err.text);
}

static int is_triangles(const struct sdd_mesh_desc *d)
{
    for (int64_t f = 0; f < d->n_faces; f++)
        if (d->face_counts[f] != 3)
            return 0;
    return 1;
}

static void for_each(const char *folder, int at_least, void (*law)(const struct shape *s))
{
    size_t n;
    char dir[4096];
    int met = 0;
    snprintf(dir, sizeof dir, "%s/%s", test_shapes_dir(), folder);
    char **names = shape_list(dir, &n);
    assert_non_null(names);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        assert_int_equal(shape_load(dir, names[i], &s, &err), SDD_OK);
        s.desc.options.scheme = SDD_SCHEME_SQRT3;
        s.desc.n_uvs = 0;
        if (is_triangles(&s.desc) && s.desc.n_corners < 1000) {
            law(&s);
            met++;
            int tags = s.desc.n_creases > 0 || s.desc.n_corner_tags > 0 || *folder;
            if (!tags && strcmp(s.name, "pillow_triangle") != 0) { /* what mesh-matrix-spla takes */
                method = "mesh-matrix-spla";
                law(&s);
                method = "auto";
            }
        }
        shape_free(&s);
    }
    shape_list_free(names);
    assert_true(met >= at_least);
}

static void near(const char *name, const char *what, int64_t row, const double *got, const double *want,
                 double tolerance)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(got[k] - want[k]) <= tolerance))
            fail_msg("%s: %s %lld is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", name, what, (long long)row, got[0],
                     got[1], got[2], want[0], want[1], want[2]);
}

static void law_constant(const struct shape *s)
{
    const double place[3] = {0.3f, -1.7f, 2.9f};
    float *points = xalloc(3 * s->desc.n_vertices, sizeof *points);
    struct refined r;
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        points[i] = (float)place[i % 3];
    refine(&s->desc, points, 5, s->name, &r);
    for (int64_t v = 0; v < r.n_vertices; v++) {
        near(s->name, "vertex", v, &r.points[3 * v], place, 3e-6);
        near(s->name, "limit", v, &r.limits[3 * v], place, 4e-6);
    }
    refined_free(&r);
    free(points);
}

static void law_affine(const struct shape *s)
{
    static const double map[3][4] = {{0.8, -0.3, 0.2, 4}, {0.5, 1.1, -0.4, -2}, {-0.1, 0.6, 0.9, 1}};
    float *moved = xalloc(3 * s->desc.n_vertices, sizeof *moved);
    struct refined a, b;
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++) {
        const float *p = &s->points[i / 3 * 3];
        const double *m = map[i % 3];
        moved[i] = (float)(m[0] * (double)p[0] + m[1] * (double)p[1] + m[2] * (double)p[2] + m[3]);
    }
    refine(&s->desc, s->points, 4, s->name, &a);
    refine(&s->desc, moved, 4, s->name, &b);
    for (int64_t i = 0; i < 2 * a.n_vertices; i++) {
        const double *p = i % 2 ? &a.limits[i / 2 * 3] : &a.points[i / 2 * 3];
        double q[3];
        for (int k = 0; k < 3; k++)
            q[k] = map[k][0] * p[0] + map[k][1] * p[1] + map[k][2] * p[2] + map[k][3];
        near(s->name, i % 2 ? "limit" : "vertex", i / 2, i % 2 ? &b.limits[i / 2 * 3] : &b.points[i / 2 * 3], q,
             1e-5 * (s->diagonal + 4));
    }
    refined_free(&a);
    refined_free(&b);
    free(moved);
}

/* Faces in the opposite order, each from its second corner: the same point of the same face has the same place. Which
 * fan's normal a vertex that is not manifold gets may change, nothing else. */
static void law_names(const struct shape *s)
{
    const int level = 4;
    struct sdd_mesh_desc d = s->desc;
    int64_t F = d.n_faces, each = 1;
    int32_t *vertices = xalloc(3 * F, sizeof *vertices);
    struct refined a, b;
    for (int64_t f = 0; f < F; f++)
        for (int i = 0; i < 3; i++)
            vertices[3 * (F - 1 - f) + i] = d.face_vertices[3 * f + (i + 1) % 3];
    d.face_vertices = vertices;
    d.n_holes = 0;
    struct sdd_mesh_desc plain = s->desc;
    plain.n_holes = 0;
    plain.options.boundary = d.options.boundary = SDD_BOUNDARY_EDGE_ONLY;
    refine(&plain, s->points, level, s->name, &a);
    refine(&d, s->points, level, s->name, &b);
    for (int k = 0; k < level - 1; k++)
        each *= 3;
    for (int64_t c = 0; c < 3 * F; c++) { /* what has come from corner c */
        int64_t other = 3 * (F - 1 - c / 3) + (c % 3 + 2) % 3;
        for (int64_t k = 0; k < 3 * each; k++) {
            int64_t v = a.faces[3 * each * c + k], w = b.faces[3 * each * other + k];
            near(s->name, "vertex", v, &b.points[3 * w], &a.points[3 * v], 3e-6 * (s->diagonal + 1));
            near(s->name, "limit", v, &b.limits[3 * w], &a.limits[3 * v], 5e-6 * (s->diagonal + 1));
        }
    }
    refined_free(&a);
    refined_free(&b);
    free(vertices);
}

static int pair_order(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

static void law_counts(const struct shape *s)
{
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    struct sdd_topology_info info;
    struct sdd_mesh_desc d = s->desc;
    d.n_holes = 0;
    d.options.boundary = SDD_BOUNDARY_EDGE_ONLY; /* the edges of holes are not output */
    assert_int_equal(sdd_topology_create(device, &d, &t, &err), SDD_OK);
    sdd_topology_info(t, &info);
    for (int level = 1; level <= 5; level++) {
        struct sdd_plan_info plan;
        struct sdd_refine_request request = {.level = level, .include = SDD_INDICES};
        struct refined r;
        assert_int_equal(plan_once(t, &request, &plan, &err), SDD_OK);
        refine(&d, s->points, level, s->name, &r);
        uint32_t(*edges)[2] = xalloc(3 * r.n_faces, sizeof *edges);
        int64_t n = 3 * r.n_faces, open = 0, twice = 0;
        for (int64_t c = 0; c < n; c++) {
            edges[c][0] = r.faces[c];
            edges[c][1] = r.faces[c % 3 == 2 ? c - 2 : c + 1];
            assert_true(edges[c][0] < r.n_vertices);
        }
        qsort(edges, (size_t)n, sizeof *edges, pair_order);
        for (int64_t c = 0; c < n; c++) {
            uint32_t back[2] = {edges[c][1], edges[c][0]};
            twice += c > 0 && pair_order(edges[c], edges[c - 1]) == 0;
            open += !bsearch(back, edges, (size_t)n, sizeof *edges, pair_order);
        }
        assert_int_equal(r.n_vertices, plan.n_vertices);
        assert_int_equal(r.n_vertices - plan.n_edges + r.n_faces, info.n_vertices - info.n_edges + info.n_faces);
        if (twice == 0) { /* beside vertices of two faces two edges may have the same ends */
            int64_t pieces = 1;
            for (int k = 0; k < level / 2; k++)
                pieces *= 3;
            assert_int_equal(open, info.n_boundary_edges * pieces);
            assert_int_equal((n + open) / 2, plan.n_edges);
        }
        free(edges);
        refined_free(&r);
    }
    sdd_topology_unref(t);
}

/* Without creases a limit is the same from every level that has the vertex. */
static void law_limit(const struct shape *s)
{
    struct refined low, high;
    if (s->desc.n_creases > 0 || s->desc.n_corner_tags > 0)
        return;
    refine(&s->desc, s->points, 6, s->name, &high);
    for (int level = 1; level < 6; level++) {
        refine(&s->desc, s->points, level, s->name, &low);
        for (int64_t v = 0; v < low.n_vertices; v++)
            near(s->name, "limit", v, &high.limits[3 * v], &low.limits[3 * v], 1e-5 * s->diagonal);
        refined_free(&low);
    }
    refined_free(&high);
}

static void test_constant(void **state)
{
    (void)state, for_each("", 20, law_constant), for_each("nonmanifold", 5, law_constant);
}
static void test_affine(void **state)
{
    (void)state, for_each("", 20, law_affine), for_each("nonmanifold", 5, law_affine);
}
static void test_names(void **state)
{
    (void)state, for_each("", 20, law_names), for_each("nonmanifold", 5, law_names);
}
static void test_counts(void **state)
{
    (void)state, for_each("", 20, law_counts);
}
static void test_limit(void **state)
{
    (void)state, for_each("", 20, law_limit), for_each("nonmanifold", 5, law_limit);
}

static void load(const char *name, struct shape *s)
{
    struct sdd_error err = {0};
    if (shape_load(test_shapes_dir(), name, s, &err) != SDD_OK)
        fail_msg("%s: %s", name, err.text);
    s->desc.options.scheme = SDD_SCHEME_SQRT3;
}

/* The weights of limits come from the eigenstructure; the steps themselves come to the same places. */
static void test_level_12(void **state)
{
    static const char *const names[] = {"tetrahedron", "octahedron", "fan_open3", "single_triangle"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct shape s;
        struct refined low, high;
        load(names[i], &s);
        refine(&s.desc, s.points, 2, names[i], &low);
        refine(&s.desc, s.points, 12, names[i], &high);
        for (int64_t v = 0; v < low.n_vertices; v++) /* the rest shrinks by 3 or so a pair */
            near(names[i], "limit", v, &high.points[3 * v], &low.limits[3 * v], 2e-3 * s.diagonal);
        refined_free(&low);
        refined_free(&high);
        shape_free(&s);
    }
}

/* ---- UVs --------------------------------------------------------------------------------------------------------- */
enum seams { OWN, NONE, SOME, ALL, N_SEAMS };
static const char *const seams_of[N_SEAMS] = {"own UVs", "no seams", "some seams", "seams everywhere"};

static double unit_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 40) / (double)(1 << 24);
}

/* UVs of the mesh d, which is of triangles; a shape's own need nothing. */
static void make_uvs(struct sdd_mesh_desc *d, enum seams seams, int32_t **rows, float **uvs)
{
    uint64_t seed = (uint64_t)d->n_corners * 7 + seams;
    d->n_uvs = d->n_vertices + d->n_corners;
    *rows = xalloc(d->n_corners, sizeof **rows);
    *uvs = xalloc(2 * d->n_uvs, sizeof **uvs);
    for (int64_t i = 0; i < 2 * d->n_uvs; i++)
        (*uvs)[i] = (float)unit_random(&seed);
    for (int64_t c = 0; c < d->n_corners; c++) {
        int cut = seams == ALL || (seams == SOME && unit_random(&seed) < 0.2);
        (*rows)[c] = cut ? (int32_t)(d->n_vertices + c) : d->face_vertices[c];
    }
    d->uv_indices = *rows;
}

static void refine_uvs(const struct sdd_mesh_desc *d, const struct shape *s, const float *uvs, int level,
                       struct refined *out)
{
    struct sdd_error err = {0};
    if (library_refine(device, method, d, s->points, uvs, level, out, &err) != SDD_OK)
        fail_msg("%s level %d: %s", s->name, level, err.text);
}

static double area(const double *a, const double *b, const double *c)
{
    return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

/* Signed areas add up to those of the control mesh: steps neither lose nor double any of it. */
static void same_area(const struct sdd_mesh_desc *d, const float *uvs, const struct refined *r, const char *name)
{
    double before = 0, after = 0, magnitude = 0;
    for (int64_t f = 0; f < d->n_faces; f++) {
        double p[3][2];
        for (int i = 0; i < 6; i++) {
            p[i / 2][i % 2] = (double)uvs[2 * d->uv_indices[3 * f + i / 2] + i % 2];
            magnitude = fmax(magnitude, fabs(p[i / 2][i % 2]));
        }
        before += area(p[0], p[1], p[2]);
    }
    for (int64_t f = 0; f < r->n_faces; f++)
        after += area(r->uvs + 6 * f, r->uvs + 6 * f + 2, r->uvs + 6 * f + 4);
    if (!(fabs(before - after) <= 1e-6 * (double)d->n_faces * magnitude * magnitude))
        fail_msg("%s: UVs have the area %.9g, not %.9g", name, after, before);
}

/* Where control vertices have one value, all vertices have: to the bit. */
static void no_seams(const struct refined *r, const char *name)
{
    double(*at)[2] = xalloc(r->n_vertices, sizeof *at);
    unsigned char *seen = xalloc(r->n_vertices, 1);
    for (int64_t c = 0; c < 3 * r->n_faces; c++) {
        uint32_t v = r->faces[c];
        if (seen[v] && (at[v][0] != r->uvs[2 * c] || at[v][1] != r->uvs[2 * c + 1]))
            fail_msg("%s: vertex %u has two UVs", name, v);
        memcpy(at[v], r->uvs + 2 * c, sizeof *at);
        seen[v] = 1;
    }
    free(at);
    free(seen);
}

static void map_uvs(const float *uvs, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++) {
        double u = (double)uvs[2 * i], v = (double)uvs[2 * i + 1];
        to[2 * i] = (float)(0.7 * u - 1.3 * v + 2);
        to[2 * i + 1] = (float)(0.4 * u + 0.9 * v - 5);
    }
}

static void laws_at(const struct sdd_mesh_desc *d, const struct shape *s, const float *uvs, enum seams seams, int level)
{
    float *moved = xalloc(2 * d->n_uvs, sizeof *moved);
    struct refined a, b, constant;
    char name[160];
    snprintf(name, sizeof name, "%s, %s, level %d", s->name, seams_of[seams], level);
    refine_uvs(d, s, uvs, level, &a);
    map_uvs(uvs, d->n_uvs, moved);
    refine_uvs(d, s, moved, level, &b);
    for (int64_t c = 0; c < 3 * a.n_faces; c++) {
        const double *p = a.uvs + 2 * c, *q = b.uvs + 2 * c;
        double want[3] = {0.7 * p[0] - 1.3 * p[1] + 2, 0.4 * p[0] + 0.9 * p[1] - 5}, got[3] = {q[0], q[1]};
        near(name, "UV of corner", c, got, want, 4e-6 * (5 + fabs(want[0]) + fabs(want[1])));
    }
    for (int64_t i = 0; i < 2 * d->n_uvs; i++)
        moved[i] = i % 2 ? -0.3f : 1.7f;
    refine_uvs(d, s, moved, level, &constant);
    for (int64_t i = 0; i < 6 * a.n_faces; i++)
        if (constant.uvs[i] != (double)(i % 2 ? -0.3f : 1.7f))
            fail_msg("%s: one UV everywhere becomes %.9g", name, constant.uvs[i]);
    if (d->n_holes == 0 && d->options.boundary != SDD_BOUNDARY_NONE)
        same_area(d, uvs, &a, name);
    if (seams == NONE)
        no_seams(&a, name);
    refined_free(&a);
    refined_free(&b);
    refined_free(&constant);
    free(moved);
}

/* The same bits asked for alone as with all else. */
static void same_alone(const struct sdd_mesh_desc *d, const struct shape *s, const float *uvs, int level)
{
    static const int includes[] = {SDD_POSITIONS | SDD_NORMALS | SDD_INDICES | SDD_UVS | SDD_UV_INDICES,
                                   SDD_UVS,
                                   SDD_UV_INDICES,
                                   SDD_UVS | SDD_UV_INDICES,
                                   SDD_UVS | SDD_NORMALS,
                                   SDD_POSITIONS | SDD_UVS,
                                   SDD_INDICES | SDD_UVS};
    struct sdd_error err = {0};
    sdd_topology *t;
    sdd_mesh *m;
    uint64_t digest[2] = {0};
    assert_int_equal(sdd_topology_create(device, d, &t, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(t, s->points, uvs, &m, &err), SDD_OK);
    for (size_t i = 0; i < 2 * sizeof includes / sizeof *includes; i++) {
        const struct sdd_refine_request r = {
            .level = level, .surface = i % 2, .include = includes[i / 2], .method = method};
        sdd_result *result;
        assert_int_equal(refine_once(m, &r, &result, &err), SDD_OK);
        const struct sdd_plan_info *p = &sdd_result_info(result)->plan;
        assert_int_equal(p->n_uvs, 3 * p->n_faces);
        for (int k = 0; k < p->n_blocks; k++) {
            int is_uvs = p->blocks[k].semantic == SDD_UVS;
            if (!is_uvs && p->blocks[k].semantic != SDD_UV_INDICES)
                continue;
            assert_int_equal(p->blocks[k].count, is_uvs ? p->n_uvs : p->n_faces);
            if (i == 0)
                digest[is_uvs] = p->blocks[k].digest;
            if (p->blocks[k].digest != digest[is_uvs])
                fail_msg("%s level %d: include %d has other UVs", s->name, level, r.include);
        }
        sdd_result_free(result);
    }
    sdd_mesh_free(m);
    sdd_topology_unref(t);
}

/* Does the engine do this, and not for its size? mesh-matrix-spla leaves some shapes out. */
static int is_done(const struct sdd_mesh_desc *d)
{
    const struct sdd_refine_request r = {
        .level = 4, .surface = SDD_SURFACE_LIMIT, .include = SDD_POSITIONS, .method = method};
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_topology *t;
    assert_int_equal(sdd_topology_create(device, d, &t, &err), SDD_OK);
    int rc = plan_once(t, &r, &plan, &err);
    sdd_topology_unref(t);
    assert_true(!rc || (rc == SDD_EUNSUPPORTED && strcmp(method, "auto") != 0));
    return !rc;
}

/* Any shape, cut into triangles. */
static int uv_shape(struct shape *s)
{
    struct sdd_mesh_desc d = s->desc;
    struct triangles cut = triangles_cut(&d);
    int n = 0, most = is_done(&d) ? 300 : 0;
    for (enum seams seams = OWN; seams < N_SEAMS && d.n_corners < most; seams++, most = 60) {
        int32_t *rows = NULL;
        float *made = NULL;
        const float *uvs = s->uvs;
        struct sdd_mesh_desc own = d;
        own.options.fvar = SDD_FVAR_ALL;
        if (seams == OWN && d.n_uvs == 0)
            continue;
        if (seams != OWN) {
            make_uvs(&own, seams, &rows, &made);
            uvs = made;
        }
        for (int level = 1; level <= 4; level++)
            laws_at(&own, s, uvs, seams, level);
        for (int level = 1; level <= 5 && seams == SOME && d.n_corners < 40; level++)
            same_alone(&own, s, uvs, level);
        free(rows);
        free(made);
        n++;
    }
    triangles_free(&cut);
    return n;
}

static void uv_laws(const char *folder, int at_least)
{
    size_t n;
    char dir[4096];
    int met = 0;
    snprintf(dir, sizeof dir, "%s/%s", test_shapes_dir(), folder);
    char **names = shape_list(dir, &n);
    assert_non_null(names);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        assert_int_equal(shape_load(dir, names[i], &s, &err), SDD_OK);
        s.desc.options.scheme = SDD_SCHEME_SQRT3;
        met += uv_shape(&s);
        if (!*folder && strcmp(s.name, "pillow_triangle") != 0) {
            s.desc.n_creases = s.desc.n_corner_tags = 0;
            method = "mesh-matrix-spla";
            uv_shape(&s);
            method = "auto";
        }
        shape_free(&s);
    }
    shape_list_free(names);
    assert_true(met >= at_least);
}

static void test_uvs(void **state)
{
    (void)state, uv_laws("", 100), uv_laws("nonmanifold", 20);
}

/* A lattice of equal triangles stays one away from its boundary: where a vertex is says which UV it has. */
static void test_uv_plane(void **state)
{
    enum { N = 8, V = (N + 1) * (N + 1), F = 2 * N * N };
    int32_t counts[F], vertices[3 * F];
    float points[3 * V], uvs[2 * V];
    struct shape s = {.points = points};
    struct sdd_mesh_desc d = {.n_vertices = V, .n_faces = F, .n_corners = 3 * F, .n_uvs = V};
    d.face_counts = counts, d.face_vertices = d.uv_indices = vertices;
    d.options.scheme = SDD_SCHEME_SQRT3, d.options.fvar = SDD_FVAR_ALL;
    (void)state;
    snprintf(s.name, sizeof s.name, "lattice");
    for (int i = 0; i < V; i++) {
        const int column = i % (N + 1), row = i / (N + 1);
        const float x = (float)column, y = (float)row, at[3] = {x + y / 2, y, 0.5f * x};
        memcpy(points + 3 * i, at, sizeof at);
        uvs[2 * i] = 0.25f * x - 0.5f * y;
        uvs[2 * i + 1] = 3.0f * x + y;
    }
    for (int32_t f = 0; f < F; f++) {
        int32_t v = f / 2 / N * (N + 1) + f / 2 % N;
        const int32_t lower[3] = {v, v + 1, v + N + 1}, upper[3] = {v + N + 2, v + N + 1, v + 1};
        memcpy(vertices + 3 * f, f % 2 ? upper : lower, sizeof lower);
        counts[f] = 3;
    }
    for (int level = 1; level <= 5; level++) {
        struct refined r;
        refine_uvs(&d, &s, uvs, level, &r);
        for (int64_t c = 0; c < 3 * r.n_faces; c++) {
            int64_t square = c / 3 / (r.n_faces / F) / 2;
            if (llabs(2 * (square / N) + 1 - N) > 1 || llabs(2 * (square % N) + 1 - N) > 1)
                continue; /* not of the four in the middle */
            const double *p = r.points + 3 * r.faces[c], y = p[1], x = p[0] - y / 2;
            double got[3] = {r.uvs[2 * c], r.uvs[2 * c + 1]}, want[3] = {0.25 * x - 0.5 * y, 3 * x + y};
            near("lattice", "UV of corner", c, got, want, 2e-5);
        }
        refined_free(&r);
    }
}

/* Levels whose half-edges have no ids are refused, and UVs but by `all`; a plan says it before. */
static void test_refused(void **state)
{
    struct shape s;
    struct sdd_error err = {0};
    sdd_topology *t;
    struct sdd_plan_info plan;
    static const int32_t corners[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    struct sdd_refine_request r = {.level = 2, .include = SDD_POSITIONS | SDD_UVS};
    (void)state;
    load("tetrahedron", &s);
    s.desc.n_uvs = 3;
    s.desc.uv_indices = corners;
    s.desc.options.fvar = SDD_FVAR_BOUNDARIES;
    assert_int_equal(sdd_topology_create(device, &s.desc, &t, &err), SDD_OK);
    assert_int_equal(plan_once(t, &r, &plan, &err), SDD_EUNSUPPORTED);
    assert_string_equal(err.field, "faceVaryingLinearInterpolation");
    r.include = SDD_POSITIONS;
    for (r.level = 1; r.level <= SDD_MAX_LEVEL; r.level++)
        assert_int_equal(plan_once(t, &r, &plan, &err), SDD_OK);
    sdd_topology_unref(t);
    shape_free(&s);
    enum { N = 200 }; /* faces around a vertex */
    int32_t counts[N], vertices[3 * N];
    struct sdd_mesh_desc fan = {.n_vertices = N + 2, .n_faces = N, .n_corners = 3 * N, .face_counts = counts};
    fan.face_vertices = vertices;
    fan.options.scheme = SDD_SCHEME_SQRT3;
    for (int32_t f = 0; f < N; f++) {
        counts[f] = 3;
        vertices[3 * f] = 0;
        vertices[3 * f + 1] = f + 1;
        vertices[3 * f + 2] = f + 2;
    }
    assert_int_equal(sdd_topology_create(device, &fan, &t, &err), SDD_OK);
    r.level = 15;
    assert_int_equal(plan_once(t, &r, &plan, &err), SDD_ETOO_LARGE);
    assert_string_equal(err.field, "level");
    assert_int_equal(err.needed, 3 * (int64_t)N * 14348907 + (N + 2) * 2187);
    sdd_topology_unref(t);
}

static int open_all(void **state)
{
    (void)state;
    device = open_device(0);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sdd_device_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant), cmocka_unit_test(test_affine),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_limit),    cmocka_unit_test(test_level_12),
        cmocka_unit_test(test_uvs),      cmocka_unit_test(test_uv_plane), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("laws of scheme sqrt3", tests, open_all, close_all);
}
