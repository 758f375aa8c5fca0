/* SPDX-License-Identifier: Apache-2.0 */
/* test_compact.c: compact blocks of every engine and scheme that takes a shape, refined and limit: they
 * say what the f32 blocks say, within the errors that sdd.h states; the box is that of the control points as they are
 * now or, where semi-sharp creases are chaikin's and may overshoot that, of the refined points; plan and result agree;
 * blocks that are not compact are what they were; what cannot be is refused. */
#include "tests/engines/fixture.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/compact.h"
#include "tests/oracle/refined.h"
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

#define MOST_VERTICES 6000
#define COMPACT (SDD_POSITIONS | SDD_NORMALS | SDD_UVS)

static sdd_device *device;
static int64_t n_compared, n_outside;   /* n_outside: the blocks with points outside of the control points' box */
static int chaikin;                     /* The mesh has creases that decay by chaikin. */
static double most_steps, most_degrees; /* that any row was off */

static sdd_result *ask(sdd_mesh *m, const struct sdd_refine_request *r, struct sdd_error *err)
{
    sdd_result *result = NULL;
    return refine_once(m, r, &result, err) == SDD_OK ? result : NULL;
}

/* ---- each kind of row against its floats ----------------------------------------------------------------------- */
static void near_position(const char *label, const struct sdd_block *b, int64_t row, const float *want)
{
    const uint16_t *q = (const uint16_t *)b->data + 4 * row;
    double at[3];
    compact_position(q, b->low, b->high, at);
    for (int k = 0; k < 3; k++) {
        const double extent = (double)b->high[k] - (double)b->low[k], off = fabs(at[k] - (double)want[k]);
        const double ulp = fmax(fabs((double)b->low[k]), fabs((double)b->high[k])) * 0x1p-23;
        if (!(off <= fmax(extent * COMPACT_STEPS, COMPACT_FLAT) + 4 * ulp))
            fail_msg("%s: point %lld is %.9g, not %.9g; a step is %.3g", label, (long long)row, at[k], (double)want[k],
                     extent / 65535);
        if (extent > 1e5 * ulp)
            most_steps = fmax(most_steps, off / extent * 65535);
    }
    assert_int_equal(q[3], 0);
}

static void near_normal(const char *label, const struct sdd_block *b, int64_t row, const float *normal)
{
    const double want[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
    double at[3];
    compact_normal((const uint16_t *)b->data + 2 * row, at);
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) {
        assert_true(at[0] == 0 && at[1] == 0 && at[2] == 0);
        return;
    }
    const double off = compact_degrees(at, want);
    most_degrees = fmax(most_degrees, off);
    if (!(off <= COMPACT_DEGREES))
        fail_msg("%s: normal %lld is %g degrees off", label, (long long)row, off);
}

static void near_uv(const char *label, const struct sdd_block *b, int64_t row, const float *want)
{
    for (int k = 0; k < 2; k++) {
        const double at = compact_half(((const uint16_t *)b->data)[2 * row + k]);
        if (!(fabs(at - (double)want[k]) <= compact_half_error((double)want[k])))
            fail_msg("%s: UV value %lld is %.9g, not %.9g", label, (long long)row, at, (double)want[k]);
    }
}

static void compare_block(const char *label, const struct sdd_block *plain, const struct sdd_block *compact)
{
    const float *rows = plain->data;
    assert_int_equal(plain->count, compact->count);
    for (int64_t i = 0; i < plain->count; i++, n_compared++)
        if (plain->semantic == SDD_POSITIONS)
            near_position(label, compact, i, rows + 3 * i);
        else if (plain->semantic == SDD_NORMALS)
            near_normal(label, compact, i, rows + 3 * i);
        else
            near_uv(label, compact, i, rows + 2 * i);
}

struct box {
    float low[3], high[3];
};

static struct box box_of(const float *points, int64_t n)
{
    struct box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t i = 0; i < 3 * n; i++) {
        b.low[i % 3] = fminf(b.low[i % 3], points[i]);
        b.high[i % 3] = fmaxf(b.high[i % 3], points[i]);
    }
    return b;
}

static int same_box(const struct box *a, const struct box *b)
{
    int same = 1;
    for (int k = 0; k < 3; k++)
        same &= a->low[k] == b->low[k] && a->high[k] == b->high[k];
    return same;
}

