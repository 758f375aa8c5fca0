/* SPDX-License-Identifier: Apache-2.0 */
/* test_matrix_market.c: the text of a subdivision matrix, read back: its rows sum to one, ascend as they should, and
 * times the control points they are what mesh-matrix makes, under every scheme, refined and limit. */
#include "gpu/sdd_matrix.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/triangles.h"
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
static int64_t n_entries;

static char *write_matrix(sdd_topology *t, const char *name, int surface)
{
    char *text = NULL;
    size_t bytes = 0;
    struct sdd_error err = {0};
    FILE *to = open_memstream(&text, &bytes);
    assert_non_null(to);
    if (sdd_matrix_write(t, LEVEL, surface, to, &err))
        fail_msg("%s: %s", name, err.text);
    fclose(to);
    return text;
}

/* The product with the points, in double; the text is as it should be. */
static double *times(const char *name, char *text, const float *points, int64_t n_vertices, int64_t n_rows)
{
    static const char head[] = "%%MatrixMarket matrix coordinate real general\n";
    double *out = xalloc(3 * n_rows, sizeof *out), *sum = xalloc(n_rows, sizeof *sum);
    int64_t place = 0, entries = 0;
    assert_memory_equal(text, head, strlen(head));
    text += strlen(head);
    assert_true(strtoll(text, &text, 10) == n_rows && strtoll(text, &text, 10) == n_vertices);
    for (int64_t left = entries = strtoll(text, &text, 10); left > 0; left--) {
        int64_t row = strtoll(text, &text, 10) - 1, column = strtoll(text, &text, 10) - 1;
        double weight = strtod(text, &text);
        if (row < 0 || row >= n_rows || column < 0 || column >= n_vertices || row * n_vertices + column < place)
            fail_msg("%s: entry (%lld, %lld) is out of order", name, (long long)row, (long long)column);
        place = row * n_vertices + column + 1;
        sum[row] += weight;
        for (int c = 0; c < 3; c++)
            out[3 * row + c] += weight * (double)points[3 * column + c];
    }
    assert_string_equal(text, "\n");
    for (int64_t i = 0; i < n_rows; i++)
        if (!(fabs(sum[i] - 1) <= 1e-6))
            fail_msg("%s: row %lld sums to %.9g", name, (long long)i, sum[i]);
    n_entries += entries;
    free(sum);
    return out;
}

static void check_surface(sdd_mesh *mesh, sdd_topology *t, const struct shape *s, int surface)
{
    const struct sdd_refine_request r = {
        .level = LEVEL, .surface = surface, .include = SDD_POSITIONS, .method = "mesh-matrix"};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    double scale = 0;
    if (sdd_refine(mesh, &r, &result, &err))
        fail_msg("%s: %s", s->name, err.text);
    const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
    const float *want = b->data;
    char *text = write_matrix(t, s->name, surface);
    double *got = times(s->name, text, s->points, s->desc.n_vertices, b->count);
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        scale = fmax(scale, fabs((double)s->points[i]));
    for (int64_t i = 0; i < 3 * b->count; i++)
        if (!(fabs(got[i] - (double)want[i]) <= 4 * 0x1p-23 * scale))
            fail_msg("%s: value %lld is %.9g, not %.9g", s->name, (long long)i, got[i], (double)want[i]);
    free(text);
    free(got);
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
    assert_true(n_entries > 100000);
}

static void test_refused(void **state)
{
    static const int32_t count = 3, corners[] = {0, 1, 2};
    const struct sdd_mesh_desc desc = {
        .n_vertices = 3, .n_faces = 1, .n_corners = 3, .face_counts = &count, .face_vertices = corners};
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    FILE *nowhere = tmpfile();
    (void)state;
    assert_int_equal(sdd_topology_create(device, &desc, &t, &err), SDD_OK);
    assert_int_equal(sdd_matrix_write(t, 0, SDD_SURFACE_REFINED, nowhere, &err), SDD_EINVALID);
    assert_string_equal(err.field, "level");
    assert_int_equal(sdd_matrix_write(t, 2, 2, nowhere, &err), SDD_EINVALID);
    assert_string_equal(err.field, "surface");
    assert_int_equal(ftell(nowhere), 0);
    fclose(nowhere);
    sdd_topology_unref(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_refused)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("Matrix Market", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
