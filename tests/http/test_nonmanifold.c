/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes that are not manifold and the schemes bilinear and loop, end to end: made, told, planned, refined, edited,
 * started again. */
#include "client/lib/subd.h"
#include "subdd.pb-c.h"
#include "tests/http/daemon.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON "Content-Type: application/json\r\n"
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\n" /* triangles at an edge */

static struct daemon d;
static subd_client *client;

static void connect_client(void)
{
    char url[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
}

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    connect_client();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void get(const char *id, const char *rest, const char *fields, struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s%s", id, rest);
    http_ask(&d, "GET", target, fields, NULL, 0, a);
}

/* What JSON, protobuf and libsubd say of it, and which engine auto takes. */
static void expect(const char *id, bool manifold, const char *method)
{
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 2);
    struct subd_mesh_info info;
    struct subd_frame frame = {0};
    struct subd_plan plan;
    struct subd_error err;
    struct answer a;
    char value[256];
    get(id, "", "", &a);
    assert_string_equal(answer_member(&a, "manifold", value), manifold ? "true" : "false");
    answer_free(&a);
    get(id, "", "Accept: application/protobuf\r\n", &a);
    Subdd__V1__MeshInfo *m = subdd__v1__mesh_info__unpack(NULL, a.bytes, (uint8_t *)a.body);
    assert_non_null(m);
    assert_int_equal(m->manifold, manifold);
    subdd__v1__mesh_info__free_unpacked(m, NULL);
    answer_free(&a);
    assert_int_equal(subd_show(client, id, &info, &err), SUBD_OK);
    assert_int_equal(info.manifold, manifold);
    assert_int_equal(subd_get_plan(client, id, &r, &plan, &err), SUBD_OK);
    assert_string_equal(plan.method, method);
    if (subd_refine(client, id, &r, &frame, &err))
        fail_msg("%s", err.text);
    assert_string_equal(frame.method, method);
    assert_int_equal(frame.vertices, plan.vertices);
    subd_frame_free(&frame);
}

/* An engine that cannot says why, and names the element. */
static void expect_refused(const char *id, const char *says)
{
    static const char *const paths[] = {"/refined?method=edge-friend", "/plan?method=edge-friend"};
    for (int i = 0; i < 2; i++) {
        struct answer a;
        get(id, paths[i], "", &a);
        assert_problem(&a, 422, "unsupported", "method");
        if (!strstr(a.body, says))
            fail_msg("%s\ndoes not say \"%s\"", a.body, says);
        answer_free(&a);
    }
}

static void test_not_manifold(void **state)
{
    static const struct {
        const char *obj, *says;
    } rows[] = {{THREE, "edge (0, 1) is not manifold"},
                {"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 2 0 0\nv 2 1 1\nf 1 2 3\nf 2 4 5\n", "vertex 1 is not manifold"},
                {"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 2 4\n", "face 0 uses vertex 1 more than once"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char id[32];
        create_obj(&d, rows[i].obj, id);
        expect(id, false, "mesh-matrix");
        expect_refused(id, rows[i].says);
    }
}

static void edit(const char *id, int version, const char *body, bool manifold)
{
    char target[160], fields[128], value[256];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", id);
    snprintf(fields, sizeof fields, JSON "If-Match: \"%d\"\r\n", version);
    http_ask(&d, "POST", target, fields, body, strlen(body), &a);
    if (a.status != 200)
        print_message("%s\n", a.body);
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_member(&a, "manifold", value), manifold ? "true" : "false");
    answer_free(&a);
}

/* A fin on a cube, also after kill -9; then it goes, and the cube is what it was. */
static void test_edits(void **state)
{
    char id[32];
    struct answer before, after;
    (void)state;
    create_cube(&d, id);
    expect(id, true, "mesh-matrix");
    edit(id, 1,
         "{\"edits\":[{\"addVertices\":{\"points\":[0.5,-1,-1]}},"
         "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,-1]}},"
         "{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}",
         false);
    expect(id, false, "mesh-matrix");
    expect_refused(id, "is not manifold");
    get(id, "/refined?level=3&surface=limit&include=positions,normals,indices", "", &before);
    assert_int_equal(before.status, 200);
    subd_close(client);
    daemon_kill(&d);
    daemon_start(&d, NULL);
    connect_client();
    expect(id, false, "mesh-matrix");
    get(id, "/refined?level=3&surface=limit&include=positions,normals,indices", "", &after);
    assert_int_equal(before.bytes, after.bytes);
    assert_memory_equal(before.body, after.body, before.bytes);
    answer_free(&before);
    answer_free(&after);
    edit(id, 2, "{\"edits\":[{\"removeFaces\":{\"ids\":[6]}}]}", true);
    expect(id, true, "mesh-matrix");
}

