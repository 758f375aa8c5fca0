/* SPDX-License-Identifier: Apache-2.0 */
/* From start to stop: options, the start line, draining, signals, kill -9, and what the log says. */
#include "tests/env.h"
#include "tests/http/daemon.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct daemon d;

static int stop(void **state)
{
    (void)state;
    if (d.pid)
        kill(d.pid, SIGKILL);
    d = (struct daemon){0};
    return 0;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */
static void test_help_and_version(void **state)
{
    static const char *const help[] = {"--help", NULL}, *const version[] = {"--version", NULL};
    char text[16384];
    (void)state;
    assert_int_equal(daemon_run(help, text, sizeof text), 0);
    assert_non_null(strstr(text, "--listen ADDR:PORT"));
    assert_non_null(strstr(text, "[127.0.0.1:7373]"));
    assert_non_null(strstr(text, "--drain-delay"));
    assert_int_equal(daemon_run(version, text, sizeof text), 0);
    assert_memory_equal(text, "subdd ", 6);
}

static void test_wrong_options(void **state)
{
    static const char *const rows[][4] = {{"--no-such-option"},
                                          {"stray"},
                                          {"--max-level", "16"},
                                          {"--max-level", "x"},
                                          {"--max-level", "-1"},
                                          {"--max-body-bytes", "12 parsecs"},
                                          {"--request-deadline", "nan"},
                                          {"--request-deadline", "1e400"},
                                          {"--backend", "abacus"},
                                          {"--config", "/nonexistent.ini"},
                                          {"--config", "/"},
                                          {"--listen", "nonsense"},
                                          {"--listen", "127.0.0.1:70000"},
                                          {"--listen", "127.0.0.1:x"},
                                          {"--listen"},
                                          {"--listen", "junk", "--print-config"},
                                          {"--queue-size", "1.5"},
                                          {"--allow-unauthenticated=perhaps"}};
    char text[4096];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(daemon_run(rows[i], text, sizeof text), 2);
        assert_memory_equal(text, "subdd: ", 7);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one sentence */
        assert_null(strstr(text, ": Success"));
    }
}

/* A configuration that can be read only once, by a daemon that begins once more to set how OpenMP waits. */
static void test_config_from_a_pipe(void **state)
{
    char path[] = "/tmp/subdd-pipe-XXXXXX";
    const char *const options[] = {"--config", path, NULL}, *policy = getenv("OMP_WAIT_POLICY");
    char before[32] = "";
    struct daemon d = {0};
    struct answer a;
    (void)state;
    snprintf(before, sizeof before, "%s", policy ? policy : "");
    close(mkstemp(path));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        const int fd = open(path, O_WRONLY);
        _exit(fd < 0 || dprintf(fd, "max-level = 1\n") < 0);
    }
    unsetenv("OMP_WAIT_POLICY");
    daemon_start(&d, options);
    if (policy)
        setenv("OMP_WAIT_POLICY", before, 1);
    char id[32];
    create_cube(&d, id);
    ask_mesh(&d, id, "refined?level=2", "", &a);
    assert_int_equal(a.status / 100, 4);
    answer_free(&a);
    daemon_stop(&d);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    unlink(path);
}

