/* SPDX-License-Identifier: Apache-2.0 */
/* test_tabulated.c: points from tables are those of mesh-matrix, but for rounding: on every shape, at levels 1 to 6,
 * refined and limit, positions, UVs and a vertex primvar of five floats; the same bits on any number of threads. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
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
#define ULPS 4 /* of the largest coordinate or value */

static sdd_device *device, *other_device;
static int n_refused, n_compared;
static double worst; /* ulps */
static uint64_t all_digests;

/* NULL: refused for its forms. */
static sdd_result *refine(sdd_mesh *mesh, const char *method, int level, int surface, const struct shape *s)
{
    const struct sdd_refine_request r = {.level = level,
                                         .surface = surface,
                                         .include = SDD_POSITIONS | SDD_PRIMVARS | (s->uvs ? SDD_UVS : 0),
                                         .primvars = 1,
                                         .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    int rc = sdd_refine(mesh, &r, &result, &err);
    if (rc == SDD_EUNSUPPORTED && strstr(err.text, "engine tabulated does not do this mesh"))
        return NULL;
    if (rc != SDD_OK)
        fail_msg("%s level %d by %s: %s", s->name, level, method, err.text);
    assert_string_equal(sdd_result_info(result)->plan.method, method);
    return result;
}

/* One ulp of the largest of some values. */
static double ulp_of(const float *values, int64_t n)
{
    double scale = 0;
    for (int64_t i = 0; i < n; i++)
        scale = fmax(scale, fabs((double)values[i]));
    return scale > 0 ? scale * 0x1p-23 : 1;
}

static void compare(const char *label, const struct sdd_block *got, const struct sdd_block *want, double ulp)
{
    const float *p = got->data, *q = want->data;
    assert_true(got->semantic == want->semantic && got->count == want->count && got->bytes == want->bytes);
    for (int64_t i = 0; i < got->components * got->count; i++) {
        double off = fabs((double)p[i] - (double)q[i]) / ulp;
        if (!(off <= ULPS))
            fail_msg("%s: block %d: value %lld of %lld is %.9g and %.9g, %g ulps apart", label, got->semantic,
                     (long long)i, (long long)(got->components * got->count), (double)p[i], (double)q[i], off);
        worst = fmax(worst, off);
    }
}

/* Five floats a vertex, of no pattern. */
static struct sdd_primvar primvar_of(const struct shape *s)
{
    float *values = xalloc(5 * s->desc.n_vertices, sizeof *values);
    for (int64_t i = 0; i < 5 * s->desc.n_vertices; i++)
        values[i] = (float)((i * 7919 + 31) % 1009) / 1009.0f - 0.5f;
    return (struct sdd_primvar){.interpolation = SDD_VERTEX, .width = 5, .values = values};
}

static void make(sdd_device *on, const struct shape *s, const struct sdd_primvar *five, sdd_topology **t, sdd_mesh **m)
{
    struct sdd_error err = {0};
    if (sdd_topology_create(on, &s->desc, t, &err) || sdd_mesh_create(*t, s->points, s->uvs, m, &err) ||
        sdd_mesh_set_primvars(*m, 1, five, &err))
        fail_msg("%s: %s", s->name, err.text);
}

/* 0: refused. */
static int check_surface(const struct shape *s, int level, int surface, sdd_mesh *m, sdd_mesh *other)
{
    char label[160];
    sdd_result *a = refine(m, "tabulated", level, surface, s);
    snprintf(label, sizeof label, "%s level %d surface %d", s->name, level, surface);
    if (!a)
        return 0;
    sdd_result *b = refine(m, "mesh-matrix", level, surface, s), *c = refine(other, "tabulated", level, surface, s);
    const struct sdd_plan *p = &sdd_result_info(a)->plan, *q = &sdd_result_info(b)->plan,
                          *r = &sdd_result_info(c)->plan;
    assert_int_equal(p->n_blocks, s->uvs ? 3 : 2);
    for (int k = 0; k < p->n_blocks; k++) {
        const int is_points = p->blocks[k].semantic == SDD_POSITIONS;
        double ulp = is_points ? ulp_of(s->points, 3 * s->desc.n_vertices) : 0x1p-24; /* of 0.5 */
        if (p->blocks[k].semantic == SDD_UVS)
            ulp = ulp_of(s->uvs, 2 * s->desc.n_uvs);
        compare(label, p->blocks + k, q->blocks + k, ulp);
        if (p->blocks[k].digest != r->blocks[k].digest)
            fail_msg("%s: block %d has other bits on two threads", label, p->blocks[k].semantic);
        all_digests = all_digests * 31 + p->blocks[k].digest;
    }
    sdd_result_free(a);
    sdd_result_free(b);
    sdd_result_free(c);
    return 1;
}

static void check_shape(const struct shape *s)
{
    sdd_topology *t = NULL, *other_t = NULL;
    sdd_mesh *m = NULL, *other = NULL;
    struct sdd_primvar five = primvar_of(s);
    make(device, s, &five, &t, &m);
    make(other_device, s, &five, &other_t, &other);
    int last = level_that_fits(&s->desc, 6, MOST_VERTICES);
    for (int level = 1; level <= last; level++)
        for (int surface = SDD_SURFACE_REFINED; surface <= SDD_SURFACE_LIMIT; surface++) {
            int done = check_surface(s, level, surface, m, other);
            n_compared += done;
            n_refused += !done;
        }
    sdd_mesh_free(m);
    sdd_mesh_free(other);
    sdd_topology_unref(t);
    sdd_topology_unref(other_t);
    free((void *)(uintptr_t)five.values);
    assert_true(last > 0);
}

static void check_uniform(const struct shape *s)
{
    if (s->desc.options.crease_method == SDD_CREASE_UNIFORM)
        check_shape(s);
}

static void test_points(void **state)
{
    (void)state;
    for_each_shape("", 100, check_uniform);
    for_each_shape("odd", 20, check_uniform);
    print_message("%d frames compared, at most %.2f ulps apart; %d refused; digest of all %016llx\n", n_compared, worst,
                  n_refused, (unsigned long long)all_digests);
    assert_true(n_compared > 2500 && n_refused < 150);
}

/* ---- meshes made for the purpose ------------------------------------------------------------------------------- */
static void compare_quads(const char *name, int n_vertices, const float *points, int n_faces, const int32_t *counts,
                          const int32_t *corners, int level, int refused)
{
    struct shape s = {.desc = {.n_vertices = n_vertices, .n_faces = n_faces, .face_counts = counts}};
    int before = n_refused;
    for (int f = 0; f < n_faces; f++)
        s.desc.n_corners += counts[f];
    s.desc.face_vertices = corners;
    snprintf(s.name, sizeof s.name, "%s", name);
    s.points = (float *)(uintptr_t)points;
    struct sdd_primvar five = primvar_of(&s);
    sdd_topology *t[2] = {NULL};
    sdd_mesh *m[2] = {NULL};
    make(device, &s, &five, &t[0], &m[0]);
    make(other_device, &s, &five, &t[1], &m[1]);
    for (int l = 1; l <= level; l++)
        for (int surface = SDD_SURFACE_REFINED; surface <= SDD_SURFACE_LIMIT; surface++)
            n_refused += !check_surface(&s, l, surface, m[0], m[1]);
    if (n_refused - before != (refused ? 2 * level : 0))
        fail_msg("%s: %d frames are refused", name, n_refused - before);
    for (int k = 0; k < 2; k++) {
        sdd_mesh_free(m[k]);
        sdd_topology_unref(t[k]);
    }
    free((void *)(uintptr_t)five.values);
}

/* n quads around a vertex, which lie on a cone; of an open fan there is a gap after the last. */
static void fan(int n, int open, int refused)
{
    float points[3 * (1 + 2 * 34)] = {0};
    int32_t counts[33], corners[4 * 33];
    char name[40];
    snprintf(name, sizeof name, "%s fan of %d", open ? "open" : "closed", n);
    for (int i = 0; i < 2 * (n + open); i++) {
        double turn = 6.283185307179586 * i / (2 * (n + open)), r = i % 2 ? 1.5 : 1;
        points[3 * (i + 1)] = (float)(r * cos(turn));
        points[3 * (i + 1) + 1] = (float)(r * sin(turn));
        points[3 * (i + 1) + 2] = (float)r;
    }
    for (int i = 0; i < n; i++) {
        const int32_t quad[4] = {0, 1 + 2 * i, 2 + 2 * i, 1 + (2 * i + 2) % (2 * (n + open))};
        counts[i] = 4;
        memcpy(corners + 4 * i, quad, sizeof quad);
    }
    compare_quads(name, 1 + 2 * (n + open), points, n, counts, corners, 3, refused);
}

static void polygon(int n, int refused)
{
    float points[3 * 33] = {0};
    int32_t corners[33];
    for (int i = 0; i < n; i++) {
        points[3 * i] = (float)cos(6.283185307179586 * i / n);
        points[3 * i + 1] = (float)sin(6.283185307179586 * i / n);
        corners[i] = i;
    }
    const int32_t count = n;
    compare_quads("polygon", n, points, 1, &count, corners, 3, refused);
}

static void test_largest(void **state)
{
    (void)state;
    for (int n = 31; n <= 33; n++) {
        fan(n, 0, n > 32);
        fan(n, 1, n > 32);
        polygon(n, n > 32);
    }
}

/* So many that an item takes several groups of pieces, at every kind of level. */
static void test_many(void **state)
{
    enum { SIDE = 130 };
    float *points = xalloc((int64_t)3 * SIDE * SIDE, sizeof *points);
    int32_t *counts = xalloc((int64_t)SIDE * SIDE, sizeof *counts);
    int32_t *corners = xalloc((int64_t)4 * SIDE * SIDE, sizeof *corners);
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int x = i % SIDE, y = i / SIDE, right = (x + 1) % SIDE, up = (y + 1) % SIDE;
        const double u = 6.283185307179586 * x / SIDE, v = 6.283185307179586 * y / SIDE, r = 3 + cos(v);
        const int32_t quad[4] = {i, y * SIDE + right, up * SIDE + right, up * SIDE + x};
        points[3 * i] = (float)(r * cos(u));
        points[3 * i + 1] = (float)(r * sin(u));
        points[3 * i + 2] = (float)sin(v);
        counts[i] = 4;
        memcpy(corners + 4 * i, quad, sizeof quad);
    }
    compare_quads("torus", SIDE * SIDE, points, SIDE * SIDE, counts, corners, 3, 0);
    free(points);
    free(counts);
    free(corners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points), cmocka_unit_test(test_largest),
                                       cmocka_unit_test(test_many)};
    device = open_device(1);
    other_device = open_device(2);
    int failed = cmocka_run_group_tests_name("tabulated", tests, NULL, NULL);
    sdd_device_close(device);
    sdd_device_close(other_device);
    return failed;
}
