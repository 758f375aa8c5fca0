/* SPDX-License-Identifier: Apache-2.0 */
/* Positions and edits: new versions, preconditions, retries, order, and what is refused leaves the mesh as it was. */
#include "tests/http/daemon.h"
#include <pthread.h>
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
#define OCTETS "Content-Type: application/octet-stream\r\n"

static void put(const char *id, const char *query, const char *fields, const void *body, size_t n, struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s/positions%s", id, query);
    http_ask(&d, "PUT", target, fields, body, n, a);
}

static void edit(const char *id, const char *fields, const char *body, struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", id);
    http_ask(&d, "POST", target, fields, body, strlen(body), a);
}

static void get(const char *id, const char *rest, const char *fields, struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s%s", id, rest);
    http_ask(&d, "GET", target, fields, NULL, 0, a);
}

static void expect_version(const char *id, long long version)
{
    struct answer a;
    get(id, "", "", &a);
    assert_int_equal(answer_number(&a, "version"), version);
    answer_free(&a);
}

static void test_positions(void **state)
{
    char id[32], tag[64];
    float points[24] = {0};
    struct answer a, old, new;
    (void)state;
    create_cube(&d, id);
    get(id, "/refined?level=2", "", &old);
    for (int i = 0; i < 24; i++)
        points[i] = (float)i;
    put(id, "", OCTETS "If-Match: \"1\"\r\n", points, sizeof points, &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    assert_string_equal(tag, "\"2\"");
    assert_int_equal(answer_number(&a, "version"), 2);
    answer_free(&a);
    get(id, "/refined?level=2", "", &new);
    assert_int_equal(old.bytes, new.bytes);
    assert_memory_not_equal(old.body, new.body, new.bytes);
    answer_free(&old);
    put(id, "?first=7", OCTETS, points, 12, &a); /* one vertex */
    assert_int_equal(a.status, 200);
    answer_free(&a);
    put(id, "", JSON, "{\"ranges\":[{\"first\":7,\"points\":[21,22,23]}]}", 44, &a); /* and back */
    assert_int_equal(a.status, 200);
    assert_int_equal(answer_number(&a, "version"), 4);
    answer_free(&a);
    get(id, "/cage", "Accept: model/obj\r\n", &a);
    assert_non_null(strstr(a.body, "v 0 1 2\n"));
    assert_non_null(strstr(a.body, "v 21 22 23\n"));
    answer_free(&a);
    get(id, "/refined?level=2&include=positions", "", &a); /* the same points as version 2: the same blocks */
    get(id, "/refined?level=2&include=positions", "", &old);
    assert_memory_equal(a.body, old.body, a.bytes);
    answer_free(&a);
    answer_free(&old);
    answer_free(&new);
    put(id, "", OBJ, CUBE, strlen(CUBE), &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

static void test_positions_refused(void **state)
{
    static const unsigned char nan_points[96] = {0, 0, 0xc0, 0x7f};
    char id[32], octets[96] = {0};
    struct answer a, before, after;
    const struct {
        const char *query, *fields;
        const void *body;
        size_t n;
        int status;
        const char *code;
    } rows[] = {
        {"", OCTETS, octets, 95, 422, NULL},
        {"", OCTETS, octets, 84, 422, "invalid_mesh"},
        {"?first=1", OCTETS, octets, 96, 422, "invalid_mesh"},
        {"?first=99999999999", OCTETS, octets, 12, 400, "invalid_argument"},
        {"?first=-1", OCTETS, octets, 12, 400, "invalid_argument"},
        {"?first=0", JSON, "{\"ranges\":[]}", 13, 400, "invalid_argument"},
        {"", OCTETS, nan_points, 96, 422, "invalid_mesh"},
        {"", OCTETS "If-Match: \"7\"\r\n", octets, 96, 412, "version_mismatch"},
        {"", OCTETS "If-Match: W/\"1\"\r\n", octets, 96, 400, "invalid_argument"},
        {"", JSON, "{\"ranges\":[{\"first\":8,\"points\":[0,0,0]}]}", 41, 422, "invalid_mesh"},
        {"", JSON, "{\"ranges\":[{\"first\":0,\"points\":[0,0]}]}", 39, 422, NULL},
        {"", JSON, "{\"ranges\":[{\"first\":0,\"points\":[0,0,0]},{\"first\":1,\"points\":[1e39,0,0]}]}", 74, 400,
         NULL},
        {"", JSON, "{\"ranges\":[]}", 13, 400, "invalid_argument"},
        {"", JSON, "{\"ranges\":[{\"first\":0,\"points\":[]}]}", 36, 400, "invalid_argument"},
        {"?first=0", OCTETS, octets, 0, 400, NULL},
        {"", "Content-Type: application/protobuf\r\n", "\x0a\x02\x08\x01", 4, 400, "invalid_argument"},
        {"", OBJ, "v 0 0 nan\n", 10, 422, "invalid_mesh"},
        {"", OBJ, "v 0 0 0\n", 8, 422, "invalid_mesh"},
        {"", "Content-Type: model/stl\r\n", octets, 96, 415, "unsupported_media_type"},
    };
    (void)state;
    create_cube(&d, id);
    get(id, "/refined?level=1", "", &before);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char code[256];
        put(id, rows[i].query, rows[i].fields, rows[i].body, rows[i].n, &a);
        if (a.status != rows[i].status)
            print_message("row %zu: %s\n", i, a.body);
        assert_problem(&a, rows[i].status, rows[i].code ? rows[i].code : answer_member(&a, "code", code), NULL);
        answer_free(&a);
    }
    expect_version(id, 1);
    get(id, "/refined?level=1", "", &after); /* also on the device nothing moved */
    assert_memory_equal(before.body, after.body, before.bytes);
    get(id, "/refined?level=1", "If-None-Match: \"x\"\r\n", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    answer_free(&before);
    answer_free(&after);
    put("m_0000000000000000", "", OCTETS, octets, 96, &a);
    assert_problem(&a, 404, "not_found", NULL);
    answer_free(&a);
}

static void test_edits(void **state)
{
    char id[32], value[256];
    struct answer a, plain, creased;
    (void)state;
    create_cube(&d, id);
    get(id, "/refined?level=2", "", &plain);
    edit(id, JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "ETag", value, sizeof value));
    assert_string_equal(value, "\"2\"");
    assert_string_equal(answer_member(&a, "newVertexIds", value), "[]");
    answer_free(&a);
    get(id, "/refined?level=2", "", &creased);
    assert_int_equal(creased.status, 200);
    assert_memory_not_equal(plain.body, creased.body, plain.bytes);
    answer_free(&plain);
    answer_free(&creased);
    /* a pyramid on one side: the face goes, an apex and four triangles come */
    edit(id, JSON "If-Match: \"2\"\r\n",
         "{\"edits\":[{\"removeFaces\":{\"ids\":[1]}},{\"addVertices\":{\"points\":[0.5,0.5,2]}},"
         "{\"addFaces\":{\"faceVertexCounts\":[3,3,3,3],\"faceVertexIndices\":[4,5,-1,5,7,-1,7,6,-1,6,4,-1]}}]}",
         &a);
    if (a.status != 200)
        print_message("%s\n", a.body);
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_member(&a, "newVertexIds", value), "[8]");
    assert_string_equal(answer_member(&a, "newFaceIds", value), "[6,7,8,9]");
    assert_int_equal(answer_number(&a, "faces"), 9);
    assert_int_equal(answer_number(&a, "vertices"), 9);
    answer_free(&a);
    get(id, "/refined?level=2", "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

static void test_edits_refused(void **state)
{
    char id[32], value[256];
    struct answer a, before, after;
    const struct {
        const char *fields, *body;
        int status;
        const char *code;
    } rows[] = {
        {JSON, "{\"edits\":[]}", 428, "precondition_required"},
        {JSON "If-Match: \"2\"\r\n", "{\"edits\":[]}", 412, "version_mismatch"},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"setCreases\":{\"edges\":[0,7],\"sharpnesses\":[2]}}]}", 422, NULL},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"removeVertices\":{\"ids\":[0]}}]}", 422, "invalid_mesh"},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"removeFaces\":{\"ids\":[99]}}]}", 422, NULL},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"explode\":{}}]}", 400, "invalid_argument"},
        {JSON "If-Match: \"1\"\r\n",
         "{\"edits\":[{\"addFaces\":{\"faceVertexCounts\":[2],\"faceVertexIndices\":[0,1]}}]}", 422, NULL},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[]}", 400, "invalid_argument"},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"setPositions\":{}}]}", 400, "invalid_argument"},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"addVertices\":{}}]}", 400, "invalid_argument"},
        {JSON "If-Match: \"1\"\r\n", "{\"edits\":[{\"setHoles\":{\"ids\":[0]}}]}", 400, "invalid_argument"},
        {JSON "If-Match: \"1\"\r\n", "{", 400, "malformed"},
        {"Content-Type: application/protobuf\r\nIf-Match: \"1\"\r\n", "\xff", 400, "malformed"},
        {OBJ "If-Match: \"1\"\r\n", "v 0 0 0", 415, "unsupported_media_type"},
    };
    (void)state;
    create_cube(&d, id);
    get(id, "/cage", "", &before);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char code[256];
        edit(id, rows[i].fields, rows[i].body, &a);
        if (a.status != rows[i].status)
            print_message("row %zu: %s\n", i, a.body);
        assert_problem(&a, rows[i].status, rows[i].code ? rows[i].code : answer_member(&a, "code", code), NULL);
        if (a.status == 412) {
            assert_int_equal(answer_number(&a, "currentVersion"), 1);
            assert_true(answer_field(&a, "ETag", value, sizeof value));
            assert_string_equal(value, "\"1\"");
        }
        answer_free(&a);
    }
    get(id, "/cage", "", &after);
    assert_int_equal(before.bytes, after.bytes);
    assert_memory_equal(before.body, after.body, before.bytes);
    expect_version(id, 1);
    answer_free(&before);
    answer_free(&after);
}

