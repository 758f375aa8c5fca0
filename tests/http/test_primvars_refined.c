/* SPDX-License-Identifier: Apache-2.0 */
/* Refined frames with primvars: blocks by name, their values, plan, tags, what is refused; and subd's PLY of them. */
#include "client/lib/subd_patches.h"
#include "tests/http/daemon.h"
#include "tests/http/frames.h"
#include "tests/http/spawn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct daemon served;
static subd_client *client;
static char url[64], id[64];

/* Linear throughout, so that all can be told beforehand. A cube; map is 0 1 2 3 on each face but for one seam. */
static const char cube[] =
    "{\"options\":{\"subdivisionScheme\":\"bilinear\",\"faceVaryingLinearInterpolation\":\"all\"},"
    "\"points\":[-1,-1,-1,1,-1,-1,1,1,-1,-1,1,-1,-1,-1,1,1,-1,1,1,1,1,-1,1,1],\"faceVertexCounts\":[4,4,4,4,4,4],"
    "\"faceVertexIndices\":[0,3,2,1,4,5,6,7,0,1,5,4,1,2,6,5,2,3,7,6,3,0,4,7],"
    "\"st\":[0,0,1,0,1,1,0,1],\"stIndices\":[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3],\"primvars\":["
    "{\"name\":\"height\",\"interpolation\":\"varying\",\"values\":[-1,-1,-1,-1,1,1,1,1]},"
    "{\"name\":\"material\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[10,11,12,13,14,16777217]},"
    "{\"name\":\"asset:id\",\"interpolation\":\"constant\",\"type\":\"i32\",\"width\":2,\"values\":[-7,2147483647]},"
    "{\"name\":\"map\",\"interpolation\":\"faceVarying\",\"width\":3,"
    "\"values\":[0,0,0,1,0,0,2,0,0,3,0,0,50,60,70],"
    "\"indices\":[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,4,1,2,3]}]}";