/* Does `in` hold `b`, but for rounding? */
static int holds(const struct box *in, const struct box *b)
{
    int ok = 1;
    for (int k = 0; k < 3; k++) {
        const float ulps = 4 * 0x1p-23f * fmaxf(fabsf(in->low[k]), fabsf(in->high[k]));
        ok &= in->low[k] - ulps <= b->low[k] && b->high[k] <= in->high[k] + ulps;
    }
    return ok;
}

static void check_box(const struct sdd_block *b, const struct sdd_block *plain, const float *points, int64_t n)
{
    const struct box got = {{b->low[0], b->low[1], b->low[2]}, {b->high[0], b->high[1], b->high[2]}};
    const struct box control = box_of(points, n), refined = box_of(plain->data, plain->count);
    const int outside = !holds(&control, &refined);
    assert_true(same_box(&got, &control) || (chaikin && same_box(&got, &refined)));
    assert_true(holds(&got, &refined));
    n_outside += outside;
}

static void check_plan(const sdd_topology *t, const struct sdd_refine_request *r, const struct sdd_plan_info *got)
{
    struct sdd_plan_info plan;
    int64_t bytes = 0;
    assert_int_equal(plan_once(t, r, &plan, NULL), SDD_OK);
    assert_int_equal(plan.device_bytes, got->device_bytes);
    assert_int_equal(plan.host_bytes, got->host_bytes);
    for (int k = 0; k < plan.n_blocks; k++) {
        const struct sdd_block *a = plan.blocks + k, *b = got->blocks + k;
        assert_true(a->semantic == b->semantic && a->format == b->format && a->components == b->components &&
                    a->count == b->count && a->bytes == b->bytes);
        assert_true(b->digest == sdd_digest(b->data, b->bytes));
        bytes += b->bytes;
    }
    assert_int_equal(bytes, plan.host_bytes);
}

/* `r` as it is against the same with what `compact` names in 16 bits. */
static void compare(const char *label, sdd_mesh *m, const sdd_topology *t, const float *points,
                    const struct sdd_refine_request *r, int compact)
{
    struct sdd_topology_info info;
    struct sdd_refine_request small = *r;
    struct sdd_error err = {0};
    sdd_result *a = ask(m, r, &err), *b = NULL;
    small.compact = compact & r->include;
    if (!a && err.code == SDD_EUNSUPPORTED)
        return; /* what an engine sees of a mesh when it runs */
    if (a)
        b = ask(m, &small, &err);
    if (!a || !b)
        fail_msg("%s: %s", label, err.text);
    const struct sdd_plan_info *p = &sdd_result_info(a)->plan, *q = &sdd_result_info(b)->plan;
    sdd_topology_info(t, &info);
    check_plan(t, &small, q);
    assert_string_equal(p->method, q->method);
    assert_int_equal(p->n_blocks, q->n_blocks);
    for (int k = 0; k < p->n_blocks; k++) {
        const struct sdd_block *x = p->blocks + k, *y = q->blocks + k;
        assert_int_equal(x->semantic, y->semantic);
        if (small.compact & x->semantic)
            compare_block(label, x, y);
        else
            assert_true(x->format == y->format && x->bytes == y->bytes && x->digest == y->digest);
        if (y->format == SDD_UNORM16_BOX)
            check_box(y, x, points, info.n_vertices);
    }
    sdd_result_free(a);
    sdd_result_free(b);
}

/* ---- every shape ----------------------------------------------------------------------------------------------- */
static int takes(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct sdd_plan_info plan;
    return plan_once(t, r, &plan, NULL) == SDD_OK;
}

static void check_scheme(const struct shape *s, const struct sdd_mesh_desc *d)
{
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    char label[160];
    chaikin = d->options.crease_method == SDD_CREASE_CHAIKIN && d->n_creases > 0;
    if (sdd_topology_create(device, d, &t, &err) || sdd_mesh_create(t, s->points, s->uvs, &m, &err))
        fail_msg("%s: %s", s->name, err.text);
    int level = level_that_fits(d, 3, MOST_VERTICES), all = EVERYTHING | (d->n_uvs ? SDD_UVS | SDD_UV_INDICES : 0);
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            struct sdd_refine_request r = {.level = level, .surface = surface, .include = all, .method = e->name};
            snprintf(label, sizeof label, "%s scheme %d level %d surface %d by %s", s->name, d->options.scheme, r.level,
                     r.surface, e->name);
            if (takes(t, &r))
                compare(label, m, t, s->points, &r, COMPACT);
        }
    sdd_mesh_free(m);
    sdd_topology_unref(t);
}

