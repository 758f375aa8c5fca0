/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mesh/formats/json_text.h"
#include "server/mesh/formats/json_scan.h"
#include "server/base/pool.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static int parse(const char *text, size_t n, struct sdd_error *err)
{
    cJSON *json;
    char *exact = malloc(n ? n : 1);
    memcpy(exact, text, n);
    int rc = json_parse(exact, n, &json, err);
    assert_true((rc == SDD_OK) == (json != NULL));
    cJSON_Delete(json);
    free(exact);
    return rc;
}

static const char *const good[] = {"0",
                                   "-0.5e+10",
                                   "[]",
                                   "{}",
                                   " [1, 2 ,3] \n",
                                   "\"\\u00e9\\ud83d\\ude00\\n\\\"\"",
                                   "{\"a\":[{\"b\":null}],\"c\":true}",
                                   "false",
                                   "\"\xc3\xa9\"",
                                   "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]"};
static const char *const bad[] = {"",
                                  " ",
                                  "00012",
                                  "1.2.3",
                                  "1-1",
                                  "0x10",
                                  "+1",
                                  "1.",
                                  ".5",
                                  "1e",
                                  "1e+",
                                  "-",
                                  "[1,]",
                                  "[,1]",
                                  "{\"a\":1,}",
                                  "{\"a\"}",
                                  "{a:1}",
                                  "{1:1}",
                                  "[1 2]",
                                  "nul",
                                  "nulll",
                                  "tru",
                                  "True",
                                  "NaN",
                                  "Infinity",
                                  "1 2",
                                  "[] x",
                                  "[1]]",
                                  "[",
                                  "{",
                                  "{\"a\":",
                                  "\"",
                                  "\"\\",
                                  "\"\\x\"",
                                  "\"\\u12\"",
                                  "\"\\u0000\"",
                                  "\"\\ud800\"",
                                  "\"\\ud800\\u0041\"",
                                  "\"\\udc00\"",
                                  "\"a\nb\"",
                                  "\"\t\"",
                                  "\"\x80\"",
                                  "\"\xed\xa0\x80\"",
                                  "\xef\xbb\xbf{}",
                                  "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
                                  "'a'",
                                  "/**/1",
                                  "1111111111111111111111111111111111111111111111111111111111111111",
                                  "{\"a\":1]",
                                  "[1}",
                                  "\"\\u00g0\""};

static void test_grammar(void **state)
{
    struct sdd_error err;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (parse(good[i], strlen(good[i]), &err))
            fail_msg("%s: %s", good[i], err.text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i], strlen(bad[i]), &err) != SDD_EMALFORMED)
            fail_msg("%s was taken", bad[i]);
    assert_int_equal(parse("\"a\0b\"", 5, &err), SDD_EMALFORMED);
    assert_int_equal(parse("1\0", 2, &err), SDD_EMALFORMED);
    assert_int_equal(parse("[1,2]trailing", 5, &err), SDD_OK); /* what is beyond the length is not read */
    (void)parse("[1, 2x]", 7, &err);
    assert_string_equal(err.text, "JSON, byte 5: a comma or the closing bracket is missing");
}

/* A mebibyte of what might be slow: brackets, quotes, escapes, members. */
static void test_linear(void **state)
{
    static const char *const units[] = {"[", "\"\\u00e9", "{\"a\":", "1,", "\"a\":1,", "\\", " "};
    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        struct timespec a, b;
        struct sdd_error err;
        size_t n = 1 << 20, unit = strlen(units[u]);
        char *text = malloc(n);
        for (size_t i = 0; i < n; i++)
            text[i] = i ? units[u][(i - 1) % unit] : '[';
        (void)clock_gettime(CLOCK_MONOTONIC, &a);
        assert_int_equal(parse(text, n, &err), SDD_EMALFORMED);
        (void)clock_gettime(CLOCK_MONOTONIC, &b);
        assert_true((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec) < 0.5);
        free(text);
    }
}

static void refused(const char *text, int code, const char *says)
{
    struct sdd_error err = {0};
    struct mesh *m;
    int rc = mesh_from_json(text, strlen(text), &m, NULL, &err);
    if (rc != code || !strstr(err.text, says) || !*err.field)
        fail_msg("%s\ngave %d %s, field \"%s\"", text, rc, err.text, err.field);
    assert_null(m);
}

