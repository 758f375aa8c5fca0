/* SPDX-License-Identifier: Apache-2.0 */
/* What only goes along with the surface is left out of a mesh when it is wrong, and told; a strict request, and one
 * without losses, refuses it. What shapes the surface is refused always. */
#include "tests/unit/sample.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Two quads side by side: edges 0-1, 1-2, 2-3, 3-0, and 1-4, 4-5, 5-2. */
static const float points[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0, 2, 1, 0};
static const int32_t counts[2] = {4, 4}, corners[8] = {0, 1, 2, 3, 1, 4, 5, 2};

static struct mesh_arrays quads(void)
{
    return (struct mesh_arrays){.points = {points, 18}, .face_counts = {counts, 2}, .face_vertices = {corners, 8}};
}

/* Builds the mesh with losses, of which there are `n` kinds; the text of all has `says`. */
static struct mesh *lossy(struct mesh_arrays a, int n, const char *says)
{
    struct losses l = {0};
    struct text lines = {0};
    struct sdd_error err = {0};
    struct mesh *m;
    a.losses = &l;
    if (mesh_build(&a, &m, &err))
        fail_msg("%s", err.text);
    losses_print(&l, &lines);
    if (l.n != n || (n && !strstr(lines.data, says)))
        fail_msg("%d losses, not %d with \"%s\": %s", l.n, n, says, lines.data ? lines.data : "");
    text_free(&lines);
    return m;
}

static void refused(struct mesh_arrays a, struct losses *l, const char *field, const char *says)
{
    struct sdd_error err = {0};
    struct mesh *m;
    a.losses = l;
    int rc = mesh_build(&a, &m, &err);
    assert_null(m);
    if (rc != SDD_EMESH || strcmp(err.field, field) != 0 || !strstr(err.text, says))
        fail_msg("%d %s: %s", rc, err.field, err.text);
}

/* A strict request is refused for what others lose. */
static void strict(struct mesh_arrays a, const char *field, const char *says)
{
    struct losses l = {.strict = true};
    refused(a, &l, field, says);
}

static void test_creases(void **state)
{
    static const int32_t chain[] = {0, 1, 2, 5, 4, 0}, lengths[] = {4, 2};
    static const float per_edge[] = {1, 2, 3, 4}, per_chain[] = {5, 6};
    struct mesh_arrays a = quads();
    (void)state;
    a.crease_indices = (struct i32s){chain, 6};
    a.crease_lengths = (struct i32s){lengths, 2};
    a.crease_sharpnesses = (struct f32s){per_edge, 4};
    struct mesh *m = lossy(a, 1, "a crease names the edge of vertices 0 and 4, which no face has; it is left out\n");
    assert_int_equal(m->n_creases, 3); /* the chain 0 1 2 5 is there */
    assert_int_equal(m->crease_edges[5], 5);
    assert_true(m->crease_sharpness[2] == 3);
    mesh_free(m);
    a.crease_sharpnesses = (struct f32s){per_chain, 2};
    mesh_free(lossy(a, 1, "0 and 4"));
    strict(a, "creaseIndices", "edge of vertices 0 and 4, which no face has");
    static const int32_t far[] = {0, 1, 1, 99, -1, 2, 3, 3, 0, 2}; /* one pair is there */
    a.crease_indices = (struct i32s){far, 10};
    a.crease_lengths = (struct i32s){0};
    a.crease_pairs = 1;
    static const float five[] = {1, 1, 1, 1, 1};
    a.crease_sharpnesses = (struct f32s){five, 5};
    m = lossy(a, 1, "(and 3 more)");
    assert_int_equal(m->n_creases, 1);
    mesh_free(m);
    static const float bad[] = {NAN, -1, 1, 0, INFINITY};
    a.crease_sharpnesses = (struct f32s){bad, 5};
    m = lossy(a, 2, "creaseSharpnesses[0] is nan");
    assert_int_equal(m->n_creases, 0);
    mesh_free(m);
    refused(a, NULL, "creaseSharpnesses", "[0] is nan");
    strict(a, "creaseSharpnesses", "[0] is nan");
}

