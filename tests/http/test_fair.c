/* SPDX-License-Identifier: Apache-2.0 */
/* Clients side by side: long work of one keeps nobody else up, who fills the queue leaves places for others, and work
 * that nobody wants any more ends. Times are compared with those of the long work itself, in the same run. */
#include "tests/env.h"
#include "tests/http/daemon.h"
#include "tests/http/frames.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <poll.h>
#include <unistd.h>
#include <cmocka.h>

enum { GRID = 15 };

static struct daemon d;
static const char *const options[] = {"--cache-bytes", "0", NULL};
static char large[32], small[32];
static char long_work[64]; /* What takes long of the large mesh, made as a whole. */

static int begin(const char *method, const char *id, const char *rest, const char *fields)
{
    char target[160];
    const int fd = http_connect(&d);
    snprintf(target, sizeof target, "/v1/meshes/%s/%s", id, rest);
    http_begin(fd, method, target, fields, "", 0);
    return fd;
}

static bool has_answer(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

/* The seconds until the answer of long work begins. */
static double time_alone(void)
{
    const double at = seconds_now();
    const int fd = begin("GET", large, long_work, "");
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 60000), 1);
    const double seconds = seconds_now() - at;
    close(fd);
    return seconds;
}

/* Level 7 has 3.7 M vertices, and each next one four times as many: a fast device needs more to be busy with. */
static void choose_long_work(void)
{
    for (int level = 7; level <= 9; level++) {
        snprintf(long_work, sizeof long_work, "refined?level=%d&include=positions,normals", level);
        (void)time_alone(); /* The first one builds what the topology needs. */
        if (time_alone() > 0.15)
            return;
    }
}

static int start(void **state)
{
    (void)state;
    daemon_start(&d, options);
    create_grid(&d, GRID, large);
    create_cube(&d, small);
    choose_long_work();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static double ask(const char *method, const char *id, const char *rest, const char *fields, const char *body,
                  int status)
{
    char target[160];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes%s%s%s%s", *id ? "/" : "", id, *rest ? "/" : "", rest);
    http_ask(&d, method, target, fields, body, strlen(body), &a);
    assert_int_equal(a.status, status);
    const double seconds = a.seconds;
    answer_free(&a);
    return seconds;
}

#define OBJ "Content-Type: model/obj\r\n"

/* What others ask for, once each; returns the longest. */
static double others(void)
{
    const double times[] = {ask("POST", small, "refined?level=2", OBJ, CUBE, 200),
                            ask("PUT", small, "positions", OBJ, CUBE, 200), ask("POST", "", "", OBJ, CUBE, 201),
                            ask("GET", large, "", "", "", 200), ask("GET", large, "cage", "", "", 200)};
    double longest = 0;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        longest = times[i] > longest ? times[i] : longest;
    return longest;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Others' requests while `clients` have long work made again and again, three times, also those that only read the mesh
 * that it is made of. */
static void beside_long_work(int clients, double alone)
{
    enum { MOST = 200, MOST_CLIENTS = 4 };
    double times[MOST];
    int fds[MOST_CLIENTS], n = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < clients; i++)
            fds[i] = begin("GET", large, long_work, "");
        while (n < MOST && !has_answer(fds[0]))
            times[n++] = others();
        for (int i = 0; i < clients; i++)
            close(fds[i]);
    }
    assert_true(n > 3); /* They ran beside it, not behind it. */
    qsort(times, (size_t)n, sizeof times[0], by_size);
    if (times[n / 2] > alone / 3)
        fail_msg("%d rounds of others beside %d clients took %.0f ms, long work alone takes %.0f", n, clients,
                 times[n / 2] * 1e3, alone * 1e3);
}

static void test_long_work(void **state)
{
    (void)state;
    others();
    time_alone(); /* The first one builds what the topology needs. */
    const double alone = time_alone();
    beside_long_work(1, alone);
    beside_long_work(4, alone);
}

/* Work that is cut has the same bits: a frame that others were made within, also on other topologies with tables. */
static void test_same_bits(void **state)
{
    struct answer alone, cut;
    char other[32];
    int fd = begin("GET", large, long_work, ""), n = 0;
    (void)state;
    http_read(fd, &alone, false);
    close(fd);
    assert_int_equal(alone.status, 200);
    create_grid(&d, 3, other);
    fd = begin("GET", large, long_work, "");
    for (; !has_answer(fd); n++) {
        ask("GET", other, n % 2 ? "refined?level=3&method=tabulated" : "refined?level=4&surface=limit", "", "", 200);
        ask("GET", small, "patches?level=2", "", "", 200);
        others();
    }
    http_read(fd, &cut, false);
    close(fd);
    assert_int_equal(cut.status, 200);
    assert_true(n > 0);
    assert_true(frames_same(&alone, &cut));
    frame_check(&cut);
    answer_free(&alone);
    answer_free(&cut);
}

