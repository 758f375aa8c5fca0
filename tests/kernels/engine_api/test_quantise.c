/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of compact rows: box_rows and quantise_rows in its three formats, against double precision
 * (tests/oracle/compact.h): corners of boxes and what lies beside them, boxes without extent, poles and folds of the
 * octahedron, every half float and the middle between any two. */
#include "tests/kernels/launch.h"
#include "gpu/engine_api/kernels/box_rows.k.h"
#include "gpu/engine_api/kernels/quantise_rows.k.h"
#include "tests/oracle/compact.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_ROWS 20003 /* the last item is shorter */

static int32_t each = 1; /* rows of an item; of many some are side by side */

/* Rows of floats to n rows of words. facts NULL: no box, and nothing is told. */
static struct quantise_rows_args upload(int32_t format, const float *from, int64_t n,
                                        const struct sdd_quantise_facts *facts)
{
    const int width = format == SDD_ROWS_F16 ? 2 : 3;
    struct quantise_rows_args a = {.from = launch_in(from, width * n, 4), .n = n, .each = each};
    a.as.format = format;
    a.as.facts = facts ? launch_inout(facts, 1, sizeof *facts) : NULL;
    a.to = launch_out(n, 4 * (size_t)sdd_rows_words(&a.as, 0));
    return a;
}

static const void *quantise(const struct quantise_rows_args *a)
{
    LAUNCH(quantise_rows, a, (a->n + a->each - 1) / a->each);
    return launch_got(a->to);
}

/* And each row by itself, which must be the same. */
static const void *quantise_twice(const struct quantise_rows_args *a)
{
    struct quantise_rows_args alone = *a;
    quantise(a);
    alone.to = launch_out(a->n, 4 * (size_t)sdd_rows_words(&a->as, 0));
    alone.each = 1;
    launch_same(a->to, quantise(&alone), "a row alone");
    return launch_got(a->to);
}

static float between(uint64_t *r, float low, float high)
{
    return low + (high - low) * random_unit(r);
}

/* ---- box_rows -------------------------------------------------------------------------------------------------- */
static void check_round(const float *low, const float *high, int64_t n, float *to_low, float *to_high)
{
    const int64_t m = (n + SDD_BOX_ROWS - 1) / SDD_BOX_ROWS;
    struct box_rows_args a = {.low = launch_in(low, 3 * n, 4), .high = launch_in(high, 3 * n, 4)};
    a.to_low = launch_out(3 * m, 4), a.to_high = launch_out(3 * m, 4), a.n_rows = n, a.n_items = m;
    a.scale = m == 1 ? launch_out(3, 4) : NULL;
    LAUNCH(box_rows, &a, m);
    for (int64_t i = 0; i < 3 * m; i++) {
        to_low[i] = INFINITY, to_high[i] = -INFINITY;
        for (int64_t row = i / 3; row < n; row += m) {
            to_low[i] = fminf(to_low[i], low[3 * row + i % 3]);
            to_high[i] = fmaxf(to_high[i], high[3 * row + i % 3]);
        }
    }
    launch_same(a.to_low, to_low, "least");
    launch_same(a.to_high, to_high, "greatest");
    const float *scale = m == 1 ? launch_got(a.scale) : NULL;
    for (int k = 0; k < 3 && scale; k++) {
        double extent = (double)to_high[k] - (double)to_low[k], want = extent > COMPACT_FLAT ? 65535 / extent : 0;
        if (!(fabs((double)scale[k] - want) <= want * 3e-7))
            fail_msg("%s: scale %g, not %g", launch_case(), (double)scale[k], want);
    }
    launch_end();
}