/* Sharpnesses and lengths must fit, or nobody knows which edges are meant. */
static void test_crease_shapes(void **state)
{
    static const int32_t chain[] = {0, 1, 2, 5}, one[] = {1, 2}, negative[] = {-1, 5}, short_by_one[] = {3};
    static const float sharp[] = {1, 2, 3};
    struct losses l = {0};
    struct mesh_arrays a = quads();
    (void)state;
    a.crease_indices = (struct i32s){chain, 3};
    a.crease_lengths = (struct i32s){one, 2};
    a.crease_sharpnesses = (struct f32s){sharp, 2};
    struct mesh *m = lossy(a, 1, "creaseLengths[0] is 1; a crease has 2 vertices or more; it is left out");
    assert_int_equal(m->n_creases, 1);
    assert_int_equal(m->crease_edges[0], 1);
    assert_true(m->crease_sharpness[0] == 2);
    mesh_free(m);
    strict(a, "creaseLengths", "[0] is 1");
    a.crease_lengths = (struct i32s){negative, 2};
    refused(a, &l, "creaseLengths", "[0] is -1");
    a.crease_lengths = (struct i32s){short_by_one, 1};
    a.crease_indices.n = 4;
    refused(a, &l, "creaseIndices", "creaseLengths sum to 3, creaseIndices has 4");
    a.crease_indices.n = 3;
    a.crease_sharpnesses.n = 3;
    refused(a, &l, "creaseSharpnesses", "has 3 rows; 1 creases want 1 or 2");
}

static void test_corners_and_holes(void **state)
{
    static const int32_t vertices[] = {5, 6, -2, 0}, faces[] = {1, 2, -7};
    static const float sharp[] = {1, 2, 3, 4}, bad[] = {1, -2, NAN, 4};
    struct mesh_arrays a = quads();
    (void)state;
    a.corner_indices = (struct i32s){vertices, 4};
    a.corner_sharpnesses = (struct f32s){sharp, 4};
    struct mesh *m = lossy(a, 1, "cornerIndices[1] is vertex 6 of 6; it is left out (and 1 more)\n");
    assert_int_equal(m->n_corner_tags, 2);
    assert_int_equal(m->corner_vertices[1], 5);
    assert_true(m->corner_sharpness[0] == 4);
    mesh_free(m);
    strict(a, "cornerIndices", "[1] is vertex 6 of 6");
    a.corner_sharpnesses.v = bad;
    m = lossy(a, 1,
              "cornerSharpnesses[1] is -2; sharpness is a finite number of at least 0; it is left out (and 1 more)");
    assert_int_equal(m->n_corner_tags, 2);
    mesh_free(m);
    refused(a, NULL, "cornerSharpnesses", "[1] is -2");
    a = quads();
    a.hole_indices = (struct i32s){faces, 3};
    m = lossy(a, 1, "holeIndices[1] is face 2 of 2; it is left out (and 1 more)\n");
    assert_int_equal(m->n_holes, 1);
    assert_int_equal(m->hole_faces[0], 1);
    mesh_free(m);
    strict(a, "holeIndices", "[1] is face 2 of 2");
}

static void lose_uvs(const float *st, int64_t n, const int32_t *indices, int64_t n_indices, const char *field,
                     const char *says)
{
    struct mesh_arrays a = quads();
    a.uvs = (struct f32s){st, n};
    a.uv_indices = (struct i32s){indices, n_indices};
    struct mesh *m = lossy(a, 1, says);
    assert_int_equal(m->n_uvs, 0);
    assert_null(m->uv_indices);
    mesh_free(m);
    m = lossy(a, 1, "; the UVs are left out\n");
    mesh_free(m);
    strict(a, field, says);
}

