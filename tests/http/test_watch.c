/* SPDX-License-Identifier: Apache-2.0 */
/* Watchers: the frames of versions as they come, what slow, absent and many clients cost, and how streams end. The
 * frames are compared with what refined answers at the same version. */
#include "tests/http/chunks.h"
#include "tests/http/daemon.h"
#include "tests/http/frames.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEAT, WHOLE, DELTA, GONE, PROBLEM };
enum { MANY = 200, SIDE = 48 };
static struct daemon d;

static int start(void **state)
{
    static const char *const options[] = {"--max-connections",
                                          "400",
                                          "--max-connections-per-address",
                                          "400",
                                          "--min-rate",
                                          "16K",
                                          "--header-deadline",
                                          "1",
                                          "--queue-size",
                                          "8",
                                          NULL};
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

/* ---- a client that takes records apart --------------------------------------------------------------------------- */
struct record {
    uint64_t bytes, version;
    uint32_t kind;
    char *body;
};

static int begin_watch(const char *id, const char *query)
{
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s/watch?%s", id, query);
    return chunks_begin(&d, target, "Accept: application/vnd.subdd.watch\r\n");
}

static void open_watch(struct chunks *w, const char *id, const char *query)
{
    chunks_open(w, begin_watch(id, query));
}

static bool take_record(struct chunks *w, struct record *r)
{
    uint32_t zero;
    *r = (struct record){0};
    if (!chunks_take(w, &r->bytes, 8))
        return false;
    assert_true(chunks_take(w, &r->version, 8) && chunks_take(w, &r->kind, 4) && chunks_take(w, &zero, 4));
    assert_int_equal(zero, 0);
    r->body = malloc(r->bytes + 1);
    assert_non_null(r->body);
    assert_true(chunks_take(w, r->body, r->bytes));
    r->body[r->bytes] = 0;
    return true;
}

static void expect(struct chunks *w, uint32_t kind, uint64_t version, struct record *r)
{
    assert_true(take_record(w, r));
    assert_int_equal(r->kind, kind);
    assert_int_equal(r->version, version);
}

static void expect_empty(struct chunks *w, uint32_t kind, uint64_t version)
{
    struct record r;
    expect(w, kind, version, &r);
    assert_int_equal(r.bytes, 0);
    free(r.body);
}

/* The next record has the frame that refined answers now. */
static void expect_frame(struct chunks *w, const char *id, const char *query, uint64_t version)
{
    struct record r;
    struct answer a;
    char rest[160];
    expect(w, WHOLE, version, &r);
    snprintf(rest, sizeof rest, "refined?%s", query);
    ask_mesh(&d, id, rest, "", &a);
    assert_int_equal(a.status, 200);
    frame_check(&a);
    assert_int_equal(a.bytes, r.bytes);
    assert_memory_equal(a.body, r.body, r.bytes);
    answer_free(&a);
    free(r.body);
}

static void expect_end(struct chunks *w)
{
    struct record r;
    assert_false(take_record(w, &r));
    assert_true(w->ended);
    fclose(w->in);
}

static void move(const char *id, float to)
{
    const float point[3] = {to, to, to};
    http_change(&d, "PUT", id, "/positions?first=0", "Content-Type: application/octet-stream\r\n", point, sizeof point);
}

static void delete_mesh(const char *id)
{
    http_change(&d, "DELETE", id, "", "", NULL, 0);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */
/* Every way to make a version is news; the last one is that there is none any more. */
static void test_versions(void **state)
{
    struct chunks w;
    char id[32];
    (void)state;
    create_cube(&d, id);
    open_watch(&w, id, "level=2");
    expect_frame(&w, id, "level=2", 1);
    move(id, 2);
    expect_frame(&w, id, "level=2", 2);
    http_change_json(&d, "POST", id, "/edits", "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}");
    expect_frame(&w, id, "level=2", 3);
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"other\"}");
    expect_frame(&w, id, "level=2", 4);
    http_change_json(&d, "POST", id, "/smooth?store=true", "{\"method\":\"uniform\"}");
    expect_frame(&w, id, "level=2", 5);
    delete_mesh(id);
    expect_empty(&w, GONE, 5);
    expect_end(&w);
    daemon_wait_metric(&d, "subdd_watchers", 0);
}

static void test_since(void **state)
{
    struct chunks present, future, past;
    char id[32];
    (void)state;
    create_cube(&d, id);
    move(id, 2);
    open_watch(&present, id, "since=2");
    open_watch(&future, id, "since=99");
    open_watch(&past, id, "since=1");
    expect_frame(&future, id, "", 2);
    expect_frame(&past, id, "", 2);
    move(id, 3);
    expect_frame(&present, id, "", 3); /* and not version 2 */
    expect_frame(&future, id, "", 3);
    expect_frame(&past, id, "", 3);
    delete_mesh(id);
    expect_empty(&present, GONE, 3);
    fclose(present.in);
    fclose(future.in);
    fclose(past.in);
}

/* Each version is computed once, though more watch it than the queue has places for. */
static void test_shared(void **state)
{
    enum { N = 30 };
    struct chunks w[N];
    char id[32];
    (void)state;
    create_cube(&d, id);
    for (int i = 0; i < N; i++)
        open_watch(&w[i], id, "level=3&since=1");
    const long long misses = daemon_metric(&d, "subdd_cache_misses_total");
    move(id, 2);
    for (int i = 0; i < N; i++)
        expect_frame(&w[i], id, "level=3", 2);
    assert_int_equal(daemon_metric(&d, "subdd_cache_misses_total"), misses + 1);
    for (int i = 0; i < N; i++)
        fclose(w[i].in);
    daemon_wait_metric(&d, "subdd_watchers", 0);
    delete_mesh(id);
}

/* So is each delta, while one engine makes the frames; and who names a version that the daemon does not have, or that
 * there has never been, gets the frame. */
#define QUERY "level=3&method=mesh-matrix"
static void test_shared_deltas(void **state)
{
    enum { N = 30 };
    static const char *const unknown[] = {QUERY "&deltas=true&since=99", QUERY "&deltas=true&since=2",
                                          QUERY "&deltas=true", QUERY "&deltas=false&since=3"};
    struct chunks w[N], other;
    struct record first, r;
    char id[32];
    (void)state;
    create_grid(&d, 8, id);
    for (int i = 0; i < N; i++) {
        open_watch(&w[i], id, QUERY "&deltas=true");
        expect_frame(&w[i], id, QUERY, 1);
    }
    const long long misses = daemon_metric(&d, "subdd_cache_misses_total");
    move(id, 2);
    for (int i = 0; i < N; i++) {
        expect(&w[i], DELTA, 2, &r);
        if (i) {
            assert_int_equal(r.bytes, first.bytes);
            assert_memory_equal(r.body, first.body, r.bytes);
            free(r.body);
        } else {
            first = r;
        }
    }
    assert_int_equal(daemon_metric(&d, "subdd_cache_misses_total"), misses + 1);
    free(first.body);
    for (int i = 0; i < N; i++)
        fclose(w[i].in);
    daemon_wait_metric(&d, "subdd_watchers", 0);
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"other\"}"); /* Version 2 was watched, 3 is not made yet. */
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"another\"}");
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"yet another\"}");
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"still another\"}");
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"the last\"}");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        open_watch(&other, id, unknown[i]);
        expect_frame(&other, id, QUERY, 7);
        fclose(other.in);
    }
    delete_mesh(id);
}

