/* SPDX-License-Identifier: Apache-2.0 */
/* USDA files over HTTP and by subd: one Mesh of several, the list in a refusal, each Mesh pushed, and time. */
#include "client/lib/subd.h"
#include "tests/http/imports.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUAD(x)                                                                                                        \
    "int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]\n"                                           \
    "point3f[] points = [(" #x ", 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n"
static const char several[] = "#usda 1.0\ndef Xform \"T\" {\n def Mesh \"Top\" {" QUAD(7) "}\n def Mesh \"Bad\" {" QUAD(
    nan) "}\n def Mesh \"Leg\" {" QUAD(8) "uniform token subdivisionScheme = \"none\"\n}\n}\n";
static const char one[] = "#usda 1.0\ndef Xform \"T\" { def Mesh \"Top\" {" QUAD(7) "} }\n";
static const char moving[] =
    "#usda 1.0\ndef Mesh \"m\" {\nint[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]\n"
    "point3f[] points.timeSamples = {\n 1: [(1, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],\n"
    " 2: [(2, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)] }\n}\n";

static int start(void **state)
{
    import_start(state);
    write_text(served.dir, "several.usda", several);
    write_text(served.dir, "one.usda", one);
    write_text(served.dir, "moving.usda", moving);
    write_text(served.dir, "text.usd", one);
    return 0;
}

static void push(const char *query, const char *text, struct answer *a)
{
    char target[200];
    (void)snprintf(target, sizeof target, "/v1/meshes?%s", query);
    http_ask(&served, "POST", target, "Content-Type: model/vnd.usda\r\n", text, strlen(text), a);
}

/* The first x of the cage of the mesh that was just pushed. */
static double first_x(const char *id)
{
    struct answer a;
    ask_mesh(&served, id, "cage", "", &a);
    cJSON *o = cJSON_ParseWithOpts(a.body, NULL, 1);
    const double x = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "points"), 0)->valuedouble;
    cJSON_Delete(o);
    answer_free(&a);
    return x;
}

static void pushes(const char *query, const char *text, double x, const char *name)
{
    char id[256], got[256];
    struct answer a;
    push(query, text, &a);
    if (a.status != 201)
        fail_msg("%s: %s", query, a.body);
    assert_string_equal(answer_member(&a, "name", got), name);
    assert_true(first_x(answer_member(&a, "id", id)) == x);
    answer_free(&a);
}

static void test_prim(void **state)
{
    struct answer a;
    (void)state;
    pushes("prim=/T/Top", several, 7, "/T/Top");
    pushes("prim=Top&name=t", several, 7, "t");
    pushes("prim=%2FT%2FLeg&scheme=bilinear", several, 8, "/T/Leg");
    pushes("", one, 7, "/T/Top");
    push("prim=/T/Leg", several, &a);
    assert_problem(&a, 400, "invalid_argument", "usda");
    assert_non_null(strstr(a.body, "?scheme=catmullClark"));
    answer_free(&a);
    push("prim=/T", several, &a);
    assert_problem(&a, 400, "invalid_argument", "prim");
    answer_free(&a);
    http_ask(&served, "POST", "/v1/meshes?prim=/a", "Content-Type: model/obj\r\n", CUBE, strlen(CUBE), &a);
    assert_problem(&a, 400, "invalid_argument", "prim");
    answer_free(&a);
}

/* A file of several is refused with all of them: in JSON, in protobuf by libsubd, and in words. */
static void test_list(void **state)
{
    char url[64];
    struct answer a;
    struct subd_error err;
    struct subd_prim prim;
    subd_client *client;
    const struct subd_body body = {"model/vnd.usda", several, sizeof several - 1},
                           single = {"model/vnd.usda", one, sizeof one - 1};
    (void)state;
    push("", several, &a);
    assert_problem(&a, 400, "invalid_argument", "prim");
    cJSON *o = cJSON_ParseWithOpts(a.body, NULL, 1), *row = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "prims"), 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "prims")), 3);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(row, "path")), "/T/Leg");
    assert_true(cJSON_GetObjectItem(row, "vertices")->valuedouble == 4 &&
                cJSON_GetObjectItem(row, "faces")->valuedouble == 1);
    cJSON_Delete(o);
    answer_free(&a);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
    assert_int_equal(subd_prim(client, 0, &prim), 0);
    assert_int_equal(subd_push(client, &body, NULL, NULL, &err), SUBD_EHTTP);
    assert_int_equal(subd_prim(client, 1, &prim), 1);
    assert_string_equal(prim.path, "/T/Bad");
    assert_int_equal(prim.vertices * 10 + prim.faces, 41);
    assert_int_equal(subd_prim(client, 3, &prim) + subd_prim(client, -1, &prim), 0);
    assert_int_equal(subd_push(client, &single, NULL, NULL, &err), SUBD_OK);
    assert_int_equal(subd_prim(client, 0, &prim), 0);
    assert_int_equal(subd_push(client, &body, NULL, NULL, &err), SUBD_EHTTP);
    subd_close(client);
    struct ran r = RUN("push", "several.usda");
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, "\n  /T/Top: 4 vertices, 1 faces\n  /T/Bad: 4 vertices, 1 faces\n  /T/Leg: "));
    ran_free(&r);
    o = ran_json(RUN("push", "several.usda", "--json"), 4);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "error"), "prims")), 3);
    cJSON_Delete(o);
}

