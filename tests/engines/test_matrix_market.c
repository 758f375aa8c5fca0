/* SPDX-License-Identifier: Apache-2.0 */
/* test_matrix_market.c: the text of a subdivision matrix, read back: its rows sum to one, those of tangents to zero,
 * ascend as they should, and times the control points they are what mesh-matrix makes, under every scheme, refined,
 * limit and tangents. No weight of points is below zero, except where chaikin's edge points overshoot. */
#include "gpu/sdd/sdd_matrix.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
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

#define MOST_CORNERS 200
#define LEVEL 2

static sdd_device *device;
static int64_t n_entries, n_tangents, n_empty;

/* All of the text, in pieces of odd sizes. */
static char *read_matrix(sdd_topology *t, const char *name, const struct sdd_matrix_request *r)
{
    sdd_matrix_text *m;
    struct sdd_error err = {0};
    if (sdd_matrix_open(t, r, &m, &err))
        fail_msg("%s: %s", name, err.text);
    const size_t bytes = (size_t)sdd_matrix_info(m)->text_bytes;
    char *text = xalloc((int64_t)bytes + 8, 1);
    size_t at = 0;
    for (size_t max = 1, n; (n = sdd_matrix_read(m, text + at, max)) > 0; at += n, max = 1 + max * 7 % 1009)
        assert_true(n == max || at + n == bytes);
    assert_int_equal(at, bytes);
    sdd_matrix_close(m);
    return text;
}

struct product {
    double (*value)[3]; /* [rows] */
    int32_t *entries;   /* [rows] */
    double least;       /* The least weight. */
};

/* The product with the points, in double; the text is as it should be. */
static struct product times(const struct shape *s, char *text, int64_t n_rows, double row_sum)
{
    static const char head[] = "%%MatrixMarket matrix coordinate real general\n";
    const int64_t n_vertices = s->desc.n_vertices;
    struct product out = {xalloc(n_rows, sizeof *out.value), xalloc(n_rows, sizeof *out.entries), INFINITY};
    double *sum = xalloc(n_rows, sizeof *sum), *size = xalloc(n_rows, sizeof *size);
    int64_t place = 0;
    assert_memory_equal(text, head, strlen(head));
    text += strlen(head);
    assert_true(strtoll(text, &text, 10) == n_rows && strtoll(text, &text, 10) == n_vertices);
    for (int64_t left = strtoll(text, &text, 10); left > 0; left--, n_entries++) {
        int64_t row = strtoll(text, &text, 10) - 1, column = strtoll(text, &text, 10) - 1;
        double weight = strtod(text, &text);
        if (row < 0 || row >= n_rows || column < 0 || column >= n_vertices || row * n_vertices + column < place)
            fail_msg("%s: entry (%lld, %lld) is out of order", s->name, (long long)row, (long long)column);
        place = row * n_vertices + column + 1;
        out.entries[row]++;
        sum[row] += weight;
        out.least = fmin(out.least, weight);
        size[row] += fabs(weight);
        for (int c = 0; c < 3; c++)
            out.value[row][c] += weight * (double)s->points[3 * column + c];
    }
    assert_string_equal(text, "\n");
    for (int64_t i = 0; i < n_rows; i++)
        if (out.entries[i] && !(fabs(sum[i] - row_sum) <= 4e-6 * size[i] + 1e-7))
            fail_msg("%s: row %lld sums to %.9g", s->name, (long long)i, sum[i]);
    free(sum);
    free(size);
    return out;
}

static void product_free(struct product *p)
{
    free(p->value);
    free(p->entries);
}

static double scale_of(const struct shape *s)
{
    double scale = 0;
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        scale = fmax(scale, fabs((double)s->points[i]));
    return scale;
}