static int start(void **state)
{
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    struct subd_body body = {"application/json", cube, sizeof cube - 1};
    struct subd_mesh_info info;
    struct subd_error err;
    (void)state;
    daemon_start(&served, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    setenv("SUBD_SERVER", url, 1);
    assert_int_equal(subd_open(&config, &client, NULL), SUBD_OK);
    if (subd_push(client, &body, NULL, &info, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    snprintf(id, sizeof id, "%s", info.id);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&served);
    return 0;
}

static struct subd_frame refine(const char *primvars, unsigned include, int level)
{
    struct subd_refine r = SUBD_INIT(subd_refine, .level = level, .include = include, .primvars = primvars);
    struct subd_frame f = {0};
    struct subd_error err;
    if (subd_refine(client, id, &r, &f, &err) != SUBD_OK)
        fail_msg("%s (%s)", err.text, err.field);
    return f;
}

static const void *data(const struct subd_frame *f, const char *name)
{
    const struct subd_block *b = subd_frame_primvar(f, name, SUBD_PRIMVAR);
    assert_non_null(b);
    return b->data;
}

static void test_values(void **state)
{
    static const int32_t asset[2] = {-7, INT32_MAX}, materials[6] = {10, 11, 12, 13, 14, 16777217};
    struct subd_frame f = refine("*", SUBD_POSITIONS | SUBD_INDICES | SUBD_FACE_PARAMS, 3);
    const float(*points)[3] = subd_frame_find(&f, SUBD_POSITIONS)->data;
    const uint32_t(*params)[4] = subd_frame_find(&f, SUBD_FACE_PARAMS)->data;
    (void)state;
    assert_int_equal(f.n_blocks, 3 + 5);
    assert_memory_equal(data(&f, "asset:id"), asset, sizeof asset);
    for (int64_t i = 0; i < f.vertices; i++)
        assert_true(((const float *)data(&f, "height"))[i] == points[i][2]);
    for (int64_t i = 0; i < f.faces; i++)
        assert_int_equal(((const int32_t *)data(&f, "material"))[i], materials[params[i][0]]);
    const struct subd_block *map = subd_frame_primvar(&f, "map", SUBD_PRIMVAR),
                            *rows = subd_frame_primvar(&f, "map", SUBD_PRIMVAR_INDICES);
    assert_int_equal(map->components, 3);
    assert_string_equal(map->interpolation, "faceVarying");
    assert_int_equal(rows->count, f.faces);
    /* The value of a refined corner is bilinear in its place on the control face, whose corners have 0 1 2 3. */
    static const uint32_t along[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int64_t i = 0; i < f.faces; i++) {
        if (params[i][0] == 5)
            continue; /* the one with the seam */
        for (int k = 0; k < 4; k++) {
            const float *v = (const float *)map->data + 3 * (size_t)((const uint32_t *)rows->data)[4 * i + k];
            const uint32_t *at = along[((uint32_t)k + params[i][1]) % 4];
            double u = ((params[i][2] & 0xFFFF) + at[0]) / 8.0, w = ((params[i][2] >> 16) + at[1]) / 8.0;
            assert_true(v[0] == (float)(u * (1 - w) * 1 + u * w * 2 + (1 - u) * w * 3) && v[1] == 0);
        }
    }
    subd_frame_free(&f);
}

static void test_names_and_tags(void **state)
{
    struct subd_frame f = refine("map", 0, 2), g = refine("height,material", SUBD_POSITIONS, 2),
                      plain = refine(NULL, 0, 2);
    struct subd_refine again = SUBD_INIT(subd_refine, .level = 2, .primvars = "map");
    struct subd_error err;
    (void)state;
    assert_int_equal(f.n_blocks, 4);
    assert_int_equal(g.n_blocks, 3);
    assert_null(subd_frame_primvar(&g, "map", SUBD_PRIMVAR));
    assert_string_not_equal(f.etag, g.etag);
    assert_string_not_equal(f.etag, plain.etag);
    again.if_none_match = f.etag;
    char etag[136];
    memcpy(etag, f.etag, sizeof etag);
    again.if_none_match = etag;
    assert_int_equal(subd_refine(client, id, &again, &f, &err), SUBD_UNCHANGED);
    again.if_none_match = plain.etag;
    assert_int_equal(subd_refine(client, id, &again, &f, &err), SUBD_OK);
    subd_frame_free(&f);
    subd_frame_free(&g);
    subd_frame_free(&plain);
    struct answer a;
    ask_mesh(&served, id, "refined?level=2&primvars=*&include=positions,uvs,uv_indices,face_params", "", &a);
    assert_int_equal(a.status, 200);
    frame_check(&a);
    size_t end;
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_int_equal(h->n_blocks, 4 + 5);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
}

static void test_plan(void **state)
{
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 4, .primvars = "*");
    struct subd_frame f = refine("*", 0, 4);
    struct subd_plan p;
    struct subd_error err;
    (void)state;
    assert_int_equal(subd_get_plan(client, id, &r, &p, &err), SUBD_OK);
    assert_int_equal(p.n_blocks, f.n_blocks);
    assert_int_equal(p.frame_bytes, f.frame_bytes);
    for (int i = 0; i < p.n_blocks; i++) {
        assert_int_equal(p.blocks[i].semantic, f.blocks[i].semantic);
        assert_string_equal(p.blocks[i].name, f.blocks[i].name);
        assert_string_equal(p.blocks[i].interpolation, f.blocks[i].interpolation);
        assert_int_equal(p.blocks[i].bytes, f.blocks[i].bytes);
    }
    subd_frame_free(&f);
}

static void refused(const char *rest, const char *field, const char *says)
{
    struct answer a;
    ask_mesh(&served, id, rest, "", &a);
    assert_problem(&a, 400, "invalid_argument", field);
    if (!strstr(a.body, says))
        fail_msg("%s", a.body);
    answer_free(&a);
}

static void test_refused(void **state)
{
    (void)state;
    refused("refined?primvars=colour", "primvars", "no primvar \\\"colour\\\"; it has asset:id, height, map, material");
    refused("refined?primvars=height,,map", "primvars", "no primvar \\\"\\\"");
    refused("refined?primvars=height,*", "primvars", "no primvar \\\"*\\\"");
    refused("refined?primvars=st", "primvars", "no primvar \\\"st\\\"");
    refused("refined?primvars=", "primvars", "names nothing");
    refused("plan?primvars=colour", "primvars", "no primvar");
    refused("refined?include=primvar", "include", "face_params");
    refused("patches?primvars=height", "primvars", "no query parameter");
    char all[200] = "refined?primvars=";
    memset(all + strlen(all), 'a', 100);
    refused(all, "primvars", "no primvar");
}

/* A new version has other primvars, and rows. */
static void test_after_edits(void **state)
{
    static const float value = 3;
    const struct subd_primvar put = {.name = "aaa", .interpolation = "constant", .values = &value, .n_values = 1},
                              gone = {.name = "asset:id"};
    const struct subd_edit edits[] = {{.op = SUBD_PUT_PRIMVAR, .primvar = &put},
                                      {.op = SUBD_REMOVE_PRIMVAR, .primvar = &gone}};
    struct subd_body body = {"application/json", cube, sizeof cube - 1};
    struct subd_mesh_info info;
    struct subd_error err;
    struct subd_frame f = {0};
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 1, .primvars = "*");
    (void)state;
    assert_int_equal(subd_push(client, &body, NULL, &info, &err), SUBD_OK);
    assert_int_equal(subd_refine(client, info.id, &r, &f, &err), SUBD_OK);
    assert_int_equal(subd_edits(client, info.id, 1, edits, 2, NULL, NULL, &err), SUBD_OK);
    assert_int_equal(subd_refine(client, info.id, &r, &f, &err), SUBD_OK);
    assert_true(*(const float *)data(&f, "aaa") == 3);
    assert_non_null(subd_frame_primvar(&f, "map", SUBD_PRIMVAR_INDICES));
    assert_null(subd_frame_primvar(&f, "asset:id", SUBD_PRIMVAR));
    subd_frame_free(&f);
}

