/* SPDX-License-Identifier: Apache-2.0 */
/* Eight clients change a mesh each, and then all one mesh, in three ways at the same time. Fewer commits than changes
 * were made, every change has its version, and kill -9 takes none of them. Where a commit fails, who was told so has
 * changed nothing. */
#include "tests/http/daemon.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CLIENTS = 8, CHANGES = 60, SECTOR = 512, SECTORS = 1025 };
static struct daemon d;

struct client {
    pthread_t thread;
    char id[32];
    int k;
    int status;       /* Of its last change. */
    bool alone;       /* Nobody else changes the mesh. */
    long long last;   /* The version that its last change made. */
    char failure[80]; /* "" while all is well. */
};

static void change(struct client *c, int fd, int i)
{
    static const char *const methods[] = {"POST", "PUT", "PATCH"}, *const rests[] = {"/edits", "/positions?first=2",
                                                                                     ""};
    static const char *const types[] = {"application/json", "application/octet-stream", "application/merge-patch+json"};
    const int way = (i + c->k) % 3;
    const float point[3] = {(float)i, (float)c->k, 3};
    char target[80], fields[120], body[128];
    struct answer a;
    int n = (int)sizeof point;
    snprintf(target, sizeof target, "/v1/meshes/%s%s", c->id, rests[way]);
    snprintf(fields, sizeof fields, "Content-Type: %s\r\nIf-Match: *\r\n", types[way]);
    memcpy(body, point, sizeof point);
    if (way == 0)
        n = snprintf(body, sizeof body, "{\"edits\":[{\"setCorners\":{\"ids\":[2],\"sharpnesses\":[%d]}}]}", i % 5);
    if (way == 2)
        n = snprintf(body, sizeof body, "{\"name\":\"%d of %d\"}", i, c->k);
    http_ask_on(fd, methods[way], target, fields, body, (size_t)n, &a);
    const long long version = a.status == 200 ? answer_number(&a, "version") : c->last;
    c->status = a.status;
    if (a.status != 200)
        snprintf(c->failure, sizeof c->failure, "change %d: %d %.40s", i, a.status, a.body);
    else if (c->alone ? version != c->last + 1 : version <= c->last)
        snprintf(c->failure, sizeof c->failure, "change %d: version %lld after %lld", i, version, c->last);
    c->last = version;
    answer_free(&a);
}

static void *change_on_and_on(void *arg)
{
    struct client *c = arg;
    const int fd = http_connect(&d);
    for (int i = 0; i < CHANGES && !*c->failure; i++)
        change(c, fd, i);
    close(fd);
    return NULL;
}

static void run_all(struct client c[CLIENTS])
{
    for (int k = 0; k < CLIENTS; k++)
        assert_int_equal(pthread_create(&c[k].thread, NULL, change_on_and_on, &c[k]), 0);
    for (int k = 0; k < CLIENTS; k++)
        pthread_join(c[k].thread, NULL);
}

static void run(struct client c[CLIENTS])
{
    run_all(c);
    for (int k = 0; k < CLIENTS; k++)
        if (*c[k].failure)
            fail_msg("client %d: %s", k, c[k].failure);
}

/* The number of the last commit, by the file that counts them. */
static long long commits(void)
{
    static char file[SECTORS][SECTOR];
    char path[96];
    int64_t n, last = 0;
    snprintf(path, sizeof path, "%s/data/subdd.commits", d.dir);
    const int fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, file, sizeof file), sizeof file);
    close(fd);
    for (int i = 1; i < SECTORS; i++) {
        memcpy(&n, file[i], sizeof n);
        last = n > last ? n : last;
    }
    return last;
}

static long long version_of(const char *id)
{
    struct answer a;
    char target[80];
    snprintf(target, sizeof target, "/v1/meshes/%s", id);
    http_get(&d, target, &a);
    assert_int_equal(a.status, 200);
    const long long version = answer_number(&a, "version");
    answer_free(&a);
    return version;
}

static void test_shared(void **state)
{
    struct client each[CLIENTS] = {0}, one[CLIENTS] = {0};
    (void)state;
    daemon_start(&d, NULL);
    for (int k = 0; k < CLIENTS; k++) {
        each[k] = (struct client){.k = k, .last = 1, .alone = true};
        create_cube(&d, each[k].id);
    }
    const long long before = commits();
    run(each);
    const long long made = commits() - before;
    print_message("%d changes in %lld commits\n", CLIENTS * CHANGES, made);
    assert_true(made < CLIENTS * CHANGES);
    for (int k = 0; k < CLIENTS; k++) {
        one[k] = (struct client){.k = k, .last = each[0].last};
        memcpy(one[k].id, each[0].id, sizeof one[k].id);
    }
    run(one);
    daemon_kill(&d);
    daemon_start(&d, NULL);
    for (int k = 1; k < CLIENTS; k++)
        assert_int_equal(version_of(each[k].id), 1 + CHANGES);
    assert_int_equal(version_of(each[0].id), 1 + CHANGES + CLIENTS * CHANGES);
    daemon_stop(&d);
}

/* The log reaches a size beyond which it cannot be written, in the middle of a commit. Who has no answer any more may
 * have been the one who had none yet. */
static void test_fails(void **state)
{
    struct client c[CLIENTS] = {0};
    const struct rlimit limit = {1 << 20, 1 << 20};
    int told = 0;
    (void)state;
    d = (struct daemon){0};
    daemon_start(&d, NULL);
    for (int k = 0; k < CLIENTS; k++) {
        c[k] = (struct client){.k = k, .last = 1, .alone = true};
        create_cube(&d, c[k].id);
    }
    assert_int_equal(prlimit(d.pid, RLIMIT_FSIZE, &limit, NULL), 0);
    run_all(c);
    daemon_kill(&d);
    daemon_start(&d, NULL);
    for (int k = 0; k < CLIENTS; k++) {
        const long long version = version_of(c[k].id);
        told += c[k].status >= 500;
        if (version != c[k].last && !(c[k].status == 0 && version == c[k].last + 1))
            fail_msg("%s: version %lld, acknowledged %lld, then %d", c[k].failure, version, c[k].last, c[k].status);
    }
    print_message("%d of %d were told\n", told, CLIENTS);
    assert_true(told > 0);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared), cmocka_unit_test(test_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