/* The next version is a delta, of a frame that was made from the one before if `carried`. Its digests are right, and
 * its positions are those of a frame that is made as a whole. */
static void expect_carried(struct chunks *w, const char *id, uint64_t version, bool carried)
{
    static long long before;
    struct record r;
    struct answer whole, positions;
    expect(w, DELTA, version, &r);
    free(r.body);
    const long long now = daemon_metric(&d, "subdd_carried_frames_total");
    assert_true(version == 2 || now == before + carried);
    before = now;
    ask_mesh(&d, id, "refined?" QUERY, "", &whole);
    ask_mesh(&d, id, "refined?include=positions&" QUERY, "", &positions);
    frame_check(&whole);
    frame_check(&positions);
    const size_t n = (size_t)12 * 193 * 193; /* The points of 24 x 24 quads at level 3. */
    assert_true(positions.bytes > n);
    assert_non_null(memmem(whole.body, whole.bytes, positions.body + positions.bytes - n, n));
    answer_free(&whole);
    answer_free(&positions);
}

static void test_carried(void **state)
{
    struct chunks w;
    char id[32];
    (void)state;
    create_grid(&d, 24, id);
    open_watch(&w, id, QUERY "&deltas=true");
    expect_frame(&w, id, QUERY, 1);
    const long long before = daemon_metric(&d, "subdd_carried_frames_total");
    move(id, 2);
    expect_carried(&w, id, 2, true);
    assert_int_equal(daemon_metric(&d, "subdd_carried_frames_total"), before + 1);
    http_change_json(&d, "POST", id, "/edits", "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[2]}}]}");
    expect_carried(&w, id, 3, true);
    http_change_json(&d, "PATCH", id, "", "{\"name\":\"carried\"}");
    expect_carried(&w, id, 4, true);
    http_change_json(&d, "POST", id, "/edits", "{\"edits\":[{\"setHoles\":{\"ids\":[5],\"hole\":true}}]}");
    expect_carried(&w, id, 5, false);
    http_change_json(&d, "POST", id, "/edits", "{\"edits\":[{\"setHoles\":{\"ids\":[5],\"hole\":false}}]}");
    expect_carried(&w, id, 6, false);
    move(id, 3);
    expect_carried(&w, id, 7, true);
    fclose(w.in);
    delete_mesh(id);
}

