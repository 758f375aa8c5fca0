/* SPDX-License-Identifier: Apache-2.0 */
/* libsubd against servers that lie, stall, break off or are not there. */
#include "client/lib/subd.h"
#include "client/lib/subd_people.h"
#include "tests/http/canned.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static subd_client *connect_to(const char *url, const struct subd_config *more)
{
    struct subd_config config = more ? *more : (struct subd_config)SUBD_INIT(subd_config);
    subd_client *c;
    config.server = url;
    assert_int_equal(subd_open(&config, &c, NULL), SUBD_OK);
    return c;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One show against one canned answer. */
static int show(const struct canned *answer, const struct subd_config *config, struct subd_error *err)
{
    canned_server *s = canned_start(answer, 1);
    subd_client *c = connect_to(canned_url(s), config);
    struct subd_mesh_info info;
    int rc = subd_show(c, "m_1", &info, err);
    subd_close(c);
    free(canned_stop(s));
    return rc;
}

static int show_text(const char *text, struct subd_error *err)
{
    struct canned a = {.bytes = text};
    return show(&a, NULL, err);
}

static int refine(const struct canned *answer, const struct subd_config *config, struct subd_error *err)
{
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 1);
    struct subd_frame frame = {0};
    canned_server *s = canned_start(answer, 1);
    subd_client *c = connect_to(canned_url(s), config);
    int rc = subd_refine(c, "m_1", &r, &frame, err);
    assert_int_equal(frame.n_blocks, 0);
    subd_frame_free(&frame);
    subd_close(c);
    free(canned_stop(s));
    return rc;
}

static void test_nobody_there(void **state)
{
    struct subd_mesh_info info;
    struct subd_error err;
    subd_client *c = connect_to("http://127.0.0.1:1", NULL);
    (void)state;
    assert_int_equal(subd_show(c, "m_1", &info, &err), SUBD_ENETWORK);
    assert_non_null(strstr(err.text, "127.0.0.1:1"));
    assert_int_equal(subd_show(c, "m_1", &info, NULL), SUBD_ENETWORK); /* err may be NULL */
    subd_close(c);
}

static void test_bad_configs(void **state)
{
    static const char *const urls[] = {"127.0.0.1:7373", "ftp://127.0.0.1", "file:///etc/passwd", "http://a b",
                                       "http://a\r\nX: y"};
    struct subd_config token = SUBD_INIT(subd_config, .token = "a\r\nX-Evil: 1");
    subd_client *c;
    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct subd_config config = SUBD_INIT(subd_config, .server = urls[i]);
        assert_int_equal(subd_open(&config, &c, NULL), SUBD_EUSAGE);
        assert_null(c);
    }
    assert_int_equal(subd_open(&token, &c, NULL), SUBD_EUSAGE);
}

static void test_answers_that_are_none(void **state)
{
    static const char *const texts[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/html\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/protobuf\r\n\r\n\xFF\xFF",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type: application/protobuf\r\n\r\n", /* no id */
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
    };
    struct subd_error err;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(show_text(texts[i], &err), SUBD_EPROTOCOL);
        assert_true(*err.text);
    }
    assert_int_equal(show_text("SSH-2.0-OpenSSH_9.2\r\n", &err), SUBD_EPROTOCOL);
    assert_int_equal(show_text(NULL, &err), SUBD_ENETWORK);
    assert_int_equal(
        show_text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: application/protobuf\r\n\r\nshort", &err),
        SUBD_ENETWORK);
}

