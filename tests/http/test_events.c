/* SPDX-License-Identifier: Apache-2.0 */
/* The news of a mesh as server-sent events: what they say of each change, how a client that connects again catches up,
 * and how the stream ends. */
#include "tests/http/chunks.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct daemon d;
static char tokens[] = "/tmp/subdd-events-XXXXXX";

static int start(void **state)
{
    static const char *const options[] = {
        "--min-rate", "16K", "--header-deadline", "1", "--log-level", "warn", "--history-versions", "4", NULL};
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

/* ---- a client ---------------------------------------------------------------------------------------------------- */
struct event {
    long long id; /* 0: none */
    char kind[32], data[4096];
};

/* One line without its end; false when the stream ends. */
static bool take_line(struct chunks *c, char *line, size_t size)
{
    for (size_t n = 0; n < size; n++) {
        if (!chunks_take(c, &line[n], 1))
            return false;
        if (line[n] == '\n') {
            line[n] = 0;
            return true;
        }
    }
    fail_msg("a line of more than %zu bytes", size);
    return false;
}

/* The next event; heartbeats, which are comments, are passed over. */
static bool take_event(struct chunks *c, struct event *e)
{
    char line[4200];
    *e = (struct event){0};
    while (take_line(c, line, sizeof line)) {
        if (!*line && *e->kind)
            return true;
        if (strncmp(line, "id: ", 4) == 0)
            e->id = strtoll(line + 4, NULL, 10);
        else if (strncmp(line, "event: ", 7) == 0)
            snprintf(e->kind, sizeof e->kind, "%.31s", line + 7);
        else if (strncmp(line, "data: ", 6) == 0)
            snprintf(e->data, sizeof e->data, "%.4095s", line + 6);
        else if (*line && *line != ':')
            fail_msg("not a line of an event: %s", line);
    }
    return false;
}

static void open_events(struct chunks *c, const char *id, const char *query, const char *fields)
{
    char target[96], all[256];
    snprintf(target, sizeof target, "/v1/meshes/%s/events%s", id, query);
    snprintf(all, sizeof all, "Accept: text/event-stream\r\n%s", fields);
    chunks_open(c, chunks_begin(&d, target, all));
}

static void expect(struct chunks *c, const char *kind, long long id, struct event *e)
{
    assert_true(take_event(c, e));
    assert_string_equal(e->kind, kind);
    assert_int_equal(e->id, id);
}

/* The next event tells this version and has all of these texts. */
static void expect_version(struct chunks *c, long long version, const char *const *texts)
{
    struct event e;
    char number[40];
    expect(c, "version", version, &e);
    snprintf(number, sizeof number, "\"version\":%lld,", version);
    assert_non_null(strstr(e.data, number));
    for (; *texts; texts++)
        if (!strstr(e.data, *texts))
            fail_msg("%s is not in %s", *texts, e.data);
}
#define EXPECT_VERSION(c, version, ...) expect_version(c, version, (const char *const[]){__VA_ARGS__, NULL})

static void expect_end(struct chunks *c)
{
    struct event e;
    assert_false(take_event(c, &e));
    assert_true(c->ended);
    fclose(c->in);
}

static void move(const char *id, float to)
{
    const float point[3] = {to, to, to};
    http_change(&d, "PUT", id, "/positions?first=2", "Content-Type: application/octet-stream\r\n", point, sizeof point);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static void test_news(void **state)
{
    struct chunks c;
    struct event e;
    char id[32];
    (void)state;
    create_cube(&d, id);
    open_events(&c, id, "", "");
    EXPECT_VERSION(&c, 1, "\"change\":\"create\"", "\"vertices\":8", "\"faces\":6", "\"principal\":\"\"");
    move(id, 2);
    EXPECT_VERSION(&c, 2, "\"change\":\"positions\"", "\"rows\":[[2,1]]");
    http_change_json(&d, "POST", id, "/edits",
                     "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}},"
                     "{\"removeFaces\":{\"ids\":[5]}},{\"addVertices\":{\"points\":[9,9,9]}},"
                     "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[0,1,-1]}},"
                     "{\"removeFaces\":{\"ids\":[-1]}}]}");
    EXPECT_VERSION(&c, 3, "\"change\":\"edits\"", "\"edits\":5",
                   "\"kinds\":[\"addVertices\",\"addFaces\",\"removeFaces\",\"setCreases\"]", "\"vertexIds\":[0,1,8]",
                   "\"faceIds\":[5,6]", "\"vertices\":9", "\"faces\":5");
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"other\"}");
    EXPECT_VERSION(&c, 4, "\"change\":\"rename\"");
    http_change(&d, "POST", id, "/undo", "", NULL, 0);
    EXPECT_VERSION(&c, 5, "\"change\":\"undo\"", "\"of\":4");
    http_change_json(&d, "POST", id, "/smooth?store=true", "{\"method\":\"uniform\"}");
    EXPECT_VERSION(&c, 6, "\"change\":\"smooth\"");
    http_change(&d, "DELETE", id, "", "", NULL, 0);
    expect(&c, "deleted", 0, &e);
    expect_end(&c);
    daemon_wait_metric(&d, "subdd_watchers", 0);
}

/* The ids of primvars are those of the elements that have their values. */
static void test_primvar_ids(void **state)
{
    struct chunks c;
    char id[32];
    (void)state;
    create_cube(&d, id);
    open_events(&c, id, "?since=1", "");
    http_change_json(&d, "POST", id, "/edits",
                     "{\"edits\":[{\"putPrimvar\":{\"name\":\"tag\",\"interpolation\":\"uniform\",\"width\":1,"
                     "\"values\":[0,1,2,3,4,5]}}]}");
    EXPECT_VERSION(&c, 2, "\"kinds\":[\"putPrimvar\"]");
    http_change_json(&d, "POST", id, "/edits",
                     "{\"edits\":[{\"setPrimvar\":{\"name\":\"tag\",\"ids\":[4],\"values\":[7]}}]}");
    EXPECT_VERSION(&c, 3, "\"kinds\":[\"setPrimvar\"]", "\"faceIds\":[4]");
    fclose(c.in);
    http_change(&d, "DELETE", id, "", "", NULL, 0);
}

/* Modelling edits are news by their own names, and what they name is of faces, or of edges by both vertices. */
static void test_modelling(void **state)
{
    struct chunks c;
    char id[32];
    (void)state;
    create_cube(&d, id);
    open_events(&c, id, "?since=1", "");
    http_change_json(&d, "POST", id, "/edits",
                     "{\"edits\":[{\"pokeFaces\":{\"ids\":[3]}},{\"setHoles\":{\"ids\":[1],\"hole\":true}}]}");
    EXPECT_VERSION(&c, 2, "\"edits\":2,\"kinds\":[\"setHoles\",\"pokeFaces\"],\"vertices\":9",
                   "\"faces\":9,\"vertexIds\":[8],\"faceIds\":[3,1,6,7,8,9]");
    http_change_json(&d, "POST", id, "/edits", "{\"edits\":[{\"splitEdges\":{\"edges\":[0,1]}}]}");
    EXPECT_VERSION(&c, 3, "\"edits\":1,\"kinds\":[\"splitEdges\"],\"vertices\":10", "\"vertexIds\":[0,1,9]",
                   "\"faceIds\":[10,11,0,2]"); /* Those added, and those in whose place they are. */
    http_change_json(&d, "POST", id, "/edits",
                     "{\"edits\":[{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[4,9,6]}}]}");
    EXPECT_VERSION(&c, 4, "\"vertexIds\":[4,9,6]", "\"faceIds\":[12]");
    http_change(&d, "POST", id, "/undo", "", NULL, 0);
    EXPECT_VERSION(&c, 5, "\"change\":\"undo\"", "\"of\":4", "\"faces\":9", "\"faceIds\":[12]}");
    http_change_json(&d, "POST", id, "/revert", "{\"version\":2}");
    EXPECT_VERSION(&c, 6, "\"change\":\"revert\"", "\"vertexIds\":[9]", "\"faceIds\":[0,2,10,11]}");
    fclose(c.in);
    http_change(&d, "DELETE", id, "", "", NULL, 0);
}

/* A batch of many elements names the first ones. */
static void test_bounded(void **state)
{
    struct chunks c;
    struct event e;
    struct text {
        char data[8192];
        size_t n;
    } body = {0};
    char id[32];
    (void)state;
    create_grid(&d, 20, id);
    open_events(&c, id, "?since=1", "");
    body.n = (size_t)snprintf(body.data, sizeof body.data, "{\"edits\":[{\"setHoles\":{\"hole\":true,\"ids\":[");
    for (int i = 0; i < 100; i++)
        body.n += (size_t)snprintf(body.data + body.n, sizeof body.data - body.n, "%s%d", i ? "," : "", i);
    snprintf(body.data + body.n, sizeof body.data - body.n, "]}}]}");
    http_change_json(&d, "POST", id, "/edits", body.data);
    expect(&c, "version", 2, &e);
    assert_non_null(strstr(e.data, ",62,63]"));
    assert_null(strstr(e.data, ",64"));
    assert_non_null(strstr(e.data, "\"more\":true"));
    fclose(c.in);
    http_change(&d, "DELETE", id, "", "", NULL, 0);
}

/* The store keeps four versions: a client that knows an earlier one is told that it missed some. */
static void test_catching_up(void **state)
{
    struct chunks c;
    struct event e;
    char id[32];
    (void)state;
    create_cube(&d, id);
    for (int i = 2; i <= 6; i++)
        move(id, (float)i);
    open_events(&c, id, "", "Last-Event-ID: 4\r\n");
    EXPECT_VERSION(&c, 5, "\"change\":\"positions\"");
    EXPECT_VERSION(&c, 6, "\"change\":\"positions\"");
    fclose(c.in);
    open_events(&c, id, "?since=1", "");
    expect(&c, "missed", 0, &e);
    assert_string_equal(e.data, "{\"version\":1}");
    for (int i = 3; i <= 6; i++)
        EXPECT_VERSION(&c, i, "positions");
    fclose(c.in);
    open_events(&c, id, "?since=6", "");
    move(id, 7);
    EXPECT_VERSION(&c, 7, "positions");
    fclose(c.in);
    open_events(&c, id, "?since=99", "");
    EXPECT_VERSION(&c, 7, "positions");
    fclose(c.in);
    http_change(&d, "DELETE", id, "", "", NULL, 0);
}

static void test_refused(void **state)
{
    static const struct {
        const char *query, *fields, *field, *code;
        int status;
    } bad[] = {{"?since=-1", "", "since", "invalid_argument", 400},
               {"?since=x", "", "since", "invalid_argument", 400},
               {"?level=3", "", "level", "invalid_argument", 400},
               {"", "Last-Event-ID: seven\r\n", "last-event-id", "invalid_argument", 400},
               {"", "Last-Event-ID: -1\r\n", "last-event-id", "invalid_argument", 400},
               {"", "Accept: model/obj\r\n", "accept", "not_acceptable", 406}};
    struct answer a;
    char id[32], rest[64];
    (void)state;
    create_cube(&d, id);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(rest, sizeof rest, "events%s", bad[i].query);
        char fields[128];
        snprintf(fields, sizeof fields, "%s%s", strstr(bad[i].fields, "Accept") ? "" : "Accept: text/event-stream\r\n",
                 bad[i].fields);
        ask_mesh(&d, id, rest, fields, &a);
        assert_problem(&a, bad[i].status, bad[i].code, bad[i].field);
        if (bad[i].status == 406)
            assert_non_null(strstr(a.body, "text/event-stream"));
        answer_free(&a);
    }
    ask_mesh(&d, "m_0000000000000000", "events", "Accept: text/event-stream\r\n", &a);
    assert_problem(&a, 404, "not_found", "id");
    answer_free(&a);
    http_change(&d, "DELETE", id, "", "", NULL, 0);
    daemon_wait_metric(&d, "subdd_watchers", 0);
}