/* ---- bilinear ---------------------------------------------------------------------------------------------------- */
static const float points[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int32_t counts[6] = {4, 4, 4, 4, 4, 4};
static const int32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
static const struct subd_mesh cube =
    SUBD_INIT(subd_mesh, .points = &points[0][0], .face_counts = counts, .face_vertices = corners, .n_vertices = 8,
              .n_faces = 6, .n_corners = 24);
enum { N_EDGES = 12, N_LEVEL1 = 8 + 6 + N_EDGES, N_LEVEL2 = N_LEVEL1 + 2 * N_EDGES + 24 + 24 };

static void mix(float to[3], float s, const float a[3], const float b[3])
{
    for (int k = 0; k < 3; k++)
        to[k] = (1 - s) * a[k] + s * b[k];
}

/* The points of level 2 by proto/README.md's grid order; every value is a multiple of 1/2, so exact. */
static void bilinear_cube(float p[N_LEVEL2][3])
{
    float(*centre)[3] = p + 8, (*middle)[3] = p + 14, (*halves)[3] = p + N_LEVEL1, (*spokes)[3] = halves + 2 * N_EDGES,
    (*inside)[3] = spokes + 24;
    int edge = 0;
    memset(p, 0, N_LEVEL2 * sizeof *p);
    memcpy(p, points, sizeof points);
    for (int c = 0; c < 24; c++)
        for (int k = 0; k < 3; k++)
            centre[c / 4][k] += points[corners[c]][k] / 4;
    for (int a = 0; a < 8; a++)
        for (int b = a + 1; b < 8; b++)
            for (int c = 0; c < 24; c++) {
                int from = corners[c], to = corners[c / 4 * 4 + (c + 1) % 4];
                mix(spokes[c], 0.5f, points[from], points[to]);
                mix(spokes[c], 0.5f, spokes[c], centre[c / 4]);
                mix(inside[c], 0.5f, points[from], centre[c / 4]);
                if (from != a || to != b)
                    continue; /* each edge once: its other face has it the other way round */
                mix(middle[edge], 0.5f, points[a], points[b]);
                mix(halves[2 * edge], 0.25f, points[a], points[b]);
                mix(halves[2 * edge + 1], 0.75f, points[a], points[b]);
                edge++;
            }
    assert_int_equal(edge, N_EDGES);
}

static void test_bilinear(void **state)
{
    const struct subd_push push = SUBD_INIT(subd_push, .options[SUBD_SCHEME] = "bilinear");
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 2, .include = SUBD_POSITIONS);
    float want[N_LEVEL2][3];
    struct subd_mesh_info info;
    struct subd_frame frame = {0};
    struct subd_error err;
    (void)state;
    assert_int_equal(subd_push_mesh(client, &cube, &push, &info, &err), SUBD_OK);
    assert_string_equal(info.options[SUBD_SCHEME], "bilinear");
    bilinear_cube(want);
    for (int limit = 0; limit < 2; limit++) { /* its limit is the same surface */
        r.surface = limit ? "limit" : "refined";
        assert_int_equal(subd_refine(client, info.id, &r, &frame, &err), SUBD_OK);
        assert_string_equal(frame.method, "mesh-matrix");
        const struct subd_block *b = subd_frame_find(&frame, SUBD_POSITIONS);
        assert_int_equal(b->count, N_LEVEL2);
        for (int i = 0; i < N_LEVEL2; i++)
            for (int k = 0; k < 3; k++)
                if (((const float(*)[3])b->data)[i][k] != want[i][k])
                    fail_msg("vertex %d", i);
    }
    subd_frame_free(&frame);
    expect(info.id, true, "mesh-matrix");
    expect_refused(info.id, "edge-friend does not do scheme bilinear");
}

