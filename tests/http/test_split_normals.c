/* SPDX-License-Identifier: Apache-2.0 */
/* test_split_normals.c: split normals, face sets, colours and the stage through the service: over HTTP, by libsubd, by
 * subd, and in its files. The mesh is a box of six faces, all of whose edges are infinitely sharp. */
#include "client/lib/subd.h"
#include "tests/env.h"
#include "tests/http/client.h"
#include "tests/http/frames.h"
#include "tests/http/spawn.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static struct daemon d;
static subd_client *client;
static char box[32], smooth[32];

/* The exit code of subd. */
static int run(const char *const *arguments)
{
    struct ran r = spawn_subd(d.dir, arguments, NULL);
    const int code = r.code;
    if (code)
        print_message("%s", r.err);
    ran_free(&r);
    return code;
}

#define FACES                                                                                                          \
    "\"points\":[-1,-1,-1,1,-1,-1,-1,1,-1,1,1,-1,-1,-1,3,1,-1,3,-1,1,3,1,1,3],\"faceVertexCounts\":[4,4,4,4,4,4],"     \
    "\"faceVertexIndices\":[0,2,3,1,4,5,7,6,0,1,5,4,1,3,7,5,3,2,6,7,2,0,4,6]"
static const char SMOOTH[] = "{" FACES "}";
static const char BOX[] =
    "{" FACES ",\"creaseIndices\":[0,1,1,3,3,2,2,0,4,5,5,7,7,6,6,4,0,4,1,5,2,6,3,7],"
    "\"creaseLengths\":[2,2,2,2,2,2,2,2,2,2,2,2],\"creaseSharpnesses\":[10,10,10,10,10,10,10,10,10,10,10,10],"
    "\"upAxis\":\"Z\",\"metersPerUnit\":0.01,\"transform\":[0,1,0,0,-1,0,0,0,0,0,1,0,10,20,30,1],"
    "\"st\":[0,0,1,0,1,1,0,1],\"stIndices\":[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3],\"primvars\":["
    "{\"name\":\"displayColor\",\"interpolation\":\"vertex\",\"type\":\"f32\",\"width\":3,\"values\":"
    "[1,0,0,0,1,0,0,0,1,1,1,0,1,0,1,0,1,1,0.5,0.5,0.5,1,1,1]},"
    "{\"name\":\"materialBind\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"width\":1,\"values\":[1,1,2,2,0,3],"
    "\"setNames\":[\"red\",\"light blue\",\"9 \\\"q\\\"\"]},"
    "{\"name\":\"group\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"width\":1,\"values\":[0,1,1,1,1,1],"
    "\"setNames\":[\"sides\"]},"
    "{\"name\":\"uv2\",\"interpolation\":\"faceVarying\",\"width\":2,\"values\":[0,0,1,0,1,1,0,1],"
    "\"indices\":[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,1,2,3,0]}]}";

static void create(const char *body, char id[32])
{
    struct answer a;
    char found[256];
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: application/json\r\n", body, strlen(body), &a);
    if (a.status != 201)
        fail_msg("%d: %s", a.status, a.body);
    snprintf(id, 32, "%.31s", answer_member(&a, "id", found));
    answer_free(&a);
}

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    create(BOX, box);
    create(SMOOTH, smooth);
    client = client_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */
static void test_frame(void **state)
{
    struct answer a, plan;
    size_t end;
    int seen[6] = {0};
    (void)state;
    ask_mesh(&d, box, "refined?level=2&surface=limit&include=indices&normals=split", "", &a);
    assert_int_equal(a.status, 200);
    frame_check(&a);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_int_equal(h->n_blocks, 3);
    const Subdd__V1__Block *n = h->blocks[0], *rows = h->blocks[1];
    assert_string_equal(n->semantic, "normals");
    assert_string_equal(rows->semantic, "normal_indices");
    assert_int_equal(n->count, 6 * 25); /* Each face is a grid of its own. */
    assert_true(rows->count == h->faces && rows->components == 4);
    for (uint64_t c = 0; c < 4 * rows->count; c++) {
        uint32_t row;
        float v[3];
        memcpy(&row, a.body + rows->offset + 4 * c, 4);
        assert_true(row < n->count);
        memcpy(v, a.body + n->offset + 12 * row, sizeof v);
        for (int k = 0; k < 3; k++)
            if (fabsf(v[k]) > 0.999999f)
                seen[2 * k + (v[k] > 0)]++;
    }
    for (int k = 0; k < 6; k++)
        assert_int_equal(seen[k], 64);
    ask_mesh(&d, box, "plan?level=2&surface=limit&include=indices&normals=split", "", &plan);
    assert_int_equal(answer_number(&plan, "frameBytes"), a.bytes);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
    answer_free(&plan);
}