/* File < environment < flag; --print-config prints a file that gives the same. */
static void test_sources(void **state)
{
    char path[] = "/tmp/subdd-config-XXXXXX", first[16384], second[16384];
    const char *const options[] = {"--config", path, "--max-level=7", "--print-config", NULL};
    const char *const again[] = {"--config", path, "--print-config", NULL};
    (void)state;
    int fd = mkstemp(path);
    dprintf(fd, "# sample\n[limits]\nmax-level = 5\nqueue_size = 17\ncache-bytes = 3MiB\nmax-connections = 99\n");
    close(fd);
    setenv("SUBDD_MAX_LEVEL", "6", 1);
    setenv("SUBDD_CACHE_BYTES", "5MiB", 1);
    assert_int_equal(daemon_run(options, first, sizeof first), 0);
    unsetenv("SUBDD_MAX_LEVEL");
    unsetenv("SUBDD_CACHE_BYTES");
    assert_non_null(strstr(first, "max-level = 7\n"));
    assert_non_null(strstr(first, "queue-size = 17\n"));
    assert_non_null(strstr(first, "cache-bytes = 5242880\n"));
    assert_non_null(strstr(first, "max-connections = 99\n"));
    assert_non_null(strstr(first, "header-deadline = 10\n"));
    FILE *f = fopen(path, "w");
    fputs(first, f);
    fclose(f);
    assert_int_equal(daemon_run(again, second, sizeof second), 0);
    assert_string_equal(first, second);
    f = fopen(path, "w");
    fputs("max-leval = 3\n", f);
    fclose(f);
    assert_int_equal(daemon_run(again, second, sizeof second), 2);
    assert_non_null(strstr(second, "max-leval"));
    assert_non_null(strstr(second, path));
    assert_non_null(strstr(second, " line 1: "));
    setenv("SUBDD_MAX_LEVEL", "many", 1);
    assert_int_equal(daemon_run(again + 2, second, sizeof second), 2);
    assert_non_null(strstr(second, "SUBDD_MAX_LEVEL"));
    unsetenv("SUBDD_MAX_LEVEL");
    unlink(path);
}