static void check_creases(const struct shape *s, struct sdd_mesh_desc *d)
{
    check_scheme(s, d);
    if (d->n_creases && d->options.scheme != SDD_SCHEME_SQRT3 && d->options.scheme != SDD_SCHEME_BILINEAR) {
        d->options.crease_method = !d->options.crease_method;
        check_scheme(s, d);
    }
}

static void check_shape(const struct shape *s)
{
    for_each_scheme(s, check_creases);
}

static void test_shapes(void **state)
{
    (void)state;
    device = open_device(1);
    for_each_shape("", 100, check_shape);
    for_each_shape("nonmanifold", 20, check_shape);
    sdd_device_close(device);
    print_message("%lld rows, off by %.4f steps and %.5f degrees at most\n", (long long)n_compared, most_steps,
                  most_degrees);
    chaikin = 0;
}

/* ---- one mesh -------------------------------------------------------------------------------------------------- */
/* Each alone, and beside what is never compact. */
static void test_subsets(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, "uv_islands_mixed", 0, 0);
    for (int include = 1; include <= COMPACT; include++) {
        struct sdd_refine_request r =
            fixture_ask(3, SDD_SURFACE_LIMIT, include | SDD_INDICES | SDD_TANGENTS | SDD_FACE_PARAMS);
        for (int compact = 1; compact <= include; compact++)
            if ((include & ~COMPACT) == 0 && (compact & ~include) == 0)
                compare("uv_islands_mixed", f.mesh, f.topology, f.shape.points, &r, compact);
    }
    fixture_close(&f);
}

/* The box follows the points, and needs no more of them than there are. */
static void test_moved(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    (void)state;
    fixture_open(&f, "cube54", 0, 0);
    const int64_t n = f.shape.desc.n_vertices;
    struct sdd_refine_request r = fixture_ask(3, SDD_SURFACE_REFINED, EVERYTHING);
    r.method = "mesh-matrix"; /* With other positions `auto` would take another engine for the second frame. */
    float *points = xalloc(3 * n, sizeof *points);
    for (int flat = 0; flat < 2; flat++) {
        for (int64_t i = 0; i < 3 * n; i++)
            points[i] = flat && i % 3 == 1 ? 42.5f : f.shape.points[i] * 3 - 1000;
        assert_int_equal(sdd_mesh_set_points(f.mesh, 0, n, points, &err), SDD_OK);
        compare("cube54", f.mesh, f.topology, points, &r, COMPACT);
    }
    free(points);
    fixture_close(&f);
}

/* Creases of 1.3 fade in one step beside creases of 0.05, and points of level 1 go past the middles of their edges: out
 * of the control points' box by a 27th of it on either side, which no block may cut off. */
static void test_overshoot(void **state)
{
    static const char *const methods[] = {"mesh-matrix", "subdivision-matrix"};
    struct fixture f;
    struct sdd_error err = {0};
    (void)state;
    fixture_open(&f, "chaikin_overshoot", 0, 0);
    struct sdd_mesh_desc d = f.shape.desc;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    d.options.crease_method = SDD_CREASE_CHAIKIN;
    assert_int_equal(sdd_topology_create(f.device, &d, &t, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(t, f.shape.points, NULL, &m, &err), SDD_OK);
    chaikin = 1;
    for (int i = 0; i < 6; i++) {
        struct sdd_refine_request r = fixture_ask(1 + i / 2, SDD_SURFACE_REFINED, EVERYTHING);
        const int64_t before = n_outside;
        r.method = methods[i % 2];
        compare(r.method, m, t, f.shape.points, &r, COMPACT);
        assert_int_equal(n_outside - before, r.level == 1); /* From there on it is smooth, and draws back. */
        r.include = r.compact = SDD_POSITIONS;
        sdd_result *result = ask(m, &r, &err);
        assert_non_null(result);
        const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
        if (r.level == 1)
            assert_true(fabs((double)b->low[1] + 0.1125) < 1e-6 && fabs((double)b->high[1] - 3.1125) < 1e-6);
        sdd_result_free(result);
    }
    chaikin = 0;
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    fixture_close(&f);
}

/* What tables make comes out of their kernels as it is: one launch for the box of a small mesh, and none for rows. */
static void test_direct(void **state)
{
    static const struct {
        int include, launches;
    } cases[] = {{SDD_POSITIONS, 1}, {SDD_NORMALS, 0}, {SDD_UVS, 0}, {SDD_POSITIONS | SDD_NORMALS | SDD_UVS, 1}};
    struct fixture f;
    struct sdd_error err = {0};
    (void)state;
    fixture_open(&f, "uv_random0", 0, 0);
    assert_true(f.shape.desc.n_vertices <= 64);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sdd_refine_request r = fixture_ask(3, SDD_SURFACE_LIMIT, cases[i].include);
        r.method = "tabulated";
        assert_int_equal(prepare_once(f.mesh, &r, NULL, &err), SDD_OK);
        sdd_result *plain = ask(f.mesh, &r, &err);
        r.compact = r.include;
        sdd_result *small = ask(f.mesh, &r, &err);
        assert_true(plain && small);
        assert_int_equal(sdd_result_info(small)->n_launches - sdd_result_info(plain)->n_launches, cases[i].launches);
        sdd_result_free(plain);
        sdd_result_free(small);
    }
    fixture_close(&f);
}

