/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that are half something: whose client has ended its side and waits for the answer, whose head is half
 * there, and whose answer is half read. */
#include "tests/http/cube.h"
#include "tests/env.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The daemon works for longer than it takes to see that the client has ended its side. */
static void test_half_closed_at_work(void **state)
{
    enum { N = 6 };
    static const char *const include[N] = {"positions,normals,indices", "positions,normals", "positions,indices",
                                           "normals,indices",           "positions",         "normals"};
    char id[32], target[160];
    int fds[N];
    (void)state;
    create_grid(&d, 40, id);
    const double begin = seconds_now();
    for (int i = 0; i < N; i++) {
        snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=6&include=%s", id, include[i]);
        fds[i] = http_connect(&d);
        http_begin(fds[i], "GET", target, "", NULL, 0);
        shutdown(fds[i], SHUT_WR);
    }
    for (int i = 0; i < N; i++) {
        struct answer a;
        http_read(fds[i], &a, false);
        assert_int_equal(a.status, 200);
        answer_free(&a);
        close(fds[i]);
    }
    if (strcmp(test_backend(), "cpu") == 0)
        assert_true(seconds_now() - begin > 0.25); /* A tick came, or this test shows nothing. */
}

/* HTTP/1.0 has no interim response, by which the daemon asks whether somebody is still there. */
static void test_old_http_has_left(void **state)
{
    enum { N = 6 };
    char id[32], request[160];
    int fds[N];
    (void)state;
    create_grid(&d, 41, id);
    for (int i = 0; i < N; i++) {
        snprintf(request, sizeof request, "GET /v1/meshes/%s/refined?level=%d HTTP/1.0\r\n\r\n", id, i ? i : 7);
        fds[i] = http_connect(&d);
        http_send(fds[i], request, strlen(request));
        shutdown(fds[i], SHUT_WR);
    }
    if (strcmp(test_backend(), "cpu") == 0)
        assert_true(daemon_logged(&d, "\"code\":\"cancelled\""));
    for (int i = 0; i < N; i++)
        close(fds[i]);
}

static int half_head(void)
{
    const int fd = http_connect(&d);
    http_send(fd, "GET /v1 HTTP/1.1\r\nHo", 20);
    return fd;
}

static void expect_service(void)
{
    struct answer a;
    http_get(&d, "/v1", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

/* Half heads lock nobody out, be they renewed all the time, and go before connections that are kept. */
static void test_half_heads(void **state)
{
    enum { MOST = 16, FLOOD = 60 };
    static const char *const options[] = {"--max-connections", "16", NULL};
    const struct daemon kept = d;
    struct answer a;
    int fds[FLOOD];
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, options);
    const int patient = http_connect(&d);
    http_ask_on(patient, "GET", "/v1", "", NULL, 0, &a);
    answer_free(&a);
    for (int i = 0; i < MOST - 1; i++)
        fds[i] = half_head();
    usleep(400000);
    for (int i = 0; i < MOST / 2; i++)
        expect_service();
    http_ask_on(patient, "GET", "/v1", "", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    for (int i = MOST - 1; i < 4 * FLOOD; i++) {
        if (i >= FLOOD)
            close(fds[i % FLOOD]);
        fds[i % FLOOD] = half_head();
        if (i % 4 == 0)
            expect_service();
    }
    close(patient);
    for (int i = 0; i < FLOOD; i++)
        close(fds[i]);
    daemon_stop(&d);
    d = kept;
}

/* The daemon's memory, once it stays as it is. */
static long long resident_bytes(void)
{
    long long bytes = 0, last = -1;
    for (int i = 0; i < 50 && bytes != last; i++) {
        last = bytes;
        usleep(100000);
        bytes = daemon_metric(&d, "process_resident_memory_bytes");
    }
    return bytes;
}

/* A client that asks and does not read costs at most a quarter of a MiB, whatever it has asked for. */
static void test_unread(void **state)
{
    enum { FIRST = 150, N = 350 }; /* The first ones take up what memory the daemon has to spare. */
    char id[32], target[160];
    int fds[N], small = 4096;
    long long before = 0;
    const struct daemon kept = d;
    struct answer a;
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, NULL);
    create_grid(&d, 32, id);
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=6&include=positions", id);
    http_get(&d, target, &a); /* 50 MB, which the daemon keeps: more than a socket takes */
    assert_int_equal(a.status, 200);
    answer_free(&a);
    for (int i = 0; i < N; i++) {
        if (i == FIRST)
            before = resident_bytes();
        fds[i] = http_connect(&d);
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        http_begin(fds[i], "GET", target, "", NULL, 0);
    }
    const long long each = (resident_bytes() - before) / (N - FIRST);
    print_message("%lld KiB a connection\n", each / 1024);
    assert_int_equal(daemon_metric(&d, "subdd_sessions"), N + 1);
    if (TELLS_MEMORY)
        assert_in_range(each, 1, 256 << 10);
    for (int i = 0; i < N; i++)
        close(fds[i]);
    daemon_stop(&d);
    d = kept;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_half_closed_at_work), cmocka_unit_test(test_unread),
                                       cmocka_unit_test(test_old_http_has_left), cmocka_unit_test(test_half_heads)};
    return cmocka_run_group_tests_name("http/half", tests, cube_start, cube_stop);
}
