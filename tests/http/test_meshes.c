/* SPDX-License-Identifier: Apache-2.0 */
/* Create, list, show, read back, delete; and bodies that are wrong, each with its code, its field and no trace left. */
#include "subdd.pb-c.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define JSON "Content-Type: application/json\r\n"
#define OBJ "Content-Type: model/obj\r\n"
#define PROTO "Content-Type: application/protobuf\r\n"
#define JSON_QUAD "{\"points\":[0,0,0,1,0,0,1,1,0,0,1,0],\"faceVertexCounts\":[4],\"faceVertexIndices\":[0,1,2,3]"

static void post(const char *query, const char *type, const void *body, size_t n, struct answer *a)
{
    char target[320];
    snprintf(target, sizeof target, "/v1/meshes%s", query);
    http_ask(&d, "POST", target, type, body, n, a);
}

static void test_create(void **state)
{
    struct answer a, b;
    char id[256], value[256], target[96];
    (void)state;
    post("?name=my.cube-1", OBJ, CUBE, strlen(CUBE), &a);
    assert_int_equal(a.status, 201);
    answer_member(&a, "id", id);
    assert_int_equal(strlen(id), 18);
    assert_memory_equal(id, "m_", 2);
    snprintf(target, sizeof target, "/v1/meshes/%.18s", id);
    assert_true(answer_field(&a, "Location", value, sizeof value));
    assert_string_equal(value, target);
    assert_true(answer_field(&a, "ETag", value, sizeof value));
    assert_string_equal(value, "\"1\"");
    assert_true(answer_field(&a, "Server-Timing", value, sizeof value));
    assert_non_null(strstr(value, "commit;dur="));
    assert_string_equal(answer_member(&a, "name", value), "my.cube-1");
    assert_string_equal(answer_member(&a, "residency", value), "device");
    assert_string_equal(answer_member(&a, "subdivisionScheme", value), "catmullClark");
    assert_int_equal(strlen(answer_member(&a, "topologyId", value)), 32);
    assert_int_equal(answer_number(&a, "vertices"), 8);
    assert_int_equal(answer_number(&a, "faces"), 6);
    assert_int_equal(answer_number(&a, "corners"), 24);
    assert_int_equal(answer_number(&a, "edges"), 12);
    http_get(&d, target, &b);
    assert_int_equal(b.status, 200);
    assert_string_equal(a.body, b.body);
    answer_free(&b);
    http_ask(&d, "GET", target, "If-None-Match: \"0\", \"1\"\r\n", NULL, 0, &b);
    assert_int_equal(b.status, 304);
    answer_free(&b);
    static const char *const as[] = {"application/protobuf", "\"1-pb\""}; /* other bytes, another tag */
    char fields[128];
    snprintf(fields, sizeof fields, "Accept: %s\r\nIf-None-Match: \"1\"\r\n", as[0]);
    http_ask(&d, "GET", target, fields, NULL, 0, &b);
    assert_int_equal(b.status, 200);
    assert_true(answer_field(&b, "ETag", value, sizeof value));
    assert_string_equal(value, as[1]);
    answer_free(&b);
    char cage[160];
    snprintf(cage, sizeof cage, "%s/cage", target);
    snprintf(fields, sizeof fields, "Accept: %s\r\nIf-None-Match: %s\r\n", as[0], as[1]);
    http_ask(&d, "GET", cage, fields, NULL, 0, &b);
    assert_int_equal(b.status, 304);
    answer_free(&b);
    http_ask(&d, "DELETE", target, "If-Match: \"7-pb\"\r\n", NULL, 0, &b);
    assert_problem(&b, 412, "version_mismatch", "if-match");
    answer_free(&b);
    answer_free(&a);
    post("", OBJ, CUBE, strlen(CUBE), &a); /* the name is the id when nobody gives one */
    assert_string_equal(answer_member(&a, "name", value), answer_member(&a, "id", id));
    answer_free(&a);
}

/* Options: the query wins over the file's tags, and those over the defaults. */
static void test_options(void **state)
{
    struct answer a;
    char value[256], obj[1024];
    (void)state;
    snprintf(obj, sizeof obj, "%st interpolateboundary 1/0/0 2\n", CUBE);
    post("", OBJ, obj, strlen(obj), &a);
    assert_int_equal(a.status, 201);
    assert_string_equal(answer_member(&a, "interpolateBoundary", value), "edgeOnly");
    answer_free(&a);
    post("?interpolate_boundary=edgeAndCorner&orientation=leftHanded", OBJ, obj, strlen(obj), &a);
    assert_int_equal(a.status, 201);
    assert_string_equal(answer_member(&a, "interpolateBoundary", value), "edgeAndCorner");
    assert_string_equal(answer_member(&a, "orientation", value), "leftHanded");
    answer_free(&a);
    post("?interpolate_boundary=sometimes", OBJ, obj, strlen(obj), &a);
    assert_problem(&a, 400, "invalid_argument", "interpolate_boundary");
    assert_non_null(strstr(a.body, "edgeAndCorner"));
    answer_free(&a);
}

