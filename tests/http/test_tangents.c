/* SPDX-License-Identifier: Apache-2.0 */
/* Limit tangents through the service: over HTTP, by libsubd, by subd, and what the files of subd make of them. */
#include "client/lib/subd.h"
#include "tests/env.h"
#include "tests/http/client.h"
#include "tests/http/frames.h"
#include "tests/http/spawn.h"
#include "tests/oracle/planes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)
#define ONLY_LIMIT "tangents are the limit surface's; ask for surface=limit"

static struct daemon d;
static subd_client *client;
static char cube[32];

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, cube);
    client = client_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&d);
    return 0;
}

static void test_http(void **state)
{
    struct answer a, plan;
    size_t end;
    (void)state;
    ask_mesh(&d, cube, "refined?level=2&surface=limit&include=normals,tangents", "", &a);
    assert_int_equal(a.status, 200);
    frame_check(&a);
    Subdd__V1__FrameHeader *h = frame_header(&a, &end);
    assert_int_equal(h->n_blocks, 2);
    const Subdd__V1__Block *n = h->blocks[0], *t = h->blocks[1];
    assert_string_equal(t->semantic, "tangents");
    assert_string_equal(t->type, "f32");
    assert_int_equal(t->components, 6);
    assert_int_equal(t->stride, 24);
    assert_int_equal(t->count, h->vertices);
    for (uint64_t v = 0; v < t->count; v++) {
        float normal[3], tangents[6];
        memcpy(normal, a.body + n->offset + 12 * v, sizeof normal);
        memcpy(tangents, a.body + t->offset + 24 * v, sizeof tangents);
        assert_null(plane_fault(tangents, normal));
        assert_true(normal[0] != 0 || normal[1] != 0 || normal[2] != 0);
    }
    ask_mesh(&d, cube, "plan?level=2&surface=limit&include=normals,tangents", "", &plan);
    assert_int_equal(answer_number(&plan, "frameBytes"), a.bytes);
    assert_non_null(strstr(plan.body, "\"tangents\""));
    subdd__v1__frame_header__free_unpacked(h, NULL);
    answer_free(&a);
    answer_free(&plan);
}

static void test_only_the_limit(void **state)
{
    static const char *const rows[] = {"refined?include=tangents", "refined?include=positions,tangents&surface=refined",
                                       "plan?level=2&include=tangents"};
    char detail[256];
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask_mesh(&d, cube, rows[i], "", &a);
        assert_problem(&a, 400, "invalid_argument", "include");
        assert_non_null(strstr(answer_member(&a, "detail", detail), ONLY_LIMIT));
        answer_free(&a);
    }
}

/* Tangents make another frame of it; the others keep theirs. */
static void test_etag(void **state)
{
    static const char *const includes[] = {"positions", "positions,tangents", "tangents", "positions"};
    char rest[96], tags[4][64];
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct answer a;
        snprintf(rest, sizeof rest, "refined?surface=limit&include=%s", includes[i]);
        ask_mesh(&d, cube, rest, "", &a);
        assert_int_equal(a.status, 200);
        assert_true(answer_field(&a, "ETag", tags[i], sizeof tags[i]));
        answer_free(&a);
    }
    assert_string_equal(tags[0], tags[3]);
    assert_string_not_equal(tags[0], tags[1]);
    assert_string_not_equal(tags[0], tags[2]);
    assert_string_not_equal(tags[1], tags[2]);
}

static void test_libsubd(void **state)
{
    struct subd_refine r =
        SUBD_INIT(subd_refine, .level = 3, .surface = "limit", .include = SUBD_NORMALS | SUBD_TANGENTS);
    struct subd_frame f = {0};
    struct subd_plan p = {0};
    struct subd_error err;
    (void)state;
    if (subd_refine(client, cube, &r, &f, &err) != SUBD_OK || subd_get_plan(client, cube, &r, &p, &err) != SUBD_OK)
        fail_msg("%s", err.text);
    const struct subd_block *n = subd_frame_find(&f, SUBD_NORMALS), *t = subd_frame_find(&f, SUBD_TANGENTS);
    assert_int_equal(f.n_blocks, 2);
    assert_true(t->components == 6 && t->count == f.vertices && t->bytes == 24 * f.vertices);
    for (int64_t v = 0; v < t->count; v++)
        assert_null(plane_fault((const float *)t->data + 6 * v, (const float *)n->data + 3 * v));
    assert_int_equal(p.n_blocks, 2);
    assert_int_equal(p.blocks[1].semantic, SUBD_TANGENTS);
    assert_int_equal(p.blocks[1].bytes, t->bytes);
    r.surface = NULL;
    assert_int_equal(subd_refine(client, cube, &r, &f, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 400);
    assert_non_null(strstr(err.text, ONLY_LIMIT));
    subd_frame_free(&f);
}

/* No format has them, and the file is the one without. */
static void test_subd(void **state)
{
    static const char *const suffixes[] = {".obj", ".ply", ".usda", ".glb", ".stl"};
    (void)state;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char with[128], without[128], says[96];
        size_t n_with, n_without;
        snprintf(with, sizeof with, "%s/with%s", d.dir, suffixes[i]);
        snprintf(without, sizeof without, "%s/without%s", d.dir, suffixes[i]);
        snprintf(says, sizeof says, "subd: %s files cannot carry tangents: left out\n", suffixes[i]);
        struct ran r = RUN("refine", cube, "--surface", "limit", "--tangents", "-o", with),
                   plain = RUN("refine", cube, "--surface", "limit", "-o", without);
        assert_int_equal(r.code, 0);
        assert_int_equal(plain.code, 0);
        assert_non_null(strstr(r.err, says));
        assert_null(strstr(plain.err, "tangents"));
        char *a = slurp(with, &n_with), *b = slurp(without, &n_without);
        assert_true(a && b && n_with == n_without && memcmp(a, b, n_with) == 0);
        free(a), free(b);
        ran_free(&r);
        ran_free(&plain);
    }
    struct ran r = RUN("plan", cube, "--surface", "limit", "--tangents", "--json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "\"tangents\""));
    ran_free(&r);
    r = RUN("refine", cube, "--tangents");
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, ONLY_LIMIT));
    ran_free(&r);
    r = RUN("refine", "--help");
    assert_non_null(strstr(r.out, "--tangents"));
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_http), cmocka_unit_test(test_only_the_limit),
                                       cmocka_unit_test(test_etag), cmocka_unit_test(test_libsubd),
                                       cmocka_unit_test(test_subd)};
    return cmocka_run_group_tests_name("http/tangents", tests, start, stop);
}
