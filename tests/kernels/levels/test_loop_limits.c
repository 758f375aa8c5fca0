/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of loop_finish: refined and limit points, and normals, in grid order, of meshes that are manifold and of
 * others. Limit points and the normals of the limit surface are loop_limits'; other normals are summed here from the
 * triangles around a vertex, beside an edge that is not manifold from those of its first face. */
#include "tests/kernels/launch.h"
#include "gpu/levels/level_tangents.ks.h"
#include "tests/kernels/loop.h"
#include "tests/oracle/planes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 100
#define N_SOUPS 300

enum { WITH_LIMIT = 1, WITH_POINTS = 2, WITH_NORMALS = 4, WITH_TANGENTS = 8 };

static int64_t n_tangents, n_sums, n_unclear, n_odd; /* normals compared with each oracle, left out; beside odd edges */

struct level {
    const struct wild_case *k;
    const struct loop *w;
    struct wild_limits limits;
    double (*sum)[3], *slack; /* [V] cross products at the corners; how much rounding to float can move them */
};

/* Does a corner at v in face f count for the normal of v? */
static int counts(const struct level *l, int32_t f, int32_t v, const int32_t *odd_edge)
{
    if (v < l->k->b.V || odd_edge[v] < 0)
        return 1;
    return (uint32_t)l->w->home[f] == l->k->b.face[l->k->o.edge_corner[odd_edge[v]]];
}

static void cross_sums(struct level *l)
{
    const struct loop *w = l->w;
    int32_t *odd_edge = xalloc(w->V, 4);
    l->sum = xalloc(w->V, sizeof *l->sum), l->slack = xalloc(w->V, 8);
    for (int64_t v = 0; v < w->V; v++)
        odd_edge[v] = -1;
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2 && (w->kind[e] & WILD_NONMANIFOLD); i++)
            odd_edge[w->ends[e][i]] = w->control_edge[e];
    for (int32_t c = 0; c < 3 * w->F; c++) {
        const int32_t *face = w->vert[c / 3], v = face[c % 3], around[2] = {face[(c + 1) % 3], face[(c + 2) % 3]};
        double d[2][3];
        if (!counts(l, c / 3, v, odd_edge))
            continue;
        n_odd += v >= l->k->b.V && odd_edge[v] >= 0;
        for (int i = 0; i < 2; i++)
            for (int x = 0; x < 3; x++) {
                d[i][x] = w->p[3 * (int64_t)around[i] + x] - w->p[3 * (int64_t)v + x];
                l->slack[v] += 5e-7 * l->k->magnitude * fabs(d[i][x]);
            }
        for (int x = 0; x < 3; x++)
            l->sum[v][x] += d[0][(x + 1) % 3] * d[1][(x + 2) % 3] - d[0][(x + 2) % 3] * d[1][(x + 1) % 3];
    }
    free(odd_edge);
}

static void check_normal(const struct level *l, int64_t v, int what, const float *got)
{
    const double *sum = l->sum[v], *normal = l->limits.normal + 3 * v;
    double want[3] = {0}, tolerance = 0, length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    int by_tangents = (what & WITH_LIMIT) && l->limits.normal_ok[v];
    if (by_tangents)
        tolerance = 1e-3;
    else if (l->slack[v] > 0)
        tolerance = 2 * l->slack[v] / length;
    if ((by_tangents && l->limits.normal_ok[v] == 2) || !(tolerance <= 0.05)) {
        n_unclear++;
        return;
    }
    for (int x = 0; x < 3 && tolerance > 0; x++) /* all corners collapsed: zero, to the bit */
        want[x] = by_tangents ? normal[x] : sum[x] / length;
    *(by_tangents ? &n_tangents : &n_sums) += 1;
    for (int x = 0; x < 3; x++)
        if (!(fabs((double)got[x] - want[x]) <= tolerance + (tolerance > 0 ? 1e-6 : 0)))
            fail_msg("%s level %d, %d: normal %d is (%g, %g, %g), not (%g, %g, %g)", launch_case(), l->w->level, what,
                     l->w->row[v], (double)got[0], (double)got[1], (double)got[2], want[0], want[1], want[2]);
}