static void check_box(int64_t n, float low, float high, uint64_t *r)
{
    float *p = xalloc(3 * n, 4), *to[2] = {xalloc(3 * n, 4), xalloc(3 * n, 4)};
    float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * n; i++) {
        p[i] = between(r, low, high);
        least[i % 3] = fminf(least[i % 3], p[i]), most[i % 3] = fmaxf(most[i % 3], p[i]);
    }
    launch_say("%lld rows in [%g, %g]", (long long)n, (double)low, (double)high);
    check_round(p, p, n, to[0], to[1]);
    while ((n = (n + SDD_BOX_ROWS - 1) / SDD_BOX_ROWS) > 1) {
        float *next[2] = {xalloc(3 * n, 4), xalloc(3 * n, 4)};
        check_round(to[0], to[1], n, next[0], next[1]);
        free(to[0]), free(to[1]);
        to[0] = next[0], to[1] = next[1];
    }
    assert_memory_equal(to[0], least, sizeof least);
    assert_memory_equal(to[1], most, sizeof most);
    free(p), free(to[0]), free(to[1]);
}

static void test_box(void **state)
{
    static const int64_t sizes[] = {1, 2, 63, 64, 65, 128, 4095, 4096, 4097, 300000};
    uint64_t r = 5;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_box(sizes[i], -1, 1, &r);
        check_box(sizes[i], 1e6f, 1e6f + 1, &r);
        check_box(sizes[i], -1e30f, 1e30f, &r);
        check_box(sizes[i], 3e-39f, 4e-37f, &r);
        check_box(sizes[i], 7, 7, &r);
    }
}

/* ---- positions ------------------------------------------------------------------------------------------------- */
static struct sdd_quantise_facts facts_of(const float low[3], const float high[3])
{
    struct sdd_quantise_facts f = {.overflow = 0};
    for (int k = 0; k < 3; k++) {
        const float extent = high[k] - low[k];
        f.low[k] = low[k], f.high[k] = high[k];
        f.scale[k] = extent > (float)COMPACT_FLAT ? 65535 / extent : 0;
    }
    return f;
}

/* The eight corners, a step to either side of each, then points anywhere. */
static void fill_points(float *p, const float low[3], const float high[3], uint64_t *r)
{
    for (int64_t i = 0; i < N_ROWS; i++)
        for (int k = 0; k < 3; k++) {
            const float corner = i >> k & 1 ? high[k] : low[k];
            p[3 * i + k] = i < 8    ? corner
                           : i < 16 ? nextafterf(corner, -INFINITY)
                           : i < 24 ? nextafterf(corner, INFINITY)
                                    : fminf(fmaxf(between(r, low[k], high[k]), low[k]), high[k]);
        }
}

static void check_positions(const float low[3], const float high[3])
{
    float *p = xalloc(3 * N_ROWS, sizeof *p);
    const struct sdd_quantise_facts facts = facts_of(low, high);
    uint64_t r = 77;
    fill_points(p, low, high, &r);
    launch_say("box (%g %g %g) (%g %g %g)", (double)low[0], (double)low[1], (double)low[2], (double)high[0],
               (double)high[1], (double)high[2]);
    const struct quantise_rows_args a = upload(SDD_ROWS_UNORM16, p, N_ROWS, &facts);
    const struct sdd_u16x4 *got = quantise_twice(&a);
    launch_same(a.as.facts, &facts, "facts");
    for (int64_t i = 0; i < N_ROWS; i++) {
        double at[3];
        compact_position(got[i].v, low, high, at);
        assert_int_equal(got[i].v[3], 0);
        for (int k = 0; k < 3; k++) {
            const double extent = (double)high[k] - (double)low[k];
            const double inside = fmin(fmax((double)p[3 * i + k], (double)low[k]), (double)high[k]);
            if (!(fabs(at[k] - inside) <= fmax(extent * COMPACT_STEPS, extent < 1.1 * COMPACT_FLAT ? extent : 0)))
                fail_msg("%s: %.9g became %.9g", launch_case(), (double)p[3 * i + k], at[k]);
            if (i < 8 && facts.scale[k] > 0)
                assert_int_equal(got[i].v[k], i >> k & 1 ? 65535 : 0);
        }
    }
    launch_end();
    free(p);
}