static sdd_result *refine(sdd_mesh *mesh, const struct shape *s, int surface, int include)
{
    const struct sdd_refine_request r = {
        .level = LEVEL, .surface = surface, .include = include, .method = "mesh-matrix"};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(mesh, &r, &result, &err))
        fail_msg("%s: %s", s->name, err.text);
    return result;
}

static void check_surface(sdd_mesh *mesh, sdd_topology *t, const struct shape *s, int surface)
{
    const struct sdd_matrix_request ask = {.level = LEVEL, .surface = surface};
    sdd_result *result = refine(mesh, s, surface, SDD_POSITIONS);
    const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
    const float *want = b->data;
    char *text = read_matrix(t, s->name, &ask);
    struct product got = times(s, text, b->count, 1);
    if (!(got.least > -1e-6)) /* The box of compact positions stands on this. */
        fail_msg("%s: a weight is %.9g", s->name, got.least);
    const double most = 4 * 0x1p-23 * scale_of(s);
    for (int64_t i = 0; i < 3 * b->count; i++)
        if (!(fabs(got.value[i / 3][i % 3] - (double)want[i]) <= most))
            fail_msg("%s: value %lld is %.9g, not %.9g", s->name, (long long)i, got.value[i / 3][i % 3],
                     (double)want[i]);
    free(text);
    product_free(&got);
    sdd_result_free(result);
}

/* Row i of a product, made as long as a tangent is, is that of the block; an empty one says that no mask made it. */
static void check_tangent(sdd_mesh *mesh, sdd_topology *t, const struct shape *s, int what)
{
    const struct sdd_matrix_request ask = {.level = LEVEL, .surface = SDD_SURFACE_LIMIT, .what = what};
    sdd_result *result = refine(mesh, s, SDD_SURFACE_LIMIT, SDD_TANGENTS);
    const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
    const float(*want)[6] = b->data;
    char *text = read_matrix(t, s->name, &ask);
    struct product got = times(s, text, b->count, 0);
    const double scale = scale_of(s);
    for (int64_t i = 0; i < b->count; i++) {
        const double *v = got.value[i], length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const float *due = want[i] + (what == SDD_MATRIX_OF_TANGENT_2 ? 3 : 0);
        n_empty += got.entries[i] == 0;
        if (got.entries[i] == 0 || length <= 1e-4 * scale || (due[0] == 0 && due[1] == 0 && due[2] == 0))
            continue;
        n_tangents++;
        for (int c = 0; c < 3; c++)
            if (!(fabs(v[c] / length - (double)due[c]) <= 1e-5 + 1e-6 * scale / length))
                fail_msg("%s: tangent %d of row %lld is %.9g, not %.9g", s->name, what, (long long)i, v[c] / length,
                         (double)due[c]);
    }
    free(text);
    product_free(&got);
    sdd_result_free(result);
}

static void check_scheme(const struct shape *s, int scheme)
{
    struct shape other = *s;
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    sdd_mesh *mesh = NULL;
    other.desc.options.scheme = scheme;
    other.desc.options.crease_method = SDD_CREASE_UNIFORM;
    other.desc.n_uvs = 0;
    if (sdd_topology_create(device, &other.desc, &t, &err) || sdd_mesh_create(t, s->points, NULL, &mesh, &err))
        fail_msg("%s: %s", s->name, err.text);
    check_surface(mesh, t, &other, SDD_SURFACE_REFINED);
    check_surface(mesh, t, &other, SDD_SURFACE_LIMIT);
    for (int what = SDD_MATRIX_OF_TANGENT_1; what <= SDD_MATRIX_OF_TANGENT_2 && scheme != SDD_SCHEME_BILINEAR; what++)
        check_tangent(mesh, t, &other, what);
    sdd_mesh_free(mesh);
    sdd_topology_unref(t);
}

