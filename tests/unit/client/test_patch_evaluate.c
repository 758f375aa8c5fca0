/* SPDX-License-Identifier: Apache-2.0 */
/* subd_patch_evaluate against closed forms: what cubics give back exactly, and what a boundary must be. */
#include "client/lib/subd_patches.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 3 }; /* patches of the frame, the last one under test */

struct surface {
    float positions[16][3];
    uint32_t rows[N][16], params[N][4];
    struct subd_frame frame;
};

static void setup_surface(struct surface *s, uint32_t flags)
{
    struct subd_frame *f = &s->frame;
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < 16; i++)
        s->rows[N - 1][i] = 15 - i; /* any order */
    s->params[N - 1][3] = flags;
    f->vertices = 16;
    f->n_blocks = 3;
    f->blocks[0] = (struct subd_block){.semantic = SUBD_PATCH_PARAMS, .count = N, .data = s->params};
    f->blocks[1] = (struct subd_block){.semantic = SUBD_POSITIONS, .count = 16, .data = s->positions};
    f->blocks[2] = (struct subd_block){.semantic = SUBD_PATCHES, .count = N, .data = s->rows};
}

static float *point_at(struct surface *s, int i, int j)
{
    return s->positions[s->rows[N - 1][4 * j + i]];
}

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 40) / (1 << 24) - 0.5;
}

