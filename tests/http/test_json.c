/* SPDX-License-Identifier: Apache-2.0 */
/* A client that speaks JSON alone: it reads the cage, learns the ids, edits by them, and pushes what it got. What else
 * the daemon writes as JSON (problems, its log) has the same words, and the page that problems point to is there. */
#include "gpu/sdd/sdd.h"
#include "tests/http/daemon.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JSON "Content-Type: application/json\r\n"

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
    ask_mesh(&d, one, rest, ACCEPT_FRAME, &a);
    ask_mesh(&d, other, rest, ACCEPT_FRAME, &b);
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
    assert_string_equal(a.body, b.body);
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

/* No member of an object has a '_' in its name, however deep it lies. */
static void assert_camel_case(const cJSON *o)
{
    for (const cJSON *item = o->child; item; item = item->next) {
        if (item->string && strchr(item->string, '_'))
            fail_msg("the member %s", item->string);
        assert_camel_case(item);
    }
}

static void test_problems(void **state)
{
    static const struct {
        const char *method, *rest, *fields, *body, *code, *member;
    } rows[] = {
        {"GET", "refined?level=99", "", NULL, "invalid_argument", "limit"},
        {"DELETE", "", "If-Match: \"9\"\r\n", NULL, "version_mismatch", "currentVersion"},
        {"POST", "edits", JSON, "{}", "precondition_required", "field"},
        {"GET", "cage", "Accept: image/png\r\n", NULL, "not_acceptable", "detail"},
    };
    char id[32], target[128], type[96];
    (void)state;
    create_cube(&d, id);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct answer a;
        snprintf(target, sizeof target, "/v1/meshes/%s%s%s", id, *rows[i].rest ? "/" : "", rows[i].rest);
        http_ask(&d, rows[i].method, target, rows[i].fields, rows[i].body, rows[i].body ? strlen(rows[i].body) : 0, &a);
        cJSON *o = cJSON_ParseWithOpts(a.body, NULL, 1);
        assert_non_null(o);
        assert_camel_case(o);
        snprintf(type, sizeof type, "/docs/errors#%s", rows[i].code);
        assert_string_equal(cJSON_GetObjectItemCaseSensitive(o, "type")->valuestring, type);
        assert_non_null(cJSON_GetObjectItemCaseSensitive(o, rows[i].member));
        cJSON_Delete(o);
        answer_free(&a);
    }
}

/* A problem of a daemon that is busy says after how many milliseconds to ask again. */
static void test_retry(void **state)
{
    static const char *const options[] = {"--max-inflight-bytes", "65536", NULL};
    struct daemon small = {0};
    struct answer a;
    (void)state;
    daemon_start(&small, options);
    int fd = http_connect(&small);
    static const char head[] = "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\n"
                               "Content-Length: 60000\r\n\r\nv";
    http_send(fd, head, sizeof head - 1);
    for (int i = 0; i < 100; i++) { /* The first byte of that body reserves memory for it. */
        char *body = calloc(1, 50000);
        http_ask(&small, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", body, 50000, &a);
        free(body);
        if (a.status == 503)
            break;
        answer_free(&a);
    }
    assert_problem(&a, 503, "busy", "body");
    assert_int_equal(answer_number(&a, "retryAfterMs"), 1000);
    answer_free(&a);
    close(fd);
    daemon_stop(&small);
}

/* Every error has an entry, under the anchor that `type` names; its page needs no token. */
static void test_page_of_errors(void **state)
{
    struct answer a;
    char text[400];
    int n = 0;
    (void)state;
    http_get(&d, "/docs/errors", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Content-Type", text, sizeof text));
    assert_string_equal(text, "text/html");
    for (int code = SDD_ERR_FIRST_ + 1; code < SDD_ERR_LAST_; code++, n++) {
        snprintf(text, sizeof text, "<section id=\"%s\">\n<h2>%s</h2>\n<p>Status %d: %s.</p>\n<p>What to do: %s.",
                 sdd_err_code(code), sdd_err_code(code), sdd_err_http(code), sdd_err_title(code), sdd_err_advice(code));
        assert_non_null(strstr(a.body, text));
        assert_true(strlen(sdd_err_advice(code)) > 15);
    }
    assert_true(n > 25);
    answer_free(&a);
    http_ask(&d, "GET", "/docs/errors", "Accept: application/json\r\n", NULL, 0, &a);
    assert_problem(&a, 406, "not_acceptable", "accept");
    assert_non_null(strstr(a.body, "text/html"));
    answer_free(&a);
    http_ask(&d, "POST", "/docs/errors", "", NULL, 0, &a);
    assert_problem(&a, 405, "method_not_allowed", NULL);
    answer_free(&a);
}

static void test_log(void **state)
{
    char path[96], line[4096];
    int n = 0, counted = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/log", d.dir);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        cJSON *o = cJSON_ParseWithOpts(line, NULL, 0);
        assert_non_null(o);
        assert_camel_case(o);
        counted += cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(o, "bytesIn")) &&
                   cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(o, "bytesOut"));
        n++;
        cJSON_Delete(o);
    }
    fclose(f);
    assert_true(n > 10 && counted > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_edits_by_learned_ids), cmocka_unit_test(test_problems),
        cmocka_unit_test(test_retry),      cmocka_unit_test(test_page_of_errors),       cmocka_unit_test(test_log)};
    return cmocka_run_group_tests_name("http/json", tests, start, stop);
}
