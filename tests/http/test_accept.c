/* SPDX-License-Identifier: Apache-2.0 */
/* A refined surface and a cage in every format by Accept: the bytes that subd writes, each with a tag of its own; and
 * what is refused. */
#include "tests/env.h"
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JSON "Content-Type: application/json\r\n"

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

static const struct {
    const char *suffix, *media, *tag, *begins;
} formats[] = {
    {".obj", "model/obj", "-obj\"", "# subdd m_"},
    {".ply", "model/ply", "-ply\"", "ply\nformat binary_little_endian 1.0\n"},
    {".usda", "model/vnd.usda", "-usda\"", "#usda 1.0\n"},
    {".glb", "model/gltf-binary", "-glb\"", "glTF\x02"},
    {".stl", "model/stl", "-stl\"", "subdd m_"},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static void accept_only(const char *id, const char *rest, const char *media, struct answer *a)
{
    char fields[128];
    snprintf(fields, sizeof fields, "Accept: %s\r\n", media);
    ask_mesh(&d, id, rest, fields, a);
}

/* Pushes a file with subd; id gets its id. */
static void push(const char *path, char id[32])
{
    struct ran r = spawn_subd(d.dir, (const char *const[]){"push", path, NULL}, NULL);
    assert_int_equal(r.code, 0);
    snprintf(id, 32, "%.*s", (int)strcspn(r.out, "\n"), r.out);
    ran_free(&r);
}

/* Asks subd and the daemon for the same file. */
static void same_as_subd(const char *id, int format, const char *const *flags, const char *rest)
{
    char path[128], value[128];
    const char *args[16] = {"refine", id, "-o", path};
    struct answer a;
    size_t n, at = 4;
    for (; *flags; flags++)
        args[at++] = *flags;
    snprintf(path, sizeof path, "%s/out%s", d.dir, formats[format].suffix);
    struct ran r = spawn_subd(d.dir, args, NULL);
    if (r.code)
        fail_msg("%s", r.err);
    char *file = slurp(path, &n);
    accept_only(id, rest, formats[format].media, &a);
    if (a.status != 200)
        fail_msg("%s as %s: %s", rest, formats[format].media, a.body);
    assert_int_equal(a.bytes, n);
    assert_memory_equal(a.body, file, n);
    assert_memory_equal(a.body, formats[format].begins, strlen(formats[format].begins));
    assert_true(answer_field(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, formats[format].media);
    assert_true(answer_field(&a, "Vary", value, sizeof value) && strstr(value, "Accept"));
    assert_true(answer_field(&a, "ETag", value, sizeof value) && strstr(value, formats[format].tag));
    const bool sized = answer_field(&a, "Content-Length", value, sizeof value);
    assert_int_equal(answer_field(&a, "Accept-Ranges", value, sizeof value), sized);
    /* Every warning of subd is one of the daemon's, where the UVs that only its query names may follow. */
    for (const char *line = r.err; *line; line += strcspn(line, "\n") + 1) {
        char warning[300];
        snprintf(warning, sizeof warning, "Subdd-Warning: %.*s", (int)strcspn(line + 6, ":\n"), line + 6);
        if (!strstr(a.head, warning))
            fail_msg("no %s in %s", warning, a.head);
    }
    ran_free(&r);
    free(file);
    answer_free(&a);
}

static void test_same_as_subd(void **state)
{
    static const char *const files[] = {"uv_islands_mixed.obj", "isolated.obj", "smoothtri_mixed.obj", "cube.obj"};
    char path[4200], id[32];
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", test_shapes_dir(), files[i]);
        push(path, id);
        for (int f = 0; f < N_FORMATS; f++) {
            same_as_subd(id, f, (const char *const[]){"--level", "2", NULL}, "refined?level=2");
            same_as_subd(id, f, (const char *const[]){"--level", "1", "--surface", "limit", "--normals", NULL},
                         strstr(files[i], "uv_") ? "refined?level=1&surface=limit&include=normals,uvs"
                                                 : "refined?level=1&surface=limit&include=normals");
        }
    }
}

/* A primvar of each class, with names that formats have for other things; and UVs that sqrt3 does not refine. */
static void test_primvars(void **state)
{
    static const char mesh[] =
        "{\"options\":{\"subdivisionScheme\":\"%s\"},\"points\":[0,0,0,1,0,0,0,1,0,1,1,1],"
        "\"faceVertexCounts\":[3,3],\"faceVertexIndices\":[0,1,2,2,1,3],\"st\":[0,0,1,0,0,1],"
        "\"stIndices\":[0,1,2,2,1,0],\"primvars\":["
        "{\"name\":\"id\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[7,-8]},"
        "{\"name\":\"x\",\"interpolation\":\"vertex\",\"values\":[1,2,3,4]},"
        "{\"name\":\"a:indices\",\"interpolation\":\"varying\",\"width\":2,\"values\":[1,2,3,4,5,6,7,8]},"
        "{\"name\":\"all\",\"interpolation\":\"constant\",\"width\":5,\"values\":[1,2,3,4,5]},"
        "{\"name\":\"map\",\"interpolation\":\"faceVarying\",\"values\":[1,2],\"indices\":[0,1,1,0,0,1]}]}";
    char path[96], id[32], text[1200];
    struct answer a;
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/primvars.json", d.dir);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        snprintf(text, sizeof text, mesh, i ? "sqrt3" : "loop");
        fputs(text, f);
        fclose(f);
        push(path, id);
        if (i)
            break;
        for (int k = 0; k < N_FORMATS; k++)
            same_as_subd(id, k, (const char *const[]){"--level", "2", "--primvars", "*", NULL},
                         "refined?level=2&primvars=*");
    }
    accept_only(id, "refined", "*/*", &a);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.head, "Subdd-Warning: the mesh's UVs are left out"));
    assert_null(strstr(a.body, "\nvt "));
    answer_free(&a);
}

