/* SPDX-License-Identifier: Apache-2.0 */
/* test_fans.c: limit normals of vertices with many faces, open and closed, near the origin and far from it, against the
 * masks in long double of the same refined points: neither the number of faces nor the distance may show. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
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

#define PI 3.14159265358979323846264338327950288L
#define WORST 1e-4 /* of a unit normal */

static sdd_device *device;

/* Triangles around vertex 0; a fan that is open ends beside its first edge. */
struct fan {
    struct sdd_mesh_desc desc;
    float *points;
    int32_t *counts, *vertices;
    int n, open;
};

static void fan_make(struct fan *f, int n, int open, int scheme, double distance)
{
    const int rim = n + open;
    *f = (struct fan){.n = n, .open = open};
    f->points = xalloc(3 * (rim + 1), sizeof *f->points);
    f->counts = xalloc(n, sizeof *f->counts), f->vertices = xalloc(3 * n, sizeof *f->vertices);
    for (int i = 0; i < rim; i++) {
        const double a = (open ? 1.3 : 2.0) * (double)PI * i / n, at[3] = {cos(a), sin(a), 0.3 * sin(3 * a)};
        for (int x = 0; x < 3; x++)
            f->points[3 * (i + 1) + x] = (float)(at[x] + distance);
    }
    for (int x = 0; x < 3; x++)
        f->points[x] = (float)(distance + (x == 2 ? 0.3 : 0));
    for (int i = 0; i < n; i++) {
        f->counts[i] = 3;
        f->vertices[3 * i + 1] = i + 1, f->vertices[3 * i + 2] = (i + 1) % rim + 1;
    }
    f->desc.n_vertices = rim + 1, f->desc.n_faces = n, f->desc.n_corners = 3 * n;
    f->desc.face_counts = f->counts, f->desc.face_vertices = f->vertices, f->desc.options.scheme = scheme;
}

static void fan_free(struct fan *f)
{
    free(f->points), free(f->counts), free(f->vertices);
}

/* ---- the masks ------------------------------------------------------------------------------------------------- */
struct tangents {
    long double one[3], two[3];
};

static void add(long double to[3], long double w, const float *p, const float *at)
{
    for (int x = 0; x < 3; x++)
        to[x] += w * ((long double)p[x] - (long double)at[x]);
}

/* Halstead et al. 1993; face i of the fan is corner 3 i of the grid. */
static struct tangents catmull_clark(const struct fan *f, const struct grid *g, int level, const float *p)
{
    const long double turn = (f->open ? PI : 2 * PI) / f->n, c = cosl(turn), r = (1 + c) / sinl(turn);
    const long double lambda = 0.3125L + 0.0625L * (c + cosl(turn / 2) * sqrtl(2 * (9 + c))), k = 1 / (4 * lambda - 1);
    struct tangents t = {{0}, {0}};
    for (int i = 0; i < f->n; i++) {
        const float *on = p + 3 * (size_t)grid_vertex(g, level, 3 * i, 1, 0);
        const float *across = p + 3 * (size_t)grid_vertex(g, level, 3 * i, 1, 1);
        const float *off = p + 3 * (size_t)grid_vertex(g, level, 3 * i, 0, 1);
        const long double co = cosl(i * turn), si = sinl(i * turn);
        add(t.two, 4 * si, on, p);
        add(t.two, (si + sinl((i + 1) * turn)) * (f->open ? 1 : k), across, p);
        if (!f->open) {
            add(t.one, 4 * co, on, p);
            add(t.one, (co + cosl((i + 1) * turn)) * k, across, p);
        } else if (i == 0) {
            add(t.one, 1, on, p), add(t.two, -r * (1 + 2 * c), on, p);
        }
        if (f->open && i == f->n - 1)
            add(t.one, -1, off, p), add(t.two, -r * (1 + 2 * c), off, p);
    }
    return t;
}

