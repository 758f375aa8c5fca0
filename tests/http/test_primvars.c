/* SPDX-License-Identifier: Apache-2.0 */
/* Primvars through the daemon and libsubd: pushed, shown, edited, over a restart, and refused. */
#include "client/lib/subd.h"
#include "subdd.pb-c.h"
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct daemon served;
static subd_client *client;

static const float points[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int32_t counts[6] = {4, 4, 4, 4, 4, 4};
static const int32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
static const float weights[8] = {0, 1, 2, 3, 4, 5, 6, 7}, map[10] = {0, 0, 1, 0, 1, 1, 0, 1, 5, 5};
static const int32_t materials[6] = {10, 11, 12, 13, 14, 16777217}, asset[2] = {-7, INT32_MAX};
static const int32_t map_corners[24] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 1, 2, 3};
static const struct subd_primvar primvars[] = {
    {.name = "weight", .interpolation = "vertex", .values = weights, .n_values = 8},
    {.name = "material", .interpolation = "uniform", .type = "i32", .values = materials, .n_values = 6},
    {.name = "displayColor",
     .interpolation = "varying",
     .width = 3,
     .values = points,
     .indices = map_corners,
     .n_values = 24,
     .n_indices = 8},
    {.name = "map",
     .interpolation = "faceVarying",
     .type = "f32",
     .width = 2,
     .values = map,
     .indices = map_corners,
     .n_values = 10,
     .n_indices = 24},
    {.name = "asset:id", .interpolation = "constant", .type = "i32", .width = 2, .values = asset, .n_values = 2},
};
static const struct subd_mesh cube =
    SUBD_INIT(subd_mesh, .points = &points[0][0], .face_counts = counts, .face_vertices = corners, .n_vertices = 8,
              .n_faces = 6, .n_corners = 24, .primvars = primvars, .n_primvars = 5);

static void open_client(void)
{
    char url[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
}

static int start(void **state)
{
    (void)state;
    daemon_start(&served, NULL);
    open_client();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&served);
    return 0;
}

static void ok(int rc, const struct subd_error *err)
{
    if (rc != SUBD_OK)
        fail_msg("%s: %s (%s)", subd_code_name(rc), err->text, err->problem);
}

static struct subd_mesh_info push(void)
{
    struct subd_mesh_info info;
    struct subd_error err;
    ok(subd_push_mesh(client, &cube, NULL, &info, &err), &err);
    return info;
}

/* The cage as a message; freed by the message's own function. */
static Subdd__V1__Mesh *cage(const char *id)
{
    struct subd_error err;
    char *data;
    size_t bytes;
    ok(subd_cage(client, id, "application/protobuf", &data, &bytes, &err), &err);
    Subdd__V1__Mesh *m = subdd__v1__mesh__unpack(NULL, bytes, (const uint8_t *)data);
    assert_non_null(m);
    free(data);
    return m;
}

