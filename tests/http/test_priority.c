/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes first on the device, by how much of one client's work is done when that of another is: bulk work waits for
 * all that is not, and two tokens share, however many requests either has. */
#include "tests/env.h"
#include "tests/http/daemon.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 24, FEW = 6, GRID = 40 };

static struct daemon d;
static char ids[MANY + FEW][32]; /* Meshes that have no topology in common, so that none are made together. */
static char ann[128], bob[128];  /* Headers */

static void make_token(const char *file, const char *spec, char header[128])
{
    const char *options[] = {"--tokens-file", file, "--new-token", spec, NULL};
    char token[128];
    assert_int_equal(daemon_run(options, token, sizeof token), 0);
    token[strcspn(token, "\n")] = 0;
    snprintf(header, 128, "Authorization: Bearer %.80s\r\n", token);
}

/* Bob's are of middle size, and Ann's in turn larger and smaller, so that as many of hers take as long. */
static int size_of(int i)
{
    return GRID + (i >= MANY ? MANY / 2 + i - MANY : i % 2 ? MANY / 2 - 1 - i / 2 : MANY / 2 + FEW + i / 2);
}

static int start(void **state)
{
    char file[] = "/tmp/subdd-priority-XXXXXX", fields[256];
    struct answer a;
    const int fd = mkstemp(file);
    const char *options[] = {"--tokens-file", file, "--cache-bytes", "0", NULL};
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    make_token(file, "ann:edit", ann);
    make_token(file, "bob:edit", bob);
    daemon_start(&d, options);
    unlink(file);
    for (int i = 0; i < MANY + FEW; i++) {
        char *obj = grid_obj(size_of(i));
        snprintf(fields, sizeof fields, "%sContent-Type: model/obj\r\n", ann);
        http_ask(&d, "POST", "/v1/meshes", fields, obj, strlen(obj), &a);
        assert_int_equal(a.status, 201);
        char id[256];
        snprintf(ids[i], sizeof ids[i], "%.31s", answer_member(&a, "id", id));
        answer_free(&a);
        free(obj);
    }
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static int ask(const char *id, const char *who, const char *priority)
{
    char target[128], fields[256];
    const int fd = http_connect(&d);
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=4&include=positions,normals", id);
    snprintf(fields, sizeof fields, ACCEPT_FRAME "Range: bytes=0-99\r\n%s%s", who, priority);
    http_begin(fd, "GET", target, fields, NULL, 0);
    return fd;
}

static int n_answered(const int *fds, int n)
{
    int answered = 0;
    for (int i = 0; i < n; i++) {
        struct pollfd p = {.fd = fds[i], .events = POLLIN};
        answered += poll(&p, 1, 0) > 0;
    }
    return answered;
}

static void read_all(const int *fds, int n)
{
    struct answer a;
    for (int i = 0; i < n; i++) {
        http_read(fds[i], &a, false);
        assert_int_equal(a.status, 206);
        answer_free(&a);
        close(fds[i]);
    }
}

/* How many answers Ann and Bob have at some moment. */
struct answered {
    int ann, bob;
};

/* Ann asks for much, and then Bob for a little. Tells who has how many answers once Bob has asked, when he has some,
 * and when he has all. This program may be held up at any time, so nothing is asserted that hangs on single answers. */
static void race(const char *priority_of_ann, const char *priority_of_bob, struct answered out[3])
{
    int fds[MANY + FEW];
    for (int i = 0; i < MANY; i++)
        fds[i] = ask(ids[i], ann, priority_of_ann);
    while (n_answered(fds, MANY) == 0)
        usleep(100);
    for (int i = MANY; i < MANY + FEW; i++)
        fds[i] = ask(ids[i], bob, priority_of_bob);
    for (int at = 0, least[] = {0, 1, FEW}; at < 3; at++)
        do {
            usleep(100);
            out[at] = (struct answered){n_answered(fds, MANY), n_answered(fds + MANY, FEW)};
        } while (out[at].bob < least[at]);
    read_all(fds, MANY + FEW); /* Nothing waits for ever. */
}

#define BULK "Subdd-Priority: bulk\r\n"

static void test_bulk(void **state)
{
    struct answered at[3];
    (void)state;
    race("", "", at); /* What the topologies need is built. */
    race(BULK, "", at);
    assert_in_range(at[2].ann - at[1].ann, 0, 3);
    race(BULK, "Subdd-Priority: interactive\r\n", at);
    assert_in_range(at[2].ann - at[1].ann, 0, 3);
}

/* Bob, who asked last, has all of his before Ann has all of hers, and she gets some meanwhile. Without shares, or with
 * shares of requests or connections, he would have his last when she has hers. */
static void shares(const char *priority)
{
    struct answered at[3];
    race(priority, priority, at);
    assert_in_range(at[2].ann, at[0].ann + 1, MANY - 4);
}

static void test_tokens_share(void **state)
{
    struct answered at[3];
    (void)state;
    shares("");
    shares(BULK);
    race("", BULK, at); /* Now it is Bob who waits. */
    assert_in_range(at[2].ann, MANY - 4, MANY);
}

static void test_refused(void **state)
{
    static const char *const values[] = {"Subdd-Priority: high\r\n", "Subdd-Priority: Bulk\r\n", "Subdd-Priority:\r\n"};
    char fields[256];
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        snprintf(fields, sizeof fields, "%s%s", bob, values[i]);
        http_ask(&d, "GET", "/v1/meshes", fields, NULL, 0, &a);
        assert_problem(&a, 400, "invalid_argument", "subdd-priority");
        answer_free(&a);
    }
    snprintf(fields, sizeof fields, "%s" BULK BULK, bob);
    http_ask(&d, "GET", "/v1/meshes", fields, NULL, 0, &a);
    assert_int_equal(a.status, 400); /* It comes once. */
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bulk), cmocka_unit_test(test_tokens_share),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, start, stop);
}