static void test_mesh(void **state)
{
    static const char text[] =
        "{\"name\":\"q\",\"options\":{\"subdivisionScheme\":\"bilinear\"},\"interpolateBoundary\":\"edgeOnly\","
        "\"points\":[0,0,0, 1,0,0, 1,1e0,0, 0,1,0],\"faceVertexCounts\":[4],\"faceVertexIndices\":[0,1,2,3],"
        "\"creaseIndices\":[2,1,0],\"creaseLengths\":[3],\"creaseSharpnesses\":[1.5],\"cornerIndices\":[3],"
        "\"cornerSharpnesses\":[99],\"holeIndices\":[0,0],\"st\":[0,0,1,0,1,1,0,1],\"stIndices\":[0,1,2,3],"
        "\"vertexIds\":[4,5,6,7],\"faceIds\":[9]}"; /* of the mesh that it was pulled from: ignored */
    static const int32_t edges[] = {0, 1, 1, 2};
    struct mesh *m;
    struct sdd_error err = {0};
    (void)state;
    if (mesh_from_json(text, strlen(text), &m, NULL, &err))
        fail_msg("%s", err.text);
    assert_string_equal(m->name, "q");
    assert_int_equal(m->options.scheme, SDD_SCHEME_BILINEAR);
    assert_int_equal(m->options.boundary, SDD_BOUNDARY_EDGE_ONLY);
    assert_int_equal(m->n_creases, 2);
    assert_memory_equal(m->crease_edges, edges, sizeof edges);
    assert_true(m->corner_sharpness[0] == 10);
    assert_int_equal(m->n_holes, 1);
    assert_int_equal(m->n_uvs, 4);
    assert_int_equal(m->vertex_ids[3], 3);
    mesh_free(m);
}

static void test_mesh_errors(void **state)
{
    (void)state;
    refused("[]", SDD_EINVALID, "the body is not an object");
    refused("{\"point\":[]}", SDD_EINVALID, "point is not a field");
    refused("{\"Points\":[]}", SDD_EINVALID, "Points is not a field");
    refused("{\"points\":[],\"points\":[]}", SDD_EINVALID, "points is there more than once");
    refused("{\"points\":7}", SDD_EINVALID, "points is not an array");
    refused("{\"points\":[0,0,\"1\"]}", SDD_EINVALID, "points[2] is not a number");
    refused("{\"points\":[0,0,1e999]}", SDD_EINVALID, "points[2] is not a number that fits a float");
    refused("{\"points\":[0,0,1e39]}", SDD_EINVALID, "points[2]");
    refused("{\"points\":[0,0,null]}", SDD_EINVALID, "points[2]");
    refused("{\"points\":[0,0]}", SDD_EMESH, "no multiple of 3");
    refused("{\"faceVertexCounts\":[1.5]}", SDD_EINVALID, "faceVertexCounts[0] is not an integer");
    refused("{\"faceVertexCounts\":[2147483648]}", SDD_EINVALID, "faceVertexCounts[0]");
    refused("{\"faceVertexCounts\":[9007199254740993]}", SDD_EINVALID, "faceVertexCounts[0]");
    refused("{\"faceVertexCounts\":[3]}", SDD_EMESH, "sum to 3, faceVertexIndices has 0");
    refused("{\"faceVertexCounts\":[-3]}", SDD_EMESH, "face 0 has -3 vertices");
    refused("{\"name\":\"\"}", SDD_EINVALID, "the name is empty");
    refused("{\"name\":\"a\\u0085b\"}", SDD_EINVALID, "the name holds a control character");
    refused("{\"name\":\"a\\ud800b\"}", SDD_EMALFORMED, "");
    refused("{\"name\":\"a\\u0000b\"}", SDD_EMALFORMED, "");
    refused("{\"name\":\"\xed\xa0\x80\"}", SDD_EMALFORMED, "");
    refused("{\"name\":7}", SDD_EINVALID, "name is not a string");
    refused("{\"subdivisionScheme\":\"doo\"}", SDD_EINVALID, "catmullClark");
    refused("{\"options\":{\"subdivisionScheme\":7}}", SDD_EINVALID, "subdivisionScheme is not a string");
    refused("{\"options\":[]}", SDD_EINVALID, "options is not an object");
    refused("{\"options\":{\"color\":\"red\"}}", SDD_EINVALID, "options.color is not a field");
    refused("{\"options\":{\"creaseMethod\":\"chaikin\"},\"creaseMethod\":\"chaikin\"}", SDD_EINVALID,
            "more than once");
    refused("{\"\xc3\xa9\":1}", SDD_EINVALID, "??");
}

