/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of which positions alone change, by method auto: the first at once, then tables are built, and the engine that
 * has them makes the next ones: the same surface in the same order, under a tag of its own. */
#include "tests/http/cube.h"
#include "tests/http/frames.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OCTETS "Content-Type: application/octet-stream\r\n"
#define QUERY "level=4&include=positions,indices"
static void put(int which)
{
    struct answer a;
    char target[160];
    float points[3 * CUBE_VERTICES];
    cube_points(which, points);
    snprintf(target, sizeof target, "/v1/meshes/%s/positions", cube);
    http_ask(&d, "PUT", target, OCTETS, points, sizeof points, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

/* Asks for a frame of the cube as it is. Returns whether this engine made it. */
static bool is_made_by(const char *target, const char *fields, const char *method, struct answer *a)
{
    size_t end;
    ask_mesh(&d, cube, target, fields, a);
    assert_int_equal(a->status, 200);
    frame_check(a);
    Subdd__V1__FrameHeader *h = frame_header(a, &end);
    const bool same = strcmp(h->method, method) == 0;
    if (!same && strcmp(method, "tabulated") != 0)
        assert_string_equal(h->method, method);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    return same;
}

/* A frame of the cube as it is, which this engine makes. Tables are built behind an answer, which on a busy machine
 * takes a while. */
static void get(const char *query, const char *fields, const char *method, struct answer *a)
{
    char target[160];
    snprintf(target, sizeof target, "refined?%s", query);
    for (int i = 0; !is_made_by(target, fields, method, a); i++) {
        assert_true(i < 1000);
        answer_free(a);
        usleep(10000);
    }
}

static void drop(const char *query, const char *method)
{
    struct answer a;
    get(query, "", method, &a);
    answer_free(&a);
}

/* What the answer's timing says that points were made of. */
static void made_of(const struct answer *a, const char *want)
{
    char line[512];
    assert_true(answer_field(a, "Server-Timing", line, sizeof line));
    assert_non_null(strstr(line, "refine;dur="));
    const char *said = strstr(line, ";desc=\"");
    assert_true(want ? said && strncmp(said + 7, want, strlen(want)) == 0 && said[7 + strlen(want)] == '"' : !said);
}

/* Positions but for rounding, indices in bits. */
static void same_surface(const struct answer *a, const struct answer *b)
{
    size_t end;
    Subdd__V1__FrameHeader *x = frame_header(a, &end), *y = frame_header(b, &end);
    assert_true(x->n_blocks == 2 && y->n_blocks == 2);
    const float *p = (const float *)(const void *)(a->body + x->blocks[0]->offset);
    const float *q = (const float *)(const void *)(b->body + y->blocks[0]->offset);
    assert_int_equal(x->blocks[0]->count, y->blocks[0]->count);
    for (uint64_t i = 0; i < 3 * x->blocks[0]->count; i++)
        assert_true(fabs((double)p[i] - (double)q[i]) < 1e-5);
    assert_int_equal(x->blocks[1]->digest, y->blocks[1]->digest);
    subdd__v1__frame_header__free_unpacked(x, NULL);
    subdd__v1__frame_header__free_unpacked(y, NULL);
}

static void test_tables_follow(void **state)
{
    struct answer a, b, c;
    char tag[64], other[64], field[96];
    (void)state;
    drop(QUERY, "mesh-matrix");
    drop(QUERY, "mesh-matrix"); /* the same positions */
    put(1);
    get(QUERY, "", "mesh-matrix", &a); /* behind it, tables */
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    get(QUERY, "", "tabulated", &b);
    made_of(&a, NULL);
    made_of(&b, "tables");
    assert_true(answer_field(&b, "ETag", other, sizeof other));
    same_surface(&a, &b);
    assert_string_not_equal(tag, other);
    snprintf(field, sizeof field, "If-None-Match: %s\r\n", tag); /* who has the frame needs no other */
    ask_mesh(&d, cube, "refined?" QUERY, field, &c);
    assert_int_equal(c.status, 304);
    answer_free(&c);
    snprintf(field, sizeof field, "If-Range: %s\r\nRange: bytes=64-\r\n", tag); /* nor who has a part of it */
    ask_mesh(&d, cube, "refined?" QUERY, field, &c);
    assert_int_equal(c.status, 206);
    assert_int_equal(c.bytes, a.bytes - 64);
    assert_memory_equal(c.body, a.body + 64, c.bytes);
    answer_free(&a), answer_free(&b), answer_free(&c);
    put(2);
    get(QUERY, "", "tabulated", &a);
    get(QUERY "&method=mesh-matrix", "", "mesh-matrix", &b);
    same_surface(&a, &b);
    answer_free(&a), answer_free(&b);
}

/* Of a level that has no tables. */
static void test_patches(void **state)
{
    struct answer a;
    (void)state;
    get("level=7&include=positions&method=tabulated", "", "tabulated", &a);
    made_of(&a, "patches");
    answer_free(&a);
}

/* Two kinds of frames in turn, as of a viewer and a thumbnail of it. */
static void test_turns(void **state)
{
    static const char *const queries[] = {"level=3&include=positions", "level=4&include=positions&surface=limit"};
    (void)state;
    for (int round = 0; round < 4; round++) {
        put(round);
        for (int k = 0; k < 2; k++)
            drop(queries[k], round < 2 ? "mesh-matrix" : "tabulated");
    }
}

/* Another kind of frame, or another topology, begins anew. */
static void test_kinds(void **state)
{
    struct answer a;
    char target[160];
    static const char edit[] = "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}";
    (void)state;
    drop("level=3&include=positions,normals&surface=limit", "mesh-matrix");
    put(3);
    drop("level=3&include=positions,normals&surface=limit", "mesh-matrix");
    drop("level=3&include=positions,normals&surface=limit", "tabulated");
    drop("level=2&include=positions&surface=limit", "mesh-matrix");
    drop("level=2&include=indices", "mesh-matrix"); /* nothing that tables make */
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", cube);
    http_ask(&d, "POST", target, "Content-Type: application/json\r\nIf-Match: *\r\n", edit, sizeof edit - 1, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    drop("level=2&include=positions&surface=limit", "mesh-matrix");
    put(4);
    drop("level=2&include=positions&surface=limit", "mesh-matrix");
    drop("level=2&include=positions&surface=limit", "tabulated");
}

/* Where the steps are faster than tables they go on. */
static void test_few_levels(void **state)
{
    static const char *const queries[] = {"level=1&include=positions&surface=limit", "level=2&include=positions",
                                          "level=2&include=positions,normals&surface=limit"};
    (void)state;
    for (size_t k = 0; k < sizeof queries / sizeof *queries; k++)
        for (int i = 0; i < 4; i++) {
            put(i);
            drop(queries[k], "mesh-matrix");
        }
}

/* Poses come one after the other: the second says that there will be more. */
static void test_poses(void **state)
{
    static const char *const methods[] = {"mesh-matrix", "mesh-matrix", "tabulated", "tabulated"};
    char target[160];
    (void)state;
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=5&include=positions", cube);
    for (int i = 0; i < 4; i++) {
        struct answer a;
        float points[3 * CUBE_VERTICES];
        size_t end;
        cube_points(i, points);
        http_ask(&d, "POST", target, OCTETS, points, sizeof points, &a);
        assert_int_equal(a.status, 200);
        Subdd__V1__FrameHeader *h = frame_header(&a, &end);
        assert_string_equal(h->method, methods[i]);
        subdd__v1__frame_header__free_unpacked(h, NULL);
        answer_free(&a);
    }
}

/* The time of a plan is what frames like it took here; before the first one there is none. */
static void test_estimate(void **state)
{
    struct answer a;
    char value[256];
    (void)state;
    ask_mesh(&d, cube, "plan?level=6&method=subdivision-matrix", "", &a);
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_member(&a, "estimatedMs", value), "");
    answer_free(&a);
    drop("level=6&method=subdivision-matrix", "subdivision-matrix");
    ask_mesh(&d, cube, "plan?level=6&method=subdivision-matrix", "", &a);
    const double ms = strtod(answer_member(&a, "estimatedMs", value), NULL);
    assert_true(ms > 0 && ms < 60e3);
    answer_free(&a);
    ask_mesh(&d, cube, "plan?level=6&method=edge-friend", "", &a); /* nothing of another engine */
    assert_string_equal(answer_member(&a, "estimatedMs", value), "");
    answer_free(&a);
    ask_mesh(&d, cube, "plan?level=11&method=subdivision-matrix", "",
             &a); /* nor of a frame a thousand times as large */
    assert_string_equal(answer_member(&a, "estimatedMs", value), "");
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimate),      cmocka_unit_test(test_patches),
                                       cmocka_unit_test(test_tables_follow), cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_kinds),         cmocka_unit_test(test_few_levels),
                                       cmocka_unit_test(test_poses)};
    return cmocka_run_group_tests_name("planner", tests, cube_start, cube_stop);
}