static void test_ply(void **state)
{
    static const char head[] =
        "element vertex 26\nproperty float x\nproperty float y\nproperty float z\nproperty float height\n"
        "element face 24\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
        "property int material\nend_header\n";
    char out[96];
    struct ran r;
    size_t bytes;
    (void)state;
    snprintf(out, sizeof out, "%s/out.ply", served.dir);
    spawn_run(&r, served.dir, "subd", (const char *const[]){"refine", id, "--primvars", "*", "-o", out, NULL}, NULL, 0);
    assert_int_equal(r.code, 0);
    assert_non_null(
        strstr(r.err, ".ply files cannot carry constant primvar asset:id, faceVarying primvar map: left out"));
    assert_null(strstr(r.err, "height"));
    ran_free(&r);
    char *file = slurp(out, &bytes);
    const char *body = strstr(file, head);
    assert_non_null(body);
    body += sizeof head - 1;
    assert_int_equal(bytes - (size_t)(body - file), 26 * 16 + 24 * (1 + 16 + 1 + 32 + 4));
    assert_memory_equal(body + 8, body + 12, 4); /* height is z */
    assert_memory_equal(body + 26 * 16 + 50, &(int32_t){10}, 4);
    free(file);
    spawn_run(&r, served.dir, "subd", (const char *const[]){"show", id, NULL}, NULL, 0);
    assert_non_null(strstr(r.out, "primvar map"));
    ran_free(&r);
    spawn_run(&r, served.dir, "subd", (const char *const[]){"refine", id, "--primvars", "nothing", NULL}, NULL, 0);
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, "no primvar \"nothing\""));
    ran_free(&r);
    spawn_run(&r, served.dir, "subd",
              (const char *const[]){"plan", id, "--level", "2", "--primvars", "map", "--json", NULL}, NULL, 0);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "primvar_indices"));
    ran_free(&r);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

/* Names that a file would have twice. */
static void test_names_in_files(void **state)
{
    static const char quad[] = "{\"points\":[0,0,0,1,0,0,1,1,0,0,1,0,5,5,5],\"faceVertexCounts\":[4],"
                               "\"faceVertexIndices\":[0,1,2,3],\"primvars\":["
                               "{\"name\":\"x\",\"interpolation\":\"vertex\",\"values\":[7,8,9,10,11]},"
                               "{\"name\":\"nx\",\"interpolation\":\"vertex\",\"values\":[7,8,9,10,11]},"
                               "{\"name\":\"b_0\",\"interpolation\":\"vertex\",\"values\":[7,8,9,10,11]},"
                               "{\"name\":\"b\",\"interpolation\":\"vertex\",\"width\":2,"
                               "\"values\":[0,1,2,3,4,5,6,7,8,9]},"
                               "{\"name\":\"c:_indices\",\"interpolation\":\"vertex\",\"values\":[7,8,9,10,11]},"
                               "{\"name\":\"c:indices\",\"interpolation\":\"vertex\",\"values\":[7,8,9,10,11]}]}";
    static const char *const once[] = {"property float x\n",   "property float x_\n",  "property float nx\n",
                                       "property float b_0\n", "property float b_1\n", "property float b_0_\n"};
    char in[96], out[96];
    struct ran r;
    size_t bytes;
    (void)state;
    snprintf(in, sizeof in, "%s/quad.json", served.dir);
    FILE *f = fopen(in, "w");
    assert_non_null(f);
    fputs(quad, f);
    fclose(f);
    snprintf(out, sizeof out, "%s/names.ply", served.dir);
    spawn_run(&r, served.dir, "subd", (const char *const[]){"refine", in, "--primvars", "*", "-o", out, NULL}, NULL, 0);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "the primvar x is called x_: "));
    assert_non_null(strstr(r.err, "the primvar b_0 is called b_0_: "));
    ran_free(&r);
    char *file = slurp(out, &bytes);
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        assert_int_equal(count(file, once[i]), 1);
    free(file);
    snprintf(out, sizeof out, "%s/names.usda", served.dir);
    spawn_run(&r, served.dir, "subd", (const char *const[]){"refine", in, "--primvars", "*", "-o", out, NULL}, NULL, 0);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    file = slurp(out, &bytes);
    assert_int_equal(count(file, "primvars:c:_indices ="), 1);
    assert_int_equal(count(file, "primvars:c:_indices_ ="), 1);
    free(file);
    snprintf(out, sizeof out, "%s/names.glb", served.dir);
    spawn_run(&r, served.dir, "subd", (const char *const[]){"refine", in, "--normals", "-o", out, NULL}, NULL, 0);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "glTF has no zero normals: that of 1 vertices without one is (0, 0, 1)"));
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),         cmocka_unit_test(test_names_and_tags), cmocka_unit_test(test_plan),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_after_edits),    cmocka_unit_test(test_ply),
        cmocka_unit_test(test_names_in_files),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
