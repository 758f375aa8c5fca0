/* SPDX-License-Identifier: Apache-2.0 */
/* Watchers that never read and such that read a byte a second take little memory, are closed at their deadline, and
 * keep nobody from anything: another watcher gets each version meanwhile. And watchers up to the limit of connections.
 * With SUBDD_LOAD in the environment (`make load`) there are as many as we promise this for. */
#include "tests/http/chunks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 1000, SIDE = 32, ROUNDS = 60, KIB_EACH = 256 };
static struct daemon d;
static int bad[MOST];

static int half(void)
{
    return getenv("SUBDD_LOAD") ? 500 : 60;
}

static int start(void **state)
{
    static const char *const options[] = {"--max-connections",
                                          "1100",
                                          "--max-connections-per-address",
                                          "1100",
                                          "--min-rate",
                                          "16K",
                                          "--header-deadline",
                                          "8",
                                          "--log-level",
                                          "warn",
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

static void move(const char *id, float to)
{
    const float point[3] = {to, to, to};
    http_change(&d, "PUT", id, "/positions?first=0", "Content-Type: application/octet-stream\r\n", point, sizeof point);
}

/* The next record of a watcher that reads must be of this version; heartbeats are passed over. */
static void expect_version(struct chunks *c, uint64_t version)
{
    static char body[1 << 20];
    unsigned char head[24];
    uint64_t n, v;
    do {
        assert_true(chunks_take(c, head, sizeof head));
        memcpy(&n, head, 8);
        memcpy(&v, head + 8, 8);
        assert_in_range(n, 0, sizeof body);
        if (n)
            assert_true(chunks_take(c, body, n));
    } while (head[16] == 0);
    assert_in_range(head[16], 1, 2);
    assert_int_equal(v, version);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The 99th percentile of the time from a change to its frame, in ms. */
static double watch_for_a_while(const char *id, float *to, uint64_t *version)
{
    struct chunks good;
    double ms[ROUNDS];
    char target[96];
    snprintf(target, sizeof target, "/v1/meshes/%s/watch?level=2&deltas=true&since=%llu", id,
             (unsigned long long)*version);
    chunks_open(&good, chunks_begin(&d, target, "Accept: application/vnd.subdd.watch\r\n"));
    for (int i = 0; i < ROUNDS; i++) {
        const double began = seconds_now();
        move(id, ++*to);
        expect_version(&good, ++*version);
        ms[i] = 1e3 * (seconds_now() - began);
    }
    fclose(good.in);
    qsort(ms, ROUNDS, sizeof *ms, compare);
    return ms[ROUNDS * 99 / 100];
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

/* What the kernel holds of the daemon's answers that their clients have not taken, in KiB. A line has its own address
 * and port, the other's, a state, and how much is queued to be sent. */
static long unsent_kib(void)
{
    char line[256];
    long sum = 0;
    FILE *f = fopen("/proc/net/tcp", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *at = strchr(line, ':');
        if (!at || !(at = strchr(at + 1, ':')) || strtol(at + 1, &at, 16) != d.port || !(at = strchr(at, ':')))
            continue;
        strtol(at + 1, &at, 16);
        const long state = strtol(at, &at, 16);
        sum += state == 1 ? strtol(at, NULL, 16) : 0;
    }
    fclose(f);
    return sum / 1024;
}

/* The CPU time that the daemon has used, in ms: fields 14 and 15, of which the second ends with a bracket. */
static double cpu_ms(void)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)d.pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    char *at = strrchr(line, ')');
    for (int field = 2; at && field < 14; field++)
        at = strchr(at + 1, ' ');
    assert_non_null(at);
    const long user = strtol(at, &at, 10);
    return 1e3 * (double)(user + strtol(at, NULL, 10)) / (double)sysconf(_SC_CLK_TCK);
}

/* Half of the bad ones never read. Of the others each reads a byte a second. */
static void drip(int n)
{
    char byte;
    for (int i = n / 2; i < n; i++)
        (void)!recv(bad[i], &byte, 1, MSG_DONTWAIT);
}

static void test_bad_watchers(void **state)
{
    const int n = 2 * half();
    struct answer a;
    char large[32], small[32], target[96];
    float to = 1;
    uint64_t version = 1;
    (void)state;
    create_grid(&d, SIDE, large);
    create_grid(&d, 8, small);
    ask_mesh(&d, large, "refined?level=5", "", &a); /* So that the frame is counted before. */
    assert_int_equal(a.status, 200);
    answer_free(&a);
    const double alone = watch_for_a_while(small, &to, &version);
    daemon_wait_metric(&d, "subdd_watchers", 0);
    const long before = resident_kib();
    snprintf(target, sizeof target, "/v1/meshes/%s/watch?level=5&deltas=true", large);
    for (int i = 0; i < n; i++)
        bad[i] = chunks_begin(&d, target, "Accept: application/vnd.subdd.watch\r\n");
    daemon_wait_metric(&d, "subdd_watchers", n);
    const long each = (resident_kib() - before) / n, unsent = unsent_kib() / n;
    drip(n);
    const double beside = watch_for_a_while(small, &to, &version);
    print_message("%d bad watchers: %ld KiB each, and %ld in the kernel; p99 of a good one %.1f ms, alone %.1f ms: "
                  "%.2f times\n",
                  n, each, unsent, beside, alone, beside / alone);
    assert_true(unsent > 0);
    assert_true(each + unsent <= KIB_EACH);
    const double began = seconds_now(), used = cpu_ms();
    sleep(2);
    print_message("beside them the daemon uses %.0f ms of each second\n", (cpu_ms() - used) / (seconds_now() - began));
    const double until = seconds_now() + 20;
    for (double next = seconds_now(); daemon_metric(&d, "subdd_watchers") > 0 && seconds_now() < until;) {
        if (seconds_now() >= next) {
            drip(n);
            next += 1;
        }
        usleep(50000);
    }
    assert_int_equal(daemon_metric(&d, "subdd_watchers"), 0);
    for (int i = 0; i < n; i++)
        close(bad[i]);
    http_change(&d, "DELETE", large, "", "", NULL, 0);
    http_change(&d, "DELETE", small, "", "", NULL, 0);
}

/* Watchers hold all connections: what else comes is refused, health is answered, and one that leaves makes place. */
static void test_at_the_limit(void **state)
{
    enum { LIMIT = 20 };
    static const char *const options[] = {
        "--max-connections", "20", "--max-connections-per-address", "20", "--log-level", "warn", NULL};
    struct daemon own = {0};
    struct chunks c[LIMIT];
    struct answer a;
    char id[32], target[96];
    (void)state;
    daemon_start(&own, options);
    create_cube(&own, id);
    snprintf(target, sizeof target, "/v1/meshes/%s/watch?since=1", id);
    for (int i = 0; i < LIMIT; i++) {
        snprintf(target, sizeof target, "/v1/meshes/%s/%s?since=1", id, i % 2 ? "watch" : "events");
        chunks_open(&c[i], chunks_begin(&own, target, "Accept: */*\r\n"));
    }
    http_get(&own, "/v1/meshes", &a);
    assert_true(a.status == 429 || a.status == 503);
    answer_free(&a);
    http_get(&own, "/v1/health/live", &a);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    fclose(c[0].in);
    for (int tries = 0; tries < 100; tries++) { /* The daemon asks a peer that has left whether it is there. */
        usleep(50000);
        http_get(&own, "/v1/meshes", &a);
        const int status = a.status;
        answer_free(&a);
        if (status == 200)
            break;
        assert_true(tries < 99);
    }
    for (int i = 1; i < LIMIT; i++)
        fclose(c[i].in);
    daemon_stop(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bad_watchers), cmocka_unit_test(test_at_the_limit)};
    return cmocka_run_group_tests(tests, start, stop);
}