static void refused(const sdd_topology *t, int include, int compact, const char *says)
{
    struct sdd_refine_request r = fixture_ask(1, SDD_SURFACE_REFINED, include);
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    r.compact = compact;
    assert_int_equal(plan_once(t, &r, &plan, &err), SDD_EINVALID);
    assert_string_equal(err.field, "compact");
    assert_non_null(strstr(err.text, says));
}

static void test_refused(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, "uv_islands_mixed", 0, 0);
    refused(f.topology, SDD_POSITIONS, SDD_NORMALS, "not asked for");
    refused(f.topology, EVERYTHING, SDD_INDICES, "alone can be");
    refused(f.topology, EVERYTHING, SDD_POSITIONS | SDD_TANGENTS, "alone can be");
    fixture_close(&f);
}

/* All UV values are `value`. */
static void check_overflow(const char *shape, const char *method, float value, int over)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_mesh *m;
    fixture_open(&f, shape, 0, 0);
    const int64_t n = 2 * f.shape.desc.n_uvs;
    float *uvs = xalloc(n, sizeof *uvs);
    for (int64_t i = 0; i < n; i++)
        uvs[i] = value;
    assert_int_equal(sdd_mesh_create(f.topology, f.shape.points, uvs, &m, &err), SDD_OK);
    struct sdd_refine_request r = fixture_ask(1, SDD_SURFACE_REFINED, SDD_UVS | SDD_POSITIONS);
    r.method = method;
    sdd_result *result = ask(m, &r, &err);
    assert_non_null(result);
    sdd_result_free(result);
    r.compact = SDD_POSITIONS | SDD_UVS;
    result = ask(m, &r, &err);
    if (over) {
        assert_null(result);
        assert_int_equal(err.code, SDD_EUNSUPPORTED);
        assert_string_equal(err.field, "compact");
        assert_non_null(strstr(err.text, "65504"));
    } else {
        assert_non_null(result);
    }
    sdd_result_free(result);
    sdd_mesh_free(m);
    free(uvs);
    fixture_close(&f);
}

/* A UV value that no half float holds is told; floats hold it. Linear ones, and by tables smooth ones, are
 * made so; other engines' are converted. */
static void test_overflow(void **state)
{
    (void)state;
    check_overflow("uv_single", "mesh-matrix", 65504.0f, 0);
    check_overflow("uv_single", "mesh-matrix", -65520.0f, 1);
    check_overflow("uv_random0", "mesh-matrix", 65000.0f, 0);
    check_overflow("uv_random0", "mesh-matrix", -66000.0f, 1);
    check_overflow("uv_random0", "tabulated", -65000.0f, 0);
    check_overflow("uv_random0", "tabulated", 66000.0f, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),    cmocka_unit_test(test_subsets),
                                       cmocka_unit_test(test_moved),     cmocka_unit_test(test_direct),
                                       cmocka_unit_test(test_overshoot), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_overflow)};
    return cmocka_run_group_tests_name("compact blocks", tests, NULL, NULL);
}