/* Many Meshes: subd shows the first of them, and the list is bounded. */
static void test_long_list(void **state)
{
    char *text = malloc(8000000), *at = text;
    struct answer a;
    (void)state;
    at += snprintf(at, 1000, "#usda 1.0\n");
    for (int i = 0; i < 40000; i++)
        at += snprintf(at, 1000, "def Mesh \"m%d\" {%s}\n", i, i < 30 ? QUAD(1) : "");
    write_text(served.dir, "many.usda", text);
    push("", text, &a);
    assert_problem(&a, 400, "invalid_argument", "prim");
    cJSON *o = cJSON_ParseWithOpts(a.body, NULL, 1);
    const int listed = cJSON_GetArraySize(cJSON_GetObjectItem(o, "prims"));
    assert_true(listed > 20000 && listed < 30000);
    assert_int_equal(answer_number(&a, "needed"), 40000);
    assert_int_equal(answer_number(&a, "limit"), listed);
    cJSON_Delete(o);
    answer_free(&a);
    struct ran r = RUN("push", "many.usda");
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, "  /m19: 4 vertices, 1 faces\n  and "));
    ran_free(&r);
    free(text);
}

/* Each Mesh becomes one; one that is refused does not stop the others. */
static void test_all(void **state)
{
    (void)state;
    struct ran r = RUN("push", "--all", "several.usda", "--scheme", "catmullClark");
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.out, "  /T/Top\n"));
    assert_non_null(strstr(r.out, "  /T/Leg\n"));
    assert_null(strstr(r.out, "/T/Bad"));
    assert_non_null(strstr(r.err, "subd: /T/Bad: line 9: points[0] is not finite"));
    ran_free(&r);
    r = RUN("push", "--all", "one.usda");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "  /T/Top\n"));
    ran_free(&r);
    cJSON *o = ran_json(RUN("push", "--all", "several.usda", "--json"), 4);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "meshes")), 3);
    cJSON_Delete(o);
    write_text(served.dir, "cube.obj", CUBE);
    ran_fails(RUN("push", "--all", "cube.obj"), 2, "--all is for files of several meshes");
    ran_expect(RUN("push", "text.usd"), 0);
    ran_expect(RUN("push", "--prim", "/T/Top", "several.usda"), 0);
}

static void test_time(void **state)
{
    char id[256], pose[300], target[300];
    struct answer a;
    (void)state;
    pushes("time=2", moving, 2, "/m");
    pushes("time=1.5&strict=true", moving, 1, "/m");
    push("", moving, &a);
    assert_int_equal(a.status, 201);
    (void)answer_member(&a, "id", id);
    assert_true(answer_field(&a, "Subdd-Warning", pose, sizeof pose));
    assert_non_null(strstr(pose, "points has 2 time samples, of which the first is taken, at 1;"));
    answer_free(&a);
    push("strict=true", moving, &a);
    assert_problem(&a, 422, "invalid_mesh", "timeSamples");
    answer_free(&a);
    push("time=soon", moving, &a);
    assert_problem(&a, 400, "invalid_argument", "time");
    answer_free(&a);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/positions?time=2&prim=/m", id);
    http_ask(&served, "PUT", target, "Content-Type: model/vnd.usda\r\n", moving, strlen(moving), &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    assert_true(first_x(id) == 2);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=1&time=0&prim=m", id);
    http_ask(&served, "POST", target, "Content-Type: model/vnd.usda\r\nAccept: model/obj\r\n", moving, strlen(moving),
             &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    ran_expect(RUN("push", "moving.usda", "--time", "2"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prim), cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_long_list), cmocka_unit_test(test_all),
                                       cmocka_unit_test(test_time)};
    return cmocka_run_group_tests(tests, start, import_stop);
}