/* Loop 1987, boundaries as OpenSubdiv. */
static struct tangents loop(const struct fan *f, const struct grid *g, int level, const float *p)
{
    const long double turn = (f->open ? PI : 2 * PI) / f->n;
    struct tangents t = {{0}, {0}};
    for (int i = 0; i < f->n; i++) {
        const float *on = p + 3 * (size_t)tri_vertex(g, level, 3 * i, 1, 0);
        const float *off = p + 3 * (size_t)tri_vertex(g, level, 3 * i, 0, 1);
        add(t.two, sinl(i * turn) * (f->open ? 2 * tanl(turn / 2) : 1), on, p);
        if (!f->open)
            add(t.one, cosl(i * turn), on, p);
        else if (i == 0)
            add(t.one, 1, on, p), add(t.two, -1, on, p);
        if (f->open && i == f->n - 1)
            add(t.one, -1, off, p), add(t.two, -1, off, p);
    }
    return t;
}

/* ---- a fan ----------------------------------------------------------------------------------------------------- */
static float *refine(sdd_mesh *m, const char *method, int level, int surface, int include)
{
    const struct sdd_refine_request r = {.level = level, .surface = surface, .include = include, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(m, &r, &result, &err) != SDD_OK)
        fail_msg("%s: %s", method, err.text);
    const struct sdd_block *b = &sdd_result_info(result)->plan.blocks[0];
    float *out = xalloc(b->count * 3, sizeof *out);
    memcpy(out, b->data, (size_t)b->bytes);
    sdd_result_free(result);
    return out;
}

static void check(const struct fan *f, const char *method, int level, double distance)
{
    struct sdd_error err = {0};
    sdd_topology *topology = NULL;
    sdd_mesh *m = NULL;
    struct grid g;
    if (sdd_topology_create(device, &f->desc, &topology, &err) || sdd_mesh_create(topology, f->points, NULL, &m, &err))
        fail_msg("%s", err.text);
    grid_init(&g, &f->desc);
    float *p = refine(m, method, level, SDD_SURFACE_REFINED, SDD_POSITIONS);
    float *normal = refine(m, method, level, SDD_SURFACE_LIMIT, SDD_NORMALS);
    const struct tangents t = g.triangles ? loop(f, &g, level, p) : catmull_clark(f, &g, level, p);
    long double n[3], length = 0, off = 0;
    for (int x = 0; x < 3; x++) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        n[x] = t.one[y] * t.two[z] - t.one[z] * t.two[y];
        length += n[x] * n[x];
    }
    for (int x = 0; x < 3; x++)
        off = fmaxl(off, fabsl(n[x] / sqrtl(length) - (long double)normal[x]));
    if (!(off < (long double)WORST))
        fail_msg("%s, %s fan of %d, %g away, level %d: normal is off by %.2Lg", method, f->open ? "open" : "closed",
                 f->n, distance, level, off);
    free(p), free(normal);
    grid_fini(&g);
    sdd_mesh_free(m);
    sdd_topology_unref(topology);
}

static void each_fan(const char *method, int scheme)
{
    static const int sizes[] = {5, 1000, 10000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int open = 0; open < 2; open++)
            for (int far = 0; far < 2; far++)
                for (int level = 1; level <= 3; level += 2) {
                    struct fan f;
                    fan_make(&f, sizes[i], open, scheme, far ? 100 : 0);
                    check(&f, method, level, far ? 100 : 0);
                    fan_free(&f);
                }
}

static void test_edge_friend(void **state)
{
    (void)state, each_fan("edge-friend", SDD_SCHEME_CATMULL_CLARK);
}

static void test_mesh_matrix(void **state)
{
    (void)state, each_fan("mesh-matrix", SDD_SCHEME_CATMULL_CLARK);
}

static void test_loop(void **state)
{
    (void)state, each_fan("mesh-matrix", SDD_SCHEME_LOOP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edge_friend), cmocka_unit_test(test_mesh_matrix),
                                       cmocka_unit_test(test_loop)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("normals of large fans", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
