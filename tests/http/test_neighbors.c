/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours over HTTP: rows against a walk over the faces. */
#include "client/lib/subd.h"
#include "tests/http/frames.h"
#include "tests/http/walk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_GRID 300

/* A triangle, a quad, a pentagon and a vertex of no face; two quads and a fin on one edge; vertices alone. */
static const char mixed[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 1\nv 9 9 9\nv 0 2 0\nv 1 2 0\nv 2 2 2\n"
                            "f 1 2 5 4\nf 2 3 6 5\nf 4 5 8\nf 5 6 10 9 8\n";
static const char fin[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 1 0\nv -1 0 0\nv 0 0 1\n"
                          "f 1 2 3 4\nf 1 4 5 6\nf 1 4 7\n";
static const char *const relations[] = {"VV", "VE", "VF", "EV", "EF", "FV", "FE", "FF"};

static struct daemon d;
static subd_client *client;
static char cube[32], odd[32], bad[32], grid[32];
static struct walk_mesh of_cube, of_odd, of_bad, of_grid;

static int start(void **state)
{
    static char url[64];
    struct subd_config config = SUBD_INIT(subd_config, .server = url);
    (void)state;
    daemon_start(&d, (const char *const[]){"--max-output-bytes", "100000000", NULL});
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d.port);
    setenv("SUBD_SERVER", url, 1);
    char *obj = grid_obj(N_GRID);
    create_cube(&d, cube);
    create_obj(&d, mixed, odd);
    create_obj(&d, fin, bad);
    create_obj(&d, obj, grid);
    walk_obj(CUBE, &of_cube);
    walk_obj(mixed, &of_odd);
    walk_obj(fin, &of_bad);
    walk_obj(obj, &of_grid);
    free(obj);
    return subd_open(&config, &client, NULL);
}

static int stop(void **state)
{
    (void)state;
    walk_mesh_free(&of_cube);
    walk_mesh_free(&of_odd);
    walk_mesh_free(&of_bad);
    walk_mesh_free(&of_grid);
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void ask(const char *id, const char *query, struct walk_rows *out)
{
    char rest[128];
    struct answer a;
    snprintf(rest, sizeof rest, "neighbors?%s", query);
    ask_mesh(&d, id, rest, ACCEPT_FRAME, &a);
    if (a.status != 200)
        fail_msg("%s: %d %s", query, a.status, a.body);
    walk_frame(&a, out);
    answer_free(&a);
}

static void check(const char *id, const struct walk_mesh *m, const char *relation, int ring)
{
    char query[64];
    struct walk_rows got, due;
    snprintf(query, sizeof query, "relation=%s&ring=%d", relation, ring);
    ask(id, query, &got);
    walk_relation(m, relation, ring, &due);
    walk_same(&got, &due, query);
    walk_rows_free(&got);
    walk_rows_free(&due);
}

static void test_relations(void **state)
{
    const char *const ids[] = {cube, odd, bad, grid};
    const struct walk_mesh *const meshes[] = {&of_cube, &of_odd, &of_bad, &of_grid};
    (void)state;
    for (int m = 0; m < 4; m++) {
        for (int k = 0; k < 8; k++)
            check(ids[m], meshes[m], relations[k], 1);
        for (int ring = 2; ring <= 3; ring++) {
            check(ids[m], meshes[m], "VV", ring);
            check(ids[m], meshes[m], "FF", ring);
        }
        check(m < 3 ? ids[m] : cube, m < 3 ? meshes[m] : &of_cube, "VV", 64);
    }
}

/* Relations of a level are those of the faces that refined gives. */
static void test_levels(void **state)
{
    const char *const ids[] = {cube, odd, bad};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int level = 1; level <= 2; level++) {
            struct subd_refine r = SUBD_INIT(subd_refine, .level = level);
            struct subd_frame f = {0};
            struct walk_mesh of_level;
            struct subd_error err;
            char query[64];
            assert_int_equal(subd_refine(client, ids[m], &r, &f, &err), SUBD_OK);
            const struct subd_block *b = subd_frame_find(&f, SUBD_INDICES);
            walk_faces(f.vertices, b->data, b->count, b->components, &of_level);
            for (int k = 0; k < 8; k++) {
                struct walk_rows got, due;
                snprintf(query, sizeof query, "relation=%s&level=%d", relations[k], level);
                ask(ids[m], query, &got);
                walk_relation(&of_level, relations[k], 1, &due);
                walk_same(&got, &due, query);
                walk_rows_free(&got);
                walk_rows_free(&due);
            }
            walk_mesh_free(&of_level);
            subd_frame_free(&f);
        }
}

/* Does a face have the corners b, x, a in this order? */
static bool turns(const struct walk_mesh *m, uint32_t b, uint32_t x, uint32_t a)
{
    for (int64_t f = 0; f < m->n_faces; f++) {
        const int64_t begin = m->begin[f], n = m->begin[f + 1] - begin;
        for (int64_t c = 0; c < n; c++)
            if (m->corner[begin + c] == b && m->corner[begin + (c + 1) % n] == x && m->corner[begin + (c + 2) % n] == a)
                return true;
    }
    return false;
}

/* From one neighbour to the next a face turns around the vertex: its corner before the vertex is the next neighbour. */
static void test_oriented(void **state)
{
    const char *const ids[] = {cube, odd};
    const struct walk_mesh *const meshes[] = {&of_cube, &of_odd};
    (void)state;
    for (int m = 0; m < 2; m++) {
        struct walk_rows got, plain;
        ask(ids[m], "relation=VV&oriented=true", &got);
        walk_relation(meshes[m], "VV", 1, &plain);
        assert_int_equal(got.n, plain.n);
        for (int64_t v = 0; v < got.n; v++) {
            const uint32_t *row = got.id + got.offset[v];
            const int64_t n = got.offset[v + 1] - got.offset[v];
            assert_int_equal(n, plain.offset[v + 1] - plain.offset[v]);
            for (int64_t i = 0; i + 1 < n; i++)
                assert_true(turns(meshes[m], row[i + 1], (uint32_t)v, row[i]));
            if (n > 0 && turns(meshes[m], row[0], (uint32_t)v, row[n - 1])) /* A closed fan begins at its lowest. */
                for (int64_t i = 1; i < n; i++)
                    assert_true(row[0] < row[i]);
        }
        walk_rows_free(&got);
        walk_rows_free(&plain);
    }
}

static void test_ranges_of_rows(void **state)
{
    struct walk_rows all, some;
    (void)state;
    ask(odd, "relation=FE", &all);
    for (int first = 0; first <= 4; first++)
        for (int count = -1; count <= 4 - first; count++) {
            char query[64];
            snprintf(query, sizeof query, count < 0 ? "relation=FE&first=%d" : "relation=FE&first=%d&count=%d", first,
                     count);
            ask(odd, query, &some);
            assert_int_equal(some.n, count < 0 ? 4 - first : count);
            for (int64_t i = 0; i < some.n; i++)
                walk_same_row(&some, i, &all, first + i, query);
            walk_rows_free(&some);
        }
    walk_rows_free(&all);
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */
static void post(const char *id, const char *query, const char *type, const void *body, size_t bytes, struct answer *a)
{
    char target[128], fields[96];
    snprintf(target, sizeof target, "/v1/meshes/%s/neighbors?%s", id, query);
    snprintf(fields, sizeof fields, ACCEPT_FRAME "Content-Type: %s\r\n", type);
    http_ask(&d, "POST", target, fields, body, bytes, a);
}

/* The rows of a list, in each form that a body may have, are those of all in the order of the list. */
static void check_list(const char *relation, const uint32_t *ids, size_t n)
{
    static const char *const types[] = {"application/json", "application/protobuf", "application/octet-stream"};
    char json[256] = "{\"ids\":[", query[32], field[64];
    unsigned char message[256] = {0x0a, (unsigned char)(4 * n)};
    struct walk_rows all, some;
    struct answer a;
    for (size_t i = 0; i < n; i++)
        snprintf(json + strlen(json), sizeof json - strlen(json), "%s%u", i ? "," : "", ids[i]);
    snprintf(json + strlen(json), sizeof json - strlen(json), "]}");
    memcpy(message + 2, ids, 4 * n);
    const void *bodies[] = {json, message, ids};
    const size_t bytes[] = {strlen(json), 2 + 4 * n, 4 * n};
    snprintf(query, sizeof query, "relation=%s", relation);
    ask(odd, query, &all);
    for (int form = 0; form < 3; form++) {
        post(odd, query, types[form], bodies[form], bytes[form], &a);
        if (a.status != 200)
            fail_msg("%s: %s", types[form], a.body);
        assert_false(answer_field(&a, "ETag", field, sizeof field));
        assert_true(answer_field(&a, "Cache-Control", field, sizeof field));
        assert_string_equal(field, "no-store");
        walk_frame(&a, &some);
        assert_int_equal(some.n, n);
        for (size_t i = 0; i < n; i++)
            walk_same_row(&some, (int64_t)i, &all, ids[i], types[form]);
        walk_rows_free(&some);
        answer_free(&a);
    }
    walk_rows_free(&all);
}

static void test_lists(void **state)
{
    static const uint32_t ids[] = {3, 3, 0, 2, 3, 1};
    (void)state;
    for (int k = 0; k < 8; k++)
        check_list(relations[k], ids, 6);
    check_list("VV", (const uint32_t[]){6, 4, 6}, 3); /* An isolated vertex has an empty row. */
    check_list("FE", ids, 0);
}

static void test_a_million(void **state)
{
    enum { N = 1000000 };
    uint32_t *ids = malloc(N * sizeof *ids);
    struct walk_rows all, some;
    struct answer a;
    (void)state;
    assert_non_null(ids);
    for (uint32_t i = 0, seed = 12345; i < N; i++)
        ids[i] = (seed = seed * 1664525 + 1013904223) % (uint32_t)of_grid.n_vertices;
    post(grid, "relation=VV", "application/octet-stream", ids, N * sizeof *ids, &a);
    assert_int_equal(a.status, 200);
    walk_frame(&a, &some);
    walk_relation(&of_grid, "VV", 1, &all);
    assert_int_equal(some.n, N);
    for (int64_t i = 0; i < N; i++)
        walk_same_row(&some, i, &all, ids[i], "a million");
    answer_free(&a);
    ids[777777] = (uint32_t)of_grid.n_vertices;
    post(grid, "relation=VV", "application/octet-stream", ids, N * sizeof *ids, &a);
    assert_problem(&a, 422, "invalid_query", "ids");
    assert_non_null(strstr(a.body, "row 777777"));
    answer_free(&a);
    walk_rows_free(&all);
    walk_rows_free(&some);
    free(ids);
}

/* ---- HTTP ------------------------------------------------------------------------------------------------------- */
static void test_tag(void **state)
{
    static const char *const others[] = {"relation=VF", "ring=2", "oriented=true", "first=1", "count=3", "level=1"};
    char tag[64], other[64], line[160];
    struct answer a;
    (void)state;
    ask_mesh(&d, cube, "neighbors", ACCEPT_FRAME, &a);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    answer_free(&a);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(line, sizeof line, "neighbors?%s", others[i]);
        ask_mesh(&d, cube, line, ACCEPT_FRAME, &a);
        assert_int_equal(a.status, 200);
        assert_true(answer_field(&a, "ETag", other, sizeof other));
        assert_string_not_equal(tag, other);
        answer_free(&a);
    }
    snprintf(line, sizeof line, ACCEPT_FRAME "If-None-Match: %s\r\n", tag);
    ask_mesh(&d, cube, "neighbors?relation=VV&level=0&ring=1&oriented=false", line, &a);
    assert_int_equal(a.status, 304);
    assert_int_equal(a.bytes, 0);
    answer_free(&a);
}

/* Any bytes of a frame of several pieces are those of the whole. */
static void test_bytes(void **state)
{
    static const char *const queries[] = {"neighbors?relation=VV&ring=5", "neighbors?relation=FE",
                                          "neighbors?relation=FE&count=0"};
    struct answer whole, part;
    char line[240], tag[64], value[96];
    (void)state;
    for (int q = 0; q < 3; q++) {
        ask_mesh(&d, grid, queries[q], ACCEPT_FRAME, &whole);
        assert_int_equal(whole.status, 200);
        assert_true(answer_field(&whole, "ETag", tag, sizeof tag));
        const size_t n = whole.bytes, step = n / 7;
        assert_true(q != 0 || n > 20000000);
        for (size_t at = 0; at < n; at += step + 1) {
            const size_t last = at + 100 + step / 2 < n ? at + 100 + step / 2 : n - 1;
            snprintf(line, sizeof line, ACCEPT_FRAME "If-Range: %s\r\nRange: bytes=%zu-%zu\r\n", tag, at, last);
            ask_mesh(&d, grid, queries[q], line, &part);
            assert_int_equal(part.status, 206);
            assert_int_equal(part.bytes, last + 1 - at);
            assert_memory_equal(part.body, whole.body + at, part.bytes);
            snprintf(line, sizeof line, "bytes %zu-%zu/%zu", at, last, n);
            assert_true(answer_field(&part, "Content-Range", value, sizeof value));
            assert_string_equal(value, line);
            answer_free(&part);
        }
        snprintf(line, sizeof line, ACCEPT_FRAME "Range: bytes=%zu-\r\n", n);
        ask_mesh(&d, grid, queries[q], line, &part);
        assert_problem(&part, 416, "range_not_satisfiable", "range");
        answer_free(&part);
        answer_free(&whole);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *query, *field;
        int status;
        const char *code;
        int limit; /* -1 for none. */
    } rows[] = {
        {"relation=XX", "relation", 422, "invalid_query", -1},
        {"relation=", "relation", 422, "invalid_query", -1},
        {"relation=vv", "relation", 422, "invalid_query", -1},
        {"ring=0", "ring", 422, "invalid_query", 64},
        {"ring=65", "ring", 422, "invalid_query", 64},
        {"ring=-1", "ring", 422, "invalid_query", 64},
        {"ring=999999999999", "ring", 422, "invalid_query", 64},
        {"ring=two", "ring", 400, "invalid_argument", -1},
        {"relation=VE&ring=2", "ring", 422, "invalid_query", 64},
        {"relation=EF&oriented=true", "oriented", 422, "invalid_query", -1},
        {"relation=VV&oriented=true&ring=2", "oriented", 422, "invalid_query", -1},
        {"oriented=yes", "oriented", 400, "invalid_argument", -1},
        {"level=-1", "level", 422, "invalid_query", 15},
        {"level=16", "level", 422, "invalid_query", 15},
        {"level=x", "level", 400, "invalid_argument", -1},
        {"first=9", "first", 422, "invalid_query", 8},
        {"first=-1", "first", 422, "invalid_query", 8},
        {"first=3&count=6", "count", 422, "invalid_query", 8},
        {"count=-1", "count", 422, "invalid_query", -1},
        {"first=9223372036854775807", "first", 400, "invalid_argument", -1},
        {"first=999999999999999999&count=999999999999999999", "first", 422, "invalid_query", 8},
        {"relation=FF&first=7", "first", 422, "invalid_query", 6},
        {"surface=limit", "surface", 400, "invalid_argument", -1},
    };
    char rest[128];
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(rest, sizeof rest, "neighbors?%s", rows[i].query);
        ask_mesh(&d, cube, rest, ACCEPT_FRAME, &a);
        if (a.status != rows[i].status)
            print_message("%s\n", rest);
        assert_problem(&a, rows[i].status, rows[i].code, rows[i].field);
        assert_int_equal(answer_number(&a, "limit"), rows[i].limit);
        answer_free(&a);
    }
    ask_mesh(&d, bad, "neighbors?oriented=true", ACCEPT_FRAME, &a);
    assert_problem(&a, 422, "invalid_query", "oriented");
    assert_non_null(strstr(a.body, "vertex 0"));
    answer_free(&a);
    ask_mesh(&d, "m_0000000000000000", "neighbors", ACCEPT_FRAME, &a);
    assert_problem(&a, 404, "not_found", NULL);
    answer_free(&a);
    ask_mesh(&d, cube, "neighbors", "Accept: model/obj\r\n", &a);
    assert_int_equal(a.status, 406);
    answer_free(&a);
}