/* Without a sharp edge they are the normals of the vertices, and the indices those of the faces. normals=vertex is what
 * there is without it. */
static void test_smooth(void **state)
{
    struct answer split, vertex, plain;
    size_t end;
    (void)state;
    ask_mesh(&d, smooth, "refined?level=3&surface=limit&include=normals,indices&normals=split", "", &split);
    ask_mesh(&d, smooth, "refined?level=3&surface=limit&include=normals,indices&normals=vertex", "", &vertex);
    ask_mesh(&d, smooth, "refined?level=3&surface=limit&include=normals,indices", "", &plain);
    assert_true(plain.bytes == vertex.bytes && memcmp(plain.body, vertex.body, plain.bytes) == 0);
    Subdd__V1__FrameHeader *s = frame_header(&split, &end), *v = frame_header(&vertex, &end);
    assert_true(s->n_blocks == 3 && v->n_blocks == 2);
    assert_int_equal(s->blocks[0]->bytes, v->blocks[0]->bytes);
    assert_memory_equal(split.body + s->blocks[0]->offset, vertex.body + v->blocks[0]->offset, v->blocks[0]->bytes);
    assert_memory_equal(split.body + s->blocks[1]->offset, vertex.body + v->blocks[1]->offset, v->blocks[1]->bytes);
    subdd__v1__frame_header__free_unpacked(s, NULL);
    subdd__v1__frame_header__free_unpacked(v, NULL);
    answer_free(&split);
    answer_free(&vertex);
    answer_free(&plain);
}

static void test_refused(void **state)
{
    char detail[256], id[32];
    struct answer a;
    (void)state;
    ask_mesh(&d, box, "refined?normals=both", "", &a);
    assert_problem(&a, 400, "invalid_argument", "normals");
    assert_non_null(strstr(answer_member(&a, "detail", detail), "normals is vertex or split, not"));
    answer_free(&a);
    create("{\"points\":[0,0,0,1,0,0,0,1,0],\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,2],"
           "\"subdivisionScheme\":\"sqrt3\"}",
           id);
    ask_mesh(&d, id, "refined?normals=split", "", &a);
    assert_problem(&a, 422, "unsupported", "normals");
    assert_non_null(strstr(answer_member(&a, "detail", detail), "no engine does split normals under sqrt3"));
    answer_free(&a);
    ask_mesh(&d, id, "refined?include=normals", "Accept: model/obj\r\n", &a); /* A file has those of the vertices. */
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.body, "\nvn "));
    answer_free(&a);
}