static void test_json_and_protobuf(void **state)
{
    Subdd__V1__MeshInfo *info;
    struct answer json, proto, cage, again;
    char id[256], target[96];
    (void)state;
    post("", JSON "Accept: application/protobuf\r\n", JSON_QUAD "}", strlen(JSON_QUAD) + 1, &json);
    assert_int_equal(json.status, 201);
    info = subdd__v1__mesh_info__unpack(NULL, json.bytes, (uint8_t *)json.body);
    assert_non_null(info);
    assert_int_equal(info->vertices, 4);
    assert_int_equal(info->edges, 4);
    assert_int_equal(info->version, 1);
    assert_string_equal(info->options->interpolate_boundary, "edgeAndCorner");
    snprintf(target, sizeof target, "/v1/meshes/%s/cage", info->id);
    http_ask(&d, "GET", target, "Accept: application/protobuf\r\n", NULL, 0, &cage);
    assert_int_equal(cage.status, 200);
    Subdd__V1__Mesh *mesh = subdd__v1__mesh__unpack(NULL, cage.bytes, (uint8_t *)cage.body);
    assert_non_null(mesh);
    assert_int_equal(mesh->vertex_ids.len, 16);
    subdd__v1__mesh__free_unpacked(mesh, NULL);
    post("", PROTO, cage.body, cage.bytes, &proto); /* what it answers can be pushed again as it is */
    if (proto.status != 201)
        print_message("%s\n", proto.body);
    assert_int_equal(proto.status, 201);
    char topology[256];
    assert_string_equal(answer_member(&proto, "topologyId", topology), info->topology_id);
    snprintf(target, sizeof target, "/v1/meshes/%s/cage", answer_member(&proto, "id", id));
    http_ask(&d, "GET", target, "Accept: model/obj\r\n", NULL, 0, &again);
    assert_int_equal(again.status, 200);
    assert_non_null(strstr(again.body, "f 1 2 3 4"));
    subdd__v1__mesh_info__free_unpacked(info, NULL);
    answer_free(&json);
    answer_free(&proto);
    answer_free(&cage);
    answer_free(&again);
}

static void test_list_and_delete(void **state)
{
    char ids[5][32], target[256], after[64] = "", value[256], last[256] = "";
    struct answer a;
    int seen = 0, pages = 0;
    (void)state;
    for (int i = 0; i < 5; i++)
        create_cube(&d, ids[i]);
    do { /* every mesh once, in order, over pages */
        snprintf(target, sizeof target, "/v1/meshes?limit=3%s%s", *after ? "&after=" : "", after);
        http_get(&d, target, &a);
        assert_int_equal(a.status, 200);
        int here = 0;
        for (const char *s = a.body; (s = strstr(s, "\"id\":\"")); s += 6, here++) {
            snprintf(value, sizeof value, "%.18s", s + 6);
            assert_true(strcmp(last, value) < 0);
            memcpy(last, value, sizeof last);
            for (int i = 0; i < 5; i++)
                seen += strcmp(value, ids[i]) == 0;
        }
        assert_true(here <= 3);
        snprintf(after, sizeof after, "%s", answer_member(&a, "next", value));
        answer_free(&a);
    } while (*after && ++pages < 100);
    assert_int_equal(seen, 5);
    snprintf(target, sizeof target, "/v1/meshes/%s", ids[0]);
    http_ask(&d, "DELETE", target, "If-Match: \"2\"\r\n", NULL, 0, &a);
    assert_problem(&a, 412, "version_mismatch", "if-match");
    assert_int_equal(answer_number(&a, "currentVersion"), 1);
    answer_free(&a);
    http_ask(&d, "DELETE", target, "If-Match: 1\r\n", NULL, 0, &a);
    assert_problem(&a, 400, "invalid_argument", "if-match");
    answer_free(&a);
    for (int i = 0; i < 5; i++) {
        snprintf(target, sizeof target, "/v1/meshes/%s", ids[i]);
        http_ask(&d, "DELETE", target, i ? "" : "If-Match: \"1\"\r\n", NULL, 0, &a);
        assert_int_equal(a.status, 204);
        assert_int_equal(a.bytes, 0);
        answer_free(&a);
        http_get(&d, target, &a);
        assert_problem(&a, 404, "not_found", NULL);
        answer_free(&a);
        http_ask(&d, "DELETE", target, "", NULL, 0, &a);
        assert_problem(&a, 404, "not_found", NULL);
        answer_free(&a);
    }
}

