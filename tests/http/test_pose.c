/* SPDX-License-Identifier: Apache-2.0 */
/* POST refined: the surface of positions that are not kept. Each request sees its own, no version changes, and what is
 * wrong with them is said as PUT positions says it. The oracle is GET after PUT on a mesh of its own. */
#include "tests/http/cube.h"
#include "tests/http/frames.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCTETS "Content-Type: application/octet-stream\r\n"
#define QUERY "level=3&include=positions,normals,indices&method=mesh-matrix" /* auto goes over to tables */
static void pose(const char *query, const char *fields, const void *body, size_t bytes, struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?%s", cube, query);
    http_ask(&d, "POST", target, fields, body, bytes, a);
}

static void frame_after_put(int which, const char *query, struct answer *a)
{
    char id[32], target[160];
    float points[3 * CUBE_VERTICES];
    create_cube(&d, id);
    cube_points(which, points);
    snprintf(target, sizeof target, "/v1/meshes/%s/positions", id);
    http_ask(&d, "PUT", target, OCTETS, points, sizeof points, a);
    assert_int_equal(a->status, 200);
    answer_free(a);
    snprintf(target, sizeof target, "refined?%s", query);
    ask_mesh(&d, id, target, "", a);
    assert_int_equal(a->status, 200);
}

static void expect_version_1(void)
{
    struct answer a;
    char target[64];
    snprintf(target, sizeof target, "/v1/meshes/%s", cube);
    http_get(&d, target, &a);
    assert_int_equal(answer_number(&a, "version"), 1);
    answer_free(&a);
}

static void test_pose_is_put_and_get(void **state)
{
    static const char *const queries[] = {QUERY,
                                          "level=1",
                                          "level=2&surface=limit&include=positions,normals,tangents",
                                          "level=4&include=positions&compact=positions",
                                          "level=3&method=edge-friend",
                                          "level=3&method=tabulated&include=positions"};
    struct answer before, want, got;
    float points[3 * CUBE_VERTICES];
    char value[64];
    (void)state;
    ask_mesh(&d, cube, "refined?" QUERY, "", &before);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        frame_after_put((int)i, queries[i], &want);
        cube_points((int)i, points);
        pose(queries[i], OCTETS, points, sizeof points, &got);
        assert_int_equal(got.status, 200);
        frame_check(&got);
        assert_true(frames_same(&got, &want));
        assert_false(answer_field(&got, "ETag", value, sizeof value));
        assert_false(answer_field(&got, "Accept-Ranges", value, sizeof value));
        assert_true(answer_field(&got, "Cache-Control", value, sizeof value));
        assert_string_equal(value, "no-store");
        answer_free(&got);
        answer_free(&want);
    }
    ask_mesh(&d, cube, "refined?" QUERY, "", &got); /* nothing of it stayed */
    assert_int_equal(got.bytes, before.bytes);
    assert_memory_equal(got.body, before.body, got.bytes);
    answer_free(&got);
    answer_free(&before);
    expect_version_1();
}

static void test_every_body(void **state)
{
    struct answer want, got;
    float points[3 * CUBE_VERTICES];
    char obj[1024] = "", json[1024] = "{\"ranges\":[{\"first\":0,\"points\":[";
    (void)state;
    cube_points(1, points);
    for (int i = 0; i < CUBE_VERTICES; i++)
        snprintf(obj + strlen(obj), sizeof obj - strlen(obj), "v %g %g %g\n", (double)points[3 * i],
                 (double)points[3 * i + 1], (double)points[3 * i + 2]);
    for (int i = 0; i < 3 * CUBE_VERTICES; i++)
        snprintf(json + strlen(json), sizeof json - strlen(json), "%s%g", i ? "," : "", (double)points[i]);
    snprintf(json + strlen(json), sizeof json - strlen(json), "]}]}");
    pose(QUERY, OCTETS, points, sizeof points, &want);
    pose(QUERY, "Content-Type: model/obj\r\n", obj, strlen(obj), &got);
    assert_int_equal(got.status, 200);
    assert_true(frames_same(&got, &want));
    answer_free(&got);
    pose(QUERY, "Content-Type: application/json\r\n", json, strlen(json), &got);
    assert_int_equal(got.status, 200);
    assert_true(frames_same(&got, &want));
    answer_free(&got);
    answer_free(&want);
}