/* A client that never reads is closed once the sockets are full, and those that read get each version meanwhile. */
static void test_never_reading(void **state)
{
    struct chunks c;
    char id[32], target[96], body[4096];
    const float points[3] = {1, 2, 3};
    (void)state;
    create_cube(&d, id);
    open_events(&c, id, "?since=1", "");
    snprintf(target, sizeof target, "/v1/meshes/%s/events", id);
    int deaf = chunks_begin(&d, target, "Accept: text/event-stream\r\n");
    daemon_wait_metric(&d, "subdd_watchers", 2);
    size_t n = (size_t)snprintf(body, sizeof body, "{\"ranges\":[");
    for (int i = 0; i < 64; i++)
        n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"first\":%d,\"points\":[%g,%g,%g]}", i ? "," : "", i % 8,
                              (double)points[0], (double)points[1], (double)points[2]);
    snprintf(body + n, sizeof body - n, "]}");
    long long version = 2;
    for (; daemon_metric(&d, "subdd_watchers") == 2 && version < 30000; version++) {
        for (int i = 0; i < 50; i++, version++) {
            http_change_json(&d, "PUT", id, "/positions", body);
            EXPECT_VERSION(&c, version, "\"rows\":[[0,1],[1,1]");
        }
        version--;
    }
    print_message("closed after %lld events\n", version - 1);
    assert_int_equal(daemon_metric(&d, "subdd_watchers"), 1);
    close(deaf);
    fclose(c.in);
    http_change(&d, "DELETE", id, "", "", NULL, 0);
}

