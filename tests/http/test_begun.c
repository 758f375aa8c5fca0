/* SPDX-License-Identifier: Apache-2.0 */
/* Large frames that leave while they are copied to host memory: over the fake device, or the GPU that the tests run on.
 * Their digests, which are sent before the bytes, tell whether those are right. */
#include "tests/env.h"
#include "tests/http/fake_daemon.h"
#include "tests/http/frames.h"
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OCTETS "Content-Type: application/octet-stream\r\n"
/* Three pieces of 8 MiB, blocks that begin and end in them. */
#define FRAME "refined?level=5&include=positions,normals,indices&method=mesh-matrix"
enum { SIDE = 24, VERTICES = (SIDE + 1) * (SIDE + 1), LEAST = 16 << 20 };

static struct daemon d;
static char grid[32];

static int start(void **state)
{
    (void)state;
    if (strcmp(test_backend(), "cpu") == 0)
        daemon_fork(&d, NULL, fake_daemon);
    else
        daemon_start(&d, NULL);
    create_grid(&d, SIDE, grid);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static void points_of(int which, float points[3 * VERTICES])
{
    for (int i = 0; i < 3 * VERTICES; i++) {
        int vertex = i / 3;
        points[i] = (float)((i * 7 + which * 5) % 31) * 0.1f + (float)vertex;
    }
}

static void send_points(const char *method, const char *rest, int which, struct answer *a)
{
    float points[3 * VERTICES];
    char target[160];
    points_of(which, points);
    snprintf(target, sizeof target, "/v1/meshes/%s/%s", grid, rest);
    http_ask(&d, method, target, OCTETS, points, sizeof points, a);
    assert_int_equal(a->status, 200);
}

static void move(int which)
{
    struct answer a;
    send_points("PUT", "positions", which, &a);
    answer_free(&a);
}

static void expect_frame(const struct answer *a, const char *cache)
{
    char value[64];
    assert_int_equal(a->status, 200);
    assert_true(a->bytes > LEAST);
    frame_check(a);
    assert_int_equal(answer_field(a, "Subdd-Cache", value, sizeof value), cache != NULL);
    if (cache)
        assert_string_equal(value, cache);
}

/* Computed, then from the cache; and of other positions, which are another frame. */
static void test_kept(void **state)
{
    struct answer first, again, other;
    (void)state;
    move(1);
    ask_mesh(&d, grid, FRAME, "", &first);
    expect_frame(&first, "miss");
    ask_mesh(&d, grid, FRAME, "", &again);
    expect_frame(&again, "hit");
    assert_int_equal(again.bytes, first.bytes);
    assert_memory_equal(again.body, first.body, first.bytes);
    move(2);
    ask_mesh(&d, grid, FRAME, "", &other);
    expect_frame(&other, "miss");
    assert_false(frames_same(&first, &other));
    answer_free(&first);
    answer_free(&again);
    answer_free(&other);
}

/* What is asked for lies in what comes first, or last: each of a frame that is made anew. */
static void test_ranges(void **state)
{
    struct answer whole, a;
    char field[64];
    (void)state;
    ask_mesh(&d, grid, FRAME, "", &whole);
    const long n = (long)whole.bytes, ranges[][2] = {{0, 99}, {n - 100, n - 1}, {n / 2, n / 2 + 20000}, {100, n - 50}};
    answer_free(&whole);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const size_t length = (size_t)(ranges[i][1] - ranges[i][0] + 1);
        move((int)i);
        snprintf(field, sizeof field, "Range: bytes=%ld-%ld\r\n", ranges[i][0], ranges[i][1]);
        ask_mesh(&d, grid, FRAME, field, &a);
        ask_mesh(&d, grid, FRAME, "", &whole);
        expect_frame(&whole, "hit");
        assert_int_equal(a.status, 206);
        assert_int_equal(a.bytes, length);
        assert_memory_equal(a.body, whole.body + ranges[i][0], length);
        answer_free(&a);
        answer_free(&whole);
    }
}

/* Of a pose, which is not kept: with normals it does not go out in pieces that are made one by one. */
static void test_pose(void **state)
{
    struct answer posed, want;
    (void)state;
    move(3);
    ask_mesh(&d, grid, FRAME, "", &want);
    move(1);
    send_points("POST", FRAME, 3, &posed);
    expect_frame(&posed, NULL);
    assert_true(frames_same(&posed, &want));
    answer_free(&posed);
    answer_free(&want);
}

