/* SPDX-License-Identifier: Apache-2.0 */
/* Face sets and the stage, from a body through the daemon to a frame and a cage; and what a push leaves out, in
 * headers, in the answer, and for strict requests. */
#include "client/lib/subd.h"
#include "tests/http/daemon.h"
#include "tests/http/frames.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct daemon served;
static subd_client *client;

#define POINTS "\"points\":[0,0,0,1,0,0,1,1,0,0,1,0,2,0,0,2,1,0]"
#define FACES "\"faceVertexCounts\":[4,4],\"faceVertexIndices\":[0,1,2,3,1,4,5,2]"
static const char sheet[] =
    "{" POINTS "," FACES ",\"upAxis\":\"Z\",\"metersPerUnit\":0.01,\"transform\":[0,1,0,0,-1,0,0,0,0,0,1,0,5,6,7,1],"
    "\"primvars\":[{\"name\":\"materialBind\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[2,1],"
    "\"setNames\":[\"Holz\",\"M\u00f6rtel\"]},{\"name\":\"tint\",\"interpolation\":\"constant\",\"values\":[1]}]}";
/* Creases, corners and holes that are not there, UVs and a primvar of the wrong length, a unit that is none. */
static const char damaged[] =
    "{" POINTS "," FACES ",\"metersPerUnit\":-1,\"creaseIndices\":[0,2,1,2],\"creaseLengths\":[2,2],"
    "\"creaseSharpnesses\":[1,2],\"cornerIndices\":[9],\"cornerSharpnesses\":[1],\"holeIndices\":[2],\"st\":[0,0,1,1],"
    "\"stIndices\":[0,1,2],\"primvars\":[{\"name\":\"wear\",\"interpolation\":\"vertex\",\"values\":[1]},"
    "{\"name\":\"a\",\"interpolation\":\"vertex\",\"values\":[1]},{\"name\":\"b\",\"interpolation\":\"vertex\","
    "\"values\":[1]},{\"name\":\"c\",\"interpolation\":\"vertex\",\"values\":[1]}]}";
enum { N_DAMAGES = 9 };

static int start(void **state)
{
    char url[64];
    (void)state;
    daemon_start(&served, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&served);
    return 0;
}

static void push(const char *json, struct subd_mesh_info *info)
{
    const struct subd_body body = {"application/json", json, strlen(json)};
    struct subd_error err;
    if (subd_push(client, &body, NULL, info, &err) != SUBD_OK)
        fail_msg("%s", err.text);
}