/* ---- loop -------------------------------------------------------------------------------------------------------- */
static const float at[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t sizes[4] = {3, 3, 3, 3}, rows[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const struct subd_mesh tetrahedron =
    SUBD_INIT(subd_mesh, .points = &at[0][0], .face_counts = sizes, .face_vertices = rows, .n_vertices = 4,
              .n_faces = 4, .n_corners = 12);

/* A tetrahedron: blocks of triangles; a quad is no face of it. */
static void test_loop(void **state)
{
    static const int32_t quad[4] = {0, 1, 2, 3}, one[1] = {4};
    const struct subd_push push = SUBD_INIT(subd_push, .options[SUBD_SCHEME] = "loop");
    const struct subd_edit add = {.op = SUBD_ADD_FACES, .ids = quad, .counts = one, .n_ids = 4, .n_counts = 1};
    const struct subd_refine r = SUBD_INIT(subd_refine, .level = 2);
    struct subd_mesh_info info;
    struct subd_frame frame = {0};
    struct subd_error err;
    (void)state;
    assert_int_equal(subd_push_mesh(client, &tetrahedron, &push, &info, &err), SUBD_OK);
    expect(info.id, true, "mesh-matrix");
    assert_int_equal(subd_refine(client, info.id, &r, &frame, &err), SUBD_OK);
    assert_int_equal(frame.vertices, 34);
    assert_int_equal(frame.faces, 64);
    assert_int_equal(subd_frame_find(&frame, SUBD_INDICES)->components, 3);
    subd_frame_free(&frame);
    assert_int_equal(subd_edits(client, info.id, 1, &add, 1, NULL, NULL, &err), SUBD_EHTTP);
    assert_string_equal(err.problem, "invalid_mesh");
    assert_non_null(strstr(err.text, "edits[0]: face -1 has 4 corners; scheme loop takes triangles alone"));
}

/* The plan's counts, the frame's, and where a vertex of three neighbours goes: a = (4 + 1) / 9. */
static void test_sqrt3(void **state)
{
    const struct subd_push push = SUBD_INIT(subd_push, .options[SUBD_SCHEME] = "sqrt3");
    const struct subd_refine r = SUBD_INIT(subd_refine, .level = 1);
    struct subd_mesh_info info;
    struct subd_frame frame = {0};
    struct subd_error err;
    (void)state;
    assert_int_equal(subd_push_mesh(client, &tetrahedron, &push, &info, &err), SUBD_OK);
    expect(info.id, true, "mesh-matrix");
    expect_refused(info.id, "edge-friend does not do scheme sqrt3");
    assert_int_equal(subd_refine(client, info.id, &r, &frame, &err), SUBD_OK);
    assert_int_equal(frame.vertices, 8);
    assert_int_equal(frame.faces, 12);
    assert_int_equal(subd_frame_find(&frame, SUBD_INDICES)->components, 3);
    const float *p = subd_frame_find(&frame, SUBD_POSITIONS)->data;
    for (int k = 0; k < 3; k++) {
        assert_true(fabsf(p[k] - 5.0f / 27.0f) < 1e-6f);
        assert_true(fabsf(p[12 + k] - (k < 2 ? 1.0f / 3.0f : 0.0f)) < 1e-6f);
    }
    subd_frame_free(&frame);
}

/* A tetrahedron with a chart a face: UVs by corner; each new face keeps to the chart of the face that it is from. */
static void test_sqrt3_uvs(void **state)
{
    static const float st[8][2] = {{0, 0}, {3, 0}, {0, 3}, {10, 0}, {13, 0}, {10, 3}};
    static const int32_t rows_of[12] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
    const struct subd_push push =
        SUBD_INIT(subd_push, .options = {[SUBD_SCHEME] = "sqrt3", [SUBD_FACE_VARYING] = "all"});
    const struct subd_refine r =
        SUBD_INIT(subd_refine, .level = 1, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_UVS | SUBD_UV_INDICES);
    struct subd_mesh mesh = tetrahedron;
    struct subd_mesh_info info;
    struct subd_frame frame = {0};
    struct subd_error err;
    (void)state;
    mesh.uvs = &st[0][0];
    mesh.uv_indices = rows_of;
    mesh.n_uvs = 6;
    assert_int_equal(subd_push_mesh(client, &mesh, &push, &info, &err), SUBD_OK);
    assert_int_equal(subd_refine(client, info.id, &r, &frame, &err), SUBD_OK);
    const struct subd_block *uvs = subd_frame_find(&frame, SUBD_UVS), *rows = subd_frame_find(&frame, SUBD_UV_INDICES);
    assert_int_equal(uvs->count, 36);
    assert_int_equal(uvs->components, 2);
    assert_int_equal(rows->count, 12);
    assert_int_equal(rows->components, 3);
    static const float want[3][2] = {{0, 0}, {2, -1}, {1, 1}}; /* (v, the mirror of O, O) */
    const float *got = uvs->data;
    for (uint32_t i = 0; i < 36; i++)
        assert_int_equal(((const uint32_t *)rows->data)[i], i);
    for (int i = 0; i < 6; i++)
        assert_true(fabsf(got[i] - want[i / 2][i % 2]) < 1e-6f);
    subd_frame_free(&frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_manifold), cmocka_unit_test(test_edits),
                                       cmocka_unit_test(test_bilinear),     cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_sqrt3),        cmocka_unit_test(test_sqrt3_uvs)};
    return cmocka_run_group_tests_name("http/odd_meshes", tests, start, stop);
}
