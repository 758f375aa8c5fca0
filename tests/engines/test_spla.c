/* SPDX-License-Identifier: Apache-2.0 */
/* test_spla.c: mesh-matrix and mesh-matrix-spla make one surface, by ways that share no arithmetic: on every manifold
 * shape, at levels 1 to 4 (sqrt3: 5), refined and limit. Positions are within 2 ulp of the largest coordinate, limits,
 * which add up neighbours of those in float, within 4; to the bit are the boundary (but under sqrt3) and, after the
 * first step of Catmull-Clark, the face points and edge points of meshes of quads. And what it refuses. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/refine_once.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 200000

static sdd_device *device;
static double worst;    /* difference of positions, in ulp     */
static int64_t n_exact; /* coordinates that had to be equal */

static sdd_result *refine(sdd_mesh *mesh, const char *method, int level, int surface, const char *name)
{
    const int include = SDD_POSITIONS | SDD_INDICES;
    const struct sdd_refine_request r = {.level = level, .surface = surface, .include = include, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(mesh, &r, &result, &err) != SDD_OK)
        fail_msg("%s level %d by %s: %s", name, level, method, err.text);
    assert_string_equal(sdd_result_info(result)->plan.method, method);
    return result;
}

static void open_mesh(const struct shape *s, const struct sdd_mesh_desc *d, sdd_topology **t, sdd_mesh **m)
{
    struct sdd_error err = {0};
    if (sdd_topology_create(device, d, t, &err) || sdd_mesh_create(*t, s->points, NULL, m, &err))
        fail_msg("%s: %s", s->name, err.text);
}