static void test_positions(void **state)
{
    struct positions *p;
    struct sdd_error err;
    static const char good[] = "{\"ranges\":[{\"first\":2,\"points\":[1,2,3]},{\"points\":[]}]}";
    static const char *const bad[] = {"{}",
                                      "{\"ranges\":{}}",
                                      "{\"ranges\":[1]}",
                                      "{\"ranges\":[{\"first\":-1}]}",
                                      "{\"ranges\":[{\"points\":[1]}]}",
                                      "{\"ranges\":[{\"first\":\"0\"}]}",
                                      "{\"ranges\":[],\"x\":1}",
                                      "[]"};
    (void)state;
    assert_int_equal(positions_from_json(good, strlen(good), &p, &err), SDD_OK);
    assert_int_equal(p->n_ranges, 2);
    assert_int_equal(p->ranges[0].first, 2);
    assert_int_equal(p->ranges[0].n, 1);
    assert_true(p->ranges[0].points[2] == 3);
    assert_int_equal(p->ranges[1].n, 0);
    positions_free(p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_not_equal(positions_from_json(bad[i], strlen(bad[i]), &p, &err), SDD_OK);
        assert_null(p);
    }
}

static void test_octets(void **state)
{
    _Alignas(4) unsigned char raw[29];
    struct positions *p;
    struct sdd_error err;
    static const float xyz[] = {1, 2, 3, 4, 5, 6};
    (void)state;
    memcpy(raw, xyz, 24);
    assert_int_equal(positions_from_octets(raw, 24, 5, &p, &err), SDD_OK);
    assert_ptr_equal(p->ranges[0].points, raw); /* borrowed */
    assert_int_equal(p->ranges[0].n, 2);
    positions_free(p);
    memcpy(raw + 1, xyz, 24); /* not aligned: copied */
    assert_int_equal(positions_from_octets(raw + 1, 24, 5, &p, &err), SDD_OK);
    assert_memory_equal(p->ranges[0].points, xyz, 24);
    positions_free(p);
    assert_int_equal(positions_from_octets(raw, 23, 0, &p, &err), SDD_EMESH);
    assert_int_equal(positions_from_octets(raw, 24, -1, &p, &err), SDD_EINVALID);
    assert_int_equal(positions_from_octets(raw, 24, INT64_MAX - 1, &p, &err), SDD_OK);
    assert_int_equal(positions_check(p, 100, 0, &err), SDD_EMESH);
    positions_free(p);
}

static void test_edits(void **state)
{
    static const char *const bad[] = {
        "{}",
        "{\"edits\":[{}]}",
        "{\"edits\":[{\"removeFaces\":{\"ids\":[1]},\"removeVertices\":{\"ids\":[1]}}]}",
        "{\"edits\":[{\"removeFace\":{\"ids\":[1]}}]}",
        "{\"edits\":[{\"removeFaces\":{\"id\":[1]}}]}",
        "{\"edits\":[{\"removeFaces\":[1]}]}",
        "{\"edits\":[{\"setHoles\":{\"ids\":[1],\"hole\":1}}]}",
        "{\"edits\":[{\"setHoles\":{\"ids\":[1]}}]}",
        "{\"edits\":[{\"addVertices\":{}}]}",
        "{\"edits\":[{\"removeVertices\":{\"ids\":[]}}]}",
        "{\"edits\":[{\"setPositions\":{}}]}",
        "{\"edits\":[{\"addFaces\":{\"faceVertexCounts\":[3]}}]}",
        "{\"edits\":[{\"addVertices\":{\"points\":[1,2]}}]}",
        "{\"edits\":[{\"setPositions\":{\"ids\":[1],\"points\":[1]}}]}",
        "{\"edits\":[{\"setCreases\":{\"edges\":[1],\"sharpnesses\":[]}}]}",
        "{\"edits\":[{\"setCreases\":{\"edges\":[1,2],\"sharpnesses\":[-1]}}]}",
        "{\"edits\":[{\"setCorners\":{\"ids\":[1,2],\"sharpnesses\":[1]}}]}",
        "{\"edits\":[{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,2]}}]}",
        "{\"edits\":[{\"addFaces\":{\"faceVertexCounts\":[-3],\"faceVertexIndices\":[]}}]}",
        "{\"edits\":[{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[1,2,3],\"st\":[1,2]}}]}",
        "{\"edits\":[{\"setUvs\":{\"ids\":[1],\"st\":[1]}}]}"};
    struct sdd_error err;
    (void)state;
    struct edit_batch *b =
        sample_edits("{\"edits\":[{\"addVertices\":{\"points\":[1,2,3]}},{\"setHoles\":{\"ids\":[4],\"hole\":false}},"
                     "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,-1]}}]}");
    assert_int_equal(b->n_edits, 3);
    assert_int_equal(b->edits[0].n, 1);
    assert_int_equal(b->edits[1].hole, 0);
    assert_int_equal(b->edits[2].corners[2], -1);
    edit_batch_free(b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (edits_from_json(bad[i], strlen(bad[i]), &b, &err) == SDD_OK)
            fail_msg("%s was taken", bad[i]);
        assert_null(b);
    }
}