static const char quad[] = JSON_QUAD "}";
struct bad {
    const char *query, *type, *body;
    int status;
    const char *code, *field;
};
static const struct bad bad[] = {
    {"", "", quad, 415, "unsupported_media_type", "content-type"},
    {"", "Content-Type: application/x-www-form-urlencoded\r\n", quad, 415, "unsupported_media_type", "content-type"},
    {"?name=a%0ab", JSON, quad, 400, "invalid_argument", "name"},
    {"?name=a%20", JSON, quad, 400, "invalid_argument", "name"},
    {"?name=", JSON, quad, 400, "invalid_argument", "name"},
    {"?name=a&name=b", JSON, quad, 400, "invalid_argument", "name"},
    {"?scheme=doosabin", JSON, quad, 400, "invalid_argument", NULL},
    {"?strict=yes", JSON, quad, 400, "invalid_argument", "strict"},
    {"?shceme=loop", JSON, quad, 400, "invalid_argument", "shceme"},
    {"", JSON, "", 400, "malformed", NULL},
    {"", JSON, "{", 400, "malformed", NULL},
    {"", JSON, "{} x", 400, "malformed", NULL},
    {"", JSON, "[1]", 400, "invalid_argument", NULL},
    {"", JSON, "{\"points\":[00012]}", 400, "malformed", NULL},
    {"", JSON, "{\"points\":[1e999,0,0]}", 400, NULL, NULL},
    {"", JSON, "{\"points\":\"many\"}", 400, "invalid_argument", NULL},
    {"", JSON, "{\"pionts\":[]}", 400, "invalid_argument", "pionts"},
    {"", JSON, JSON_QUAD ",\"faceVertexCounts\":[4]}", 400, NULL, NULL},
    {"", JSON, JSON_QUAD ",\"options\":{\"subdivisionScheme\":\"none\"}}", 400, "invalid_argument", NULL},
    {"?strict=true", JSON, JSON_QUAD ",\"creaseIndices\":[0,1],\"creaseLengths\":[2],\"creaseSharpnesses\":[-1]}", 422,
     "invalid_mesh", NULL},
    {"?strict=true", JSON, JSON_QUAD ",\"creaseIndices\":[0,2],\"creaseLengths\":[2],\"creaseSharpnesses\":[1]}", 422,
     "invalid_mesh", NULL},
    {"?strict=true", JSON, JSON_QUAD ",\"cornerIndices\":[9],\"cornerSharpnesses\":[1]}", 422, "invalid_mesh", NULL},
    {"?strict=true", JSON, JSON_QUAD ",\"holeIndices\":[1]}", 422, "invalid_mesh", NULL},
    {"", JSON, "{\"points\":[0,0],\"faceVertexCounts\":[],\"faceVertexIndices\":[]}", 422, "invalid_mesh", NULL},
    {"", JSON, "{\"points\":[0,0,0,1,0,0,1,1,0],\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,3]}", 422,
     "invalid_mesh", NULL},
    {"", JSON, "{\"points\":[0,0,0,1,0,0,1,1,0],\"faceVertexCounts\":[2],\"faceVertexIndices\":[0,1]}", 422,
     "invalid_mesh", NULL},
    {"", JSON, "{\"points\":[0,0,0,1,0,0,1,1,0],\"faceVertexCounts\":[4],\"faceVertexIndices\":[0,1,2]}", 422,
     "invalid_mesh", NULL},
    {"", JSON, "{\"points\":[0,0,0,1,0,0,1,1e31,0],\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,2]}", 422,
     "invalid_mesh", NULL},
    {"", OBJ, "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 422, "invalid_mesh", "points"},
    {"", OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", 422, NULL, NULL},
    {"?strict=true", OBJ, "v 0 0 0\nf 1 1 1\nt swirl 1/0/0 3\n", 422, NULL, NULL},
    {"", OBJ, "v 0 0 0\nf 1 1 1\nt vertexedit 1/1/0 0 1\n", 422, "unsupported", "obj"},
    {"", OBJ, "\xff\xfe\x00", 400, "malformed", NULL},
    {"", PROTO, "\x1a\xff\xff\xff\xff\x0f", 400, "malformed", NULL},
    {"", PROTO, "\xff\xff\xff", 400, "malformed", NULL},
};

static void test_bad_input(void **state)
{
    struct answer before, a, after;
    (void)state;
    http_get(&d, "/v1/meshes?limit=1000", &before);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct bad *b = &bad[i];
        char code[256];
        post(b->query, b->type, b->body, strlen(b->body), &a);
        if (a.status != b->status)
            print_message("row %zu: %s %s\n", i, b->query, b->body);
        assert_problem(&a, b->status, b->code ? b->code : answer_member(&a, "code", code), b->field);
        answer_free(&a);
    }
    http_get(&d, "/v1/meshes?limit=1000", &after);
    assert_string_equal(before.body, after.body);
    answer_free(&before);
    answer_free(&after);
}

/* RELIABILITY section 5: a megabyte of what protobuf-c would merge for half a minute is refused by the scan, at
 * once. */
static void test_hostile_protobuf(void **state)
{
    size_t n = 1 << 20;
    unsigned char *body = malloc(n);
    struct answer a;
    (void)state;
    for (size_t i = 0; i + 2 <= n; i += 2) { /* `options` again and again */
        body[i] = 0x12;
        body[i + 1] = 0;
    }
    post("", PROTO, body, n, &a);
    assert_problem(&a, 400, "malformed", NULL);
    assert_true(a.seconds < 1);
    answer_free(&a);
    free(body);
}

static void test_idempotent_create(void **state)
{
    struct answer a, b;
    char first[256], second[256], value[256];
    (void)state;
    post("", OBJ "Idempotency-Key: k-1\r\n", CUBE, strlen(CUBE), &a);
    assert_int_equal(a.status, 201);
    post("", OBJ "Idempotency-Key: k-1\r\n", CUBE, strlen(CUBE), &b);
    assert_int_equal(b.status, 201);
    assert_string_equal(a.body, b.body);
    assert_true(answer_field(&a, "Location", first, sizeof first) &&
                answer_field(&b, "Location", second, sizeof second));
    assert_string_equal(first, second);
    assert_true(answer_field(&b, "Idempotency-Replayed", value, sizeof value));
    answer_free(&b);
    post("?name=x", OBJ "Idempotency-Key: k-1\r\n", CUBE, strlen(CUBE), &b);
    assert_problem(&b, 422, "idempotency_key_reused", NULL);
    answer_free(&b);
    post("", OBJ "Idempotency-Key: a b\r\n", CUBE, strlen(CUBE), &b);
    assert_problem(&b, 400, "invalid_argument", "idempotency-key");
    answer_free(&b);
    answer_free(&a);
}

/* A limit that a request passes is in the answer as a number. */
static void test_limits_are_numbers(void **state)
{
    char deep[64], long_name[300] = "?name=", key[400] = OBJ "Idempotency-Key: ", body[400];
    struct answer a;
    (void)state;
    memset(long_name + 6, 'n', 256);
    post(long_name, OBJ, CUBE, strlen(CUBE), &a);
    assert_problem(&a, 400, "invalid_argument", "name");
    assert_int_equal(answer_number(&a, "limit"), 255);
    answer_free(&a);
    snprintf(body, sizeof body, "{\"name\":\"%s\"}", long_name + 6);
    post("", JSON, body, strlen(body), &a);
    assert_problem(&a, 400, "invalid_argument", "name");
    assert_int_equal(answer_number(&a, "limit"), 255);
    answer_free(&a);
    memset(deep, '[', 17);
    post("", JSON, deep, 17, &a);
    assert_problem(&a, 400, "malformed", "body");
    assert_int_equal(answer_number(&a, "limit"), 16);
    answer_free(&a);
    size_t n = strlen(key);
    memset(key + n, 'k', 256);
    memcpy(key + n + 256, "\r\n", 3);
    post("", key, CUBE, strlen(CUBE), &a);
    assert_problem(&a, 400, "invalid_argument", "idempotency-key");
    assert_int_equal(answer_number(&a, "limit"), 255);
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_create),
                                       cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_json_and_protobuf),
                                       cmocka_unit_test(test_list_and_delete),
                                       cmocka_unit_test(test_bad_input),
                                       cmocka_unit_test(test_hostile_protobuf),
                                       cmocka_unit_test(test_limits_are_numbers),
                                       cmocka_unit_test(test_idempotent_create)};
    return cmocka_run_group_tests_name("http/meshes", tests, start, stop);
}