/* A client that reads late gets the frame of the version that it asked for; another asks meanwhile. */
static void test_slow(void **state)
{
    struct answer slow, other;
    char target[160];
    const int small = 65536;
    (void)state;
    move(4);
    int fd = http_connect(&d);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    snprintf(target, sizeof target, "/v1/meshes/%s/" FRAME, grid);
    http_begin(fd, "GET", target, "", NULL, 0);
    struct pollfd p = {fd, POLLIN, 0};
    assert_int_equal(poll(&p, 1, 20000), 1);
    move(5); /* the frame is kept no more */
    ask_mesh(&d, grid, FRAME, "", &other);
    expect_frame(&other, "miss");
    http_read(fd, &slow, false);
    expect_frame(&slow, "miss");
    assert_false(frames_same(&slow, &other));
    close(fd);
    answer_free(&slow);
    answer_free(&other);
}

/* Clients that leave, at once or with a part, of what is kept or of a pose: the frame is there for the next one. */
static void test_left(void **state)
{
    struct answer a;
    char target[160], some[4096];
    float points[3 * VERTICES];
    (void)state;
    snprintf(target, sizeof target, "/v1/meshes/%s/" FRAME, grid);
    for (int i = 0; i < 8; i++) {
        const bool reads = i % 2, posed = i >= 4;
        move(i);
        points_of(i, points);
        int fd = http_connect(&d);
        if (posed)
            http_begin(fd, "POST", target, OCTETS, points, sizeof points);
        else
            http_begin(fd, "GET", target, "", NULL, 0);
        if (reads)
            assert_true(recv(fd, some, sizeof some, 0) > 0);
        close(fd);
        ask_mesh(&d, grid, FRAME, "", &a);
        frame_check(&a);
        assert_true(!reads || (strstr(a.head, "Subdd-Cache: hit") != NULL) == !posed);
        answer_free(&a);
    }
    http_ask(&d, "HEAD", target, "", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

/* ---- several at the same time, on a device that has room for little more than one -------------------------------- */
enum { TIGHT = 4 };
static char tight[TIGHT][32];
static int statuses[TIGHT];

static void *ask_tight(void *arg)
{
    const int k = (int)(intptr_t)arg;
    struct answer a;
    ask_mesh(&d, tight[k], FRAME, "", &a);
    statuses[k] = a.status;
    if (a.status == 200)
        frame_check(&a);
    answer_free(&a);
    return NULL;
}

static int start_tight(void **state)
{
    static const char *const options[] = {"--gpu-memory", "60MiB", "--cache-bytes", "0", NULL};
    (void)state;
    if (strcmp(test_backend(), "cpu") == 0)
        daemon_fork(&d, options, fake_daemon);
    else
        daemon_start(&d, options);
    for (int k = 0; k < TIGHT; k++)
        create_grid(&d, SIDE + k, tight[k]);
    return 0;
}

/* What one holds of the device is given back before the next begins, and told. */
static void test_tight(void **state)
{
    pthread_t threads[TIGHT];
    struct answer a;
    (void)state;
    for (int round = 0; round < 4; round++) {
        for (int k = 0; k < TIGHT; k++)
            assert_int_equal(pthread_create(threads + k, NULL, ask_tight, (void *)(intptr_t)k), 0);
        for (int k = 0; k < TIGHT; k++) {
            pthread_join(threads[k], NULL);
            assert_int_equal(statuses[k], 200);
        }
    }
    ask_mesh(&d, tight[0], "plan?level=5&include=positions,normals,indices&method=mesh-matrix", "", &a);
    assert_non_null(strstr(a.body, "\"fits\":true"));
    answer_free(&a);
    assert_int_equal(daemon_metric(&d, "subdd_device_memory_bytes{kind=\"scratch\"}"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_ranges),
                                       cmocka_unit_test(test_pose), cmocka_unit_test(test_slow),
                                       cmocka_unit_test(test_left)};
    const struct CMUnitTest alone[] = {cmocka_unit_test(test_tight)};
    const int failed = cmocka_run_group_tests_name("http/begun", tests, start, stop);
    return failed + cmocka_run_group_tests_name("http/begun, tight", alone, start_tight, stop);
}
