/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of ef_finish: refined and limit points, and normals, in grid order. Limit points and the normals of
 * the limit surface are the witness's (tests/oracle/naive.h: SEMANTICS section 4, double precision); other
 * normals are summed here from the quads around a vertex. The kernel gets the oracle's level with random loop
 * starts, and NaN for what ghosts alone have. */
#include "tests/kernels/launch.h"
#include "gpu/engines/edge_friend/kernels/ef_follow.k.h"
#include "gpu/engines/edge_friend/kernels/ef_tangents.k.h"
#include "tests/kernels/edge_friend/points.h"
#include "tests/oracle/planes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 120

enum { WITH_LIMIT = 1, WITH_POINTS = 2, WITH_NORMALS = 4, WITH_TANGENTS = 8 };

static int64_t n_tangents, n_sums, n_unclear; /* normals compared with each oracle, and left out */

static void corner_points(const struct points *o, uint32_t c, const double *p[3])
{
    for (int k = 0; k < 3; k++) /* the corner, the one after it, the one before it */
        p[k] = o->r.points + 3 * (int64_t)o->row[o->q.v[c / 4][(c + (k == 2 ? 3U : (uint32_t)k)) % 4]];
}

/* The sum of the corners' cross products over real quads, and how much rounding the points to float can move it. */
static double cross_sum(const struct points *o, int64_t slot, double sum[3])
{
    double slack = 0;
    memset(sum, 0, 3 * sizeof *sum);
    for (int64_t i = o->q.first[slot]; i < o->q.first[slot + 1]; i++) {
        const double *p[3];
        double a[3], b[3];
        if (o->q.corner[i] >= 4 * o->q.n_real)
            continue;
        corner_points(o, o->q.corner[i], p);
        for (int k = 0; k < 3; k++) {
            a[k] = p[1][k] - p[0][k];
            b[k] = p[2][k] - p[0][k];
        }
        for (int k = 0; k < 3; k++) {
            sum[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            slack += 5e-7 * o->magnitude * (fabs(a[k]) + fabs(b[k]));
        }
    }
    return slack;
}

/* Has the limit surface a tangent plane there? Smooth and dart vertices of three faces and more, creases on a
 * boundary. */
static int has_tangents(const struct points *o, int64_t slot)
{
    int64_t n = o->q.first[slot + 1] - o->q.first[slot], n_sharp = 0, n_ghosts = 0;
    if (level_vertex_sharpness(&o->q, &o->b, slot) > 0)
        return 0;
    for (int64_t i = o->q.first[slot]; i < o->q.first[slot + 1]; i++) { /* each edge leaves the vertex in one corner */
        uint32_t c = o->q.corner[i];
        n_sharp += level_sharpness(&o->q, &o->b, c / 4, (int)(c % 4)) > 0;
        n_ghosts += c >= 4 * o->q.n_real;
    }
    return n_sharp < 2 ? n > 2 : n_sharp == 2 && n_ghosts > 0;
}

static void check_normal(const struct points *o, int64_t slot, int what, const float *got)
{
    double sum[3], want[3], tolerance, length;
    uint32_t row = o->row[slot];
    if ((what & WITH_LIMIT) && has_tangents(o, slot)) {
        if (!o->r.normal_ok[row]) {
            n_unclear++;
            return;
        }
        memcpy(want, o->r.normals + 3 * (int64_t)row, sizeof want);
        tolerance = 1e-3;
        n_tangents++;
    } else {
        double slack = cross_sum(o, slot, sum);
        length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        tolerance = slack > 0 ? 2 * slack / length : 0;
        if (tolerance > 0.05) {
            n_unclear++;
            return;
        }
        for (int k = 0; k < 3; k++)
            want[k] = slack > 0 ? sum[k] / length : 0; /* all corners collapsed: zero, to the bit */
        n_sums++;
    }
    for (int k = 0; k < 3; k++)
        if (!(fabs((double)got[k] - want[k]) <= tolerance + (tolerance > 0 ? 1e-6 : 0)))
            fail_msg("%s level %d, %d: normal %u is (%g, %g, %g), not (%g, %g, %g)", launch_case(), o->q.level, what,
                     row, (double)got[0], (double)got[1], (double)got[2], want[0], want[1], want[2]);
}

static void check_point(const struct points *o, int64_t slot, int what, const float *got)
{
    uint32_t row = o->row[slot];
    const double *want = o->r.limits + 3 * (int64_t)row;
    if (!(what & WITH_LIMIT)) {
        if (memcmp(got, &o->slot[slot].x, 12) != 0)
            fail_msg("%s level %d: point %u is not the slot's", launch_case(), o->q.level, row);
        return;
    }
    for (int k = 0; k < 3; k++)
        if (!(fabs((double)got[k] - want[k]) <= 1e-6 * o->magnitude))
            fail_msg("%s level %d: limit %u is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(), o->q.level,
                     row, (double)got[0], (double)got[1], (double)got[2], want[0], want[1], want[2]);
}

/* The largest valence. */
static int64_t most_faces(const struct points *o)
{
    int64_t most = 0;
    for (int64_t s = 0; s < o->q.n_slots; s++)
        if (level_is_real(&o->q, s) && o->q.first[s + 1] - o->q.first[s] > most)
            most = o->q.first[s + 1] - o->q.first[s];
    return most;
}

/* cos and sin of 2 pi / n, for n up to twice the largest valence */
static const struct sdd_float2 *upload_angles(const struct points *o)
{
    int64_t most = most_faces(o);
    struct sdd_float2 *angle = xalloc(2 * most + 1, sizeof *angle);
    for (int64_t n = 0; n <= 2 * most; n++) {
        angle[n].s[0] = (float)cos(2 * acos(-1) / (double)n);
        angle[n].s[1] = (float)sin(2 * acos(-1) / (double)n);
    }
    const struct sdd_float2 *device = launch_in(angle, 2 * most + 1, sizeof *angle);
    free(angle);
    return device;
}

static void check_tangents(const struct points *o, int64_t row, const float *normal, const float *tangents)
{
    const char *fault = plane_fault(tangents + 6 * row, normal + 3 * row);
    if (fault)
        fail_msg("%s level %d: tangents %lld: %s", launch_case(), o->q.level, (long long)row, fault);
}

static void check_finish(const struct points *o, int what)
{
    int64_t n = o->r.n_vertices;
    unsigned char *seen = xalloc(n, 1);
    float *none = poisoned(6, sizeof *none);
    struct ef_finish_args a = {.from = points_level(o), .grid = points_grid(o, o->q.level)};
    a.angle = what == (WITH_LIMIT | WITH_POINTS) ? NULL : upload_angles(o);
    a.out = what & WITH_POINTS ? launch_out(n, 12) : NULL;
    a.normal = what & WITH_NORMALS ? launch_out(n, 12) : NULL;
    struct ef_tangents_args with = {.tangents = what & WITH_TANGENTS ? launch_out(n, 24) : NULL};
    a.n_real_quads = (uint32_t)o->q.n_real;
    a.limit = what & WITH_LIMIT ? SDD_LIMIT_AT_LEVEL : 0;
    with.finish = a;
    if (with.tangents)
        LAUNCH(ef_tangents, &with, o->q.n_slots);
    else
        LAUNCH(ef_finish, &a, o->q.n_slots);
    const float *out = a.out ? launch_got(a.out) : NULL, *normal = a.normal ? launch_got(a.normal) : NULL;
    const float *tangents = with.tangents ? launch_got(with.tangents) : NULL;
    for (int64_t s = 0; s < o->q.n_slots; s++) {
        if (!level_is_real(&o->q, s))
            continue;
        if (out)
            check_point(o, s, what, out + 3 * (int64_t)o->row[s]);
        if (normal)
            check_normal(o, s, what, normal + 3 * (int64_t)o->row[s]);
        if (normal && tangents)
            check_tangents(o, o->row[s], normal, tangents);
        seen[o->row[s]] = 1;
    }
    for (int64_t row = 0; row < n; row++) {
        int isolated = row < o->b.V && o->b.valence[row] == 0;
        if (seen[row] == isolated)
            fail_msg("%s level %d: row %lld has no slot", launch_case(), o->q.level, (long long)row);
        if (isolated && ((out && memcmp(out + 3 * row, none, 12)) || (normal && memcmp(normal + 3 * row, none, 12)) ||
                         (tangents && memcmp(tangents + 6 * row, none, 24))))
            fail_msg("%s level %d: isolated vertex %lld was written", launch_case(), o->q.level, (long long)row);
    }
    launch_end();
    free(seen), free(none);
}

/* ef_follow: a vertex has one limit, whichever level it is made from (levels/test_follow.c). `before` has the limits of
 * the level before, and gets those of this one. */
static void check_follow(const struct points *o, float *before)
{
    const int64_t n = o->r.n_vertices;
    const uint32_t stride = (uint32_t)(2 * most_faces(o));
    struct sdd_limit_rings rings = {launch_out((int64_t)5 * stride, sizeof(struct sdd_spoke)), 5, stride};
    float *none = poisoned(3 * n, sizeof *none);
    struct ef_follow_args a = {.finish = {.from = points_level(o), .grid = points_grid(o, o->q.level)}, .rings = rings};
    a.finish.angle = upload_angles(o);
    a.finish.out = launch_inout(none, 3 * n, 4), a.finish.normal = launch_inout(none, 3 * n, 4);
    a.finish.n_real_quads = (uint32_t)o->q.n_real;
    a.finish.limit = SDD_LIMIT;
    LAUNCH(ef_finish, &a.finish, o->q.n_slots);
    LAUNCH(ef_follow, &a, 5);
    const float *out = launch_got(a.finish.out);
    (void)launch_got(a.finish.normal), (void)launch_got(rings.spoke);
    for (int64_t i = 0; i < 3 * o->b.V; i++) {
        if (o->q.level > 1 && o->b.valence[i / 3] && !(fabsf(out[i] - before[i]) <= 4e-6f * (float)o->magnitude))
            fail_msg("%s level %d: vertex %lld goes elsewhere than from the level before", launch_case(), o->q.level,
                     (long long)(i / 3));
        before[i] = out[i];
    }
    launch_end();
    free(none);
}

static void check_mesh(const struct poly *p)
{
    struct points o, next;
    int last = p->desc.n_corners <= 60 ? 4 : p->desc.n_corners <= 200 ? 3 : 2;
    points_first(&o, p, 2);
    float *limits = xalloc(3 * o.b.V, sizeof *limits);
    for (;;) {
        check_follow(&o, limits);
        for (int surface = 0; surface <= WITH_LIMIT; surface++)
            for (int what = WITH_POINTS; what < (surface ? 2 : 1) * WITH_TANGENTS; what += WITH_POINTS)
                check_finish(&o, surface | what);
        if (o.q.level == last)
            break;
        points_next(&next, &o, p);
        points_fini(&o);
        o = next;
    }
    points_fini(&o);
    free(limits);
}

static void test_finish(void **state)
{
    (void)state;
    n_tangents = n_sums = n_unclear = 0;
    poly_each(N_RANDOM, 100000, check_mesh);
    assert_true(n_unclear * 10 < n_sums + n_tangents); /* the oracle speaks about nearly all of them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finish)};
    return LAUNCH_GROUP("limits and normals of edge-friend levels", tests);
}