static void check_frame(const char *id)
{
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 2, .primvars = "*");
    struct subd_frame f = {0};
    struct subd_error err;
    if (subd_refine(client, id, &r, &f, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    const struct subd_block *b = subd_frame_primvar(&f, "materialBind", SUBD_PRIMVAR);
    assert_int_equal(b->n_set_names, 2);
    assert_string_equal(b->set_names, "Holz");
    assert_string_equal(b->set_names + 5, "M\u00f6rtel");
    for (int64_t i = 0; i < f.faces; i++)
        assert_int_equal(((const int32_t *)b->data)[i], i < f.faces / 2 ? 2 : 1);
    assert_int_equal(subd_frame_primvar(&f, "tint", SUBD_PRIMVAR)->n_set_names, 0);
    assert_string_equal(f.up_axis, "Z");
    assert_true(f.meters_per_unit == 0.01);
    assert_true(f.transform && f.transform[1] == 1 && f.transform[14] == 7);
    r.primvars = NULL;
    assert_int_equal(subd_refine(client, id, &r, &f, &err), SUBD_OK);
    assert_string_equal(f.up_axis, "Z");
    assert_int_equal(f.blocks[0].n_set_names, 0);
    subd_frame_free(&f);
}

static void check_cage(const char *id)
{
    struct subd_cage cage;
    struct subd_mesh_info info;
    struct subd_error err;
    if (subd_cage_arrays(client, id, &cage, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(cage.mesh->sets[0].n, 2);
    assert_string_equal(cage.mesh->sets[0].names[1], "M\u00f6rtel");
    assert_int_equal(cage.mesh->sets[1].n, 0);
    assert_string_equal(cage.mesh->up_axis, "Z");
    assert_true(cage.mesh->meters_per_unit == 0.01 && cage.mesh->transform[13] == 6);
    assert_int_equal(subd_push_mesh(client, cage.mesh, NULL, &info, &err), SUBD_OK); /* It goes in as it came out. */
    assert_null(subd_warning(client, 0));
    assert_int_equal(info.primvars[0].sets, 2);
    assert_string_equal(info.up_axis, "Z");
    subd_cage_free(&cage);
}

static void test_there_and_back(void **state)
{
    struct subd_mesh_info info, shown;
    (void)state;
    push(sheet, &info);
    assert_null(subd_warning(client, 0));
    assert_int_equal(info.n_primvars, 2);
    assert_int_equal(info.primvars[0].sets, 2);
    assert_true(info.meters_per_unit == 0.01);
    check_frame(info.id);
    check_cage(info.id);
    /* And after a restart, from the store. */
    subd_close(client);
    daemon_kill(&served);
    assert_int_equal(start(NULL), 0);
    assert_int_equal(subd_show(client, info.id, &shown, NULL), SUBD_OK);
    assert_int_equal(shown.primvars[0].sets, 2);
    assert_string_equal(shown.up_axis, "Z");
    check_frame(info.id);
    check_cage(info.id);
}

/* As many names as a mesh may have come through, there and back. */
static void test_most_names(void **state)
{
    enum { N = 65536 };
    static const float points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const int32_t counts[] = {4}, corners[] = {0, 1, 2, 3}, last[] = {N};
    static char text[N][12];
    static const char *names[N];
    const struct subd_primvar set = {
        .name = "group", .interpolation = "uniform", .type = "i32", .values = last, .n_values = 1};
    const struct subd_set_names sets = {names, N};
    struct subd_mesh mesh =
        SUBD_INIT(subd_mesh, .points = points, .face_counts = counts, .face_vertices = corners, .n_vertices = 4,
                  .n_faces = 1, .n_corners = 4, .primvars = &set, .n_primvars = 1, .sets = &sets);
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 1, .primvars = "*");
    struct subd_mesh_info info;
    struct subd_frame f = {0};
    struct subd_cage cage;
    struct subd_error err;
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "%d", i);
        names[i] = text[i];
    }
    if (subd_push_mesh(client, &mesh, NULL, &info, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_null(subd_warning(client, 0));
    if (subd_refine(client, info.id, &r, &f, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    const struct subd_block *b = subd_frame_primvar(&f, "group", SUBD_PRIMVAR);
    const char *name = b->set_names;
    assert_int_equal(b->n_set_names, N);
    for (int i = 0; i < N; i++, name += strlen(name) + 1)
        assert_string_equal(name, names[i]);
    assert_int_equal(((const int32_t *)b->data)[3], N);
    subd_frame_free(&f);
    if (subd_cage_arrays(client, info.id, &cage, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(cage.mesh->sets[0].n, N);
    assert_string_equal(cage.mesh->sets[0].names[N - 1], "65535");
    subd_cage_free(&cage);
}

/* What a plan promises is what comes, with the names in the header. */
static void test_plan(void **state)
{
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 1, .primvars = "*");
    struct subd_mesh_info info;
    struct subd_frame f = {0};
    struct subd_plan plan;
    (void)state;
    push(sheet, &info);
    assert_int_equal(subd_get_plan(client, info.id, &r, &plan, NULL), SUBD_OK);
    assert_int_equal(subd_refine(client, info.id, &r, &f, NULL), SUBD_OK);
    assert_int_equal(plan.frame_bytes, f.frame_bytes);
    subd_frame_free(&f);
}

static void test_edit(void **state)
{
    static const char edits[] = "{\"edits\":[{\"removeFaces\":{\"ids\":[0]}},{\"removeVertices\":{\"ids\":[0,3]}}]}";
    const struct subd_body body = {"application/json", edits, sizeof edits - 1};
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 1, .primvars = "materialBind");
    struct subd_mesh_info info;
    struct subd_frame f = {0};
    struct subd_error err;
    (void)state;
    push(sheet, &info);
    if (subd_edits_body(client, info.id, 1, &body, NULL, NULL, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    assert_int_equal(subd_refine(client, info.id, &r, &f, &err), SUBD_OK);
    const struct subd_block *b = subd_frame_primvar(&f, "materialBind", SUBD_PRIMVAR);
    assert_int_equal(b->n_set_names, 2);
    assert_string_equal(b->set_names, "Holz");
    for (int64_t i = 0; i < f.faces; i++)
        assert_int_equal(((const int32_t *)b->data)[i], 1);
    subd_frame_free(&f);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)); s += strlen(what))
        n++;
    return n;
}

/* The headers have as many as fit, the body has all, and so does libsubd. */
static void test_warnings(void **state)
{
    static const char *const said[N_DAMAGES] = {"metersPerUnit is -1",
                                                "stIndices has 3 rows",
                                                "edge of vertices 0 and 2",
                                                "cornerIndices[0] is vertex 9 of 6",
                                                "holeIndices[0] is face 2 of 2",
                                                "vertex wear wants 6",
                                                "vertex a wants 6",
                                                "vertex b wants 6",
                                                "vertex c wants 6"};
    struct subd_mesh_info info;
    struct answer a;
    int i = 0;
    (void)state;
    http_ask(&served, "POST", "/v1/meshes", "Content-Type: application/json\r\n", damaged, sizeof damaged - 1, &a);
    assert_int_equal(a.status, 201);
    assert_int_equal(count(a.head, "Subdd-Warning: "), 8);
    assert_non_null(strstr(a.head, "Subdd-Warning: and 2 more warnings\r\n"));
    for (int k = 0; k < N_DAMAGES; k++)
        if (!strstr(a.body, said[k]) || (k < 7 && !strstr(a.head, said[k])))
            fail_msg("%s: %s%s", said[k], a.head, a.body);
    assert_int_equal(answer_number(&a, "uvs"), 0);
    answer_free(&a);
    push(damaged, &info);
    for (; subd_warning(client, i); i++)
        assert_non_null(strstr(subd_warning(client, i), said[i]));
    assert_int_equal(i, N_DAMAGES);
    assert_int_equal(info.n_primvars, 0);
    http_ask(&served, "POST", "/v1/meshes", "Content-Type: application/json\r\n", sheet, sizeof sheet - 1, &a);
    assert_null(strstr(a.body, "warnings"));
    assert_null(strstr(a.head, "Subdd-Warning"));
    answer_free(&a);
}

/* A repeated request has the warnings of the first. */
static void test_replay(void **state)
{
    struct answer a, again;
    (void)state;
    for (int k = 0; k < 2; k++)
        http_ask(&served, "POST", "/v1/meshes", "Content-Type: application/json\r\nIdempotency-Key: twice\r\n", damaged,
                 sizeof damaged - 1, k ? &again : &a);
    assert_int_equal(again.status, 201);
    assert_string_equal(again.body, a.body);
    assert_int_equal(count(again.head, "Subdd-Warning: "), 8);
    answer_free(&a);
    answer_free(&again);
}

static void test_strict(void **state)
{
    const struct subd_body body = {"application/json", damaged, sizeof damaged - 1};
    struct subd_push p = SUBD_INIT(subd_push, .strict = 1);
    struct subd_error err;
    struct answer a;
    (void)state;
    http_ask(&served, "POST", "/v1/meshes?strict=true", "Content-Type: application/json\r\n", damaged,
             sizeof damaged - 1, &a);
    assert_problem(&a, 422, "invalid_mesh", "metersPerUnit");
    answer_free(&a);
    http_ask(&served, "POST", "/v1/meshes?strict=false", "Content-Type: application/json\r\n", damaged,
             sizeof damaged - 1, &a);
    assert_int_equal(a.status, 201);
    answer_free(&a);
    http_ask(&served, "POST", "/v1/meshes?strict=1", "Content-Type: application/json\r\n", damaged, sizeof damaged - 1,
             &a);
    assert_problem(&a, 400, "invalid_argument", "strict");
    answer_free(&a);
    assert_int_equal(subd_push(client, &body, &p, NULL, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "metersPerUnit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_most_names), cmocka_unit_test(test_plan),
        cmocka_unit_test(test_edit),           cmocka_unit_test(test_warnings),   cmocka_unit_test(test_replay),
        cmocka_unit_test(test_strict),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