static void test_refused_lists(void **state)
{
    static const struct {
        const char *query, *type, *body, *field;
        int status;
        const char *code;
    } rows[] = {
        {"", "application/json", "{\"ids\":[0,8,9]}", "ids", 422, "invalid_query"},
        {"", "application/json", "{\"ids\":[-1]}", "ids", 422, "invalid_query"},
        {"", "application/json", "{\"ids\":[0.5]}", "ids", 400, "invalid_argument"},
        {"", "application/json", "{\"ids\":[1e300]}", "ids", 400, "invalid_argument"},
        {"", "application/json", "{\"ids\":7}", "ids", 400, "invalid_argument"},
        {"", "application/json", "{}", "ids", 400, "invalid_argument"},
        {"", "application/json", "{\"ids\":[],\"more\":1}", NULL, 400, "invalid_argument"},
        {"", "application/json", "{\"ids\":[", NULL, 400, "malformed"},
        {"", "application/octet-stream", "abcde", "ids", 422, "invalid_mesh"},
        {"", "application/octet-stream", "\377\377\377\377", "ids", 422, "invalid_query"},
        {"", "application/protobuf", "\nxxxx", NULL, 400, "malformed"},
        {"", "model/obj", "v 0 0 0", NULL, 415, "unsupported_media_type"},
        {"first=1", "application/json", "{\"ids\":[0]}", "first", 400, "invalid_argument"},
        {"relation=VE&ring=2", "application/json", "{\"ids\":[0]}", "ring", 422, "invalid_query"},
    };
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        post(cube, rows[i].query, rows[i].type, rows[i].body, strlen(rows[i].body), &a);
        if (a.status != rows[i].status)
            print_message("%s: %s\n%s\n", rows[i].type, rows[i].body, a.body);
        assert_problem(&a, rows[i].status, rows[i].code, rows[i].field);
        answer_free(&a);
    }
    post(cube, "", "application/json", rows[0].body, strlen(rows[0].body), &a);
    assert_non_null(strstr(a.body, "id 8 of row 1")); /* The first one, and how many there are. */
    assert_int_equal(answer_number(&a, "limit"), 8);
    answer_free(&a);
}

