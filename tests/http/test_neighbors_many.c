/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours for many: a hundred clients at once get what one gets, and lists of a million ids in each form. */
#include "tests/http/daemon.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_GRID = 60, CLIENTS = 100, MILLION = 1000000 };

/* What each client asks for, in turn. Points are smoothed by POST. */
static const char *const asked[] = {"neighbors?relation=VV&ring=2",
                                    "neighbors?relation=FE",
                                    "neighbors?relation=VF&oriented=true",
                                    "neighbors?relation=VE&level=2",
                                    "neighbors?relation=EF",
                                    "fields?what=normals,gaussian,mean",
                                    "fields?what=geodesic&sources=0,100",
                                    "fields?what=mean&level=1",
                                    "smooth",
                                    "smooth?level=1",
                                    "neighbors?relation=FF&first=7"};
enum { N_ASKED = sizeof asked / sizeof *asked };

static struct daemon d;
static char grid[32];
static struct answer due[N_ASKED];

static void ask(int k, struct answer *a)
{
    static const char body[] = "{\"method\":\"uniform\",\"iterations\":20,\"boundary\":\"along\"}";
    const bool smooths = strncmp(asked[k], "smooth", 6) == 0;
    char target[96];
    snprintf(target, sizeof target, "/v1/meshes/%s/%s", grid, asked[k]);
    http_ask(&d, smooths ? "POST" : "GET", target,
             smooths ? ACCEPT_FRAME "Content-Type: application/json\r\n" : ACCEPT_FRAME, body,
             smooths ? sizeof body - 1 : 0, a);
}

static int start(void **state)
{
    (void)state;
    daemon_start(&d, (const char *const[]){"--max-json-bytes", "8MiB", NULL});
    create_grid(&d, N_GRID, grid);
    for (int k = 0; k < N_ASKED; k++) {
        ask(k, due + k);
        if (due[k].status != 200)
            fail_msg("%s: %s", asked[k], due[k].body);
    }
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (int k = 0; k < N_ASKED; k++)
        answer_free(due + k);
    daemon_stop(&d);
    return 0;
}

/* ---- a hundred at once ------------------------------------------------------------------------------------------- */
struct client {
    pthread_t thread;
    int first, n_right, n_later; /* Answers that were those due, and that a queue that is full put off. */
    char wrong[200];
};

/* Two frames of the same are equal but for the times in their headers, so what follows the header is compared. */
static bool is_same(const struct answer *a, const struct answer *b)
{
    const size_t head = 1024 < b->bytes ? 1024 : 0;
    return a->bytes + 64 > b->bytes && a->bytes < b->bytes + 64 && a->bytes > head &&
           memcmp(a->body + a->bytes - (b->bytes - head), b->body + head, b->bytes - head) == 0;
}

static void *ask_all(void *arg)
{
    struct client *c = arg;
    for (int i = 0; i < N_ASKED; i++) {
        const int k = (c->first + i) % N_ASKED;
        struct answer a;
        ask(k, &a);
        if (a.status == 200 && is_same(&a, due + k))
            c->n_right++;
        else if (a.status == 429 || a.status == 503)
            c->n_later++;
        else
            snprintf(c->wrong, sizeof c->wrong, "%s: %d, %zu of %zu bytes", asked[k], a.status, a.bytes, due[k].bytes);
        answer_free(&a);
    }
    return NULL;
}

static void test_at_once(void **state)
{
    static struct client clients[CLIENTS];
    int right = 0, later = 0;
    (void)state;
    for (int i = 0; i < CLIENTS; i++) {
        clients[i].first = i;
        assert_int_equal(pthread_create(&clients[i].thread, NULL, ask_all, &clients[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(pthread_join(clients[i].thread, NULL), 0);
        if (clients[i].wrong[0])
            fail_msg("client %d: %s", i, clients[i].wrong);
        right += clients[i].n_right;
        later += clients[i].n_later;
    }
    print_message("%d answers, %d put off\n", right, later);
    assert_int_equal(right + later, CLIENTS * N_ASKED);
    assert_true(right >= CLIENTS * N_ASKED / 2);
}

/* ---- a million ids ----------------------------------------------------------------------------------------------- */
static void post(const char *type, const void *body, size_t bytes, struct answer *a)
{
    char target[96], fields[96];
    snprintf(target, sizeof target, "/v1/meshes/%s/neighbors?relation=VV", grid);
    snprintf(fields, sizeof fields, ACCEPT_FRAME "Content-Type: %s\r\n", type);
    http_ask(&d, "POST", target, fields, body, bytes, a);
}

/* JSON, protobuf and octets have the same rows, and name the same id that is out of range. */
static void test_a_million(void **state)
{
    uint32_t *ids = malloc(MILLION * sizeof *ids);
    unsigned char *message = malloc(5 + MILLION * sizeof *ids);
    char *json = malloc(MILLION * 6 + 16);
    (void)state;
    assert_non_null(ids);
    assert_non_null(message);
    assert_non_null(json);
    for (int wrong = 0; wrong < 2; wrong++) {
        struct answer a[3];
        for (uint32_t i = 0, seed = 12345; i < MILLION; i++)
            ids[i] = (seed = seed * 1664525 + 1013904223) % ((N_GRID + 1) * (N_GRID + 1));
        ids[765432] = wrong ? (N_GRID + 1) * (N_GRID + 1) : 0;
        size_t at = (size_t)snprintf(json, MILLION * 6 + 16, "{\"ids\":["), n = 1;
        for (uint32_t i = 0; i < MILLION; i++)
            at += (size_t)snprintf(json + at, 8, "%s%u", i ? "," : "", ids[i]);
        at += (size_t)snprintf(json + at, 8, "]}");
        message[0] = 0x0a; /* field 1, of which the length follows */
        for (size_t left = MILLION * sizeof *ids; left; left >>= 7)
            message[n++] = (unsigned char)((left & 127) | (left > 127 ? 128 : 0));
        memcpy(message + n, ids, MILLION * sizeof *ids);
        post("application/json", json, at, a);
        post("application/protobuf", message, n + MILLION * sizeof *ids, a + 1);
        post("application/octet-stream", ids, MILLION * sizeof *ids, a + 2);
        for (int form = 0; form < 3; form++) {
            if (wrong) {
                assert_problem(a + form, 422, "invalid_query", "ids");
                assert_non_null(strstr(a[form].body, "row 765432"));
                assert_int_equal(answer_number(a + form, "limit"), (N_GRID + 1) * (N_GRID + 1));
                continue;
            }
            assert_int_equal(a[form].status, 200);
            assert_true(a[form].bytes > 4 * 4 * (size_t)MILLION); /* about four neighbours and an offset each */
            assert_true(is_same(a + form, a));
        }
        for (int form = 0; form < 3; form++)
            answer_free(a + form);
    }
    free(ids);
    free(message);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_once), cmocka_unit_test(test_a_million)};
    return cmocka_run_group_tests_name("http/neighbors_many", tests, start, stop);
}
