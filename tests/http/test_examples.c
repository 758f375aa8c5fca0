/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of client/examples, as docs/c-client.md shows them, against the real daemon. */
#include "tests/http/daemon.h"
#include "tests/http/spawn.h"
#include <stdio.h>
#include <string.h>

static struct daemon served;
static char url[64];

static int start(void **state)
{
    (void)state;
    daemon_start(&served, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&served);
    return 0;
}

static struct ran run(const char *program, const char *server, const char *more)
{
    const char *arguments[] = {server, more, NULL};
    char path[64];
    struct ran r;
    snprintf(path, sizeof path, "../examples/%s", program);
    spawn_run(&r, served.dir, path, arguments, NULL, 0);
    return r;
}

/* Both remove what they have pushed. */
static void assert_nothing_is_left(void)
{
    struct answer a;
    http_get(&served, "/v1/meshes", &a);
    assert_int_equal(a.status, 200);
    assert_null(strstr(a.body, "\"m_"));
    answer_free(&a);
}

static void test_pose(void **state)
{
    struct ran r = run("pose", url, NULL);
    (void)state;
    assert_string_equal(r.err, "");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "version 2: 386 vertices, 384 faces, top at 1.000\n"));
    assert_non_null(strstr(r.out, "a pose: top at 2.000, and the mesh keeps version 2\n"));
    assert_non_null(strstr(r.out, "the cage: 8 vertices, 6 faces, 4 creases of sharpness 2.5\n"));
    assert_non_null(strstr(r.out, "  vertex 7: 2 1 1\n"));
    ran_free(&r);
    assert_nothing_is_left();
}

static void test_stream(void **state)
{
    struct ran r = run("stream", url, "5");
    const char *line = r.out;
    char first[80] = "", last[80] = "";
    int n = 0;
    (void)state;
    assert_string_equal(r.err, "");
    assert_int_equal(r.code, 0);
    for (; *line; n++, line += strcspn(line, "\n") + 1) {
        snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
        assert_ptr_equal(strstr(last, "frame "), last);
        assert_non_null(strstr(last, ": 16641 vertices, z from -0.9"));
        if (n == 0)
            memcpy(first, last, sizeof first);
    }
    assert_int_equal(n, 5);
    assert_string_not_equal(strchr(first, ':'), strchr(last, ':')); /* the wave moves */
    ran_free(&r);
    assert_nothing_is_left();
}

static void test_nobody_there(void **state)
{
    static const char *const programs[] = {"pose", "stream"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ran r = run(programs[i], "http://127.0.0.1:1", NULL);
        assert_int_equal(r.code, 1);
        assert_non_null(strstr(r.err, "cannot reach a subdd at http://127.0.0.1:1"));
        ran_free(&r);
        r = run(programs[i], "localhost", NULL);
        assert_int_equal(r.code, 1);
        assert_non_null(strstr(r.err, "must start with http://"));
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pose),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_nobody_there),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