/* A retry with its key gets the first answer, also when the mesh has moved on, and also after kill -9. */
static void test_idempotent_edit(void **state)
{
    static const char body[] =
        "{\"edits\":[{\"addVertices\":{\"points\":[5,5,5]}},{\"setCorners\":{\"ids\":[0],\"sharpnesses\":[3]}}]}";
    char id[32];
    struct answer first, again;
    (void)state;
    create_cube(&d, id);
    edit(id, JSON "If-Match: \"1\"\r\nIdempotency-Key: e-1\r\n", body, &first);
    assert_int_equal(first.status, 200);
    edit(id, JSON "If-Match: \"2\"\r\n", "{\"edits\":[{\"setHoles\":{\"ids\":[2],\"hole\":true}}]}", &again);
    assert_int_equal(again.status, 200);
    answer_free(&again);
    for (int i = 0; i < 2; i++) {
        edit(id, JSON "If-Match: \"1\"\r\nIdempotency-Key: e-1\r\n", body, &again);
        assert_int_equal(again.status, 200);
        assert_string_equal(first.body, again.body);
        answer_free(&again);
        if (!i) {
            daemon_kill(&d);
            daemon_start(&d, NULL);
        }
    }
    expect_version(id, 3);
    edit(id, JSON "If-Match: \"3\"\r\nIdempotency-Key: e-1\r\n", "{\"edits\":[]}", &again);
    assert_problem(&again, 422, "idempotency_key_reused", NULL);
    answer_free(&again);
    answer_free(&first);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
struct writer {
    char id[32];
    int n, versions[64];
};

static void *write_positions(void *arg)
{
    struct writer *w = arg;
    float points[24] = {0};
    char target[96];
    struct answer a;
    int fd = http_connect(&d);
    snprintf(target, sizeof target, "/v1/meshes/%s/positions", w->id);
    for (w->n = 0; w->n < 64; w->n++) {
        points[0] = (float)w->n;
        http_ask_on(fd, "PUT", target, OCTETS, points, sizeof points, &a);
        if (a.status != 200)
            break;
        w->versions[w->n] = (int)answer_number(&a, "version");
        answer_free(&a);
    }
    close(fd);
    return NULL;
}

/* Four clients on one mesh and one on another: each version is given once, each client sees its own grow. */
static void test_order(void **state)
{
    struct writer w[5];
    pthread_t threads[5];
    char seen[4 * 64 + 2] = {0};
    (void)state;
    create_cube(&d, w[0].id);
    create_cube(&d, w[4].id);
    for (int i = 0; i < 5; i++) {
        if (i < 4)
            memcpy(w[i].id, w[0].id, sizeof w[i].id);
        assert_int_equal(pthread_create(&threads[i], NULL, write_positions, &w[i]), 0);
    }
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(w[i].n, 64);
        for (int k = 0; k < 64; k++) {
            assert_in_range(w[i].versions[k], 2, 4 * 64 + 1);
            assert_true(k == 0 || w[i].versions[k] > w[i].versions[k - 1]);
            assert_int_equal(seen[w[i].versions[k]]++, 0);
        }
    }
    expect_version(w[0].id, 4 * 64 + 1);
    expect_version(w[4].id, 65);
}

