/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of a flow when its daemon is killed or told to stop in the middle of it, whose jobs a token sees, and
 * flows for which there is not enough memory. */
#include "tests/http/daemon.h"
#include "tests/http/torus.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG "{\"steps\":1000,\"tau\":0.001,\"exactness\":false}"

static struct daemon d;

static void ask(const char *method, const char *target, const char *fields, const char *body, struct answer *a)
{
    http_ask(&d, method, target, fields, body, strlen(body), a);
}

static void create_torus(const char *fields, int around, char id[32])
{
    struct answer a;
    char text[256], all[300];
    char *obj = torus_obj(around, 1);
    snprintf(all, sizeof all, "Content-Type: model/obj\r\n%s", fields);
    ask("POST", "/v1/meshes", all, obj, &a);
    assert_int_equal(a.status, 201);
    snprintf(id, 32, "%s", answer_member(&a, "id", text));
    answer_free(&a);
    free(obj);
}

static void fair(const char *id, const char *fields, const char *body, struct answer *a)
{
    char target[96], all[400];
    snprintf(target, sizeof target, "/v1/meshes/%s/fair", id);
    snprintf(all, sizeof all, "Content-Type: application/json\r\nIf-Match: \"1\"\r\n%s", fields);
    ask("POST", target, all, body, a);
}

static void begin(const char *id, const char *fields, char link[80])
{
    struct answer a;
    char all[300];
    snprintf(all, sizeof all, "Prefer: wait=5, respond-async\r\n%s", fields);
    fair(id, all, LONG, &a);
    assert_int_equal(a.status, 202);
    assert_true(answer_field(&a, "Location", link, 80));
    answer_free(&a);
}

static void wait_for_step(const char *link, const char *fields)
{
    struct answer a;
    char target[96];
    snprintf(target, sizeof target, "%s?after=0", link);
    ask("GET", target, fields, "", &a);
    assert_true(answer_number(&a, "step") > 0);
    answer_free(&a);
}

/* The mesh is as it was, and the job is gone. */
static void check_old(const char *id, const char *link)
{
    struct answer a;
    char target[64];
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_get(&d, target, &a);
    assert_int_equal(answer_number(&a, "version"), 1);
    answer_free(&a);
    ask_mesh(&d, id, "cage", "Accept: model/obj\r\n", &a);
    assert_non_null(strstr(a.body, "v 4 0 0\n"));
    answer_free(&a);
    ask("GET", link, "", "", &a);
    assert_problem(&a, 410, "gone", "job");
    assert_non_null(strstr(a.body, "started anew"));
    answer_free(&a);
}

static void test_killed(void **state)
{
    char id[32], link[80];
    (void)state;
    daemon_start(&d, NULL);
    create_torus("", 30, id);
    begin(id, "", link);
    wait_for_step(link, "");
    daemon_kill(&d);
    daemon_start(&d, NULL);
    check_old(id, link);
    daemon_stop(&d);
}

static void test_told_to_stop(void **state)
{
    const char *const options[] = {"--drain-delay", "0", "--drain-timeout", "0.2", NULL};
    char id[32], link[80];
    (void)state;
    daemon_start(&d, options);
    create_torus("", 30, id);
    begin(id, "", link);
    wait_for_step(link, "");
    kill(d.pid, SIGTERM);
    assert_int_equal(daemon_wait(&d, 10), 0);
    assert_true(daemon_logged(&d, "all is written")); /* It ended in order: the flow was cancelled. */
    daemon_start(&d, NULL);
    check_old(id, link);
    daemon_stop(&d);
}

/* Who does not have the token that began a job does not learn that there is one, and cannot cancel it. */
static void test_owner(void **state)
{
    static const char *const names[] = {"ann:read,edit", "bob:read,edit,admin"};
    char path[] = "/tmp/subdd-tokens-XXXXXX", fields[2][128], text[256], id[32], link[80], frame[96];
    struct answer a;
    (void)state;
    close(mkstemp(path));
    unlink(path);
    for (int i = 0; i < 2; i++) {
        const char *const options[] = {"--tokens-file", path, "--new-token", names[i], NULL};
        assert_int_equal(daemon_run(options, text, sizeof text), 0);
        snprintf(fields[i], sizeof fields[i], "Authorization: Bearer %.*s\r\n", (int)strcspn(text, "\n"), text);
    }
    const char *const options[] = {"--tokens-file", path, NULL};
    daemon_start(&d, options);
    create_torus(fields[0], 30, id);
    begin(id, fields[0], link);
    snprintf(frame, sizeof frame, "%s/frame", link);
    for (int i = 0; i < 3; i++) {
        ask(i == 1 ? "DELETE" : "GET", i == 2 ? frame : link, fields[1], "", &a);
        assert_problem(&a, 404, "not_found", "job");
        answer_free(&a);
    }
    fair(id, fields[1], "{}", &a);
    assert_problem(&a, 409, "conflict", "id");
    assert_null(strstr(a.body, link + strlen("/v1/jobs/"))); /* The id is not for others. */
    answer_free(&a);
    ask("GET", link, "", "", &a);
    assert_int_equal(a.status, 401);
    answer_free(&a);
    wait_for_step(link, fields[0]);
    ask("DELETE", link, fields[0], "", &a);
    assert_int_equal(a.status, 202);
    answer_free(&a);
    daemon_stop(&d);
    unlink(path);
}

static void test_no_memory(void **state)
{
    const char *const options[] = {"--gpu-memory", "2000000", NULL};
    char id[32], target[64];
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    create_torus("", 40, id);
    fair(id, "", "{}", &a);
    assert_problem(&a, 507, "insufficient_memory", NULL);
    assert_true(answer_number(&a, "needed") > 2000000);
    assert_in_range(answer_number(&a, "available"), 0, 2000000);
    answer_free(&a);
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_get(&d, target, &a);
    assert_int_equal(answer_number(&a, "version"), 1);
    answer_free(&a);
    daemon_stop(&d);
}

/* A level whose points are more than an answer may have. */
static void test_too_large(void **state)
{
    const char *const options[] = {"--max-output-bytes", "100000", "--max-level", "5", NULL};
    char id[32];
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    create_torus("", 40, id);
    fair(id, "", "{\"level\":3}", &a);
    assert_problem(&a, 413, "too_large", "level");
    assert_int_equal(answer_number(&a, "limit"), 100000);
    answer_free(&a);
    fair(id, "", "{\"level\":6}", &a);
    assert_problem(&a, 422, "invalid_query", "level");
    assert_int_equal(answer_number(&a, "limit"), 5);
    answer_free(&a);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed), cmocka_unit_test(test_told_to_stop),
                                       cmocka_unit_test(test_owner), cmocka_unit_test(test_no_memory),
                                       cmocka_unit_test(test_too_large)};
    return cmocka_run_group_tests_name("http/flow_ends", tests, NULL, NULL);
}
