/* SPDX-License-Identifier: Apache-2.0 */
/* Refined frames: layout, digests, entity tags, ranges, the cache, the plan, and staying alive under pressure. */
#include "tests/env.h"
#include "tests/http/cube.h"
#include "tests/http/frames.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void test_frame(void **state)
{
    struct answer a;
    char value[128];
    size_t end;
    (void)state;
    ask_mesh(&d, cube, "refined?level=2", "", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "application/vnd.subdd.frame");
    assert_true(answer_field(&a, "Accept-Ranges", value, sizeof value));
    assert_string_equal(value, "bytes");
    assert_true(answer_field(&a, "Server-Timing", value, sizeof value));
    assert_non_null(strstr(value, "refine;dur="));
    frame_check(&a);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_string_equal(h->mesh_id, cube);
    assert_int_equal(h->version, 1);
    assert_int_equal(h->level, 2);
    assert_string_equal(h->surface, "refined");
    assert_string_equal(h->backend, getenv("SUBDD_TEST_BACKEND") ? getenv("SUBDD_TEST_BACKEND") : "cpu");
    assert_int_equal(h->vertices, 98);
    assert_int_equal(h->faces, 96);
    assert_int_equal(h->edges, 192);
    assert_int_equal(h->n_blocks, 2);
    assert_string_equal(h->blocks[0]->semantic, "positions");
    assert_string_equal(h->blocks[0]->type, "f32");
    assert_string_equal(h->blocks[1]->semantic, "indices");
    assert_string_equal(h->blocks[1]->type, "u32");
    float first[3]; /* grid order: the image of control vertex 0; a cube's corner goes to 2/9 at level 1 of [0, 1] */
    memcpy(first, a.body + h->blocks[0]->offset, sizeof first);
    assert_true(first[0] > 0.2f && first[0] < 0.3f && first[0] == first[1] && first[1] == first[2]);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
}

static void test_include(void **state)
{
    static const char *const rows[] = {"include=positions", "include=indices", "include=positions,normals,indices",
                                       "include=normals", "level=3&surface=limit&include=positions"};
    struct answer a, plan;
    char rest[160];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(rest, sizeof rest, "refined?%s", rows[i]);
        ask_mesh(&d, cube, rest, "", &a);
        snprintf(rest, sizeof rest, "plan?%s", rows[i]);
        ask_mesh(&d, cube, rest, "", &plan);
        assert_int_equal(a.status, plan.status);
        if (a.status == 501) { /* nobody here can do that yet: said, not guessed */
            assert_problem(&a, 501, "unsupported", NULL);
        } else {
            assert_int_equal(a.status, 200);
            frame_check(&a);
            assert_int_equal(answer_number(&plan, "frameBytes"), a.bytes);
        }
        answer_free(&a);
        answer_free(&plan);
    }
}

static void test_plan(void **state)
{
    struct answer a, plan;
    char rest[64], value[256];
    (void)state;
    char *obj = grid_obj(7), id[32];
    create_obj(&d, obj, id);
    free(obj);
    for (int level = 1; level <= 5; level++) {
        snprintf(rest, sizeof rest, "plan?level=%d", level);
        ask_mesh(&d, id, rest, "", &plan);
        assert_int_equal(plan.status, 200);
        snprintf(rest, sizeof rest, "refined?level=%d", level);
        ask_mesh(&d, id, rest, "", &a);
        assert_int_equal(a.status, 200);
        assert_int_equal(answer_number(&plan, "frameBytes"), a.bytes);
        size_t end;
        Subdd__V1__FrameHeader *h = frame_header(&a, &end);
        assert_int_equal(answer_number(&plan, "vertices"), h->vertices);
        assert_int_equal(answer_number(&plan, "faces"), h->faces);
        assert_int_equal(answer_number(&plan, "edges"), h->edges);
        assert_string_equal(answer_member(&plan, "method", value), h->method);
        assert_int_equal(answer_number(&plan, "bytes"), h->blocks[0]->bytes);
        assert_true(answer_number(&plan, "deviceBytes") >= 0 && answer_number(&plan, "availableDeviceBytes") > 0);
        subdd__v1__frame_header__free_unpacked(h, NULL);
        answer_free(&a);
        answer_free(&plan);
    }
}

/* The limit of control vertex 4 of a cube whose top is creased by 3.7, and the entity tag of the answer. */
static double limit_of_corner(const char *id, const char *surface, int level, char tag[64])
{
    struct answer a;
    char rest[96];
    float at[3];
    size_t end;
    snprintf(rest, sizeof rest, "refined?level=%d&surface=%s&include=positions", level, surface);
    ask_mesh(&d, id, rest, "", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "ETag", tag, 64));
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_string_equal(h->surface, surface);
    memcpy(at, a.body + h->blocks[0]->offset + 4 * sizeof at, sizeof at);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
    return (double)at[2];
}