/* Requests sent in one go on one connection and on others: a read after a write on the same mesh sees it. */
static void test_read_your_write(void **state)
{
    char id[32], both[2048];
    float points[24] = {0};
    struct answer a;
    (void)state;
    create_cube(&d, id);
    for (int i = 0; i < 20; i++) {
        points[0] = (float)i;
        int n = snprintf(
            both, sizeof both,
            "PUT /v1/meshes/%s/positions HTTP/1.1\r\nHost: localhost\r\n" OCTETS "Content-Length: 96\r\n\r\n", id);
        memcpy(both + n, points, 96);
        n += 96;
        n += snprintf(both + n, sizeof both - (size_t)n, "GET /v1/meshes/%s HTTP/1.1\r\nHost: localhost\r\n\r\n", id);
        int fd = http_connect(&d);
        http_send(fd, both, (size_t)n);
        http_read(fd, &a, false);
        assert_int_equal(answer_number(&a, "version"), i + 2);
        answer_free(&a);
        http_read(fd, &a, false);
        assert_int_equal(answer_number(&a, "version"), i + 2);
        answer_free(&a);
        close(fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions),       cmocka_unit_test(test_positions_refused),
                                       cmocka_unit_test(test_edits),           cmocka_unit_test(test_edits_refused),
                                       cmocka_unit_test(test_idempotent_edit), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_read_your_write)};
    return cmocka_run_group_tests_name("http/updates", tests, start, stop);
}