static void test_refused(void **state)
{
    static const char part[] = "{\"ranges\":[{\"first\":0,\"points\":[1,2,3]}]}";
    struct answer a;
    float points[3 * CUBE_VERTICES + 3];
    (void)state;
    cube_points(0, points);
    pose(QUERY, OCTETS, points, sizeof points, &a); /* one too many */
    assert_problem(&a, 422, "invalid_mesh", "points");
    answer_free(&a);
    pose(QUERY, OCTETS, points, 3 * (CUBE_VERTICES - 1) * sizeof *points, &a);
    assert_problem(&a, 422, "invalid_mesh", "points");
    answer_free(&a);
    pose(QUERY, OCTETS, points, 95, &a);
    assert_problem(&a, 422, "invalid_mesh", "points");
    answer_free(&a);
    pose(QUERY, "Content-Type: application/json\r\n", part, strlen(part), &a); /* PUT takes a part, this does not */
    assert_problem(&a, 422, "invalid_mesh", "points");
    answer_free(&a);
    points[10] = strtof("nan", NULL);
    pose(QUERY, OCTETS, points, 3 * CUBE_VERTICES * sizeof *points, &a);
    assert_problem(&a, 422, "invalid_mesh", "points");
    assert_non_null(strstr(a.body, "vertex 3 "));
    answer_free(&a);
    points[10] = 0;
    pose(QUERY, OCTETS "If-Match: \"9\"\r\n", points, 3 * CUBE_VERTICES * sizeof *points, &a);
    assert_problem(&a, 412, "version_mismatch", "if-match");
    answer_free(&a);
    pose(QUERY, OCTETS "If-Match: \"1\"\r\n", points, 3 * CUBE_VERTICES * sizeof *points, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    pose("level=99", OCTETS, points, 3 * CUBE_VERTICES * sizeof *points, &a);
    assert_problem(&a, 400, "invalid_argument", "level");
    answer_free(&a);
    pose(QUERY "&first=1", OCTETS, points, 3 * CUBE_VERTICES * sizeof *points, &a);
    assert_problem(&a, 400, "invalid_argument", "first");
    answer_free(&a);
    pose(QUERY, "Content-Type: image/png\r\n", points, 3 * CUBE_VERTICES * sizeof *points, &a);
    assert_problem(&a, 415, "unsupported_media_type", "content-type");
    answer_free(&a);
    expect_version_1();
}

/* ---- at the same time ------------------------------------------------------------------------------------------- */
struct client {
    pthread_t thread;
    int which; /* -1: GET */
    struct answer want;
    int n_wrong;
};

static void *ask_on(void *arg)
{
    struct client *c = arg;
    float points[3 * CUBE_VERTICES];
    struct answer a;
    cube_points(c->which, points);
    for (int round = 0; round < 40; round++) {
        if (c->which < 0)
            ask_mesh(&d, cube, "refined?" QUERY, "", &a);
        else
            pose(QUERY, OCTETS, points, sizeof points, &a);
        c->n_wrong += a.status != 200 || !frames_same(&a, &c->want);
        answer_free(&a);
    }
    return NULL;
}

static void test_each_sees_its_own(void **state)
{
    struct client clients[3] = {{.which = -1}, {.which = 1}, {.which = 2}};
    (void)state;
    ask_mesh(&d, cube, "refined?" QUERY, "", &clients[0].want);
    for (int i = 1; i < 3; i++)
        frame_after_put(clients[i].which, QUERY, &clients[i].want);
    assert_false(frames_same(&clients[1].want, &clients[2].want));
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&clients[i].thread, NULL, ask_on, &clients[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].n_wrong, 0);
        answer_free(&clients[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pose_is_put_and_get), cmocka_unit_test(test_every_body),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_each_sees_its_own)};
    return cmocka_run_group_tests_name("http/pose", tests, cube_start, cube_stop);
}