/* Larger than a piece: it is made while it is sent, from a fresh frame, from the cache and as a pose. */
/* Any bytes of a file of several pieces, and none past its end. */
static void check_ranges(const char *id, const char *rest, const char *media, const struct answer *whole)
{
    const size_t rows[][2] = {
        {0, 9}, {(1 << 20) - 5, (1 << 20) + 5}, {whole->bytes - 7, whole->bytes - 1}, {100, 2 << 20}};
    char fields[160], value[96], want[96];
    struct answer a;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t first = rows[i][0], last = rows[i][1];
        snprintf(fields, sizeof fields, "Accept: %s\r\nRange: bytes=%zu-%zu\r\n", media, first, last);
        ask_mesh(&d, id, rest, fields, &a);
        assert_int_equal(a.status, 206);
        snprintf(want, sizeof want, "bytes %zu-%zu/%zu", first, last, whole->bytes);
        assert_true(answer_field(&a, "Content-Range", value, sizeof value));
        assert_string_equal(value, want);
        assert_int_equal(a.bytes, last - first + 1);
        assert_memory_equal(a.body, whole->body + first, a.bytes);
        answer_free(&a);
    }
    snprintf(fields, sizeof fields, "Accept: %s\r\nRange: bytes=%zu-\r\n", media, whole->bytes);
    ask_mesh(&d, id, rest, fields, &a);
    assert_int_equal(a.status, 416);
    answer_free(&a);
}

static void test_in_pieces(void **state)
{
    char id[32], target[128];
    struct answer a, b, c;
    static const char rest[] = "refined?level=4&method=mesh-matrix";
    float *points = calloc(41 * 41, 12);
    (void)state;
    char *text = grid_obj(40), *v = text;
    create_obj(&d, text, id);
    for (int i = 0; i < 41 * 41; i++, v++) {
        v++; /* The letter. */
        for (int k = 0; k < 3; k++)
            points[3 * i + k] = strtof(v, &v);
    }
    free(text);
    for (int f = 0; f < N_FORMATS; f++) {
        same_as_subd(id, f, (const char *const[]){"--level", "4", "--method", "mesh-matrix", NULL}, rest);
        accept_only(id, rest, formats[f].media, &a);
        assert_true(a.bytes > 3 << 20);
        char value[64];
        const bool sized = answer_field(&a, "Content-Length", value, sizeof value);
        const bool counts = strcmp(formats[f].media, "model/obj") != 0 && strcmp(formats[f].media, "model/ply") != 0;
        assert_int_equal(sized, counts);
        check_ranges(id, rest, formats[f].media, &a);
        assert_true(answer_field(&a, "Subdd-Cache", value, sizeof value));
        assert_string_equal(value, "hit");
        snprintf(target, sizeof target, "/v1/meshes/%s/%s", id, rest);
        char fields[128];
        snprintf(fields, sizeof fields, "Accept: %s\r\nContent-Type: application/octet-stream\r\n", formats[f].media);
        http_ask(&d, "POST", target, fields, points, 41 * 41 * 12, &b);
        assert_int_equal(b.status, 200);
        assert_false(answer_field(&b, "ETag", value, sizeof value));
        assert_int_equal(a.bytes, b.bytes);
        assert_memory_equal(a.body, b.body, a.bytes);
        points[0] -= 3;
        http_ask(&d, "POST", target, fields, points, 41 * 41 * 12, &c);
        assert_true(c.bytes > 3 << 20);
        assert_true(c.bytes != b.bytes || memcmp(b.body, c.body, c.bytes) != 0);
        points[0] += 3;
        answer_free(&a);
        answer_free(&b);
        answer_free(&c);
    }
    free(points);
}