/* A drag stays so, and does not go over to tables. */
static void test_dragged(void **state)
{
    struct chunks w;
    struct record r;
    char id[32];
    (void)state;
    create_grid(&d, 24, id);
    const long long before = daemon_metric(&d, "subdd_carried_frames_total");
    open_watch(&w, id, "level=3&deltas=true");
    expect_frame(&w, id, "level=3", 1);
    for (int i = 2; i <= 8; i++) {
        move(id, (float)i);
        expect(&w, DELTA, (uint64_t)i, &r);
        free(r.body);
    }
    assert_int_equal(daemon_metric(&d, "subdd_carried_frames_total"), before + 7);
    fclose(w.in);
    delete_mesh(id);
}

/* Frames keep the mesh that they were made of, and the daemon forgets those of old versions. The mesh itself stays
 * whole, with what the edits know of its topology. */
static void test_forgotten(void **state)
{
    struct chunks w;
    struct record r;
    char id[32], edits[120];
    (void)state;
    create_grid(&d, 24, id);
    const long long before = daemon_metric(&d, "subdd_carried_frames_total");
    open_watch(&w, id, QUERY "&deltas=true");
    expect_frame(&w, id, QUERY, 1);
    for (int i = 2; i <= 21; i++) {
        snprintf(edits, sizeof edits, "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[0.%d]}}]}",
                 10 + i);
        if (i % 3)
            move(id, (float)i);
        else
            http_change_json(&d, "POST", id, "/edits", edits);
        expect(&w, DELTA, (uint64_t)i, &r);
        free(r.body);
    }
    assert_int_equal(daemon_metric(&d, "subdd_carried_frames_total"), before + 20);
    delete_mesh(id);
    expect_empty(&w, GONE, 21);
    expect_end(&w);
}

/* Frames of some megabytes fill the sockets, so what is made while the client does not read is passed over. */
static void test_slow(void **state)
{
    struct chunks w;
    struct record r;
    uint64_t version = 0;
    int n = 0;
    char id[32];
    (void)state;
    create_grid(&d, SIDE, id);
    open_watch(&w, id, "level=5");
    for (int i = 2; i <= 6; i++)
        move(id, (float)i);
    for (; version < 6; n++, free(r.body)) {
        assert_true(take_record(&w, &r));
        assert_int_equal(r.kind, WHOLE);
        assert_true(r.version > version);
        version = r.version;
    }
    assert_in_range(n, 2, 3);
    fclose(w.in);
    delete_mesh(id);
}

/* Nobody reads: neither the first frame, nor one that is made after a wait. */
static void test_never_reading(void **state)
{
    char id[32];
    (void)state;
    create_grid(&d, SIDE, id);
    for (int waits = 0; waits < 2; waits++) {
        int fd = begin_watch(id, waits ? "level=5&since=1" : "level=5");
        daemon_wait_metric(&d, "subdd_watchers", 1);
        if (waits)
            move(id, 2);
        const double began = seconds_now();
        daemon_wait_metric(&d, "subdd_watchers", 0);
        assert_true(seconds_now() - began < 6);
        close(fd);
    }
    delete_mesh(id);
}

static void test_refused(void **state)
{
    static const struct {
        const char *query, *field;
        int status;
        const char *code;
    } bad[] = {{"since=-1", "since", 400, "invalid_argument"},
               {"since=x", "since", 400, "invalid_argument"},
               {"level=99", "level", 400, "invalid_argument"},
               {"surface=flat", "surface", 400, "invalid_argument"},
               {"include=all", "include", 400, "invalid_argument"},
               {"normals=some", "normals", 400, "invalid_argument"},
               {"compact=indices", "compact", 400, "invalid_argument"},
               {"primvars=none", "primvars", 400, "invalid_argument"},
               {"method=magic", "method", 400, "invalid_argument"},
               {"deltas=some", "deltas", 400, "invalid_argument"},
               {"until=3", "until", 400, "invalid_argument"}};
    struct answer a;
    char id[32], rest[64];
    (void)state;
    create_cube(&d, id);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(rest, sizeof rest, "watch?%s", bad[i].query);
        ask_mesh(&d, id, rest, "Accept: application/vnd.subdd.watch\r\n", &a);
        if (a.status != bad[i].status)
            print_message("%s: %d %s\n", bad[i].query, a.status, a.body);
        assert_problem(&a, bad[i].status, bad[i].code, bad[i].field);
        answer_free(&a);
    }
    ask_mesh(&d, "m_0000000000000000", "watch", "Accept: application/vnd.subdd.watch\r\n", &a);
    assert_problem(&a, 404, "not_found", "id");
    answer_free(&a);
    ask_mesh(&d, id, "watch", "Accept: model/obj\r\n", &a);
    assert_problem(&a, 406, "not_acceptable", "accept");
    answer_free(&a);
    delete_mesh(id);
    daemon_wait_metric(&d, "subdd_watchers", 0);
}

