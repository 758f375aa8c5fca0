/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines are absolute: whoever drips, stalls or idles is closed, and a busy loop does not put it off. */
#include "tests/http/daemon.h"
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct daemon d;
static const char *const options[] = {
    "--header-deadline", "1", "--idle-timeout", "1.5", "--min-rate", "16K", "--max-level", "9", NULL};

static int start(void **state)
{
    (void)state;
    daemon_start(&d, options);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

/* Sends byte after byte until the peer closes: how long it let that happen. */
static double drip(int fd, const char *bytes, size_t n, useconds_t pause)
{
    double begin = seconds_now();
    for (size_t i = 0; i < n && seconds_now() - begin < 10; i++) {
        if (send(fd, bytes + i % n, 1, MSG_NOSIGNAL) < 0)
            break;
        if (http_closed(fd, (double)pause * 1e-6))
            break;
    }
    return seconds_now() - begin;
}

static void test_silent(void **state)
{
    (void)state;
    int fd = http_connect(&d);
    double begin = seconds_now();
    assert_true(http_closed(fd, 5));
    assert_in_range((int)((seconds_now() - begin) * 1000), 900, 2000);
    close(fd);
}

static void test_dripped_head(void **state)
{
    char head[300];
    struct answer a;
    (void)state;
    memset(head, 'a', sizeof head);
    memcpy(head, "GET /", 5);
    int fd = http_connect(&d);
    assert_in_range((int)(drip(fd, head, sizeof head, 50000) * 1000), 900, 2000);
    close(fd);
    fd = http_connect(&d); /* the reason is told */
    http_send(fd, head, 20);
    http_read(fd, &a, false);
    assert_problem(&a, 408, "request_timeout", NULL);
    answer_free(&a);
    close(fd);
}

/* Who goes away in the middle of a head gives its place back at once, not at the deadline. */
static void test_half_head_and_gone(void **state)
{
    struct answer a;
    (void)state;
    for (int i = 0; i < 20; i++) {
        int fd = http_connect(&d);
        http_send(fd, "GET /v1 HTTP/1.1\r\nHo", 20);
        if (i % 2)
            usleep(2000);
        close(fd);
    }
    usleep(200000);
    http_get(&d, "/metrics", &a);
    assert_non_null(strstr(a.body, "\nsubdd_sessions 1\n"));
    answer_free(&a);
}

static void test_dripped_body(void **state)
{
    static const char head[] =
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nContent-Length: 100000\r\n\r\n";
    struct answer a;
    (void)state;
    int fd = http_connect(&d);
    http_send(fd, head, sizeof head - 1);
    assert_in_range((int)(drip(fd, CUBE, 100, 50000) * 1000), 900, 2500);
    close(fd);
    fd = http_connect(&d); /* a stall ends the same way */
    http_send(fd, head, sizeof head - 1);
    http_read(fd, &a, false);
    assert_problem(&a, 408, "request_timeout", NULL);
    answer_free(&a);
    close(fd);
}

static void test_steady_body_is_fine(void **state)
{
    char head[256], piece[8192];
    struct answer a;
    int pieces = 16; /* 2 s at 64 KiB/s: longer than the deadline of a head */
    (void)state;
    memset(piece, '#', sizeof piece);
    piece[sizeof piece - 1] = '\n';
    int n = snprintf(
        head, sizeof head,
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nContent-Length: %zu\r\n\r\n",
        strlen(CUBE) + (size_t)pieces * sizeof piece);
    int fd = http_connect(&d);
    http_send(fd, head, (size_t)n);
    for (int i = 0; i < pieces; i++) {
        http_send(fd, piece, sizeof piece);
        usleep(125000);
    }
    http_send(fd, CUBE, strlen(CUBE));
    http_read(fd, &a, false);
    assert_int_equal(a.status, 201);
    answer_free(&a);
    close(fd);
}

static void test_idle(void **state)
{
    struct answer a;
    (void)state;
    int fd = http_connect(&d);
    for (int i = 0; i < 3; i++) {
        http_ask_on(fd, "GET", "/v1/health/live", "", NULL, 0, &a);
        assert_int_equal(a.status, 200);
        answer_free(&a);
        usleep(700000); /* in all longer than the idle timeout */
    }
    double begin = seconds_now();
    assert_true(http_closed(fd, 5));
    assert_in_range((int)((seconds_now() - begin) * 1000), 500, 1800);
    close(fd);
}

/* A reader that does not read, or reads a little now and then, loses the connection; the frame is freed. */
static void read_slowly(size_t bytes, useconds_t pause)
{
    char id[32], target[96], piece[4096];
    int small = 4096;
    create_cube(&d, id);
    int n = snprintf(piece, sizeof piece,
                     "GET /v1/meshes/%s/refined?level=8 HTTP/1.1\r\n" ACCEPT_FRAME "Host: localhost\r\n\r\n", id);
    int fd = http_connect(&d);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    http_send(fd, piece, (size_t)n);
    double begin = seconds_now();
    bool over = false;
    while (!over && seconds_now() - begin < 10) {
        usleep(pause);
        if (bytes && recv(fd, piece, bytes, MSG_DONTWAIT) == 0)
            over = true;
        snprintf(target, sizeof target, "\"path\":\"/v1/meshes/%s/refined\"", id);
        over = over || daemon_logged(&d, target);
    }
    assert_true(daemon_logged(&d, "is too slow (send)"));
    assert_true(daemon_logged(&d, "\"aborted\":true"));
    assert_in_range((int)((seconds_now() - begin) * 1000), 900, 5000);
    close(fd);
}

static void test_non_reader(void **state)
{
    (void)state;
    read_slowly(0, 100000);
}

static void test_dripping_reader(void **state)
{
    (void)state;
    read_slowly(100, 100000);
}

static void test_work_deadline(void **state)
{
    char id[32], target[96];
    struct answer a;
    (void)state;
    char *grid = grid_obj(16);
    create_obj(&d, grid, id);
    free(grid);
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=9", id);
    double waited = 0;
    for (int i = 0; i < 4; i++) {
        http_ask(&d, "GET", target, "Subdd-Timeout-Ms: 1\r\n", NULL, 0, &a);
        assert_problem(&a, 504, "deadline_exceeded", NULL);
        waited += a.seconds;
        answer_free(&a);
    }
    assert_true(waited < 0.4); /* each at its own deadline, not at some tick */
    char plan[160], cube[32];  /* a plan of what is resident does not wait behind the device's work */
    create_cube(&d, cube);
    snprintf(plan, sizeof plan, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
    int busy = http_connect(&d);
    http_send(busy, plan, strlen(plan));
    usleep(20000);
    snprintf(plan, sizeof plan, "/v1/meshes/%s/plan?level=5", cube);
    http_get(&d, plan, &a);
    assert_int_equal(a.status, 200);
    assert_true(a.seconds < 0.1);
    answer_free(&a);
    close(busy);
    http_ask(&d, "GET", target, "Subdd-Timeout-Ms: soon\r\n", NULL, 0, &a);
    assert_problem(&a, 400, "invalid_argument", "subdd-timeout-ms");
    answer_free(&a);
    snprintf(plan, sizeof plan, "/v1/meshes/%s/refined?level=1", cube); /* what follows a value is none of it */
    http_ask(&d, "GET", plan, "Subdd-Timeout-Ms: 5000 \t\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_silent),
                                       cmocka_unit_test(test_dripped_head),
                                       cmocka_unit_test(test_half_head_and_gone),
                                       cmocka_unit_test(test_dripped_body),
                                       cmocka_unit_test(test_steady_body_is_fine),
                                       cmocka_unit_test(test_idle),
                                       cmocka_unit_test(test_non_reader),
                                       cmocka_unit_test(test_dripping_reader),
                                       cmocka_unit_test(test_work_deadline)};
    return cmocka_run_group_tests_name("http/deadlines", tests, start, stop);
}