static void test_libsubd(void **state)
{
    struct subd_refine r =
        SUBD_INIT(subd_refine, .level = 2, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMAL_INDICES);
    struct subd_frame f = {0};
    struct subd_error err;
    (void)state;
    for (int compact = 0; compact < 2; compact++) {
        r.compact = compact ? SUBD_NORMALS : 0;
        r.include |= SUBD_NORMALS;
        if (subd_refine(client, box, &r, &f, &err) != SUBD_OK)
            fail_msg("%s", err.text);
        const struct subd_block *n = subd_frame_find(&f, SUBD_NORMALS),
                                *rows = subd_frame_find(&f, SUBD_NORMAL_INDICES);
        if (!n || !rows || f.n_blocks != 4) {
            fail_msg("%d blocks", f.n_blocks);
            return;
        }
        assert_true(n->count == 150 && n->components == (compact ? 2 : 3));
        assert_true(rows->count == f.faces && rows->components == 4);
    }
    subd_frame_free(&f);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
static char *read_file(const char *suffix, size_t *bytes)
{
    char path[128], *data = NULL;
    snprintf(path, sizeof path, "%s/box%s", d.dir, suffix);
    assert_int_equal(RUN("refine", box, "--level", "2", "--normals", "-o", path), 0);
    data = slurp(path, bytes);
    assert_non_null(data);
    return data;
}

/* The daemon's file is that of subd, byte for byte. */
static void same_by_http(const char *media, const char *data, size_t bytes)
{
    struct answer a;
    char accept[64];
    snprintf(accept, sizeof accept, "Accept: %s\r\n", media);
    ask_mesh(&d, box, "refined?level=2&include=normals,uvs", accept, &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.bytes, bytes);
    assert_memory_equal(a.body, data, bytes);
    answer_free(&a);
}

static int count(const char *data, const char *what)
{
    int n = 0;
    for (const char *at = data; (at = strstr(at, what)); at++)
        n++;
    return n;
}

static void test_obj(void **state)
{
    size_t n;
    char *obj = read_file(".obj", &n);
    (void)state;
    assert_int_equal(count(obj, "\nvn "), 150);
    assert_non_null(strstr(obj, "\nv -1 -1 -1 1 0 0\n"));
    assert_non_null(strstr(obj, "\nv 1 1 3 1 1 1\n"));
    assert_non_null(strstr(obj, "\nusemtl red\nf "));
    assert_non_null(strstr(obj, "\nusemtl light blue\nf "));
    assert_non_null(strstr(obj, "\nusemtl\nf "));
    assert_non_null(strstr(obj, "\nusemtl 9 \"q\"\nf "));
    assert_int_equal(count(obj, "\ng sides\n"), 1);
    assert_int_equal(count(obj, "\nf "), 96);
    same_by_http("model/obj", obj, n);
    free(obj);
}

static void test_usda(void **state)
{
    size_t n;
    char *usda = read_file(".usda", &n);
    (void)state;
    assert_non_null(strstr(usda, "    upAxis = \"Z\"\n    metersPerUnit = 0.01\n"));
    assert_non_null(strstr(usda, "matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (10, 20, "
                                 "30, 1))\n    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"));
    assert_non_null(strstr(usda, "normal3f[] primvars:normals = [("));
    assert_non_null(strstr(usda, "int[] primvars:normals:indices = ["));
    assert_non_null(strstr(usda, "color3f[] primvars:displayColor = [(1, 0, 0), (0, 1, 0)"));
    assert_non_null(strstr(usda, "texCoord2f[] primvars:uv2 = [("));
    assert_non_null(strstr(usda, "def GeomSubset \"red\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]"));
    assert_non_null(strstr(usda, "rel material:binding = </"));
    assert_non_null(strstr(usda, "displayName = \"9 \\\"q\\\"\""));
    assert_non_null(strstr(usda, "int[] indices = [80, 81, 82"));
    assert_non_null(strstr(usda, "uniform token familyName = \"group\""));
    assert_int_equal(count(usda, "def Material \""), 3);
    same_by_http("model/vnd.usda", usda, n);
    free(usda);
}

static void test_ply(void **state)
{
    size_t n;
    char *ply = read_file(".ply", &n);
    static const unsigned char red[3] = {255, 0, 0}, grey[3] = {128, 128, 128};
    (void)state;
    assert_non_null(strstr(ply, "comment materialBind 2 light blue\n"));
    assert_non_null(strstr(ply, "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 96\n"));
    assert_non_null(strstr(ply, "property int materialBind\n"));
    const char *row = strstr(ply, "end_header\n") + 11; /* Three floats, three of the normal, three bytes. */
    assert_memory_equal(row + 24, red, 3);
    assert_memory_equal(row + 6 * 27 + 24, grey, 3);
    same_by_http("model/ply", ply, n);
    free(ply);
}

/* ---- glTF -------------------------------------------------------------------------------------------------------- */
static const char *bin_of(const char *glb, const cJSON *o, int accessor, int *n)
{
    uint32_t json;
    memcpy(&json, glb + 12, 4);
    const cJSON *a = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "accessors"), accessor);
    const cJSON *v =
        cJSON_GetArrayItem(cJSON_GetObjectItem(o, "bufferViews"), cJSON_GetObjectItem(a, "bufferView")->valueint);
    const cJSON *at = cJSON_GetObjectItem(a, "byteOffset");
    *n = cJSON_GetObjectItem(a, "count")->valueint;
    return glb + 28 + json + cJSON_GetObjectItem(v, "byteOffset")->valueint + (at ? at->valueint : 0);
}