/* What is not said in Accept: never bytes that a terminal cannot show. */
static void test_by_default(void **state)
{
    static const struct {
        const char *rest, *accept, *type;
    } rows[] = {
        {"refined", "Accept: */*\r\n", "model/obj"},
        {"refined", "Accept: text/html, */*;q=0.8\r\n", "model/obj"},
        {"refined?include=positions", "Accept: */*\r\n", "model/obj"},
        {"refined", "Accept: model/*\r\n", "model/obj"},
        {"refined", "Accept: application/*\r\n", "application/vnd.subdd.frame"},
        {"refined", "Accept: application/octet-stream\r\n", "application/vnd.subdd.frame"},
        {"refined", "Accept: model/stl, */*\r\n", "model/stl"},
        {"refined", "Accept: model/stl;q=0.2, model/ply;q=0.3, image/png\r\n", "model/ply"},
        {"refined", "Accept: model/obj;q=0, model/*;q=0.1\r\n", "model/vnd.usda"},
        {"cage", "", "application/json"},
        {"cage", "Accept: */*\r\n", "application/json"},
        {"cage", "Accept: */*, model/ply\r\n", "model/ply"},
        {"", "Accept: */*\r\n", "application/json"},
    };
    char id[32], value[64], head[200];
    struct answer a;
    (void)state;
    create_cube(&d, id);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char target[128];
        snprintf(target, sizeof target, "/v1/meshes/%s%s%s", id, *rows[i].rest ? "/" : "", rows[i].rest);
        http_ask(&d, "GET", target, rows[i].accept, NULL, 0, &a);
        assert_int_equal(a.status, 200);
        assert_true(answer_field(&a, "Content-Type", value, sizeof value));
        if (strcmp(value, rows[i].type) != 0)
            fail_msg("%s with %s gives %s", rows[i].rest, rows[i].accept, value);
        answer_free(&a);
    }
    int fd = http_connect(&d); /* No Accept at all, which http_ask would add. */
    snprintf(head, sizeof head, "GET /v1/meshes/%s/refined HTTP/1.1\r\nHost: localhost\r\n\r\n", id);
    http_send(fd, head, strlen(head));
    http_read(fd, &a, false);
    assert_true(answer_field(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "model/obj");
    answer_free(&a);
    close(fd);
}

static void test_tags(void **state)
{
    char id[32], tag[64], fields[160], value[64];
    struct answer a;
    (void)state;
    create_cube(&d, id);
    for (int f = 0; f < N_FORMATS; f++) {
        accept_only(id, "refined?level=2", formats[f].media, &a);
        assert_true(answer_field(&a, "ETag", tag, sizeof tag));
        answer_free(&a);
        snprintf(fields, sizeof fields, "Accept: %s\r\nIf-None-Match: %s\r\n", formats[f].media, tag);
        ask_mesh(&d, id, "refined?level=2", fields, &a);
        assert_int_equal(a.status, 304);
        assert_true(answer_field(&a, "ETag", value, sizeof value));
        assert_string_equal(value, tag);
        answer_free(&a);
        snprintf(fields, sizeof fields, "Accept: %s\r\nIf-None-Match: %s\r\n", formats[(f + 1) % N_FORMATS].media, tag);
        ask_mesh(&d, id, "refined?level=2", fields, &a);
        assert_int_equal(a.status, 200);
        answer_free(&a);
        snprintf(fields, sizeof fields, "Accept: %s\r\nRange: bytes=5-9\r\n", formats[f].media);
        ask_mesh(&d, id, "refined?level=2", fields, &a);
        assert_int_equal(a.status, 206);
        assert_int_equal(a.bytes, 5);
        assert_true(answer_field(&a, "Content-Range", value, sizeof value) && strncmp(value, "bytes 5-9/", 10) == 0);
        answer_free(&a);
    }
}

