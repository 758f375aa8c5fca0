/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of host memory, as the kernel sees them: what many clients have in flight, what bodies take to be read, and
 * what is given back. The long form is tests/load/memory. */
#include "tests/http/daemon.h"
#include "tests/env.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MIB ((long long)1 << 20)
static struct daemon d;

static int stop(void **state)
{
    (void)state;
    if (d.pid)
        daemon_kill(&d);
    daemon_clean(&d);
    d = (struct daemon){0};
    return 0;
}

/* A line of /proc/PID/status, in bytes. */
static long long status_of(const char *name)
{
    char path[64], line[256];
    long long kib = -1;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)d.pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (kib < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtoll(line + strlen(name) + 1, NULL, 10);
    (void)fclose(f);
    assert_true(kib >= 0);
    return kib * 1024;
}

static long long metric(const char *name)
{
    struct answer a;
    char key[96];
    http_get(&d, "/metrics", &a);
    (void)snprintf(key, sizeof key, "\n%s ", name);
    const char *at = strstr(a.body, key);
    assert_non_null(at);
    const long long value = strtoll(at + strlen(key), NULL, 10);
    answer_free(&a);
    return value;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */
/* At level 4 a frame has 8.3 MB. */
enum { N = 52, POINT_BYTES = (N + 1) * (N + 1) * 12, POSES = TELLS_MEMORY ? 24 : 6 };
static char target[96];

static void *pose(void *out)
{
    char *points = calloc(1, POINT_BYTES);
    struct answer a;
    http_ask(&d, "POST", target, "Content-Type: application/octet-stream\r\n", points, POINT_BYTES, &a);
    *(int *)out = a.status == 200 && a.bytes > 8000000 ? 200 : a.status;
    answer_free(&a);
    free(points);
    return NULL;
}

/* Of many poses in flight no more are made than fit: the others wait for memory, and all are answered. */
static void test_poses(void **state)
{
    static const char *const options[] = {"--host-memory", "36MiB", "--cache-bytes", "0", "--memory-limit",
                                          "512MiB",        NULL};
    pthread_t threads[POSES];
    int statuses[POSES];
    char id[32], *obj = grid_obj(N);
    (void)state;
    daemon_start(&d, options);
    create_obj(&d, obj, id);
    free(obj);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=4&include=positions", id);
    pose(&statuses[0]); /* What is kept for the next request is there. */
    assert_int_equal(statuses[0], 200);
    const long long before = status_of("VmHWM:");
    for (int i = 0; i < POSES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pose, &statuses[i]), 0);
    for (int i = 0; i < POSES; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(statuses[i], 200);
    }
    /* 200 MB of frames. Beside the budget there are threads' stacks and blocks of connections. */
    if (TELLS_MEMORY)
        assert_in_range(status_of("VmHWM:") - before, 0, 36 * MIB + 24 * MIB);
    assert_int_equal(metric("subdd_host_budget_used_bytes{by=\"bodies\"}"), 0);
    assert_int_equal(metric("subdd_waiting_for_memory"), 0);
    daemon_stop(&d);
}

/* A client that does not read holds its frame's bytes; others get 503 while it does, and 200 afterwards. */
static void test_deaf(void **state)
{
    static const char *const options[] = {"--host-memory", "14MiB", "--cache-bytes", "0", NULL};
    char id[32], *obj = grid_obj(N);
    struct answer a;
    int status;
    (void)state;
    daemon_start(&d, options);
    create_obj(&d, obj, id);
    free(obj);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=4&include=positions", id);
    int fd = http_connect(&d);
    http_begin(fd, "GET", target, "", NULL, 0);
    for (int ms = 0; metric("subdd_host_budget_used_bytes{by=\"frames\"}") < 8000000 && ms < 10000; ms += 10)
        usleep(10000);
    assert_in_range(metric("subdd_host_budget_used_bytes{by=\"frames\"}"), 8000000, 9000000);
    pose(&status);
    assert_int_equal(status, 503);
    http_ask(&d, "GET", "/v1", "", NULL, 0, &a);
    assert_non_null(strstr(a.body, "{\"name\":\"host\",\"limit\":14680064,\"used\":"));
    answer_free(&a);
    close(fd);
    pose(&status);
    assert_int_equal(status, 200);
    for (int ms = 0; metric("subdd_host_budget_used_bytes{by=\"frames\"}") && ms < 10000; ms += 10)
        usleep(10000);
    assert_int_equal(metric("subdd_host_budget_used_bytes{by=\"frames\"}"), 0);
    daemon_stop(&d);
}