/* ---- one surface ----------------------------------------------------------------------------------------------- */
static int compare_lines(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Which refined vertices lie on the boundary: those of edges of one face. */
static unsigned char *boundary_of(const struct sdd_block *faces, int64_t n_vertices)
{
    const uint32_t *v = faces->data;
    const int64_t size = faces->components, n = faces->count * size;
    unsigned char *on = xalloc(n_vertices, 1);
    uint64_t *line = xalloc(n, sizeof *line);
    for (int64_t c = 0; c < n; c++) {
        uint64_t i = v[c], j = v[c / size * size + (c + 1) % size];
        line[c] = i < j ? i << 32 | j : j << 32 | i;
    }
    qsort(line, (size_t)n, sizeof *line, compare_lines);
    for (int64_t c = 0; c < n; c++)
        if ((c == 0 || line[c] != line[c - 1]) && (c + 1 == n || line[c] != line[c + 1]))
            on[line[c] >> 32] = on[(uint32_t)line[c]] = 1;
    free(line);
    return on;
}

/* Points that both engines make by the same sum: the boundary, which has a curve of its own, and what the first step of
 * Catmull-Clark adds to quads. */
static int is_exact(const struct sdd_topology_info *i, int level, int64_t row, const unsigned char *boundary)
{
    const int quads = i->max_face_size == 4 && i->min_face_size == 4;
    if (i->n_holes == 0 && boundary[row] && i->options.scheme != SDD_SCHEME_SQRT3)
        return 1;
    return level == 1 && i->options.scheme == SDD_SCHEME_CATMULL_CLARK && quads && row >= i->n_vertices;
}

static void compare(const struct shape *s, const struct sdd_topology_info *i, int level, int limit, sdd_result *matrix,
                    sdd_result *spla)
{
    const struct sdd_plan_info *a = &sdd_result_info(matrix)->plan, *b = &sdd_result_info(spla)->plan;
    const float *p = a->blocks[0].data, *q = b->blocks[0].data;
    const int64_t n = a->blocks[0].count;
    unsigned char *boundary = boundary_of(a->blocks + 1, n);
    double magnitude = 0;
    for (int64_t k = 0; k < 3 * i->n_vertices; k++)
        magnitude = fmax(magnitude, fabs((double)s->points[k]));
    assert_int_equal(n, b->blocks[0].count);
    for (int64_t k = 0; k < 3 * n; k++) {
        const int exact = !limit && is_exact(i, level, k / 3, boundary);
        const double off = fabs((double)p[k] - (double)q[k]) / (magnitude * FLT_EPSILON);
        worst = fmax(worst, limit ? 0 : off);
        n_exact += exact;
        if (!(off <= (exact ? 0 : limit ? 4 : 2)))
            fail_msg("%s level %d: point %lld is %.9g and %.9g", s->name, level, (long long)(k / 3), (double)p[k],
                     (double)q[k]);
    }
    assert_memory_equal(a->blocks[1].data, b->blocks[1].data, (size_t)a->blocks[1].bytes);
    free(boundary);
}

static void check_mesh(const struct shape *s, const struct sdd_mesh_desc *d)
{
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    struct sdd_topology_info info;
    open_mesh(s, d, &t, &m);
    sdd_topology_info(t, &info);
    int last = level_that_fits(d, d->options.scheme == SDD_SCHEME_SQRT3 ? 5 : 4, MOST_VERTICES);
    for (int level = 1; level <= last; level++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            sdd_result *a = refine(m, "mesh-matrix", level, surface, s->name);
            sdd_result *b = refine(m, "mesh-matrix-spla", level, surface, s->name);
            compare(s, &info, level, surface != SDD_SURFACE_REFINED, a, b);
            sdd_result_free(a);
            sdd_result_free(b);
        }
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    assert_true(last > 0);
}

static int is_triangles(const struct sdd_mesh_desc *d)
{
    for (int64_t f = 0; f < d->n_faces; f++)
        if (d->face_counts[f] != 3)
            return 0;
    return 1;
}

/* Every shape, without its tags. */
static void each_shape(int scheme, void (*check)(const struct shape *s, const struct sdd_mesh_desc *d))
{
    size_t n, n_checked = 0;
    char **names = shape_list(test_shapes_dir(), &n);
    assert_true(names && n > 100);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(test_shapes_dir(), names[i], &s, &err) != SDD_OK)
            fail_msg("%s: %s", names[i], err.text);
        struct sdd_mesh_desc d = s.desc;
        d.n_creases = d.n_corner_tags = d.n_uvs = 0;
        d.options.triangle_rule = SDD_TRIANGLE_CATMULL_CLARK;
        d.options.scheme = scheme;
        /* test_pillow has the one that Loop's E and the F of sqrt3 cannot hold */
        if (scheme == SDD_SCHEME_CATMULL_CLARK || (is_triangles(&d) && strcmp(s.name, "pillow_triangle") != 0)) {
            check(&s, &d);
            n_checked++;
        }
        shape_free(&s);
    }
    shape_list_free(names);
    assert_true(n_checked >= 10);
}

static void test_catmull_clark(void **state)
{
    (void)state;
    worst = 0, n_exact = 0;
    each_shape(SDD_SCHEME_CATMULL_CLARK, check_mesh);
    print_message("at most %.2f ulp; %lld coordinates had to be equal\n", worst, (long long)n_exact);
    assert_true(n_exact > 1000);
}

static void test_loop(void **state)
{
    (void)state;
    worst = 0, n_exact = 0;
    each_shape(SDD_SCHEME_LOOP, check_mesh);
    print_message("at most %.2f ulp; %lld coordinates had to be equal\n", worst, (long long)n_exact);
    assert_true(n_exact > 1000);
}

static void test_sqrt3(void **state)
{
    (void)state;
    worst = 0;
    each_shape(SDD_SCHEME_SQRT3, check_mesh);
    print_message("at most %.2f ulp\n", worst);
}

/* ---- what it refuses -------------------------------------------------------------------------------------------- */
static void refuse(const struct shape *s, const struct sdd_mesh_desc *d, int level, int64_t plan_rc, const char *words)
{
    const struct sdd_refine_request r = {
        .level = level, .surface = SDD_SURFACE_REFINED, .include = SDD_POSITIONS, .method = "mesh-matrix-spla"};
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_result *result;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    open_mesh(s, d, &t, &m);
    assert_int_equal(plan_once(t, &r, &plan, &err), plan_rc);
    assert_int_equal(refine_once(m, &r, &result, &err), SDD_EUNSUPPORTED);
    assert_null(result);
    assert_string_equal(err.field, "method");
    if (!strstr(err.text, words) || !strstr(err.text, "engine mesh-matrix-spla does not do "))
        fail_msg("%s: \"%s\", expected \"...%s...\"", s->name, err.text, words);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
}