static void test_one_daemon_a_folder(void **state)
{
    char data[96], text[1024];
    struct answer a;
    (void)state;
    daemon_start(&d, NULL);
    snprintf(data, sizeof data, "%s/data", d.dir);
    const char *const second[] = {"--listen", "127.0.0.1:0", "--data-dir", data, "--backend", "cpu", NULL};
    assert_int_equal(daemon_run(second, text, sizeof text), 1);
    http_get(&d, "/v1/health/ready", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    daemon_stop(&d);
}

/* ---- stopping --------------------------------------------------------------------------------------------------- */
static void test_drain(void **state)
{
    static const char *const options[] = {"--drain-delay", "0.5", NULL};
    static const char head[] =
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nContent-Length: ";
    char length[32], id[32], target[64], value[32];
    struct answer a;
    (void)state;
    daemon_start(&d, options);
    int upload = http_connect(&d), idle = http_connect(&d);
    http_ask_on(idle, "GET", "/v1/health/ready", "", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    http_send(upload, head, sizeof head - 1); /* an upload in progress */
    http_send(upload, length, (size_t)snprintf(length, sizeof length, "%zu\r\n\r\n", strlen(CUBE)));
    http_send(upload, CUBE, 20);
    usleep(50000);
    kill(d.pid, SIGTERM);
    usleep(100000);
    http_ask_on(idle, "GET", "/v1/health/ready", "", NULL, 0, &a); /* not ready, but served until the delay is over */
    assert_problem(&a, 503, "busy", NULL);
    answer_free(&a);
    http_ask_on(idle, "GET", "/v1/health/live", "", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    create_cube(&d, id);
    assert_true(http_closed(idle, 3));
    http_send(upload, CUBE + 20, strlen(CUBE) - 20); /* in progress is finished */
    http_read(upload, &a, false);
    assert_int_equal(a.status, 201);
    assert_true(answer_field(&a, "Connection", value, sizeof value));
    assert_string_equal(value, "close");
    char made[256];
    answer_member(&a, "id", made);
    answer_free(&a);
    close(upload);
    close(idle);
    assert_int_equal(daemon_wait(&d, 5), 0);
    daemon_start(&d, NULL);
    for (int i = 0; i < 2; i++) {
        snprintf(target, sizeof target, "/v1/meshes/%.18s", i ? made : id);
        http_get(&d, target, &a);
        assert_int_equal(a.status, 200);
        answer_free(&a);
    }
    daemon_stop(&d);
}

static void test_second_signal(void **state)
{
    static const char *const options[] = {"--drain-delay", "60", NULL};
    (void)state;
    daemon_start(&d, options);
    kill(d.pid, SIGTERM);
    assert_true(daemon_logged(&d, "draining"));
    kill(d.pid, SIGINT);
    assert_int_equal(daemon_wait(&d, 2), 128 + SIGINT);
    daemon_clean(&d);
}

/* A client that reads slowly does not hold up the end for ever: it is cut. */
static void test_drain_is_bounded(void **state)
{
    static const char *const options[] = {"--drain-timeout", "1", NULL};
    char id[32], target[128];
    (void)state;
    daemon_start(&d, options);
    create_cube(&d, id);
    int small = 4096, fd = http_connect(&d);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    http_send(fd, target,
              (size_t)snprintf(target, sizeof target,
                               "GET /v1/meshes/%s/refined?level=8 HTTP/1.1\r\n" ACCEPT_FRAME "Host: localhost\r\n\r\n",
                               id));
    usleep(300000);
    double begin = seconds_now();
    kill(d.pid, SIGTERM);
    assert_int_equal(daemon_wait(&d, 15), 0);
    assert_in_range((int)(seconds_now() - begin), 1, 4);
    close(fd);
    daemon_clean(&d);
}

/* ---- kill -9 ---------------------------------------------------------------------------------------------------- */
struct writer {
    struct daemon *d;
    char id[32];
    long long acknowledged;
    float value; /* of the first coordinate in that version */
};

static void *write_until_killed(void *arg)
{
    struct writer *w = arg;
    float points[24] = {0};
    char head[256];
    int fd = http_connect(w->d);
    int n = snprintf(head, sizeof head,
                     "PUT /v1/meshes/%s/positions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                     "application/octet-stream\r\nContent-Length: 96\r\n\r\n",
                     w->id);
    for (;;) {
        struct answer a;
        points[0] += 1;
        http_send(fd, head, (size_t)n);
        http_send(fd, points, sizeof points);
        http_read(fd, &a, false);
        long long version = a.status == 200 ? answer_number(&a, "version") : 0;
        answer_free(&a);
        if (version <= 0)
            break;
        w->acknowledged = version;
        w->value = points[0];
    }
    close(fd);
    return NULL;
}

static void test_kill_keeps_what_was_acknowledged(void **state)
{
    struct writer w[3];
    pthread_t threads[3];
    char target[96], line[64];
    struct answer a;
    (void)state;
    daemon_start(&d, NULL);
    for (int i = 0; i < 3; i++)
        create_cube(&d, w[i].id);
    for (int cycle = 0; cycle < 8; cycle++) {
        for (int i = 0; i < 3; i++) {
            w[i].d = &d;
            w[i].acknowledged = 0;
            assert_int_equal(pthread_create(&threads[i], NULL, write_until_killed, &w[i]), 0);
        }
        usleep((useconds_t)(20000 + cycle * 9000));
        daemon_kill(&d);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        daemon_start(&d, NULL);
        http_get(&d, "/metrics", &a);
        assert_non_null(strstr(a.body, "\nsubdd_meshes{state=\"disk\"} 3\n"));
        answer_free(&a);
        for (int i = 0; i < 3; i++) {
            snprintf(target, sizeof target, "/v1/meshes/%.31s", w[i].id);
            http_get(&d, target, &a);
            long long version = answer_number(&a, "version");
            answer_free(&a);
            assert_in_range(version, w[i].acknowledged, w[i].acknowledged + 1 + (w[i].acknowledged == 0) * 1000);
            if (version != w[i].acknowledged)
                continue; /* one more was committed, its answer was cut off */
            snprintf(target, sizeof target, "/v1/meshes/%.31s/cage", w[i].id);
            http_ask(&d, "GET", target, "Accept: model/obj\r\n", NULL, 0, &a);
            snprintf(line, sizeof line, "\nv %g 0 0\n", w[i].value);
            assert_non_null(strstr(a.body, line));
            answer_free(&a);
        }
    }
    daemon_stop(&d);
}

/* ---- the log ---------------------------------------------------------------------------------------------------- */
static void test_log(void **state)
{
    struct answer a;
    (void)state;
    daemon_start(&d, NULL);
    http_ask(&d, "POST", "/v1/meshes?name=secret-name", "Content-Type: model/obj\r\nX-Request-Id: req-7\r\n", CUBE,
             strlen(CUBE), &a);
    assert_int_equal(a.status, 201);
    answer_free(&a);
    assert_true(daemon_logged(
        &d,
        "\"event\":\"request\",\"id\":\"req-7\",\"address\":\"127.0.0.1\",\"method\":\"POST\",\"path\":\"/v1/meshes\","
        "\"op\":\"create\",\"mesh\":\"m_"));
    http_ask(&d, "GET", "/v1", "X-Request-Id: a\"b\\c\r\n", NULL, 0, &a); /* not an id that is taken over */
    char value[128];
    assert_true(answer_field(&a, "X-Request-Id", value, sizeof value));
    assert_null(strchr(value, '"'));
    answer_free(&a);
    assert_false(daemon_logged(&d, "secret-name")); /* queries stay out */
    /* after the file was moved away, SIGHUP opens a new one */
    char from[96], to[112];
    snprintf(from, sizeof from, "%s/log", d.dir);
    snprintf(to, sizeof to, "%s/log.1", d.dir);
    assert_int_equal(rename(from, to), 0);
    kill(d.pid, SIGHUP);
    usleep(100000);
    http_get(&d, "/v1", &a);
    answer_free(&a);
    assert_true(daemon_logged(&d, "\"op\":\"service\""));
    daemon_stop(&d);
}

/* Both options reach the log, and probes are worth a line only at debug. */
static void test_log_options(void **state)
{
    static const char *const options[][5] = {{"--log-format", "text", NULL},
                                             {"--log-format", "text", "--log-level", "debug", NULL}};
    struct answer a;
    (void)state;
    for (int i = 0; i < 2; i++) {
        daemon_start(&d, options[i]);
        http_get(&d, "/v1/health/live", &a);
        answer_free(&a);
        http_get(&d, "/health/ready", &a);
        answer_free(&a);
        http_ask(&d, "POST", "/v1/health/live", "", NULL, 0, &a); /* A refusal is worth one. */
        answer_free(&a);
        http_get(&d, "/v1", &a);
        answer_free(&a);
        assert_true(daemon_logged(&d, " path=/v1 op=service status=200 "));
        assert_true(daemon_logged(&d, " method=POST path=/v1/health/live op=none status=405 "));
        assert_int_equal(daemon_logged(&d, "Z debug request "), i == 1);
        assert_int_equal(daemon_logged(&d, " path=/v1/health/live op=live status=200 "), i == 1);
        assert_int_equal(daemon_logged(&d, " path=/health/ready op=ready status=200 "), i == 1);
        daemon_stop(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_help_and_version),
                                       cmocka_unit_test(test_wrong_options),
                                       cmocka_unit_test(test_sources),
                                       cmocka_unit_test(test_config_from_a_pipe),
                                       cmocka_unit_test_teardown(test_one_daemon_a_folder, stop),
                                       cmocka_unit_test_teardown(test_drain, stop),
                                       cmocka_unit_test_teardown(test_second_signal, stop),
                                       cmocka_unit_test_teardown(test_drain_is_bounded, stop),
                                       cmocka_unit_test_teardown(test_kill_keeps_what_was_acknowledged, stop),
                                       cmocka_unit_test_teardown(test_log, stop),
                                       cmocka_unit_test_teardown(test_log_options, stop)};
    return cmocka_run_group_tests_name("http/lifecycle", tests, NULL, NULL);
}