/* The polygons of a control mesh: holes are no faces, and leftHanded ones are turned. */
static void test_cage(void **state)
{
    static const char body[] =
        "{\"name\":\"two\",\"orientation\":\"leftHanded\",\"points\":[0,0,0,1,0,0,1,1,0,0,1,0,2,0,1,2,1,1,3,0,1,3,1,2],"
        "\"faceVertexCounts\":[4,4,5],\"faceVertexIndices\":[0,1,2,3,1,4,5,2,4,6,7,5,2],\"holeIndices\":[1],"
        "\"st\":[0.25,0,1,0],\"stIndices\":[0,1,1,1,0,0,0,0,0,1,1,1,1],"
        "\"primvars\":[{\"name\":\"id\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[7,8,9]}]}";
    char id[256], value[256];
    struct answer a;
    (void)state;
    http_ask(&d, "POST", "/v1/meshes", JSON, body, strlen(body), &a);
    assert_int_equal(a.status, 201);
    answer_member(&a, "id", id);
    answer_free(&a);
    accept_only(id, "cage", "model/stl", &a);
    assert_int_equal(a.status, 200);
    uint32_t n;
    float row[12];
    memcpy(&n, a.body + 80, 4);
    assert_int_equal(n, 2 + 3); /* A quad and a pentagon. */
    assert_int_equal(a.bytes, 84 + 50 * n);
    memcpy(row, a.body + 84, sizeof row);
    static const float first[12] = {0, 0, -1, 0, 0, 0, 0, 1, 0, 1, 1, 0}; /* 0 3 2, seen from below. */
    for (int i = 0; i < 12; i++)
        assert_true(row[i] == first[i]);
    assert_non_null(strstr(a.head, "Subdd-Warning: .stl files carry the triangles alone"));
    assert_non_null(strstr(a.head, "Subdd-Warning: .stl files cannot carry uvs, uniform primvar id: left out"));
    answer_free(&a);
    accept_only(id, "cage", "model/ply", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "ETag", value, sizeof value));
    assert_string_equal(value, "\"1-ply\"");
    assert_non_null(strstr(a.body, "element face 2\n"));
    assert_non_null(strstr(a.body, "\ncomment subdd control mesh\n")); /* It is of no level. */
    /* The last face: 5 corners, 10 numbers of UVs, and its id. */
    const char *last = a.body + a.bytes - (1 + 20 + 1 + 40 + 4);
    static const int32_t corners[5] = {4, 2, 5, 7, 6};
    static const float uvs[10] = {0.25f, 0, 1, 0, 1, 0, 1, 0, 1, 0};
    assert_int_equal(last[0], 5);
    assert_memory_equal(last + 1, corners, 20);
    assert_int_equal(last[21], 10);
    assert_memory_equal(last + 22, uvs, 40);
    memcpy(&n, last + 62, 4);
    assert_int_equal(n, 9);
    answer_free(&a);
    accept_only(id, "cage", "model/gltf-binary", &a);
    assert_int_equal(a.status, 200);
    memcpy(&n, a.body + 8, 4);
    assert_int_equal(n, a.bytes);
    assert_non_null(strstr(a.body + 20, "\"TEXCOORD_0\""));
    answer_free(&a);
    ask_mesh(&d, id, "cage", "Accept: model/ply\r\nIf-None-Match: \"1-ply\"\r\n", &a);
    assert_int_equal(a.status, 304);
    answer_free(&a);
}