static void check_shape(const struct shape *s)
{
    struct shape cut = *s;
    if (s->desc.n_corners > MOST_CORNERS)
        return;
    check_scheme(s, SDD_SCHEME_CATMULL_CLARK);
    check_scheme(s, SDD_SCHEME_BILINEAR);
    struct triangles t = triangles_cut(&cut.desc);
    check_scheme(&cut, SDD_SCHEME_LOOP);
    check_scheme(&cut, SDD_SCHEME_SQRT3);
    triangles_free(&t);
}

static void test_shapes(void **state)
{
    (void)state;
    for_each_shape("", 100, check_shape);
    assert_true(n_entries > 100000 && n_tangents > 10000 && n_empty > 100);
}

/* The point of an edge of sharpness 1.3 that fades is 1.3 times the middle less 0.3 times the smooth point, in which
 * each far corner of the two quads has 1/16. OpenSubdiv's stencils have the same weights. */
static void test_below_zero(void **state)
{
    const struct sdd_matrix_request ask = {.level = 1};
    struct shape s;
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    (void)state;
    assert_int_equal(shape_load(test_shapes_dir(), "chaikin_overshoot", &s, &err), SDD_OK);
    for (int chaikin = 0; chaikin < 2; chaikin++) {
        s.desc.options.crease_method = chaikin ? SDD_CREASE_CHAIKIN : SDD_CREASE_UNIFORM;
        assert_int_equal(sdd_topology_create(device, &s.desc, &t, &err), SDD_OK);
        char *text = read_matrix(t, s.name, &ask);
        struct product got = times(&s, text, s.desc.n_vertices + s.desc.n_faces + 12, 1);
        assert_true(chaikin ? fabs(got.least + 0.3 / 16) < 1e-6 : got.least > 0);
        product_free(&got);
        free(text);
        sdd_topology_unref(t);
    }
    shape_free(&s);
}

static void test_refused(void **state)
{
    static const int32_t count = 3, corners[] = {0, 1, 2};
    const struct sdd_mesh_desc desc = {
        .n_vertices = 3, .n_faces = 1, .n_corners = 3, .face_counts = &count, .face_vertices = corners};
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    static const struct {
        struct sdd_matrix_request ask;
        int code;
        const char *field;
    } rows[] = {
        {{.level = 0}, SDD_EINVALID, "level"},
        {{.level = SDD_MAX_LEVEL + 1}, SDD_EINVALID, "level"},
        {{.level = 2, .surface = SDD_N_SURFACES}, SDD_EINVALID, "surface"},
        {{.level = 2, .what = 3}, SDD_EINVALID, "what"},
        {{.level = 2, .what = -1}, SDD_EINVALID, "what"},
        {{.level = 2, .what = SDD_MATRIX_OF_TANGENT_1}, SDD_EINVALID, "surface"},
        {{.level = 2, .max_bytes = 100}, SDD_ETOO_LARGE, "max_bytes"},
    };
    sdd_matrix_text *m = NULL;
    struct sdd_matrix_request whole = {.level = 2};
    (void)state;
    assert_int_equal(sdd_topology_create(device, &desc, &t, &err), SDD_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(sdd_matrix_open(t, &rows[i].ask, &m, &err), rows[i].code);
        assert_string_equal(err.field, rows[i].field);
        assert_null(m);
    }
    /* a limit of exactly as much as there is, and one byte less */
    assert_int_equal(sdd_matrix_open(t, &whole, &m, &err), SDD_OK);
    whole.max_bytes = sdd_matrix_info(m)->text_bytes;
    sdd_matrix_close(m);
    assert_int_equal(sdd_matrix_open(t, &whole, &m, &err), SDD_OK);
    sdd_matrix_close(m);
    whole.max_bytes--;
    assert_int_equal(sdd_matrix_open(t, &whole, &m, &err), SDD_ETOO_LARGE);
    assert_true(err.needed == whole.max_bytes + 1 && err.available == whole.max_bytes);
    sdd_topology_unref(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_below_zero),
                                       cmocka_unit_test(test_refused)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("Matrix Market", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