/* A triangle's own normal is the one that its corners have, the texture counts from the top, and the box stands up. */
static void check_primitive(const char *glb, const cJSON *o, const cJSON *primitive, int *triangles)
{
    const cJSON *a = cJSON_GetObjectItem(primitive, "attributes");
    int n, n_rows;
    const uint32_t *index =
        (const uint32_t *)(const void *)bin_of(glb, o, cJSON_GetObjectItem(primitive, "indices")->valueint, &n);
    const float *p = (const float *)(const void *)bin_of(glb, o, cJSON_GetObjectItem(a, "POSITION")->valueint, &n_rows);
    const float *v = (const float *)(const void *)bin_of(glb, o, cJSON_GetObjectItem(a, "NORMAL")->valueint, &n_rows);
    assert_non_null(cJSON_GetObjectItem(a, "COLOR_0"));
    assert_non_null(cJSON_GetObjectItem(a, "TEXCOORD_0"));
    assert_non_null(cJSON_GetObjectItem(a, "TEXCOORD_1"));
    *triangles += n / 3;
    for (int i = 0; i < n; i += 3) {
        double e[2][3], c[3], length = 0;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 2; j++)
                e[j][k] = (double)p[3 * index[i + 1 + j] + (uint32_t)k] - (double)p[3 * index[i] + (uint32_t)k];
        for (int k = 0; k < 3; k++)
            c[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3], length += c[k] * c[k];
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++)
                dot += c[k] / sqrt(length) * (double)v[3 * index[i + j] + (uint32_t)k];
            assert_true(dot > 0.99999);
        }
    }
}

static void test_glb(void **state)
{
    /* Z up in hundredths: x stays, z becomes y, y becomes -z; the node's matrix is the transform seen so. */
    static const double low[3] = {-0.01, -0.01, -0.01}, high[3] = {0.01, 0.03, 0.01},
                        node[16] = {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0.1, 0.3, -0.2, 1};
    static const char *const names[] = {"red", "light blue", "9 \"q\""};
    size_t n;
    int triangles = 0, without = 0;
    char *glb = read_file(".glb", &n);
    uint32_t json;
    (void)state;
    memcpy(&json, glb + 12, 4);
    cJSON *o = cJSON_ParseWithLength(glb + 20, json);
    assert_non_null(o);
    const cJSON *primitives =
                    cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "meshes"), 0), "primitives"),
                *primitive, *box_of = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "accessors"), 0),
                *matrix = cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "nodes"), 0), "matrix");
    assert_int_equal(cJSON_GetArraySize(primitives), 4);
    cJSON_ArrayForEach(primitive, primitives)
    {
        without += !cJSON_GetObjectItem(primitive, "material");
        check_primitive(glb, o, primitive, &triangles);
    }
    assert_true(without == 1 && triangles == 192);
    for (int k = 0; k < 3; k++) {
        const cJSON *m = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "materials"), k);
        assert_string_equal(cJSON_GetObjectItem(m, "name")->valuestring, names[k]);
        assert_true(fabs(cJSON_GetArrayItem(cJSON_GetObjectItem(box_of, "min"), k)->valuedouble - low[k]) < 1e-8);
        assert_true(fabs(cJSON_GetArrayItem(cJSON_GetObjectItem(box_of, "max"), k)->valuedouble - high[k]) < 1e-8);
    }
    for (int k = 0; k < 16; k++)
        assert_true(fabs(cJSON_GetArrayItem(matrix, k)->valuedouble - node[k]) < 1e-12);
    same_by_http("model/gltf-binary", glb, n);
    cJSON_Delete(o);
    free(glb);
}

/* ---- files that go in again -------------------------------------------------------------------------------------- */
/* The blocks of the frame, bit for bit: what bilinear keeps at level 1 begins with the control mesh's own rows. */
static void same_rows(const struct subd_frame *from, const struct subd_frame *again, const char *name)
{
    const struct subd_block *a = name ? subd_frame_primvar(from, name, SUBD_PRIMVAR)
                                      : subd_frame_find(from, SUBD_POSITIONS),
                            *b = name ? subd_frame_primvar(again, name, SUBD_PRIMVAR)
                                      : subd_frame_find(again, SUBD_POSITIONS);
    assert_true(a && b && a->components == b->components && b->count >= a->count);
    assert_memory_equal(a->data, b->data, (size_t)a->bytes);
}

