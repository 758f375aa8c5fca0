/* SPDX-License-Identifier: Apache-2.0 */
/* A device or a disk that fails while the daemon serves: memory that is short is answered and survived; a lost
 * device or store ends the daemon within a second, with its own exit code; what was acknowledged is there
 * afterwards. */
#include "server/serve.h"
#include "tests/http/fake_daemon.h"
#include "tests/http/spawn.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
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

static int get(const char *id, const char *rest)
{
    char target[96];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/%.31s%s", id, rest);
    http_get(&d, target, &a);
    int status = a.status;
    answer_free(&a);
    return status;
}

static int pose(const char *id)
{
    const float points[24] = {0, 0, 0, 1, 0, 0, 1, 1};
    char target[96];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/%.31s/refined?level=2", id);
    http_ask(&d, "POST", target, "Content-Type: application/octet-stream\r\n", points, sizeof points, &a);
    int status = a.status;
    answer_free(&a);
    return status;
}

static int post(char id[32])
{
    struct answer a;
    char value[256];
    http_ask(&d, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", CUBE, strlen(CUBE), &a);
    int status = a.status;
    if (status == 201)
        snprintf(id, 32, "%s", answer_member(&a, "id", value));
    else
        assert_true(status == 503 || status == 507);
    answer_free(&a);
    return status;
}

static void test_lost_device(void **state)
{
    char id[32];
    struct answer a;
    (void)state;
    daemon_fork(&d, NULL, fake_daemon);
    create_cube(&d, id);
    assert_int_equal(get(id, "/refined?level=2"), 200);
    int idle = http_connect(&d);
    http_ask_on(idle, "GET", "/v1/health/ready", "", NULL, 0, &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    fake_arm(&d, 2, STICKY);
    double begin = seconds_now();
    int status = get(id, "/refined?level=3");
    if (status == 507) /* it was an allocation that failed first */
        status = get(id, "/refined?level=3");
    assert_int_equal(status, 503);
    http_ask_on(idle, "GET", "/v1/health/ready", "", NULL, 0, &a);
    assert_problem(&a, 503, "busy", NULL);
    answer_free(&a);
    http_ask_on(idle, "GET", "/v1", "", NULL, 0, &a);
    assert_problem(&a, 503, "busy", NULL);
    answer_free(&a);
    close(idle);
    assert_int_equal(daemon_wait(&d, 5), EXIT_DEVICE);
    assert_true(seconds_now() - begin < 1);
    assert_true(daemon_logged(&d, "the compute device was lost"));
    daemon_fork(&d, NULL, fake_daemon); /* the supervisor starts it again: all is there */
    assert_int_equal(get(id, "/refined?level=3"), 200);
    daemon_stop(&d);
}

/* The probe of the readiness check finds a device that died while nobody used it. */
static void test_lost_while_idle(void **state)
{
    struct answer a;
    (void)state;
    daemon_fork(&d, NULL, fake_daemon);
    fake_arm(&d, 2, STICKY);
    http_get(&d, "/v1/health/ready", &a);
    assert_int_equal(a.status, 503);
    answer_free(&a);
    assert_int_equal(daemon_wait(&d, 5), EXIT_DEVICE);
    daemon_clean(&d);
}

/* The k-th call of a create and of what is asked then (NULL: a pose) fails, once or with all after it: the request is
 * refused and the daemon goes on, or the device counts as lost. Either way no acknowledged mesh is missing and a
 * refused one leaves nothing. */
static void torture(const char *ask, int how, int step, int counts[3])
{
    char id[32], made[32];
    struct answer a;
    create_cube(&d, id);
    for (int k = 1; k < 100; k += step) {
        fake_arm(&d, k, how);
        int created = post(made), refined = ask ? get(id, ask) : pose(id);
        counts[0] += created == 507 || refined == 507;
        http_get(&d, "/v1/health/live", &a);
        bool gone = a.status == 0;
        answer_free(&a);
        if (created == 503 || refined == 503 || gone) {
            assert_int_equal(daemon_wait(&d, 5), EXIT_DEVICE);
            daemon_fork(&d, NULL, fake_daemon);
            counts[1]++;
        } else
            fake_arm(&d, 0, ONCE);
        counts[2] += created == 201 && refined == 200;
        assert_int_equal(get(id, "/refined?level=3"), 200);
        if (created == 201)
            assert_int_equal(get(made, "/refined?level=1"), 200);
        char target[64];
        snprintf(target, sizeof target, "/v1/meshes/%.31s", id);
        http_ask(&d, "DELETE", target, "", NULL, 0, &a); /* so that the next round has work to do on the device */
        assert_int_equal(a.status, 204);
        answer_free(&a);
        if (created == 201) {
            snprintf(target, sizeof target, "/v1/meshes/%.31s", made);
            http_ask(&d, "DELETE", target, "", NULL, 0, &a);
            answer_free(&a);
        }
        http_get(&d, "/v1/meshes", &a);
        assert_non_null(strstr(a.body, "\"meshes\":[]"));
        answer_free(&a);
        assert_int_equal(post(id), 201);
    }
}

static void each_call(const char *ask)
{
    int counts[3] = {0};
    daemon_fork(&d, NULL, fake_daemon);
    torture(ask, ONCE, 1, counts);
    daemon_stop(&d);
    daemon_fork(&d, NULL, fake_daemon);
    torture(ask, FOREVER, 3, counts);
    print_message("%d answered 507, %d ended the daemon, %d went well\n", counts[0], counts[1], counts[2]);
    assert_true(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
    daemon_stop(&d);
}

static void test_each_call(void **state)
{
    (void)state;
    each_call("/refined?level=2&include=positions");
}

static void test_each_call_of_patches(void **state)
{
    (void)state;
    each_call("/patches?level=2");
}

static void test_each_call_of_neighbors(void **state)
{
    (void)state;
    each_call("/neighbors?relation=FF&ring=2");
}

static void test_each_call_of_fields(void **state)
{
    (void)state;
    each_call("/fields?what=mean,geodesic&sources=0");
}

static void test_each_call_of_poses(void **state)
{
    (void)state;
    each_call(NULL);
}

static bool is_ready(void)
{
    struct answer a;
    http_get(&d, "/v1/health/ready", &a);
    const bool ready = a.status == 200;
    answer_free(&a);
    return ready;
}

/* Reads an answer to its end; was it a frame, and all of it there? */
static bool read_frame(int fd, bool *whole)
{
    static char bytes[1 << 16];
    int64_t got = 0, length = -1;
    *whole = false;
    for (ssize_t n; length < 0 || got < length; got += n) {
        if ((n = recv(fd, bytes, sizeof bytes - 1, 0)) <= 0)
            return length >= 0;
        if (length >= 0)
            continue;
        bytes[n] = 0; /* the head comes in the first piece */
        if (strncmp(bytes, "HTTP/1.1 200", 12) != 0)
            return false;
        const char *field = strstr(bytes, "Content-Length: "), *end = strstr(bytes, "\r\n\r\n");
        assert_true(field && end);
        length = strtol(field + 16, NULL, 10) + (end + 4 - bytes);
    }
    return *whole = true;
}

/* subd tells that a frame was cut short, and leaves no part of it as a file. Ends the daemon. */
static void cut_short(const char *id)
{
    char server[64], path[96];
    snprintf(server, sizeof server, "http://127.0.0.1:%d", d.port);
    snprintf(path, sizeof path, "%s/cut.frame", d.dir);
    const char *arguments[] = {"refine",  id,  "--server",         server, "--method", "tabulated",
                               "--level", "6", "--only-positions", "-o",   path,       NULL};
    fake_arm(&d, 300, STICKY); /* past what a daemon that has just begun makes for its first piece */
    struct ran r = spawn_subd(d.dir, arguments, NULL);
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "broke"));
    assert_null(slurp(path, NULL));
    ran_free(&r);
    assert_int_equal(daemon_wait(&d, 5), EXIT_DEVICE);
    daemon_clean(&d);
}

/* The k-th call fails, once or with all after it, while an answer is being made and sent: it is cut, or whole, and the
 * daemon goes on or ends. */
static void test_each_call_of_streams(void **state)
{
    static const char *const options[] = {"--stream-bytes", "1MiB", NULL};
    static const char rest[] = "/refined?level=6&include=positions&method=tabulated";
    char id[32], text[160];
    int small = 65536, counts[3] = {0};
    (void)state;
    daemon_fork(&d, options, fake_daemon);
    create_grid(&d, 12, id);
    for (int k = 1; k < 120; k += 2) {
        int fd = http_connect(&d);
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        const int how = k % 4 == 1 ? ONCE : FOREVER, early = k % 3 == 0; /* before the first piece, or after it */
        if (early)
            fake_arm(&d, k / 3, how);
        int n = snprintf(text, sizeof text, "GET /v1/meshes/%s%s HTTP/1.1\r\n" ACCEPT_FRAME "Host: localhost\r\n\r\n",
                         id, rest);
        http_send(fd, text, (size_t)n);
        struct pollfd p = {fd, POLLIN, 0};
        assert_int_equal(poll(&p, 1, 20000), 1); /* it has begun, and cannot end: nobody reads */
        if (!early)
            fake_arm(&d, k, how);
        bool whole;
        (void)read_frame(fd, &whole);
        close(fd);
        fake_arm(&d, 0, ONCE);
        const bool ready = is_ready();
        if (!ready) {
            assert_false(whole);
            assert_int_equal(daemon_wait(&d, 5), EXIT_DEVICE);
            daemon_fork(&d, options, fake_daemon);
            assert_int_equal(get(id, rest), 200); /* so that the next death is the first again */
        }
        counts[whole ? 2 : ready ? 0 : 1]++;
        assert_int_equal(get(id, "/refined?level=3"), 200);
    }
    print_message("%d refused or cut, %d ended the daemon, %d went well\n", counts[0], counts[1], counts[2]);
    assert_true(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
    cut_short(id);
}

/* The k-th call fails of a frame that is sent while it is copied: it is refused, or cut where the copy ended. */
static void test_each_call_of_begun(void **state)
{
    static const char *const options[] = {"--cache-bytes", "0", NULL};
    static const char rest[] = "/refined?level=5&include=positions,normals,indices";
    char id[32], text[160];
    int counts[3] = {0};
    (void)state;
    daemon_fork(&d, options, fake_daemon);
    create_grid(&d, 24, id);
    int n = snprintf(text, sizeof text, "GET /v1/meshes/%s%s HTTP/1.1\r\n" ACCEPT_FRAME "Host: localhost\r\n\r\n", id,
                     rest);
    for (int k = 1; k < 80; k += 2) {
        assert_int_equal(get(id, "/refined?level=1"), 200); /* what stays on the device is there */
        int fd = http_connect(&d);
        fake_arm(&d, k, FOREVER);
        http_send(fd, text, (size_t)n);
        bool whole, begun = read_frame(fd, &whole);
        close(fd);
        counts[whole ? 2 : begun ? 1 : 0]++;
        fake_arm(&d, 0, ONCE);
        if (!is_ready()) {
            assert_false(whole);
            assert_int_equal(daemon_wait(&d, 5), EXIT_DEVICE);
            daemon_fork(&d, options, fake_daemon);
            assert_int_equal(get(id, rest), 200); /* so that the next death is the first again */
        }
    }
    print_message("%d refused, %d cut, %d went well\n", counts[0], counts[1], counts[2]);
    assert_true(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
    daemon_stop(&d);
}

/* No file of the daemon may grow any more: what cannot be written is not acknowledged. */
static void test_full_disk(void **state)
{
    static const char *const options[] = {"--log-file", "/dev/null", NULL};
    char ids[64][32];
    int n = 0, status = 201;
    (void)state;
    daemon_start(&d, options);
    for (; n < 8; n++)
        create_cube(&d, ids[n]);
    const struct rlimit limit = {256 << 10, 256 << 10};
    assert_int_equal(prlimit(d.pid, RLIMIT_FSIZE, &limit, NULL), 0);
    while (n < 64 && (status = post(ids[n])) == 201)
        n++;
    assert_true(status == 503 || status == 507);
    struct answer a;
    http_get(&d, "/v1/health/live", &a);
    bool alive = a.status == 200 && status == 507;
    answer_free(&a);
    if (alive) /* out of space is survived, read requests go on */
        assert_int_equal(get(ids[0], "/refined?level=2"), 200);
    else
        assert_int_equal(daemon_wait(&d, 5), EXIT_STORE);
    if (alive)
        daemon_kill(&d);
    daemon_start(&d, NULL);
    for (int i = 0; i < n; i++)
        assert_int_equal(get(ids[i], "/refined?level=1"), 200);
    assert_int_equal(post(ids[0]), 201);
    daemon_stop(&d);
}

/* A budget that no device can hold is refused at the start, with the number that can. */
static void test_device_budget(void **state)
{
    char output[1024], data[] = "/tmp/subdd-test-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(data));
    const char *const options[] = {"--listen", "127.0.0.1:0", "--backend", "cuda", "--gpu-memory",
                                   "16TiB",    "--data-dir",  data,        NULL};
    assert_int_equal(daemon_run_as(fake_daemon, options, output, sizeof output), 1);
    if (!strstr(output, "--gpu-memory: ") || !strstr(output, " bytes of memory, not 17592186044416: at most "))
        fail_msg("%s", output);
    snprintf(d.dir, sizeof d.dir, "%s", data);
    daemon_clean(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_device_budget),
                                       cmocka_unit_test_teardown(test_lost_device, stop),
                                       cmocka_unit_test_teardown(test_lost_while_idle, stop),
                                       cmocka_unit_test_teardown(test_each_call, stop),
                                       cmocka_unit_test_teardown(test_each_call_of_patches, stop),
                                       cmocka_unit_test_teardown(test_each_call_of_neighbors, stop),
                                       cmocka_unit_test_teardown(test_each_call_of_fields, stop),
                                       cmocka_unit_test_teardown(test_each_call_of_poses, stop),
                                       cmocka_unit_test_teardown(test_each_call_of_streams, stop),
                                       cmocka_unit_test_teardown(test_each_call_of_begun, stop),
                                       cmocka_unit_test_teardown(test_full_disk, stop)};
    return cmocka_run_group_tests_name("http/faults", tests, NULL, NULL);
}