/* Numbers take at most six times the body's bytes, with the body itself. */
static void test_cost(void **state)
{
    static const char head[] = "{\"ranges\":[{\"points\":[", tail[] = "0]}]}";
    enum { N = 300000, BYTES = sizeof head + sizeof tail - 2 + 2 * (N - 1) };
    struct pool pool = {.limit = INT64_MAX};
    struct claim claim = {.pool = &pool};
    struct positions *p;
    struct sdd_error err;
    char *text = malloc(BYTES);
    (void)state;
    memcpy(text, head, sizeof head - 1);
    for (int i = 0; i < N - 1; i++)
        memcpy(text + sizeof head - 1 + 2 * i, i % 2 ? "1," : "0,", 2);
    memcpy(text + BYTES - (sizeof tail - 1), tail, sizeof tail - 1);
    claim_enter(&claim);
    assert_int_equal(positions_from_json(text, BYTES, &p, &err), SDD_OK);
    claim_leave();
    assert_int_equal(p->ranges[0].n, N / 3);
    assert_true(p->ranges[0].points[N - 3] == 1 && p->ranges[0].points[N - 2] == 0 && p->ranges[0].points[1] == 1);
    assert_in_range(claim.drawn, 4 * N, 5 * BYTES);
    positions_free(p);
    claim_end(&claim);
    free(text);
}

/* Brackets in strings begin no arrays; a number in brackets does, wherever it stands. */
static void test_brackets(void **state)
{
    static const char text[] = "{\"name\":\"[1]\\\"[2,3]\\\\\",\"points\":[ 1 ,\n2e0, -3.5 ],\"faceVertexCounts\":[],"
                               "\"primvars\":[{\"name\":\"p\",\"interpolation\":\"constant\",\"values\":[7]}]}";
    struct mesh *m;
    struct sdd_error err = {0};
    (void)state;
    if (mesh_from_json(text, sizeof text - 1, &m, NULL, &err))
        fail_msg("%s", err.text);
    assert_string_equal(m->name, "[1]\"[2,3]\\");
    assert_true(m->points[0] == 1 && m->points[1] == 2 && m->points[2] == -3.5f);
    mesh_free(m);
    refused("{\"primvars\":[1]}", SDD_EINVALID, "primvars[0] is not an object");
    refused("{\"name\":[1]}", SDD_EINVALID, "name is not a string");
    refused("{\"points\":[[1],[2]]}", SDD_EINVALID, "points[0] is not a number");
    refused("[7]", SDD_EINVALID, "the body is not an object");
}

/* What a body may make the decoder hold is bounded, also by many empty pieces. */
static void test_caps(void **state)
{
    size_t n = 1 << 20;
    char *text = malloc(n);
    struct edit_batch *b;
    struct sdd_error err;
    (void)state;
    static const char one[] = "{\"removeFaces\":{\"ids\":[0]}}, ";
    const size_t length = sizeof one - 1;
    memcpy(text, "{\"edits\":[", 10);
    size_t at = 10;
    for (; at + 2 * length < n; at += length)
        memcpy(text + at, one, length);
    memcpy(text + at - 2, "]}", 2);
    assert_int_equal(edits_from_json(text, at, &b, &err), SDD_OK);
    assert_true(arena_used(b->arena) <= 4 * (int64_t)n + (1 << 20));
    edit_batch_free(b);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),     cmocka_unit_test(test_linear),    cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_mesh_errors), cmocka_unit_test(test_positions), cmocka_unit_test(test_octets),
        cmocka_unit_test(test_edits),       cmocka_unit_test(test_cost),      cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