static void test_refused(void **state)
{
    char id[32], value[256];
    struct answer a;
    (void)state;
    create_cube(&d, id);
    accept_only(id, "refined", "image/png, text/html", &a);
    assert_problem(&a, 406, "not_acceptable", "accept");
    for (int f = 0; f < N_FORMATS; f++)
        assert_non_null(strstr(a.body, formats[f].media));
    assert_non_null(strstr(a.body, "application/vnd.subdd.frame"));
    answer_free(&a);
    accept_only(id, "refined", "model/obj;q=0", &a);
    assert_problem(&a, 406, "not_acceptable", "accept");
    answer_free(&a);
    accept_only(id, "refined?compact=positions", "model/obj", &a);
    assert_problem(&a, 400, "invalid_argument", "compact");
    assert_non_null(strstr(a.body, "application/vnd.subdd.frame"));
    answer_free(&a);
    /* glTF has no meshes without faces. Nothing but holes has none. */
    static const char holes[] = "{\"points\":[0,0,0,1,0,0,0,1,0],\"faceVertexCounts\":[3],"
                                "\"faceVertexIndices\":[0,1,2],\"holeIndices\":[0]}";
    http_ask(&d, "POST", "/v1/meshes", JSON, holes, strlen(holes), &a);
    assert_int_equal(a.status, 201);
    snprintf(id, sizeof id, "%s", answer_member(&a, "id", value));
    answer_free(&a);
    /* One byte counts the corners of a face in PLY. */
    char *fan = malloc(20000);
    size_t at = 0;
    for (int i = 0; i < 256; i++)
        at += (size_t)snprintf(fan + at, 20000 - at, "v %d %d 0\n", i, i * i);
    at += (size_t)snprintf(fan + at, 20000 - at, "f");
    for (int i = 0; i < 256; i++)
        at += (size_t)snprintf(fan + at, 20000 - at, " %d", i + 1);
    char many[32];
    create_obj(&d, fan, many);
    free(fan);
    accept_only(many, "cage", "model/ply", &a);
    assert_problem(&a, 422, "unsupported", "accept");
    assert_non_null(strstr(a.body, "255 corners"));
    answer_free(&a);
    static const char *const rests[] = {"refined", "cage"};
    for (int i = 0; i < 2; i++) {
        accept_only(id, rests[i], "model/gltf-binary", &a);
        assert_problem(&a, 422, "unsupported", "accept");
        assert_non_null(strstr(a.body, "no faces"));
        answer_free(&a);
    }
    accept_only(id, "refined", "model/stl", &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.bytes, 84);
    answer_free(&a);
}

/* 4 GiB are the limit of glTF. It is refused by the counts, before anything is made. */
static void test_too_large(void **state)
{
    static const char *const options[] = {"--max-output-bytes", "1000000000000", NULL};
    struct daemon big = {0};
    struct answer a;
    char id[32];
    (void)state;
    daemon_start(&big, options);
    create_grid(&big, 40, id);
    ask_mesh(&big, id, "refined?level=9&method=mesh-matrix", "Accept: model/gltf-binary\r\n", &a);
    assert_problem(&a, 413, "too_large", "accept");
    assert_non_null(strstr(a.body, "4 GiB"));
    assert_true(a.seconds < 5);
    answer_free(&a);
    daemon_stop(&big);
}

/* A client that leaves in the middle, and one that does not read, leave nothing behind. */
static void test_left(void **state)
{
    char id[32], head[200];
    (void)state;
    create_grid(&d, 100, id);
    for (int f = 0; f < N_FORMATS; f++) {
        int fd = http_connect(&d);
        snprintf(head, sizeof head,
                 "GET /v1/meshes/%s/refined?level=4 HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n\r\n", id,
                 formats[f].media);
        http_send(fd, head, strlen(head));
        char first[20];
        assert_true(read(fd, first, sizeof first) > 0);
        assert_true(daemon_metric(&d, "subdd_streams") > 0);
        close(fd);
    }
    for (int i = 0; i < 200 && daemon_metric(&d, "subdd_streams") > 0; i++)
        usleep(20000);
    assert_int_equal(daemon_metric(&d, "subdd_streams"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_subd), cmocka_unit_test(test_primvars),  cmocka_unit_test(test_in_pieces),
        cmocka_unit_test(test_by_default),   cmocka_unit_test(test_tags),      cmocka_unit_test(test_cage),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_too_large), cmocka_unit_test(test_left)};
    return cmocka_run_group_tests_name("http/accept", tests, start, stop);
}
