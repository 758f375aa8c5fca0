/* SPDX-License-Identifier: Apache-2.0 */
/* Conformal flow over HTTP: the new version, the life of its job, every refusal, and what is left when the daemon ends
 * in the middle of a flow. */
#include "tests/http/frames.h"
#include "tests/http/torus.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JSON "Content-Type: application/json\r\n"
#define FIRST "If-Match: \"1\"\r\n"
#define ASYNC "Prefer: respond-async\r\n"
#define LONG "{\"steps\":1000,\"tau\":0.001,\"exactness\":false}" /* Minutes. */

static struct daemon d;
static char cube[32];

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    create_cube(&d, cube);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

static void create_torus(int around, double stretch, char id[32])
{
    char *obj = torus_obj(around, stretch);
    create_obj(&d, obj, id);
    free(obj);
}

static void fair(const char *id, const char *fields, const char *body, struct answer *a)
{
    char target[96], all[400];
    snprintf(target, sizeof target, "/v1/meshes/%s/fair", id);
    snprintf(all, sizeof all, JSON "%s", fields);
    http_ask(&d, "POST", target, all, body, strlen(body), a);
}

static void job(const char *method, const char *link, struct answer *a)
{
    http_ask(&d, method, link, "", NULL, 0, a);
}

static long long version_of(const char *id)
{
    struct answer a;
    char target[64];
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_get(&d, target, &a);
    const long long version = answer_number(&a, "version");
    answer_free(&a);
    return version;
}

/* A flow that is answered with 202; link[] gets its job's. */
static void begin(const char *id, const char *fields, const char *body, char link[80])
{
    struct answer a;
    fair(id, fields, body, &a);
    if (a.status != 202)
        fail_msg("%d %s", a.status, a.body);
    assert_true(answer_field(&a, "Location", link, 80));
    answer_free(&a);
}

/* Waits until a job has a member of this value; `a` is its last answer. */
static void wait_until(const char *link, const char *name, const char *value, struct answer *a)
{
    char text[256];
    for (double until = seconds_now() + 20;; usleep(5000)) {
        job("GET", link, a);
        assert_int_equal(a->status, 200);
        if (strcmp(answer_member(a, name, text), value) == 0)
            return;
        if (seconds_now() > until)
            fail_msg("%s is never %s: %s", name, value, a->body);
        answer_free(a);
    }
}

static void cancel(const char *link)
{
    struct answer a;
    job("DELETE", link, &a);
    assert_int_equal(a.status, 202);
    answer_free(&a);
    wait_until(link, "state", "cancelled", &a);
    answer_free(&a);
}