static void check_point(const struct level *l, int64_t v, int what, const float *got, const float *from)
{
    const double *want = l->limits.p + 3 * v;
    if (!(what & WITH_LIMIT)) {
        if (memcmp(got, from, 12) != 0)
            fail_msg("%s level %d: point %d is not the level's", launch_case(), l->w->level, l->w->row[v]);
        return;
    }
    for (int x = 0; x < 3; x++)
        if (!(fabs((double)got[x] - want[x]) <= 1e-6 * l->k->magnitude))
            fail_msg("%s level %d: limit %d is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(), l->w->level,
                     l->w->row[v], (double)got[0], (double)got[1], (double)got[2], want[0], want[1], want[2]);
}

static void check_finish(const struct level *l, int what)
{
    const struct loop *w = l->w;
    float *from = loop_points(w);
    struct loop_finish_args a = {.mesh = wild_upload(l->k, what & WITH_LIMIT), .from = launch_in(from, 3 * w->V, 4)};
    a.weights = loop_upload_weights(l->k);
    a.angle = (what & WITH_LIMIT) && what > (WITH_LIMIT | WITH_POINTS) ? wild_upload_angles(l->k) : NULL;
    a.out = what & WITH_POINTS ? launch_out(w->V, 12) : NULL;
    a.normal = what & WITH_NORMALS ? launch_out(w->V, 12) : NULL;
    struct loop_tangents_args with = {.tangents = what & WITH_TANGENTS ? launch_out(w->V, 24) : NULL};
    a.level = w->level, a.limit = what & WITH_LIMIT;
    with.finish = a;
    if (with.tangents)
        LAUNCH(loop_tangents, &with, w->V);
    else
        LAUNCH(loop_finish, &a, w->V);
    const float *out = a.out ? launch_got(a.out) : NULL, *normal = a.normal ? launch_got(a.normal) : NULL;
    const float *tangents = with.tangents ? launch_got(with.tangents) : NULL;
    for (int64_t v = 0; v < w->V; v++) {
        int64_t row = w->row[v];
        if (out)
            check_point(l, v, what, out + 3 * row, from + 3 * row);
        if (normal)
            check_normal(l, v, what, normal + 3 * row);
        const char *fault = normal && tangents ? plane_fault(tangents + 6 * row, normal + 3 * row) : NULL;
        if (fault)
            fail_msg("%s level %d: tangents %lld: %s", launch_case(), w->level, (long long)row, fault);
    }
    launch_end();
    free(from);
}

static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    struct loop w, next;
    int last = p->desc.n_corners <= 120 ? 4 : p->desc.n_corners <= 400 ? 3 : 2;
    wild_case_init(&k, p, 0);
    loop_control(&k, &w);
    for (; w.level < last; w = next) {
        loop_next(&k, &w, &next);
        loop_fini(&w);
        struct level l = {.k = &k, .w = &next};
        loop_limits(&k, &next, &l.limits);
        cross_sums(&l);
        for (int surface = 0; surface <= WITH_LIMIT; surface++)
            for (int what = WITH_POINTS; what < (surface ? 2 : 1) * WITH_TANGENTS; what += WITH_POINTS)
                check_finish(&l, surface | what);
        free(l.sum), free(l.slack), free(l.limits.p), free(l.limits.normal), free(l.limits.normal_ok);
    }
    loop_fini(&w);
    wild_case_fini(&k);
}

/* The oracle speaks about nearly all normals, but where faces are collapsed. */
static void say(int64_t least)
{
    print_message("normals: %lld by tangents, %lld by sums, %lld unclear; %lld corners beside odd edges\n",
                  (long long)n_tangents, (long long)n_sums, (long long)n_unclear, (long long)n_odd);
    assert_true(n_unclear * least < n_sums + n_tangents);
    n_tangents = n_sums = n_unclear = 0;
}

static void test_shapes(void **state)
{
    (void)state;
    n_odd = 0;
    loop_each(N_RANDOM, 100000, check_mesh);
    say(50);
}

static void test_odd(void **state)
{
    (void)state;
    n_odd = 0;
    loop_each_odd(N_SOUPS, 100000, check_mesh);
    say(6);
    assert_true(n_odd > 1000);
}

static void test_valences(void **state)
{
    static const int32_t valences[] = {1, 2, 3, 4, 5, 6, 7, 8, 63, 1000, 3001};
    (void)state;
    for (size_t i = 0; i < sizeof valences / sizeof *valences; i++)
        loop_valences(valences[i], check_mesh);
    say(10);
}

/* ---- laws ------------------------------------------------------------------------------------------------------ */
/* The tangent across a boundary is a left eigenvector of one step around the vertex, up to three faces: what the step
 * makes of its weights is the same weights, smaller. With more faces the weights are OpenSubdiv's, which are none. */
