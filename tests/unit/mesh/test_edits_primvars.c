/* SPDX-License-Identifier: Apache-2.0 */
/* Primvars through batches of edits: what grows and closes up with the mesh, what is set, put and removed. */
#include "server/mesh/edits/edits.h"
#include "server/mesh/encode.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int apply(const struct mesh *m, const char *json, struct edit_result *r, struct sdd_error *err)
{
    char text[4096];
    struct edit_batch *b;
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", json);
    memset(r, 0, sizeof *r);
    int rc = edits_from_json(text, strlen(text), &b, err);
    if (rc)
        return rc;
    rc = edits_apply(m, b, r, err);
    edit_batch_free(b);
    return rc;
}

static struct mesh *good(const struct mesh *m, const char *json)
{
    struct edit_result r;
    struct sdd_error err = {0};
    if (apply(m, json, &r, &err))
        fail_msg("%s: %s", json, err.text);
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    return out;
}

static void refused(const struct mesh *m, const char *json, int code, const char *says)
{
    struct edit_result r;
    struct sdd_error err = {0};
    int rc = apply(m, json, &r, &err);
    if (rc != code || !strstr(err.text, says))
        fail_msg("%s\ngave %d %s: %s", json, rc, err.field, err.text);
    assert_null(r.mesh);
}

static const struct primvar *get(const struct mesh *m, const char *name)
{
    for (int i = 0; i < m->n_primvars; i++)
        if (strcmp(m->primvars[i].info.name, name) == 0)
            return &m->primvars[i];
    fail_msg("there is no %s", name);
    return NULL;
}
static const float *floats(const struct mesh *m, const char *name)
{
    return get(m, name)->values;
}
static const int32_t *ints(const struct mesh *m, const char *name)
{
    return get(m, name)->values;
}

static void test_untouched(void **state)
{
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json);
    struct mesh *n = good(m, "{\"setPositions\":{\"ids\":[0],\"points\":[-1,-1,-1]}}");
    sample_same(m, n);
    mesh_free(n);
    mesh_free(m);
}

/* Zeros for what is new; then what is set, by the ids of the batch. */
static void test_grow(void **state)
{
    static const int32_t corners[] = {5, 6, 7};
    static const float color[] = {1, 2, 3};
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json), *n;
#define ADD                                                                                                            \
    "{\"addVertices\":{\"points\":[0,0,3]}},"                                                                          \
    "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[4,5,-1]}}"
    n = good(m, ADD);
    assert_int_equal(get(n, "weight")->info.n_values, 9);
    assert_true(floats(n, "weight")[8] == 0 && floats(n, "weight")[7] == 7);
    assert_int_equal(get(n, "material")->info.n_values, 7);
    assert_int_equal(ints(n, "material")[6], 0);
    /* The zero of vertex 4 is the (0, 0) that is there already; the others are new. */
    assert_int_equal(get(n, "map")->info.n_values, 7);
    assert_int_equal(get(n, "map")->indices[24], 0);
    assert_memory_equal(get(n, "map")->indices + 25, corners, 8);
    assert_int_equal(ints(n, "asset:id")[0], -7);
    mesh_free(n);
    n = good(m, ADD ",{\"setPrimvar\":{\"name\":\"displayColor\",\"ids\":[-1],\"values\":[1,2,3]}},"
                    "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[-1,2],\"values\":[2147483647,5]}},"
                    "{\"setPrimvar\":{\"name\":\"map\",\"ids\":[-1],\"values\":[0,0,0.5,0.5,2,2]}},"
                    "{\"setPrimvar\":{\"name\":\"asset:id\",\"values\":[8,9]}}");
    assert_memory_equal(floats(n, "displayColor") + 24, color, sizeof color);
    assert_true(ints(n, "material")[6] == INT32_MAX && ints(n, "material")[2] == 5);
    assert_true(ints(n, "asset:id")[0] == 8 && ints(n, "asset:id")[1] == 9);
    const struct primvar *map = get(n, "map");
    assert_int_equal(map->info.n_values, 7);
    assert_int_equal(map->indices[24], 0);
    assert_true(((const float *)map->values)[2 * map->indices[25]] == 0.5f);
    mesh_free(n);
    mesh_free(m);
}