static const Subdd__V1__Primvar *find(const Subdd__V1__Mesh *m, const char *name)
{
    for (size_t i = 0; i < m->n_primvars; i++)
        if (strcmp(m->primvars[i]->name, name) == 0)
            return m->primvars[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void same(const ProtobufCBinaryData *got, const void *want, size_t bytes)
{
    assert_int_equal(got->len, bytes);
    assert_memory_equal(got->data, want, bytes);
}

static void test_push_and_show(void **state)
{
    static const char *const order[] = {"asset:id", "displayColor", "map", "material", "weight"};
    static const char *const classes[] = {"constant", "varying", "faceVarying", "uniform", "vertex"};
    static const int widths[] = {2, 3, 2, 1, 1}, rows[] = {1, 8, 5, 6, 8};
    struct subd_mesh_info info = push(), shown;
    struct subd_error err;
    (void)state;
    ok(subd_show(client, info.id, &shown, &err), &err);
    for (const struct subd_mesh_info *m = &info;; m = &shown) {
        assert_int_equal(m->n_primvars, 5);
        for (int i = 0; i < 5; i++) {
            assert_string_equal(m->primvars[i].name, order[i]);
            assert_string_equal(m->primvars[i].interpolation, classes[i]);
            assert_string_equal(m->primvars[i].type, i == 0 || i == 3 ? "i32" : "f32");
            assert_int_equal(m->primvars[i].width, widths[i]);
            assert_int_equal(m->primvars[i].values, rows[i]);
        }
        if (m == &shown)
            break;
    }
    Subdd__V1__Mesh *m = cage(info.id);
    same(&find(m, "weight")->values, weights, sizeof weights);
    same(&find(m, "material")->values, materials, sizeof materials);
    same(&find(m, "map")->values, map, sizeof map);
    same(&find(m, "map")->indices, map_corners, sizeof map_corners);
    assert_int_equal(find(m, "displayColor")->values.len, 96);
    subdd__v1__mesh__free_unpacked(m, NULL);
}

/* The same primvars as JSON, in another order: the same topology. Without the faceVarying one it is another. */
static void test_json(void **state)
{
    static const char head[] =
        "{\"points\":[-1,-1,-1,1,-1,-1,-1,1,-1,1,1,-1,-1,-1,1,1,-1,1,-1,1,1,1,1,1],\"faceVertexCounts\":[4,4,4,4,4,4],"
        "\"faceVertexIndices\":[0,2,3,1,4,5,7,6,0,1,5,4,2,6,7,3,0,4,6,2,1,3,7,5],\"primvars\":[";
    static const char tail[] = "{\"name\":\"map\",\"interpolation\":\"faceVarying\",\"width\":2,"
                               "\"values\":[0,0,1,0,1,1,0,1,5,5],\"indices\":[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,"
                               "4,1,2,3]}]}";
    struct subd_mesh_info pushed = push();
    struct answer a;
    char text[2048], value[256];
    (void)state;
    snprintf(text, sizeof text, "%s%s", head, tail);
    http_ask(&served, "POST", "/v1/meshes", "Content-Type: application/json\r\n", text, strlen(text), &a);
    assert_int_equal(a.status, 201);
    assert_string_equal(answer_member(&a, "topologyId", value), pushed.topology_id);
    assert_non_null(strstr(a.body, "\"primvars\":[{\"name\":\"map\",\"interpolation\":\"faceVarying\",\"type\":\"f32\","
                                   "\"width\":2,\"values\":5}]"));
    answer_free(&a);
    snprintf(text, sizeof text, "%s]}", head);
    http_ask(&served, "POST", "/v1/meshes", "Content-Type: application/json\r\n", text, strlen(text), &a);
    assert_int_equal(a.status, 201);
    assert_string_not_equal(answer_member(&a, "topologyId", value), pushed.topology_id);
    assert_non_null(strstr(a.body, "\"primvars\":[]"));
    answer_free(&a);
    snprintf(text, sizeof text, "%s{\"name\":\"w\",\"interpolation\":\"vertex\",\"values\":[1,2]}]}", head);
    http_ask(&served, "POST", "/v1/meshes?strict=true", "Content-Type: application/json\r\n", text, strlen(text), &a);
    assert_problem(&a, 422, "invalid_mesh", "primvars[0].values");
    answer_free(&a);
}

static void test_edits(void **state)
{
    static const float point[3] = {0, 0, 3}, weight[] = {50}, more[6] = {1, 2, 3, 4, 5, 6};
    static const int32_t added = -1, triangle[3] = {4, 5, -1}, three = 3, material = 99;
    const struct subd_primvar set_weight = {.name = "weight", .values = weight, .n_values = 1},
                              set_material = {.name = "material", .values = &material, .n_values = 1},
                              set_map = {.name = "map", .values = more, .n_values = 6},
                              put = {.name = "asset:id", .interpolation = "constant", .values = more, .n_values = 1},
                              gone = {.name = "displayColor"};
    const struct subd_edit edits[] = {
        {.op = SUBD_ADD_VERTICES, .values = point, .n_values = 3},
        {.op = SUBD_ADD_FACES, .ids = triangle, .n_ids = 3, .counts = &three, .n_counts = 1},
        {.op = SUBD_SET_PRIMVAR, .ids = &added, .n_ids = 1, .primvar = &set_weight},
        {.op = SUBD_SET_PRIMVAR, .ids = &added, .n_ids = 1, .primvar = &set_material},
        {.op = SUBD_SET_PRIMVAR, .ids = &added, .n_ids = 1, .primvar = &set_map},
        {.op = SUBD_PUT_PRIMVAR, .primvar = &put},
        {.op = SUBD_REMOVE_PRIMVAR, .primvar = &gone},
    };
    struct subd_mesh_info info = push();
    struct subd_edit_result r;
    struct subd_error err;
    (void)state;
    ok(subd_edits(client, info.id, 1, edits, 7, NULL, &r, &err), &err);
    assert_int_equal(r.mesh.n_primvars, 4);
    assert_string_not_equal(r.mesh.topology_id, info.topology_id);
    assert_int_equal(r.mesh.primvars[0].width, 1);
    assert_string_equal(r.mesh.primvars[1].name, "map");
    assert_int_equal(r.mesh.primvars[1].values, 8);
    Subdd__V1__Mesh *m = cage(info.id);
    assert_memory_equal(find(m, "weight")->values.data + 32, weight, 4);
    assert_memory_equal(find(m, "material")->values.data + 24, &material, 4);
    subdd__v1__mesh__free_unpacked(m, NULL);
    subd_edit_result_free(&r);
    const struct subd_edit wrong = {.op = SUBD_REMOVE_PRIMVAR, .primvar = &gone};
    assert_int_equal(subd_edits(client, info.id, 2, &wrong, 1, NULL, &r, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 422);
    assert_non_null(strstr(err.text, "there is no primvar displayColor"));
    const struct subd_edit absurd = {.op = SUBD_SET_PRIMVAR};
    assert_int_equal(subd_edits(client, info.id, 2, &absurd, 1, NULL, &r, &err), SUBD_EUSAGE);
}

/* kill -9, and all is there again. */
static void test_durable(void **state)
{
    struct subd_mesh_info info = push(), again;
    struct subd_error err;
    (void)state;
    subd_close(client);
    daemon_kill(&served);
    daemon_start(&served, NULL);
    open_client();
    ok(subd_show(client, info.id, &again, &err), &err);
    assert_memory_equal(info.primvars, again.primvars, sizeof info.primvars);
    Subdd__V1__Mesh *m = cage(info.id);
    same(&find(m, "weight")->values, weights, sizeof weights);
    same(&find(m, "map")->indices, map_corners, sizeof map_corners);
    same(&find(m, "asset:id")->values, asset, sizeof asset);
    subdd__v1__mesh__free_unpacked(m, NULL);
}

static void test_usage(void **state)
{
    struct subd_mesh many = cube;
    struct subd_mesh_info info;
    struct subd_error err;
    (void)state;
    many.n_primvars = SUBD_MAX_PRIMVARS + 1;
    assert_int_equal(subd_push_mesh(client, &many, NULL, &info, &err), SUBD_EUSAGE);
    struct subd_primvar p = {.name = "w", .interpolation = "vertex", .n_values = 8};
    many.primvars = &p;
    many.n_primvars = 1;
    assert_int_equal(subd_push_mesh(client, &many, NULL, &info, &err), SUBD_EUSAGE);
    p.values = weights;
    p.interpolation = "perVertex";
    assert_int_equal(subd_push_mesh(client, &many, NULL, &info, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "primvars[0].interpolation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_and_show), cmocka_unit_test(test_json),  cmocka_unit_test(test_edits),
        cmocka_unit_test(test_durable),       cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
