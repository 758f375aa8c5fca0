/* SPDX-License-Identifier: Apache-2.0 */
/* GET patches over plain HTTP: the frame, tags, ranges, refusals, limits, and staying alive under pressure. */
#include "tests/env.h"
#include "tests/http/frames.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct daemon d;
static char cube[32], grid[32];

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, cube);
    create_grid(&d, 12, grid);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static void put_points(const char *id, int first, float x)
{
    const float points[3] = {x, 0.5f, 0.25f};
    char target[96];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/%.31s/positions?first=%d", id, first);
    http_ask(&d, "PUT", target, "Content-Type: application/octet-stream\r\n", points, sizeof points, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

static long long metric(const char *name)
{
    return daemon_metric(&d, name);
}

static void test_frame(void **state)
{
    static const struct {
        const char *semantic, *type;
        unsigned components;
    } rows[5] = {{"positions", "f32", 3},
                 {"patches", "u32", 16},
                 {"patch_params", "u32", 4},
                 {"indices", "u32", 4},
                 {"face_params", "u32", 4}};
    struct answer a;
    char value[128];
    size_t end;
    (void)state;
    ask_mesh(&d, cube, "patches?level=3&surface=limit", "", &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "application/vnd.subdd.frame");
    assert_true(answer_field(&a, "Accept-Ranges", value, sizeof value));
    assert_true(answer_field(&a, "Server-Timing", value, sizeof value));
    assert_non_null(strstr(value, "refine;dur="));
    assert_non_null(strstr(value, "download;dur="));
    frame_check(&a);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_string_equal(h->mesh_id, cube);
    assert_int_equal(h->version, 1);
    assert_int_equal(h->level, 3);
    assert_string_equal(h->surface, "limit");
    assert_string_equal(h->method, "mesh-matrix");
    assert_string_equal(h->backend, test_backend());
    assert_int_equal(h->edges, 0);
    assert_int_equal(h->n_blocks, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(h->blocks[i]->semantic, rows[i].semantic);
        assert_string_equal(h->blocks[i]->type, rows[i].type);
        assert_int_equal(h->blocks[i]->components, rows[i].components);
    }
    assert_int_equal(h->blocks[0]->count, h->vertices);
    assert_int_equal(h->blocks[1]->count, h->blocks[2]->count);
    assert_int_equal(h->blocks[3]->count, h->blocks[4]->count);
    assert_int_equal(h->blocks[1]->count + h->blocks[3]->count, h->faces);
    /* Each of a cube's eight corners is in three cells of a level; the rest of their parents' children is regular. */
    assert_int_equal(h->blocks[3]->count, 24);
    assert_int_equal(h->blocks[1]->count, 2 * (24 * 4 - 24));
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
    ask_mesh(&d, cube, "patches", "", &a); /* level 1, refined */
    assert_int_equal(a.status, 200);
    frame_check(&a);
    answer_free(&a);
}

static bool asked(const char *id, const char *rest, const char *fields, int status, char tag[64])
{
    struct answer a;
    char value[64] = "";
    ask_mesh(&d, id, rest, fields, &a);
    assert_int_equal(a.status, status);
    assert_true(answer_field(&a, "ETag", tag, 64));
    assert_true((a.bytes == 0) == (status == 304));
    answer_field(&a, "Subdd-Cache", value, sizeof value);
    answer_free(&a);
    return strcmp(value, "hit") == 0;
}

/* Hits, and tags that name the level, the surface, the version, and patches apart from what is refined. */
static void test_tags_and_cache(void **state)
{
    char tag[64], same[64], other[5][64], field[160], edit[160], target[96], id[32];
    long long hits = metric("subdd_cache_hits_total");
    struct answer a;
    (void)state;
    create_cube(&d, id);
    assert_false(asked(id, "patches?level=2", "", 200, tag));
    assert_true(asked(id, "patches?level=2", "", 200, same));
    assert_string_equal(tag, same);
    assert_int_equal(metric("subdd_cache_hits_total"), hits + 1);
    assert_false(asked(id, "refined?level=2", "", 200, other[0]));
    assert_false(asked(id, "refined?level=2&include=positions", "", 200, other[1]));
    assert_false(asked(id, "refined?level=2&method=mesh-matrix", "", 200, other[2]));
    assert_false(asked(id, "patches?level=3", "", 200, other[3]));
    assert_false(asked(id, "patches?level=2&surface=limit", "", 200, other[4]));
    for (int i = 0; i < 5; i++)
        assert_string_not_equal(tag, other[i]);
    assert_true(asked(id, "patches?level=2&surface=refined", "", 200, same));
    assert_string_equal(tag, same);
    snprintf(field, sizeof field, "If-None-Match: \"a\", W/%s\r\n", tag);
    asked(id, "patches?level=2", field, 304, same);
    assert_string_equal(tag, same);
    asked(id, "refined?level=2", field, 200, same);
    put_points(id, 0, 3);
    assert_false(asked(id, "patches?level=2", field, 200, same));
    assert_string_not_equal(tag, same);
    snprintf(edit, sizeof edit, "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[1.5]}}]}");
    snprintf(target, sizeof target, "/v1/meshes/%.31s/edits", id);
    http_ask(&d, "POST", target, "Content-Type: application/json\r\nIf-Match: \"2\"\r\n", edit, strlen(edit), &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    assert_false(asked(id, "patches?level=2", field, 200, tag));
    assert_string_not_equal(tag, same);
}

static void test_same_after_restart(void **state)
{
    struct answer a, b;
    char tag[64], again[64];
    (void)state;
    ask_mesh(&d, grid, "patches?level=3", "", &a);
    assert_int_equal(a.status, 200);
    daemon_kill(&d);
    daemon_start(&d, NULL);
    ask_mesh(&d, grid, "patches?level=3", "", &b);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag) && answer_field(&b, "ETag", again, sizeof again));
    assert_string_equal(tag, again);
    assert_int_equal(a.bytes, b.bytes);
    assert_memory_equal(a.body, b.body, a.bytes);
    answer_free(&a);
    answer_free(&b);
}

static void test_ranges(void **state)
{
    struct answer whole, a;
    char field[200], value[64], due[64], tag[64], target[96];
    (void)state;
    ask_mesh(&d, grid, "patches?level=5", "", &whole);
    assert_int_equal(whole.status, 200);
    assert_true(answer_field(&whole, "ETag", tag, sizeof tag));
    ask_mesh(&d, grid, "patches?level=5", "Range: bytes=100-299\r\n", &a);
    assert_int_equal(a.status, 206);
    assert_int_equal(a.bytes, 200);
    assert_memory_equal(a.body, whole.body + 100, 200);
    assert_true(answer_field(&a, "Content-Range", value, sizeof value));
    snprintf(due, sizeof due, "bytes 100-299/%zu", whole.bytes);
    assert_string_equal(value, due);
    answer_free(&a);
    ask_mesh(&d, grid, "patches?level=5", "Range: bytes=999999999-\r\n", &a);
    assert_problem(&a, 416, "range_not_satisfiable", "range");
    assert_true(answer_field(&a, "Content-Range", value, sizeof value));
    snprintf(due, sizeof due, "bytes */%zu", whole.bytes);
    assert_string_equal(value, due);
    answer_free(&a);
    snprintf(field, sizeof field, "Range: bytes=-64\r\nIf-Range: %s\r\n", tag);
    ask_mesh(&d, grid, "patches?level=5", field, &a);
    assert_int_equal(a.status, 206);
    assert_memory_equal(a.body, whole.body + whole.bytes - 64, 64);
    answer_free(&a);
    ask_mesh(&d, grid, "patches?level=5", "Range: bytes=-64\r\nIf-Range: \"old\"\r\n", &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.bytes, whole.bytes);
    answer_free(&a);
    snprintf(target, sizeof target, "/v1/meshes/%s/patches?level=5", grid);
    http_ask(&d, "HEAD", target, "", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.bytes, 0);
    assert_true(answer_field(&a, "Content-Length", value, sizeof value));
    assert_int_equal(strtol(value, NULL, 10), whole.bytes);
    answer_free(&a);
    answer_free(&whole);
}

static void refused(const char *id, const char *rest, const char *fields, int status, const char *code,
                    const char *field, long long limit)
{
    struct answer a;
    ask_mesh(&d, id, rest, fields, &a);
    if (a.status != status)
        print_message("%s: %d\n", rest, a.status);
    assert_problem(&a, status, code, field);
    assert_int_equal(answer_number(&a, "limit"), limit);
    answer_free(&a);
}

static void test_bad_requests(void **state)
{
    static const struct {
        const char *rest, *field;
        long long limit;
    } rows[] = {
        {"patches?level=0", "level", 10},
        {"patches?level=11", "level", 10},
        {"patches?level=-1", "level", 10},
        {"patches?level=x", "level", 10},
        {"patches?level=", "level", 10},
        {"patches?level=2.5", "level", 10},
        {"patches?surface=", "surface", -1},
        {"patches?surface=flat", "surface", -1},
        {"patches?levels=2", "levels", -1},
        {"patches?include=positions", "include", -1},
        {"patches?method=mesh-matrix", "method", -1},
    };
    static const char *const others[] = {"loop", "sqrt3", "bilinear"};
    static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    char target[96], id[32], value[256];
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(cube, rows[i].rest, "", 400, "invalid_argument", rows[i].field, rows[i].limit);
    ask_mesh(&d, cube, "patches?level=2&level=3", "", &a);
    assert_problem(&a, 400, "invalid_argument", "level");
    answer_free(&a);
    http_get(&d, "/v1", &a);
    assert_int_equal(answer_number(&a, "maxPatchLevel"), 10);
    answer_free(&a);
    refused(cube, "patches", "Accept: image/png\r\n", 406, "not_acceptable", "accept", -1);
    refused("m_0000000000000000", "patches", "", 404, "not_found", NULL, -1);
    snprintf(target, sizeof target, "/v1/meshes/%s/patches", cube);
    http_ask(&d, "POST", target, "", NULL, 0, &a);
    assert_problem(&a, 405, "method_not_allowed", NULL);
    answer_free(&a);
    for (int i = 0; i < 3; i++) {
        snprintf(target, sizeof target, "/v1/meshes?scheme=%s", others[i]);
        http_ask(&d, "POST", target, "Content-Type: model/obj\r\n", tetrahedron, strlen(tetrahedron), &a);
        assert_int_equal(a.status, 201);
        snprintf(id, sizeof id, "%.31s", answer_member(&a, "id", value));
        answer_free(&a);
        refused(id, "patches?level=2", "", 422, "unsupported", "scheme", -1);
    }
}

static void test_scopes(void **state)
{
    char tokens[96], token[256], field[300];
    const char *options[] = {"--tokens-file", tokens, NULL};
    const char *make[] = {"--tokens-file", tokens, "--new-token", "me:read", NULL};
    struct daemon kept = d;
    struct answer a;
    (void)state;
    snprintf(tokens, sizeof tokens, "%s/tokens", kept.dir);
    assert_int_equal(daemon_run(make, token, sizeof token), 0);
    token[strcspn(token, "\n")] = 0;
    d = (struct daemon){0};
    daemon_start(&d, options);
    refused("m_0000000000000000", "patches", "", 401, "unauthorized", "authorization", -1);
    snprintf(field, sizeof field, "Authorization: Bearer %s\r\n", token);
    refused("m_0000000000000000", "patches", field, 404, "not_found", NULL, -1); /* reading is enough */
    snprintf(field, sizeof field, "Authorization: Bearer %sx\r\n", token);
    ask_mesh(&d, "m_0000000000000000", "patches", field, &a);
    assert_int_equal(a.status, 401);
    answer_free(&a);
    daemon_stop(&d);
    d = kept;
}

/* A grid of triangles: almost every vertex is irregular, so that the work takes a while. */
static char *triangles_obj(int n)
{
    size_t size = (size_t)(n + 1) * (size_t)(n + 1) * 120 + 100, at = 0;
    char *obj = malloc(size);
    assert_non_null(obj);
    for (int i = 0; i < (n + 1) * (n + 1); i++)
        at += (size_t)snprintf(obj + at, size - at, "v %d %d %g\n", i % (n + 1), i / (n + 1), (i * 7 % 13) * 0.1);
    for (int i = 0; i < n * n; i++) {
        int v = i / n * (n + 1) + i % n + 1;
        at += (size_t)snprintf(obj + at, size - at, "f %d %d %d\nf %d %d %d\n", v, v + 1, v + n + 2, v, v + n + 2,
                               v + n + 1);
    }
    return obj;
}

/* A frame over a limit is refused with what it needs at least; nothing stays of it, and what fits is served. */
static void test_limits(void **state)
{
    static const char *const options[] = {"--max-output-bytes", "100KiB", "--max-level", "7", NULL};
    static const char *const little[] = {"--host-memory", "200KiB", NULL};
    struct daemon kept = d;
    struct answer a, before;
    char id[32], *obj = triangles_obj(12);
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, options);
    create_cube(&d, id);
    refused(id, "patches?level=8", "", 400, "invalid_argument", "level", 7);
    http_get(&d, "/v1", &a);
    assert_int_equal(answer_number(&a, "maxPatchLevel"), 7);
    answer_free(&a);
    ask_mesh(&d, id, "patches?level=1", "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    create_obj(&d, obj, id);
    ask_mesh(&d, id, "refined?level=1", "", &a);
    answer_free(&a);
    long long scratch = metric("subdd_device_memory_bytes{kind=\"scratch\"}"), kept_bytes = metric("subdd_cache_bytes");
    ask_mesh(&d, id, "plan?level=1", "", &before);
    ask_mesh(&d, id, "patches?level=7", "", &a);
    assert_problem(&a, 413, "too_large", "level");
    assert_int_equal(answer_number(&a, "limit"), 100 << 10);
    assert_true(answer_number(&a, "needed") > 100 << 10);
    answer_free(&a);
    ask_mesh(&d, id, "plan?level=1", "", &a);
    assert_string_equal(a.body, before.body);
    answer_free(&a);
    answer_free(&before);
    assert_int_equal(metric("subdd_device_memory_bytes{kind=\"scratch\"}"), scratch);
    assert_int_equal(metric("subdd_cache_bytes"), kept_bytes);
    ask_mesh(&d, id, "patches?level=1", "", &a);
    assert_int_equal(a.status, 200);
    frame_check(&a);
    answer_free(&a);
    daemon_stop(&d);
    d = (struct daemon){0};
    daemon_start(&d, little);
    create_obj(&d, obj, id);
    free(obj);
    ask_mesh(&d, id, "patches?level=10", "", &a);
    assert_problem(&a, 507, "insufficient_memory", "level");
    assert_int_equal(answer_number(&a, "available"), 200 << 10);
    assert_true(answer_number(&a, "needed") > 100 << 10);
    answer_free(&a);
    ask_mesh(&d, id, "patches?level=1", "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    daemon_stop(&d);
    d = kept;
}

static void test_disconnect_cancels(void **state)
{
    /* a GPU is done with fewer before we have left */
    char target[160], id[32], *obj = triangles_obj(strcmp(test_backend(), "cpu") == 0 ? 120 : 240);
    struct answer a;
    (void)state;
    create_obj(&d, obj, id);
    free(obj);
    int fds[6];
    for (int i = 0; i < 6; i++) { /* one runs, five wait behind it, and none has what another one asks for */
        int n = snprintf(target, sizeof target,
                         "GET /v1/meshes/%s/patches?level=%d&surface=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", id,
                         10 - i / 2, i % 2 ? "limit" : "refined");
        fds[i] = http_connect(&d);
        http_send(fds[i], target, (size_t)n);
    }
    usleep(20000);
    for (int i = 0; i < 6; i++)
        close(fds[i]);
    assert_true(daemon_logged(&d, "\"code\":\"cancelled\""));
    ask_mesh(&d, id, "patches?level=1", "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    assert_true(metric("subdd_cancelled_total") > 0);
}

static void test_metrics(void **state)
{
    struct answer a;
    char id[32];
    size_t end;
    (void)state;
    create_cube(&d, id);
    long long vertices = metric("subdd_refined_vertices_total{scheme=\"catmullClark\"}"),
              asked_for = metric("subdd_requests_total{op=\"patches\",code=\"200\"}"),
              misses = metric("subdd_cache_misses_total");
    ask_mesh(&d, id, "patches?level=4", "", &a);
    assert_int_equal(a.status, 200);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_int_equal(metric("subdd_refined_vertices_total{scheme=\"catmullClark\"}"),
                     vertices + (long long)h->vertices);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
    assert_int_equal(metric("subdd_requests_total{op=\"patches\",code=\"200\"}"), (asked_for < 0 ? 0 : asked_for) + 1);
    assert_int_equal(metric("subdd_cache_misses_total"), misses + 1);
}

/* Many meshes in little memory: each has to make room for the next, and answers stay what they were. */
static void test_eviction(void **state)
{
    static const char *const options[] = {"--gpu-memory", "4MiB", "--host-memory", "4MiB", "--cache-bytes",
                                          "1KiB",         NULL};
    enum { MESHES = 24 };
    struct daemon kept = d;
    char ids[MESHES][32], *obj = grid_obj(40);
    struct answer a, first[MESHES];
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, options);
    for (int i = 0; i < MESHES; i++) {
        char tagged[128 << 10];
        snprintf(tagged, sizeof tagged, "%st corner 1/1/0 %d 2\n", obj, i); /* a topology of its own */
        create_obj(&d, tagged, ids[i]);
        ask_mesh(&d, ids[i], "patches?level=3", "", &first[i]);
        assert_int_equal(first[i].status, 200);
        frame_check(&first[i]);
    }
    for (int i = 0; i < 2 * MESHES; i++) {
        ask_mesh(&d, ids[i * 7 % MESHES], "patches?level=3", "", &a);
        assert_int_equal(a.status, 200);
        assert_int_equal(a.bytes, first[i * 7 % MESHES].bytes);
        assert_memory_equal(a.body, first[i * 7 % MESHES].body, a.bytes);
        answer_free(&a);
    }
    assert_true(metric("subdd_evictions_total{from=\"device\",to=\"host\"}") > 0);
    for (int i = 0; i < MESHES; i++)
        answer_free(&first[i]);
    free(obj);
    daemon_stop(&d);
    d = kept;
}

struct reader {
    char id[32], wrong[200];
    atomic_bool stop;
    int n;
};

/* Version by version: a tag always stands for the same bytes, versions never go back. */
static void *read_on(void *arg)
{
    struct reader *r = arg;
    uint64_t last = 0;
    while (!r->stop) {
        struct answer a;
        size_t end;
        ask_mesh(&d, r->id, "patches?level=3", "", &a);
        if (a.status != 200) {
            snprintf(r->wrong, sizeof r->wrong, "status %d", a.status);
            r->stop = true;
        } else {
            frame_check(&a);
            Subdd__V1__FrameHeader *h = frame_header(&a, &end);
            if (h->version < last)
                snprintf(r->wrong, sizeof r->wrong, "version went back");
            last = h->version;
            subdd__v1__frame_header__free_unpacked(h, NULL);
        }
        r->n++;
        answer_free(&a);
    }
    return NULL;
}

static void test_reading_during_edits(void **state)
{
    struct reader readers[2] = {{.n = 0}, {.n = 0}};
    pthread_t threads[2];
    char id[32];
    (void)state;
    create_cube(&d, id);
    for (int i = 0; i < 2; i++) {
        memcpy(readers[i].id, id, sizeof id);
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
    }
    for (int i = 0; i < 100; i++)
        put_points(id, i % 8, (float)i);
    for (int i = 0; i < 2; i++) {
        readers[i].stop = true;
        pthread_join(threads[i], NULL);
        assert_string_equal(readers[i].wrong, "");
        assert_true(readers[i].n > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),
        cmocka_unit_test(test_tags_and_cache),
        cmocka_unit_test(test_same_after_restart),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_disconnect_cancels),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_reading_during_edits),
    };
    return cmocka_run_group_tests_name("http/patches", tests, start, stop);
}