static void test_refused(void **state)
{
    static const struct {
        const char *shape, *words;
        int scheme;
    } refused[] = {
        {"nonmanifold/edge_of_three_faces", "edge (0, 1) is not manifold", SDD_SCHEME_CATMULL_CLARK},
        {"nonmanifold/bow_tie", "its faces do not form one fan", SDD_SCHEME_CATMULL_CLARK},
        {"crease_ngons", "creases and corners", SDD_SCHEME_CATMULL_CLARK},
        {"smoothtri_icosahedron", "triangleSubdivisionRule smooth", SDD_SCHEME_CATMULL_CLARK},
        {"cube", "scheme bilinear", SDD_SCHEME_BILINEAR},
        {"crease_triangles", "creases and corners", SDD_SCHEME_SQRT3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(test_shapes_dir(), refused[i].shape, &s, &err))
            fail_msg("%s: %s", refused[i].shape, err.text);
        s.desc.options.scheme = refused[i].scheme;
        refuse(&s, &s.desc, 2, SDD_EUNSUPPORTED, refused[i].words);
        shape_free(&s);
    }
}

/* Two triangles back to back: level 1 it does, beyond it says why not; beside a tetrahedron, too. */
static void test_pillow(void **state)
{
    static const int32_t counts[] = {3, 3, 3, 3, 3, 3};
    static const int32_t vertices[] = {0, 1, 2, 0, 2, 1, 3, 4, 5, 3, 6, 4, 4, 6, 5, 5, 6, 3};
    static const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0, 2, 0, 1};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int n_faces = k % 2 ? 6 : 2;
        struct shape s = {.name = "pillow", .points = points};
        s.desc.n_vertices = n_faces == 2 ? 3 : 7, s.desc.n_faces = n_faces, s.desc.n_corners = 3 * n_faces;
        s.desc.face_counts = counts, s.desc.face_vertices = vertices,
        s.desc.options.scheme = k < 2 ? SDD_SCHEME_LOOP : SDD_SCHEME_SQRT3;
        refuse(&s, &s.desc, 3, SDD_OK, "two triangles that share all three edges");
        sdd_topology *t = NULL;
        sdd_mesh *m = NULL;
        struct sdd_topology_info info;
        open_mesh(&s, &s.desc, &t, &m);
        sdd_topology_info(t, &info);
        sdd_result *a = refine(m, "mesh-matrix", 1, 0, s.name), *b = refine(m, "mesh-matrix-spla", 1, 0, s.name);
        compare(&s, &info, 1, 0, a, b);
        sdd_result_free(a), sdd_result_free(b);
        sdd_mesh_free(m);
        sdd_topology_unref(t);
        s.desc.options.scheme = SDD_SCHEME_CATMULL_CLARK; /* which has no trouble there */
        check_mesh(&s, &s.desc);
    }
}

/* Products are counted in 32 bits. */
static void test_too_large(void **state)
{
    const struct sdd_refine_request r = {
        .level = 14, .surface = SDD_SURFACE_REFINED, .include = SDD_POSITIONS, .method = "mesh-matrix-spla"};
    struct shape s;
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    (void)state;
    assert_int_equal(shape_load(test_shapes_dir(), "cube", &s, &err), SDD_OK);
    open_mesh(&s, &s.desc, &t, &m);
    assert_int_equal(plan_once(t, &r, &plan, &err), SDD_ETOO_LARGE);
    assert_string_equal(err.field, "level");
    assert_true(err.needed > err.available);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_catmull_clark), cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_sqrt3),         cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_pillow),        cmocka_unit_test(test_too_large)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("mesh-matrix in sparse linear algebra", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