/* A mesh has 32 primvars at most, whatever a server says. */
static void test_too_many_primvars(void **state)
{
    struct subd_error err;
    (void)state;
    for (int n = 32; n <= 33; n++) {
        char bytes[400];
        int length = 5 + 3 * n;
        size_t at = (size_t)snprintf(
            bytes, sizeof bytes,
            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: application/protobuf\r\n\r\n\x0a\x03m_1", length);
        for (int i = 0; i < n; i++, at += 3)
            memcpy(bytes + at, "\x9a\x01\x00", 3); /* field 19, empty */
        const struct canned a = {.bytes = bytes, .n = at};
        assert_int_equal(show(&a, NULL, &err), n == 32 ? SUBD_OK : SUBD_EPROTOCOL);
    }
}

static void test_problems(void **state)
{
    static const char json[] =
        "HTTP/1.1 422 Unprocessable\r\nContent-Type: application/problem+json; charset=utf-8\r\nX-Request-Id: r1\r\n"
        "Retry-After: 3\r\nConnection: close\r\n\r\n"
        "{\"code\":\"invalid_mesh\",\"field\":\"points\",\"detail\":\"bad \\u001b[31m red\",\"currentVersion\":\"7\","
        "\"needed\":12,\"available\":5}";
    static const char protobuf[] =
        "HTTP/1.1 412 Stale\r\nContent-Type: application/protobuf\r\nConnection: close\r\n\r\n"
        "\x22\x05stale\x32\x10version_mismatch\x58\x09";
    static const char *const mute[] = {
        "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>",
        "HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/problem+json\r\nConnection: close\r\n\r\n[[[[",
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
    };
    struct subd_error err;
    (void)state;
    assert_int_equal(show_text(json, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 422);
    assert_string_equal(err.problem, "invalid_mesh");
    assert_string_equal(err.field, "points");
    assert_string_equal(err.text, "bad ?[31m red"); /* nothing that a terminal would obey */
    assert_string_equal(err.request_id, "r1");
    assert_int_equal(err.current_version, 7);
    assert_int_equal(err.needed, 12);
    assert_int_equal(err.retry_after_ms, 3000);
    assert_int_equal(show_text(protobuf, &err), SUBD_EHTTP);
    assert_string_equal(err.text, "stale");
    assert_string_equal(err.problem, "version_mismatch");
    assert_int_equal(err.current_version, 9);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(show_text(mute[i], &err), SUBD_EHTTP);
        assert_int_equal(err.http_status, 502);
        assert_non_null(strstr(err.text, "502"));
    }
}

static void test_endless_answers(void **state)
{
    static const char head[] =
        "HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\nConnection: close\r\n\r\n";
    struct subd_config small = SUBD_INIT(subd_config, .max_answer_bytes = 1000, .max_frame_bytes = 1000);
    size_t n = 1 << 20;
    char *bytes = malloc(n + 200);
    struct canned a = {.bytes = bytes},
                  frame = {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\n"
                                    "Content-Length: 1001\r\n\r\nx"};
    struct subd_error err;
    (void)state;
    assert_non_null(bytes);
    a.n = (size_t)snprintf(bytes, 200, "%s", head);
    memset(bytes + a.n, ' ', n);
    a.n += n;
    assert_int_equal(show(&a, NULL, &err), SUBD_EPROTOCOL); /* no problem document is a megabyte long */
    assert_int_equal(refine(&frame, &small, &err), SUBD_EPROTOCOL);
    assert_non_null(strstr(err.text, "1001"));
    free(bytes);
}

static void test_frames_that_are_none(void **state)
{
    static const struct canned frames[] = {
        {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"},
        {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\nContent-Length: 0\r\n\r\n"},
        {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\nContent-Length: "
                  "5\r\n\r\n\xFF\xFF\xFF\xFF\x0F"},
        {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"},
        {.bytes =
             "HTTP/1.1 206 Partial\r\nContent-Type: application/vnd.subdd.frame\r\nContent-Length: 2\r\n\r\n\x01z"},
        {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\nContent-Length: -5\r\n\r\nabcde"},
    };
    struct subd_error err;
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        assert_true(refine(&frames[i], NULL, &err) == SUBD_EPROTOCOL || (i == 5 && err.code == SUBD_ENETWORK));
}

static void test_breaks_off_in_a_frame(void **state)
{
    struct canned a = {
        .bytes =
            "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\nContent-Length: 5000\r\n\r\n\x7F abc"};
    struct subd_error err;
    (void)state;
    assert_int_equal(refine(&a, NULL, &err), SUBD_ENETWORK);
    assert_true(*err.text);
}

static void test_timeouts(void **state)
{
    static const char late[] = "HTTP/1.1 204 No Content\r\n\r\n";
    static const char slow[] =
        "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.subdd.frame\r\nContent-Length: 5000\r\n\r\n\x7F abc";
    struct subd_config brief = SUBD_INIT(subd_config, .request_timeout_ms = 150),
                       stalled = SUBD_INIT(subd_config, .stall_timeout_ms = 1000);
    struct canned never = {.bytes = late, .delay_ms = 5000};
    struct canned stops = {.bytes = slow, .stop_after = sizeof slow - 3, .hold_ms = 8000};
    struct subd_error err;
    double start = seconds();
    (void)state;
    assert_int_equal(show(&never, &brief, &err), SUBD_ETIMEOUT);
    assert_true(seconds() - start < 2);
    start = seconds();
    assert_int_equal(refine(&stops, &stalled, &err), SUBD_ETIMEOUT);
    assert_true(seconds() - start < 6);
}

static void *cancel_soon(void *client)
{
    usleep(200000);
    subd_cancel(client);
    return NULL;
}

static void test_cancel_from_a_thread(void **state)
{
    struct canned a[2] = {{.bytes = NULL, .delay_ms = 5000}, {.bytes = "HTTP/1.1 204 No Content\r\n\r\n"}};
    canned_server *s = canned_start(a, 2);
    subd_client *c = connect_to(canned_url(s), NULL);
    struct subd_mesh_info info;
    struct subd_error err;
    double start = seconds();
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, c), 0);
    assert_int_equal(subd_show(c, "m_1", &info, &err), SUBD_ECANCELLED);
    assert_true(seconds() - start < 1.5);
    pthread_join(thread, NULL);
    assert_int_equal(subd_delete(c, "m_1", 0, &err), SUBD_ECANCELLED); /* until it is taken back */
    subd_uncancel(c);
    subd_close(c);
    free(canned_stop(s));
}

static int stop_at_once(void *arg, enum subd_phase phase, int64_t done, int64_t total)
{
    (void)phase;
    (void)done;
    (void)total;
    return ++*(int *)arg >= 2;
}

static void test_cancel_from_progress(void **state)
{
    int calls = 0;
    struct subd_config config = SUBD_INIT(subd_config, .progress = stop_at_once, .progress_arg = &calls);
    struct canned a = {.bytes = NULL, .delay_ms = 5000};
    struct subd_error err;
    (void)state;
    assert_int_equal(show(&a, &config, &err), SUBD_ECANCELLED);
    assert_int_equal(calls, 2);
}

static void test_what_is_sent(void **state)
{
    struct subd_config config = SUBD_INIT(subd_config, .token = "secret-token", .request_timeout_ms = 4321);
    struct canned a = {.bytes = "HTTP/1.1 204 No Content\r\n\r\n"};
    canned_server *s = canned_start(&a, 1);
    char url[80], *request;
    struct subd_error err;
    subd_client *c;
    (void)state;
    snprintf(url, sizeof url, "%s//", canned_url(s)); /* slashes at the end do not double */
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    c = connect_to(url, &config);
    subd_bulk(c, 1);
    assert_int_equal(subd_delete(c, "../v1?x=1&\r\n", 12, &err), SUBD_OK);
    subd_close(c);
    unsetenv("http_proxy");
    request = canned_stop(s);
    assert_ptr_equal(strstr(request, "DELETE /v1/meshes/..%2Fv1%3Fx%3D1%26%0D%0A HTTP/1.1\r\n"), request);
    assert_non_null(strstr(request, "\r\nAuthorization: Bearer secret-token\r\n"));
    assert_non_null(strstr(request, "\r\nIf-Match: \"12\"\r\n"));
    assert_non_null(strstr(request, "\r\nSubdd-Timeout-Ms: 4321\r\n"));
    assert_non_null(strstr(request, "\r\nSubdd-Priority: bulk\r\n"));
    free(request);
}

/* What the daemon cannot do now is a plan all the same, and says by how much. */
static void test_plan_that_does_not_fit(void **state)
{
    static const char body[] = "{\"method\":\"edge-friend\",\"level\":9,\"frameBytes\":900,\"fits\":false,"
                               "\"needed\":900,\"limit\":512,\"blocks\":[]}";
    char text[512];
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(body), body);
    struct canned a = {.bytes = text};
    canned_server *s = canned_start(&a, 1);
    subd_client *c = connect_to(canned_url(s), NULL);
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 9);
    struct subd_plan plan;
    struct subd_error err;
    (void)state;
    assert_int_equal(subd_get_plan(c, "m", &r, &plan, &err), SUBD_OK);
    assert_int_equal(plan.fits, 0);
    assert_int_equal(plan.needed, 900);
    assert_int_equal(plan.limit, 512);
    subd_close(c);
    free(canned_stop(s));
}

static void test_arguments(void **state)
{
    struct subd_push push = SUBD_INIT(subd_push, .idempotency_key = "a\r\nb");
    struct subd_body body = {"model/obj", "v 0 0 0\n", 8};
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 0);
    struct subd_edit edit = {.op = (enum subd_edit_op)77};
    struct subd_edit_result result;
    struct subd_mesh mesh = SUBD_INIT(subd_mesh, .n_vertices = INT64_MAX);
    struct subd_range range = {-1, 1, NULL};
    struct subd_frame frame = {0};
    struct subd_mesh_info info;
    struct subd_plan plan;
    subd_client *c = connect_to("http://127.0.0.1:1", NULL);
    (void)state;
    assert_int_equal(subd_push(c, &body, &push, &info, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_refine(c, "m", &r, &frame, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_get_plan(c, "m", &r, &plan, NULL), SUBD_EUSAGE);
    r = (struct subd_refine)SUBD_INIT(subd_refine, .level = 1, .include = 64);
    assert_int_equal(subd_refine(c, "m", &r, &frame, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_edits(c, "m", 0, &edit, 1, NULL, &result, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_edits(c, "m", 1, &edit, 1, NULL, &result, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_edits(c, "m", 1, &edit, 0, NULL, &result, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_edits_body(c, "m", 0, &body, NULL, &result, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_push_mesh(c, &mesh, NULL, &info, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_positions_ranges(c, "m", 0, &range, 1, &info, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_positions_ranges(c, "m", 0, &range, 0, &info, NULL), SUBD_EUSAGE);
    assert_int_equal(subd_step(c), SUBD_EUSAGE); /* nothing is under way */
    subd_close(c);
    subd_close(NULL);
    subd_frame_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_bad_configs),
        cmocka_unit_test(test_answers_that_are_none),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_too_many_primvars),
        cmocka_unit_test(test_endless_answers),
        cmocka_unit_test(test_frames_that_are_none),
        cmocka_unit_test(test_breaks_off_in_a_frame),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_cancel_from_a_thread),
        cmocka_unit_test(test_cancel_from_progress),
        cmocka_unit_test(test_what_is_sent),
        cmocka_unit_test(test_plan_that_does_not_fit),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