static void make_token(const char *spec, char token[64])
{
    const char *const options[] = {"--tokens-file", tokens, "--new-token", spec, NULL};
    char text[256];
    assert_int_equal(daemon_run(options, text, sizeof text), 0);
    snprintf(token, 64, "%.43s", text);
}

/* Once its line is gone from the tokens file, a token's streams end: with a problem, or in the middle of a frame. Those
 * of another token go on. */
static void test_revoked(void **state)
{
    struct daemon own = {0};
    const char *const options[] = {"--tokens-file", tokens, NULL};
    struct chunks c, w, other;
    struct event e;
    struct answer a;
    char kept[64], revoked[64], target[96], fields[3][160], line[160], id[32];
    (void)state;
    assert_true(close(mkstemp(tokens)) == 0);
    make_token("ann:edit", kept);
    FILE *f = fopen(tokens, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    make_token("bob:read", revoked);
    daemon_start(&own, options);
    snprintf(fields[0], sizeof fields[0], "Authorization: Bearer %s\r\nContent-Type: model/obj\r\n", kept);
    http_ask(&own, "POST", "/v1/meshes", fields[0], CUBE, strlen(CUBE), &a);
    assert_int_equal(a.status, 201);
    answer_member(&a, "id", (char[256]){0});
    char value[256];
    snprintf(id, sizeof id, "%.31s", answer_member(&a, "id", value));
    answer_free(&a);
    snprintf(fields[1], sizeof fields[1], "Authorization: Bearer %s\r\nAccept: text/event-stream\r\n", kept);
    snprintf(fields[2], sizeof fields[2], "Authorization: Bearer %s\r\nAccept: */*\r\n", revoked);
    snprintf(target, sizeof target, "/v1/meshes/%s/events", id);
    chunks_open(&other, chunks_begin(&own, target, fields[1]));
    chunks_open(&c, chunks_begin(&own, target, fields[2]));
    EXPECT_VERSION(&c, 1, "\"principal\":\"ann\"");
    EXPECT_VERSION(&other, 1, "create");
    snprintf(target, sizeof target, "/v1/meshes/%s/watch?since=1", id);
    chunks_open(&w, chunks_begin(&own, target, fields[2]));
    f = fopen(tokens, "w");
    assert_non_null(f);
    fputs(line, f);
    fclose(f);
    kill(own.pid, SIGHUP);
    expect(&c, "problem", 0, &e);
    assert_non_null(strstr(e.data, "\"code\":\"unauthorized\""));
    expect_end(&c);
    unsigned char head[24];
    assert_true(chunks_take(&w, head, sizeof head));
    assert_int_equal(head[16], 4);
    char problem[1024];
    assert_true(chunks_take(&w, problem, head[0] | (size_t)head[1] << 8));
    assert_non_null(strstr(problem, "unauthorized"));
    assert_false(chunks_take(&w, head, 1));
    fclose(w.in);
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_ask(&own, "DELETE", target, fields[1], NULL, 0, &a);
    assert_int_equal(a.status, 204);
    answer_free(&a);
    expect(&other, "deleted", 0, &e);
    assert_string_equal(e.data, "{\"principal\":\"ann\"}");
    expect_end(&other);
    daemon_stop(&own);
    unlink(tokens);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_news),          cmocka_unit_test(test_primvar_ids),
                                       cmocka_unit_test(test_modelling),     cmocka_unit_test(test_bounded),
                                       cmocka_unit_test(test_catching_up),   cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_never_reading), cmocka_unit_test(test_revoked)};
    return cmocka_run_group_tests(tests, start, stop);
}