/* ---- the new version --------------------------------------------------------------------------------------------- */
static void test_version(void **state)
{
    struct answer a, before, after;
    char id[32], text[256];
    (void)state;
    create_torus(12, 1, id);
    ask_mesh(&d, id, "cage", "Accept: model/obj\r\n", &before);
    fair(id, FIRST, "{\"steps\":2,\"tau\":0.5}", &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(answer_number(&a, "version"), 2);
    assert_true(answer_field(&a, "ETag", text, sizeof text));
    assert_string_equal(text, "\"2\"");
    assert_false(answer_field(&a, "Preference-Applied", text, sizeof text));
    answer_free(&a);
    ask_mesh(&d, id, "cage", "Accept: model/obj\r\n", &after);
    assert_string_not_equal(before.body, after.body);
    assert_string_equal(strstr(before.body, "\nf "), strstr(after.body, "\nf "));
    answer_free(&before);
    answer_free(&after);
    fair(id, "If-Match: \"2\"\r\nAccept: application/protobuf\r\n", "{}", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    assert_int_equal(version_of(id), 3);
}

static void test_life(void **state)
{
    struct answer a;
    char id[32], link[80], text[256];
    (void)state;
    create_torus(12, 1, id);
    fair(id, FIRST ASYNC, "{\"steps\":3}", &a);
    assert_int_equal(a.status, 202);
    assert_true(answer_field(&a, "Preference-Applied", text, sizeof text));
    assert_string_equal(text, "respond-async");
    assert_true(answer_field(&a, "Location", link, sizeof link));
    assert_string_equal(answer_member(&a, "state", text), "running");
    assert_string_equal(answer_member(&a, "mesh", text), id);
    answer_free(&a);
    wait_until(link, "state", "done", &a);
    assert_int_equal(answer_number(&a, "step"), 3);
    assert_int_equal(answer_number(&a, "steps"), 3);
    assert_int_equal(answer_number(&a, "version"), 2);
    const double old = strtod(answer_member(&a, "energyBefore", text), NULL),
                 new = strtod(answer_member(&a, "energy", text), NULL);
    assert_true(new > 12.5 && new < old);
    assert_true(strtod(answer_member(&a, "mean", text), NULL) >= 1);
    assert_true(strtod(answer_member(&a, "p99", text), NULL) >= 1);
    assert_true(strtod(answer_member(&a, "largest", text), NULL) > 1);
    const double exactness = strtod(answer_member(&a, "exactness", text), NULL);
    assert_true(exactness > 0 && exactness < 0.01); /* 0.05 without the constraints */
    assert_true(strtod(answer_member(&a, "seconds", text), NULL) > 0);
    assert_true(answer_number(&a, "spin") > 0);
    assert_true(answer_number(&a, "points") > 0);
    answer_free(&a);
    assert_int_equal(version_of(id), 2);
    job("DELETE", link, &a); /* It is over, and so forgotten. */
    assert_int_equal(a.status, 204);
    answer_free(&a);
    for (int i = 0; i < 2; i++) {
        job(i ? "DELETE" : "GET", link, &a);
        assert_problem(&a, 410, "gone", "job");
        answer_free(&a);
    }
}

/* The deadline of a request ends the waiting, not the flow. */
static void test_deadline(void **state)
{
    struct answer a;
    char id[32], link[80], text[256];
    (void)state;
    create_torus(30, 1, id);
    fair(id, FIRST "Subdd-Timeout-Ms: 200\r\n", LONG, &a);
    assert_int_equal(a.status, 202);
    assert_false(answer_field(&a, "Preference-Applied", text, sizeof text));
    assert_true(answer_field(&a, "Location", link, sizeof link));
    answer_free(&a);
    job("GET", link, &a);
    assert_string_equal(answer_member(&a, "state", text), "running");
    answer_free(&a);
    cancel(link);
    assert_int_equal(version_of(id), 1);
}

static void test_client_leaves(void **state)
{
    char id[32], target[96];
    struct answer a;
    (void)state;
    create_torus(30, 1, id);
    const int fd = http_connect(&d);
    snprintf(target, sizeof target, "/v1/meshes/%s/fair", id);
    http_begin(fd, "POST", target, JSON FIRST, LONG, strlen(LONG));
    do { /* until the flow runs */
        usleep(5000);
        fair(id, FIRST ASYNC, "{\"steps\":0}", &a);
        answer_free(&a);
        fair(id, "If-Match: \"7\"\r\n", "{}", &a);
        const int status = a.status;
        answer_free(&a);
        if (status == 409)
            break;
        assert_int_equal(status, 412);
    } while (true);
    close(fd);
    for (int status = 409; status == 409; usleep(20000)) {
        fair(id, FIRST, "{}", &a);
        status = a.status;
        answer_free(&a);
        assert_true(status == 409 || status == 200);
    }
    assert_int_equal(version_of(id), 2); /* of the second flow alone */
}

/* ---- one at a time, and others ----------------------------------------------------------------------------------- */
static void test_two_at_once(void **state)
{
    struct answer a;
    char id[32], link[80];
    (void)state;
    create_torus(30, 1, id);
    begin(id, FIRST ASYNC, LONG, link);
    fair(id, FIRST, "{}", &a);
    assert_problem(&a, 409, "conflict", "id");
    assert_non_null(strstr(a.body, link + strlen("/v1/jobs/"))); /* which the same client may cancel */
    answer_free(&a);
    cancel(link);
    fair(id, FIRST, "{}", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

/* While a flow runs, others get frames of its mesh and of another, and a change of the mesh ends it. */
static void test_others_pass(void **state)
{
    static const char edit[] = "{\"edits\":[{\"setPositions\":{\"ids\":[0],\"points\":[4,0,0]}}]}";
    struct answer a;
    char id[32], link[80], target[80], text[256];
    (void)state;
    create_torus(30, 1, id);
    begin(id, FIRST ASYNC, "{\"steps\":40,\"tau\":0.001,\"exactness\":false}", link);
    wait_until(link, "step", "1", &a);
    answer_free(&a);
    for (int i = 0; i < 2; i++) {
        ask_mesh(&d, i ? id : cube, "refined?level=2", ACCEPT_FRAME, &a);
        assert_int_equal(a.status, 200);
        frame_check(&a);
        answer_free(&a);
    }
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", id);
    http_ask(&d, "POST", target, JSON FIRST, edit, strlen(edit), &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    job("GET", link, &a);
    assert_string_equal(answer_member(&a, "state", text), "running");
    answer_free(&a);
    wait_until(link, "state", "failed", &a);
    assert_string_equal(answer_member(&a, "code", text), "version_mismatch");
    assert_int_equal(answer_number(&a, "currentVersion"), 2);
    answer_free(&a);
    assert_int_equal(version_of(id), 2);
}

/* ---- idempotency ------------------------------------------------------------------------------------------------- */
static void test_repeated(void **state)
{
    static const char body[] = "{\"steps\":2,\"tau\":0.5}";
    struct answer a, again;
    char id[32], text[256];
    (void)state;
    create_torus(12, 1, id);
    fair(id, FIRST "Idempotency-Key: f-1\r\n", body, &a);
    assert_int_equal(a.status, 200);
    fair(id, FIRST "Idempotency-Key: f-1\r\n", body, &again);
    assert_int_equal(again.status, 200);
    assert_true(answer_field(&again, "Idempotency-Replayed", text, sizeof text));
    assert_int_equal(answer_number(&again, "version"), 2);
    assert_true(answer_field(&again, "ETag", text, sizeof text));
    assert_string_equal(text, "\"2\"");
    answer_free(&a);
    answer_free(&again);
    fair(id, FIRST "Idempotency-Key: f-1\r\n", "{\"steps\":3}", &a);
    assert_problem(&a, 422, "idempotency_key_reused", NULL);
    answer_free(&a);
    assert_int_equal(version_of(id), 2);
}

/* While the flow runs a repeated request finds its job, and afterwards the version. */
static void test_repeated_while_running(void **state)
{
    static const char body[] = "{\"steps\":30,\"tau\":0.001,\"exactness\":false}";
    struct answer a;
    char id[32], link[80], again[80], text[256];
    (void)state;
    create_torus(30, 1, id);
    begin(id, FIRST ASYNC "Idempotency-Key: f-2\r\n", body, link);
    begin(id, FIRST ASYNC "Idempotency-Key: f-2\r\n", body, again);
    assert_string_equal(link, again);
    fair(id, FIRST ASYNC "Idempotency-Key: f-2\r\n", LONG, &a);
    assert_problem(&a, 422, "idempotency_key_reused", "idempotency-key");
    answer_free(&a);
    wait_until(link, "state", "done", &a);
    answer_free(&a);
    fair(id, FIRST ASYNC "Idempotency-Key: f-2\r\n", body, &a);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Idempotency-Replayed", text, sizeof text));
    assert_int_equal(answer_number(&a, "version"), 2);
    answer_free(&a);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */
static void test_refused(void **state)
{
    static const struct {
        const char *fields, *body;
        int status;
        const char *code, *field;
        long long limit; /* 0: none is told */
    } rows[] = {
        {"", "{}", 428, "precondition_required", "if-match", 0},
        {"If-Match: \"2\"\r\n", "{}", 412, "version_mismatch", "if-match", 0},
        {"If-Match: seven\r\n", "{}", 400, "invalid_argument", "if-match", 0},
        {FIRST "Idempotency-Key: a b\r\n", "{}", 400, "invalid_argument", "idempotency-key", 255},
        {FIRST, "{\"steps\":0}", 422, "invalid_query", "steps", 1000},
        {FIRST, "{\"steps\":1001}", 422, "invalid_query", "steps", 1000},
        {FIRST, "{\"steps\":1.5}", 422, "invalid_query", "steps", 1000},
        {FIRST, "{\"steps\":\"8\"}", 422, "invalid_query", "steps", 1000},
        {FIRST, "{\"tau\":0}", 422, "invalid_query", "tau", 0},
        {FIRST, "{\"tau\":-0.5}", 422, "invalid_query", "tau", 0},
        {FIRST, "{\"tau\":1.01}", 422, "invalid_query", "tau", 0},
        {FIRST, "{\"tau\":1e400}", 422, "invalid_query", "tau", 0},
        {FIRST, "{\"tau\":\"small\"}", 422, "invalid_query", "tau", 0},
        {FIRST, "{\"boundary\":\"kept\"}", 422, "invalid_query", "boundary", 0},
        {FIRST, "{\"boundary\":1}", 400, "invalid_argument", "boundary", 0},
        {FIRST, "{\"solves\":0}", 422, "invalid_query", "solves", 20},
        {FIRST, "{\"solves\":21}", 422, "invalid_query", "solves", 20},
        {FIRST, "{\"exactness\":1}", 400, "invalid_argument", "exactness", 0},
        {FIRST, "{\"level\":-1}", 422, "invalid_query", "level", 15},
        {FIRST, "{\"level\":16}", 422, "invalid_query", "level", 15},
        {FIRST, "{\"more\":1}", 400, "invalid_argument", "more", 0},
        {FIRST, "[]", 400, "invalid_argument", "body", 0},
        {FIRST, "{", 400, "malformed", NULL, 0},
        {FIRST "Content-Type: text/plain\r\n", "{}", 415, "unsupported_media_type", NULL, 0},
    };
    struct answer a;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strstr(rows[i].fields, "Content-Type")) {
            char target[96];
            snprintf(target, sizeof target, "/v1/meshes/%s/fair", cube);
            http_ask(&d, "POST", target, rows[i].fields, rows[i].body, strlen(rows[i].body), &a);
        } else
            fair(cube, rows[i].fields, rows[i].body, &a);
        if (a.status != rows[i].status)
            print_message("%s: %s\n", rows[i].body, a.body);
        assert_problem(&a, rows[i].status, rows[i].code, rows[i].field);
        assert_int_equal(answer_number(&a, "limit"), rows[i].limit ? rows[i].limit : -1);
        answer_free(&a);
    }
    fair("m_0000000000000000", FIRST, "{}", &a);
    assert_problem(&a, 404, "not_found", NULL);
    answer_free(&a);
    assert_int_equal(version_of(cube), 1);
}

/* Meshes that cannot flow: what is wrong is named, and nothing has changed. */
static void test_bad_meshes(void **state)
{
    static const char three_faces[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n";
    static const char moebius[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 1\n"
                                  "f 1 2 5 4\nf 2 3 6 5\nf 3 4 1 6\n";
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0 0\nf 1 2 3 4\nf 1 5 2\n";
    static const struct {
        const char *obj, *named;
    } rows[] = {{three_faces, "edge"}, {moebius, "edge"}, {flat, "face 1"}};
    struct answer a;
    char id[32], target[80];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        create_obj(&d, rows[i].obj, id);
        fair(id, FIRST, "{}", &a);
        assert_problem(&a, 422, "invalid_mesh", NULL);
        if (!strstr(a.body, rows[i].named))
            fail_msg("no %s in %s", rows[i].named, a.body);
        answer_free(&a);
        assert_int_equal(version_of(id), 1);
    }
    static const char edit[] = "{\"edits\":[{\"removeFaces\":{\"ids\":[0]}}]}";
    create_obj(&d, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", id);
    snprintf(target, sizeof target, "/v1/meshes/%s/edits", id);
    http_ask(&d, "POST", target, JSON FIRST, edit, strlen(edit), &a);
    assert_problem(&a, 422, "invalid_mesh", "faceVertexCounts"); /* A mesh without faces is none. */
    answer_free(&a);
}

static void test_genus(void **state)
{
    struct answer a;
    char id[32], *obj = slab_obj();
    (void)state;
    create_obj(&d, obj, id);
    free(obj);
    fair(id, FIRST, "{}", &a);
    assert_problem(&a, 422, "unsupported", "exactness");
    assert_non_null(strstr(a.body, "genus 65; at most 64"));
    answer_free(&a);
    fair(id, FIRST, "{\"exactness\":false}", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

/* A torus that is stretched far beyond what its matrices can hold. */
static void test_not_converged(void **state)
{
    struct answer a;
    char id[32], link[80], text[256];
    (void)state;
    create_torus(12, 1e8, id);
    fair(id, FIRST, "{\"tau\":1}", &a);
    assert_problem(&a, 500, "not_converged", NULL);
    assert_non_null(strstr(a.body, "step 1"));
    assert_non_null(strstr(a.body, "residual"));
    answer_free(&a);
    begin(id, FIRST ASYNC, "{\"tau\":1}", link);
    wait_until(link, "state", "failed", &a);
    assert_string_equal(answer_member(&a, "code", text), "not_converged");
    assert_int_equal(answer_number(&a, "version"), -1);
    answer_free(&a);
    assert_int_equal(version_of(id), 1);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */
static void test_level(void **state)
{
    struct answer a, frame, refined;
    char id[32], link[80], path[96], text[256];
    (void)state;
    create_torus(12, 1, id);
    begin(id, FIRST ASYNC "Idempotency-Key: f-3\r\n", "{\"steps\":2,\"level\":1}", link);
    wait_until(link, "state", "done", &a);
    snprintf(path, sizeof path, "%s/frame", link);
    assert_string_equal(answer_member(&a, "frame", text), path);
    const long long bytes = answer_number(&a, "frameBytes");
    answer_free(&a);
    http_ask(&d, "GET", path, ACCEPT_FRAME, NULL, 0, &frame);
    assert_int_equal(frame.status, 200);
    assert_int_equal(frame.bytes, bytes);
    frame_check(&frame);
    ask_mesh(&d, id, "refined?level=1&include=positions", ACCEPT_FRAME, &refined);
    size_t end;
    Subdd__V1__FrameHeader *h = frame_header(&frame, &end), *r = frame_header(&refined, &end);
    assert_int_equal(h->level, 1);
    assert_int_equal(h->version, 1);
    assert_int_equal(h->blocks[0]->count, r->blocks[0]->count);
    const float *p = (const float *)(const void *)(frame.body + h->blocks[0]->offset),
                *q = (const float *)(const void *)(refined.body + r->blocks[0]->offset);
    double moved = 0;
    for (uint64_t k = 0; k < 3 * h->blocks[0]->count; k++)
        moved = fmax(moved, fabs((double)p[k] - (double)q[k]));
    assert_true(moved > 1e-4 && moved < 1);
    subdd__v1__frame_header__free_unpacked(h, NULL);
    subdd__v1__frame_header__free_unpacked(r, NULL);
    answer_free(&frame);
    answer_free(&refined);
    fair(id, FIRST "Idempotency-Key: f-3\r\n", "{\"steps\":2,\"level\":1}", &a); /* The same job. */
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "Idempotency-Replayed", text, sizeof text));
    assert_string_equal(answer_member(&a, "frame", text), path);
    answer_free(&a);
    assert_int_equal(version_of(id), 1); /* Nothing is stored. */
    job("DELETE", link, &a);
    assert_int_equal(a.status, 204);
    answer_free(&a);
    http_ask(&d, "GET", path, ACCEPT_FRAME, NULL, 0, &a);
    assert_problem(&a, 410, "gone", "job");
    answer_free(&a);
    fair(id, FIRST, "{\"level\":1}", &a); /* Waited for, the job is the answer. */
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_member(&a, "state", text), "done");
    snprintf(path, sizeof path, "%s", answer_member(&a, "frame", text));
    answer_free(&a);
    http_ask(&d, "GET", path, ACCEPT_FRAME, NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

/* A job of the control mesh has no frame, and neither has one that still runs. */
static void test_no_frame(void **state)
{
    struct answer a;
    char id[32], link[80], path[96];
    (void)state;
    create_torus(30, 1, id);
    begin(id, FIRST ASYNC, LONG, link);
    snprintf(path, sizeof path, "%s/frame", link);
    http_ask(&d, "GET", path, ACCEPT_FRAME, NULL, 0, &a);
    assert_problem(&a, 404, "not_found", "job");
    answer_free(&a);
    cancel(link);
}

/* A GET with `after` is answered when the job moves, and at its deadline. */
static void test_after(void **state)
{
    struct answer a;
    char id[32], link[80], target[128], text[256];
    (void)state;
    create_torus(30, 1, id);
    begin(id, FIRST ASYNC, "{\"steps\":12,\"tau\":0.001,\"exactness\":false}", link);
    for (long long step = 0; step < 12;) {
        snprintf(target, sizeof target, "%s?after=%lld", link, step);
        job("GET", target, &a);
        assert_int_equal(a.status, 200);
        assert_true(answer_number(&a, "step") > step);
        step = answer_number(&a, "step");
        answer_free(&a);
    }
    wait_until(link, "state", "done", &a);
    answer_free(&a);
    snprintf(target, sizeof target, "%s?after=12", link); /* It is over: no waiting. */
    job("GET", target, &a);
    assert_string_equal(answer_member(&a, "state", text), "done");
    answer_free(&a);
    begin(id, "If-Match: \"2\"\r\n" ASYNC, LONG, link);
    snprintf(target, sizeof target, "%s?after=1000000", link);
    http_ask(&d, "GET", target, "Subdd-Timeout-Ms: 100\r\n", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_member(&a, "state", text), "running");
    assert_true(a.seconds > 0.09 && a.seconds < 10);
    answer_free(&a);
    snprintf(target, sizeof target, "%s?after=soon", link);
    job("GET", target, &a);
    assert_problem(&a, 400, "invalid_argument", "after");
    answer_free(&a);
    cancel(link);
}

static void test_ids(void **state)
{
    static const struct {
        const char *id;
        int status;
    } rows[] = {{"7", 404},
                {"0123456789abcdef", 404},
                {"0123456789abcdef-", 404},
                {"0123456789abcdef-0", 404},
                {"0123456789ABCDEF-1", 404},
                {"0123456789abcdef-1x", 404},
                {"0123456789abcdef-1234567890123456789", 404},
                {"0123456789abcdef-1", 410}}; /* of another start, for all that one can tell */
    struct answer a;
    char link[80], target[80];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(target, sizeof target, "/v1/jobs/%s", rows[i].id);
        job("GET", target, &a);
        assert_problem(&a, rows[i].status, rows[i].status == 404 ? "not_found" : "gone", "job");
        answer_free(&a);
    }
    char id[32];
    create_torus(12, 1, id);
    begin(id, FIRST ASYNC, "{}", link);
    memcpy(strrchr(link, '-'), "-9999", 6); /* of this start, and not yet */
    job("GET", link, &a);
    assert_problem(&a, 404, "not_found", "job");
    answer_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),       cmocka_unit_test(test_life),
        cmocka_unit_test(test_deadline),      cmocka_unit_test(test_client_leaves),
        cmocka_unit_test(test_two_at_once),   cmocka_unit_test(test_others_pass),
        cmocka_unit_test(test_repeated),      cmocka_unit_test(test_repeated_while_running),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_genus),         cmocka_unit_test(test_level),
        cmocka_unit_test(test_no_frame),      cmocka_unit_test(test_after),
        cmocka_unit_test(test_not_converged), cmocka_unit_test(test_ids),
    };
    return cmocka_run_group_tests_name("http/flow", tests, start, stop);
}
