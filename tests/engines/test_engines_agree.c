/* SPDX-License-Identifier: Apache-2.0 */
/* test_engines_agree.c: edge-friend and mesh-matrix make one surface: on every manifold shape, at levels 1 to 4,
 * refined and limit, the same positions and normals but for rounding, and the same indices and UVs to the bit. And
 * mesh-matrix gives the same bits on any number of threads, whatever the scheme. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/naive.h"
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

#define MOST_VERTICES 200000
#define POSITION 2e-6 /* of the box                                                                  */
#define NORMAL 2e-3   /* of unit length, where rounding of the points to float cannot turn it more */

static sdd_device *device, *other_device;
static int64_t n_normals, n_unclear; /* normals compared, and left out */

static sdd_result *refine(sdd_mesh *mesh, const char *method, int level, int surface, const struct shape *s)
{
    int include = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES;
    if (s->uvs)
        include |= SDD_UVS | SDD_UV_INDICES;
    const struct sdd_refine_request r = {.level = level, .surface = surface, .include = include, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(mesh, &r, &result, &err) != SDD_OK)
        fail_msg("%s level %d by %s: %s", s->name, level, method, err.text);
    assert_string_equal(sdd_result_info(result)->plan.method, method);
    return result;
}

static void near_positions(const char *label, const struct shape *s, const struct sdd_block *a,
                           const struct sdd_block *b)
{
    const float *p = a->data, *q = b->data;
    for (int64_t i = 0; i < 3 * a->count; i++)
        if (!(fabs((double)p[i] - (double)q[i]) <= POSITION * (s->diagonal > 0 ? s->diagonal : 1)))
            fail_msg("%s: point %lld is %.9g and %.9g", label, (long long)(i / 3), (double)p[i], (double)q[i]);
}

/* How far a normal may turn: as far as coordinates that are off by an ulp or two turn the sum of the cross products
 * there; far, where quads are slivers or face each other. */
static double *turns(const struct shape *s, const struct sdd_plan_info *plan)
{
    const float *p = plan->blocks[0].data;
    const uint32_t *quad = plan->blocks[2].data;
    double *turn = xalloc(plan->n_vertices, sizeof *turn), (*sum)[3] = xalloc(plan->n_vertices, sizeof *sum);
    double magnitude = 0;
    for (int64_t i = 0; i < s->desc.n_vertices * 3; i++)
        magnitude = fmax(magnitude, fabs((double)s->points[i]));
    for (int64_t c = 0; c < 4 * plan->n_faces; c++) {
        const int64_t v = quad[c], to[2] = {quad[(c & ~3) | ((c + 1) & 3)], quad[(c & ~3) | ((c + 3) & 3)]};
        double d[2][3];
        for (int i = 0; i < 2; i++)
            for (int x = 0; x < 3; x++) {
                d[i][x] = (double)p[3 * to[i] + x] - (double)p[3 * v + x];
                turn[v] += 5e-7 * magnitude * fabs(d[i][x]);
            }
        for (int x = 0; x < 3; x++)
            sum[v][x] += d[0][(x + 1) % 3] * d[1][(x + 2) % 3] - d[0][(x + 2) % 3] * d[1][(x + 1) % 3];
    }
    for (int64_t v = 0; v < plan->n_vertices; v++) {
        double length = sqrt(sum[v][0] * sum[v][0] + sum[v][1] * sum[v][1] + sum[v][2] * sum[v][2]);
        turn[v] = turn[v] > 0 && length > 0 ? turn[v] / length : 1; /* 1: nothing is shown there, or it has collapsed */
    }
    free(sum);
    return turn;
}

static void near_normals(const char *label, const double *turn, const struct sdd_block *a, const struct sdd_block *b)
{
    const float *p = a->data, *q = b->data;
    for (int64_t v = 0; v < a->count; v++) {
        double off = 0;
        for (int x = 0; x < 3; x++)
            off = fmax(off, fabs((double)p[3 * v + x] - (double)q[3 * v + x]));
        if (turn[v] > NORMAL) {
            n_unclear++;
            continue;
        }
        n_normals++;
        if (!(off <= NORMAL))
            fail_msg("%s: normal %lld is (%g, %g, %g) and (%g, %g, %g)", label, (long long)v, (double)p[3 * v],
                     (double)p[3 * v + 1], (double)p[3 * v + 2], (double)q[3 * v], (double)q[3 * v + 1],
                     (double)q[3 * v + 2]);
    }
}

