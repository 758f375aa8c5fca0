/* SPDX-License-Identifier: Apache-2.0 */
/* Cages in OBJ and USDA, over HTTP and with subd: what goes in comes out, and what a format cannot carry is named. */
#include "tests/env.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)
#define USDA "Content-Type: model/vnd.usda\r\n"

static struct daemon d;

static int start(void **state)
{
    char url[64];
    (void)state;
    daemon_start(&d, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    setenv("SUBD_SERVER", url, 1);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

/* Runs to this exit code, with this on stderr. */
static void expect(struct ran r, int code, const char *says)
{
    if (r.code != code || strcmp(r.err, says) != 0)
        fail_msg("exit code %d, stderr \"%s\"; wanted %d, \"%s\"", r.code, r.err, code, says);
    ran_free(&r);
}

static void put(char path[96], const char *name, const char *text)
{
    snprintf(path, 96, "%s/%s", d.dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void topology_of(const char *id, char out[256])
{
    char target[128];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/%.64s", id);
    http_get(&d, target, &a);
    assert_int_equal(a.status, 200);
    answer_member(&a, "topologyId", out);
    answer_free(&a);
}

static const char quad[] =
    "#usda 1.0\ndef Xform \"w\" {\n  double3 xformOp:translate = (1, 2, 3)\n  uniform token[] xformOpOrder = "
    "[\"xformOp:translate\"]\n  def Mesh \"m\" {\n"
    "    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n    int[] faceVertexCounts = [4]\n"
    "    int[] faceVertexIndices = [0, 1, 2, 3]\n    custom int odd = 1\n  }\n}\n";

static void test_http(void **state)
{
    static const char warning[] = "line 9: the property odd of the Mesh is not kept",
                      broken[] = "#usda 1.0\ndef Mesh \"m\" {\n  point3f[] points = []\n  int[] holeIndices = [x]\n}";
    char id[256], target[300], value[256], value2[256];
    struct answer a, b;
    (void)state;
    http_ask(&d, "POST", "/v1/meshes", USDA "Idempotency-Key: u\r\n", quad, strlen(quad), &a);
    assert_int_equal(a.status, 201);
    assert_true(answer_field(&a, "Subdd-Warning", value, sizeof value));
    assert_string_equal(value, warning);
    http_ask(&d, "POST", "/v1/meshes", USDA "Idempotency-Key: u\r\n", quad, strlen(quad), &b); /* the answer again */
    assert_string_equal(a.body, b.body);
    assert_true(answer_field(&b, "Subdd-Warning", value, sizeof value));
    assert_string_equal(value, warning);
    answer_member(&a, "id", id);
    answer_free(&a);
    answer_free(&b);
    snprintf(target, sizeof target, "/v1/meshes/%s/cage", id);
    http_ask(&d, "GET", target, "Accept: model/vnd.usda\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "model/vnd.usda");
    assert_true(answer_field(&a, "ETag", value, sizeof value));
    assert_string_equal(value, "\"1-usda\"");
    assert_non_null(strstr(a.body, "(1, 2, 3, 1))"));
    assert_false(answer_field(&a, "Subdd-Warning", value, sizeof value));
    http_ask(&d, "POST", "/v1/meshes", USDA, a.body, a.bytes, &b);
    assert_int_equal(b.status, 201);
    assert_false(answer_field(&b, "Subdd-Warning", value, sizeof value));
    topology_of(id, value);
    assert_string_equal(answer_member(&b, "topologyId", value2), value);
    answer_free(&b);
    snprintf(target, sizeof target, "/v1/meshes/%s/positions", id);
    http_ask(&d, "PUT", target, USDA "If-Match: \"1-usda\"\r\n", a.body, a.bytes, &b);
    assert_int_equal(answer_number(&b, "version"), 2);
    answer_free(&a);
    answer_free(&b);
    http_ask(&d, "POST", "/v1/meshes", USDA, broken, strlen(broken), &a);
    assert_problem(&a, 400, "malformed", "usda");
    assert_non_null(strstr(a.body, "line 4: \\\"x\\\" where a 32-bit integer of holeIndices[0] is wanted"));
    answer_free(&a);
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: model/stl\r\n", "solid", 5, &a);
    assert_problem(&a, 415, "unsupported_media_type", "content-type");
    assert_non_null(strstr(a.body, "model/vnd.usda"));
    answer_free(&a);
    snprintf(target, sizeof target, "/v1/meshes/%s/cage", id);
    http_ask(&d, "GET", target, "Accept: model/vrml\r\n", NULL, 0, &a);
    assert_problem(&a, 406, "not_acceptable", NULL);
    assert_non_null(strstr(a.body, "model/obj, model/vnd.usda"));
    answer_free(&a);
}

/* What an OBJ file has and a mesh does not keep, over HTTP and by subd. */
static void test_obj_not_kept(void **state)
{
    static const char file[] = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 0 1\nusemtl red\n"
                               "f 1//1 2//1 3//2\nl 1 2\n";
    char path[96], value[256];
    struct answer a;
    (void)state;
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", file, strlen(file), &a);
    assert_int_equal(a.status, 201);
    assert_true(answer_field(&a, "Subdd-Warning", value, sizeof value));
    assert_string_equal(value, "line 9: l is skipped: lines and points are not kept, only faces");
    answer_free(&a);
    put(path, "materials.obj", file);
    expect(RUN("push", path), 0,
           "subd: line 9: l is skipped: lines and points are not kept, only faces\n"
           "subd: line 1: mtllib is skipped: materials are kept by name alone\n");
}

/* With --json each line of stderr is one of `warnings`. */
static void same_warnings(struct ran r, int n)
{
    cJSON *o = cJSON_ParseWithOpts(r.out, NULL, 1);
    const cJSON *warnings = cJSON_GetObjectItemCaseSensitive(o, "warnings"), *w;
    const char *line = r.err;
    assert_int_equal(r.code, 0);
    assert_true(cJSON_IsArray(warnings));
    cJSON_ArrayForEach(w, warnings)
    {
        size_t bytes = strlen(w->valuestring);
        if (strncmp(line, "subd: ", 6) != 0 || strncmp(line + 6, w->valuestring, bytes) != 0 || line[6 + bytes] != '\n')
            fail_msg("\"%s\" is not the next line of \"%s\"", w->valuestring, line);
        line += 6 + bytes + 1;
        n--;
    }
    assert_int_equal(n, 0);
    assert_string_equal(line, "");
    cJSON_Delete(o);
    ran_free(&r);
}

/* What is lost on the way in, by the scheme and on the way out; also where what follows fails. */
static void test_json_warnings(void **state)
{
    char path[96], stl[96], usda[96];
    (void)state;
    put(path, "warned.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\nl 1 2\nf 1/1/1 2/2/1 3/3/1\n");
    snprintf(stl, sizeof stl, "%s/warned.stl", d.dir);
    snprintf(usda, sizeof usda, "%s/warned.usda", d.dir);
    same_warnings(RUN("push", path, "--json"), 1);
    same_warnings(RUN("refine", path, "--normals", "--json", "-o", stl), 2); /* l; normals */
    same_warnings(RUN("refine", path, "--scheme", "sqrt3", "--level", "2", "--json"), 2);
    same_warnings(RUN("refine", path, "--scheme", "loop", "--json", "-o", usda), 1);
    same_warnings(RUN("bench", path, "--repeat", "1", "--json"), 1);
    struct ran r = RUN("refine", path, "--tangents", "--json");
    assert_int_equal(r.code, 4);
    assert_non_null(
        strstr(r.out, "\"warnings\":\t[\"line 8: l is skipped: lines and points are not kept, only faces\"]"));
    ran_free(&r);
}

/* With subd: into a file and back, the warnings on stderr, and the options that OBJ has no tag for given by hand. */
static void test_pull_and_push(void **state)
{
    char mesh[96], out[96], ids[3][64], topologies[3][256];
    struct ran r;
    (void)state;
    put(mesh, "triangle.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0.1\nf 1 2 3\nt corner 1/1/0 2 0.3\nt creasemethod 0/0/1 chaikin\n");
    r = RUN("push", mesh, "--name", "a-b", "--scheme", "sqrt3", "--crease-method", "uniform");
    snprintf(ids[0], sizeof ids[0], "%.18s", r.out);
    expect(r, 0, "");
    snprintf(out, sizeof out, "%s/out.usda", d.dir);
    expect(RUN("pull", ids[0], "-o", out), 0,
           "subd: subdivisionScheme = sqrt3 is not USD's: other readers than subdd refine by loop\n");
    r = RUN("push", out);
    snprintf(ids[1], sizeof ids[1], "%.18s", r.out);
    expect(r, 0, "");
    expect(RUN("positions", ids[1], out), 0, "");
    snprintf(out, sizeof out, "%s/out.obj", d.dir);
    expect(
        RUN("pull", ids[0], "-o", out), 0,
        "subd: subdivisionScheme = sqrt3 is not carried: OBJ has no tag for it; read the file with --scheme sqrt3\n");
    same_warnings(RUN("pull", ids[0], "--json", "-o", out), 1);
    r = RUN("push", out, "--scheme", "sqrt3");
    snprintf(ids[2], sizeof ids[2], "%.18s", r.out);
    expect(r, 0, "");
    for (int i = 0; i < 3; i++)
        topology_of(ids[i], topologies[i]);
    assert_string_equal(topologies[0], topologies[1]);
    assert_string_equal(topologies[0], topologies[2]);
    snprintf(out, sizeof out, "%s/out.pb", d.dir);
    expect(RUN("pull", ids[0], "-o", out), 0, "");
    expect(RUN("push", out), 0, "");
    snprintf(out, sizeof out, "%s/out.json", d.dir);
    expect(RUN("pull", ids[0], "-o", out), 0, "");
    expect(RUN("push", out), 0, "");
    expect(RUN("pull", ids[0], "-o", "x.stl"), 2, "subd: x.stl: a control mesh goes into .obj, .usda, .json or .pb\n");
}

/* More names than a header holds: it says that it was cut. */
static void test_long_warning(void **state)
{
    static const char head[] = "{\"points\":[0,0,0,1,0,0,0,1,0],\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,2],"
                               "\"primvars\":[";
    char body[6000], id[256], target[300], value[1024];
    size_t n = (size_t)snprintf(body, sizeof body, "%s", head);
    struct answer a;
    (void)state;
    for (int i = 0; i < 32; i++)
        n += (size_t)snprintf(body + n, sizeof body - n,
                              "%s{\"name\":\"p%030d\",\"interpolation\":\"constant\",\"values\":[1]}", i ? "," : "", i);
    n += (size_t)snprintf(body + n, sizeof body - n, "]}");
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: application/json\r\n", body, n, &a);
    assert_int_equal(a.status, 201);
    snprintf(target, sizeof target, "/v1/meshes/%.64s/cage", answer_member(&a, "id", id));
    answer_free(&a);
    http_ask(&d, "GET", target, "Accept: model/obj\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Subdd-Warning", value, sizeof value));
    assert_int_equal(strlen(value), 639);
    assert_string_equal(value + 636, "...");
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_http), cmocka_unit_test(test_obj_not_kept),
                                       cmocka_unit_test(test_json_warnings), cmocka_unit_test(test_pull_and_push),
                                       cmocka_unit_test(test_long_warning)};
    return cmocka_run_group_tests(tests, start, stop);
}