static void test_across(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 40; n++) {
        double w[42], child[42] = {0}, ratio = n == 1 ? 0.25 : 0.375 + cos(acos(-1) / (double)n) / 4, sum = 0;
        loop_across(n, w);
        child[0] += 0.75 * w[0], child[1] += w[0] / 8, child[n + 1] += w[0] / 8;
        for (int64_t i = 1; i <= n + 1; i++) {
            int end = i == 1 || i == n + 1;
            child[0] += (end ? 0.5 : 0.375) * w[i];
            child[i] += (end ? 0.5 : 0.375) * w[i];
            for (int side = -1; side <= 1 && !end; side += 2)
                child[i + side] += w[i] / 8;
        }
        for (int64_t i = 0; i <= n + 1; i++) {
            assert_true(n > 3 || fabs(child[i] - ratio * w[i]) < 1e-12);
            sum += w[i];
        }
        assert_true(fabs(sum) < 1e-12);
    }
}

/* A flat mesh, counter-clockwise seen from above, has the normal (0, 0, 1) everywhere; so has its limit. */
static void check_flat(const struct poly *p)
{
    float *points = xalloc(3 * p->desc.n_vertices, 4);
    struct poly flat = *p;
    struct wild_case k;
    struct loop w, next;
    for (int64_t i = 0; i < 3 * p->desc.n_vertices; i++)
        points[i] = i % 3 < 2 ? p->points[i] : 0;
    flat.points = points;
    wild_case_init(&k, &flat, 0);
    loop_control(&k, &w);
    loop_next(&k, &w, &next);
    float *from = loop_points(&next);
    for (int limit = 0; limit < 2; limit++) {
        struct loop_finish_args a = {.mesh = wild_upload(&k, 1), .from = launch_in(from, 3 * next.V, 4)};
        a.weights = loop_upload_weights(&k), a.angle = wild_upload_angles(&k), a.normal = launch_out(next.V, 12);
        a.level = 1, a.limit = limit;
        LAUNCH(loop_finish, &a, next.V);
        const float *got = launch_got(a.normal);
        for (int64_t v = 0; v < next.V; v++) {
            int64_t row = next.row[v];
            if (!(fabs((double)got[3 * row]) < 1e-6) || !(fabs((double)got[3 * row + 1]) < 1e-6) ||
                !(fabs((double)got[3 * row + 2] - 1) < 1e-6))
                fail_msg("%s: normal %lld is (%g, %g, %g)", launch_case(), (long long)row, (double)got[3 * row],
                         (double)got[3 * row + 1], (double)got[3 * row + 2]);
        }
        launch_end();
    }
    free(from), free(points);
    loop_fini(&w), loop_fini(&next);
    wild_case_fini(&k);
}

/* A disc of n triangles and half of one. */
static void test_flat(void **state)
{
    (void)state;
    for (int32_t n = 3; n <= 20; n++) {
        int32_t counts[40], vertices[120];
        float points[3 * 43] = {0};
        struct poly p = {.desc = {.n_vertices = 2 * n + 3, .n_faces = 2 * n, .n_corners = 6 * n}, .points = points};
        for (int32_t i = 0; i < 2 * n; i++) {
            int half = i >= n, base = half ? n + 1 : 0, j = i - half * n;
            const int32_t v[3] = {base, base + 1 + j, base + 1 + (half ? j + 1 : (j + 1) % n)};
            counts[i] = 3;
            memcpy(vertices + 3 * i, v, sizeof v);
        }
        for (int32_t i = 0; i <= 2 * n; i++) {
            int half = i >= n;
            double angle = (half ? i - n : 2 * i) * acos(-1) / n;
            float *at = points + 3 * (1 + i + half);
            at[0] = (float)cos(angle) + (float)(3 * half), at[1] = (float)sin(angle);
        }
        points[3 * (n + 1)] = 3;
        p.desc.face_counts = counts, p.desc.face_vertices = vertices;
        p.desc.options.scheme = SDD_SCHEME_LOOP, p.desc.options.boundary = SDD_BOUNDARY_EDGE_ONLY;
        launch_say("discs of %d", n);
        check_flat(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd),  cmocka_unit_test(test_valences),
        cmocka_unit_test(test_across), cmocka_unit_test(test_flat),
    };
    return LAUNCH_GROUP("limits and normals of scheme loop", tests);
}
