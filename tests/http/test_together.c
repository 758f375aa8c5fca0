/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of one topology that wait while the device works are made together: each client gets the bytes it would get
 * alone, whoever is beside it: one that leaves, one whose pose is no pose, one that asks for something else. */
#include "tests/http/chunks.h"
#include "tests/http/cube.h"
#include "tests/http/frames.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OCTETS "Content-Type: application/octet-stream\r\n"
#define BATCHED "subdd_batched_frames_total"
enum { CLIENTS = 12, INVALID = 3, LEAVES = 5, ELSEWHERE = 8, ROUNDS = 60 };

static char batch[CLIENTS][32];

static int begin(const char *id, const char *method, const char *query, const char *fields, const void *body, size_t n)
{
    char target[160];
    int fd = http_connect(&d);
    snprintf(target, sizeof target, "/v1/meshes/%.31s/%s", id, query);
    http_begin(fd, method, target, fields, body, n);
    return fd;
}

static int begin_pose(const char *id, const char *query, int which)
{
    float points[3 * CUBE_VERTICES];
    cube_points(which, points);
    return begin(id, "POST", query, OCTETS, points, sizeof points);
}

static void end(int fd, int status, struct answer *a)
{
    http_read(fd, a, false);
    close(fd);
    if (a->status != status)
        fail_msg("%d: %s", a->status, a->body);
}

static void drop(int fd, int status)
{
    struct answer a;
    end(fd, status, &a);
    answer_free(&a);
}

static void alone(const char *query, int which, struct answer *a)
{
    end(begin_pose(cube, query, which), 200, a);
    frame_check(a);
}

/* Keeps the device busy for a while. */
static int begin_long(void)
{
    return begin_pose(cube, "refined?level=9&include=positions&method=mesh-matrix", 1);
}

static void expect_same(int fd, const struct answer *want)
{
    struct answer a;
    end(fd, 200, &a);
    frame_check(&a);
    assert_true(frames_same(&a, want));
    answer_free(&a);
}

static void check_poses(const char *query)
{
    struct answer want[CLIENTS], other;
    int round = 0;
    const long long before = daemon_metric(&d, BATCHED);
    for (int i = 0; i < CLIENTS; i++)
        alone(query, i, &want[i]);
    alone("refined?level=1", ELSEWHERE, &other);
    assert_int_equal(daemon_metric(&d, BATCHED), before); /* one by one */
    for (; round < ROUNDS && daemon_metric(&d, BATCHED) < before + CLIENTS; round++) {
        int fds[CLIENTS], slow = begin_long();
        float points[3 * CUBE_VERTICES];
        cube_points(INVALID, points);
        points[3 * 4 + 1] = strtof("nan", NULL);
        for (int i = 0; i < CLIENTS; i++)
            fds[i] = i == INVALID     ? begin(cube, "POST", query, OCTETS, points, sizeof points)
                     : i == ELSEWHERE ? begin_pose(cube, "refined?level=1", i)
                                      : begin_pose(cube, query, i);
        if (round % 2)
            usleep(1000);
        close(fds[LEAVES]);
        for (int i = 0; i < CLIENTS; i++) {
            struct answer a;
            if (i == INVALID) {
                end(fds[i], 422, &a);
                assert_problem(&a, 422, "invalid_mesh", "points");
                assert_non_null(strstr(a.body, "vertex 4 "));
                answer_free(&a);
            } else if (i != LEAVES) {
                expect_same(fds[i], i == ELSEWHERE ? &other : want + i);
            }
        }
        drop(slow, 200);
    }
    assert_true(round < ROUNDS);
    for (int i = 0; i < CLIENTS; i++)
        answer_free(want + i);
    answer_free(&other);
}

static void test_poses(void **state)
{
    (void)state;
    check_poses("refined?level=3&include=positions&method=tabulated");
    check_poses("refined?level=2&surface=limit&include=positions,normals,indices&method=mesh-matrix");
    check_poses("refined?level=3&include=positions&compact=positions&method=tabulated");
}

static void put(const char *id, int which)
{
    float points[3 * CUBE_VERTICES];
    cube_points(which, points);
    drop(begin(id, "PUT", "positions", OCTETS, points, sizeof points), 200);
}

/* Meshes that share a topology, each at a version of its own. */
static void test_crowd(void **state)
{
    static const char query[] = "refined?level=3&include=positions,indices&method=mesh-matrix";
    const long long before = daemon_metric(&d, BATCHED);
    int round = 0;
    (void)state;
    for (int i = 0; i < CLIENTS; i++)
        create_cube(&d, batch[i]);
    for (; round < ROUNDS && daemon_metric(&d, BATCHED) < before + CLIENTS; round++) {
        struct answer want[CLIENTS];
        int fds[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            alone(query, round * CLIENTS + i, want + i);
            put(batch[i], round * CLIENTS + i);
        }
        int slow = begin_long();
        for (int i = 0; i < CLIENTS; i++)
            fds[i] = begin(batch[i], "GET", query, "", NULL, 0);
        for (int i = 0; i < CLIENTS; i++) {
            expect_same(fds[i], want + i);
            answer_free(want + i);
        }
        drop(slow, 200);
    }
    assert_true(round < ROUNDS);
}

