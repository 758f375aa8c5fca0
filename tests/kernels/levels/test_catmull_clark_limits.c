/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of mm_finish: refined and limit points, and normals, in grid order, of meshes that are manifold and of others.
 * Limit points and the normals of the limit surface are wild_limits'; other normals are summed here from the quads
 * around a vertex, beside an edge that is not manifold from those of its first face. */
#include "tests/kernels/launch.h"
#include "gpu/levels/level_tangents.ks.h"
#include "tests/kernels/wild.h"
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
    const struct wild *w;
    struct wild_limits limits;
    double (*sum)[3], *slack; /* [V] cross products at the corners; how much rounding to float can move them */
};

/* Does corner c of the level count for the normal of its vertex? */
static int counts(const struct level *l, int32_t c, const int32_t *odd_edge)
{
    int32_t v = l->w->vert[c];
    if (v < l->k->b.V || odd_edge[v] < 0)
        return 1;
    return l->k->b.face[l->w->home[c / 4]] == l->k->b.face[l->k->o.edge_corner[odd_edge[v]]];
}

static void cross_sums(struct level *l)
{
    const struct wild *w = l->w;
    int32_t *odd_edge = xalloc(w->V, 4);
    l->sum = xalloc(w->V, sizeof *l->sum), l->slack = xalloc(w->V, 8);
    for (int64_t v = 0; v < w->V; v++)
        odd_edge[v] = -1;
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2 && (w->kind[e] & WILD_NONMANIFOLD); i++)
            odd_edge[w->ends[e][i]] = w->control_edge[e];
    for (int32_t c = 0; c < w->C; c++) {
        int32_t v = w->vert[c], around[2] = {w->vert[(c & ~3) | ((c + 1) & 3)], w->vert[(c & ~3) | ((c + 3) & 3)]};
        double d[2][3];
        if (!counts(l, c, odd_edge))
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
    const struct wild *w = l->w;
    float *from = wild_points(w);
    struct mm_finish_args a = {.mesh = wild_upload(l->k, what & WITH_LIMIT), .from = launch_in(from, 3 * w->V, 4)};
    a.angle = (what & WITH_LIMIT) && what > (WITH_LIMIT | WITH_POINTS) ? wild_upload_angles(l->k) : NULL;
    a.out = what & WITH_POINTS ? launch_out(w->V, 12) : NULL;
    a.normal = what & WITH_NORMALS ? launch_out(w->V, 12) : NULL;
    struct mm_tangents_args with = {.tangents = what & WITH_TANGENTS ? launch_out(w->V, 24) : NULL};
    a.level = w->level, a.limit = what & WITH_LIMIT ? SDD_LIMIT_AT_LEVEL : 0;
    with.finish = a;
    if (with.tangents)
        LAUNCH(mm_tangents, &with, w->V);
    else
        LAUNCH(mm_finish, &a, w->V);
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
    struct wild w, next;
    int last = p->desc.n_corners <= 60 ? 4 : p->desc.n_corners <= 200 ? 3 : 2;
    wild_case_init(&k, p, 0);
    wild_control(&k, &w);
    for (; w.level < last; w = next) {
        wild_next(&k, &w, &next);
        wild_fini(&w);
        struct level l = {.k = &k, .w = &next};
        wild_limits(&k, &next, &l.limits);
        cross_sums(&l);
        for (int surface = 0; surface <= WITH_LIMIT; surface++)
            for (int what = WITH_POINTS; what < (surface ? 2 : 1) * WITH_TANGENTS; what += WITH_POINTS)
                check_finish(&l, surface | what);
        free(l.sum), free(l.slack), free(l.limits.p), free(l.limits.normal), free(l.limits.normal_ok);
    }
    wild_fini(&w);
    wild_case_fini(&k);
}

static void say(void)
{
    print_message("normals: %lld by tangents, %lld by sums, %lld unclear; %lld corners beside odd edges\n",
                  (long long)n_tangents, (long long)n_sums, (long long)n_unclear, (long long)n_odd);
    assert_true(n_unclear * 10 < n_sums + n_tangents); /* the oracle speaks about nearly all of them */
}

static void test_shapes(void **state)
{
    (void)state;
    n_tangents = n_sums = n_unclear = n_odd = 0;
    poly_each(N_RANDOM, 100000, check_mesh);
    say();
    assert_int_equal(n_odd, 0);
}

static void test_odd(void **state)
{
    (void)state;
    n_tangents = n_sums = n_unclear = n_odd = 0;
    soup_each(N_SOUPS, 100000, check_mesh);
    say();
    assert_true(n_odd > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd)};
    return LAUNCH_GROUP("limits and normals of mesh-matrix", tests);
}