/* With `limit` a vertex goes to one place from every level; with `limitAtLevel` only from level 4 on, when nothing of
 * the crease is left. The two never share an answer. */
static void test_two_limits(void **state)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                              "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
                              "t crease 2/1/0 4 5 3.7\nt crease 2/1/0 5 6 3.7\nt crease 2/1/0 6 7 3.7\n"
                              "t crease 2/1/0 7 4 3.7\n";
    char id[32], tag[64], other[64];
    (void)state;
    create_obj(&d, obj, id);
    const double z = limit_of_corner(id, "limitAtLevel", 4, tag);
    assert_true(z > 0.9 && z < 0.99);
    for (int level = 1; level <= 4; level++) {
        assert_true(fabs(limit_of_corner(id, "limit", level, tag) - z) < 1e-6);
        double masks = limit_of_corner(id, "limitAtLevel", level, other);
        assert_true(level == 4 || masks == 1.0);
        assert_string_not_equal(tag, other);
    }
}

static void test_etag_and_cache(void **state)
{
    struct answer a, b;
    char tag[64], again[64], field[128], value[32];
    (void)state;
    ask_mesh(&d, cube, "refined?level=3", "", &a);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    assert_true(answer_field(&a, "Subdd-Cache", value, sizeof value));
    assert_string_equal(value, "miss");
    ask_mesh(&d, cube, "refined?level=3", "", &b);
    assert_true(answer_field(&b, "ETag", again, sizeof again));
    assert_string_equal(tag, again);
    assert_true(answer_field(&b, "Subdd-Cache", value, sizeof value));
    assert_string_equal(value, "hit");
    assert_int_equal(a.bytes, b.bytes);
    assert_memory_equal(a.body, b.body, a.bytes);
    answer_free(&b);
    ask_mesh(&d, cube, "refined?level=3&include=positions", "", &b);
    assert_true(answer_field(&b, "ETag", again, sizeof again));
    assert_string_not_equal(tag, again);
    answer_free(&b);
    snprintf(field, sizeof field, "If-None-Match: %s\r\n", tag);
    ask_mesh(&d, cube, "refined?level=3", field, &b);
    assert_int_equal(b.status, 304);
    assert_int_equal(b.bytes, 0);
    assert_true(answer_field(&b, "ETag", again, sizeof again));
    assert_string_equal(tag, again);
    answer_free(&b);
    snprintf(field, sizeof field, "If-None-Match: \"a\", W/%s\r\n", tag);
    ask_mesh(&d, cube, "refined?level=3", field, &b);
    assert_int_equal(b.status, 304);
    answer_free(&b);
    ask_mesh(&d, cube, "refined?level=3", "If-None-Match: \"a\"\r\n", &b);
    assert_int_equal(b.status, 200);
    answer_free(&b);
    answer_free(&a);
}

/* A tag names bytes: a daemon started anew, with nothing cached, gives the same ones. */
static void test_same_after_restart(void **state)
{
    struct answer a, b;
    char tag[64], again[64];
    (void)state;
    ask_mesh(&d, cube, "refined?level=4", "", &a);
    daemon_kill(&d);
    daemon_start(&d, NULL);
    ask_mesh(&d, cube, "refined?level=4", "", &b);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag) && answer_field(&b, "ETag", again, sizeof again));
    assert_string_equal(tag, again);
    assert_int_equal(a.bytes, b.bytes);
    assert_memory_equal(a.body, b.body, a.bytes);
    answer_free(&a);
    answer_free(&b);
}

