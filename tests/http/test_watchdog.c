/* SPDX-License-Identifier: Apache-2.0 */
/* systemd's watchdog is fed while the daemon's threads go on, and no longer; and how long they were away is told. */
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "server/serve.h"
#include "tests/http/daemon.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static struct daemon d;
static char folder[] = "/tmp/subdd-watch-XXXXXX";
static int notified; /* What the daemon tells systemd arrives here. */

/* ---- in the child: a device that takes its time ------------------------------------------------------------------ */
static struct sdd_backend slow;
static atomic_int wait_ms, left; /* Each of the next `left` launches waits for so long. */

static void on_slow(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    atomic_store(&wait_ms, info->si_value.sival_int >> 8);
    atomic_store(&left, info->si_value.sival_int & 255);
}

static int launch(void *device, int kernel, const void *args, size_t bytes, int64_t n)
{
    if (atomic_load(&left) > 0) {
        atomic_fetch_sub(&left, 1);
        for (int ms = atomic_load(&wait_ms); ms > 0; ms -= 10)
            usleep(10000);
    }
    return sdd_backend_fake()->launch(device, kernel, args, bytes, n);
}

static int open_slow(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err)
{
    slow = *sdd_backend_fake();
    slow.launch = launch;
    return sdd_device_wrap(&slow, 0, 1, config->memory_limit, out, err);
}

static int slow_daemon(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_slow, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct config config;
    struct text error = {0};
    sigaction(SIGRTMIN, &action, NULL);
    if (!config_load(&config, argc, argv, &error))
        return EXIT_USAGE;
    return serve(&config, open_slow);
}

/* ---- in the test ------------------------------------------------------------------------------------------------- */
static int start(void **state)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(a.sun_path, sizeof a.sun_path, "%s/notify", folder);
    notified = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(notified, (struct sockaddr *)&a, sizeof a), 0);
    setenv("NOTIFY_SOCKET", a.sun_path, 1);
    setenv("WATCHDOG_USEC", "2000000", 1); /* A thread has one second. */
    daemon_fork(&d, NULL, slow_daemon);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    return 0;
}

static int stop(void **state)
{
    char path[96];
    (void)state;
    daemon_stop(&d);
    snprintf(path, sizeof path, "%s/notify", folder);
    unlink(path);
    rmdir(folder);
    return 0;
}

/* How often the watchdog is fed within that time. */
static int fed(double seconds)
{
    char text[64];
    int n = 0;
    while (recv(notified, text, sizeof text, 0) > 0) { /* What was told before. */
    }
    usleep((useconds_t)(seconds * 1e6));
    for (ssize_t got; (got = recv(notified, text, sizeof text - 1, 0)) > 0;) {
        text[got] = 0;
        n += strcmp(text, "WATCHDOG=1") == 0;
    }
    return n;
}

/* Has the next n launches wait, and begins a job that launches. */
static int begin_slow(const char *id, int ms, int n, const char *query)
{
    const union sigval value = {.sival_int = ms << 8 | n};
    char target[96];
    const int fd = http_connect(&d);
    assert_int_equal(sigqueue(d.pid, SIGRTMIN, value), 0);
    usleep(50000);
    snprintf(target, sizeof target, "/v1/meshes/%s/%s", id, query);
    http_begin(fd, "GET", target, "", NULL, 0);
    usleep(100000);
    return fd;
}

static void end_slow(int fd)
{
    struct answer a;
    http_read(fd, &a, false);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    close(fd);
}

static double longest_pause(const char *thread)
{
    char key[96];
    struct answer a;
    usleep(400000); /* It is looked at four times a second. */
    http_get(&d, "/metrics", &a);
    snprintf(key, sizeof key, "\nsubdd_longest_pause_seconds{thread=\"%s\"} ", thread);
    const char *at = strstr(a.body, key);
    const double seconds = at ? strtod(at + strlen(key), NULL) : -1;
    answer_free(&a);
    return seconds;
}

static void test_fed(void **state)
{
    char id[32];
    (void)state;
    create_cube(&d, id);
    assert_true(fed(2) >= 2);
    const double pause = longest_pause("device");
    assert_true(pause >= 0 && pause < 3);
    assert_true(longest_pause("loop") > 0);
    assert_true(longest_pause("store") > 0); /* The cube was written. */
    /* A job of many steps may take as long as it likes. Others can begin between two of them. */
    const int fd = begin_slow(id, 300, 8, "refined?level=5&include=positions,normals&method=mesh-matrix");
    assert_true(fed(2) >= 2);
    end_slow(fd);
    const double step = longest_pause("device");
    assert_true(step > 0.29 && step < 2);
}

static void test_stuck(void **state)
{
    char id[32];
    (void)state;
    create_cube(&d, id);
    const int fd = begin_slow(id, 6000, 1, "refined?level=4&include=positions,normals&method=mesh-matrix");
    usleep(1500000);
    assert_int_equal(fed(2), 0);
    end_slow(fd);
    assert_true(fed(2) >= 2); /* It goes on. */
    assert_true(longest_pause("device") > 5.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fed), cmocka_unit_test(test_stuck)};
    return cmocka_run_group_tests_name("http/watchdog", tests, start, stop);
}
