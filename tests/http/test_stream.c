/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that are made while they are sent: bytes, ranges, slow clients, clients that leave, versions that come
 * meanwhile. The oracle is the positions block of the same mesh beside its indices, which is made as a whole. */
#include "tests/http/frames.h"
#include "tests/env.h"
#include "tests/http/spawn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Pieces are a quarter of it: 21,846 rows. Frames of level 4 are larger than a piece, from 5 on than the bound. */
#define BOUND "1MiB"
#define ALONE "include=positions"
#define BESIDE "include=positions,indices"

static struct daemon d;
static char grid[32];

static int start(void **state)
{
    static const char *const options[] = {"--stream-bytes", BOUND, "--header-deadline", "2", NULL};
    (void)state;
    daemon_start(&d, options);
    create_grid(&d, 12, grid);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static void ask(const char *include, int level, const char *fields, struct answer *a)
{
    char rest[160];
    snprintf(rest, sizeof rest, "refined?method=tabulated&level=%d&%s", level, include);
    ask_mesh(&d, grid, rest, fields, a);
}

static long metric(const char *name)
{
    struct answer a;
    char line[80];
    http_get(&d, "/metrics", &a);
    snprintf(line, sizeof line, "\n%s ", name);
    const char *at = strstr(a.body, line);
    assert_non_null(at);
    long value = strtol(at + strlen(line), NULL, 10);
    answer_free(&a);
    return value;
}

static void wait_for_streams(long n)
{
    for (int i = 0; i < 400 && metric("subdd_streams") != n; i++)
        usleep(25000);
    assert_int_equal(metric("subdd_streams"), n);
}

/* The block of positions of a frame that has it first. */
static void same_positions(const struct answer *got, const struct answer *want)
{
    size_t end;
    Subdd__V1__FrameHeader *g = frame_header(got, &end), *w = frame_header(want, &end);
    assert_int_equal(g->n_blocks, 1);
    assert_int_equal(g->vertices, w->vertices);
    assert_int_equal(g->faces, w->faces);
    assert_int_equal(g->blocks[0]->bytes, w->blocks[0]->bytes);
    assert_int_equal(got->bytes, g->blocks[0]->offset + g->blocks[0]->bytes);
    assert_memory_equal(got->body + g->blocks[0]->offset, want->body + w->blocks[0]->offset, w->blocks[0]->bytes);
    subdd__v1__frame_header__free_unpacked(g, NULL);
    subdd__v1__frame_header__free_unpacked(w, NULL);
}

static void test_frame(void **state)
{
    struct answer a, whole, plan;
    char value[256];
    size_t end;
    (void)state;
    for (int level = 1; level <= 6; level++) {
        ask(ALONE, level, "", &a);
        ask(BESIDE, level, "", &whole);
        snprintf(value, sizeof value, "plan?method=tabulated&level=%d&" ALONE, level);
        ask_mesh(&d, grid, value, "", &plan);
        assert_int_equal(a.status, 200);
        same_positions(&a, &whole);
        assert_int_equal(answer_number(&plan, "frameBytes"), a.bytes);
        Subdd__V1__FrameHeader *h = frame_header(&a, &end);
        bool streamed = a.bytes > 1 << 20;
        assert_int_equal(streamed, level >= 5);
        assert_string_equal(answer_member(&plan, "streamed", value), streamed ? "true" : "false");
        assert_string_equal(h->blocks[0]->digest_kind, streamed ? "" : "xxh64-tree-1k");
        assert_int_equal(h->blocks[0]->digest == 0, streamed);
        assert_true(answer_field(&a, "ETag", value, sizeof value));
        assert_int_equal(strlen(value), streamed ? 36 : 34);
        assert_true(answer_field(&a, "Server-Timing", value, sizeof value));
        assert_non_null(strstr(value, ";desc=\"tables\""));
        if (!streamed)
            frame_check(&a);
        subdd__v1__frame_header__free_unpacked(h, NULL);
        answer_free(&a);
        answer_free(&whole);
        answer_free(&plan);
    }
}

static void test_tags(void **state)
{
    struct answer a, b;
    char tag[64], again[64], field[128], one[64], two[64], target[128];
    (void)state;
    ask(ALONE, 6, "", &a);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag) && answer_field(&a, "Content-Length", one, sizeof one));
    snprintf(field, sizeof field, "If-None-Match: %s\r\n", tag);
    ask(ALONE, 6, field, &b);
    assert_int_equal(b.status, 304);
    assert_true(answer_field(&b, "ETag", again, sizeof again));
    assert_string_equal(tag, again);
    answer_free(&b);
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?method=tabulated&level=6&" ALONE, grid);
    http_ask(&d, "HEAD", target, "", NULL, 0, &b);
    assert_int_equal(b.status, 200);
    assert_true(answer_field(&b, "ETag", again, sizeof again) && answer_field(&b, "Content-Length", two, sizeof two));
    assert_string_equal(tag, again);
    assert_string_equal(one, two);
    answer_free(&b);
    answer_free(&a);
}