static void test_ranges(void **state)
{
    static const struct {
        const char *range;
        long first, length;
        int status;
    } rows[] = {
        {"bytes=0-99", 0, 100, 206}, {"bytes=100-", 100, -1, 206},     {"bytes=-10", -10, 10, 206},
        {"bytes=5-5", 5, 1, 206},    {"bytes=0-99999999", 0, -1, 206}, {"bytes=99999999-", 0, 0, 416},
        {"bytes=-0", 0, 0, 416},     {"bytes=9-3", 0, -1, 200},        {"bytes=0-1,3-4", 0, -1, 200},
        {"lines=1-2", 0, -1, 200},   {"bytes=a-b", 0, -1, 200},        {"bytes=-", 0, -1, 200},
    };
    struct answer whole, a;
    char field[160], value[64], expected[64], tag[64];
    (void)state;
    ask_mesh(&d, cube, "refined?level=5", "", &whole); /* 6,144 quads: streamed, not copied */
    assert_true(answer_field(&whole, "ETag", tag, sizeof tag));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(field, sizeof field, "Range: %s\r\n", rows[i].range);
        ask_mesh(&d, cube, "refined?level=5", field, &a);
        assert_int_equal(a.status, rows[i].status);
        long first = rows[i].first < 0 ? (long)whole.bytes + rows[i].first : rows[i].first;
        long length = rows[i].length < 0 ? (long)whole.bytes - first : rows[i].length;
        if (a.status == 416) {
            assert_problem(&a, 416, "range_not_satisfiable", "range");
            snprintf(expected, sizeof expected, "bytes */%zu", whole.bytes);
        } else {
            assert_int_equal(a.bytes, length);
            assert_memory_equal(a.body, whole.body + first, (size_t)length);
            snprintf(expected, sizeof expected, "bytes %ld-%ld/%zu", first, first + length - 1, whole.bytes);
        }
        if (a.status != 200) {
            assert_true(answer_field(&a, "Content-Range", value, sizeof value));
            assert_string_equal(value, expected);
        }
        answer_free(&a);
    }
    snprintf(field, sizeof field, "Range: bytes=1-2\r\nIf-Range: %s\r\n", tag);
    ask_mesh(&d, cube, "refined?level=5", field, &a);
    assert_int_equal(a.status, 206);
    answer_free(&a);
    ask_mesh(&d, cube, "refined?level=5", "Range: bytes=1-2\r\nIf-Range: \"old\"\r\n", &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.bytes, whole.bytes);
    answer_free(&a);
    answer_free(&whole);
}

static void test_head(void **state)
{
    struct answer a, b;
    char target[96], one[64], two[64];
    (void)state;
    ask_mesh(&d, cube, "refined?level=5", "", &a);
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=5", cube);
    http_ask(&d, "HEAD", target, "", NULL, 0, &b);
    assert_int_equal(b.status, 200);
    assert_int_equal(b.bytes, 0);
    assert_true(answer_field(&a, "Content-Length", one, sizeof one) &&
                answer_field(&b, "Content-Length", two, sizeof two));
    assert_string_equal(one, two);
    assert_true(answer_field(&a, "ETag", one, sizeof one) && answer_field(&b, "ETag", two, sizeof two));
    assert_string_equal(one, two);
    answer_free(&a);
    answer_free(&b);
}

static void test_bad_requests(void **state)
{
    static const struct {
        const char *rest, *fields;
        int status;
        const char *code, *field;
    } rows[] = {
        {"refined?level=x", "", 400, "invalid_argument", "level"},
        {"refined?level=", "", 400, "invalid_argument", "level"},
        {"refined?level=16", "", 400, "invalid_argument", "level"},
        {"refined?surface=flat", "", 400, "invalid_argument", "surface"},
        {"refined?include=", "", 400, "invalid_argument", "include"},
        {"refined?include=positions,colours", "", 400, "invalid_argument", "include"},
        {"refined?method=magic", "", 400, "invalid_argument", "method"},
        {"refined?methods=auto", "", 400, "invalid_argument", "methods"},
        {"refined?scheme=loop", "", 400, "invalid_argument", "scheme"},
        {"refined?include=uvs", "", 400, NULL, NULL}, /* the cube has none */
        {"refined", "Accept: image/png\r\n", 406, "not_acceptable", "accept"},
        {"plan?level=0", "", 400, "invalid_argument", "level"},
        {"plan?method=magic", "", 400, "invalid_argument", "method"},
    };
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char code[256];
        ask_mesh(&d, cube, rows[i].rest, rows[i].fields, &a);
        if (a.status != rows[i].status)
            print_message("%s: %d\n", rows[i].rest, a.status);
        assert_problem(&a, rows[i].status, rows[i].code ? rows[i].code : answer_member(&a, "code", code),
                       rows[i].field);
        answer_free(&a);
    }
}

