/* SPDX-License-Identifier: Apache-2.0 */
/* Primvars in a control mesh: what is taken, what is refused, and the way through encodings, copies and RCM. */
#include "server/mesh/mesh.h"
#include "server/mesh/encode.h"
#include "tests/unit/sample.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const float quad_points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const int32_t quad_counts[] = {4}, quad_corners[] = {0, 1, 2, 3};

/* A quad with one primvar: n values, and k indices of which the last is `last`. */
static struct mesh_arrays quad(const char *interpolation, const char *type, int width, const void *values, int64_t n,
                               const int32_t *indices, int64_t k)
{
    struct sdd_error err = {0};
    struct mesh_arrays a = {.points = {quad_points, 12},
                            .face_counts = {quad_counts, 1},
                            .face_vertices = {quad_corners, 4},
                            .n_primvars = 1};
    if (primvar_author(&a.primvars[0], "primvars[0]", "x", interpolation, type, width, &err))
        fail_msg("%s", err.text);
    a.primvars[0].values = values;
    a.primvars[0].n_words = n;
    a.primvars[0].indices = (struct i32s){indices, k};
    return a;
}

static struct mesh *build(const struct mesh_arrays *a)
{
    struct mesh *m;
    struct sdd_error err = {0};
    if (mesh_build(a, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static void refused(struct mesh_arrays a, int code, const char *field, const char *says)
{
    struct mesh *m;
    struct sdd_error err = {0};
    int rc = mesh_build(&a, &m, &err);
    if (rc != code || strcmp(err.field, field) != 0 || !strstr(err.text, says))
        fail_msg("gave %d %s %s", rc, err.field, err.text);
    assert_null(m);
}

static void test_classes(void **state)
{
    static const float v[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int32_t shared[] = {1, 1, 0, 1}, want[] = {0, 1, 2, 3};
    static const float expanded[] = {2, 3, 2, 3, 0, 1, 2, 3};
    (void)state;
    struct mesh_arrays a = quad("vertex", NULL, 2, v, 8, NULL, 0);
    struct mesh *m = build(&a);
    assert_int_equal(m->primvars[0].info.n_values, 4);
    assert_null(m->primvars[0].indices);
    mesh_free(m);
    a = quad("varying", "f32", 2, v, 4, shared, 4);
    m = build(&a);
    assert_int_equal(m->primvars[0].info.n_values, 4);
    assert_memory_equal(m->primvars[0].values, expanded, sizeof expanded);
    mesh_free(m);
    a = quad("faceVarying", "", 2, v, 4, shared, 4);
    m = build(&a);
    assert_int_equal(m->primvars[0].info.n_values, 2);
    assert_memory_equal(m->primvars[0].indices, shared, sizeof shared);
    mesh_free(m);
    a = quad("faceVarying", "f32", 1, v, 4, NULL, 0); /* a value a corner */
    m = build(&a);
    assert_memory_equal(m->primvars[0].indices, want, sizeof want);
    mesh_free(m);
    a = quad("uniform", "i32", 8, v, 8, NULL, 0);
    mesh_free(build(&a));
    a = quad("constant", "i32", 4, v, 8, shared, 1);
    m = build(&a);
    assert_memory_equal(m->primvars[0].values, v + 4, 16);
    mesh_free(m);
}

static void test_refused(void **state)
{
    static const float v[8] = {0}, bad[] = {0, NAN, 0, 0}, far[] = {0, 0, 0, 2e30f};
    static const int32_t out[] = {0, 1, 2, 8}, minus[] = {0, -1, 0, 0};
    (void)state;
    refused(quad("vertex", NULL, 3, v, 8, NULL, 0), SDD_EMESH, "primvars[0].values", "no multiple of width 3");
    refused(quad("vertex", NULL, 1, v, 8, NULL, 0), SDD_EMESH, "primvars[0].values", "8 rows; vertex x wants 4");
    refused(quad("uniform", NULL, 1, v, 2, NULL, 0), SDD_EMESH, "primvars[0].values", "2 rows; uniform x wants 1");
    refused(quad("constant", NULL, 1, v, 0, NULL, 0), SDD_EMESH, "primvars[0].values", "0 rows; constant x wants 1");
    refused(quad("varying", NULL, 1, v, 8, out, 3), SDD_EMESH, "primvars[0].indices", "3 rows; varying x wants 4");
    refused(quad("varying", NULL, 1, v, 8, out, 4), SDD_EMESH, "primvars[0].indices", "[3] is 8 of 8");
    refused(quad("faceVarying", NULL, 1, v, 8, minus, 4), SDD_EMESH, "primvars[0].indices", "[1] is -1 of 8");
    refused(quad("faceVarying", NULL, 1, v, 8, NULL, 0), SDD_EMESH, "primvars[0].values", "8 rows; faceVarying x");
    refused(quad("vertex", NULL, 1, bad, 4, NULL, 0), SDD_EMESH, "primvars[0].values", "values[1] is nan");
    refused(quad("faceVarying", NULL, 1, far, 4, NULL, 0), SDD_EMESH, "primvars[0].values", "[3] is 2e+30");
    struct mesh_arrays a = quad("constant", NULL, 4, bad, 4, NULL, 0); /* only copied */
    mesh_free(build(&a));
    a.n_primvars = 2;
    a.primvars[1] = a.primvars[0];
    refused(a, SDD_EINVALID, "primvars", "primvar x is there twice");
}

static void not_authored(int code, const char *field, const char *name, const char *interpolation, const char *type,
                         int64_t width)
{
    struct primvar_array p;
    struct sdd_error err = {0};
    if (primvar_author(&p, "primvars[7]", name, interpolation, type, width, &err) != code || strcmp(err.field, field))
        fail_msg("gave %d %s %s", err.code, err.field, err.text);
}

static void test_author(void **state)
{
    char big[PRIMVAR_NAME_SIZE + 1];
    struct primvar_array p;
    (void)state;
    memset(big, 'a', sizeof big);
    big[PRIMVAR_NAME_SIZE] = 0;
    not_authored(SDD_EINVALID, "primvars[7].name", big, "vertex", NULL, 1);
    big[PRIMVAR_NAME_SIZE - 1] = 0;
    assert_int_equal(primvar_author(&p, "primvars[7]", big, "vertex", NULL, 1, NULL), SDD_OK);
    assert_int_equal(primvar_author(&p, "primvars[7]", "_skel:joints2", "constant", "i32", 256, NULL), SDD_OK);
    static const char *const names[] = {"", "st", "2x", ":x", "a b", "a-b", "a/b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        not_authored(SDD_EINVALID, "primvars[7].name", names[i], "vertex", NULL, 1);
    not_authored(SDD_EINVALID, "primvars[7].interpolation", "x", "", NULL, 1);
    not_authored(SDD_EINVALID, "primvars[7].interpolation", "x", "face", NULL, 1);
    not_authored(SDD_EINVALID, "primvars[7].type", "x", "vertex", "i32", 1);
    not_authored(SDD_EINVALID, "primvars[7].type", "x", "uniform", "f64", 1);
    not_authored(SDD_EINVALID, "primvars[7].width", "x", "uniform", "f32", 0);
    not_authored(SDD_EINVALID, "primvars[7].width", "x", "uniform", "f32", 257);
    assert_int_equal(primvars_count(32, NULL), SDD_OK);
    assert_int_equal(primvars_count(33, NULL), SDD_ETOO_LARGE);
}

/* An index is four bytes, a row up to a KiB: what indices make is bounded before it is made. */
static void test_made(void **state)
{
    enum { N = (1 << 20) + 2 };
    static float row[256];
    (void)state;
    float *points = calloc(N, 12);
    int32_t *indices = calloc(N, 4);
    struct mesh_arrays a = quad("vertex", NULL, 256, row, 256, indices, N);
    a.points = (struct f32s){points, 3 * (int64_t)N};
    refused(a, SDD_ETOO_LARGE, "primvars", "make 10737");
    free(points);
    free(indices);
}

static void json_refused(const char *primvars, int code, const char *field)
{
    char text[400];
    struct sdd_error err = {0};
    struct mesh *m;
    (void)snprintf(text, sizeof text,
                   "{\"points\": [0,0,0,1,0,0,0,1,0], \"faceVertexCounts\": [3], \"faceVertexIndices\": [0,1,2],"
                   "\"primvars\": %s}",
                   primvars);
    int rc = mesh_from_json(text, strlen(text), &m, NULL, &err);
    if (rc != code || strcmp(err.field, field) != 0)
        fail_msg("%s gave %d %s %s", primvars, rc, err.field, err.text);
}

static void test_json(void **state)
{
    static const char *const order[] = {"asset:id", "displayColor", "map", "material", "weight"};
    static const float color[] = {1, 0, 0, 0, 1, 0};
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json);
    assert_int_equal(m->n_primvars, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(m->primvars[i].info.name, order[i]);
    assert_memory_equal((float *)m->primvars[1].values + 9, color, sizeof color);
    assert_int_equal(((int32_t *)m->primvars[3].values)[5], 16777217); /* as no float has it */
    mesh_free(m);
    json_refused("3", SDD_EINVALID, "primvars");
    json_refused("[3]", SDD_EINVALID, "primvars");
    json_refused("[{}]", SDD_EINVALID, "primvars[0].name");
    json_refused("[{\"name\": \"x\"}]", SDD_EINVALID, "primvars[0].interpolation");
    json_refused("[{\"name\": \"x\", \"interpolation\": \"vertex\"}]", SDD_EMESH, "primvars[0].values");
    json_refused("[{\"name\": \"x\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [1.5]}]",
                 SDD_EINVALID, "primvars[0].values");
    json_refused("[{\"name\": \"x\", \"interpolation\": \"uniform\", \"width\": 300, \"values\": [1]}]", SDD_EINVALID,
                 "primvars[0].width");
    json_refused("[{\"name\": \"x\", \"interpolation\": \"uniform\", \"role\": 1}]", SDD_EINVALID, "role");
}

static void test_proto(void **state)
{
    struct mesh *m = sample_json(sample_primvars_json), *back;
    void *body;
    size_t bytes;
    struct sdd_error err = {0};
    (void)state;
    assert_int_equal(mesh_to_proto(m, &body, &bytes, &err), SDD_OK);
    if (mesh_from_proto(body, bytes, &back, NULL, &err))
        fail_msg("%s", err.text);
    sample_same(m, back);
    free(body);
    mesh_free(back);
    mesh_free(m);
}

static void id_of(const struct mesh *m, char out[MESH_TOPOLOGY_ID_SIZE])
{
    struct sdd_error err;
    assert_int_equal(mesh_topology_id(m, out, &err), SDD_OK);
}

/* Indices of corners are topology, values and everything else are not; without such indices the id is the old one. */
static void test_topology_id(void **state)
{
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json), *copy;
    id_of(m, a);
    assert_string_equal(a, "36ec6783203f679032a3c8489cd3efd7");
    ((int32_t *)m->primvars[3].values)[0] = 1;
    ((float *)m->primvars[2].values)[0] = 3;
    memcpy(m->primvars[2].info.name, "n", 2);
    m->primvars[4].info.interpolation = SDD_VARYING;
    id_of(m, b);
    assert_string_equal(a, b);
    m->primvars[2].indices[0] = 4;
    id_of(m, b);
    assert_string_not_equal(a, b);
    struct mesh_arrays arrays;
    mesh_as_arrays(m, &arrays);
    arrays.n_primvars = 2; /* those before map */
    copy = build(&arrays);
    id_of(copy, a);
    mesh_free(copy);
    arrays.n_primvars = 0;
    copy = build(&arrays);
    id_of(copy, b);
    assert_string_equal(a, b);
    mesh_free(copy);
    mesh_free(m);
}

static void test_encoding(void **state)
{
    struct mesh_encoding e;
    struct mesh_arrays a;
    struct sdd_error err;
    int64_t n_vertices, n_uvs;
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json), *back;
    mesh_encode(m, &e);
    char *bytes = malloc((size_t)e.bytes), *at = bytes;
    for (int i = 0; i < e.n; at += e.parts[i].bytes, i++)
        memcpy(at, e.parts[i].data, e.parts[i].bytes);
    mesh_as_arrays(m, &a);
    a.primvars[2].indices.n = 0;
    assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), SDD_OK);
    back = build(&a);
    sample_same(m, back);
    mesh_free(back);
    for (int64_t cut = 4; cut < 24 * 4 + 20; cut += 4)
        assert_int_equal(mesh_decode(bytes, e.bytes - cut, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    a.primvars[2].info.n_values = 4;
    assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    a.n_primvars = 2;
    assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    a.n_primvars = 5;
    bytes[e.bytes - 24 * 4 - 16] = 33; /* channels */
    assert_int_equal(mesh_decode(bytes, e.bytes, &a, &n_vertices, &n_uvs, &err), SDD_EMESH);
    free(bytes);
    mesh_free(m);
}

/* Each element keeps its values by its id, and each corner its value. */
static void test_reorder(void **state)
{
    struct sdd_error err;
    int64_t bandwidth[2], corner = 0;
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json), *r;
    assert_int_equal(mesh_reorder(m, &r, bandwidth, &err), SDD_OK);
    assert_memory_equal(r->primvars[0].values, m->primvars[0].values, 8);
    bool moved = false;
    for (int i = 0; i < 8; i++) {
        int32_t id = r->vertex_ids[i];
        moved |= id != i;
        assert_memory_equal((float *)r->primvars[1].values + 3 * i, (float *)m->primvars[1].values + 3 * id, 12);
        assert_memory_equal((float *)r->primvars[4].values + i, (float *)m->primvars[4].values + id, 4);
    }
    assert_true(moved);
    for (int f = 0; f < 6; f++, corner += 4) {
        int32_t id = r->face_ids[f];
        assert_int_equal(((int32_t *)r->primvars[3].values)[f], ((int32_t *)m->primvars[3].values)[id]);
        assert_memory_equal(r->primvars[2].indices + corner, m->primvars[2].indices + 4 * (int64_t)id, 16);
    }
    mesh_free(r);
    mesh_free(m);
}

static void test_copy(void **state)
{
    struct sdd_error err;
    struct mesh *copy, *m = sample_json(sample_primvars_json);
    (void)state;
    assert_int_equal(mesh_copy(m, &copy, &err), SDD_OK);
    sample_same(m, copy);
    assert_int_equal(mesh_bytes(m), mesh_bytes(copy));
    assert_int_equal(primvars_bytes(m), 5 * (int64_t)sizeof(struct primvar) + 4 * (2 + 24 + 10 + 24 + 6 + 8));
    mesh_free(copy);
    mesh_free(m);
}

/* A mesh that an edit has left without a primvar shares nothing with its copy that both would free. */
static void test_copy_of_none_left(void **state)
{
    static const char text[] = "{\"edits\":[{\"removePrimvar\":{\"name\":\"only\"}}]}";
    struct sdd_error err;
    struct edit_batch *b;
    struct edit_result r;
    struct mesh *copy,
        *m = sample_json("{\"points\":[0,0,0,1,0,0,0,1,0],\"faceVertexCounts\":[3],\"faceVertexIndices\":"
                         "[0,1,2],\"primvars\":[{\"name\":\"only\",\"interpolation\":\"constant\","
                         "\"values\":[1]}]}");
    (void)state;
    assert_int_equal(edits_from_json(text, strlen(text), &b, &err), SDD_OK);
    assert_int_equal(edits_apply(m, b, &r, &err), SDD_OK);
    assert_int_equal(r.mesh->n_primvars, 0);
    assert_int_equal(mesh_copy(r.mesh, &copy, &err), SDD_OK);
    assert_true(!copy->primvars || copy->primvars != r.mesh->primvars);
    mesh_free(copy);
    edit_result_free(&r);
    edit_batch_free(b);
    mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_author),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_proto),
        cmocka_unit_test(test_encoding),
        cmocka_unit_test(test_topology_id),
        cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_copy_of_none_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