static void test_uvs(void **state)
{
    static const float st[16] = {0, 0, 1, 0, 1, 1, 0, 1}, holed[16] = {0, 0, 1, NAN}, wide[16] = {0, 2e30F};
    static const int32_t indices[8] = {0, 1, 2, 3, 0, 1, 2, 3}, out[8] = {0, 1, 2, 4, 0, 1, 2, 3}, low[8] = {-1};
    (void)state;
    lose_uvs(st, 7, indices, 8, "st", "st has 7 numbers, which is no multiple of 2");
    lose_uvs(st, 8, indices, 7, "stIndices", "stIndices has 7 rows");
    lose_uvs(NULL, 0, indices, 8, "stIndices", "0 st values want 0");
    lose_uvs(st, 8, out, 8, "stIndices", "stIndices[3] is 4 of 4");
    lose_uvs(st, 8, low, 8, "stIndices", "stIndices[0] is -1 of 4");
    lose_uvs(holed, 8, indices, 8, "st", "st[1] is nan; it must be finite and within +-1e+30");
    lose_uvs(wide, 8, indices, 8, "st", "st[0] is 2e+30");
    lose_uvs(st, 8, NULL, 0, "st", "st has 4 rows and no stIndices; without these it has a row for each of 8 face");
}

static void test_uvs_without_indices(void **state)
{
    static const float st[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct mesh_arrays a = quads();
    (void)state;
    a.uvs = (struct f32s){st, 16};
    struct mesh *m = lossy(a, 0, "");
    assert_int_equal(m->n_uvs, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(m->uv_indices[i], i);
    mesh_free(m);
    a.uvs.n = 12; /* one for each of 6 vertices */
    m = lossy(a, 0, "");
    assert_int_equal(m->n_uvs, 6);
    assert_memory_equal(m->uv_indices, corners, sizeof corners);
    mesh_free(m);
}

static struct mesh_arrays with_primvar(const char *interpolation, const char *type, int width, const void *values,
                                       int64_t n)
{
    struct mesh_arrays a = quads();
    struct sdd_error err;
    a.n_primvars = 1;
    if (primvar_author(&a.primvars[0], "primvars[0]", "wear", interpolation, type, width, &err))
        fail_msg("%s", err.text);
    a.primvars[0].values = values;
    a.primvars[0].n_words = n;
    return a;
}

static void lose_primvar(struct mesh_arrays a, const char *field, const char *says)
{
    struct mesh *m = lossy(a, 1, says);
    assert_int_equal(m->n_primvars, a.n_primvars - 1);
    mesh_free(m);
    m = lossy(a, 1, " is left out\n");
    mesh_free(m);
    strict(a, field, says);
}

static void test_primvars(void **state)
{
    static const float v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, holed[8] = {1, 2, 3, INFINITY};
    static const int32_t indices[6] = {0, 1, 2, 3, 4, 5}, out[6] = {0, 1, 2, 3, 4, 8};
    struct sdd_error err;
    (void)state;
    lose_primvar(with_primvar("vertex", NULL, 1, v, 5), "primvars[0].values", "has 5 rows; vertex wear wants 6");
    lose_primvar(with_primvar("vertex", NULL, 4, v, 7), "primvars[0].values", "no multiple of width 4");
    lose_primvar(with_primvar("vertex", NULL, 1, holed, 6), "primvars[0].values", "[3] is inf");
    lose_primvar(with_primvar("uniform", NULL, 4, holed, 8), "primvars[0].values", "[3] is inf");
    struct mesh_arrays a = with_primvar("uniform", NULL, 4, holed, 8);
    struct mesh *m;
    assert_int_equal(mesh_build(&a, &m, &err), SDD_OK); /* as stores of before have it */
    mesh_free(m);
    a = with_primvar("vertex", NULL, 1, v, 8);
    a.primvars[0].indices = (struct i32s){out, 6};
    lose_primvar(a, "primvars[0].indices", "[5] is 8 of 8 rows");
    a.primvars[0].indices = (struct i32s){indices, 5};
    lose_primvar(a, "primvars[0].indices", "has 5 rows; vertex wear wants 6");
    a = with_primvar("constant", NULL, 1, v, 1);
    a.primvars[1] = a.primvars[0];
    a.n_primvars = 2;
    lose_primvar(a, "primvars", "primvar wear is there twice");
    a.losses = NULL;
    assert_int_equal(mesh_build(&a, &m, &err), SDD_EINVALID);
}

static void test_stage(void **state)
{
    struct mesh_arrays a = quads();
    struct losses l = {0};
    (void)state;
    a.stage = (struct mesh_stage){.up_axis = MESH_UP_Y, .meters_per_unit = -1};
    struct mesh *m = lossy(a, 1, "metersPerUnit is -1; it is a finite number above 0; it is left out\n");
    assert_int_equal(m->stage.up_axis, MESH_UP_Y);
    assert_true(m->stage.meters_per_unit == 0);
    mesh_free(m);
    strict(a, "metersPerUnit", "is -1");
    a.stage.meters_per_unit = INFINITY;
    strict(a, "metersPerUnit", "is inf");
    a.stage = (struct mesh_stage){.has_transform = 1, .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 0, 0, 1}};
    m = lossy(a, 0, "");
    assert_true(m->stage.has_transform && m->stage.transform[12] == 7);
    mesh_free(m);
    a.stage.transform[12] = 0; /* the identity says nothing */
    m = lossy(a, 0, "");
    assert_false(m->stage.has_transform);
    mesh_free(m);
    a.stage.transform[3] = 0.5;
    m = lossy(a, 1, "transform[3] is 0.5; the last column of an affine matrix");
    assert_false(m->stage.has_transform);
    mesh_free(m);
    strict(a, "transform", "[3] is 0.5");
    a.stage.transform[3] = 0;
    a.stage.transform[4] = NAN;
    strict(a, "transform", "[4] is nan");
    int axis = MESH_UP_Z;
    assert_int_equal(mesh_up_axis_set("X", &axis, &l, NULL), SDD_OK);
    assert_int_equal(axis, MESH_UP_Z);
    assert_string_equal(l.rows[0].sentence, "upAxis is \"X\"; it is Y or Z; it is left out");
    assert_int_equal(mesh_up_axis_set("X", &axis, NULL, NULL), SDD_EMESH);
}

/* Many faces and many creases take no time to speak of, and the warnings stay few. */
static void test_many(void **state)
{
    enum { N = 1000000 };
    struct mesh *grid = sample_grid(1000, 100);
    int32_t *pairs = calloc(N, 8);
    float *sharp = calloc(N, 4);
    struct losses l = {0};
    (void)state;
    for (int32_t i = 0; i < N; i++) {
        pairs[2 * i] = i % 101101;
        pairs[2 * i + 1] = i % 2 ? pairs[2 * i] + 1 : i % 7919;
        sharp[i] = 2;
    }
    struct mesh_arrays a = {.points = {grid->points, 3 * grid->n_vertices},
                            .face_counts = {grid->face_counts, grid->n_faces},
                            .face_vertices = {grid->face_vertices, grid->n_corners},
                            .crease_indices = {pairs, 2 * (int64_t)N},
                            .crease_sharpnesses = {sharp, N},
                            .crease_pairs = 1,
                            .losses = &l};
    struct mesh *m;
    assert_int_equal(mesh_build(&a, &m, NULL), SDD_OK);
    assert_int_equal(l.n, 1);
    assert_true(l.rows[0].count > 1000 && m->n_creases > 1000);
    mesh_free(m);
    mesh_free(grid);
    free(pairs);
    free(sharp);
}

/* A face that shapes nothing is no loss. */
static void test_surface_is_refused(void **state)
{
    static const int32_t bad_counts[2] = {4, 0};
    struct losses l = {0};
    struct mesh_arrays a = quads();
    (void)state;
    a.face_counts.v = bad_counts;
    refused(a, &l, "faceVertexCounts", "face 1 has 0 vertices");
    a = quads();
    a.points.n = 17;
    refused(a, &l, "points", "17 numbers");
    assert_int_equal(l.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creases),
        cmocka_unit_test(test_crease_shapes),
        cmocka_unit_test(test_corners_and_holes),
        cmocka_unit_test(test_uvs),
        cmocka_unit_test(test_uvs_without_indices),
        cmocka_unit_test(test_primvars),
        cmocka_unit_test(test_stage),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_surface_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