static void near(const float *got, double x, double y, double z)
{
    const double due[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        if (!(fabs((double)got[k] - due[k]) <= 2e-6 * (1 + fabs(due[k]))))
            fail_msg("component %d is %.9g, not %.9g", k, (double)got[k], due[k]);
}

static void eval(const struct surface *s, double u, double v, float p[3], float du[3], float dv[3])
{
    assert_int_equal(subd_patch_evaluate(&s->frame, N - 1, (float)u, (float)v, p, du, dv), SUBD_OK);
}

/* Control points of a grid in a plane: the patch is the cell in the middle, with the plane's slopes. */
static void test_plane(void **state)
{
    struct surface s;
    float p[3], du[3], dv[3];
    (void)state;
    setup_surface(&s, 3);
    for (int k = 0; k < 16; k++) {
        int i = k % 4, j = k / 4;
        float *to = point_at(&s, i, j), x = (float)(i - 1), y = (float)(j - 1);
        to[0] = x;
        to[1] = y;
        to[2] = 2 * x - 3 * y + 1;
    }
    for (int k = 0; k < 81; k++) {
        int i = k % 9, j = k / 9;
        double u = i / 8.0, v = j / 8.0;
        eval(&s, u, v, p, du, dv);
        near(p, u, v, 2 * u - 3 * v + 1);
        near(du, 1, 0, 2);
        near(dv, 0, 1, -3);
    }
}

/* The coefficient of t^n at control point i: its polar form at the knots i - 2, i - 1, i. */
static double polar(int n, int i)
{
    double a = i - 2, b = i - 1, c = i;
    return n == 0 ? 1 : n == 1 ? (a + b + c) / 3 : n == 2 ? (a * b + b * c + a * c) / 3 : a * b * c;
}

/* Every bicubic polynomial comes back, and its derivatives. */
static void test_cubic_precision(void **state)
{
    struct surface s;
    float p[3], du[3], dv[3];
    uint64_t seed = 4;
    (void)state;
    for (int round = 0; round < 20; round++) {
        double c[3][4][4];
        setup_surface(&s, 0);
        for (int k = 0; k < 48; k++)
            c[k / 16][k / 4 % 4][k % 4] = noise(&seed);
        for (int k = 0; k < 48; k++) {
            double total = 0;
            for (int ab = 0; ab < 16; ab++)
                total += c[k / 16][ab / 4][ab % 4] * polar(ab / 4, k % 4) * polar(ab % 4, k / 4 % 4);
            point_at(&s, k % 4, k / 4 % 4)[k / 16] = (float)total;
        }
        for (int at = 0; at < 25; at++) {
            int i = at % 5, j = at / 5;
            double u = i / 4.0, v = j / 4.0, due[3][3] = {{0}};
            for (int k = 0; k < 48; k++) {
                int x = k / 16, a = k / 4 % 4, b = k % 4;
                due[0][x] += c[x][a][b] * pow(u, a) * pow(v, b);
                due[1][x] += a ? c[x][a][b] * a * pow(u, a - 1) * pow(v, b) : 0;
                due[2][x] += b ? c[x][a][b] * pow(u, a) * b * pow(v, b - 1) : 0;
            }
            eval(&s, u, v, p, du, dv);
            near(p, due[0][0], due[0][1], due[0][2]);
            near(du, due[1][0], due[1][1], due[1][2]);
            near(dv, due[2][0], due[2][1], due[2][2]);
        }
    }
}

/* The cubic B-spline curve of four points a, b, c, d at t. */
static double curve(double t, double a, double b, double c, double d)
{
    return ((1 - t) * (1 - t) * (1 - t) * a + (3 * t * t * t - 6 * t * t + 4) * b +
            (-3 * t * t * t + 3 * t * t + 3 * t + 1) * c + t * t * t * d) /
           6;
}

/* Entry (i, j) with what boundaries stand for put in: each side on its own, in any order. */
static double entry(struct surface *s, uint32_t flags, int i, int j, int k)
{
    if (i == 0 && flags & SUBD_PATCH_BOUNDARY << 3)
        return 2 * entry(s, flags, 1, j, k) - entry(s, flags, 2, j, k);
    if (i == 3 && flags & SUBD_PATCH_BOUNDARY << 1)
        return 2 * entry(s, flags, 2, j, k) - entry(s, flags, 1, j, k);
    if (j == 0 && flags & SUBD_PATCH_BOUNDARY)
        return 2 * entry(s, flags, i, 1, k) - entry(s, flags, i, 2, k);
    if (j == 3 && flags & SUBD_PATCH_BOUNDARY << 2)
        return 2 * entry(s, flags, i, 2, k) - entry(s, flags, i, 1, k);
    return (double)point_at(s, i, j)[k];
}

/* All sixteen sets of boundaries: the edge is the curve of its own row, corners of two are interpolated, and the points
 * beyond, which the frame fills with any, do not count. */
static void test_boundaries(void **state)
{
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    uint64_t seed = 9;
    (void)state;
    for (uint32_t set = 0; set < 16; set++) {
        uint32_t flags = 2 | set * SUBD_PATCH_BOUNDARY | 0xf * SUBD_PATCH_TRANSITION;
        struct surface s;
        float points[16][3], p[3], du[3], dv[3];
        setup_surface(&s, flags);
        for (int k = 0; k < 48; k++)
            s.positions[k / 3][k % 3] = (float)noise(&seed);
        assert_int_equal(subd_patch_points(&s.frame, N - 1, points), SUBD_OK);
        for (int i = 0; i < 16; i++)
            near(points[i], entry(&s, flags, i % 4, i / 4, 0), entry(&s, flags, i % 4, i / 4, 1),
                 entry(&s, flags, i % 4, i / 4, 2));
        for (int e = 0; e < 4; e++) {
            const int *from = corner[e], *to = corner[(e + 1) % 4], row = 1 + from[e % 2 == 0];
            if (!(set & 1u << e))
                continue;
            for (int at = 0; at <= 8; at++) {
                double t = at / 8.0, u = from[0] + (to[0] - from[0]) * t, v = from[1] + (to[1] - from[1]) * t, due[3];
                for (int k = 0; k < 3; k++) {
                    double q[4];
                    for (int i = 0; i < 4; i++)
                        q[i] = e % 2 ? entry(&s, flags, row, i, k) : entry(&s, flags, i, row, k);
                    due[k] = curve(e % 2 ? v : u, q[0], q[1], q[2], q[3]);
                }
                eval(&s, u, v, p, du, dv);
                near(p, due[0], due[1], due[2]);
            }
            if (set & 1u << (e + 1) % 4) { /* its end */
                const float *due = point_at(&s, 1 + to[0], 1 + to[1]);
                eval(&s, to[0], to[1], p, du, dv);
                near(p, (double)due[0], (double)due[1], (double)due[2]);
            }
        }
    }
}

static void test_misuse(void **state)
{
    static const float bad[][2] = {{-0.01f, 0}, {1.01f, 0}, {0, -1}, {0, 2}, {NAN, 0}, {0, NAN}, {INFINITY, 0}};
    struct subd_frame empty = {0};
    struct surface s;
    float p[3], points[16][3];
    (void)state;
    setup_surface(&s, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(subd_patch_evaluate(&s.frame, 0, bad[i][0], bad[i][1], p, NULL, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_patch_evaluate(&s.frame, 0, 1, 1, p, NULL, NULL), SUBD_OK);
    assert_int_equal(subd_patch_evaluate(&s.frame, -1, 0, 0, p, NULL, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_patch_evaluate(&s.frame, N, 0, 0, p, NULL, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_patch_points(&s.frame, N, points), SUBD_EUSAGE);
    assert_int_equal(subd_patch_evaluate(&empty, 0, 0, 0, p, NULL, NULL), SUBD_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_cubic_precision),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