/* Limit normals are made from tangents: the witness knows where those have collapsed. */
static void leave_out(const struct shape *s, int level, double *turn)
{
    struct refined r;
    naive_refine(&s->desc, s->points, NULL, level, &r);
    for (int64_t v = 0; v < r.n_vertices; v++)
        turn[v] = r.normal_ok[v] ? 0 : 1;
    refined_free(&r);
}

static void compare(const char *label, const struct shape *s, int limit_of, sdd_result *friend, sdd_result *matrix)
{
    const struct sdd_plan_info *a = &sdd_result_info(friend)->plan, *b = &sdd_result_info(matrix)->plan;
    assert_int_equal(a->n_blocks, b->n_blocks);
    for (int k = 0; k < a->n_blocks; k++) {
        const struct sdd_block *x = a->blocks + k, *y = b->blocks + k;
        assert_true(x->semantic == y->semantic && x->count == y->count && x->bytes == y->bytes);
        if (x->semantic != SDD_POSITIONS && x->semantic != SDD_NORMALS && memcmp(x->data, y->data, (size_t)x->bytes))
            fail_msg("%s: block %d is not the same", label, x->semantic);
    }
    near_positions(label, s, a->blocks, b->blocks);
    double *turn = turns(s, a);
    if (limit_of)
        leave_out(s, limit_of, turn);
    near_normals(label, turn, a->blocks + 1, b->blocks + 1);
    free(turn);
}

static void make(sdd_device *on, const struct shape *s, const struct sdd_mesh_desc *d, sdd_topology **t, sdd_mesh **m)
{
    struct sdd_error err = {0};
    if (sdd_topology_create(on, d, t, &err) || sdd_mesh_create(*t, s->points, s->uvs, m, &err))
        fail_msg("%s: %s", s->name, err.text);
}

static void check_shape(const struct shape *s)
{
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    make(device, s, &s->desc, &t, &m);
    int last = level_that_fits(&s->desc, 4, MOST_VERTICES);
    for (int level = 1; level <= last; level++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            char label[160];
            snprintf(label, sizeof label, "%s level %d surface %d", s->name, level, surface);
            sdd_result *a = refine(m, "edge-friend", level, surface, s),
                       *b = refine(m, "mesh-matrix", level, surface, s);
            compare(label, s, surface != SDD_SURFACE_REFINED ? level : 0, a, b);
            sdd_result_free(a);
            sdd_result_free(b);
        }
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    assert_true(last > 0);
}

static void test_engines_agree(void **state)
{
    (void)state;
    n_normals = n_unclear = 0;
    for_each_shape("", 100, check_shape);
    print_message("%lld normals compared, %lld unclear\n", (long long)n_normals, (long long)n_unclear);
    assert_true(n_unclear * 10 < n_normals);
}

/* ---- any number of threads ------------------------------------------------------------------------------------- */
static void check_scheme(const struct shape *s, struct sdd_mesh_desc *d)
{
    sdd_topology *t[2] = {NULL};
    sdd_mesh *m[2] = {NULL};
    make(device, s, d, &t[0], &m[0]);
    make(other_device, s, d, &t[1], &m[1]);
    int level = level_that_fits(d, 4, MOST_VERTICES);
    for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
        sdd_result *one = refine(m[0], "mesh-matrix", level, surface, s);
        sdd_result *two = refine(m[1], "mesh-matrix", level, surface, s);
        const struct sdd_plan_info *a = &sdd_result_info(one)->plan, *b = &sdd_result_info(two)->plan;
        for (int k = 0; k < a->n_blocks; k++)
            if (memcmp(a->blocks[k].data, b->blocks[k].data, (size_t)a->blocks[k].bytes) != 0 ||
                a->blocks[k].digest != b->blocks[k].digest)
                fail_msg("%s scheme %d: block %d has other bits on two threads", s->name, (int)d->options.scheme,
                         a->blocks[k].semantic);
        sdd_result_free(one);
        sdd_result_free(two);
    }
    for (int i = 0; i < 2; i++) {
        sdd_mesh_free(m[i]);
        sdd_topology_unref(t[i]);
    }
}

static void check_threads(const struct shape *s)
{
    for_each_scheme(s, check_scheme);
}

static void test_threads(void **state)
{
    (void)state;
    for_each_shape("", 100, check_threads);
    for_each_shape("nonmanifold", 20, check_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_engines_agree), cmocka_unit_test(test_threads)};
    device = open_device(1);
    other_device = open_device(2);
    int failed = cmocka_run_group_tests_name("engines agree", tests, NULL, NULL);
    sdd_device_close(device);
    sdd_device_close(other_device);
    return failed;
}