static void test_close_up(void **state)
{
    static const float left[] = {0, 1, 2, 3, 5, 6, 7};
    static const int32_t materials[] = {11, 13, 14};
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json), *n, *o; /* faces 1, 2 and 5 have vertex 4 */
    n = good(m,
             "{\"removeFaces\":{\"ids\":[1,2,5]}},{\"removeVertices\":{\"ids\":[4]}},"
             "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[5,6,7]}},{\"removeFaces\":{\"ids\":[0]}},"
             "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[-1],\"values\":[14]}},{\"removeFaces\":{\"ids\":[4]}},"
             "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[3],\"values\":[11]}},"
             "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,2,3]}},"
             "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[-1,-2],\"values\":[13,14]}}");
    assert_int_equal(get(n, "weight")->info.n_values, 7);
    assert_memory_equal(floats(n, "weight"), left, sizeof left);
    assert_int_equal(get(n, "material")->info.n_values, 3);
    assert_memory_equal(ints(n, "material"), materials, sizeof materials);
    assert_int_equal(get(n, "map")->info.n_values, 4 + 5); /* those of face 3, zeros (that of 1 is one of them) */
    o = good(n, "{\"removeFaces\":{\"ids\":[3,6,7]}}");
    assert_int_equal(get(o, "map")->info.n_values, 0);
    assert_int_equal(get(o, "material")->info.n_values, 0);
    mesh_free(n);
    n = good(o, "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,2,3]}},"
                "{\"setPrimvar\":{\"name\":\"map\",\"ids\":[-1],\"values\":[1,1,2,2,1,1]}}");
    assert_int_equal(get(n, "map")->info.n_values, 3); /* equal ones at two vertices stay two */
    mesh_free(o);
    mesh_free(n);
    mesh_free(m);
}

static void test_put_and_remove(void **state)
{
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json), *n, *o;
    n = good(m, "{\"removePrimvar\":{\"name\":\"map\"}},{\"addVertices\":{\"points\":[0,0,3]}},"
                "{\"putPrimvar\":{\"name\":\"weight\",\"interpolation\":\"vertex\",\"width\":2,"
                "\"values\":[0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8]}},"
                "{\"putPrimvar\":{\"name\":\"a\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[4],"
                "\"indices\":[0,0,0,0,0,0]}}");
    assert_int_equal(n->n_primvars, 5);
    assert_string_equal(n->primvars[0].info.name, "a");
    assert_int_equal(ints(n, "a")[5], 4);
    assert_int_equal(get(n, "weight")->info.width, 2);
    assert_true(floats(n, "weight")[17] == 8);
    o = good(n, "{\"putPrimvar\":{\"name\":\"b\",\"interpolation\":\"constant\",\"values\":[1]}},"
                "{\"removePrimvar\":{\"name\":\"b\"}},{\"removePrimvar\":{\"name\":\"a\"}},"
                "{\"putPrimvar\":{\"name\":\"a\",\"interpolation\":\"constant\",\"values\":[1]}},"
                "{\"putPrimvar\":{\"name\":\"a\",\"interpolation\":\"constant\",\"values\":[2]}}");
    assert_int_equal(o->n_primvars, 5);
    assert_true(floats(o, "a")[0] == 2);
    mesh_free(o);
    mesh_free(n);
    mesh_free(m);
}

