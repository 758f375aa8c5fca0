/* SPDX-License-Identifier: Apache-2.0 */
/* Limits hold at the limit: connections, bodies of all kinds, what is in flight, the queue; health stays reachable. */
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MANY 40
static struct daemon d;

static int stop(void **state)
{
    (void)state;
    if (d.pid)
        daemon_stop(&d);
    return 0;
}

static void get_live(void)
{
    struct answer a;
    http_get(&d, "/v1/health/live", &a);
    assert_int_equal(a.status, 200);
    assert_true(a.seconds < 2);
    answer_free(&a);
}

/* Sockets that never say anything cannot keep others out: the longest idle goes. */
static void test_idle_flood(void **state)
{
    static const char *const options[] = {"--max-connections", "16", NULL};
    int fds[200];
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    for (int i = 0; i < 200; i++)
        fds[i] = http_connect(&d);
    get_live();
    http_get(&d, "/v1", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    for (int i = 0; i < 200; i++)
        close(fds[i]);
    get_live();
    daemon_stop(&d);
}

/* Connections in the middle of a body are not evicted; beyond the limit only health is answered. */
static void test_busy_flood(void **state)
{
    static const char *const options[] = {"--max-connections", "16", NULL};
    static const char head[] =
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nContent-Length: 100000\r\n\r\n";
    int fds[16];
    struct answer a;
    char value[64];
    (void)state;
    daemon_start(&d, options);
    for (int i = 0; i < 16; i++) {
        fds[i] = http_connect(&d);
        http_send(fds[i], head, sizeof head - 1);
    }
    usleep(100000);
    http_get(&d, "/v1", &a);
    assert_problem(&a, 503, "busy", NULL);
    assert_true(answer_field(&a, "Retry-After", value, sizeof value));
    assert_true(answer_field(&a, "Connection", value, sizeof value));
    assert_string_equal(value, "close");
    answer_free(&a);
    get_live();
    for (int i = 0; i < 16; i++)
        close(fds[i]);
    usleep(50000);
    http_get(&d, "/v1", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    daemon_stop(&d);
}

static void test_per_address(void **state)
{
    static const char *const options[] = {"--max-connections-per-address", "4", NULL};
    int fds[4];
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    for (int i = 0; i < 4; i++)
        fds[i] = http_connect(&d);
    usleep(50000);
    http_get(&d, "/v1", &a);
    assert_problem(&a, 429, "too_many_requests", NULL);
    answer_free(&a);
    get_live();
    for (int i = 0; i < 4; i++)
        close(fds[i]);
    daemon_stop(&d);
}

static void post(const char *type, size_t n, int status, const char *code, long long limit)
{
    struct answer a;
    char field[64], *body = calloc(1, n + 1);
    memset(body, ' ', n);
    snprintf(field, sizeof field, "Content-Type: %s\r\n", type);
    http_ask(&d, "POST", "/v1/meshes", field, body, n, &a);
    assert_problem(&a, status, code, NULL);
    if (limit)
        assert_int_equal(answer_number(&a, "limit"), limit);
    answer_free(&a);
    free(body);
}

static void send_chunked(size_t n, int status)
{
    static const char head[] =
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nTransfer-Encoding: chunked\r\n\r\n";
    char chunk[4096 + 8];
    struct answer a;
    int fd = http_connect(&d);
    http_send(fd, head, sizeof head - 1);
    memcpy(chunk, "1000\r\n", 6);
    memset(chunk + 6, '#', 4096);
    memcpy(chunk + 4102, "\r\n", 2);
    for (size_t at = 0; at < n; at += 4096)
        http_send(fd, chunk, 4104);
    int last = snprintf(chunk, sizeof chunk, "%zx\r\n\n%s\r\n0\r\n\r\n", strlen(CUBE) + 1, CUBE);
    http_send(fd, chunk, (size_t)last);
    http_read(fd, &a, false);
    assert_int_equal(a.status, status);
    if (status == 413)
        assert_problem(&a, 413, "too_large", "body");
    answer_free(&a);
    close(fd);
}

static void test_bodies(void **state)
{
    static const char *const options[] = {"--max-body-bytes", "256KiB", "--max-json-bytes", "8KiB", NULL};
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    post("model/obj", (256 << 10) + 1, 413, "too_large", 256 << 10);
    post("model/obj", 8 << 20, 413, "too_large", 256 << 10); /* sent in full before the answer is read */
    post("application/json", (8 << 10) + 1, 413, "too_large", 8 << 10);
    post("application/json", 8 << 10, 400, "malformed", 0);
    post("text/html", 10, 415, "unsupported_media_type", 0);
    send_chunked(300 << 10, 413);
    send_chunked(2 << 20, 413);
    send_chunked(200 << 10, 201); /* a cube below a long comment */
    int fd = http_connect(&d);    /* a client that waits for 100 gets the refusal instead, before it sends a byte */
    static const char head[] =
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nExpect: 100-continue\r\n"
        "Content-Length: 9999999\r\n\r\n";
    http_send(fd, head, sizeof head - 1);
    http_read(fd, &a, false);
    assert_problem(&a, 413, "too_large", "body");
    answer_free(&a);
    close(fd);
    http_ask(&d, "GET", "/v1/health/live", "", "x", 1, &a); /* no body here */
    assert_problem(&a, 400, "invalid_argument", "body");
    answer_free(&a);
    daemon_stop(&d);
}

static void test_small_refusal_keeps_connection(void **state)
{
    struct answer a;
    (void)state;
    daemon_start(&d, NULL);
    int fd = http_connect(&d);
    http_ask_on(fd, "POST", "/v1/meshes", "Content-Type: text/html\r\n", CUBE, strlen(CUBE), &a);
    assert_problem(&a, 415, "unsupported_media_type", "content-type");
    answer_free(&a);
    http_ask_on(fd, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", CUBE, strlen(CUBE), &a);
    assert_int_equal(a.status, 201);
    answer_free(&a);
    close(fd);
    daemon_stop(&d);
}

static void test_inflight(void **state)
{
    static const char *const options[] = {"--max-inflight-bytes", "300KiB", NULL};
    static const char head[] =
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nContent-Length: 200000\r\n\r\n";
    struct answer a;
    char *body = malloc(200000);
    (void)state;
    daemon_start(&d, options);
    memset(body, '#', 200000);
    body[199999 - strlen(CUBE)] = '\n';
    memcpy(body + 200000 - strlen(CUBE), CUBE, strlen(CUBE));
    int first = http_connect(&d);
    http_send(first, head, sizeof head - 1);
    http_send(first, body, 190000);
    usleep(100000);
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", body, 200000, &a);
    assert_problem(&a, 503, "busy", "body");
    answer_free(&a);
    http_send(first, body + 190000, 10000);
    http_read(first, &a, false);
    assert_int_equal(a.status, 201);
    answer_free(&a);
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", body, 200000, &a);
    assert_int_equal(a.status, 201);
    answer_free(&a);
    close(first);
    free(body);
    body = calloc(1, 400000); /* longer than all bodies together may be: waiting would not help */
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", body, 400000, &a);
    free(body);
    assert_problem(&a, 413, "too_large", "body");
    assert_int_equal(answer_number(&a, "limit"), 300 << 10);
    answer_free(&a);
    daemon_stop(&d);
}

/* Who fills the queue is told so at once; nothing waits without bound, what needs no device finds a place, and
 * afterwards all is as before. */
static void test_queue(void **state)
{
    static const char *const options[] = {"--queue-size", "4", "--cache-bytes", "0", NULL};
    char id[32], target[160];
    int fds[MANY], busy = 0, fine = 0;
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    char *grid = grid_obj(24);
    create_obj(&d, grid, id);
    free(grid);
    snprintf(target, sizeof target,
             "GET /v1/meshes/%s/refined?level=5 HTTP/1.1\r\n" ACCEPT_FRAME "Host: localhost\r\n\r\n", id);
    for (int i = 0; i < MANY; i++) {
        fds[i] = http_connect(&d);
        http_send(fds[i], target, strlen(target));
    }
    get_live();
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_get(&d, target, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    for (int i = 0; i < MANY; i++) {
        char value[32];
        http_read(fds[i], &a, false);
        fine += a.status == 200;
        busy += a.status == 429;
        if (a.status != 200) {
            assert_problem(&a, 429, "too_many_requests", NULL);
            assert_true(answer_field(&a, "Retry-After", value, sizeof value));
            assert_string_equal(value, "1");
        }
        answer_free(&a);
        close(fds[i]);
    }
    assert_int_equal(busy + fine, MANY);
    assert_true(fine >= 3 && busy > 0);
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=2", id);
    http_get(&d, target, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    http_get(&d, "/metrics", &a);
    assert_non_null(strstr(a.body, "subdd_rejected_total{reason=\"queue\"} "));
    assert_null(strstr(a.body, "subdd_rejected_total{reason=\"queue\"} 0\n"));
    answer_free(&a);
    daemon_stop(&d);
}

static void refine(const char *query, int status, const char *code, long long limit)
{
    char id[32], target[160];
    struct answer a;
    create_cube(&d, id);
    for (int i = 0; i < 2; i++) { /* a plan says the same before, with all its counts */
        char value[256];
        bool planned = !i && status != 400;
        snprintf(target, sizeof target, "/v1/meshes/%s/%s?%s", id, i ? "refined" : "plan", query);
        http_get(&d, target, &a);
        if (planned || status == 200)
            assert_int_equal(a.status, 200);
        else
            assert_problem(&a, status, code, "level");
        if (planned) {
            assert_string_equal(answer_member(&a, "fits", value), status == 200 ? "true" : "false");
            assert_true(answer_number(&a, "vertices") > 0 && answer_number(&a, "frameBytes") > 0);
        }
        if (status != 200)
            assert_int_equal(answer_number(&a, status == 507 && i ? "available" : "limit"), limit);
        if (status == 413 || status == 507)
            assert_true(answer_number(&a, "needed") > limit);
        assert_false(answer_field(&a, "Retry-After", value, sizeof value)); /* the request has to change */
        answer_free(&a);
    }
}

static void test_output(void **state)
{
    static const char *const options[] = {"--max-output-bytes", "600KiB", "--max-level", "7",
                                          "--host-memory",      "300KiB", NULL};
    (void)state;
    daemon_start(&d, options);
    refine("level=8", 400, "invalid_argument", 7);
    refine("level=0", 400, "invalid_argument", 7);
    refine("level=6", 413, "too_large", 600 << 10); /* 24,578 vertices, 24,576 quads: 688 KB */
    refine("level=6&include=indices", 507, "insufficient_memory", 300 << 10);
    refine("level=6&include=positions", 200, NULL, 0);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_idle_flood, stop),
                                       cmocka_unit_test_teardown(test_busy_flood, stop),
                                       cmocka_unit_test_teardown(test_per_address, stop),
                                       cmocka_unit_test_teardown(test_bodies, stop),
                                       cmocka_unit_test_teardown(test_small_refusal_keeps_connection, stop),
                                       cmocka_unit_test_teardown(test_inflight, stop),
                                       cmocka_unit_test_teardown(test_queue, stop),
                                       cmocka_unit_test_teardown(test_output, stop)};
    return cmocka_run_group_tests_name("http/limits", tests, NULL, NULL);
}