/* A query that a version has no frame for ends its stream with the error, and the mesh goes on. */
static void test_problem(void **state)
{
    static const char obj[] = "v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 1 1 0 1 0 0\nv 0 1 0 1 0 0\nf 1 2 3 4\n";
    struct chunks coloured, plain;
    struct record r;
    char id[32];
    (void)state;
    create_obj(&d, obj, id);
    open_watch(&coloured, id, "since=1&primvars=displayColor");
    open_watch(&plain, id, "since=1");
    http_change_json(&d, "POST", id, "/edits", "{\"edits\":[{\"removePrimvar\":{\"name\":\"displayColor\"}}]}");
    expect(&coloured, PROBLEM, 1, &r);
    assert_non_null(strstr(r.body, "\"field\":\"primvars\""));
    free(r.body);
    expect_end(&coloured);
    expect_frame(&plain, id, "", 2);
    fclose(plain.in);
    delete_mesh(id);
}

/* An If-None-Match of refined says nothing about a stream, whose records have to come. */
static void test_known(void **state)
{
    struct chunks w;
    struct answer a;
    char id[32], tag[64], fields[160], target[64];
    (void)state;
    create_cube(&d, id);
    ask_mesh(&d, id, "refined", "", &a);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    answer_free(&a);
    snprintf(fields, sizeof fields, "Accept: application/vnd.subdd.watch\r\nIf-None-Match: %s\r\n", tag);
    snprintf(target, sizeof target, "/v1/meshes/%s/watch", id);
    chunks_open(&w, chunks_begin(&d, target, fields));
    expect_frame(&w, id, "", 1);
    fclose(w.in);
    delete_mesh(id);
}

static long resident_kib(void)
{
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)d.pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    fclose(f);
    assert_true(kib > 0);
    return kib;
}

/* Many that wait take little memory and no place in the queue, and are told after a while that the daemon is there. */
static void test_many(void **state)
{
    struct chunks w[MANY];
    char id[32];
    (void)state;
    create_cube(&d, id);
    const long before = resident_kib();
    for (int i = 0; i < MANY; i++)
        open_watch(&w[i], id, "level=2&since=1");
    daemon_wait_metric(&d, "subdd_watchers", MANY);
    struct answer service;
    http_get(&d, "/v1", &service);
    assert_int_equal(answer_number(&service, "watchers"), MANY);
    answer_free(&service);
    print_message("%d watchers: %ld KiB each\n", MANY, (resident_kib() - before) / MANY);
    assert_true(resident_kib() - before < 256L * MANY);
    const double began = seconds_now();
    expect_empty(&w[MANY - 1], BEAT, 1);
    assert_true(seconds_now() - began > 10);
    move(id, 2);
    for (int i = 0; i < MANY; i++) {
        struct record r;
        do
            assert_true(take_record(&w[i], &r));
        while (r.kind == BEAT && (free(r.body), true));
        assert_int_equal(r.kind, WHOLE);
        assert_int_equal(r.version, 2);
        free(r.body);
        fclose(w[i].in);
    }
    daemon_wait_metric(&d, "subdd_watchers", 0);
    delete_mesh(id);
}

/* The last test: the daemon ends while a stream waits. */
static void test_drain(void **state)
{
    struct chunks w;
    char id[32];
    (void)state;
    create_cube(&d, id);
    open_watch(&w, id, "");
    expect_frame(&w, id, "", 1);
    kill(d.pid, SIGTERM);
    expect_end(&w);
    assert_int_equal(daemon_wait(&d, 10), 0);
    daemon_start(&d, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),      cmocka_unit_test(test_since),   cmocka_unit_test(test_shared),
        cmocka_unit_test(test_shared_deltas), cmocka_unit_test(test_slow),    cmocka_unit_test(test_never_reading),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_problem), cmocka_unit_test(test_known),
        cmocka_unit_test(test_carried),       cmocka_unit_test(test_dragged), cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_drain)};
    return cmocka_run_group_tests(tests, start, stop);
}