/* A client that does not read is cut off while it is still connected, and what it held is free. */
static void test_cut_off(void **state)
{
    static const char *const options[] = {"--cache-bytes", "0", "--header-deadline", "1", NULL};
    char id[32], *obj = grid_obj(N);
    const int small = 4096;
    (void)state;
    daemon_start(&d, options);
    create_obj(&d, obj, id);
    free(obj);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=4&include=positions", id);
    const int fd = http_connect(&d);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    http_begin(fd, "GET", target, "", NULL, 0);
    for (int ms = 0; metric("subdd_host_budget_used_bytes{by=\"frames\"}") < 8000000 && ms < 10000; ms += 10)
        usleep(10000);
    assert_in_range(metric("subdd_host_budget_used_bytes{by=\"frames\"}"), 8000000, 9000000);
    for (int ms = 0; metric("subdd_host_budget_used_bytes{by=\"frames\"}") && ms < 20000; ms += 10)
        usleep(10000);
    assert_int_equal(metric("subdd_host_budget_used_bytes{by=\"frames\"}"), 0);
    assert_int_equal(metric("subdd_rejected_total{reason=\"slow\"}"), 1);
    close(fd);
    daemon_stop(&d);
}

/* While a request on a mesh waits for memory, those that only look at the mesh do not wait behind it. */
static void test_waiting(void **state)
{
    static const char *const options[] = {"--host-memory", "14MiB", "--cache-bytes", "0", NULL};
    char id[32], show[64], *obj = grid_obj(N);
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    create_obj(&d, obj, id);
    free(obj);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=4&include=positions", id);
    const int holds = http_connect(&d), waits = http_connect(&d);
    http_begin(holds, "GET", target, "", NULL, 0);
    for (int ms = 0; metric("subdd_host_budget_used_bytes{by=\"frames\"}") < 8000000 && ms < 10000; ms += 10)
        usleep(10000);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=4&include=normals", id);
    http_begin(waits, "GET", target, "", NULL, 0);
    for (int ms = 0; !metric("subdd_waiting_for_memory") && ms < 4000; ms += 10)
        usleep(10000);
    for (int i = 0; i < 4; i++) {
        (void)snprintf(show, sizeof show, "/v1/meshes/%s%s", id, i % 2 ? "/cage" : "");
        http_get(&d, show, &a);
        assert_int_equal(a.status, 200);
        assert_true(a.seconds < 1);
        answer_free(&a);
    }
    assert_int_equal(metric("subdd_waiting_for_memory"), 1); /* It waited all the while. */
    close(holds);
    http_read(waits, &a, false);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    close(waits);
    daemon_stop(&d);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */
/* A body that takes more memory to be read than there is gets 507 with the numbers, before the memory is taken. */
static void test_bodies(void **state)
{
    static const char *const options[] = {"--host-memory", "24MiB", "--memory-limit", "512MiB", "--max-json-bytes",
                                          "8MiB",          NULL};
    enum { LISTS = 1 << 19, LINES = 1 << 20 };
    static const char head[] = "{\"points\":[0", tail[] = "]}";
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    const long long before = status_of("VmHWM:");
    const size_t bytes = sizeof head - 1 + 3 * (size_t)LISTS + sizeof tail - 1;
    char *json = malloc(bytes);
    assert_non_null(json);
    memcpy(json, head, sizeof head - 1);
    for (size_t at = sizeof head - 1; at < bytes - 2; at += 3)
        memcpy(json + at, ",[]", 3);
    memcpy(json + bytes - 2, tail, 2);
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: application/json\r\n", json, bytes, &a);
    assert_problem(&a, 507, "insufficient_memory", "body");
    assert_int_equal(answer_number(&a, "available"), 24 * MIB);
    assert_true(answer_number(&a, "needed") > 24 * MIB);
    answer_free(&a);
    free(json);
    char *obj = malloc(8 * LINES + 1);
    for (int i = 0; i < LINES; i++)
        memcpy(obj + 8 * i, "v 0 0 0\n", 9);
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", obj, 8 * LINES, &a);
    assert_problem(&a, 507, "insufficient_memory", "body");
    answer_free(&a);
    static const char large[] = "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\n"
                                "Content-Length: 25165825\r\n\r\n";
    int fd = http_connect(&d);
    http_send(fd, large, sizeof large - 1);
    http_read(fd, &a, false);
    close(fd);
    assert_problem(&a, 413, "too_large", "body");
    assert_int_equal(answer_number(&a, "limit"), 24 * MIB);
    answer_free(&a);
    free(obj);
    if (TELLS_MEMORY)
        assert_in_range(status_of("VmHWM:") - before, 0, (24 + 8) * MIB);
    for (int ms = 0; metric("subdd_host_budget_used_bytes{by=\"decoding\"}") && ms < 10000; ms += 10)
        usleep(10000);
    assert_int_equal(metric("subdd_host_budget_used_bytes{by=\"decoding\"}"), 0);
    char id[32];
    create_cube(&d, id);
    daemon_stop(&d);
}

/* ---- at rest, and at the start ----------------------------------------------------------------------------------- */
/* Blocks that are kept for the next request go when none comes. */
static void test_idle(void **state)
{
    static const char *const options[] = {"--cache-bytes", "0", NULL};
    char id[32], *obj = grid_obj(N);
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    create_obj(&d, obj, id);
    free(obj);
    (void)snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=6&include=positions", id); /* 133 MB */
    http_get(&d, target, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    assert_true(!TELLS_MEMORY || status_of("VmRSS:") > 100 * MIB);
    for (int s = 0; TELLS_MEMORY && status_of("VmRSS:") > 60 * MIB && s < 150; s++)
        usleep(100000);
    if (TELLS_MEMORY)
        assert_in_range(status_of("VmRSS:"), 0, 60 * MIB);
    http_get(&d, target, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    daemon_stop(&d);
}

static void refused(const char *const *options, const char *sentence)
{
    char output[2048];
    assert_int_equal(daemon_run(options, output, sizeof output), 1);
    if (!strstr(output, sentence))
        fail_msg("%s", output);
}

static void test_start(void **state)
{
    static const char *const low[] = {"--listen",       "127.0.0.1:0", "--memory-limit", "100MiB", "--data-dir",
                                      "/dev/null/none", NULL};
    static const char *const sum[] = {
        "--listen", "127.0.0.1:0",  "--memory-limit", "400MiB",     "--backend",      "cpu", "--host-memory",
        "300MiB",   "--gpu-memory", "100MiB",         "--data-dir", "/dev/null/none", NULL};
    (void)state;
    refused(low, "--memory-limit 104857600 is too small for --max-connections 512 and the budgets that were given: "
                 "--memory-limit ");
    refused(sum, "--memory-limit 654311424 would do");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_poses, stop),
                                       cmocka_unit_test_teardown(test_deaf, stop),
                                       cmocka_unit_test_teardown(test_waiting, stop),
                                       cmocka_unit_test_teardown(test_bodies, stop),
                                       cmocka_unit_test_teardown(test_cut_off, stop),
                                       cmocka_unit_test_teardown(test_idle, stop),
                                       cmocka_unit_test(test_start)};
    return cmocka_run_group_tests_name("http/memory", tests, NULL, NULL);
}