static void check_range(const struct answer *whole, int level, long first, long last)
{
    struct answer a;
    char field[128], tag[64], again[64], value[64], expected[64];
    snprintf(field, sizeof field, "Range: bytes=%ld-%ld\r\n", first, last);
    ask(ALONE, level, field, &a);
    last = last < (long)whole->bytes ? last : (long)whole->bytes - 1;
    assert_int_equal(a.status, 206);
    assert_int_equal(a.bytes, last - first + 1);
    assert_memory_equal(a.body, whole->body + first, a.bytes);
    assert_true(answer_field(&a, "ETag", again, sizeof again) && answer_field(whole, "ETag", tag, sizeof tag));
    assert_string_equal(tag, again);
    snprintf(expected, sizeof expected, "bytes %ld-%ld/%zu", first, last, whole->bytes);
    assert_true(answer_field(&a, "Content-Range", value, sizeof value));
    assert_string_equal(value, expected);
    answer_free(&a);
}

/* Level 4 (a header with a digest) and level 6 (none). */
static void test_ranges(void **state)
{
    struct answer whole, a;
    char field[128], tag[64];
    (void)state;
    for (int level = 4; level <= 6; level += 2) {
        ask(ALONE, level, "", &whole);
        const long n = (long)whole.bytes, block = 192, piece = 21846 * 12;
        const long rows[][2] = {{0, 0},
                                {0, 400},
                                {n - 1, n - 1},
                                {n - 1, n + 99},
                                {block - 1, block + 1},
                                {block, block + 11},
                                {block + piece - 1, block + piece},
                                {block + piece, block + piece + 5},
                                {block + 7, block + piece + 7},
                                {n / 3, n},
                                {5, n - 5}};
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            check_range(&whole, level, rows[i][0], rows[i][1]);
        assert_true(answer_field(&whole, "ETag", tag, sizeof tag));
        snprintf(field, sizeof field, "Range: bytes=1000-1001\r\nIf-Range: %s\r\n", tag);
        ask(ALONE, level, field, &a);
        assert_int_equal(a.status, 206);
        answer_free(&a);
        ask(ALONE, level, "Range: bytes=1000-1001\r\nIf-Range: \"other\"\r\n", &a);
        assert_int_equal(a.status, 200);
        assert_memory_equal(a.body, whole.body, whole.bytes);
        answer_free(&a);
        snprintf(field, sizeof field, "Range: bytes=%ld-\r\n", n);
        ask(ALONE, level, field, &a);
        assert_problem(&a, 416, "range_not_satisfiable", "range");
        answer_free(&a);
        answer_free(&whole);
    }
}

/* Only the rows of a range are made, in the cache or not. */
static void test_rows_made(void **state)
{
    struct answer a;
    (void)state;
    const long before = metric("subdd_refined_vertices_total{scheme=\"catmullClark\"}");
    for (int i = 0; i < 4; i++) {
        char field[64];
        snprintf(field, sizeof field, "Range: bytes=%d-%d\r\n", 100000 * (i + 1), 100000 * (i + 1) + 999);
        ask(ALONE, 6, field, &a);
        assert_int_equal(a.status, 206);
        answer_free(&a);
    }
    assert_in_range(metric("subdd_refined_vertices_total{scheme=\"catmullClark\"}") - before, 4 * 84, 4 * 86);
}

/* The most memory that the daemon had, in kB. */
static long most_memory(void)
{
    char path[64], line[256];
    long kb = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)d.pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    fclose(f);
    return kb;
}

