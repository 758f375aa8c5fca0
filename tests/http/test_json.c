/* SPDX-License-Identifier: Apache-2.0 */
/* A client that speaks JSON alone: it reads the cage, learns the ids, edits by them, and pushes what it got. */
#include "tests/http/daemon.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON "Content-Type: application/json\r\n"
#define FRAME "Accept: application/vnd.subdd.frame\r\n"

static struct daemon d;

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

/* Two quads, a triangle apart from them and a vertex alone, with everything that a mesh can have. */
static const char full[] =
    "{\"name\":\"full\",\"options\":{\"interpolateBoundary\":\"edgeOnly\",\"creaseMethod\":\"chaikin\"},"
    "\"points\":[0,0,0.1, 1,0,0, 2,0,0, 0,1,0, 1,1,1e-30, 2,1,-0.3333333, 5,0,0, 6,0,0, 5,1,0, 9,9,9],"
    "\"faceVertexCounts\":[4,3,4],\"faceVertexIndices\":[0,1,4,3, 6,7,8, 1,2,5,4],"
    "\"creaseIndices\":[3,4,5],\"creaseLengths\":[3],\"creaseSharpnesses\":[2.5],"
    "\"cornerIndices\":[8],\"cornerSharpnesses\":[1.25],\"holeIndices\":[1],"
    "\"st\":[0,0,1,0,1,1,0,1,0.5,0.7],\"stIndices\":[0,1,2,3, 4,4,4, 1,0,3,2],"
    "\"primvars\":[{\"name\":\"id\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[7,-8,2147483647]},"
    "{\"name\":\"map\",\"interpolation\":\"faceVarying\",\"width\":2,\"values\":[1,2,3,4],"
    "\"indices\":[0,1,1,0,0,0,1,1,1,0,0]}]}";

static void create(const char *body, size_t n, char id[256], char topology[256])
{
    struct answer a;
    http_ask(&d, "POST", "/v1/meshes", JSON, body, n, &a);
    if (a.status != 201)
        fail_msg("%s", a.body);
    answer_member(&a, "id", id);
    answer_member(&a, "topologyId", topology);
    answer_free(&a);
}

static void edit(const char *id, const char *body)
{
    struct answer a;
    char target[300];
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", id);
    http_ask(&d, "POST", target, JSON "If-Match: *\r\n", body, strlen(body), &a);
    if (a.status != 200)
        fail_msg("%s: %s", body, a.body);
    answer_free(&a);
}

static cJSON *cage(const char *id, const char *fields, struct answer *a)
{
    char value[64];
    ask_mesh(&d, id, "cage", fields, a);
    assert_int_equal(a->status, 200);
    assert_true(answer_field(a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "application/json");
    cJSON *o = cJSON_ParseWithOpts(a->body, NULL, 1);
    assert_non_null(o);
    return o;
}

static int number(const cJSON *o, const char *array, int row)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(o, array), row);
    assert_true(cJSON_IsNumber(item));
    return item->valueint;
}

static int count(const cJSON *o, const char *array)
{
    return cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(o, array));
}

/* The last bytes of a frame with positions alone are these; its header names the mesh. */
static void same_positions(const char *one, const char *other, const char *rest)
{
    struct answer a, b;
    ask_mesh(&d, one, rest, FRAME, &a);
    ask_mesh(&d, other, rest, FRAME, &b);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.bytes, b.bytes);
    assert_true(a.bytes > 12 * 20 + 512);
    assert_memory_equal(a.body + 512, b.body + 512, a.bytes - 512);
    answer_free(&a);
    answer_free(&b);
}

static void test_round_trip(void **state)
{
    char id[256], topology[256], again[256], same[256], tag[64];
    struct answer a, b;
    (void)state;
    create(full, strlen(full), id, topology);
    cJSON *o = cage(id, "", &a);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    assert_string_equal(tag, "\"1\"");
    assert_true(answer_field(&a, "Vary", tag, sizeof tag));
    assert_non_null(strstr(tag, "Accept"));
    assert_false(answer_field(&a, "Subdd-Warning", tag, sizeof tag)); /* Nothing is lost. */
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(o, "name")->valuestring, "full");
    create(a.body, a.bytes, again, same);
    assert_string_equal(topology, same);
    same_positions(id, again, "refined?level=3&include=positions");
    same_positions(id, again, "refined?level=2&surface=limit&include=positions,normals");
    cJSON *p = cage(again, "Accept: application/json\r\n", &b);
    assert_true(cJSON_Compare(o, p, 1)); /* The primvars with them. */
    cJSON_Delete(o);
    cJSON_Delete(p);
    answer_free(&a);
    answer_free(&b);
}

/* After an element is gone ids are not rows any more, and edits take ids. */
static void test_edits_by_learned_ids(void **state)
{
    char id[256], topology[256], body[200];
    struct answer a;
    (void)state;
    create(full, strlen(full), id, topology);
    edit(id, "{\"edits\":[{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0,3]}}]}");
    cJSON *o = cage(id, "", &a);
    answer_free(&a);
    assert_int_equal(count(o, "vertexIds"), 8);
    assert_int_equal(count(o, "faceIds"), 2);
    const int face = 1, at = 3; /* The quad that is left begins behind the triangle's three corners. */
    const int from = number(o, "faceVertexIndices", at), to = number(o, "faceVertexIndices", at + 1);
    assert_true(number(o, "vertexIds", from) != from && number(o, "faceIds", face) != face);
    snprintf(body, sizeof body, "{\"edits\":[{\"setCreases\":{\"edges\":[%d,%d],\"sharpnesses\":[3.5]}}]}",
             number(o, "vertexIds", from), number(o, "vertexIds", to));
    edit(id, body);
    snprintf(body, sizeof body,
             "{\"edits\":[{\"setHoles\":{\"ids\":[%d],\"hole\":false}},"
             "{\"setCorners\":{\"ids\":[%d],\"sharpnesses\":[4]}}]}",
             number(o, "faceIds", 0), number(o, "vertexIds", to));
    edit(id, body);
    cJSON_Delete(o);
    o = cage(id, "", &a);
    answer_free(&a);
    assert_int_equal(count(o, "holeIndices"), 0);
    assert_int_equal(number(o, "cornerIndices", 0), to);
    int creased = 0;
    for (int i = 0; i < count(o, "creaseSharpnesses"); i++) {
        const int one = number(o, "creaseIndices", 2 * i), other = number(o, "creaseIndices", 2 * i + 1);
        assert_int_equal(number(o, "creaseLengths", i), 2);
        creased += (one == from && other == to) || (one == to && other == from);
    }
    assert_int_equal(creased, 1);
    cJSON_Delete(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_edits_by_learned_ids)};
    return cmocka_run_group_tests_name("http/json", tests, start, stop);
}
