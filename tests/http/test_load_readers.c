/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that read large frames as fast as they can do not keep the loop from anything: others get their poses, and a
 * signal is heard. With SUBDD_LOAD in the environment (`make load`) there are as many readers as we promise this for,
 * of larger frames. */
#include "tests/http/cube.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_READERS = 64, MOST_POSES = 4000, ALONE = 200 };
static const char *const options[] = {"--cache-bytes", "512MiB", NULL};

struct reader {
    pthread_t thread;
    int fd;
};
static struct reader readers[MOST_READERS];
static int n_readers;
static atomic_llong bytes_read;
static double times[MOST_POSES];

static bool is_long(void)
{
    return getenv("SUBDD_LOAD") != NULL;
}

static int start(void **state)
{
    (void)state;
    daemon_start(&d, options);
    create_cube(&d, cube);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    if (d.pid)
        kill(d.pid, SIGKILL);
    daemon_clean(&d);
    return 0;
}

/* ---- readers ----------------------------------------------------------------------------------------------------- */
static void *read_all(void *arg)
{
    static _Thread_local char piece[256 << 10];
    const struct reader *r = arg;
    for (ssize_t n; (n = recv(r->fd, piece, sizeof piece, 0)) > 0;)
        atomic_fetch_add(&bytes_read, n);
    return NULL;
}

/* Each reader sends more requests than can be answered meanwhile, for one frame that the daemon keeps. */
static void start_readers(int n, int side)
{
    char id[32], request[160];
    struct answer a;
    create_grid(&d, side, id);
    ask_mesh(&d, id, "refined?level=5&include=positions", "", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    snprintf(request, sizeof request,
             "GET /v1/meshes/%s/refined?level=5&include=positions HTTP/1.1\r\nHost: localhost\r\n\r\n", id);
    for (n_readers = 0; n_readers < n; n_readers++) {
        struct reader *r = readers + n_readers;
        r->fd = http_connect(&d);
        for (int i = 0; i < 200; i++)
            http_send(r->fd, request, strlen(request));
        assert_int_equal(pthread_create(&r->thread, NULL, read_all, r), 0);
    }
}

static void stop_readers(void)
{
    for (int i = 0; i < n_readers; i++)
        shutdown(readers[i].fd, SHUT_RDWR);
    for (int i = 0; i < n_readers; i++) {
        pthread_join(readers[i].thread, NULL);
        close(readers[i].fd);
    }
}

/* ---- somebody else ----------------------------------------------------------------------------------------------- */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Asks for poses, `most` at most, until the time is over; leaves their times in order. Returns how many they were. */
static int pose(int most, double until)
{
    char target[128];
    float points[3 * CUBE_VERTICES];
    const int fd = http_connect(&d), one = 1;
    int n = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* Head and body go out one after the other. */
    snprintf(target, sizeof target, "/v1/meshes/%s/refined?level=2", cube);
    for (; n < most && (n == 0 || seconds_now() < until); n++) {
        struct answer a;
        cube_points(n, points);
        http_ask_on(fd, "POST", target, "Content-Type: application/octet-stream\r\n", points, sizeof points, &a);
        assert_int_equal(a.status, 200);
        times[n] = a.seconds;
        answer_free(&a);
    }
    close(fd);
    qsort(times, (size_t)n, sizeof times[0], ascending);
    return n;
}

static double longest_pause(const char *thread)
{
    char key[96];
    struct answer a;
    http_get(&d, "/metrics", &a);
    snprintf(key, sizeof key, "\nsubdd_longest_pause_seconds{thread=\"%s\"} ", thread);
    const char *at = strstr(a.body, key);
    const double seconds = at ? strtod(at + strlen(key), NULL) : -1;
    answer_free(&a);
    return seconds;
}

static void test_others(void **state)
{
    const double seconds = is_long() ? 20 : 3;
    (void)state;
    int n = pose(ALONE, seconds_now() + 10);
    const double median = times[n / 2], last = times[n - 1 - n / 100];
    start_readers(is_long() ? 64 : 16, is_long() ? 84 : 32);
    const double begin = seconds_now();
    const long long before = atomic_load(&bytes_read);
    n = pose(MOST_POSES, begin + seconds);
    const double took = seconds_now() - begin, rate = (double)(atomic_load(&bytes_read) - before) / took * 1e-6;
    const double pause = longest_pause("loop");
    print_message(
        "%d readers, %.0f MB/s; a pose alone %.1f ms (p99 %.1f), beside them %.1f ms (p99 %.1f of %d); the loop "
        "was away for %.1f ms\n",
        n_readers, rate, median * 1e3, last * 1e3, times[n / 2] * 1e3, times[n - 1 - n / 100] * 1e3, n, pause * 1e3);
    kill(d.pid, SIGTERM);
    const double sent = seconds_now();
    assert_true(daemon_logged(&d, "signal 15: draining"));
    print_message("a signal was heard after %.0f ms\n", (seconds_now() - sent) * 1e3);
    stop_readers();
    assert_int_equal(daemon_wait(&d, 20), 0);
    assert_true(times[n / 2] < 0.25);
    assert_true(pause > 0 && pause < 0.25);
    if (is_long())
        assert_true(times[n - 1 - n / 100] < 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_others, start, stop)};
    return cmocka_run_group_tests_name("http/load_readers", tests, NULL, NULL);
}