static void test_refused(void **state)
{
    char many[8192] = "";
    (void)state;
    struct mesh *m = sample_json(sample_primvars_json);
    refused(m, "{\"setPrimvar\":{\"name\":\"none\",\"ids\":[0],\"values\":[1]}}", SDD_EMESH,
            "edits[0]: there is no primvar none");
    refused(m, "{\"removePrimvar\":{\"name\":\"none\"}}", SDD_EMESH, "there is no primvar none");
    refused(m, "{\"removePrimvar\":{}}", SDD_EINVALID, "edits[0].removePrimvar.name");
    refused(m, "{\"setPrimvar\":{\"name\":\"weight\",\"ids\":[0]}}", SDD_EINVALID, "values is missing");
    refused(m, "{\"removePrimvar\":{\"name\":\"map\"}},{\"setPrimvar\":{\"name\":\"map\",\"ids\":[0],\"values\":[1]}}",
            SDD_EMESH, "edits[1]: there is no primvar map");
    refused(m,
            "{\"putPrimvar\":{\"name\":\"p\",\"interpolation\":\"constant\",\"values\":[1]}},"
            "{\"setPrimvar\":{\"name\":\"p\",\"values\":[1]}}",
            SDD_EMESH, "edits[1]: this batch puts primvar p");
    refused(m, "{\"setPrimvar\":{\"name\":\"weight\",\"ids\":[0,1],\"values\":[1]}}", SDD_EMESH, "1 rows for 2 ids");
    refused(m, "{\"setPrimvar\":{\"name\":\"weight\",\"ids\":[8],\"values\":[1]}}", SDD_EMESH, "there is no vertex 8");
    refused(m, "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[6],\"values\":[1]}}", SDD_EMESH, "there is no face 6");
    refused(m, "{\"setPrimvar\":{\"name\":\"material\",\"ids\":[0],\"values\":[1.5]}}", SDD_EMESH, "takes integers");
    refused(m, "{\"setPrimvar\":{\"name\":\"asset:id\",\"ids\":[0],\"values\":[1,2]}}", SDD_EMESH, "1 rows for 1 ids");
    refused(m, "{\"setPrimvar\":{\"name\":\"displayColor\",\"ids\":[0],\"values\":[1,2]}}", SDD_EMESH, "width 3");
    refused(m, "{\"setPrimvar\":{\"name\":\"weight\",\"ids\":[0],\"values\":[2e30]}}", SDD_EMESH, "values[0] is 2e+30");
    refused(m, "{\"setPrimvar\":{\"name\":\"map\",\"ids\":[0],\"values\":[1,2]}}", SDD_EMESH,
            "do not match the corners");
    refused(m, "{\"setPrimvar\":{\"name\":\"map\",\"values\":[1,2]}}", SDD_EMESH, "do not match the corners");
    refused(m, "{\"putPrimvar\":{\"name\":\"p\",\"interpolation\":\"vertex\",\"values\":[1]}}", SDD_EMESH,
            "edits[0].putPrimvar.values has 1 rows; vertex p wants 8");
    refused(m, "{\"putPrimvar\":{\"name\":\"st\",\"interpolation\":\"vertex\",\"values\":[1]}}", SDD_EINVALID,
            "edits[0].putPrimvar.name");
    for (int i = 0; i < 28; i++)
        (void)snprintf(many + strlen(many), sizeof many - strlen(many),
                       "%s{\"putPrimvar\":{\"name\":\"p%d\",\"interpolation\":\"constant\",\"values\":[1]}}",
                       i ? "," : "", i);
    refused(m, many, SDD_ETOO_LARGE, "32 primvars at most, not 33");
    mesh_free(m);
}

/* Zeros of new elements are bounded before they are made. */
static void test_made(void **state)
{
    enum { N = 1 << 20 };
    static const float wide[256];
    static float points[3 * N];
    struct mesh_arrays a;
    struct edit e = {.op = EDIT_ADD_VERTICES, .n = N, .n_values = N, .values = points};
    struct edit_batch b = {1, &e, NULL};
    struct edit_result r;
    struct sdd_error err = {0};
    (void)state;
    struct mesh *cube = sample_cube(), *m;
    mesh_as_arrays(cube, &a);
    a.n_primvars = 2;
    for (int i = 0; i < 2; i++) {
        static const int32_t zeros[8];
        assert_int_equal(primvar_author(&a.primvars[i], "p", i ? "y" : "x", "vertex", NULL, 256, NULL), SDD_OK);
        a.primvars[i].values = wide;
        a.primvars[i].n_words = 256;
        a.primvars[i].indices = (struct i32s){zeros, 8};
    }
    assert_int_equal(mesh_build(&a, &m, &err), SDD_OK);
    assert_int_equal(edits_apply(m, &b, &r, &err), SDD_ETOO_LARGE);
    assert_non_null(strstr(err.text, "would have 2147483648 bytes"));
    mesh_free(m);
    mesh_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_untouched),      cmocka_unit_test(test_grow),    cmocka_unit_test(test_close_up),
        cmocka_unit_test(test_put_and_remove), cmocka_unit_test(test_refused), cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