static void test_positions(void **state)
{
    static const float boxes[][2][3] = {{{-1, -2, -3}, {1, 2, 3}},
                                        {{1e6f, 0, -1e6f}, {1e6f + 1, 1e-6f, 1e6f}},
                                        {{-1e30f, -1e30f, 0}, {1e30f, 1e30f, 1e30f}},
                                        {{0, 5, 0}, {1, 5, 0}},
                                        {{0, 0, 0}, {1e-30f, 2e-33f, 1e-34f}},
                                        {{0, 0, 0}, {1e-40f, 1e-38f, 3e-33f}},
                                        {{-7, -7, -7}, {-7, -7, -7}},
                                        {{0.1f, 0.2f, 0.3f}, {0.7f, 65.9f, 1234.5f}}};
    (void)state;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        check_positions(boxes[i][0], boxes[i][1]);
}

/* ---- normals -------------------------------------------------------------------------------------------------- */
static void unit(double x, double y, double z, float *out)
{
    const double length = sqrt(x * x + y * y + z * z);
    out[0] = (float)(x / length), out[1] = (float)(y / length), out[2] = (float)(z / length);
}

/* Poles and edges of the octahedron (signs and zeros of either sign), what is next to them, directions anywhere. */
static void fill_normals(float *n, uint64_t *r)
{
    static const double near[] = {0, -0.0, 1, -1, 1e-7, -1e-7, 3e-5, -3e-5, 0.5, -0.5, 1e-40, -1e-40};
    enum { N = sizeof near / sizeof *near };
    for (int64_t i = 0; i < N_ROWS; i++, n += 3) {
        const double x = near[i % N], y = near[i / N % N], z = near[i / (N * N) % N];
        if (i < N * N * N && x * x + y * y + z * z > 0)
            unit(x, y, z, n);
        else if (i % 2)
            unit((double)random_unit(r) - 0.5, (double)random_unit(r) - 0.5, (double)random_unit(r) - 0.5, n);
        else /* along the fold */
            unit((double)random_unit(r) - 0.5, (double)random_unit(r) - 0.5, ((double)random_unit(r) - 0.5) * 1e-4, n);
    }
}

static void test_normals(void **state)
{
    float *n = xalloc(3 * N_ROWS, sizeof *n);
    uint64_t r = 99;
    double most = 0;
    (void)state;
    fill_normals(n, &r);
    launch_say("normals");
    const struct quantise_rows_args a = upload(SDD_ROWS_OCT16, n, N_ROWS, NULL);
    const struct sdd_u16x2 *got = quantise_twice(&a);
    for (int64_t i = 0; i < N_ROWS; i++) {
        const double want[3] = {(double)n[3 * i], (double)n[3 * i + 1], (double)n[3 * i + 2]};
        double at[3];
        if (want[0] == 0 && want[1] == 0 && want[2] == 0) {
            assert_true(got[i].v[0] == 0x8000 && got[i].v[1] == 0x8000);
            continue;
        }
        compact_normal(got[i].v, at);
        const double off = compact_degrees(at, want);
        most = fmax(most, off);
        if (!(off <= COMPACT_DEGREES))
            fail_msg("(%.9g %.9g %.9g) became (%.9g %.9g %.9g), %g degrees off", want[0], want[1], want[2], at[0],
                     at[1], at[2], off);
    }
    print_message("normals are %.5f degrees off at most\n", most);
    launch_end();
    free(n);
}

/* ---- uvs ------------------------------------------------------------------------------------------------------ */
/* Rows of (v, -v); none is an error. */
static void check_uvs(const float *v, int64_t n, const uint16_t *want)
{
    float *uv = xalloc(2 * n, sizeof *uv);
    const struct sdd_quantise_facts none = {.overflow = 0};
    for (int64_t i = 0; i < n; i++)
        uv[2 * i] = v[i], uv[2 * i + 1] = -v[i];
    const struct quantise_rows_args a = upload(SDD_ROWS_F16, uv, n, &none);
    const struct sdd_u16x2 *got = quantise(&a);
    for (int64_t i = 0; i < n; i++)
        if (got[i].v[0] != want[i] || got[i].v[1] != (want[i] ^ 0x8000))
            fail_msg("%.9g became %04x and %04x, not %04x", (double)v[i], got[i].v[0], got[i].v[1], want[i]);
    launch_same(a.as.facts, &none, "facts");
    launch_end();
    free(uv);
}