/* 113 MB pass through a ring of 0.8. */
static void test_memory(void **state)
{
    struct answer a;
    (void)state;
    if (!TELLS_MEMORY)
        skip();
    const long before = most_memory();
    ask(ALONE, 8, "", &a);
    assert_int_equal(a.status, 200);
    assert_true(a.bytes > 110e6);
    assert_true(most_memory() - before <= 32 << 10); /* what the system says of it may also go back a little */
    answer_free(&a);
}

/* ---- clients ---------------------------------------------------------------------------------------------------- */
static int open_stream(const char *id, int level)
{
    char text[256];
    int fd = http_connect(&d), small = 65536;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    int n = snprintf(text, sizeof text,
                     "GET /v1/meshes/%s/refined?method=tabulated&level=%d&" ALONE " HTTP/1.1\r\n" ACCEPT_FRAME
                     "Host: localhost\r\n\r\n",
                     id, level);
    http_send(fd, text, (size_t)n);
    return fd;
}

static void points_of(float points[13 * 13 * 3], float by)
{
    for (int i = 0; i < 13 * 13 * 3; i++)
        points[i] = by + (float)i;
}

static void move_grid(const char *id, float by)
{
    float points[13 * 13 * 3];
    struct answer a;
    char target[96];
    points_of(points, by);
    snprintf(target, sizeof target, "/v1/meshes/%s/positions", id);
    http_ask(&d, "PUT", target, "Content-Type: application/octet-stream\r\n", points, sizeof points, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

/* While one client does not read, its mesh moves and is deleted, and others get their frames; then it reads, and all it
 * gets is of the version that it asked for. */
static void test_slow_client(void **state)
{
    struct answer before, a;
    char id[32], target[96];
    (void)state;
    char *obj = grid_obj(12);
    create_obj(&d, obj, id);
    free(obj);
    char kept[32];
    memcpy(kept, grid, sizeof kept);
    memcpy(grid, id, sizeof grid);
    move_grid(id, 0);
    ask(BESIDE, 6, "", &before);
    int fd = open_stream(id, 6);
    wait_for_streams(1);
    double began = seconds_now();
    move_grid(id, 7);
    ask(BESIDE, 3, "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    ask(ALONE, 6, "", &a); /* a second one, at its own pace */
    assert_int_equal(a.status, 200);
    assert_memory_not_equal(a.body + 400, before.body + 400, 1000);
    answer_free(&a);
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_ask(&d, "DELETE", target, "", NULL, 0, &a);
    assert_int_equal(a.status, 204);
    answer_free(&a);
    assert_true(seconds_now() - began < 2);
    assert_int_equal(metric("subdd_streams"), 1);
    http_read(fd, &a, false);
    assert_int_equal(a.status, 200);
    same_positions(&a, &before);
    answer_free(&a);
    answer_free(&before);
    close(fd);
    memcpy(grid, kept, sizeof grid);
    wait_for_streams(0);
}

/* What nobody reads is not made: no more than the ring and what the sockets hold, some 4 MB. */
static void test_back_pressure(void **state)
{
    static const char made[] = "subdd_refined_vertices_total{scheme=\"catmullClark\"}";
    (void)state;
    const long before = metric(made);
    int fd = open_stream(grid, 8);
    wait_for_streams(1);
    usleep(700000);
    assert_in_range(metric(made) - before, 3 * 21846, 40 * 21846); /* of 433 pieces */
    close(fd);
    wait_for_streams(0);
}

/* A pose is sent while it is made as well, and is nobody else's. */
static void test_pose(void **state)
{
    struct answer want, a;
    float points[13 * 13 * 3];
    char kept[32], target[128];
    (void)state;
    memcpy(kept, grid, sizeof kept);
    char *obj = grid_obj(12);
    create_obj(&d, obj, grid);
    free(obj);
    move_grid(grid, 3);
    ask(BESIDE, 5, "", &want);
    memcpy(grid, kept, sizeof grid);
    points_of(points, 3);
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?method=tabulated&level=5&" ALONE, grid);
    for (int i = 0; i < 3; i++) {
        int fd = open_stream(grid, 6);
        http_ask(&d, "POST", target, "Content-Type: application/octet-stream\r\n", points, sizeof points, &a);
        assert_int_equal(a.status, 200);
        same_positions(&a, &want);
        answer_free(&a);
        close(fd);
    }
    answer_free(&want);
    wait_for_streams(0);
}

/* Who leaves, or never reads, is let go with all that was held. */
static void test_gone(void **state)
{
    struct answer a;
    (void)state;
    int fds[5];
    for (int i = 0; i < 5; i++)
        fds[i] = open_stream(grid, 6);
    wait_for_streams(5);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    wait_for_streams(2);
    wait_for_streams(0); /* the deadline of a stall */
    close(fds[3]);
    close(fds[4]);
    http_get(&d, "/v1/health/ready", &a); /* publishes */
    answer_free(&a);
    assert_int_equal(metric("subdd_device_memory_bytes{kind=\"scratch\"}"), 0);
}

/* What host memory cannot hold as a whole it streams, whatever --stream-bytes says. */
static void test_host_memory(void **state)
{
    static const char *const options[] = {"--host-memory", "4MiB", NULL};
    struct daemon kept = d;
    struct answer a;
    char id[32];
    size_t end;
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, options);
    char *obj = grid_obj(12);
    create_obj(&d, obj, id);
    free(obj);
    ask_mesh(&d, id, "refined?method=tabulated&level=6&" BESIDE, "", &a);
    assert_problem(&a, 507, "insufficient_memory", "level");
    answer_free(&a);
    ask_mesh(&d, id, "refined?method=tabulated&level=4&" ALONE, "", &a);
    frame_check(&a); /* with its digest */
    answer_free(&a);
    ask_mesh(&d, id, "refined?method=tabulated&level=6&" ALONE, "", &a);
    assert_int_equal(a.status, 200);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_string_equal(h->blocks[0]->digest_kind, "");
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
    daemon_stop(&d);
    d = kept;
}

/* ---- subd ------------------------------------------------------------------------------------------------------- */
/* The file is what comes over HTTP, whichever way it is written. */
static void test_command_line(void **state)
{
    char server[64], path[128], pose[128];
    struct answer want;
    (void)state;
    snprintf(server, sizeof server, "http://127.0.0.1:%d", d.port);
    snprintf(pose, sizeof pose, "%s/pose.obj", d.dir);
    char *obj = grid_obj(12);
    FILE *f = fopen(pose, "w");
    assert_non_null(f);
    fputs(obj, f);
    fclose(f);
    free(obj);
    ask(ALONE, 6, "", &want);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%d.frame", d.dir, i);
        const char *arguments[] = {
            "refine",  grid, "--server",         server, "--method",          "tabulated",
            "--level", "6",  "--only-positions", "-o",   i == 1 ? "-" : path, i == 2 ? "--pose" : NULL,
            pose,      NULL};
        struct ran r = spawn_subd(d.dir, arguments, NULL);
        assert_int_equal(r.code, 0);
        size_t bytes = 0;
        char *got = i == 1 ? NULL : slurp(path, &bytes);
        if (i != 1) {
            assert_int_equal(bytes, want.bytes);
            assert_memory_equal(got, want.body, bytes);
        } else
            assert_memory_equal(r.out, want.body, 64);
        free(got);
        ran_free(&r);
    }
    answer_free(&want);
}

/* SIGTERM does not wait for a client that does not read. */
static void test_stop(void **state)
{
    static const char *const options[] = {"--stream-bytes", BOUND, "--drain-timeout", "0.2", NULL};
    struct daemon kept = d;
    char id[32];
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, options);
    char *obj = grid_obj(12);
    create_obj(&d, obj, id);
    free(obj);
    int fd = open_stream(id, 6);
    wait_for_streams(1);
    daemon_stop(&d);
    close(fd);
    d = kept;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),         cmocka_unit_test(test_tags),         cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_rows_made),     cmocka_unit_test(test_memory),       cmocka_unit_test(test_slow_client),
        cmocka_unit_test(test_back_pressure), cmocka_unit_test(test_pose),         cmocka_unit_test(test_gone),
        cmocka_unit_test(test_host_memory),   cmocka_unit_test(test_command_line), cmocka_unit_test(test_stop)};
    return cmocka_run_group_tests_name("http/stream", tests, start, stop);
}