/* Four faces of level 1 lie in each face of the file, with its set. */
static void same_sets(const struct subd_frame *from, const struct subd_frame *again, const char *name)
{
    const struct subd_block *a = subd_frame_primvar(from, name, SUBD_PRIMVAR),
                            *b = subd_frame_primvar(again, name, SUBD_PRIMVAR);
    assert_true(a && b && b->count == 4 * a->count && a->n_set_names == b->n_set_names);
    for (int64_t i = 0; i < b->count; i++) {
        const int32_t one = ((const int32_t *)a->data)[i / 4], two = ((const int32_t *)b->data)[i];
        const char *x = a->set_names, *y = b->set_names;
        assert_int_equal(!one, !two);
        for (int32_t k = 1; k < one; k++) /* Names may have been numbered anew. */
            x += strlen(x) + 1;
        for (int32_t k = 1; k < two; k++)
            y += strlen(y) + 1;
        if (one)
            assert_string_equal(x, y);
    }
}

static void push_again(const char *suffix, const char *media, struct subd_frame *frame)
{
    struct subd_push push = SUBD_INIT(subd_push);
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 1, .primvars = "*",
                                     .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_UVS | SUBD_UV_INDICES);
    struct subd_mesh_info info;
    struct subd_error err;
    size_t n;
    char *file = read_file(suffix, &n);
    struct subd_body body = {media, file, n};
    push.options[SUBD_SCHEME] = "bilinear";
    push.strict = 1;
    if (subd_push(client, &body, &push, &info, &err) != SUBD_OK ||
        subd_refine(client, info.id, &r, frame, &err) != SUBD_OK)
        fail_msg("%s: %s", suffix, err.text);
    assert_true(info.vertices == 98 && info.faces == 96);
    free(file);
}

/* What subd writes goes in again, without a loss: points, colours, UVs and sets are those of the frame; USDA has the
 * stage and the further UVs too. */
static void test_again(void **state)
{
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 2, .primvars = "*",
                                     .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_UVS | SUBD_UV_INDICES);
    struct subd_frame from = {0}, obj = {0}, usda = {0};
    struct subd_error err;
    (void)state;
    if (subd_refine(client, box, &r, &from, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    push_again(".obj", "model/obj", &obj);
    push_again(".usda", "model/vnd.usda", &usda);
    const struct subd_frame *frames[] = {&obj, &usda};
    for (int k = 0; k < 2; k++) {
        same_rows(&from, frames[k], NULL);
        same_rows(&from, frames[k], "displayColor");
        same_sets(&from, frames[k], "materialBind");
        same_sets(&from, frames[k], "group");
        assert_memory_equal(subd_frame_find(&from, SUBD_UVS)->data, subd_frame_find(frames[k], SUBD_UVS)->data,
                            (size_t)subd_frame_find(&from, SUBD_UVS)->bytes);
    }
    same_rows(&from, &usda, "uv2");
    assert_null(subd_frame_primvar(&usda, "normals", SUBD_PRIMVAR));
    assert_string_equal(usda.up_axis, "Z");
    assert_true(usda.meters_per_unit == 0.01 && usda.transform);
    assert_memory_equal(usda.transform, from.transform, 16 * sizeof *from.transform);
    assert_string_equal(obj.up_axis, "");
    subd_frame_free(&from);
    subd_frame_free(&obj);
    subd_frame_free(&usda);
}

/* PLY has the normals of the vertices, asked for either way, and a frame what it is asked for. */
static void test_subd(void **state)
{
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/split.ply", d.dir);
    assert_int_equal(RUN("refine", box, "--level", "2", "--split-normals", "-o", path), 0);
    snprintf(path, sizeof path, "%s/split.frame", d.dir);
    assert_int_equal(RUN("refine", box, "--level", "2", "--split-normals", "-o", path), 0);
    assert_int_equal(RUN("plan", box, "--level", "2", "--split-normals"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),   cmocka_unit_test(test_smooth), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_libsubd), cmocka_unit_test(test_obj),    cmocka_unit_test(test_usda),
        cmocka_unit_test(test_ply),     cmocka_unit_test(test_glb),    cmocka_unit_test(test_subd),
        cmocka_unit_test(test_again),
    };
    return cmocka_run_group_tests_name("split normals and what files carry", tests, start, stop);
}