/* The metrics name who waits. */
static void test_waiting(void **state)
{
    int fds[6];
    long long most = 0;
    (void)state;
    for (int i = 0; i < 6; i++) {
        char rest[96];
        snprintf(rest, sizeof rest, "%s&surface=%s", long_work, i % 2 ? "limit" : "refined");
        fds[i] = begin("GET", i % 2 ? large : small, rest, "");
    }
    for (int i = 0; i < 200 && !has_answer(fds[0]); i++) {
        const long long now = daemon_metric(&d, "subdd_device_waiting{class=\"long\"}") +
                              daemon_metric(&d, "subdd_device_waiting{class=\"short\"}");
        most = now > most ? now : most;
        assert_true(daemon_metric(&d, "subdd_device_longest_wait_milliseconds") >= 0);
    }
    assert_true(most > 0);
    for (int i = 0; i < 6; i++)
        close(fds[i]);
}

/* A mesh with two vertices of a thousand faces, whose matrix takes seconds. */
static void create_thousand(char id[32])
{
    char path[4096], *text = calloc(1, 1 << 20);
    (void)snprintf(path, sizeof path, "%s/valence1000.obj", test_shapes_dir());
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    create_obj(&d, text, id);
    free(text);
}

/* A matrix that nobody waits for any more leaves the device, whether its client left or its deadline passed: the next
 * frame of the same mesh, which cannot be made beside it, does not wait for its end. */
static void test_cancelled(void **state)
{
    static const char matrix[] = "matrix?level=3";
    char id[32];
    struct answer a;
    (void)state;
    create_thousand(id);
    const double at = seconds_now();
    int fd = begin("GET", id, matrix, "Subdd-Timeout-Ms: 150\r\n");
    http_read(fd, &a, false);
    const double refused = seconds_now() - at;
    assert_problem(&a, 504, "deadline_exceeded", NULL);
    answer_free(&a);
    close(fd);
    const double next = ask("GET", id, "refined?level=1", "", "", 200);
    if (refused > 1 || next > 1)
        fail_msg("the deadline of 150 ms came after %.0f ms, the next frame after %.0f", refused * 1e3, next * 1e3);
    fd = begin("GET", id, matrix, "");
    usleep(100000);
    close(fd); /* The daemon looks for this four times a second. */
    const double after = ask("GET", id, "refined?level=1", "", "", 200);
    if (after > 1)
        fail_msg("a frame after the client had left took %.0f ms", after * 1e3);
}

/* One token fills the queue with long work; another's requests find a place, and what needs no device always does. */
static void test_queue_of_a_token(void **state)
{
    enum { MANY = 24 };
    struct daemon own = {0};
    char tokens[64] = "/tmp/subdd-tokens-XXXXXX", text[2][256], fields[2][128];
    int fds[MANY], refused = 0, fine = 0;
    struct answer a;
    (void)state;
    close(mkstemp(tokens));
    unlink(tokens);
    for (int i = 0; i < 2; i++) {
        const char *const make[] = {"--tokens-file", tokens, "--new-token", i ? "bob:read,edit" : "alice:read,edit",
                                    NULL};
        assert_int_equal(daemon_run(make, text[i], sizeof text[i]), 0);
        snprintf(fields[i], sizeof fields[i], "Authorization: Bearer %.43s\r\n" OBJ, text[i]);
    }
    const char *const few[] = {"--tokens-file", tokens, "--queue-size", "8", "--cache-bytes", "0", NULL};
    daemon_start(&own, few);
    char *grid = grid_obj(GRID), value[256], id[32], target[160];
    http_ask(&own, "POST", "/v1/meshes", fields[0], grid, strlen(grid), &a);
    snprintf(id, sizeof id, "%s", answer_member(&a, "id", value));
    answer_free(&a);
    free(grid);
    snprintf(target, sizeof target, "/v1/meshes/%s/%s", id, long_work);
    for (int i = 0; i < MANY; i++) {
        fds[i] = http_connect(&own);
        http_begin(fds[i], "GET", target, strstr(fields[0], "Auth") ? fields[0] : "", "", 0);
    }
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    for (int i = 0; i < 4; i++) {
        http_ask(&own, "POST", "/v1/meshes", fields[1], CUBE, strlen(CUBE), &a);
        assert_int_equal(a.status, 201);
        answer_free(&a);
        http_ask(&own, "GET", target, fields[i % 2], "", 0, &a);
        assert_int_equal(a.status, 200);
        answer_free(&a);
    }
    for (int i = 0; i < MANY; i++) {
        if (has_answer(fds[i])) {
            http_read(fds[i], &a, false);
            refused += a.status == 429;
            fine += a.status == 200;
            if (a.status == 429) {
                assert_true(answer_field(&a, "Retry-After", value, sizeof value));
                assert_non_null(strstr(a.body, "wait for answers before sending more"));
            }
            answer_free(&a);
        }
        close(fds[i]);
    }
    assert_true(refused > 0 && refused + fine <= MANY);
    daemon_stop(&own);
    unlink(tokens);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_work), cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_waiting), cmocka_unit_test(test_cancelled),
                                       cmocka_unit_test(test_queue_of_a_token)};
    return cmocka_run_group_tests(tests, start, stop);
}