/* The next record of a watcher, whose kind it returns. */
static uint32_t take(struct chunks *w, uint64_t version)
{
    struct {
        uint64_t bytes, version;
        uint32_t kind, zero;
    } head;
    assert_true(chunks_take(w, &head, sizeof head));
    assert_int_equal(head.version, version);
    char *body = malloc(head.bytes + 1);
    assert_non_null(body);
    assert_true(chunks_take(w, body, head.bytes));
    free(body);
    return head.kind;
}

/* Instances have one topology, and their first frames are made together. Those are kept for carrying, and each frame
 * that can be carried is made by itself. */
static void test_watched(void **state)
{
    enum { N = 6, WHOLE = 1, DELTA = 2 };
    static const char query[] = "watch?deltas=true&level=3&method=mesh-matrix",
                      carried[] = "subdd_carried_frames_total";
    const long long before = daemon_metric(&d, carried);
    struct chunks w[N];
    char id[N][32], target[120];
    const float point[3] = {1, 2, 3};
    bool together = false;
    uint64_t version = 1;
    (void)state;
    for (int i = 0; i < N; i++)
        create_grid(&d, 24, id[i]);
    for (; !together && version < ROUNDS; version++) {
        const long long batched = daemon_metric(&d, BATCHED);
        int fds[N], slow = begin_long();
        for (int i = 0; i < N; i++) {
            snprintf(target, sizeof target, "/v1/meshes/%.31s/%s", id[i], query);
            fds[i] = chunks_begin(&d, target, "Accept: application/vnd.subdd.watch\r\n");
        }
        for (int i = 0; i < N; i++) {
            chunks_open(&w[i], fds[i]);
            assert_int_equal(take(&w[i], version), WHOLE);
        }
        drop(slow, 200);
        together = daemon_metric(&d, BATCHED) > batched + 1;
        for (int i = 0; i < N && !together; i++) {
            fclose(w[i].in);
            http_change(&d, "PUT", id[i], "/positions?first=0", OCTETS, point, sizeof point);
        }
    }
    assert_true(together);
    const long long batched = daemon_metric(&d, BATCHED);
    for (int next = 0; next < 4; next++) {
        const float moved[3] = {0, 0, (float)next};
        int slow = begin_long();
        for (int i = 0; i < N; i++)
            http_change(&d, "PUT", id[i], "/positions?first=0", OCTETS, moved, sizeof moved);
        for (int i = 0; i < N; i++)
            assert_int_equal(take(&w[i], version + (uint64_t)next), DELTA);
        drop(slow, 200);
    }
    assert_int_equal(daemon_metric(&d, carried), before + 4 * N);
    assert_int_equal(daemon_metric(&d, BATCHED), batched);
    for (int i = 0; i < N; i++)
        fclose(w[i].in);
}

/* A new version waits for the poses before it, and those after it for the version. */
static void test_order(void **state)
{
    static const char query[] = "refined?level=2&include=positions";
    float points[3 * CUBE_VERTICES];
    char fields[96], target[64];
    struct answer a;
    (void)state;
    snprintf(target, sizeof target, "/v1/meshes/%s", cube);
    http_get(&d, target, &a);
    long long version = answer_number(&a, "version");
    answer_free(&a);
    cube_points(2, points);
    for (int round = 0; round < 8; round++) {
        int fds[4], slow = begin_long();
        for (int i = 0; i < 4; i++, version += i == 2) {
            usleep(2000); /* so that they come in this order */
            snprintf(fields, sizeof fields, OCTETS "If-Match: \"%lld\"\r\n", version);
            fds[i] = i == 1 ? begin(cube, "PUT", "positions", fields, points, sizeof points)
                            : begin(cube, "POST", query, fields, points, sizeof points);
        }
        for (int i = 0; i < 4; i++)
            drop(fds[i], 200);
        drop(slow, 200);
    }
}

/* So little device memory that two frames do not fit together: each is made alone, and all are. */
static void test_no_memory(void **state)
{
    static const char query[] = "refined?level=7&include=positions&compact=positions&method=mesh-matrix";
    char limit[32];
    const char *const options[] = {"--gpu-memory", limit, NULL};
    struct answer want[CLIENTS], plan;
    (void)state;
    ask_mesh(&d, cube, "plan?level=7&include=positions&compact=positions&method=mesh-matrix", "", &plan);
    const long long bytes = answer_number(&plan, "deviceBytes");
    assert_true(bytes > 4 * 65536);
    snprintf(limit, sizeof limit, "%lld", bytes + 65536);
    answer_free(&plan);
    cube_stop(NULL);
    daemon_start(&d, options);
    create_cube(&d, cube);
    for (int i = 0; i < CLIENTS; i++)
        alone(query, i, want + i);
    for (int round = 0; round < 8; round++) {
        int fds[CLIENTS];
        for (int i = 0; i < CLIENTS; i++)
            fds[i] = begin_pose(cube, query, i);
        for (int i = 0; i < CLIENTS; i++)
            expect_same(fds[i], want + i);
    }
    assert_int_equal(daemon_metric(&d, BATCHED), 0);
    for (int i = 0; i < CLIENTS; i++)
        answer_free(want + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poses), cmocka_unit_test(test_crowd),
                                       cmocka_unit_test(test_watched), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests_name("http/together", tests, cube_start, cube_stop);
}