/* Who leaves does not get work done: the job is cancelled, and the mesh is free for the next one. */
static void test_disconnect_cancels(void **state)
{
    char target[160], id[32];
    struct answer a;
    (void)state;
    char *obj = grid_obj(40);
    create_obj(&d, obj, id);
    free(obj);
    /* a GPU is done with level 7 before we have left */
    const int level = strcmp(test_backend(), "cpu") == 0 ? 6 : 8;
    static const char *const include[6] = {"positions,normals,indices", "positions,normals", "positions,indices",
                                           "normals,indices",           "positions",         "normals"};
    int fds[6];
    for (int i = 0; i < 6; i++) { /* one runs, five wait behind it, and none has what another one asks for */
        int n = snprintf(target, sizeof target,
                         "GET /v1/meshes/%s/refined?level=%d&include=%s HTTP/1.1\r\n" ACCEPT_FRAME
                         "Host: localhost\r\n\r\n",
                         id, level, include[i]);
        fds[i] = http_connect(&d);
        http_send(fds[i], target, (size_t)n);
    }
    usleep(20000);
    for (int i = 0; i < 6; i++)
        close(fds[i]);
    assert_true(daemon_logged(&d, "\"code\":\"cancelled\""));
    ask_mesh(&d, id, "refined?level=1", "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    http_get(&d, "/metrics", &a);
    assert_non_null(strstr(a.body, "\nsubdd_cancelled_total "));
    assert_null(strstr(a.body, "\nsubdd_cancelled_total 0\n"));
    answer_free(&a);
}

static long device_bytes(const char *metrics)
{
    long used = 0;
    for (int i = 0; i < 3; i++) { /* topology, positions, scratch */
        assert_non_null(metrics = strstr(metrics, "\nsubdd_device_memory_bytes{kind="));
        metrics = strchr(metrics, '}') + 1;
        used += strtol(metrics, NULL, 10);
    }
    return used;
}

/* Many meshes and frames under small budgets: all answers right, memory within them. */
static void test_eviction(void **state)
{
    static const char *const options[] = {"--gpu-memory", "4MiB", "--host-memory", "1MiB", "--cache-bytes",
                                          "2MiB",         NULL};
    enum { N = 24 };
    struct daemon kept = d;
    char ids[N][32];
    struct answer a, first[N];
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, options);
    char *obj = grid_obj(40);
    for (int i = 0; i < N; i++) {
        char tagged[128 << 10];
        snprintf(tagged, sizeof tagged, "%st corner 1/1/0 %d 2\n", obj, i); /* a topology of its own */
        create_obj(&d, tagged, ids[i]);
        ask_mesh(&d, ids[i], "refined?level=2&include=positions", "", &first[i]);
        assert_int_equal(first[i].status, 200);
        frame_check(&first[i]);
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < N; i++) {
            ask_mesh(&d, ids[(i * 7 + round) % N], "refined?level=2&include=positions", "", &a);
            assert_int_equal(a.status, 200);
            assert_memory_equal(a.body, first[(i * 7 + round) % N].body, a.bytes);
            answer_free(&a);
        }
    http_get(&d, "/metrics", &a);
    assert_in_range(device_bytes(a.body), 1, 4 << 20);
    const char *s;
    assert_non_null(strstr(a.body, "\nsubdd_phase_duration_seconds_count{phase=\"commit\"} "));
    s = strstr(a.body, "\nsubdd_store_bytes{file=\"log\"} ");
    assert_true(s && strtol(strchr(s, '}') + 1, NULL, 10) > 0);
    s = strstr(a.body, "\nsubdd_host_memory_bytes ");
    assert_in_range(strtol(s + 25, NULL, 10), 1, 1 << 20);
    s = strstr(a.body, "\nsubdd_cache_bytes ");
    assert_in_range(strtol(s + 19, NULL, 10), 1, 2 << 20);
    assert_null(strstr(a.body, "subdd_evictions_total{from=\"host\",to=\"disk\"} 0\n"));
    assert_null(strstr(a.body, "subdd_evictions_total{from=\"device\",to=\"host\"} 0\n"));
    answer_free(&a);
    for (int i = 0; i < N; i++) { /* what is deleted gives everything back */
        char target[64];
        snprintf(target, sizeof target, "/v1/meshes/%.31s", ids[i]);
        http_ask(&d, "DELETE", target, "", NULL, 0, &a);
        assert_int_equal(a.status, 204);
        answer_free(&a);
        answer_free(&first[i]);
    }
    /* The device's thread does so behind the answer. */
    for (int i = 0; i < 500 && daemon_metric(&d, "subdd_gpu_memory_bytes{gpu=\"0\",kind=\"topology\"}"); i++)
        usleep(10000);
    http_get(&d, "/metrics", &a);
    assert_non_null(strstr(a.body, "\nsubdd_device_memory_bytes{kind=\"topology\"} 0\n"));
    assert_non_null(strstr(a.body, "\nsubdd_device_memory_bytes{kind=\"scratch\"} 0\n"));
    assert_non_null(strstr(a.body, "\nsubdd_host_memory_bytes 0\n"));
    assert_non_null(strstr(a.body, "\nsubdd_cache_bytes 0\n"));
    answer_free(&a);
    free(obj);
    daemon_stop(&d);
    d = kept;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame),          cmocka_unit_test(test_include),
                                       cmocka_unit_test(test_plan),           cmocka_unit_test(test_two_limits),
                                       cmocka_unit_test(test_etag_and_cache), cmocka_unit_test(test_same_after_restart),
                                       cmocka_unit_test(test_ranges),         cmocka_unit_test(test_head),
                                       cmocka_unit_test(test_bad_requests),   cmocka_unit_test(test_disconnect_cancels),
                                       cmocka_unit_test(test_eviction)};
    return cmocka_run_group_tests_name("http/refined", tests, cube_start, cube_stop);
}