/* Beyond --max-output-bytes: exactly what is needed with one step, and at least that with more. */
static void test_limit(void **state)
{
    struct walk_rows due;
    struct answer a;
    char field[64];
    (void)state;
    walk_relation(&of_grid, "VV", 12, &due);
    const long long needed = 4 * (due.n + 1 + due.offset[due.n]);
    ask_mesh(&d, grid, "neighbors?ring=12", ACCEPT_FRAME, &a);
    assert_problem(&a, 413, "too_large", "count");
    assert_int_equal(answer_number(&a, "limit"), 100000000);
    assert_true(answer_number(&a, "needed") > 100000000 && answer_number(&a, "needed") <= needed);
    answer_free(&a);
    const int n = 6000000;
    uint32_t *ids = calloc((size_t)n, sizeof *ids); /* A corner of the grid, again and again: two ids a row. */
    assert_non_null(ids);
    post(grid, "", "application/octet-stream", ids, (size_t)n * 4, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    ids[0] = 1;
    for (int i = 0; i < n; i++)
        ids[i] = N_GRID + 2; /* An inner vertex: four. */
    post(grid, "", "application/octet-stream", ids, (size_t)n * 4, &a);
    assert_problem(&a, 413, "too_large", "ids");
    assert_int_equal(answer_number(&a, "needed"), 4LL * (n + 1) + 16LL * n);
    assert_true(answer_field(&a, "Content-Type", field, sizeof field));
    answer_free(&a);
    free(ids);
    walk_rows_free(&due);
}

static void test_a_hundred_clients(void **state)
{
    enum { N = 100 };
    static int fds[N];
    char target[96];
    struct answer one, a;
    (void)state;
    snprintf(target, sizeof target, "/v1/meshes/%s/neighbors?relation=VF", grid);
    http_ask(&d, "GET", target, ACCEPT_FRAME, "", 0, &one);
    assert_int_equal(one.status, 200);
    for (int i = 0; i < N; i++) {
        fds[i] = http_connect(&d);
        http_begin(fds[i], "GET", target, ACCEPT_FRAME, "", 0);
    }
    for (int i = 0; i < N; i++) {
        http_read(fds[i], &a, false);
        assert_int_equal(a.status, 200);
        assert_int_equal(a.bytes, one.bytes);
        assert_memory_equal(a.body, one.body, a.bytes);
        answer_free(&a);
        close(fds[i]);
    }
    answer_free(&one);
}

static void wait_for_none(const char *metric)
{
    for (int i = 0; i < 200 && daemon_metric(&d, metric) != 0; i++)
        usleep(50000);
    assert_int_equal(daemon_metric(&d, metric), 0);
}

/* Who leaves ends the work, before the answer or in the middle of it. Requests on one mesh take turns, so the next one
 * tells when the work has ended. */
static void test_leaving(void **state)
{
    char target[96], some[1000];
    struct answer a;
    (void)state;
    snprintf(target, sizeof target, "/v1/meshes/%s/neighbors?ring=10", grid);
    http_ask(&d, "GET", target, ACCEPT_FRAME, "", 0, &a);
    assert_int_equal(a.status, 200);
    const double whole = a.seconds;
    answer_free(&a);
    int fd = http_connect(&d);
    http_begin(fd, "GET", target, ACCEPT_FRAME, "", 0);
    usleep(20000);
    close(fd);
    ask_mesh(&d, grid, "neighbors?count=1", ACCEPT_FRAME, &a);
    assert_int_equal(a.status, 200);
    if (a.seconds > whole / 2)
        fail_msg("the next request took %.3f s, the work takes %.3f s", a.seconds, whole);
    answer_free(&a);
    fd = http_connect(&d);
    http_begin(fd, "GET", target, ACCEPT_FRAME, "", 0);
    assert_true(recv(fd, some, sizeof some, MSG_WAITALL) > 0);
    close(fd);
    wait_for_none("subdd_streams");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relations), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_oriented),  cmocka_unit_test(test_ranges_of_rows),
        cmocka_unit_test(test_lists),     cmocka_unit_test(test_a_million),
        cmocka_unit_test(test_tag),       cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_refused_lists),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_a_hundred_clients),
        cmocka_unit_test(test_leaving),
    };
    return cmocka_run_group_tests_name("http/neighbors", tests, start, stop);
}