/* Each half float, what is next to it, and the middle to the next one, from where on either side it must not go. */
static void test_uvs(void **state)
{
    enum { N = 0x7c00, EACH = 6 };
    float *v = xalloc(N * EACH, sizeof *v);
    uint16_t *want = xalloc(N * EACH, sizeof *want);
    (void)state;
    launch_say("half floats");
    for (int i = 0; i < N; i++) {
        const uint16_t h = (uint16_t)i;
        const double at = compact_half(h), next = h + 1 < N ? compact_half(h + 1) : 65536;
        const float middle = (float)((at + next) / 2),
                    values[EACH] = {(float)at, nextafterf((float)at, INFINITY), nextafterf((float)next, 0),
                                    middle,    nextafterf(middle, 0),           nextafterf(middle, INFINITY)};
        const int up[EACH] = {0, 0, 1, h & 1, 0, 1};
        for (int k = 0; k < EACH; k++) { /* beyond the last there is nothing */
            v[EACH * h + k] = h + up[k] < N ? values[k] : 0;
            want[EACH * h + k] = h + up[k] < N ? (uint16_t)(h + up[k]) : 0;
        }
    }
    check_uvs(v, N * EACH, want);
    free(v), free(want);
}

static void test_overflow(void **state)
{
    static const float uv[] = {1, 2, 65519, -65519, 3, 65520, 70000, 0, -1e30f, 1e30f};
    static const uint16_t want[] = {0x3c00, 0x4000, 0x7bff, 0xfbff, 0x4200, 0x7c00, 0x7c00, 0, 0xfc00, 0x7c00};
    const struct sdd_quantise_facts none = {.overflow = 0}, some = {.overflow = 1};
    (void)state;
    launch_say("beyond the half floats");
    const struct quantise_rows_args a = upload(SDD_ROWS_F16, uv, 5, &none);
    assert_memory_equal(quantise(&a), want, sizeof want);
    launch_same(a.as.facts, &some, "facts");
    launch_end();
}

/* One value among many, in every lane of the second eight. */
static void test_overflow_lanes(void **state)
{
    enum { N = 40 };
    const struct sdd_quantise_facts none = {.overflow = 0}, some = {.overflow = 1};
    (void)state;
    for (int at = 16; at < 32; at++) {
        float uv[2 * N];
        uint16_t want[2 * N];
        for (int i = 0; i < 2 * N; i++)
            uv[i] = i == at ? -65520 : 1, want[i] = i == at ? 0xfc00 : 0x3c00;
        launch_say("beyond the half floats at %d", at);
        const struct quantise_rows_args a = upload(SDD_ROWS_F16, uv, N, &none);
        assert_memory_equal(quantise(&a), want, sizeof want);
        launch_same(a.as.facts, &some, "facts");
        launch_end();
    }
}

static int set_many(void **state)
{
    (void)state;
    each = 101;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box),
                                       cmocka_unit_test(test_positions),
                                       cmocka_unit_test(test_normals),
                                       cmocka_unit_test(test_uvs),
                                       cmocka_unit_test(test_overflow),
                                       cmocka_unit_test(test_overflow_lanes),
                                       {"positions, many", test_positions, set_many, NULL, NULL},
                                       {"normals, many", test_normals, NULL, NULL, NULL},
                                       {"uvs, many", test_uvs, NULL, NULL, NULL},
                                       {"overflow, many", test_overflow, NULL, NULL, NULL},
                                       {"overflow lanes, many", test_overflow_lanes, NULL, NULL, NULL}};
    return LAUNCH_GROUP("compact rows", tests);
}
